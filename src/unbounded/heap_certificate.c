/* Checks that a set of views is closed and accepted. What is looked for in the set is what each
 * thread may see; a run of the algorithm is followed only as long as the automaton can still accept
 * it, and only for the values that the automaton tells apart. */
#include "unbounded/heap_certificate.h"

#include <limits.h>
#include <string.h>

#include "unbounded/heap_certificate_alone.h"
#include "unbounded/heap_certificate_automaton.h"
#include "unbounded/heap_certificate_marks.h"
#include "unbounded/heap_certificate_points.h"
#include "unbounded/heap_certificate_retries.h"
#include "unbounded/heap_deeds.h"
#include "unbounded/heap_moves.h"

#define NONE             UINT32_MAX
#define ARGUMENT_OF_CALL (UINT32_C(0xff) << 18)
#define VIEWS_A_LOOK     64 /* at the limits */

struct checking {
    const struct heap_certificate *certificate;
    struct heap_moves moves;
    struct heap_deeds deeds;
    const struct limits *limits;
    struct error *error;
    struct heap_checked *checked;
    const char *fault; /* null: none yet */
    uint32_t looked;
    bool refused; /* out of memory */
    /* By operation, value and state of the automaton: what was found of it once. */
    uint8_t known[HEAP_MOST_OPERATIONS][VIOLATION_COLOURS + 1][VIOLATION_MOST_STATES];
    bool once[VIOLATION_COLOURS + 1]; /* by value: one call at most brings it */
};

enum {
    NOT_ASKED,
    IN_THE_RUN,
    OUT_OF_THE_RUN
};

static void find_fault(struct checking *checking, const char *fault)
{
    if (!checking->fault)
        checking->fault = fault;
}

static const struct heap_shape *shape_of(const struct checking *checking)
{
    return &checking->certificate->shape;
}

/* ---- what is in the set ---- */

struct asking {
    struct checking *checking;
    bool all;
};

static void ask_for(void *user, struct heap_view *view, const uint32_t *moved)
{
    struct asking *asking = user;
    const struct heap_shape *shape = shape_of(asking->checking);
    uint32_t words[HEAP_MOST_WORDS];
    (void)moved;
    asking->all = asking->all && word_arrays_find(asking->checking->certificate->views, words,
                                                  heap_view_write(shape, view, words)) != NONE;
}

/* A promise, and what the specification answers in a state that it does not leave then. */
static uint32_t add_answer(struct checking *checking, uint32_t operation, uint32_t state,
                           uint32_t promise)
{
    const struct heap_specification *specification = checking->certificate->specification;
    const uint8_t argument = heap_promise_argument(promise);
    uint32_t next = state;
    uint8_t answer = HEAP_IMPOSSIBLE;
    if (heap_promise_kind(promise) == HEAP_PROMISE_TAKEN || argument == HEAP_INDIFFERENT)
        return promise;
    if (!specification->run(specification->user, state, (uint16_t)operation, argument, &next,
                            &answer))
        checking->refused = true;
    if (answer == HEAP_IMPOSSIBLE || next != state)
        return promise;
    return promise | UINT32_C(1) << (HEAP_PROMISE_SEEN_SHIFT + answer);
}

/* Of a thread that runs one. */
static uint32_t operation_of(const struct heap_shape *shape, const struct heap_view *view)
{
    return (uint32_t)(entry_at(shape->steps, view->thread[LIN_THREAD_AT] - 1) -
                      shape->steps->entries);
}

/* Whether an operation that brings a value has yet to take effect, and never can. */
static bool is_out_of_the_run(struct checking *checking, uint32_t operation, uint32_t promise,
                              uint32_t state)
{
    const uint8_t argument = heap_promise_argument(promise);
    if (argument == 0 || heap_promise_is_span(promise) ||
        heap_promise_kind(promise) == HEAP_PROMISE_TAKEN)
        return false;
    uint8_t *known = &checking->known[operation][argument][state];
    if (*known == NOT_ASKED)
        *known = certificate_is_out_of_the_run(checking->certificate->alphabet, operation, argument,
                                               state)
                     ? OUT_OF_THE_RUN
                     : IN_THE_RUN;
    return *known == OUT_OF_THE_RUN;
}

