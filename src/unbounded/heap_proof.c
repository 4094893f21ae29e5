#include "unbounded/heap_proof.h"

#include <string.h>

#include "unbounded/heap_alone.h"
#include "unbounded/heap_marked.h"
#include "unbounded/heap_spans.h"

#define NONE UINT32_MAX

/* ---- the set of views ---- */

void heap_proof_init(struct heap_proof *proof, struct thread_system *system,
                     const struct heap_shape *shape, const struct alphabet *alphabet,
                     const struct heap_placement *placement, struct budget *budget,
                     const struct limits *limits, struct error *error)
{
    *proof = (struct heap_proof){.alphabet = alphabet,
                                 .placement = placement,
                                 .initial = alphabet ? alphabet->automaton->initial : 0,
                                 .budget = budget,
                                 .limits = limits,
                                 .error = error};
    heap_steps_init(&proof->steps, system, shape, budget);
    proof->steps.shape.plain = alphabet ? 31 - (uint32_t)__builtin_clz(alphabet->colours) : 1;
    word_arrays_init(&proof->views, budget);
    word_arrays_init(&proof->groups, budget);
    word_arrays_init(&proof->effect_words, budget);
    vectors_init(budget, &proof->parents, &proof->group_of, &proof->next_view, &proof->first_view,
                 &proof->effects, &proof->next_effect);
    vectors_init(budget, &proof->first_effect, &proof->effect_group, &proof->candidates);
    vectors_init(budget, &proof->causes, &proof->effect_at);
    arena_init(&proof->arena, budget);
}

void heap_proof_watch(struct heap_proof *proof)
{
    proof->watches = true;
    proof->initial = HEAP_WATCH_NOT_CALLED;
}

void heap_proof_release(struct heap_proof *proof)
{
    heap_steps_release(&proof->steps);
    word_arrays_release(&proof->views);
    word_arrays_release(&proof->groups);
    word_arrays_release(&proof->effect_words);
    vectors_release(&proof->parents, &proof->group_of, &proof->next_view, &proof->first_view,
                    &proof->effects, &proof->next_effect);
    vectors_release(&proof->first_effect, &proof->effect_group, &proof->candidates);
    vectors_release(&proof->causes, &proof->effect_at);
    arena_release(&proof->arena);
}

static void fail(struct heap_proof *proof, enum heap_failure_kind kind, uint16_t operation,
                 uint32_t at, uint32_t view)
{
    if (proof->failure.kind == HEAP_PROVED)
        proof->failure = (struct heap_failure){
            .kind = kind, .operation = operation, .at = at, .view = view, .reason = ""};
}

static void fail_for_size(struct heap_proof *proof, uint32_t view, const char *reason)
{
    fail(proof, HEAP_TOO_LARGE, 0, 0, view);
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
        fail_for_size(proof, adding->from, "a thread sees too many nodes that differ");
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
        fail(proof, HEAP_LOST, (uint16_t)(at ? operation_at(proof, at) : 0), at, adding->from);
    uint32_t group;
    proof->refused |=
        !find_group(proof, view, &group) || !vector_push(&proof->parents, adding->from) ||
        !vector_push(&proof->causes, proof->cause) || !vector_push(&proof->group_of, group) ||
        !vector_push(&proof->next_view, proof->first_view.items[group]);
    if (!proof->refused)
        proof->first_view.items[group] = number;
}

static uint32_t operation_of(const struct heap_proof *proof, const struct heap_view *view)
{
    return operation_at(proof, view->thread[LIN_THREAD_AT]);
}

/* Whether an operation that has not taken effect never can, in a run that the automaton accepts:
 * it would add a value that is there already. */
static bool is_dead(const struct heap_proof *proof, const struct heap_view *view)
{
    if (!proof->alphabet || proof->steps.shape.marks || proof->placement->meets ||
        heap_promise_is_span(view->promise) || !heap_promise_argument(view->promise) ||
        heap_promise_kind(view->promise) == HEAP_PROMISE_TAKEN)
        return false;
    return !proof->adds[operation_of(proof, view)][heap_promise_argument(view->promise)]
                       [view->observer];
}

