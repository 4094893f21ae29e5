/* Stress: the program is built, each of its tests is run in rounds, and the history of each round
 * is read and decided as any other. */
#include <linchpin/stress.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "api/objects.h"
#include "base/require.h"
#include "scenario/build.h"
#include "scenario/contract.h"
#include "scenario/conversation.h"
#include "scenario/folder.h"
#include "scenario/stressing.h"

enum {
    MOST_THREADS = STRESS_MOST_THREADS,
    MAY_WAIT = 2, /* LP_MAY_WAIT of linchpin/test.h */
};

static const double DEFAULT_TIMEOUT = 10;

struct stress {
    lp_context *context;
    const lp_stress_options *options;
    struct text folder, program, compilers;
    struct listed_tests tests;
    VECTOR(lp_stress_result) results;
};

/* ---- one test ---- */

struct stressed {
    struct stress *stress;
    lp_stress_result *result;
    lp_spec *spec;      /* null: the test names none */
    bool waits;         /* one of its operations may wait */
    struct text orders; /* in which threads call */
};

static void say(lp_stress_result *result, lp_verdict verdict, lp_stress_finding finding,
                struct text *reason)
{
    result->verdict = verdict;
    result->finding = finding;
    free((char *)(uintptr_t)result->reason);
    result->reason = text_take(reason);
}

/* Reads a round's history and decides it. The history stays with the result if it is a finding. */
static lp_status decide(struct stressed *stressed, const struct stressing_round *round,
                        lp_error *error)
{
    lp_context *context = stressed->stress->context;
    lp_stress_result *result = stressed->result;
    lp_history **histories = NULL;
    lp_result *checked = NULL;
    size_t count = 0;
    const lp_binding binding = {.spec = stressed->spec};
    const lp_check_options options = {.jobs = 1};
    const lp_read_options reading = {.format = "json", .jobs = 1};
    if (round->length == 0) /* no thread had anything to do */
        return LP_OK;
    lp_status status = lp_history_parse(context, result->test, round->history, round->length,
                                        &reading, &histories, &count, error);
    if (status != LP_OK)
        return status;
    assert(count == 1);
    result->operations += lp_history_length(histories[0]);
    if (stressed->spec)
        status = lp_check(context, histories[0], &binding, 1, &options, &checked, error);
    if (status == LP_OK && checked && checked->verdict == LP_VIOLATION) {
        struct text reason = TEXT_EMPTY;
        text_append(&reason, checked->reason);
        say(result, LP_VIOLATION, LP_STRESS_VIOLATION, &reason);
        result->result = checked;
        result->history = histories[0];
    } else {
        lp_result_destroy(checked);
        lp_history_destroy(histories[0]);
    }
    free(histories);
    return status;
}

/* Nothing returned in a round. Where an operation may wait, that is no finding: the round is over.
 */
static lp_status decide_hang(struct stressed *stressed, const struct stressing_round *round,
                             lp_error *error)
{
    lp_status status = decide(stressed, round, error);
    lp_stress_result *result = stressed->result;
    if (status == LP_OK && result->finding == LP_STRESS_NOTHING && !stressed->waits) {
        struct text reason = TEXT_EMPTY;
        const lp_stress_options *options = stressed->stress->options;
        text_format(&reason, "no operation returned for %u ms: a deadlock, or waiting for ever",
                    options->patience ? options->patience : 2000);
        say(result, LP_VIOLATION, LP_STRESS_HANG, &reason);
    }
    return status;
}

static void tell_crash(struct stressed *stressed, const struct stressing_round *round)
{
    struct text reason = TEXT_EMPTY;
    if (WIFSIGNALED(round->status))
        text_format(&reason, "the code was ended by signal %d (%s)", WTERMSIG(round->status),
                    strsignal(WTERMSIG(round->status)));
    else
        text_format(&reason, "the code ended the process with status %d",
                    WEXITSTATUS(round->status));
    say(stressed->result, LP_VIOLATION, LP_STRESS_CRASH, &reason);
}

/* Runs rounds until one of the program's processes ends; true if there should be another. */
static bool run_process(struct stressed *stressed, struct stressing *stressing,
                        const struct limits *limits, uint64_t *next, lp_status *status,
                        lp_error *error)
{
    lp_stress_result *result = stressed->result;
    while (*status == LP_OK && result->finding == LP_STRESS_NOTHING) {
        struct stressing_round round = {.number = *next};
        enum stressing_event event = stressing_next(stressing, limits, &round);
        if (event == STRESSING_END || event == STRESSING_LIMIT)
            return false;
        result->round = event == STRESSING_CRASHED ? *next : round.number;
        result->rounds++;
        *next = result->round + 1;
        if (event == STRESSING_CRASHED)
            tell_crash(stressed, &round);
        else if (event == STRESSING_HANG)
            *status = decide_hang(stressed, &round, error);
        else
            *status = decide(stressed, &round, error);
        if (event == STRESSING_HANG)
            return *status == LP_OK && result->finding == LP_STRESS_NOTHING;
    }
    return false;
}

