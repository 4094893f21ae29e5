/* Stress: the program is built, each of its tests is run in rounds, and the history of each round
 * is read and decided as any other. */
#include <linchpin/stress.h>
/* behind it: */
#include <linchpin/record.h>

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "api/objects.h"
#include "base/require.h"
#include "scenario/asked_functions.h"
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

static unsigned threads_of(const lp_stress_options *options)
{
    return options->threads ? options->threads : 3;
}

static unsigned operations_of(const lp_stress_options *options)
{
    return options->operations ? options->operations : 8;
}

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

/* Reads a history of a round and decides it; the caller destroys both. */
static lp_status check_history(const struct stressed *stressed, const char *text, size_t length,
                               lp_history **history, lp_result **checked, lp_error *error)
{
    lp_context *context = stressed->stress->context;
    lp_history **histories = NULL;
    size_t count = 0;
    const lp_binding binding = {.spec = stressed->spec};
    const lp_check_options options = {.size = sizeof options, .jobs = 1};
    const lp_read_options reading = {.size = sizeof reading, .format = "json", .jobs = 1};
    *history = NULL;
    *checked = NULL;
    lp_status status = lp_history_parse(context, stressed->result->test, text, length, &reading,
                                        &histories, &count, error);
    if (status != LP_OK)
        return status;
    assert(count == 1);
    *history = histories[0];
    free(histories);
    return stressed->spec ? lp_check(context, *history, &binding, 1, &options, checked, error)
                          : LP_OK;
}

/* The history of a round without what its operations have answered: lines as the recorder writes
 * them. */
static void append_without_answers(const struct stressing_round *round, struct text *text)
{
    static const char answered[] = "\"type\": \"ok\"",
                      before[] = ", \"value\": ", behind[] = ", \"time\": ";
    const char *end = round->history + round->length;
    for (const char *line = round->history; line < end;) {
        size_t length = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line) + 1;
        const char *from = memmem(line, length, before, strlen(before));
        const char *to = memmem(line, length, behind, strlen(behind));
        if (from && to && memmem(line, length, answered, strlen(answered))) {
            text_append_bytes(text, line, (size_t)(from - line));
            text_append_bytes(text, to, (size_t)(line + length - to));
        } else
            text_append_bytes(text, line, length);
        line += length;
    }
}

/* Whether the calls of a round are legal in some order, whatever they answer. Functions in C say
 * where an operation cannot happen, but threads here call by chance: what comes of calls that no
 * client would make is no finding. */
static lp_status find_legal(const struct stressed *stressed, const struct stressing_round *round,
                            bool *legal, lp_error *error)
{
    struct text text = TEXT_EMPTY;
    lp_history *history;
    lp_result *checked;
    append_without_answers(round, &text);
    lp_status status =
        check_history(stressed, text_string(&text), text.length, &history, &checked, error);
    *legal = checked && checked->verdict == LP_LINEARIZABLE;
    lp_result_destroy(checked);
    lp_history_destroy(history);
    text_release(&text);
    return status;
}

static bool is_in_functions(const struct stressed *stressed)
{
    return stressed->spec && stressed->spec->spec->class->summary == asked_functions_summary;
}

/* Decides a round. Its history stays with the result if it is a finding. */
static lp_status decide(struct stressed *stressed, const struct stressing_round *round,
                        lp_error *error)
{
    lp_stress_result *result = stressed->result;
    lp_history *history;
    lp_result *checked;
    bool legal = true;
    if (round->length == 0) { /* no thread had anything to do */
        result->rounds++;
        return LP_OK;
    }
    lp_status status =
        check_history(stressed, round->history, round->length, &history, &checked, error);
    bool violated = status == LP_OK && checked && checked->verdict == LP_VIOLATION;
    if (violated && is_in_functions(stressed))
        status = find_legal(stressed, round, &legal, error);
    if (status == LP_OK && !legal)
        result->left_out++;
    else if (status == LP_OK) {
        result->rounds++;
        result->operations += lp_history_length(history);
    }
    if (violated && legal && status == LP_OK) {
        struct text reason = TEXT_EMPTY;
        text_append(&reason, checked->reason);
        say(result, LP_VIOLATION, LP_STRESS_VIOLATION, &reason);
        result->result = checked;
        result->history = history;
        return LP_OK;
    }
    lp_result_destroy(checked);
    lp_history_destroy(history);
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
        *next = result->round + 1;
        if (event == STRESSING_CRASHED) {
            result->rounds++;
            tell_crash(stressed, &round);
        } else if (event == STRESSING_HANG)
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
                                          .threads = threads_of(options),
                                          .operations = operations_of(options),
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

/* A step of the specification has failed: what is said of that stands for itself. */
static bool is_faulty(const struct stressed *stressed)
{
    struct error fault;
    const struct spec *spec = stressed->spec ? stressed->spec->spec : NULL;
    return spec && spec->class->fault && spec->class->fault(spec, &fault) != STATUS_OK;
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

/* Whether each of several arguments has room in a record. */
static enum status check_arguments(const lp_stress_options *options,
                                   const struct exchange_operation *operation, struct error *error)
{
    const unsigned bits = operation->takes_three ? LP_RECORD_THIRD_BITS : 32;
    const int64_t most = ((int64_t)1 << (bits - 1)) - 1;
    const int64_t ends[] = {operation->from, operation->to,    operation->from2,
                            operation->to2,  operation->from3, operation->to3};
    const unsigned arguments = operation->takes_three ? 3 : 2;
    const char *word = operation->takes_three ? "three" : "two";
    if (!operation->takes_two)
        return STATUS_OK;
    for (unsigned i = 0; i < 2 * arguments; i++)
        if (ends[i] < -most - 1 || ends[i] > most)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "operation %s: of %s arguments each is recorded in %u bits, found "
                             "%" PRId64,
                             operation->name, word, bits, ends[i]);
    for (unsigned i = 0; i < arguments; i++) {
        bool is_fresh = ends[2 * i] > ends[2 * i + 1];
        uint64_t new_ones = (uint64_t)threads_of(options) * STRESS_MOST_ARGUMENTS *
                            ((uint64_t)operations_of(options) + ORDERED_CALLS);
        if (is_fresh && new_ones > (uint64_t)most)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "operation %s: of %s arguments each is recorded in %u bits, which "
                             "are too few for new values in rounds of so many calls",
                             operation->name, word, bits);
    }
    return STATUS_OK;
}