/* Whether what a thread sees of a heap is in the set, or need not be. */
static bool has(struct checking *checking, const struct heap_view *heap)
{
    struct asking asking = {checking, true};
    const struct heap_shape *shape = shape_of(checking);
    const struct alphabet *alphabet = checking->certificate->alphabet;
    struct heap_view seen;
    heap_view_copy(&seen, heap);
    if (heap->thread[LIN_THREAD_AT]) {
        const uint32_t operation = operation_of(shape, heap);
        if (!alphabet)
            seen.promise = add_answer(checking, operation, heap->observer, heap->promise);
        else if (!shape->marks && !checking->certificate->placement->meets &&
                 is_out_of_the_run(checking, operation, heap->promise, heap->observer))
            return true;
        if (checking->certificate->watches)
            seen.promise =
                certificate_see_written(&checking->certificate->placement->points[operation],
                                        heap->observer, heap->promise);
    }
    if (shape->marks && heap->observer == 0)
        seen.promise &= ~(uint32_t)HEAP_MARKED_COVERED;
    if (!heap_shorten(shape, &seen, ask_for, &asking))
        find_fault(checking, heap_too_many_nodes);
    return asking.all;
}

static void get(const struct checking *checking, uint32_t number, struct heap_view *view)
{
    size_t count;
    heap_view_read(shape_of(checking),
                   word_arrays_get(checking->certificate->views, number, &count), view);
}

/* What the operation of a step is expected to answer. False: that is open. */
static bool expect(struct checking *checking, const struct heap_view *after,
                   const struct thread_move *move, uint32_t argument, struct thread_move *whole)
{
    *whole = *move;
    whole->argument = (uint8_t)argument;
    return certificate_answer_alone(&checking->moves, after, whole, &checking->refused);
}

/* ---- steps ---- */

/* Whether it is the one call that brings the value of colour 1. */
static bool is_watched(const struct checking *checking, uint32_t operation, uint32_t promise)
{
    const struct heap_certificate *certificate = checking->certificate;
    return certificate->watches && operation == certificate->placement->adder &&
           (promise & ARGUMENT_OF_CALL) == heap_promise_of_argument(1);
}

/* The value of which no other thread runs a call that brings it; 0: there is none. */
static uint32_t value_brought_alone(const struct checking *checking, uint32_t operation,
                                    uint32_t promise)
{
    const uint32_t argument = heap_promise_argument(promise);
    if (is_watched(checking, operation, promise))
        return 1;
    return heap_promise_is_span(promise) && checking->once[argument] ? argument : 0;
}

struct stepping {
    struct checking *checking;
    const struct heap_view *before, *after;
    const struct thread_move *move;
    uint32_t at;
    uint32_t state; /* of what observes, where the step's operation is read: that before the step,
                       or behind others that take effect in it */
};

/* Looks for the view behind a step, with this promise; notes what others see of it. */
static bool comes_to(const struct stepping *step, uint32_t observer, uint32_t promise)
{
    struct checking *checking = step->checking;
    struct heap_view behind;
    heap_view_copy(&behind, step->after);
    behind.observer = observer;
    behind.promise = behind.thread[LIN_THREAD_AT] ? promise : 0;
    if (!has(checking, &behind))
        return false;
    heap_deeds_add(&checking->deeds, step->before, step->after, observer,
                   value_brought_alone(checking, step->move->operation, promise), 0);
    if (checking->deeds.failure)
        find_fault(checking, checking->deeds.failure);
    return true;
}

/* Whether an operation that ends answers what it has taken effect with. */
static bool is_kept(const struct thread_move *move, uint32_t promise)
{
    const enum heap_promise kind = heap_promise_kind(promise);
    return move->answer == ANSWER_NONE ||
           ((kind == HEAP_PROMISE_TAKEN || kind == HEAP_PROMISE_RIGHT) &&
            heap_promise_is(promise, move));
}

/* Points that are given are exactly one to an operation. */
static bool has_taken_effect(const struct stepping *step, uint32_t promise)
{
    const struct heap_placement *placement = step->checking->certificate->placement;
    return heap_promise_kind(promise) == HEAP_PROMISE_TAKEN ||
           (placement->points[step->move->operation].given && step->move->points != 1);
}

