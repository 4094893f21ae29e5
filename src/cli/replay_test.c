/* Showing a violation of real code again, without running it: a trace may come from anywhere. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/input.h"
#include "cli/replay.h"
#include "cli/words.h"
#include "report/tested.h"

/* What specifications are called that only the test program has (lp_program_test_spec). */
static const char SPEC_IN_FUNCTIONS[] = "functions in C";
static const char SPEC_AUTO[] = "auto";

/* The sources are those that the trace was made of. */
static bool check_sources(const struct test_trace *trace, const struct options *options)
{
    uint64_t hash;
    struct text complaint = TEXT_EMPTY;
    bool read = test_trace_hash((const char *const *)trace->sources, trace->source_count, &hash,
                                &complaint);
    if (!read)
        input_complain(options->operands[0], options->json, "%s", text_string(&complaint));
    text_release(&complaint);
    return read && replay_fits(trace->input, "the sources", trace->hash, hash, options->json);
}

/* What can be said of the calls alone; *checked: that they have no legal order was found again. */
static int check_calls(lp_context *context, const struct options *options,
                       const struct test_trace *trace, struct text *said, bool *checked)
{
    const lp_tested *found = &trace->found;
    lp_error error = {0};
    bool have_order = false;
    if (strcmp(found->finding, "not linearizable") != 0 || !trace->spec) {
        text_append(said, "Nothing was run: whether it is still so, the command below says.");
        return EXIT_VIOLATION;
    }
    if (strcmp(trace->spec, SPEC_IN_FUNCTIONS) == 0) {
        text_append(said, "Nothing was run, the specification neither, which is functions in C: "
                          "whether it is still so, the command below says.");
        return EXIT_VIOLATION;
    }
    if (strcmp(trace->spec, SPEC_AUTO) == 0) {
        text_append(said, "Nothing was run, and what the code answers with one operation after the "
                          "other is its specification: whether it is still so, the command below "
                          "says.");
        return EXIT_VIOLATION;
    }
    lp_status status = lp_test_calls_have_order(context, trace->spec, found->calls,
                                                found->operation_count, &have_order, &error);
    if (status == LP_LIMIT) {
        text_append(said, "A limit was reached before the calls were checked again.");
        return EXIT_UNDECIDED;
    }
    if (status != LP_OK)
        return error_print(status, &error, options->operands[0], options->json);
    if (have_order)
        return input_complain(options->operands[0], options->json,
                              "the calls that the trace calls a violation have a legal order");
    *checked = true;
    text_format(said,
                "%zu calls, checked again: no legal order of %s has their results. Nothing "
                "was run: whether the code still gives them, the command below says.",
                found->operation_count, trace->spec);
    return EXIT_VIOLATION;
}

static void show(const struct options *options, const struct test_trace *trace,
                 const struct text *said, bool checked)
{
    const struct report_style style = {
        .quiet = options->quiet,
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour)};
    struct result result = {.input = trace->input};
    struct text again = TEXT_EMPTY, text = TEXT_EMPTY;
    const struct test_words words = {.test = trace->test,
                                     .memory_model = trace->memory_model,
                                     .races = trace->found.relaxed_count ? "relaxed" : NULL,
                                     .scenario = trace->found.scenario,
                                     .schedule = trace->found.schedule,
                                     .sources = (const char *const *)trace->sources,
                                     .source_count = trace->source_count,
                                     .flags = (const char *const *)trace->flags,
                                     .flag_count = trace->flag_count};
    words_append_test(&words, &again);
    const struct tested_request asked = {.test = trace->test,
                                         .spec = trace->spec,
                                         .memory_model = trace->memory_model,
                                         .compilers = trace->compilers,
                                         .again = text_string(&again),
                                         .is_replay = true};
    text_format(&result.reason, "%s. %s", trace->found.reason, text_string(said));
    tested_fill(&result, &asked, &trace->found);
    if (options->json)
        replay_write("test", checked, &result);
    else {
        result_text(&result, &style, &text);
        fputs(text_string(&text), stdout);
        result_release(&result);
    }
    text_release(&text);
    text_release(&again);
}

struct replay_of_test {
    const struct options *options;
    const struct test_trace *trace;
};

static int replay(struct session *session, lp_context *context, void *user)
{
    const struct replay_of_test *asked = user;
    struct text said = TEXT_EMPTY;
    (void)session;
    int status = EXIT_INPUT;
    bool checked = false;
    if (check_sources(asked->trace, asked->options))
        status = check_calls(context, asked->options, asked->trace, &said, &checked);
    if (status != EXIT_INPUT)
        show(asked->options, asked->trace, &said, checked);
    text_release(&said);
    return status;
}

int replay_test(const struct options *options, const struct test_trace *trace)
{
    struct replay_of_test asked = {options, trace};
    return session_run(options, "replay", options->operands[0], replay, &asked);
}