/* Functions in C know operations by their places; histories have names. */
static enum status check_names(const struct exchange_test *test, struct error *error)
{
    for (uint32_t i = 0; test->in_functions && i < test->operation_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(test->operations[i].name, test->operations[k].name) == 0)
                return error_set(error, STATUS_USAGE, NULL, 0,
                                 "test %s: expected operations of different names, for stress "
                                 "knows them by these, found two that are called %s",
                                 test->name, test->operations[i].name);
    return STATUS_OK;
}

/* Whether operations can be called, with arguments that are recorded. */
static enum status check_operations(const lp_stress_options *options,
                                    const struct exchange_test *test, struct error *error)
{
    struct test_interface made;
    TRY(test_interface_init(&made, test, error));
    for (uint32_t i = 0; i < test->operation_count; i++)
        TRY(check_arguments(options, &test->operations[i], error));
    return check_names(test, error);
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

static lp_status open_spec(struct stressed *stressed, size_t number, lp_error *error)
{
    struct stress *stress = stressed->stress;
    lp_context *context = stress->context;
    const struct exchange_test *test = &stress->tests.items.items[number];
    struct spec *spec;
    struct error fault = {0};
    if (!test->in_functions)
        return lp_spec_create(context, test->spec, NULL, &stressed->spec, error);
    enum status status = asked_functions_spec(text_string(&stress->program), (uint32_t)number, test,
                                              context->pool, &context->budget, &spec, &fault);
    if (status == STATUS_OK)
        status = spec_wrap(context, spec, test->spec, NULL, &stressed->spec, &fault);
    return report_status(status, &fault, error);
}

static void skip_auto(lp_stress_result *result)
{
    struct text reason = TEXT_EMPTY;
    text_append(&reason, "was not run: its specification auto, the code itself with one operation "
                         "after the other, is for linchpin test alone, for here threads make too "
                         "many calls for every order of them to be run");
    say(result, LP_UNKNOWN, LP_STRESS_NOTHING, &reason);
}

static lp_status run_one(struct stressed *stressed, size_t number, lp_error *error)
{
    const struct exchange_test *test = &stressed->stress->tests.items.items[number];
    struct error fault = {0};
    lp_status status =
        report_status(check_operations(stressed->stress->options, test, &fault), &fault, error);
    if (status == LP_OK && strcmp(test->spec, "auto") == 0) {
        skip_auto(stressed->result);
        return LP_OK;
    }
    if (status == LP_OK && *test->spec)
        status = open_spec(stressed, number, error);
    if (status == LP_OK)
        find_orders(stressed, test);
    stressed->result->verdict = *test->spec ? LP_LINEARIZABLE : LP_UNKNOWN;
    if (status == LP_OK && !stressed->stress->options->list) {
        const lp_stress_options *options = stressed->stress->options;
        status = run_test(stressed, number, options->widening, options->first_round, error);
        if (status == LP_OK && options->confirm && options->widening &&
            stressed->result->finding == LP_STRESS_VIOLATION)
            status = confirm(stressed, number, error);
        if (status == LP_INPUT && !is_faulty(stressed))
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
    lp_stress_options own;
    REQUIRE_NOT_NULL(options);
    REQUIRE_SIZED(&own, options, list);
    options = &own;
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
