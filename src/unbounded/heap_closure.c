#include "unbounded/heap_closure.h"

#include <string.h>

#include "unbounded/heap_marked.h"

#define NONE UINT32_MAX

/* ---- the set of views ---- */

void heap_closure_fail(struct heap_proof *proof, enum heap_failure_kind kind, uint16_t operation,
                       uint32_t at, uint32_t view)
{
    if (proof->failure.kind == HEAP_PROVED)
        proof->failure = (struct heap_failure){
            .kind = kind, .operation = operation, .at = at, .view = view, .reason = ""};
}

void heap_closure_fail_for_size(struct heap_proof *proof, uint32_t view, const char *reason)
{
    heap_closure_fail(proof, HEAP_TOO_LARGE, 0, 0, view);
    if (proof->failure.kind == HEAP_TOO_LARGE)
        proof->failure.reason = reason;
}

static bool find_group(struct heap_proof *proof, const struct heap_view *view, uint32_t *group)
{
    uint32_t words[HEAP_MOST_WORDS];
    const size_t count = heap_view_cut(&proof->steps.shape, view, words);
    const size_t known = proof->groups.items.length;
    *group = word_arrays_intern(&proof->groups, words, count, NULL);
    return *group != NONE && (*group < known || (vector_push(&proof->first_view, NONE) &&
                                                 vector_push(&proof->first_effect, NONE)));
}

/* Of an instruction, + 1. */
static uint32_t operation_at(const struct heap_proof *proof, uint32_t at)
{
    const struct lin_steps *code = proof->steps.shape.steps;
    return (uint32_t)(entry_at(code, at - 1) - code->entries);
}

struct adding {
    struct heap_proof *proof;
    uint32_t from;
};

static void add_refined(void *user, struct heap_view *view)
{
    const struct adding *adding = user;
    struct heap_proof *proof = adding->proof;
    uint32_t words[HEAP_MOST_WORDS];
    if (proof->failure.kind != HEAP_PROVED)
        return;
    if (!heap_view_arrange(&proof->steps.shape, view, NULL)) {
        heap_closure_fail_for_size(proof, adding->from, "a thread sees too many nodes that differ");
        return;
    }
    const size_t known = proof->views.items.length;
    const uint32_t number = word_arrays_intern(
        &proof->views, words, heap_view_write(&proof->steps.shape, view, words), NULL);
    if (number == NONE) {
        proof->refused = true;
        return;
    }
    if (number < known)
        return;
    const uint32_t at = proof->cause.at;
    if (proof->steps.shape.marks && !heap_marked_is_whole(&proof->steps.shape, view))
        heap_closure_fail(proof, HEAP_LOST, (uint16_t)(at ? operation_at(proof, at) : 0), at,
                          adding->from);
    uint32_t group;
    proof->refused |=
        !find_group(proof, view, &group) || !vector_push(&proof->parents, adding->from) ||
        !vector_push(&proof->causes, proof->cause) || !vector_push(&proof->group_of, group) ||
        !vector_push(&proof->next_view, proof->first_view.items[group]);
    if (!proof->refused)
        proof->first_view.items[group] = number;
}

uint32_t heap_closure_operation(const struct heap_proof *proof, const struct heap_view *view)
{
    return operation_at(proof, view->thread[LIN_THREAD_AT]);
}

/* Whether an operation that has not taken effect never can, in a run that the automaton accepts:
 * it would add a value that is there already. */
bool heap_closure_is_dead(const struct heap_proof *proof, const struct heap_view *view)
{
    if (!proof->alphabet || proof->steps.shape.marks || proof->placement->meets ||
        heap_promise_is_span(view->promise) || !heap_promise_argument(view->promise) ||
        heap_promise_kind(view->promise) == HEAP_PROMISE_TAKEN)
        return false;
    return !proof->adds[heap_closure_operation(proof, view)][heap_promise_argument(view->promise)]
                       [view->observer];
}

/* The promise of an operation, with what the specification could answer in a state without changing
 * it. */
uint32_t heap_closure_see(struct heap_proof *proof, uint32_t operation, uint32_t state,
                          uint32_t promise)
{
    uint32_t next = 0;
    uint8_t answer = HEAP_IMPOSSIBLE;
    const uint8_t argument = heap_promise_argument(promise);
    if (heap_promise_kind(promise) == HEAP_PROMISE_TAKEN || argument == HEAP_INDIFFERENT)
        return promise;
    const struct heap_specification *specification = proof->specification;
    proof->refused |= !specification->run(specification->user, state, (uint16_t)operation, argument,
                                          &next, &answer);
    const bool only_reads = answer != HEAP_IMPOSSIBLE && next == state;
    return promise | (uint32_t)only_reads << (HEAP_PROMISE_SEEN_SHIFT + (answer & 7));
}

/* The promise of a read that takes effect at some moment, with what was written last. */
uint32_t heap_closure_see_written(const struct heap_proof *proof, uint32_t operation,
                                  uint32_t state, uint32_t promise)
{
    const enum heap_last_write written = heap_last_write_of(state);
    if (!proof->watches || !proof->placement->points[operation].moment ||
        written == HEAP_LAST_OTHER)
        return promise;
    return promise | UINT32_C(1) << (HEAP_PROMISE_SEEN_SHIFT + (uint32_t)written);
}

