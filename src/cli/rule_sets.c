#include "cli/rule_sets.h"

#include <unistd.h>

#include "cli/command.h"
#include "cli/input.h"
#include "report/json.h"
#include "report/rule_sets.h"

static int complain(lp_status status, const lp_error *error, const char *path)
{
    struct text text = TEXT_EMPTY;
    error_append(error, path, &text);
    fputs(text_string(&text), stderr);
    text_release(&text);
    return status == LP_INTERNAL ? EXIT_FAULT : EXIT_INPUT;
}

static void render(const struct options *options, const struct rule_set_report *report)
{
    if (options->json) {
        yajl_gen json = json_begin(stdout);
        rule_set_json_fields(report, json);
        json_end(json, stdout);
        return;
    }
    const struct report_style style = {
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .quiet = options->quiet};
    struct text text = TEXT_EMPTY;
    rule_set_text(report, &style, &text);
    fwrite(text_string(&text), 1, text.length, stdout);
    text_release(&text);
}

/* "the time limit of 1 s was reached; up to 3 events no property is violated" */
static void append_limit(const struct session *session, double began,
                         const struct rule_set_report *report, struct text *text)
{
    limit_append(session, report->limit, began, text);
    if (report->result)
        text_format(text, "; up to %u %s no property is violated", report->result->size,
                    report->result->size == 1 ? "event" : "events");
    else
        text_append(text, " before anything was tested");
}

static int report_result(const struct session *session, const struct options *options, double began,
                         struct rule_set_report *report)
{
    static const int statuses[] = {
        [LP_HOLDS] = EXIT_HOLDS, [LP_VIOLATED] = EXIT_VIOLATION, [LP_UNDECIDED] = EXIT_UNDECIDED};
    struct text reason = TEXT_EMPTY;
    lp_answer verdict = rule_set_verdict(report);
    report->limit = report->result ? report->result->limit : limit_find(session, began);
    if (verdict == LP_UNDECIDED)
        append_limit(session, began, report, &reason);
    else
        text_append(&reason, report->result->reason);
    report->reason = text_string(&reason);
    render(options, report);
    text_release(&reason);
    return statuses[verdict];
}

int rule_sets_test(struct session *session, lp_context *context, const struct options *options,
                   const struct rule_sets_file *file, size_t index)
{
    double began = session_clock();
    struct rule_set_report report = {.input = file->path};
    const lp_rule_set_options inner = {.bound = (unsigned)options->bound,
                                       .jobs = (unsigned)options->jobs,
                                       .timeout = session_timeout(session, began)};
    lp_rule_set_result *result = NULL;
    lp_error error = {0};
    lp_rule_sets_at(file->sets, index, &report.set);
    lp_status status = lp_rule_set_check(context, file->sets, index, &inner, &result, &error);
    if (status != LP_OK && status != LP_LIMIT)
        return complain(status, &error, file->path);
    report.result = result;
    int exit_status = report_result(session, options, began, &report);
    lp_rule_set_result_destroy(result);
    return exit_status;
}
