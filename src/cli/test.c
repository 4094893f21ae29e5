/* linchpin test: the sources are made a program first; then every test in it is a piece of work. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/command.h"
#include "cli/installed.h"
#include "cli/run.h"
#include "cli/words.h"
#include "report/test_trace.h"
#include "report/tested.h"

/* Of a test. */
struct tested {
    lp_tested *result;
};

struct request {
    struct text runtime;
    lp_program *program;
    const char *model_name;
    lp_memory_model model;
    uint64_t hash; /* of the sources */
    size_t *tests; /* of the program, by piece of work */
};

/* ---- deciding ---- */

/* "312 scenarios, 3 threads with 5 calls, 12,000 executions (800/s)" */
static void show_progress(void *user, const lp_test_progress *now)
{
    struct text line = TEXT_EMPTY;
    if (!work_progress_begin(user, &line))
        return;
    report_text_count(now->scenarios, "scenario", "scenarios", &line);
    text_append(&line, ", now ");
    report_text_count(now->calls, "call", "calls", &line);
    text_append(&line, " by ");
    report_text_count(now->threads, "thread", "threads", &line);
    text_append(&line, now->is_larger ? " (larger than promised), " : ", ");
    report_text_count(now->executions, "execution", "executions", &line);
    work_progress_rate(now->executions, now->seconds, &line);
    work_progress_end(user, now->memory, now->seconds, &line);
}

/* The seconds left to all; 0: there is no limit. --timeout is for each scenario. */
static double total_left(const struct session *session)
{
    const double left = session->total_timeout - (session_clock() - session->started);
    return session->total_timeout <= 0 ? 0 : left < 1e-6 ? 1e-6 : left;
}

/* Until when larger scenarios are gone through: tests that come later have their share of the time
 * that is left. None where the set was asked for. */
static double larger_time(const struct work *work, double left)
{
    const struct options *options = work->run->options;
    if (options->total_timeout <= 0 || options->scenario || options->threads || options->calls)
        return 0;
    return left / (double)(work->run->count - work->index);
}

static bool relaxes_races(const struct options *options)
{
    return options->races && strcmp(options->races, "relaxed") == 0;
}

static lp_status decide(struct work *work, lp_error *error)
{
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    struct tested *tested = work->own;
    const double left = total_left(&work->run->session);
    if (work_is_over(work))
        return LP_LIMIT;
    const lp_test_options inner = {.size = sizeof inner,
                                   .scenario = options->scenario,
                                   .schedule = options->schedule,
                                   .model = request->model,
                                   .timeout = options->timeout,
                                   .total_timeout = left,
                                   .larger_timeout = larger_time(work, left),
                                   .threads = (unsigned)options->threads,
                                   .operations = (unsigned)options->calls,
                                   .relaxes_races = relaxes_races(options),
                                   .self_check = options->self_check,
                                   .progress = show_progress,
                                   .progress_user = work,
                                   .jobs = work->jobs};
    lp_status status = lp_program_run(work->context, request->program, request->tests[work->index],
                                      &inner, &tested->result, error);
    work->short_of_memory = status == LP_OK && tested->result->limit == LP_LIMIT_MEMORY;
    return status;
}

static void release(struct work *work)
{
    const struct tested *tested = work->own;
    lp_tested_destroy(tested->result);
}

/* ---- showing ---- */

static void append_again(const struct work *work, const lp_tested *found, struct text *text)
{
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    const struct test_words words = {
        .test = lp_program_test_name(request->program, request->tests[work->index]),
        .memory_model = request->model_name,
        .races = found->relaxed_count ? "relaxed" : NULL,
        .scenario = found->scenario,
        .schedule = found->schedule,
        .sources = (const char *const *)options->operands,
        .source_count = options->operand_count,
        .flags = (const char *const *)options->flags,
        .flag_count = options->flag_count};
    words_append_test(&words, text);
}

