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
#include "scenario/asked_alone.h"
#include "scenario/asked_functions.h"
#include "scenario/build.h"
#include "scenario/client_calls.h"
#include "scenario/contract.h"
#include "scenario/conversation.h"
#include "scenario/folder.h"
#include "scenario/round_text.h"
#include "scenario/stressing.h"
#include "scenario/waiting.h"

enum {
    MOST_THREADS = STRESS_MOST_THREADS,
    MAY_WAIT = 2, /* LP_MAY_WAIT of linchpin/test.h */
};

static const double DEFAULT_TIMEOUT = 10, TELLING_SECONDS = 2;

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

static bool is_auto(const char *spec)
{
    return strcmp(spec, "auto") == 0;
}

/* Of each thread; with auto they make few in all, unless more are asked for. */
static unsigned calls_of(const lp_stress_options *options, const char *spec)
{
    unsigned threads = threads_of(options);
    if (!is_auto(spec) || options->operations)
        return operations_of(options);
    return threads < ALONE_USUAL_CALLS ? ALONE_USUAL_CALLS / threads : 1;
}

/* ---- one test ---- */

struct stressed {
    struct stress *stress;
    lp_stress_result *result;
    lp_spec *spec;      /* null: the test names none */
    lp_spec *waiting;   /* the same, and where operations wait; null: none waits of itself */
    bool waits;         /* one of its operations may wait */
    bool over;          /* no further round can be decided: the reason is said */
    uint64_t undecided; /* rounds that came to their end */
    struct text orders; /* in which threads call */
    const struct limits *limits;
};

static void say(lp_stress_result *result, lp_verdict verdict, lp_stress_finding finding,
                struct text *reason)
{
    result->verdict = verdict;
    result->finding = finding;
    free((char *)(uintptr_t)result->reason);
    result->reason = text_take(reason);
}

static lp_status read_history(const struct stressed *stressed, const char *text, size_t length,
                              lp_history **history, lp_error *error)
{
    lp_history **histories = NULL;
    size_t count = 0;
    const lp_read_options reading = {.size = sizeof reading, .format = "json", .jobs = 1};
    lp_status status = lp_history_parse(stressed->stress->context, stressed->result->test, text,
                                        length, &reading, &histories, &count, error);
    assert(status != LP_OK || count == 1);
    *history = status == LP_OK ? histories[0] : NULL;
    if (status == LP_OK)
        free(histories);
    return status;
}

/* Reads a history of a round and decides it by `spec`, null if there is none; the caller destroys
 * both. */
static lp_status check_history(const struct stressed *stressed, lp_spec *spec, const char *text,
                               size_t length, bool untold, lp_history **history,
                               lp_result **checked, lp_error *error)
{
    const lp_binding binding = {.spec = spec};
    const lp_check_options options = {.size = sizeof options, .untold = untold, .jobs = 1};
    *checked = NULL;
    lp_status status = read_history(stressed, text, length, history, error);
    if (status != LP_OK)
        return status;
    if (is_auto(stressed->result->spec))
        asked_alone_begin(stressed->spec->spec, stressed->limits,
                          (*history)->history->processes.items,
                          (*history)->history->processes.length);
    return spec ? lp_check(stressed->stress->context, *history, &binding, 1, &options, checked,
                           error)
                : LP_OK;
}

/* That of a history that is looked at for this only; releases the text. */
static lp_status find_verdict(const struct stressed *stressed, lp_spec *spec, struct text *text,
                              lp_verdict *verdict, lp_error *error)
{
    lp_history *history;
    lp_result *checked;
    lp_status status = check_history(stressed, spec, text_string(text), text->length, true,
                                     &history, &checked, error);
    *verdict = checked ? checked->verdict : LP_UNKNOWN;
    lp_result_destroy(checked);
    lp_history_destroy(history);
    text_release(text);
    return status;
}

/* Whether the calls of a round are legal in some order that keeps to that of each thread, whatever
 * they answer. A specification may say where an operation cannot happen, but threads here call by
 * chance: what comes of calls that no client would make is no finding. *verdict is unknown where
 * that is not decided. */
