#include "support/heap_follow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What is watched behind a step: of who brings the value of colour 1, and whether the promise is
 * still to come. False: a run in which that is called twice. */
static bool watch(const struct heap_placement *placement, const struct thread_move *move,
                  const struct thread_move *whole, bool takes, bool meets, uint32_t *state,
                  const char *text)
{
    const bool adds = move->operation == placement->adder, first = adds && whole->argument == 1;
    uint32_t watched = *state & 3, last = *state >> 2, *observer = &watched;
    if (move->calls && first) {
        if (*observer != HEAP_WATCH_NOT_CALLED)
            return false;
        *observer = HEAP_WATCH_RUNS;
    }
    if (placement->helps && move->others)
        last = move->brought == 1 ? HEAP_LAST_FIRST : HEAP_LAST_OTHER;
    if (takes && adds)
        last = first ? HEAP_LAST_FIRST : HEAP_LAST_OTHER;
    if (placement->helps && move->others) {
        if (move->others > 1 || move->brought == 0 ||
            (move->brought == 1 && *observer != HEAP_WATCH_RUNS))
            fail_msg("whose point it is does not run, or had one\n%s", text);
        if (move->brought == 1)
            *observer = HEAP_WATCH_ADDED;
    }
    if (meets && (whole->answer != ANSWER_VALUED || whole->result == 0))
        fail_msg("nobody is met\n%s", text);
    if ((takes && first) || (meets && whole->result == 1)) {
        if (*observer != HEAP_WATCH_RUNS)
            fail_msg("who takes effect does not run, or has done so\n%s", text);
        *observer = HEAP_WATCH_ADDED;
    }
    if (move->answer && first && *observer != HEAP_WATCH_ADDED)
        fail_msg("who was to be met was not\n%s", text);
    *state = watched | (placement->moments ? last << 2 : 0);
    return true;
}

/* The state behind an operation, one of them. False: there is none. */
static bool read_one(const struct alphabet *alphabet, const struct thread_move *whole,
                     struct random *random, uint32_t *observer, const char *text)
{
    struct heap_readings readings;
    heap_read_whole(alphabet, *observer, whole, &readings);
    if (readings.accepts)
        fail_msg("%s accepts\n%s", alphabet->automaton->name, text);
    if (readings.count > 0)
        *observer = readings.states[random_below(random, (uint32_t)readings.count)];
    return readings.count > 0;
}

/* One of the letters as which an operation that spans is called, and the state behind it; or the
 * state behind its return. False: there is none. */
static bool read_span(const struct alphabet *alphabet, const struct thread_move *move,
                      struct random *random, uint32_t *observer, uint32_t *promise,
                      const char *text)
{
    if (move->calls) {
        struct heap_called called[MOST_LETTERS];
        const size_t count = heap_read_call(alphabet, *observer, move, called);
        if (count == 0)
            return false;
        const struct heap_called *one = &called[random_below(random, (uint32_t)count)];
        *observer = one->state;
        *promise = heap_promise_of_span(one->letter, move->argument);
    }
    if (move->answer) {
        struct heap_readings readings;
        heap_read_return(alphabet, *observer, heap_promise_letter(*promise), move, &readings);
        *promise = 0;
        if (readings.count == 0)
            return false;
        *observer = readings.states[0];
    }
    if (alphabet->accepting[*observer])
        fail_msg("%s accepts a call or return\n%s", alphabet->automaton->name, text);
    return true;
}

/* What was last written before a state, told to all reads that run and take effect at some moment.
 */
static void tell_last(const struct heap_example *subject, const struct heap_proof *proof,
                      const struct heap_walk *run, uint32_t number, uint32_t observer,
                      uint32_t *promises)
{
    const uint32_t last = observer >> 2;
    for (uint32_t t = 0; t < run->threads && proof->placement && proof->placement->moments; t++) {
        const uint16_t operation =
            thread_system_operation(&subject->system, run->steps[number].local[t]);
        if (operation != UINT16_MAX && proof->placement->points[operation].moment &&
            last != HEAP_LAST_OTHER)
            promises[t] |= 1u << (HEAP_PROMISE_SEEN_SHIFT + last);
    }
}

/* A read that takes effect at some moment answers what was written last at one. */
static void expect_seen(const struct thread_move *move, uint32_t promise, const char *text)
{
    const unsigned last = move->answer == ANSWER_PLAIN ? HEAP_LAST_NOTHING : HEAP_LAST_FIRST;
    if ((move->answer == ANSWER_PLAIN || move->result == 1) &&
        !(promise >> (HEAP_PROMISE_SEEN_SHIFT + last) & 1))
        fail_msg("a read answers what was written last at no moment\n%s", text);
}

/* Looks for the views of all threads. */
static void look_at_views(struct heap_example *subject, const struct heap_proof *proof,
                          const struct heap_walk *run, uint32_t number, uint32_t observer,
                          const uint32_t *promises, const char *text,
                          struct heap_followed *followed)
{
    for (uint32_t t = 0; t < run->threads; t++) {
        struct heap_view view;
        if (!heap_run_view(&subject->runs, &run->steps[number], t, observer, promises[t], &view) ||
            !heap_view_arrange(&proof->steps.shape, &view, NULL))
            continue;
        followed->states++;
        if (!heap_proof_covers(proof, &view))
            fail_msg("%s: step %u, thread %u: not covered, observer %u, promise %x\n%s",
                     proof->alphabet ? proof->alphabet->automaton->name : "no observer", number, t,
                     observer, promises[t], text);
    }
}