static void write_trace(const struct work *work, const struct result *result, FILE *out)
{
    const struct options *options = work->run->options;
    const struct request *request = work->run->request;
    const struct tested *tested = work->own;
    const struct test_trace_request asked = {.sources = (const char *const *)options->operands,
                                             .flags = (const char *const *)options->flags,
                                             .source_count = options->operand_count,
                                             .flag_count = options->flag_count};
    test_trace_write(&asked, request->hash, result, tested->result, out);
}

static void show(struct work *work, lp_status status, const lp_error *error)
{
    const struct request *request = work->run->request;
    const lp_tested *found = ((const struct tested *)work->own)->result;
    if (status != LP_OK && status != LP_LIMIT) {
        const struct model_errors errors = {.items = {*error}, .count = 1};
        model_errors_append(&errors, work->name, work->run->options->json, &work->messages);
        work_count_errors(work, status, errors.items, 1, work->name);
        return;
    }
    const struct options *options = work->run->options;
    struct result result = {.input = options->operands[0]};
    size_t test = request->tests[work->index];
    struct text again = TEXT_EMPTY;
    if (found && found->verdict == LP_VIOLATED)
        append_again(work, found, &again);
    const struct tested_request asked = {.again = text_string(&again),
                                         .is_replay = options->schedule != NULL,
                                         .test = lp_program_test_name(request->program, test),
                                         .spec = lp_program_test_spec(request->program, test),
                                         .memory_model = request->model_name,
                                         .compilers = lp_program_compilers(request->program)};
    work_limit(work, found ? &found->limit : NULL, &result);
    if (!found)
        text_append(&result.reason, " before it was decided");
    else if (result.limit == LP_LIMIT_NONE)
        text_append(&result.reason, found->reason);
    else
        text_append(&result.reason, " in this scenario");
    if (found && found->covered)
        text_format(&result.reason, "; %s was gone through", found->covered);
    tested_fill(&result, &asked, found);
    work_show(work, &result);
    text_release(&again);
}

static const struct run_kind kind = {
    .command = "test",
    .size = sizeof(struct tested),
    .decide = decide,
    .show = show,
    .release = release,
    .trace = write_trace,
    .times_parts = true,
    .untraced = "violation",
    .pieces = {"test", "tests"},
    .good = {"holds", "hold"},
    .bad = {"violated", "violated"},
};

/* ---- the program ---- */

static lp_status build(lp_context *context, const struct options *options, const char *runtime,
                       lp_program **program, lp_error *error)
{
    const lp_program_options inner = {.size = sizeof inner,
                                      .sources = (const char *const *)options->operands,
                                      .source_count = options->operand_count,
                                      .flags = (const char *const *)options->flags,
                                      .flag_count = options->flag_count,
                                      .runtime = runtime};
    return lp_program_build(context, &inner, program, error);
}

/* ---- the command ---- */

static lp_memory_model chosen_model(const char *name)
{
    if (strcmp(name, "sc") == 0)
        return LP_MEMORY_SC;
    return strcmp(name, "tso") == 0 ? LP_MEMORY_TSO : LP_MEMORY_RC11;
}

static int list(const lp_program *program)
{
    for (size_t i = 0; i < lp_program_tests(program); i++) {
        const char *spec = lp_program_test_spec(program, i);
        printf("%s%s%s\n", lp_program_test_name(program, i), spec ? ": " : "", spec ? spec : "");
    }
    return EXIT_HOLDS;
}