/* The promise of an operation, with what the specification could answer in a state without changing
 * it. */
static uint32_t see(struct heap_proof *proof, uint32_t operation, uint32_t state, uint32_t promise)
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

static void add_view(struct heap_proof *proof, const struct heap_view *view, uint32_t from)
{
    struct adding adding = {proof, from};
    struct heap_view seen;
    heap_view_copy(&seen, view);
    if (proof->specification && proof->placement && view->thread[LIN_THREAD_AT])
        seen.promise = see(proof, operation_of(proof, view), view->observer, view->promise);
    if (proof->steps.shape.marks && view->observer == 0)
        seen.promise &= ~(uint32_t)HEAP_MARKED_COVERED;
    if (!is_dead(proof, view))
        heap_view_refine(&proof->steps.shape, &seen, add_refined, &adding);
}

bool heap_proof_covers(const struct heap_proof *proof, const struct heap_view *view)
{
    uint32_t words[HEAP_MOST_WORDS];
    if (is_dead(proof, view))
        return true;
    const size_t count = heap_view_write(&proof->steps.shape, view, words);
    return word_arrays_find(&proof->views, words, count) != NONE;
}

static void get_view(const struct heap_proof *proof, uint32_t number, struct heap_view *view)
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
        fail_for_size(proof, from, "a step changes too much at once");
}

/* Whether an operation brings the value that is watched. */
static bool is_first(const struct heap_proof *proof, uint32_t operation, uint32_t promise)
{
    return proof->watches && operation == proof->placement->adder &&
           heap_promise_argument(promise) == 1;
}

/* The value that only this operation brings, in the runs that are followed: another one that is
 * called with it is no more read. 0: there is none. */
static uint8_t brings_alone(const struct heap_proof *proof, uint32_t operation, uint32_t promise)
{
    if (is_first(proof, operation, promise))
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
    add_view(target->proof, view, target->view);
}

/* Ends the proof where a limit is reached; looked at now and then. */
static bool is_out_of_time(struct heap_proof *proof)
{
    if (proof->looked++ % 64 == 0 && limits_reached(proof->limits) != LIMIT_NONE)
        fail(proof, HEAP_LIMIT, 0, 0, 0);
    return proof->failure.kind != HEAP_PROVED;
}

static void apply(struct heap_proof *proof, uint32_t effect, uint32_t number)
{
    if (is_out_of_time(proof))
        return;
    struct heap_view view;
    struct target target = {proof, number, 0};
    const size_t known = proof->causes.length;
    proof->cause = (struct heap_cause){.at = proof->effect_at.items[effect], .is_other = true};
    get_view(proof, number, &view);
    const uint8_t bringer = proof->effects.items[effect]->effect.by_bringer;
    if (bringer && view.thread[LIN_THREAD_AT] &&
        brings_alone(proof, operation_of(proof, &view), view.promise) == bringer)
        return; /* there is one of them */
    if (!heap_effect_apply(&proof->steps.shape, proof->effects.items[effect], &view, add_changed,
                           &target))
        fail_for_size(proof, number, "threads see too many nodes that differ");
    if (target.count > 1)
        doubt(proof, known);
}

/* ---- points ---- */

/* Sets what the operation of a step will answer, or has. False if that is not known. */
static bool find_answer(struct heap_proof *proof, const struct heap_step *step,
                        struct thread_move *answer)
{
    return heap_answer_alone(&proof->steps, step, answer, &proof->refused, proof->error);
}

struct taking {
    struct heap_proof *proof;
    uint32_t view;
    const struct heap_view *of; /* that view */
};

/* The view behind a step, and what others see of it. */
static void emit(const struct taking *taking, const struct heap_step *step, uint32_t observer,
                 uint32_t promise)
{
    struct heap_view after;
    heap_view_copy(&after, step->after);
    taking->proof->cause =
        (struct heap_cause){.at = step->at, .is_doubtful = step->before != taking->of};
    after.observer = observer;
    after.promise = after.thread[LIN_THREAD_AT] ? promise : 0;
    taking->proof->acts_alone = taking->proof->steps.shape.marks
                                    ? 0
                                    : brings_alone(taking->proof, step->move.operation, promise);
    add_effect(taking->proof, step, observer, taking->view);
    add_view(taking->proof, &after, taking->view);
}

