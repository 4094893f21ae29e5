#include "cli/rules_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/input.h"
#include "report/json.h"
#include "report/rules_run.h"

static int complain(lp_status status, const lp_error *error, const char *name)
{
    struct text text = TEXT_EMPTY;
    error_append(error, name, &text);
    fputs(text_string(&text), stderr);
    text_release(&text);
    return status == LP_INTERNAL ? EXIT_FAULT : status == LP_LIMIT ? EXIT_UNDECIDED : EXIT_INPUT;
}

static void render(const struct options *options, const struct rules_run_report *report)
{
    if (options->json) {
        yajl_gen json = json_begin(stdout);
        rules_run_json_fields(report, json);
        json_end(json, stdout);
        return;
    }
    const struct report_style style = {
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .quiet = options->quiet};
    struct text text = TEXT_EMPTY;
    rules_run_text(report, &style, &text);
    fwrite(text_string(&text), 1, text.length, stdout);
    text_release(&text);
}

static int run_on(struct session *session, lp_context *context, const struct options *options,
                  const lp_rules *rules, const lp_history *history)
{
    static const int statuses[] = {
        [LP_HOLDS] = EXIT_HOLDS, [LP_VIOLATED] = EXIT_VIOLATION, [LP_UNDECIDED] = EXIT_UNDECIDED};
    const lp_rules_options inner = {.jobs = (unsigned)options->jobs,
                                    .timeout = session_timeout(session, session_clock())};
    lp_rules_run *run = NULL;
    lp_error error = {0};
    char *name = input_name(options->on, history);
    lp_status status = lp_rules_run_on(context, rules, history, &inner, &run, &error);
    int result = EXIT_INPUT;
    if (status == LP_OK) {
        const struct rules_run_report report = {name, history, rules, run};
        render(options, &report);
        result = statuses[run->verdict];
    } else {
        result = complain(status, &error, name);
    }
    lp_rules_run_destroy(run);
    free(name);
    return result;
}

int rules_run_histories(struct session *session, lp_context *context, const struct options *options,
                        const lp_rules *rules)
{
    const lp_read_options reading = {.format = options->format,
                                     .jobs = (unsigned)options->jobs,
                                     .timeout = session_timeout(session, session_clock())};
    lp_history **histories = NULL;
    size_t count = 0;
    lp_error error = {0};
    int result = EXIT_HOLDS;
    lp_status status = input_read(context, options->on, &reading, &histories, &count, &error);
    if (status != LP_OK)
        return complain(status, &error, options->on);
    for (size_t i = 0; i < count; i++)
        result = exit_worst(result, run_on(session, context, options, rules, histories[i]));
    input_release(histories, count);
    return result;
}