static int run_tests(struct run *run, struct request *request, struct result_files *files)
{
    size_t all = lp_program_tests(request->program), count = 0;
    const char **names = memory_small(all * sizeof *names), *chosen = run->options->test;
    struct text *shown = memory_small(all * sizeof *shown);
    request->tests = memory_small(all * sizeof *request->tests);
    for (size_t i = 0; i < all; i++) {
        const char *name = lp_program_test_name(request->program, i);
        if (chosen && strcmp(name, chosen) != 0)
            continue;
        request->tests[count] = i;
        shown[count] = TEXT_EMPTY;
        text_format(&shown[count], "%s: %s", run->options->operands[0], name);
        names[count] = text_string(&shown[count]);
        count++;
    }
    int status = EXIT_INPUT;
    if (count == 0) {
        fprintf(stderr, "linchpin test: --test: there is no test '%s'; see --list\n", chosen);
        result_files_abandon(files);
    } else {
        status = run_all(run, names, count, files);
    }
    for (size_t i = 0; i < count; i++)
        text_release(&shown[i]);
    free(request->tests);
    free(shown);
    free(names);
    return status;
}

static lp_status find_hash(const struct options *options, struct request *request, lp_error *error)
{
    struct text complaint = TEXT_EMPTY;
    bool read = test_trace_hash((const char *const *)options->operands, options->operand_count,
                                &request->hash, &complaint);
    snprintf(error->message, sizeof error->message, "%s", text_string(&complaint));
    text_release(&complaint);
    return read ? LP_OK : LP_INPUT;
}

/* As other commands say what is wrong with a model. */
static int fail(const struct options *options, lp_status status, const lp_error *error)
{
    const struct model_errors errors = {.items = {*error}, .count = 1};
    if (status == LP_INTERNAL || status == LP_LIMIT)
        return error_print(status, error, options->operands[0], options->json);
    return model_errors_print(&errors, options->operands[0], options->json);
}

static int build_and_run(struct run *run, struct request *request)
{
    const struct options *options = run->options;
    struct result_files files = {0};
    lp_error error = {0};
    if (!result_files_open(options, "test", &files))
        return EXIT_INPUT;
    lp_context *programs = session_open(&run->session, 1, NULL);
    if (!programs) {
        fputs("linchpin test: the memory limit was reached\n", stderr);
        result_files_abandon(&files);
        return EXIT_UNDECIDED;
    }
    lp_status status =
        build(programs, options, text_string(&request->runtime), &request->program, &error);
    if (status == LP_OK && options->trace)
        status = find_hash(options, request, &error);
    int result;
    if (status != LP_OK || options->list)
        result_files_abandon(&files);
    if (status != LP_OK)
        result = fail(options, status, &error);
    else
        result = options->list ? list(request->program) : run_tests(run, request, &files);
    lp_program_destroy(request->program);
    session_close(&run->session, programs);
    return result;
}

static bool size_is_right(const struct options *options)
{
    enum {
        THREADS = 7,
        CALLS = 16
    };
    if (options->scenario && (options->threads || options->calls)) {
        fputs("linchpin test: --scenario: expected no --threads and --ops beside it, which choose "
              "a set of scenarios\n",
              stderr);
        return false;
    }
    if (options->threads <= THREADS && options->calls <= CALLS)
        return true;
    fprintf(stderr, "linchpin test: --%s: expected at most %d, found %zu\n",
            options->threads > THREADS ? "threads" : "ops",
            options->threads > THREADS ? THREADS : CALLS,
            options->threads > THREADS ? options->threads : options->calls);
    return false;
}

int test_run(const struct options *options)
{
    const char *model = options->memory_model ? options->memory_model : "rc11";
    struct request request = {.model_name = model, .model = chosen_model(model)};
    struct run run;
    if (!size_is_right(options))
        return EXIT_INPUT;
    if (options->schedule && !options->scenario) {
        fputs("linchpin test: --schedule: expected --scenario, too, whose execution it is\n",
              stderr);
        return EXIT_INPUT;
    }
    for (size_t i = 0; i < options->operand_count; i++)
        if (!outputs_spare(options, "test", options->operands[i]))
            return EXIT_INPUT;
    int status = EXIT_INPUT;
    if (installed_runtime("test", "runtime.o", &request.runtime) &&
        run_open(&run, &kind, options, &request)) {
        status = build_and_run(&run, &request);
        status = run_close(&run, status);
    }
    text_release(&request.runtime);
    return status;
}