/* Whether what is answered is what was promised. */
static bool is_kept(struct heap_proof *proof, const struct taking *taking,
                    const struct heap_step *step, uint32_t promise)
{
    const struct thread_move *move = &step->move;
    enum heap_failure_kind kind = HEAP_PROVED;
    if (move->answer == ANSWER_NONE)
        return true;
    switch (heap_promise_kind(promise)) {
    case HEAP_PROMISE_TAKEN:
        kind = heap_promise_is(promise, move) ? HEAP_PROVED : HEAP_OTHER_ANSWER;
        break;
    case HEAP_PROMISE_RIGHT:
        kind = heap_promise_is(promise, move) ? HEAP_PROVED : HEAP_NO_EFFECT;
        break;
    case HEAP_PROMISE_WRONG:
        kind = heap_promise_is(promise, move) ? HEAP_WRONG_EMPTY : HEAP_NO_EFFECT;
        break;
    default:
        if (!proof->placement->points[move->operation].settles || move->answer != ANSWER_PLAIN)
            kind = HEAP_NO_EFFECT;
        break;
    }
    if (kind != HEAP_PROVED)
        fail(proof, kind, move->operation, step->at, taking->view);
    return kind == HEAP_PROVED;
}

/* Whether an operation that takes effect in this step has done so before. */
static bool is_second(const struct heap_proof *proof, const struct heap_step *step,
                      uint32_t promise)
{
    return heap_promise_kind(promise) == HEAP_PROMISE_TAKEN ||
           (proof->placement->points[step->move.operation].given && step->move.points > 1);
}

/* Whether an operation is one that is met. Then others may say where it takes effect, and whether
 * it does once is watched, not looked for beside each automaton. */
static bool is_met(const struct heap_proof *proof, const struct heap_step *step)
{
    return proof->placement->meets && step->move.operation == proof->placement->adder;
}

/* An operation takes effect in a state of the automaton. */
static void take_in(const struct taking *taking, const struct heap_step *step, uint32_t state,
                    const struct thread_move *whole)
{
    struct heap_proof *proof = taking->proof;
    struct heap_readings readings;
    heap_read_whole(proof->alphabet, state, whole, &readings);
    if (readings.accepts || method_roles_forbid(proof->alphabet->roles, whole)) {
        fail(proof, readings.accepts ? HEAP_ACCEPTED : HEAP_FAULT, step->move.operation, step->at,
             taking->view);
        return;
    }
    const uint32_t taken = heap_promise_make(HEAP_PROMISE_TAKEN, whole);
    for (size_t i = 0; i < readings.count; i++)
        if (is_kept(proof, taking, step, taken))
            emit(taking, step, readings.states[i], taken);
}

/* Who is met takes effect first. */
static void take_behind_met(const struct taking *taking, const struct heap_step *step,
                            const struct thread_move *whole)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move met = heap_met(proof->placement, whole);
    struct heap_readings readings;
    if (whole->answer != ANSWER_VALUED || !whole->result) {
        fail(proof, HEAP_NOT_MET, step->move.operation, step->at, taking->view);
        return;
    }
    heap_read_whole(proof->alphabet, step->before->observer, &met, &readings);
    if (readings.accepts)
        fail(proof, HEAP_ACCEPTED, step->move.operation, step->at, taking->view);
    for (size_t i = 0; i < readings.count && !readings.accepts; i++)
        take_in(taking, step, readings.states[i], whole);
}

static void take_effect(const struct taking *taking, const struct heap_step *step, uint32_t promise,
                        bool meets)
{
    struct heap_proof *proof = taking->proof;
    struct thread_move whole;
    if (is_second(proof, step, promise) && !is_met(proof, step)) {
        fail(proof, HEAP_SECOND_EFFECT, step->move.operation, step->at, taking->view);
        return;
    }
    if (!find_answer(proof, step, &whole)) {
        fail(proof, HEAP_OPEN_ANSWER, step->move.operation, step->at, taking->view);
        return;
    }
    whole.argument = heap_promise_argument(promise);
    if (meets)
        take_behind_met(taking, step, &whole);
    else
        take_in(taking, step, step->before->observer, &whole);
}