/* Operations that others may let take effect: how often that is so is checked apart. */
static bool may_be_met(const struct stepping *step)
{
    const struct heap_placement *placement = step->checking->certificate->placement;
    return placement->meets && placement->adder == step->move->operation;
}

/* An operation takes effect in a state, which may be that behind the one that it meets. */
static void read_effect(const struct stepping *step, uint32_t state,
                        const struct thread_move *whole)
{
    struct checking *checking = step->checking;
    const struct alphabet *alphabet = checking->certificate->alphabet;
    struct certificate_behind behind;
    certificate_read_operation(alphabet, state, whole, &behind);
    if (behind.accepts || method_roles_forbid(alphabet->roles, whole))
        find_fault(checking, "an operation takes effect with an answer that is wrong");
    if (behind.count == 0 && certificate_can_be_read(alphabet, state, *whole))
        checking->checked->reads_all_answers = false;
    const uint32_t taken = heap_promise_make(HEAP_PROMISE_TAKEN, whole);
    for (size_t i = 0; i < behind.count; i++) {
        if (!is_kept(step->move, taken))
            find_fault(checking, "an operation answers something else than where it took effect");
        if (!comes_to(step, behind.states[i], taken))
            find_fault(checking, "a thread can take a step to a view that is not in it");
    }
}

/* Another thread's operation, which brings a value, takes effect first. */
static void read_brought(const struct stepping *step, uint8_t brought,
                         struct certificate_behind *behind)
{
    struct checking *checking = step->checking;
    const struct heap_certificate *certificate = checking->certificate;
    const struct thread_move brings = {.operation = certificate->placement->adder,
                                       .calls = true,
                                       .argument = brought,
                                       .answer = ANSWER_PLAIN};
    certificate_read_operation(certificate->alphabet, step->state, &brings, behind);
    if (behind->accepts)
        find_fault(checking, "an operation that is met must not take effect there");
}

static void take_effect(const struct stepping *step, uint32_t promise, bool meets)
{
    struct checking *checking = step->checking;
    struct thread_move whole;
    struct certificate_behind behind;
    if (!may_be_met(step) && has_taken_effect(step, promise)) {
        find_fault(checking, "an operation takes effect twice");
        return;
    }
    if (!expect(checking, step->after, step->move, heap_promise_argument(promise), &whole)) {
        find_fault(checking, "where an operation takes effect it is open what it answers");
        return;
    }
    if (!meets) {
        read_effect(step, step->state, &whole);
        return;
    }
    if (whole.answer != ANSWER_VALUED || whole.result == 0) {
        find_fault(checking, "an operation meets nobody");
        return;
    }
    read_brought(step, whole.result, &behind);
    for (size_t i = 0; i < behind.count; i++)
        read_effect(step, behind.states[i], &whole);
}

/* What an operation that reads is held to, if it is to be held to anything. */
static uint32_t promise_of_reading(const struct stepping *step, uint32_t promise)
{
    struct checking *checking = step->checking;
    struct thread_move whole;
    struct certificate_behind behind;
    const uint32_t none = promise & ARGUMENT_OF_CALL;
    if (!expect(checking, step->after, step->move, heap_promise_argument(promise), &whole))
        return none;
    certificate_read_operation(checking->certificate->alphabet, step->state, &whole, &behind);
    if (behind.count == 0 || behind.moves)
        return none;
    return none |
           heap_promise_make(behind.accepts ? HEAP_PROMISE_WRONG : HEAP_PROMISE_RIGHT, &whole);
}

static bool is_visible(const struct checking *checking, const struct heap_view *before,
                       const struct heap_view *after)
{
    const struct heap_shape *shape = shape_of(checking);
    bool differs = false;
    for (uint32_t i = 0; i < shape->steps->heap_first; i++)
        differs |= before->shared[i] != after->shared[i] && !(shape->private_locks >> i & 1);
    for (uint32_t n = 0; n < before->count; n++)
        for (uint32_t i = 0; i < shape->fields[before->nodes[n].pool]; i++)
            differs |= before->nodes[n].fields[i] != after->nodes[n].fields[i] &&
                       !heap_is_unnoticed(shape, &before->nodes[n], i);
    return differs;
}