/* Runs rounds from `first` on; `widening` 0: with fenced stamps. */
static lp_status run_test(struct stressed *stressed, size_t number, unsigned widening,
                          uint64_t first, lp_error *error)
{
    struct stress *stress = stressed->stress;
    const lp_stress_options *options = stress->options;
    const double timeout = options->timeout > 0 ? options->timeout : DEFAULT_TIMEOUT;
    struct stressing_settings settings = {.program = text_string(&stress->program),
                                          .test = number,
                                          .threads = options->threads ? options->threads : 3,
                                          .operations =
                                              options->operations ? options->operations : 8,
                                          .seed = options->seed,
                                          .give_way_one_in = options->give_way_one_in,
                                          .widening = widening,
                                          .orders = text_string(&stressed->orders),
                                          .patience = options->patience ? options->patience
                                                      : stressed->waits ? 100
                                                                        : 2000};
    struct limits limits;
    uint64_t next = first, started = clock_nanoseconds();
    lp_status status = LP_OK;
    bool again = true;
    limits_for(&limits, stress->context, &stress->context->budget,
               options->rounds && options->timeout <= 0 ? 0 : timeout);
    while (again && status == LP_OK) {
        struct stressing stressing;
        struct error fault = {0};
        settings.first_round = next;
        settings.rounds = options->rounds ? first + options->rounds - next : 0;
        if (options->rounds && settings.rounds == 0)
            break;
        status = report_status(stressing_begin(&settings, &stressing, &fault), &fault, error);
        if (status != LP_OK)
            break;
        again = run_process(stressed, &stressing, &limits, &next, &status, error);
        stressing_end(&stressing);
    }
    stressed->result->seconds = seconds_since(started);
    if (atomic_load(&stress->context->interrupt) ||
        (stressed->result->rounds == 0 && stressed->result->finding == LP_STRESS_NOTHING))
        stressed->result->verdict = LP_UNKNOWN;
    return status;
}

/* That operations are widened by more than a store takes to be seen is an assumption; fences need
 * none. */
static lp_status confirm(struct stressed *stressed, size_t number, lp_error *error)
{
    lp_stress_result *result = stressed->result;
    lp_stress_result again = {.test = result->test,
                              .spec = result->spec,
                              .reason = strdup(""),
                              .verdict = LP_LINEARIZABLE};
    struct stressed other = *stressed;
    other.result = &again;
    lp_status status = run_test(&other, number, 0, result->round, error);
    bool found = again.finding == LP_STRESS_VIOLATION;
    result->confirmation = found ? LP_STRESS_CONFIRMED : LP_STRESS_NOT_CONFIRMED;
    result->confirming_rounds = again.rounds;
    result->seconds += again.seconds;
    if (!found)
        result->verdict = LP_UNKNOWN;
    free((char *)(uintptr_t)again.reason);
    lp_result_destroy(again.result);
    lp_history_destroy(again.history);
    return status;
}

/* An operation that the specification does not take is told of the test: nobody has seen the
   history, whose lines the error counts. */
static void tell_misfit(const struct stressed *stressed, lp_error *error)
{
    struct text message = TEXT_EMPTY;
    text_format(&message, "%s: its operations do not fit its specification %s: %s",
                stressed->result->test, stressed->result->spec, error->message);
    *error = (lp_error){0};
    snprintf(error->message, sizeof error->message, "%s", text_string(&message));
    text_release(&message);
}

/* Whether operations can be called, with arguments that are recorded. */
static enum status check_operations(const struct exchange_test *test, struct error *error)
{
    struct test_interface made;
    TRY(test_interface_init(&made, test, error));
    if (test->in_functions)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "test %s: a specification in C functions is for linchpin test alone; give "
                         "stress one in .lin",
                         test->name);
    if (strcmp(test->spec, "auto") == 0)
        return error_set(
            error, STATUS_USAGE, NULL, 0,
            "test %s: the specification auto, the code itself with one operation after "
            "the other, is for linchpin test alone: here threads make too many calls "
            "for every order of them to be run",
            test->name);
    for (uint32_t i = 0; i < test->operation_count; i++) {
        const struct exchange_operation *operation = &test->operations[i];
        if (operation->takes_three)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "operation %s: one of three arguments is for linchpin test alone: "
                             "records have room for two",
                             operation->name);
        const int64_t ends[] = {operation->from, operation->to, operation->from2, operation->to2};
        for (unsigned k = 0; operation->takes_two && k < ARRAY_LENGTH(ends); k++)
            if (ends[k] != (int32_t)ends[k])
                return error_set(error, STATUS_USAGE, NULL, 0,
                                 "operation %s: of two arguments each is recorded in 32 bits, "
                                 "found %" PRId64,
                                 operation->name, ends[k]);
    }
    return STATUS_OK;
}

static bool may_wait(const struct exchange_test *test)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < test->operation_count; i++)
        flags |= test->operations[i].flags;
    return flags & MAY_WAIT;
}