/* What would be answered behind a step that reads, and whether that is right. */
static uint32_t look(const struct taking *taking, const struct heap_step *step, uint32_t promise)
{
    struct heap_proof *proof = taking->proof;
    struct thread_move whole;
    struct heap_readings readings;
    if (heap_promise_kind(promise) == HEAP_PROMISE_TAKEN)
        return promise;
    const uint32_t unknown = promise & UINT32_C(0xff) << 18;
    if (!find_answer(proof, step, &whole))
        return unknown;
    whole.argument = heap_promise_argument(promise);
    heap_read_whole(proof->alphabet, step->before->observer, &whole, &readings);
    for (size_t i = 0; i < readings.count; i++)
        if (readings.states[i] != step->before->observer &&
            !proof->alphabet->accepting[readings.states[i]])
            return unknown;
    if (readings.count == 0)
        return unknown;
    return unknown |
           heap_promise_make(readings.accepts ? HEAP_PROMISE_WRONG : HEAP_PROMISE_RIGHT, &whole);
}

static bool add_candidate(struct heap_proof *proof, struct heap_candidate candidate)
{
    for (size_t i = 0; i < proof->candidates.length; i++) {
        struct heap_candidate *known = &proof->candidates.items[i];
        if (known->operation == candidate.operation && known->at == candidate.at) {
            known->changes |= candidate.changes;
            known->given |= candidate.given;
            return true;
        }
    }
    return vector_push(&proof->candidates, candidate);
}

/* Which booleans become false. */
static void note_released(struct heap_proof *proof, const struct heap_step *step)
{
    const struct heap_view *before = step->before, *after = step->after;
    for (uint32_t i = 0; i < HEAP_MOST_SHARED && i < proof->steps.shape.steps->heap_first; i++)
        proof->released |= (uint32_t)(before->shared[i] && !after->shared[i]) << i;
    for (uint32_t n = 0; n < before->count; n++)
        for (uint32_t i = 0; i < proof->steps.shape.fields[before->nodes[n].pool]; i++)
            if (before->nodes[n].fields[i] && !after->nodes[n].fields[i])
                proof->released_fields[before->nodes[n].pool] |= (uint8_t)(1u << i);
}

/* Without an observer. */
static void note_candidate(const struct taking *taking, const struct heap_step *step, bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct heap_specification *specification = proof->specification;
    proof->refused |=
        !add_candidate(proof, (struct heap_candidate){.operation = step->move.operation,
                                                      .at = step->at,
                                                      .changes = changes,
                                                      .given = step->move.points > 0});
    if (specification && step->move.calls)
        proof->refused |= !specification->meet(specification->user, &step->move);
    note_released(proof, step);
    emit(taking, step, 0, 0);
}

/* Whether what is answered is what the specification has, or could have. */
static bool is_specified(struct heap_proof *proof, const struct taking *taking,
                         const struct heap_step *step, uint32_t promise)
{
    const struct heap_specification *specification = proof->specification;
    const bool taken = heap_promise_kind(promise) == HEAP_PROMISE_TAKEN;
    uint32_t answers = 0;
    if (step->move.answer == ANSWER_NONE || heap_promise_argument(promise) == HEAP_INDIFFERENT)
        return true;
    proof->refused |= !specification->read_answer(specification->user, &step->move, &answers);
    const uint32_t right =
        taken ? UINT32_C(1) << heap_promise_answer(promise) : heap_promise_seen(promise);
    if (!(answers & right))
        fail(proof, taken ? HEAP_OTHER_ANSWER : HEAP_NO_EFFECT, step->move.operation, step->at,
             taking->view);
    return answers & right;
}