static lp_status find_legal(const struct stressed *stressed, const lp_history *history, bool *legal,
                            lp_verdict *verdict, lp_error *error)
{
    struct limits limits;
    struct error fault;
    VECTOR(struct client_call) calls;
    const struct binding binding = {.spec = stressed->spec->spec};
    const struct bind_options binds = {.bindings = &binding, .binding_count = 1, .whole = true};
    enum contract_answer answer = CONTRACT_LIMIT;
    limits_for(&limits, stressed->stress->context, &stressed->stress->context->budget,
               TELLING_SECONDS);
    struct parts parts = {.budget = limits.budget};
    vector_init(&calls, limits.budget);
    enum status status = parts_create(history->history, &binds, &parts, &fault);
    if (status != STATUS_OK)
        return report_status(status, &fault, error);
    assert(parts.items.length == 1);
    const struct part *part = &parts.items.items[0];
    bool room = true;
    for (uint32_t i = 0; i < part->count && room; i++) {
        const struct client_call call = {.call = part->intervals[i].call,
                                         .returned = part->intervals[i].response != POSITION_NEVER};
        room = vector_push(&calls, call);
    }
    if (room)
        answer = client_calls_look(part->spec, calls.items, part->count, &limits);
    vector_release(&calls);
    parts_release(&parts);
    *legal = answer != CONTRACT_BROKEN;
    if (answer == CONTRACT_LIMIT)
        *verdict = LP_UNKNOWN;
    return LP_OK;
}

/* ---- the specification auto ---- */

/* Whether what is asked of the code alone has failed: that is said, and there are no more rounds.
 */
static bool is_in_trouble(struct stressed *stressed)
{
    const char *sentence;
    struct text reason = TEXT_EMPTY;
    if (!is_auto(stressed->result->spec))
        return false;
    enum asked_alone_trouble trouble = asked_alone_trouble(stressed->spec->spec, &sentence);
    if (trouble == ALONE_FINE)
        return false;
    stressed->over = true;
    if (trouble == ALONE_FAULTY)
        text_append(&reason, sentence);
    else
        text_format(&reason, "what the specification auto asks for is not known: %s", sentence);
    say(stressed->result, trouble == ALONE_FAULTY ? LP_VIOLATION : LP_UNKNOWN,
        trouble == ALONE_FAULTY ? LP_STRESS_CRASH : LP_STRESS_NOTHING, &reason);
    return true;
}

/* A violation counts if it is one, too, when operations that failed beside others may have happened
 * with the answer that they gave, and when all that is legal is asked anew. */
static lp_status confirm_with_auto(struct stressed *stressed, const struct stressing_round *round,
                                   lp_verdict *confirmed, lp_error *error)
{
    struct text text = TEXT_EMPTY;
    lp_verdict verdict = LP_VIOLATION;
    lp_status status = LP_OK;
    if (round_with_failures_open(round->history, round->length,
                                 threads_of(stressed->stress->options), &text))
        status = find_verdict(stressed, stressed->spec, &text, &verdict, error);
    text_release(&text);
    if (status == LP_OK && verdict == LP_VIOLATION) {
        verdict = LP_UNKNOWN;
        text_append_bytes(&text, round->history, round->length);
        if (asked_alone_forget(stressed->spec->spec))
            status = find_verdict(stressed, stressed->spec, &text, &verdict, error);
        text_release(&text);
    }
    *confirmed = verdict;
    return status;
}

/* What tells a violation in few operations is looked for with further questions to the code: for
 * some time. Puts what is told in the place of a bare verdict. */
static lp_status tell_with_auto(struct stressed *stressed, const struct stressing_round *round,
                                lp_history **history, lp_result **checked, lp_error *error)
{
    struct limits limits;
    lp_history *read;
    lp_result *told;
    limits_for(&limits, stressed->stress->context, &stressed->stress->context->budget,
               TELLING_SECONDS);
    stressed->limits = &limits;
    lp_status status = check_history(stressed, stressed->spec, round->history, round->length, false,
                                     &read, &told, error);
    stressed->limits = NULL;
    if (told && told->verdict == LP_VIOLATION) {
        lp_result *bare = *checked;
        lp_history *other = *history;
        *checked = told;
        *history = read;
        told = bare;
        read = other;
    }
    lp_result_destroy(told);
    lp_history_destroy(read);
    return status;
}