/* Of an operation that the specification observes. */
static void check_specified(const struct stepping *step, bool takes_effect)
{
    struct checking *checking = step->checking;
    const struct heap_specification *specification = checking->certificate->specification;
    const struct thread_move *move = step->move;
    uint32_t state = step->before->observer, promise = step->before->promise, answers = 0;
    uint8_t argument = heap_promise_argument(promise), answer = HEAP_IMPOSSIBLE;
    if (move->calls) {
        if (!specification->read_call(specification->user, move, &argument))
            checking->refused = true;
        promise = add_answer(checking, move->operation, state, heap_promise_of_argument(argument));
    }
    const bool concerned = argument != HEAP_INDIFFERENT;
    if (takes_effect && concerned) {
        uint32_t next = state;
        if (has_taken_effect(step, promise))
            find_fault(checking, "an operation takes effect twice");
        if (!specification->run(specification->user, state, move->operation, argument, &next,
                                &answer))
            checking->refused = true;
        if (answer != HEAP_IMPOSSIBLE) {
            promise = heap_promise_answered(answer);
            state = next;
        }
    }
    if (concerned && move->answer != ANSWER_NONE) {
        const uint32_t right = heap_promise_kind(promise) == HEAP_PROMISE_TAKEN
                                   ? UINT32_C(1) << heap_promise_answer(promise)
                                   : heap_promise_seen(promise);
        if (!specification->read_answer(specification->user, move, &answers))
            checking->refused = true;
        if (!(answers & right))
            find_fault(checking, "an operation answers what the specification does not");
    }
    if (!comes_to(step, state, promise))
        find_fault(checking, "a thread can take a step to a view that is not in it");
}

/* Of the call that brings the value of colour 1: that it takes effect once, while it runs. Of
 * others that are never met: that they answer what they took effect with, or last read. */
static void check_watched(const struct stepping *step, bool takes_effect, bool meets)
{
    struct checking *checking = step->checking;
    const struct alphabet *alphabet = checking->certificate->alphabet;
    const struct heap_placement *placement = checking->certificate->placement;
    const struct thread_move *move = step->move;
    const struct heap_point *point = &checking->certificate->placement->points[move->operation];
    uint32_t promise = move->calls ? heap_promise_of_call(move) : step->before->promise;
    uint32_t state = step->before->observer & 3, written = step->before->observer >> 2;
    const bool watched = is_watched(checking, move->operation, promise), met = may_be_met(step);
    const bool taken = heap_promise_kind(promise) == HEAP_PROMISE_TAKEN;
    struct thread_move whole = *move;
    if (move->calls && watched && state != HEAP_WATCH_NOT_CALLED)
        return;
    if (move->calls && watched)
        state = HEAP_WATCH_RUNS;
    if (move->calls)
        promise = certificate_see_written(point, step->before->observer, promise);
    if (placement->helps && move->others) {
        if (move->brought == 1 && state != HEAP_WATCH_RUNS)
            find_fault(checking, "whose point another thread gives does not run, or had one");
        if (move->brought == 1)
            state = HEAP_WATCH_ADDED;
        written = move->brought == 1 ? HEAP_LAST_FIRST : HEAP_LAST_OTHER;
    }
    const bool reads = !takes_effect && !meets && step->at == point->reading && !taken;
    const bool known = (takes_effect || meets || reads) &&
                       expect(checking, step->after, move, heap_promise_argument(promise), &whole);
    if (takes_effect || meets) {
        const bool brought = meets && whole.result == 1;
        if (!known || method_roles_forbid(alphabet->roles, &whole))
            find_fault(checking, "an operation takes effect with an answer that is open or wrong");
        if (!met && taken)
            find_fault(checking, "an operation takes effect twice");
        if (meets && (whole.answer != ANSWER_VALUED || whole.result == 0))
            find_fault(checking, "an operation meets nobody");
        if (watched && state != HEAP_WATCH_RUNS)
            find_fault(checking, "an operation that may be met takes effect twice");
        if (brought && state != HEAP_WATCH_RUNS)
            find_fault(checking, "who is met does not run, or has taken effect");
        if (brought || watched)
            state = HEAP_WATCH_ADDED;
        if (met)
            written = watched ? HEAP_LAST_FIRST : HEAP_LAST_OTHER;
        else
            promise = heap_promise_make(HEAP_PROMISE_TAKEN, &whole);
    } else if (reads) {
        promise &= ARGUMENT_OF_CALL;
        if (known && whole.answer == ANSWER_PLAIN)
            promise |= heap_promise_make(HEAP_PROMISE_RIGHT, &whole);
    }
    const uint32_t behind = state | (placement->moments ? written << 2 : 0);
    promise = certificate_see_written(point, behind, promise);
    const char *fault = point->moment ? certificate_look_back(alphabet, move, promise) : NULL;
    if (fault)
        find_fault(checking, fault);
    else if (met && move->answer != ANSWER_NONE &&
             (move->answer != ANSWER_PLAIN || (watched && state != HEAP_WATCH_ADDED)))
        find_fault(checking, "an operation that may be met ends without having taken effect");
    else if (!met && !point->moment && !is_kept(move, promise))
        find_fault(checking, "an operation answers something else than where it took effect");
    else if (!comes_to(step, behind, promise))
        find_fault(checking, "a thread can take a step to a view that is not in it");
}