static void take_specified(const struct taking *taking, const struct heap_step *step, bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct heap_specification *specification = proof->specification;
    const struct thread_move *move = &step->move;
    uint32_t promise = step->before->promise, observer = step->before->observer;
    if (move->calls) {
        uint8_t argument = 0;
        proof->refused |= !specification->read_call(specification->user, move, &argument);
        promise = heap_promise_of_argument(argument);
        promise = see(proof, move->operation, observer, promise);
    }
    const uint8_t argument = heap_promise_argument(promise);
    const struct heap_point *point = &proof->placement->points[move->operation];
    if (heap_point_is_at(point, move, step->at, changes) && argument != HEAP_INDIFFERENT) {
        uint32_t next = 0;
        uint8_t answer = HEAP_IMPOSSIBLE;
        if (is_second(proof, step, promise)) {
            fail(proof, HEAP_SECOND_EFFECT, move->operation, step->at, taking->view);
            return;
        }
        proof->refused |= !specification->run(specification->user, observer, move->operation,
                                              argument, &next, &answer);
        if (answer != HEAP_IMPOSSIBLE) {
            observer = next;
            promise = heap_promise_answered(answer);
        }
    }
    if (is_specified(proof, taking, step, promise))
        emit(taking, step, observer, promise);
}

/* What is promised where an operation last reads, if it finds nothing. */
static uint32_t look_watched(struct heap_proof *proof, const struct heap_step *step,
                             uint32_t promise)
{
    struct thread_move whole;
    const uint32_t argument = promise & UINT32_C(0xff) << 18;
    if (heap_promise_kind(promise) == HEAP_PROMISE_TAKEN)
        return promise;
    if (!find_answer(proof, step, &whole) || whole.answer != ANSWER_PLAIN)
        return argument;
    return argument | heap_promise_make(HEAP_PROMISE_RIGHT, &whole);
}

/* The state of what is watched behind a step in which an operation takes effect. */
static enum heap_failure_kind watch_effect(struct heap_proof *proof, const struct heap_step *step,
                                           bool meets, uint32_t *promise, uint32_t *observer)
{
    struct thread_move whole;
    const bool adds = is_met(proof, step), first = is_first(proof, step->move.operation, *promise);
    if ((!adds && heap_promise_kind(*promise) == HEAP_PROMISE_TAKEN) ||
        (first && *observer != HEAP_WATCH_RUNS))
        return HEAP_SECOND_EFFECT;
    if (!find_answer(proof, step, &whole))
        return HEAP_OPEN_ANSWER;
    if (method_roles_forbid(proof->alphabet->roles, &whole))
        return HEAP_FAULT;
    if (meets && (whole.answer != ANSWER_VALUED || !whole.result ||
                  (whole.result == 1 && *observer != HEAP_WATCH_RUNS)))
        return HEAP_NOT_MET;
    if (first || (meets && whole.result == 1))
        *observer = HEAP_WATCH_ADDED;
    if (!adds)
        *promise = heap_promise_make(HEAP_PROMISE_TAKEN, &whole);
    return HEAP_PROVED;
}

static void take_watched(const struct taking *taking, const struct heap_step *step, bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    const struct heap_point *point = &proof->placement->points[move->operation];
    const bool meets = heap_point_meets(point, step->at, changes);
    uint32_t promise = move->calls ? heap_promise_of_call(move) : step->before->promise;
    uint32_t observer = step->before->observer;
    const bool first = is_first(proof, move->operation, promise);
    if (move->calls && first) {
        if (observer != HEAP_WATCH_NOT_CALLED)
            return; /* each value is brought once */
        observer = HEAP_WATCH_RUNS;
    }
    enum heap_failure_kind kind = HEAP_PROVED;
    if (meets || heap_point_is_at(point, move, step->at, changes))
        kind = watch_effect(proof, step, meets, &promise, &observer);
    else if (!point->given && step->at == point->reading)
        promise = look_watched(proof, step, promise);
    if (kind == HEAP_PROVED && is_met(proof, step) && move->answer != ANSWER_NONE)
        kind = move->answer != ANSWER_PLAIN            ? HEAP_OTHER_ANSWER
               : first && observer != HEAP_WATCH_ADDED ? HEAP_NO_EFFECT
                                                       : HEAP_PROVED;
    if (kind != HEAP_PROVED)
        fail(proof, kind, move->operation, step->at, taking->view);
    else if (is_met(proof, step) || is_kept(proof, taking, step, promise))
        emit(taking, step, observer, promise);
}