/* ---- rounds ---- */

static void count_round(struct stressed *stressed, const lp_history *history, lp_verdict verdict,
                        bool legal)
{
    lp_stress_result *result = stressed->result;
    if (!legal)
        result->left_out++;
    else if (verdict == LP_UNKNOWN)
        stressed->undecided++;
    else {
        result->rounds++;
        result->operations += lp_history_length(history);
    }
}

/* Whether a violation is one of what clients would do, and stays one when it is looked at again. */
static lp_status look_again(struct stressed *stressed, const struct stressing_round *round,
                            const lp_history *history, bool *legal, lp_verdict *verdict,
                            lp_error *error)
{
    return is_auto(stressed->result->spec) ? confirm_with_auto(stressed, round, verdict, error)
                                           : find_legal(stressed, history, legal, verdict, error);
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
    const bool by_auto = is_auto(result->spec);
    lp_status status = check_history(stressed, stressed->spec, round->history, round->length,
                                     by_auto, &history, &checked, error);
    lp_verdict verdict = checked ? checked->verdict : LP_LINEARIZABLE; /* none to break */
    if (status == LP_OK && verdict == LP_VIOLATION)
        status = look_again(stressed, round, history, &legal, &verdict, error);
    if (status == LP_OK && !is_in_trouble(stressed))
        count_round(stressed, history, verdict, legal);
    if (status == LP_OK && verdict == LP_VIOLATION && legal && !stressed->over) {
        if (by_auto)
            status = tell_with_auto(stressed, round, &history, &checked, error);
        struct text reason = TEXT_EMPTY;
        text_append(&reason, checked->reason);
        say(result, LP_VIOLATION, LP_STRESS_VIOLATION, &reason);
        result->result = checked;
        result->history = history;
        return status;
    }
    lp_result_destroy(checked);
    lp_history_destroy(history);
    return status;
}

/* An operation may wait where the specification waits itself, and with auto where it does not
 * return alone: behind some order of those that returned. `name`: one that must not, empty if there
 * is none. */
static lp_status find_sleeper(struct stressed *stressed, const struct stressing_round *round,
                              struct text *name, unsigned *process, lp_error *error)
{
    lp_status status = LP_OK;
    lp_verdict verdict = LP_LINEARIZABLE;
    struct text text = TEXT_EMPTY;
    for (unsigned i = 0; status == LP_OK && verdict == LP_LINEARIZABLE; i++) {
        text_clear(name);
        if (!round_with_waiting_last(round->history, round->length, i,
                                     stressed->waiting ? waiting_prefix : asked_alone_waits, &text,
                                     name, process))
            break;
        status = find_verdict(stressed, stressed->waiting ? stressed->waiting : stressed->spec,
                              &text, &verdict, error);
    }
    if (verdict != LP_VIOLATION)
        text_clear(name);
    return status;
}

/* Where every thread waits, there must be one order behind which all of them may; else it hangs.
 * `name`: one that must not wait whatever the others do, empty if there is none. */
static lp_status find_sleepers(struct stressed *stressed, const struct stressing_round *round,
                               struct text *name, unsigned *process, bool *hangs, lp_error *error)
{
    lp_verdict verdict;
    struct text text = TEXT_EMPTY;
    round_with_all_waiting_last(round->history, round->length, waiting_prefix, &text);
    lp_status status = find_verdict(stressed, stressed->waiting, &text, &verdict, error);
    *hangs = status == LP_OK && verdict == LP_VIOLATION;
    return *hangs ? find_sleeper(stressed, round, name, process, error) : status;
}

