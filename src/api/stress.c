/* Stress: the program is built, and each of its tests is run in rounds (api/stressed.h). */
#include <linchpin/stress.h>
/* behind it: */
#include <linchpin/record.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/stressed.h"
#include "base/require.h"
#include "scenario/asked_alone.h"
#include "scenario/asked_functions.h"
#include "scenario/build.h"
#include "scenario/contract.h"
#include "scenario/folder.h"
#include "scenario/waiting.h"

enum {
    MOST_THREADS = STRESS_MOST_THREADS,
};

static const double DEFAULT_TIMEOUT = 10;

static unsigned operations_of(const lp_stress_options *options)
{
    return options->operations ? options->operations : 8;
}

/* Of each thread; with auto they make few in all, unless more are asked for. */
static unsigned calls_of(const lp_stress_options *options, const char *spec)
{
    unsigned threads = stressed_threads(options);
    if (!stressed_is_auto(spec) || options->operations)
        return operations_of(options);
    return threads < ALONE_USUAL_CALLS ? ALONE_USUAL_CALLS / threads : 1;
}

/* ---- one test ---- */

/* A round that could not be decided for want of memory says nothing about the others. */
static lp_status settle(struct stressed *stressed, lp_status status)
{
    if (status != LP_LIMIT)
        return status;
    stressed->undecided += stressed->result->finding == LP_STRESS_NOTHING;
    return LP_OK;
}

/* Runs rounds until one of the program's processes ends; true if there should be another. */
static bool run_process(struct stressed *stressed, struct stressing *stressing,
                        const struct limits *limits, uint64_t *next, lp_status *status,
                        lp_error *error)
{
    lp_stress_result *result = stressed->result;
    while (*status == LP_OK && result->finding == LP_STRESS_NOTHING && !stressed->over) {
        struct stressing_round round = {.number = *next};
        enum stressing_event event = stressing_next(stressing, limits, &round);
        if (event == STRESSING_END || event == STRESSING_LIMIT)
            return false;
        result->round = event == STRESSING_CRASHED ? *next : round.number;
        *next = result->round + 1;
        if (event == STRESSING_CRASHED) {
            result->rounds++;
            *status = stressed_tell_crash(stressed, &round, error);
        } else if (event == STRESSING_ROUND)
            *status = settle(stressed, stressed_decide(stressed, &round, error));
        else {
            *status = settle(stressed, stressed_decide_hang(stressed, &round,
                                                            event == STRESSING_BLOCKED, error));
            return *status == LP_OK && result->finding == LP_STRESS_NOTHING && !stressed->over;
        }
    }
    return false;
}

/* Rounds that could not be decided are not counted, but told. */
static void tell_undecided(const struct stressed *stressed, const struct limits *limits)
{
    struct text reason = TEXT_EMPTY;
    lp_stress_result *result = stressed->result;
    enum limit limit = limits_which(limits);
    bool is_time = limit == LIMIT_TIME;
    if (stressed->undecided == 0 || result->finding != LP_STRESS_NOTHING || *result->reason ||
        (is_time && stressed->undecided == 1))
        return;
    text_format(&reason, "%" PRIu64 " %s not decided: %s", stressed->undecided,
                stressed->undecided == 1 ? "round was" : "rounds were",
                is_time                    ? "the time was up"
                : limit == LIMIT_INTERRUPT ? "the run was interrupted"
                                           : "the memory limit was reached");
    stressed_say(result, LP_UNKNOWN, LP_STRESS_NOTHING, &reason);
}