void heap_closure_add(struct heap_proof *proof, const struct heap_view *view, uint32_t from)
{
    struct adding adding = {proof, from};
    struct heap_view seen;
    heap_view_copy(&seen, view);
    if (proof->specification && proof->placement && view->thread[LIN_THREAD_AT])
        seen.promise = heap_closure_see(proof, heap_closure_operation(proof, view), view->observer,
                                        view->promise);
    if (proof->watches && view->thread[LIN_THREAD_AT])
        seen.promise = heap_closure_see_written(proof, heap_closure_operation(proof, view),
                                                view->observer, view->promise);
    if (proof->steps.shape.marks && view->observer == 0)
        seen.promise &= ~(uint32_t)HEAP_MARKED_COVERED;
    if (!heap_closure_is_dead(proof, view))
        heap_view_refine(&proof->steps.shape, &seen, add_refined, &adding);
}

void heap_closure_get(const struct heap_proof *proof, uint32_t number, struct heap_view *view)
{
    size_t count;
    heap_view_read(&proof->steps.shape, word_arrays_get(&proof->views, number, &count), view);
}

/* ---- effects ---- */

static void add_cut(void *user, const struct heap_effect *cut)
{
    struct heap_proof *proof = user;
    struct heap_effect of_thread = *cut, *effect = &of_thread;
    effect->by_bringer = proof->acts_alone;
    uint32_t words[HEAP_MOST_EFFECT_WORDS], group;
    const size_t known = proof->effect_words.items.length;
    const uint32_t number = word_arrays_intern(
        &proof->effect_words, words, heap_effect_write(&proof->steps.shape, effect, words), NULL);
    if (number != NONE && number < known)
        return;
    struct heap_ready_effect *kept =
        number == NONE ? NULL : heap_effect_prepare(&proof->steps.shape, effect, &proof->arena);
    if (!kept || !find_group(proof, &effect->before, &group) ||
        !vector_push(&proof->effects, kept) ||
        !vector_push(&proof->next_effect, proof->first_effect.items[group]) ||
        !vector_push(&proof->effect_group, group) ||
        !vector_push(&proof->effect_at, proof->cause.at)) {
        proof->refused = true;
        return;
    }
    proof->first_effect.items[group] = number;
}

static void add_effect(struct heap_proof *proof, const struct heap_step *step, uint32_t observer,
                       uint32_t from)
{
    if (heap_effect_make(&proof->steps.shape, step, observer, add_cut, proof) == HEAP_CUT_TOO_LARGE)
        heap_closure_fail_for_size(proof, from, "a step changes too much at once");
}

/* Whether an operation brings the value that is watched. */
bool heap_closure_is_first(const struct heap_proof *proof, uint32_t operation, uint32_t promise)
{
    return proof->watches && operation == proof->placement->adder &&
           heap_promise_argument(promise) == 1;
}

/* The value that only this operation brings, in the runs that are followed: another one that is
 * called with it is no more read. 0: there is none. */
static uint8_t brings_alone(const struct heap_proof *proof, uint32_t operation, uint32_t promise)
{
    if (heap_closure_is_first(proof, operation, promise))
        return 1;
    const uint8_t argument = heap_promise_argument(promise);
    return heap_promise_is_span(promise) && proof->once >> argument & 1 ? argument : 0;
}

/* The views from a number on are several that one may be. */
static void doubt(struct heap_proof *proof, size_t first)
{
    for (size_t i = first; i < proof->causes.length; i++)
        proof->causes.items[i].is_doubtful = true;
}

struct target {
    struct heap_proof *proof;
    uint32_t view;
    uint32_t count; /* of what the effect makes of it */
};

static void add_changed(void *user, const struct heap_view *view)
{
    struct target *target = user;
    target->proof->merges++;
    target->count++;
    heap_closure_add(target->proof, view, target->view);
}

/* Ends the proof where a limit is reached; looked at now and then. */
bool heap_closure_is_out_of_time(struct heap_proof *proof)
{
    if (proof->looked++ % 64 == 0 && limits_reached(proof->limits) != LIMIT_NONE)
        heap_closure_fail(proof, HEAP_LIMIT, 0, 0, 0);
    return proof->failure.kind != HEAP_PROVED;
}

void heap_closure_apply(struct heap_proof *proof, uint32_t effect, uint32_t number)
{
    if (heap_closure_is_out_of_time(proof))
        return;
    struct heap_view view;
    struct target target = {proof, number, 0};
    const size_t known = proof->causes.length;
    proof->cause = (struct heap_cause){.at = proof->effect_at.items[effect], .is_other = true};
    heap_closure_get(proof, number, &view);
    const uint8_t bringer = proof->effects.items[effect]->effect.by_bringer;
    if (bringer && view.thread[LIN_THREAD_AT] &&
        brings_alone(proof, heap_closure_operation(proof, &view), view.promise) == bringer)
        return; /* there is one of them */
    if (!heap_effect_apply(&proof->steps.shape, proof->effects.items[effect], &view, add_changed,
                           &target))
        heap_closure_fail_for_size(proof, number, "threads see too many nodes that differ");
    if (target.count > 1)
        doubt(proof, known);
}

/* ---- steps ---- */

/* The view behind a step, and what others see of it. */
void heap_closure_emit(const struct heap_taking *taking, const struct heap_step *step,
                       uint32_t observer, uint32_t promise)
{
    struct heap_view after;
    heap_view_copy(&after, step->after);
    taking->proof->cause =
        (struct heap_cause){.at = step->at, .is_doubtful = step->before != taking->view};
    after.observer = observer;
    after.promise = after.thread[LIN_THREAD_AT] ? promise : 0;
    taking->proof->acts_alone = taking->proof->steps.shape.marks
                                    ? 0
                                    : brings_alone(taking->proof, step->move.operation, promise);
    add_effect(taking->proof, step, observer, taking->number);
    heap_closure_add(taking->proof, &after, taking->number);
}
