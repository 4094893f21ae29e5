#include "unbounded/heap_observers.h"

#include "unbounded/heap_alone.h"
#include "unbounded/heap_marked.h"
#include "unbounded/heap_retries.h"
#include "unbounded/heap_spans.h"

/* ---- points ---- */

/* Sets what the operation of a step will answer, or has. False if that is not known. */
static bool find_answer(struct heap_proof *proof, const struct heap_step *step,
                        struct thread_move *answer)
{
    return heap_answer_alone(&proof->steps, step, answer, &proof->refused, proof->error);
}

/* Whether what is answered is what was promised. */
static bool is_kept(struct heap_proof *proof, const struct heap_taking *taking,
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
        heap_closure_fail(proof, kind, move->operation, step->at, taking->number);
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
static void take_in(const struct heap_taking *taking, const struct heap_step *step, uint32_t state,
                    const struct thread_move *whole)
{
    struct heap_proof *proof = taking->proof;
    struct heap_readings readings;
    heap_read_whole(proof->alphabet, state, whole, &readings);
    if (readings.accepts || method_roles_forbid(proof->alphabet->roles, whole)) {
        heap_closure_fail(proof, readings.accepts ? HEAP_ACCEPTED : HEAP_FAULT,
                          step->move.operation, step->at, taking->number);
        return;
    }
    const uint32_t taken = heap_promise_make(HEAP_PROMISE_TAKEN, whole);
    for (size_t i = 0; i < readings.count; i++)
        if (is_kept(proof, taking, step, taken))
            heap_closure_emit(taking, step, readings.states[i], taken);
}

/* Who is met takes effect first. */
static void take_behind_met(const struct heap_taking *taking, const struct heap_step *step,
                            const struct thread_move *whole)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move met = heap_met(proof->placement, whole->result);
    struct heap_readings readings;
    if (whole->answer != ANSWER_VALUED || !whole->result) {
        heap_closure_fail(proof, HEAP_NOT_MET, step->move.operation, step->at, taking->number);
        return;
    }
    heap_read_whole(proof->alphabet, taking->state, &met, &readings);
    if (readings.accepts)
        heap_closure_fail(proof, HEAP_ACCEPTED, step->move.operation, step->at, taking->number);
    for (size_t i = 0; i < readings.count && !readings.accepts; i++)
        take_in(taking, step, readings.states[i], whole);
}

static void take_effect(const struct heap_taking *taking, const struct heap_step *step,
                        uint32_t promise, bool meets)
{
    struct heap_proof *proof = taking->proof;
    struct thread_move whole;
    if (is_second(proof, step, promise) && !is_met(proof, step)) {
        heap_closure_fail(proof, HEAP_SECOND_EFFECT, step->move.operation, step->at,
                          taking->number);
        return;
    }
    if (!find_answer(proof, step, &whole)) {
        heap_closure_fail(proof, HEAP_OPEN_ANSWER, step->move.operation, step->at, taking->number);
        return;
    }
    whole.argument = heap_promise_argument(promise);
    if (meets)
        take_behind_met(taking, step, &whole);
    else
        take_in(taking, step, taking->state, &whole);
}

/* What would be answered behind a step that reads, and whether that is right. */
static uint32_t look(const struct heap_taking *taking, const struct heap_step *step,
                     uint32_t promise)
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
    heap_read_whole(proof->alphabet, taking->state, &whole, &readings);
    for (size_t i = 0; i < readings.count; i++)
        if (readings.states[i] != taking->state && !proof->alphabet->accepting[readings.states[i]])
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
static void note_candidate(const struct heap_taking *taking, const struct heap_step *step,
                           bool changes)
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
    heap_closure_emit(taking, step, 0, 0);
}

/* Whether what is answered is what the specification has, or could have. */
static bool is_specified(struct heap_proof *proof, const struct heap_taking *taking,
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
        heap_closure_fail(proof, taken ? HEAP_OTHER_ANSWER : HEAP_NO_EFFECT, step->move.operation,
                          step->at, taking->number);
    return answers & right;
}