/* A step of an operation that spans, in a state that has read its call. */
static void go_on_spanning(const struct taking *taking, const struct heap_step *step,
                           uint32_t state, uint32_t promise)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    struct heap_readings readings = {.states = {state}, .count = 1};
    if (method_roles_forbid(proof->alphabet->roles, move)) {
        fail(proof, HEAP_FAULT, move->operation, step->at, taking->view);
        return;
    }
    if (move->answer != ANSWER_NONE)
        heap_read_return(proof->alphabet, state, heap_promise_letter(promise), move, &readings);
    if (readings.accepts || proof->alphabet->accepting[state])
        fail(proof, HEAP_ACCEPTED, move->operation, step->at, taking->view);
    for (size_t i = 0; i < readings.count && proof->failure.kind == HEAP_PROVED; i++)
        emit(taking, step, readings.states[i], promise);
}

static void take_spanning(const struct taking *taking, const struct heap_step *step)
{
    const struct thread_move *move = &step->move;
    struct heap_called called[MOST_LETTERS];
    if (!move->calls) {
        go_on_spanning(taking, step, step->before->observer, step->before->promise);
        return;
    }
    if (!move->argument ||
        method_roles_of(taking->proof->alphabet->roles, move->operation) != 1u << METHOD_ADDS) {
        fail(taking->proof, HEAP_FAULT, move->operation, step->at, taking->view);
        return;
    }
    const size_t count =
        heap_read_call(taking->proof->alphabet, step->before->observer, move, called);
    for (size_t i = 0; i < count; i++)
        go_on_spanning(taking, step, called[i].state,
                       heap_promise_of_span(called[i].letter, move->argument));
}

/* ---- values that are marked ---- */

static void emit_way(void *user, const struct heap_step *step, uint32_t observer, uint32_t promise)
{
    emit(user, step, observer, promise);
}

static void take_marked(const struct taking *taking, const struct heap_step *step, bool changes)
{
    static const enum heap_failure_kind kinds[] = {
        [HEAP_MARKED_PROVED] = HEAP_PROVED,       [HEAP_MARKED_ANSWER] = HEAP_FAULT,
        [HEAP_MARKED_NOTHING] = HEAP_NO_EFFECT,   [HEAP_MARKED_TWICE] = HEAP_SECOND_EFFECT,
        [HEAP_MARKED_OTHER] = HEAP_OTHER_ANSWER,  [HEAP_MARKED_OPEN] = HEAP_OPEN_ANSWER,
        [HEAP_MARKED_BREAKS] = HEAP_ACCEPTED,     [HEAP_MARKED_LOST] = HEAP_LOST,
        [HEAP_MARKED_MISPLACED] = HEAP_MISPLACED,
    };
    struct heap_proof *proof = taking->proof;
    const struct heap_point *point = &proof->placement->points[step->move.operation];
    const struct heap_marked_user user = {emit_way, (void *)taking};
    const bool settles = point->settles && changes && step->at == point->changing;
    struct thread_move whole;
    if (settles && !find_answer(proof, step, &whole))
        whole.answer = ANSWER_NONE;
    const enum heap_marked_failure failure = heap_marked_step(
        &proof->steps.shape, proof->alphabet->roles, step, settles ? &whole : NULL, &user);
    if (failure == HEAP_MARKED_NO_ROOM)
        fail_for_size(proof, taking->view, "a value below others is marked where there is no room");
    else if (failure != HEAP_MARKED_PROVED)
        fail(proof, kinds[failure], step->move.operation, step->at, taking->view);
}