/* The orders that the specification asks of clients, for the program. */
static void find_orders(struct stressed *stressed, const struct exchange_test *test)
{
    struct scenario_orders orders;
    struct text *text = &stressed->orders;
    if (!stressed->spec || !contract_orders(stressed->spec->spec, test, &orders))
        return;
    for (uint32_t i = 0; i < test->operation_count; i++)
        text_format(text, "%s%u", i ? " " : "", orders.roles[i]);
    for (uint32_t i = 0; i < orders.count; i++)
        text_format(text, "%s%u", i == 0 || orders_end_at(&orders, i) ? ";" : " ", orders.calls[i]);
}

static lp_status run_one(struct stressed *stressed, size_t number, lp_error *error)
{
    const struct exchange_test *test = &stressed->stress->tests.items.items[number];
    struct error fault = {0};
    lp_status status = report_status(check_operations(test, &fault), &fault, error);
    if (status == LP_OK && *test->spec)
        status =
            lp_spec_create(stressed->stress->context, test->spec, NULL, &stressed->spec, error);
    find_orders(stressed, test);
    stressed->result->verdict = *test->spec ? LP_LINEARIZABLE : LP_UNKNOWN;
    if (status == LP_OK && !stressed->stress->options->list) {
        const lp_stress_options *options = stressed->stress->options;
        status = run_test(stressed, number, options->widening, options->first_round, error);
        if (status == LP_OK && options->confirm && options->widening &&
            stressed->result->finding == LP_STRESS_VIOLATION)
            status = confirm(stressed, number, error);
        if (status == LP_INPUT)
            tell_misfit(stressed, error);
    }
    lp_spec_destroy(stressed->spec);
    text_release(&stressed->orders);
    return status;
}

static lp_status take_test(struct stress *stress, size_t number, lp_error *error)
{
    const struct exchange_test *test = &stress->tests.items.items[number];
    lp_stress_result made = {0};
    if (stress->options->test && strcmp(stress->options->test, test->name) != 0)
        return LP_OK;
    made.test = strdup(test->name);
    made.spec = strdup(test->spec);
    made.reason = strdup("");
    if (!made.test || !made.spec || !made.reason || !vector_push(&stress->results, made))
        return LP_LIMIT;
    struct stressed stressed = {.stress = stress,
                                .result = &stress->results.items[stress->results.length - 1],
                                .waits = may_wait(test)};
    return run_one(&stressed, number, error);
}

/* ---- all ---- */

static enum status build(struct stress *stress, struct error *error)
{
    const lp_stress_options *options = stress->options;
    TRY(folder_make(&stress->folder, error));
    const struct build_settings settings = {.kind = options->give_way_one_in ? BUILD_STRESSED
                                                                             : BUILD_PLAIN,
                                            .sources = options->sources,
                                            .source_count = options->source_count,
                                            .flags = options->flags,
                                            .flag_count = options->flag_count,
                                            .runtime = options->runtime,
                                            .folder = text_string(&stress->folder),
                                            .budget = &stress->context->budget};
    TRY(build_program(&settings, &stress->program, &stress->compilers, error));
    return conversation_list(text_string(&stress->program), &stress->tests, error);
}

static lp_status run_all(struct stress *stress, lp_error *error)
{
    struct error fault = {0};
    lp_status status = report_status(build(stress, &fault), &fault, error);
    for (size_t i = 0; status == LP_OK && i < stress->tests.items.length; i++)
        status = take_test(stress, i, error);
    if (status != LP_OK || stress->results.length > 0)
        return status;
    error_set(&fault, STATUS_USAGE, NULL, 0, "there is no test %s in the sources",
              stress->options->test);
    return report_status(STATUS_USAGE, &fault, error);
}

lp_status lp_stress(lp_context *context, const lp_stress_options *options,
                    lp_stress_result **results, size_t *count, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(options);
    REQUIRE_NOT_NULL(options->runtime);
    REQUIRE_NOT_NULL(results);
    REQUIRE_NOT_NULL(count);
    REQUIRE(options->threads <= MOST_THREADS, "at most 64 threads");
    struct stress stress = {.context = context, .options = options};
    vector_init(&stress.results, &context->budget);
    vector_init(&stress.tests.items, &context->budget);
    lp_status status = run_all(&stress, error);
    folder_remove(text_string(&stress.folder));
    text_release(&stress.folder);
    text_release(&stress.program);
    text_release(&stress.compilers);
    vector_release(&stress.tests.items);
    *count = stress.results.length;
    *results = malloc((*count + 1) * sizeof **results);
    if (*results && *count > 0)
        memcpy(*results, stress.results.items, *count * sizeof **results);
    vector_release(&stress.results);
    if (!*results)
        return LP_LIMIT;
    if (status != LP_OK) {
        lp_stress_results_destroy(*results, *count);
        *results = NULL;
        *count = 0;
    }
    return status;
}

void lp_stress_results_destroy(lp_stress_result *results, size_t count)
{
    for (size_t i = 0; results && i < count; i++) {
        free((char *)(uintptr_t)results[i].test);
        free((char *)(uintptr_t)results[i].spec);
        free((char *)(uintptr_t)results[i].reason);
        lp_result_destroy(results[i].result);
        lp_history_destroy(results[i].history);
    }
    free(results);
}