static void tell_hang(struct stressed *stressed, bool blocked, const struct text *name,
                      unsigned process)
{
    struct text reason = TEXT_EMPTY;
    const lp_stress_options *options = stressed->stress->options;
    if (blocked)
        text_append(&reason, "no operation returns any more, as every thread waits for a lock, a "
                             "signal or the like: a deadlock, or waiting for ever");
    else
        text_format(&reason, "no operation returned for %u ms: a deadlock, or waiting for ever",
                    options->patience ? options->patience : 2000);
    if (name->length && stressed->waiting)
        text_format(&reason,
                    "; %s of process %u does not return, but has an answer in %s, behind every "
                    "order of those that returned",
                    text_string(name), process, stressed->result->spec);
    else if (stressed->waiting)
        text_format(&reason,
                    "; behind every order of those that returned, some operation that does not "
                    "return has an answer in %s",
                    stressed->result->spec);
    else if (name->length)
        text_format(&reason,
                    "; %s of process %u does not return, but does so alone, behind every "
                    "order of those that returned",
                    text_string(name), process);
    say(stressed->result, LP_VIOLATION, LP_STRESS_HANG, &reason);
}

/* Nothing returned in a round. Where an operation may wait, that is no finding: the round is over.
 */
static lp_status decide_hang(struct stressed *stressed, const struct stressing_round *round,
                             bool blocked, lp_error *error)
{
    lp_status status = decide(stressed, round, error);
    lp_stress_result *result = stressed->result;
    struct text name = TEXT_EMPTY;
    unsigned process = 0;
    bool hangs = !stressed->waits;
    if (status != LP_OK || stressed->over || result->finding != LP_STRESS_NOTHING)
        return status;
    if (stressed->waiting && hangs && blocked)
        status = find_sleepers(stressed, round, &name, &process, &hangs, error);
    else if (is_auto(result->spec) || (stressed->waiting && hangs)) {
        status = find_sleeper(stressed, round, &name, &process, error);
        hangs = status == LP_OK && !is_in_trouble(stressed) && name.length > 0;
    }
    if (hangs)
        tell_hang(stressed, blocked, &name, process);
    if (hangs && round->length > 0)
        status = read_history(stressed, round->history, round->length, &result->history, error);
    text_release(&name);
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
            tell_crash(stressed, &round);
        } else if (event == STRESSING_ROUND)
            *status = settle(stressed, decide(stressed, &round, error));
        else {
            *status =
                settle(stressed, decide_hang(stressed, &round, event == STRESSING_BLOCKED, error));
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
    say(result, LP_UNKNOWN, LP_STRESS_NOTHING, &reason);
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

/* Functions in C, and auto, know operations by their places; histories have names. */
static enum status check_names(const struct exchange_test *test, struct error *error)
{
    bool by_places = test->in_functions || is_auto(test->spec);
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
    if (!test->in_functions && !is_auto(test->spec)) {
        lp_status created = lp_spec_create(context, test->spec, NULL, &stressed->spec, error);
        return created == LP_OK ? open_waiting(stressed, error) : created;
    }
    enum status status =
        test->in_functions
            ? asked_functions_spec(program, (uint32_t)number, test, context->pool, &context->budget,
                                   &spec, &fault)
            : asked_alone_spec(program, (uint32_t)number, test, threads_of(stress->options),
                               context->pool, &context->budget, &spec, &fault);
    if (status == STATUS_OK)
        status = spec_wrap(context, spec, test->spec, NULL, &stressed->spec, &fault);
    return report_status(status, &fault, error);
}

/* Whether rounds with auto have more calls than there may be: then that is said. */
static bool skip_large(const lp_stress_options *options, lp_stress_result *result)
{
    struct text reason = TEXT_EMPTY;
    uint64_t calls = (uint64_t)threads_of(options) * calls_of(options, result->spec);
    if (!is_auto(result->spec) || calls <= ALONE_MOST_CALLS)
        return false;
    text_format(&reason,
                "was not run: with the specification auto rounds have %d calls at most, for every "
                "order of them may have to be run; %u threads with %u each make %" PRIu64,
                ALONE_MOST_CALLS, threads_of(options), calls_of(options, result->spec), calls);
    say(result, LP_UNKNOWN, LP_STRESS_NOTHING, &reason);
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
