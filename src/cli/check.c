/* linchpin check: several inputs at once, each on a thread of its own, the last ones and a single
 * one on as many as there are. */
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "cli/command.h"
#include "cli/decide.h"

static void decide_share(void *context, size_t index, unsigned worker)
{
    (void)worker;
    struct check *check = context;
    /* What cannot be read a second time is decided at the end, alone and with all the memory. */
    bool *again = &check->results.items[index].again;
    *again = check->workers > 1 && input_is_stream(check->inputs.names[index]);
    if (*again)
        return;
    size_t left = check->inputs.count - index;
    unsigned threads = left < check->workers ? check->jobs / (unsigned)left : 1;
    if (check->workers < check->jobs && threads < check->jobs / check->workers)
        threads = check->jobs / check->workers;
    decide_input(check, index, check->workers, threads);
}

/* "102 histories: 100 linearizable, 2 violations; 1 input could not be read" */
static void summarise(struct check *check, const struct tally *tally)
{
    size_t all = tally->verdicts[0] + tally->verdicts[1] + tally->verdicts[2];
    const struct options *options = check->options;
    if (check->ordered.failed || options->quiet || (options->json && !options->verbose) ||
        all + tally->errors < 2)
        return;
    fprintf(stderr, "%zu %s: %zu linearizable", all, all == 1 ? "history" : "histories",
            tally->verdicts[LP_LINEARIZABLE]);
    size_t violations = tally->verdicts[LP_VIOLATION], unknown = tally->verdicts[LP_UNKNOWN];
    if (violations)
        fprintf(stderr, ", %zu %s", violations, violations == 1 ? "violation" : "violations");
    if (unknown)
        fprintf(stderr, ", %zu unknown", unknown);
    if (tally->errors)
        fprintf(stderr, "; %zu %s", tally->errors, tally->errors == 1 ? "error" : "errors");
    fprintf(stderr, " (%.2f s)\n", session_clock() - check->session.started);
}

static void say_untraced(struct check *check)
{
    struct text line = TEXT_EMPTY;
    text_append(&line, "not written, there is no violation");
    results_narrate(check->options, &check->progress, check->options->trace, &line);
    text_release(&line);
}

static lp_method method_named(const char *name)
{
    if (!name || strcmp(name, "auto") == 0)
        return LP_METHOD_AUTO;
    if (strcmp(name, "monitor") == 0)
        return LP_METHOD_MONITOR;
    return strcmp(name, "search") == 0 ? LP_METHOD_SEARCH : LP_METHOD_DEFINITION;
}

/* Standard input named twice would be empty the second time. */
static bool inputs_make_sense(const struct check *check)
{
    size_t standard = 0;
    for (size_t i = 0; i < check->inputs.count; i++)
        standard += input_is_standard(check->inputs.names[i]);
    if (standard > 1)
        fprintf(stderr, "linchpin check: expected one - for standard input, found %zu\n", standard);
    return standard <= 1;
}

static void print_error(const lp_error *error)
{
    struct text text = TEXT_EMPTY;
    error_append(error, "", &text);
    fputs(text_string(&text), stderr);
    text_release(&text);
}

/* Whether the words of the command line make sense, before any input is read. */
static bool request_makes_sense(struct check *check)
{
    if (!inputs_make_sense(check))
        return false;
    struct bindings bindings = {0};
    lp_error error = {0};
    lp_status status = LP_OK;
    lp_context *context = lp_context_create(0);
    if (!format_is_known("check", "--format", check->options->format, false))
        status = LP_USAGE;
    else if (context) {
        status = bindings_create(context, &check->choice, &bindings, &error);
        if (status == LP_INPUT) /* in the file of a specification */
            print_error(&error);
        else if (status != LP_OK)
            fprintf(stderr, "linchpin check: %s\n", error.message);
        bindings_release(&bindings);
    }
    if (context)
        lp_context_destroy(context);
    return status == LP_OK;
}

static int decide_all(struct check *check, struct result_files *files)
{
    size_t count = check->inputs.count;
    int status = EXIT_HOLDS;
    bool traced;
    ordered_init(&check->ordered, count, &check->progress);
    parallel_for(check->workers, count, decide_share, check);
    for (size_t i = 0; i < count; i++)
        if (check->results.items[i].again)
            decide_input(check, i, 1, check->jobs);
    progress_clear(&check->progress);
    if (check->ordered.failed)
        status = exit_unwritten(check->ordered.reason);
    ordered_release(&check->ordered);
    struct tally tally = results_sum(&check->results, &status);
    status =
        exit_worst(status, result_files_write(files, &check->results,
                                              session_clock() - check->session.started, &traced));
    if (check->options->trace && !traced)
        say_untraced(check);
    summarise(check, &tally);
    return status;
}

int check_run(const struct options *options)
{
    struct result_files files = {0};
    struct check check = {.options = options, .method = method_named(options->method)};
    check.choice =
        (struct spec_choice){.specs = options->specs,
                             .count = options->spec_count,
                             .options = {options->initial, options->owned, options->knossos_nil}};
    check.jobs = options->jobs ? (unsigned)options->jobs : parallel_cores();
    inputs_expand(options->operands, options->operand_count, &check.inputs);
    size_t count = check.inputs.count;
    check.workers = count < check.jobs ? (unsigned)count : check.jobs;
    if (!request_makes_sense(&check) || !result_files_open(options, "check", &files)) {
        inputs_release(&check.inputs);
        return EXIT_INPUT;
    }
    session_init(&check.session, options);
    progress_init(&check.progress, !options->no_progress && !(options->json && !options->verbose));
    check.style = (struct report_style){
        .terminal = terminal_detect(STDOUT_FILENO, (enum colour_choice)options->colour),
        .quiet = options->quiet};
    results_init(&check.results, count);
    int status = decide_all(&check, &files);
    results_release(&check.results);
    progress_release(&check.progress);
    session_release(&check.session);
    inputs_release(&check.inputs);
    return status;
}