/* Behind a call that was read, in this state; the operation may end in the same step. */
static void check_on_span(const struct stepping *step, uint32_t state, uint32_t promise)
{
    struct checking *checking = step->checking;
    const struct alphabet *alphabet = checking->certificate->alphabet;
    struct certificate_behind behind = {.states = {state}, .count = 1};
    if (!heap_promise_is_span(promise))
        find_fault(checking, "an operation runs whose call was not read");
    if (step->move->answer != ANSWER_NONE) {
        if (method_roles_forbid(alphabet->roles, step->move))
            find_fault(checking, "an operation ends with an answer that it must not give");
        certificate_read_return(alphabet, state, heap_promise_letter(promise), step->move, &behind);
    }
    if (alphabet->accepting[state] || behind.accepts)
        find_fault(checking, "an operation is called, or ends, where it must not");
    for (size_t i = 0; i < behind.count && !checking->fault; i++)
        if (!comes_to(step, behind.states[i], promise))
            find_fault(checking, "a thread can take a step to a view that is not in it");
}

/* Of an operation that takes effect nowhere: its call is read, and its return. */
static void check_spanning(const struct stepping *step)
{
    struct checking *checking = step->checking;
    const struct alphabet *alphabet = checking->certificate->alphabet;
    const uint8_t argument = step->move->argument;
    struct certificate_calls calls;
    if (!step->move->calls) {
        check_on_span(step, step->before->observer, step->before->promise);
        return;
    }
    certificate_read_call(alphabet, step->before->observer, step->move, &calls);
    if (argument == 0 || !certificate_only_adds(alphabet, step->move->operation))
        find_fault(checking, "an operation takes effect nowhere, and does not only bring a value");
    if (calls.count == 0 && !checking->once[argument])
        checking->checked->reads_all_answers = false;
    for (size_t i = 0; i < calls.count && !checking->fault; i++)
        check_on_span(step, calls.states[i], heap_promise_of_span(calls.letters[i], argument));
}

/* Where it is settled what it takes, one that finds nothing takes effect nowhere. */
static bool finds_nothing(const struct stepping *step, uint32_t promise)
{
    const struct heap_placement *placement = step->checking->certificate->placement;
    return placement->points[step->move->operation].settles && step->move->answer == ANSWER_PLAIN &&
           heap_promise_kind(promise) == HEAP_PROMISE_NONE;
}

/* ---- values that are marked ---- */

static void look_for_way(void *user, const struct certificate_way *way)
{
    struct checking *checking = user;
    if (!has(checking, &way->after))
        find_fault(checking, "a thread can take a step to a view that is not in it");
    heap_deeds_add(&checking->deeds, &way->before, &way->after, way->after.observer, 0, way->taken);
    if (checking->deeds.failure)
        find_fault(checking, checking->deeds.failure);
}