static void take_specified(const struct heap_taking *taking, const struct heap_step *step,
                           bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct heap_specification *specification = proof->specification;
    const struct thread_move *move = &step->move;
    uint32_t promise = step->before->promise, observer = step->before->observer;
    if (move->calls) {
        uint8_t argument = 0;
        proof->refused |= !specification->read_call(specification->user, move, &argument);
        promise = heap_promise_of_argument(argument);
        promise = heap_closure_see(proof, move->operation, observer, promise);
    }
    const uint8_t argument = heap_promise_argument(promise);
    const struct heap_point *point = &proof->placement->points[move->operation];
    if (heap_point_is_at(point, move, step->at, changes) && argument != HEAP_INDIFFERENT) {
        uint32_t next = 0;
        uint8_t answer = HEAP_IMPOSSIBLE;
        if (is_second(proof, step, promise)) {
            heap_closure_fail(proof, HEAP_SECOND_EFFECT, move->operation, step->at, taking->number);
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
        heap_closure_emit(taking, step, observer, promise);
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
                                           bool meets, uint32_t *promise, enum heap_watch *watch,
                                           enum heap_last_write *written)
{
    struct thread_move whole;
    const bool adds = is_met(proof, step),
               first = heap_closure_is_first(proof, step->move.operation, *promise);
    if ((!adds && heap_promise_kind(*promise) == HEAP_PROMISE_TAKEN) ||
        (first && *watch != HEAP_WATCH_RUNS))
        return HEAP_SECOND_EFFECT;
    if (!find_answer(proof, step, &whole))
        return HEAP_OPEN_ANSWER;
    if (method_roles_forbid(proof->alphabet->roles, &whole))
        return HEAP_FAULT;
    if (meets && (whole.answer != ANSWER_VALUED || !whole.result ||
                  (whole.result == 1 && *watch != HEAP_WATCH_RUNS)))
        return HEAP_NOT_MET;
    if (first || (meets && whole.result == 1))
        *watch = HEAP_WATCH_ADDED;
    if (adds)
        *written = first ? HEAP_LAST_FIRST : HEAP_LAST_OTHER;
    else
        *promise = heap_promise_make(HEAP_PROMISE_TAKEN, &whole);
    return HEAP_PROVED;
}

/* The state of what is watched behind the points of a step that are other threads'. */
static enum heap_failure_kind watch_helped(const struct thread_move *move, enum heap_watch *watch,
                                           enum heap_last_write *written)
{
    if (move->others == 0)
        return HEAP_PROVED;
    if (move->others > 1)
        return HEAP_SECOND_EFFECT;
    if (move->brought == 0 || (move->brought == 1 && *watch != HEAP_WATCH_RUNS))
        return HEAP_NOT_MET;
    if (move->brought == 1)
        *watch = HEAP_WATCH_ADDED;
    *written = move->brought == 1 ? HEAP_LAST_FIRST : HEAP_LAST_OTHER;
    return HEAP_PROVED;
}

/* Whether a read answers what was written last at some moment since its call. Of what another
 * write has brought it need not be looked at: that value may be the one of colour 1. */
static enum heap_failure_kind look_back(const struct heap_proof *proof,
                                        const struct thread_move *move, uint32_t promise)
{
    const uint32_t seen = heap_promise_seen(promise);
    if (move->answer == ANSWER_NONE)
        return HEAP_PROVED;
    if (method_roles_forbid(proof->alphabet->roles, move))
        return HEAP_FAULT;
    if (move->answer == ANSWER_PLAIN)
        return seen >> HEAP_LAST_NOTHING & 1 ? HEAP_PROVED : HEAP_NO_EFFECT;
    if (move->answer != ANSWER_VALUED || move->result == 0)
        return HEAP_FAULT;
    return move->result != 1 || (seen >> HEAP_LAST_FIRST & 1) ? HEAP_PROVED : HEAP_NO_EFFECT;
}

static void take_watched(const struct heap_taking *taking, const struct heap_step *step,
                         bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    const struct heap_point *point = &proof->placement->points[move->operation];
    const bool meets = heap_point_meets(point, step->at, changes);
    uint32_t promise = move->calls ? heap_promise_of_call(move) : step->before->promise;
    enum heap_watch watch = heap_watch_of(step->before->observer);
    enum heap_last_write written = heap_last_write_of(step->before->observer);
    const bool first = heap_closure_is_first(proof, move->operation, promise);
    if (move->calls && first) {
        if (watch != HEAP_WATCH_NOT_CALLED)
            return; /* each value is brought once */
        watch = HEAP_WATCH_RUNS;
    }
    if (move->calls)
        promise = heap_closure_see_written(proof, move->operation, step->before->observer, promise);
    enum heap_failure_kind kind =
        proof->placement->helps ? watch_helped(move, &watch, &written) : HEAP_PROVED;
    if (kind == HEAP_PROVED && (meets || heap_point_is_at(point, move, step->at, changes)))
        kind = watch_effect(proof, step, meets, &promise, &watch, &written);
    else if (!point->given && step->at == point->reading)
        promise = look_watched(proof, step, promise);
    const uint32_t observer =
        heap_watch_state(watch, proof->placement->moments ? written : HEAP_LAST_NOTHING);
    promise = heap_closure_see_written(proof, move->operation, observer, promise);
    if (kind == HEAP_PROVED && is_met(proof, step) && move->answer != ANSWER_NONE)
        kind = move->answer != ANSWER_PLAIN         ? HEAP_OTHER_ANSWER
               : first && watch != HEAP_WATCH_ADDED ? HEAP_NO_EFFECT
                                                    : HEAP_PROVED;
    if (kind == HEAP_PROVED && point->moment)
        kind = look_back(proof, move, promise);
    if (kind != HEAP_PROVED)
        heap_closure_fail(proof, kind, move->operation, step->at, taking->number);
    else if (is_met(proof, step) || point->moment || is_kept(proof, taking, step, promise))
        heap_closure_emit(taking, step, observer, promise);
}

/* A step of an operation that spans, in a state that has read its call. */
static void go_on_spanning(const struct heap_taking *taking, const struct heap_step *step,
                           uint32_t state, uint32_t promise)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    struct heap_readings readings = {.states = {state}, .count = 1};
    if (method_roles_forbid(proof->alphabet->roles, move)) {
        heap_closure_fail(proof, HEAP_FAULT, move->operation, step->at, taking->number);
        return;
    }
    if (move->answer != ANSWER_NONE)
        heap_read_return(proof->alphabet, state, heap_promise_letter(promise), move, &readings);
    if (readings.accepts || proof->alphabet->accepting[state])
        heap_closure_fail(proof, HEAP_ACCEPTED, move->operation, step->at, taking->number);
    for (size_t i = 0; i < readings.count && proof->failure.kind == HEAP_PROVED; i++)
        heap_closure_emit(taking, step, readings.states[i], promise);
}

static void take_spanning(const struct heap_taking *taking, const struct heap_step *step)
{
    const struct thread_move *move = &step->move;
    struct heap_called called[MOST_LETTERS];
    if (!move->calls) {
        go_on_spanning(taking, step, step->before->observer, step->before->promise);
        return;
    }
    if (!move->argument ||
        method_roles_of(taking->proof->alphabet->roles, move->operation) != 1u << METHOD_ADDS) {
        heap_closure_fail(taking->proof, HEAP_FAULT, move->operation, step->at, taking->number);
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
    heap_closure_emit(user, step, observer, promise);
}

static void take_marked(const struct heap_taking *taking, const struct heap_step *step,
                        bool changes)
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
        heap_closure_fail_for_size(proof, taking->number,
                                   "a value below others is marked where there is no room");
    else if (failure != HEAP_MARKED_PROVED)
        heap_closure_fail(proof, kinds[failure], step->move.operation, step->at, taking->number);
}

/* An operation takes effect where the placement says so. */
static void take_by_point(const struct heap_taking *taking, const struct heap_step *step,
                          bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    const struct heap_point *point = &proof->placement->points[move->operation];
    uint32_t promise = move->calls ? heap_promise_of_call(move) : step->before->promise;
    const bool meets = heap_point_meets(point, step->at, changes);
    if (meets || heap_point_is_at(point, move, step->at, changes)) {
        take_effect(taking, step, promise, meets);
        return;
    }
    if (!point->given && step->at == point->reading)
        promise = look(taking, step, promise);
    if (is_met(proof, step) || is_kept(proof, taking, step, promise))
        heap_closure_emit(taking, step, taking->state, promise);
}

/* Who brings the value that the step says takes effect first, whoever runs it. */
static void take_behind_helped(const struct heap_taking *taking, const struct heap_step *step,
                               bool changes)
{
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    const struct thread_move met = heap_met(proof->placement, move->brought);
    struct heap_taking behind = *taking;
    struct heap_readings readings;
    if (move->others > 1 || move->brought == 0) {
        heap_closure_fail(proof, move->brought ? HEAP_SECOND_EFFECT : HEAP_NOT_MET, move->operation,
                          step->at, taking->number);
        return;
    }
    heap_read_whole(proof->alphabet, taking->state, &met, &readings);
    if (readings.accepts)
        heap_closure_fail(proof, HEAP_ACCEPTED, move->operation, step->at, taking->number);
    for (size_t i = 0; i < readings.count && proof->failure.kind == HEAP_PROVED; i++) {
        behind.state = readings.states[i];
        take_by_point(&behind, step, changes);
    }
}

bool heap_observe(void *user, const struct heap_step *step)
{
    struct heap_taking own = *(const struct heap_taking *)user;
    const struct heap_taking *taking = &own;
    struct heap_proof *proof = taking->proof;
    const struct thread_move *move = &step->move;
    own.state = step->before->observer;
    if (move->calls && move->argument &&
        !(proof->alphabet ? proof->alphabet->colours >> move->argument & 1 : move->argument == 1))
        return true;
    if (move->ending) {
        heap_closure_fail(proof, HEAP_FAULT, move->operation, step->at, taking->number);
        return false;
    }
    proof->moved_back |= heap_retries_move_back(&proof->steps.shape, step->before, step->after);
    if (proof->moved_back) {
        heap_closure_fail(proof, HEAP_MOVED_BACK, move->operation, step->at, taking->number);
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
    if (proof->placement->points[move->operation].spans)
        take_spanning(taking, step);
    else if (proof->placement->helps && move->others > 0)
        take_behind_helped(taking, step, changes);
    else
        take_by_point(taking, step, changes);
    return proof->failure.kind == HEAP_PROVED;
}
