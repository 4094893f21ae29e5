#include "api/stressed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "api/tested_names.h"
#include "scenario/asked_alone.h"
#include "scenario/client_calls.h"
#include "scenario/contract.h"
#include "scenario/exchange.h"
#include "scenario/round_text.h"
#include "scenario/waiting.h"

static const double TELLING_SECONDS = 2;

unsigned stressed_threads(const lp_stress_options *options)
{
    return options->threads ? options->threads : 3;
}

bool stressed_is_auto(const char *spec)
{
    return strcmp(spec, "auto") == 0;
}

void stressed_say(lp_stress_result *result, lp_verdict verdict, lp_stress_finding finding,
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
    if (stressed_is_auto(stressed->result->spec))
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
    if (!stressed_is_auto(stressed->result->spec))
        return false;
    enum asked_alone_trouble trouble = asked_alone_trouble(stressed->spec->spec, &sentence);
    if (trouble == ALONE_FINE)
        return false;
    stressed->over = true;
    if (trouble == ALONE_FAULTY)
        text_append(&reason, sentence);
    else
        text_format(&reason, "what the specification auto asks for is not known: %s", sentence);
    stressed_say(stressed->result, trouble == ALONE_FAULTY ? LP_VIOLATION : LP_UNKNOWN,
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
                                 stressed_threads(stressed->stress->options), &text))
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
    return stressed_is_auto(stressed->result->spec)
               ? confirm_with_auto(stressed, round, verdict, error)
               : find_legal(stressed, history, legal, verdict, error);
}

lp_status stressed_decide(struct stressed *stressed, const struct stressing_round *round,
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
    const bool by_auto = stressed_is_auto(result->spec);
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
        stressed_say(result, LP_VIOLATION, LP_STRESS_VIOLATION, &reason);
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
    stressed_say(stressed->result, LP_VIOLATION, LP_STRESS_HANG, &reason);
}

/* Where an operation may wait, that is no finding: the round is over. */
lp_status stressed_decide_hang(struct stressed *stressed, const struct stressing_round *round,
                               bool blocked, lp_error *error)
{
    lp_status status = stressed_decide(stressed, round, error);
    lp_stress_result *result = stressed->result;
    struct text name = TEXT_EMPTY;
    unsigned process = 0;
    bool hangs = !stressed->waits;
    if (status != LP_OK || stressed->over || result->finding != LP_STRESS_NOTHING)
        return status;
    stressed->unlooked +=
        stressed->spec && stressed->spec->spec->class->together_count > 0 && !hangs;
    if (stressed->waiting && hangs && blocked)
        status = find_sleepers(stressed, round, &name, &process, &hangs, error);
    else if (stressed_is_auto(result->spec) || (stressed->waiting && hangs)) {
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

/* " at queue.c:12": the innermost frame whose place is known; the program's own have none. */
static lp_status append_place(const struct stressed *stressed, const char *frames,
                              struct text *reason, lp_error *error)
{
    const void *addresses[EXCHANGE_FRAMES];
    struct place places[EXCHANGE_FRAMES] = {0};
    struct error fault = {0};
    size_t count = 0, at = 0;
    for (char *end; count < EXCHANGE_FRAMES && *frames; frames = end + (*end == '\n'))
        addresses[count++] = (const void *)(uintptr_t)strtoull(frames, &end, 16);
    const struct stress *stress = stressed->stress;
    if (count == 0)
        return LP_OK;
    enum status status = places_find(text_string(&stress->program), addresses, count,
                                     &stress->context->budget, places, &fault);
    while (at < count && !places[at].file)
        at++;
    if (status == STATUS_OK && at < count)
        tested_append_place(&places[at], reason);
    places_release(places, count);
    return status == STATUS_OK ? LP_OK : report_status(status, &fault, error);
}

lp_status stressed_tell_crash(struct stressed *stressed, const struct stressing_round *round,
                              lp_error *error)
{
    lp_status status = LP_OK;
    struct text reason = TEXT_EMPTY;
    if (WIFSIGNALED(round->status)) {
        text_format(&reason, "the code was ended by signal %d (%s)", WTERMSIG(round->status),
                    strsignal(WTERMSIG(round->status)));
        status = append_place(stressed, round->frames, &reason, error);
    } else
        text_format(&reason, "the code ended the process with status %d",
                    WEXITSTATUS(round->status));
    stressed_say(stressed->result, LP_VIOLATION, LP_STRESS_CRASH, &reason);
    return status;
}