void heap_follow(struct heap_example *subject, struct heap_proof *proof,
                 const struct heap_walk *run, struct random *random, const char *text,
                 struct heap_followed *followed)
{
    const struct alphabet *alphabet = proof->alphabet;
    uint32_t observer = proof->initial, promises[HEAP_RUN_THREADS] = {0};
    followed->runs++;
    for (uint32_t i = 0;; i++) {
        const struct heap_walk_step *step = &run->steps[i];
        tell_last(subject, proof, run, i, observer, promises);
        look_at_views(subject, proof, run, i, observer, promises, text, followed);
        if (i == run->length)
            return;
        if (!proof->placement)
            continue;
        const struct thread_move *move = step->move;
        const uint32_t at = heap_run_at(&subject->runs, step);
        uint32_t *promise = &promises[step->thread];
        if (move->calls) {
            if (move->argument && !(alphabet->colours >> move->argument & 1))
                return;
            *promise = heap_promise_of_call(move);
            if (proof->placement->points[move->operation].moment &&
                observer >> 2 != HEAP_LAST_OTHER)
                *promise |= 1u << (HEAP_PROMISE_SEEN_SHIFT + (observer >> 2));
        }
        const struct heap_point *point = &proof->placement->points[move->operation];
        if (point->spans) {
            if (!read_span(alphabet, move, random, &observer, promise, text)) {
                followed->dead++;
                return;
            }
            continue;
        }
        const bool taken = heap_promise_kind(*promise) == HEAP_PROMISE_TAKEN;
        struct thread_move whole =
            step->ends == UINT32_MAX ? run->alone[step->thread] : *run->steps[step->ends].move;
        whole.operation = move->operation;
        whole.argument = heap_promise_argument(*promise);
        const bool takes = point->given
                               ? move->points > 0
                               : (point->always || heap_run_changes(&subject->runs, step)) &&
                                     at == point->changing;
        const bool meets = heap_run_changes(&subject->runs, step) && at == point->meeting;
        const bool is_met = proof->placement->meets && move->operation == proof->placement->adder;
        if (proof->watches &&
            !watch(proof->placement, move, &whole, takes, meets, &observer, text)) {
            followed->dead++;
            return;
        }
        if (!proof->watches && proof->placement->helps && move->others) {
            const struct thread_move helped = heap_met(proof->placement, move->brought);
            if (!read_one(alphabet, &helped, random, &observer, text)) {
                followed->dead++;
                return;
            }
        }
        if (takes || meets) {
            if (!is_met && (taken || (point->given && move->points > 1)))
                fail_msg("an operation takes effect twice\n%s", text);
            const struct thread_move met = heap_met(proof->placement, whole.result);
            if (!proof->watches && ((meets && !read_one(alphabet, &met, random, &observer, text)) ||
                                    !read_one(alphabet, &whole, random, &observer, text))) {
                followed->dead++;
                return;
            }
            if (!proof->watches || !is_met)
                *promise = heap_promise_make(HEAP_PROMISE_TAKEN, &whole);
        } else if (!point->given && at == point->reading && !taken) {
            /* What would be answered here, alone, is not told by what was answered in the end. */
            const struct thread_move alone =
                move->answer ? *move
                             : heap_run_alone(&subject->runs, move->next_shared, move->next_local);
            struct thread_move read = alone;
            read.operation = move->operation;
            read.argument = whole.argument;
            struct heap_readings readings = {.count = 0};
            if (!proof->watches)
                heap_read_whole(alphabet, observer, &read, &readings);
            bool only_reads = readings.count > 0 || (proof->watches && read.answer == ANSWER_PLAIN);
            for (size_t j = 0; j < readings.count; j++)
                only_reads &=
                    readings.states[j] == observer || alphabet->accepting[readings.states[j]];
            *promise &= UINT32_C(0xff) << 18;
            if (only_reads && read.answer)
                *promise |= heap_promise_make(
                    readings.accepts ? HEAP_PROMISE_WRONG : HEAP_PROMISE_RIGHT, &read);
        }
        if (point->moment && observer >> 2 != HEAP_LAST_OTHER)
            *promise |= 1u << (HEAP_PROMISE_SEEN_SHIFT + (observer >> 2));
        if (move->answer && point->moment) {
            expect_seen(move, *promise, text);
            *promise = 0;
        } else if (move->answer) {
            const bool finds_nothing = point->settles && move->answer == ANSWER_PLAIN &&
                                       heap_promise_kind(*promise) == HEAP_PROMISE_NONE;
            if (!is_met && !finds_nothing &&
                (heap_promise_kind(*promise) == HEAP_PROMISE_NONE ||
                 heap_promise_kind(*promise) == HEAP_PROMISE_WRONG ||
                 !heap_promise_is(*promise, move)))
                fail_msg("an answer is not what was promised\n%s", text);
            *promise = 0;
        }
    }
}