static void tell_unlooked(const struct stressed *stressed)
{
    struct text reason = TEXT_EMPTY;
    lp_stress_result *result = stressed->result;
    if (stressed->unlooked == 0 || result->verdict != LP_LINEARIZABLE ||
        result->finding != LP_STRESS_NOTHING || *result->reason)
        return;
    text_format(&reason,
                "every round that was run is linearizable; in %" PRIu64 " of them operations wait "
                "for ever, and whether they may is not looked at, as operations of %s take effect "
                "together",
                stressed->unlooked, result->spec);
    stressed_say(result, result->verdict, LP_STRESS_NOTHING, &reason);
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
                                          .threads = stressed_threads(options),
                                          .operations = calls_of(options, stressed->result->spec),
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
    stressed->limits = &limits;
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
    stressed->limits = NULL;
    tell_undecided(stressed, &limits);
    if (atomic_load(&stress->context->interrupt) ||
        (stressed->result->rounds == 0 && stressed->result->finding == LP_STRESS_NOTHING))
        stressed->result->verdict = LP_UNKNOWN;
    tell_unlooked(stressed);
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
        uint64_t new_ones = (uint64_t)stressed_threads(options) * STRESS_MOST_ARGUMENTS *
                            ((uint64_t)operations_of(options) + ORDERED_CALLS);
        if (is_fresh && new_ones > (uint64_t)most)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "operation %s: of %s arguments each is recorded in %u bits, which "
                             "are too few for new values in rounds of so many calls",
                             operation->name, word, bits);
    }
    return STATUS_OK;
}

/* Functions in C, and auto, know operations by their places; histories have names. */
static enum status check_names(const struct exchange_test *test, struct error *error)
{
    bool by_places = test->in_functions || stressed_is_auto(test->spec);
    for (uint32_t i = 0; by_places && i < test->operation_count; i++)
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
    return flags & EXCHANGE_MAY_WAIT;
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

/* Where operations wait of themselves, a round in which they do is no finding. (Of those that take
 * effect together it is not looked whether they may.) */
static lp_status open_waiting(struct stressed *stressed, lp_error *error)
{
    lp_context *context = stressed->stress->context;
    const struct spec *inner = stressed->spec->spec;
    struct spec *spec;
    struct error fault = {0};
    if (!waiting_is_said(inner->class))
        return LP_OK;
    if (inner->class->together_count > 0) {
        stressed->waits = true;
        return LP_OK;
    }
    enum status status = waiting_spec(inner, &spec, &fault);
    if (status == STATUS_OK)
        status = spec_wrap(context, spec, stressed->result->spec, NULL, &stressed->waiting, &fault);
    return report_status(status, &fault, error);
}

static lp_status open_spec(struct stressed *stressed, size_t number, lp_error *error)
{
    struct stress *stress = stressed->stress;
    lp_context *context = stress->context;
    const struct exchange_test *test = &stress->tests.items.items[number];
    struct spec *spec;
    struct error fault = {0};
    const char *program = text_string(&stress->program);
    if (!test->in_functions && !stressed_is_auto(test->spec)) {
        lp_status created = lp_spec_create(context, test->spec, NULL, &stressed->spec, error);
        return created == LP_OK ? open_waiting(stressed, error) : created;
    }
    enum status status =
        test->in_functions
            ? asked_functions_spec(program, (uint32_t)number, test, context->pool, &context->budget,
                                   &spec, &fault)
            : asked_alone_spec(program, (uint32_t)number, test, stressed_threads(stress->options),
                               context->pool, &context->budget, &spec, &fault);
    if (status == STATUS_OK)
        status = spec_wrap(context, spec, test->spec, NULL, &stressed->spec, &fault);
    return report_status(status, &fault, error);
}

/* Whether rounds with auto have more calls than there may be: then that is said. */
static bool skip_large(const lp_stress_options *options, lp_stress_result *result)
{
    struct text reason = TEXT_EMPTY;
    uint64_t calls = (uint64_t)stressed_threads(options) * calls_of(options, result->spec);
    if (!stressed_is_auto(result->spec) || calls <= ALONE_MOST_CALLS)
        return false;
    text_format(&reason,
                "was not run: with the specification auto rounds have %d calls at most, for every "
                "order of them may have to be run; %u threads with %u each make %" PRIu64,
                ALONE_MOST_CALLS, stressed_threads(options), calls_of(options, result->spec),
                calls);
    stressed_say(result, LP_UNKNOWN, LP_STRESS_NOTHING, &reason);
    return true;
}

static lp_status run_one(struct stressed *stressed, size_t number, lp_error *error)
{
    const struct exchange_test *test = &stressed->stress->tests.items.items[number];
    struct error fault = {0};
    lp_status status =
        report_status(check_operations(stressed->stress->options, test, &fault), &fault, error);
    if (status == LP_OK && !stressed->stress->options->list &&
        skip_large(stressed->stress->options, stressed->result))
        return LP_OK;
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
    lp_spec_destroy(stressed->waiting);
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