static bool take_step(void *user, const struct heap_step *step)
{
    const struct taking *taking = user;
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    const uint32_t at = step->at;
    if (move->calls && move->argument &&
        !(proof->alphabet ? proof->alphabet->colours >> move->argument & 1 : move->argument == 1))
        return true;
    if (move->ending) {
        fail(proof, HEAP_FAULT, move->operation, step->at, taking->view);
        return false;
    }
    const bool changes = heap_step_changes(&proof->steps.shape, step);
    if (!proof->placement) {
        note_candidate(taking, step, changes);
        return proof->failure.kind == HEAP_PROVED;
    }
    if (proof->specification) {
        take_specified(taking, step, changes);
        return proof->failure.kind == HEAP_PROVED;
    }
    if (proof->watches) {
        take_watched(taking, step, changes);
        return proof->failure.kind == HEAP_PROVED;
    }
    if (proof->steps.shape.marks) {
        take_marked(taking, step, changes);
        return proof->failure.kind == HEAP_PROVED;
    }
    const struct heap_point *point = &proof->placement->points[move->operation];
    if (point->spans) {
        take_spanning(taking, step);
        return proof->failure.kind == HEAP_PROVED;
    }
    uint32_t promise = move->calls ? heap_promise_of_call(move) : step->before->promise;
    const bool meets = heap_point_meets(point, at, changes);
    if (meets || heap_point_is_at(point, move, at, changes)) {
        take_effect(taking, step, promise, meets);
        return proof->failure.kind == HEAP_PROVED;
    }
    if (!point->given && at == point->reading)
        promise = look(taking, step, promise);
    if (is_met(proof, step) || is_kept(proof, taking, step, promise))
        emit(taking, step, step->before->observer, promise);
    return proof->failure.kind == HEAP_PROVED;
}

/* ---- closing ---- */

static enum status expand(struct heap_proof *proof, uint32_t number)
{
    struct heap_view view;
    struct taking taking = {.proof = proof, .view = number, .of = &view};
    get_view(proof, number, &view);
    TRY(heap_steps_of(&proof->steps, &view, take_step, &taking, proof->error));
    if (proof->steps.failure)
        fail_for_size(proof, number, proof->steps.failure);
    return STATUS_OK;
}

uint32_t heap_proof_path(const struct heap_proof *proof, struct heap_cause path[HEAP_MOST_CAUSES])
{
    uint32_t count = 0, view = proof->failure.view;
    for (uint32_t v = view; v != NONE && proof->parents.items[v] != NONE;
         v = proof->parents.items[v])
        count++;
    uint32_t left = count < HEAP_MOST_CAUSES ? count : HEAP_MOST_CAUSES;
    for (; left > 0; view = proof->parents.items[view])
        path[--left] = proof->causes.items[view];
    return count;
}

enum status heap_proof_run(struct heap_proof *proof)
{
    struct thread_system *system = proof->steps.system;
    size_t views = 0, effects = 0;
    if (proof->alphabet)
        proof->once = heap_find_once(proof->alphabet);
    if (proof->alphabet && !proof->placement->meets)
        heap_find_adds(proof->alphabet, proof->steps.shape.steps->object->operation_count,
                       proof->adds);
    for (uint32_t i = 0; i < system->initial.length; i++) {
        struct heap_view view;
        TRY(heap_steps_initial(&proof->steps, i, &view));
        if (proof->steps.failure) {
            fail_for_size(proof, NONE, proof->steps.failure);
            break;
        }
        view.observer = proof->placement ? proof->initial : 0;
        view.root_count = proof->steps.shape.ghosts;
        add_view(proof, &view, NONE);
    }
    while (!proof->refused && proof->failure.kind == HEAP_PROVED &&
           (views < proof->parents.length || effects < proof->effects.length)) {
        if (is_out_of_time(proof))
            break;
        if (views < proof->parents.length) {
            const uint32_t view = (uint32_t)views++;
            TRY(expand(proof, view));
            for (uint32_t e = proof->first_effect.items[proof->group_of.items[view]];
                 e != NONE && proof->failure.kind == HEAP_PROVED; e = proof->next_effect.items[e])
                if (e < effects)
                    apply(proof, e, view);
        } else {
            const uint32_t effect = (uint32_t)effects++;
            for (uint32_t v = proof->first_view.items[proof->effect_group.items[effect]];
                 v != NONE && proof->failure.kind == HEAP_PROVED; v = proof->next_view.items[v])
                if (v < views)
                    apply(proof, effect, v);
        }
    }
    return proof->refused ? STATUS_LIMIT : STATUS_OK;
}