static void check_marked(const struct stepping *step)
{
    struct checking *checking = step->checking;
    const struct heap_certificate *certificate = checking->certificate;
    const struct heap_point *point = &certificate->placement->points[step->move->operation];
    struct certificate_marking marking = {
        .shape = shape_of(checking),
        .move = step->move,
        .adds = certificate_only_adds(certificate->alphabet, step->move->operation),
        .stored = checking->moves.stored,
        .each = look_for_way,
        .user = checking};
    struct thread_move whole;
    if (checking->moves.misplaces)
        find_fault(checking, "a value is written where it is not brought to");
    if (method_roles_forbid(certificate->alphabet->roles, step->move))
        find_fault(checking, "an operation ends with an answer that it must not give");
    if (point->settles && step->at == point->changing &&
        is_visible(checking, step->before, step->after)) {
        marking.settled = &whole;
        if (!expect(checking, step->after, step->move, 0, &whole))
            whole.answer = ANSWER_NONE;
        if (method_roles_forbid(certificate->alphabet->roles, &whole))
            find_fault(checking, "an operation takes effect with an answer that is wrong");
    }
    const char *fault = certificate_mark(&marking, step->before, step->after);
    if (fault)
        find_fault(checking, fault);
}

/* A step of an operation with points, in one of the states in which it is read. */
static void check_by_point(const struct stepping *step, bool takes_effect, bool meets)
{
    struct checking *checking = step->checking;
    const struct thread_move *move = step->move;
    const struct heap_point *point = &checking->certificate->placement->points[move->operation];
    uint32_t promise = move->calls ? heap_promise_of_call(move) : step->before->promise;
    if (takes_effect || meets) {
        take_effect(step, promise, meets);
        return;
    }
    if (!point->given && step->at == point->reading &&
        heap_promise_kind(promise) != HEAP_PROMISE_TAKEN)
        promise = promise_of_reading(step, promise);
    if (!may_be_met(step) && !is_kept(move, promise) && !finds_nothing(step, promise))
        find_fault(checking, "an operation answers something else than where it took effect");
    else if (!comes_to(step, step->state, promise))
        find_fault(checking, "a thread can take a step to a view that is not in it");
}

/* The point of another thread's operation comes first. */
static void check_behind_others(const struct stepping *step, bool takes_effect, bool meets)
{
    struct stepping own = *step;
    struct certificate_behind behind;
    read_brought(step, step->move->brought, &behind);
    for (size_t i = 0; i < behind.count && !step->checking->fault; i++) {
        own.state = behind.states[i];
        check_by_point(&own, takes_effect, meets);
    }
}

static bool check_step(void *user, const struct heap_view *before, const struct heap_view *after,
                       const struct thread_move *move, uint32_t at)
{
    struct checking *checking = user;
    const struct heap_certificate *certificate = checking->certificate;
    const struct stepping step = {checking, before, after, move, at, before->observer};
    const struct heap_point *point = &certificate->placement->points[move->operation];
    const unsigned values = certificate->alphabet ? certificate->alphabet->colours : 1u << 1;
    if (!thread_move_brings_only(move, move->calls ? values : UINT_MAX))
        return true;
    if (move->ending) {
        find_fault(checking, "an operation does what it must not do");
        return false;
    }
    if (certificate_comes_back(&certificate->shape, before, after))
        find_fault(checking, "a variable leads again to what it led to no more");
    const bool helped = certificate->placement->helps && move->others > 0;
    if (helped && (move->others > 1 || move->brought == 0))
        find_fault(checking, "it is open whose points a step has");
    const bool takes_effect =
        point->given
            ? move->points != 0
            : at == point->changing && (point->always || is_visible(checking, before, after));
    if (!certificate->alphabet) {
        check_specified(&step, takes_effect);
        return !checking->fault;
    }
    const bool meets = point->meeting == at && is_visible(checking, before, after);
    if (certificate->shape.marks) {
        check_marked(&step);
        return !checking->fault;
    }
    if (certificate->watches) {
        check_watched(&step, takes_effect, meets);
        return !checking->fault;
    }
    if (point->spans) {
        check_spanning(&step);
        return !checking->fault;
    }
    if (helped)
        check_behind_others(&step, takes_effect, meets);
    else
        check_by_point(&step, takes_effect, meets);
    return !checking->fault;
}

/* ---- the set ---- */

static void look_for_joined(void *user, const struct heap_view *heap)
{
    struct checking *checking = user;
    checking->checked->joins++;
    if (!checking->fault && !has(checking, heap))
        find_fault(checking, "a step of another thread leads to a view that is not in it");
}

static enum status check_initial(struct checking *checking)
{
    for (uint32_t i = 0; i < checking->moves.system->initial.length; i++) {
        struct heap_view view;
        TRY(heap_moves_initial(&checking->moves, i, &view));
        view.observer = checking->certificate->initial;
        if (!has(checking, &view))
            find_fault(checking, "it lacks what a thread sees initially");
    }
    return STATUS_OK;
}

static enum status check_own_steps(struct checking *checking, uint32_t number)
{
    struct heap_view view;
    get(checking, number, &view);
    const char *fault =
        shape_of(checking)->marks ? certificate_look_at_marks(shape_of(checking), &view) : NULL;
    if (fault)
        find_fault(checking, fault);
    TRY(heap_moves_of(&checking->moves, &view, check_step, checking));
    if (checking->moves.failure)
        find_fault(checking, checking->moves.failure);
    return STATUS_OK;
}

static enum status check_others_steps(struct checking *checking, uint32_t number)
{
    struct heap_view view;
    get(checking, number, &view);
    const uint32_t alone =
        view.thread[LIN_THREAD_AT]
            ? value_brought_alone(checking, operation_of(shape_of(checking), &view), view.promise)
            : 0;
    for (uint32_t i = heap_deeds_first(&checking->deeds, &view); i != NONE && !checking->fault;
         i = checking->deeds.next.items[i]) {
        const struct heap_deed *deed = checking->deeds.items.items[i];
        if (limits_look_every(checking->limits, &checking->looked, VIEWS_A_LOOK))
            return STATUS_LIMIT;
        if (alone && deed->by_bringer == alone)
            continue;
        if (!heap_join(shape_of(checking), deed, &view, look_for_joined, checking))
            find_fault(checking, heap_too_many_nodes);
    }
    if (checking->deeds.failure)
        find_fault(checking, checking->deeds.failure);
    return STATUS_OK;
}

static enum status check_views(struct checking *checking,
                               enum status (*check)(struct checking *checking, uint32_t number))
{
    for (uint32_t i = 0; i < checking->certificate->views->items.length && !checking->fault; i++) {
        TRY(check(checking, i));
        if (checking->refused || checking->deeds.refused ||
            limits_look_every(checking->limits, &checking->looked, VIEWS_A_LOOK))
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static enum status check_set(struct checking *checking)
{
    const struct heap_certificate *certificate = checking->certificate;
    if (certificate->alphabet) {
        const char *fault = certificate_look_at_points(
            shape_of(checking), certificate->alphabet, certificate->placement, certificate->watches,
            checking->once, &checking->checked->forbids_repeats);
        if (fault)
            find_fault(checking, fault);
        if (shape_of(checking)->marks) /* it tells but some of them apart */
            checking->checked->reads_all_answers = false;
    }
    const char *unreliable =
        certificate_look_at_retries(shape_of(checking), certificate->placement);
    if (unreliable)
        find_fault(checking, unreliable);
    TRY(check_initial(checking));
    TRY(check_views(checking, check_own_steps));
    TRY(check_views(checking, check_others_steps));
    checking->checked->is_too_large = checking->fault == heap_too_many_nodes;
    if (checking->fault && !checking->checked->is_too_large)
        return error_set(checking->error, STATUS_INTERNAL, NULL, 0, "the certificate is wrong: %s",
                         checking->fault);
    return STATUS_OK;
}

enum status heap_certificate_check(const struct heap_certificate *certificate,
                                   struct thread_system *system, struct budget *budget,
                                   const struct limits *limits, struct heap_checked *checked,
                                   struct error *error)
{
    struct checking checking = {
        .certificate = certificate,
        .moves = {.shape = &certificate->shape, .system = system, .budget = budget, .error = error},
        .limits = limits,
        .error = error,
        .checked = checked};
    *checked = (struct heap_checked){.reads_all_answers = true};
    heap_deeds_init(&checking.deeds, &certificate->shape, budget);
    const enum status status = check_set(&checking);
    checked->deeds = checking.deeds.items.length;
    heap_deeds_release(&checking.deeds);
    return status;
}
