/* Decides objects that are one bit, or many bits that never interact: a set (whether an element is
 * in it), a mutex, a semaphore of one permit. Values may be used again and again. Time is O(n log
 * k), where k is the number of operations that run at once; the rule is ours.
 *
 * Every operation on a bit flips it one way (add -> true, acquire), flips it the other way, or
 * tests that it is set (contains -> true, add -> false) or clear. A walk over the events fires
 * flips as late as it can:
 *
 *     an operation returns that has not taken place: flip until it has, each time firing the flip
 *         of the direction that is due that returns first; if none of them is running: a violation
 *     a test takes place at once when it begins on the right value, or when a flip gives it that
 *
 * so at most two flips are fired for a return. Why this finds a linearization if there is one: take
 * any way to go on from here. Its operations can all be put off to the next return. At that return
 * no running test agrees with the bit, so it goes on with a flip; exchanging that flip with the one
 * of the same direction that returns first keeps it legal, and in time. A pending flip returns
 * never, so it is fired last or not at all; other pending operations need not have happened.
 *
 * The owner of a mutex: when every process takes turns in acquiring and releasing, and the bit
 * alternates, no process releases what another one holds, for as many acquisitions as are ahead of
 * their releases so many processes hold it, and that is one at most. So it is enough to check that
 * each process takes turns; its operations are in order as long as none runs on after a pending
 * one. */
#include "monitor/deadlines.h"

#include "monitor/monitors.h"
#include "monitor/numbering.h"
#include "monitor/step.h"
#include <assert.h>

#include <inttypes.h>

#include "spec/mutex.h"
#include "spec/replay.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "value/print.h"

#define NONE UINT32_MAX

/* The lowest bit: the value that a flip gives, that a test finds. */
enum kind {
    KIND_TEST_CLEAR,
    KIND_TEST_SET,
    KIND_FLIP_CLEAR,
    KIND_FLIP_SET,
    KIND_FREE,    /* legal anywhere: a test with an unknown result */
    KIND_DROPPED, /* pending, and need not have happened */
    KIND_DONE,    /* has taken place */
    KIND_OTHER,   /* neither: a change whose result is not known */
};

struct cell {
    uint32_t flips[2]; /* running ones that give this value: a heap by response */
    uint32_t tests[2]; /* running ones that need this value: a list */
    uint32_t last;     /* the last flip, NONE: it is as it was at first */
    bool set;
};

struct cells {
    const struct part *part;
    struct limits *limits;
    struct decision *decision;
    struct arena *arena;
    struct cell *cells;
    uint32_t cell_count;
    uint32_t *cell_of;          /* by operation; null if there is only one cell */
    uint8_t *kinds;             /* by operation */
    uint32_t *at;               /* by position: the operation */
    struct deadlines deadlines; /* its links also chain lists of tests */
    uint32_t stuck;             /* the operation that could not take place */
};

static enum kind set_kind(const struct interval *interval)
{
    const struct call *call = &interval->call;
    bool pending = interval->response == POSITION_NEVER;
    if (call->operation == SET_CONTAINS) {
        if (!call->result_known || pending)
            return pending ? KIND_DROPPED : KIND_FREE;
        return call->result == VALUE_TRUE ? KIND_TEST_SET : KIND_TEST_CLEAR;
    }
    bool adds = call->operation == SET_ADD;
    if (pending ? call->result_known : !call->result_known)
        return KIND_OTHER;
    if (!pending && call->result != VALUE_TRUE)
        return adds ? KIND_TEST_SET : KIND_TEST_CLEAR;
    return adds ? KIND_FLIP_SET : KIND_FLIP_CLEAR;
}

static enum kind kind_of(const struct part *part, uint32_t operation)
{
    const struct interval *interval = &part->intervals[operation];
    if (part->spec->class == &set_class)
        return set_kind(interval);
    bool mutex = part->spec->class == &mutex_class;
    uint16_t acquire = mutex ? MUTEX_ACQUIRE : SEMAPHORE_ACQUIRE;
    if (mutex && interval->call.operation == MUTEX_TRY_ACQUIRE)
        return KIND_OTHER;
    return interval->call.operation == acquire ? KIND_FLIP_SET : KIND_FLIP_CLEAR;
}

static void print_process(const struct cells *cells, uint32_t operation)
{
    uint32_t process = cells->part->intervals[operation].call.process;
    struct text *reason = &cells->decision->reason;
    text_append(reason, "process ");
    if (cells->part->processes)
        value_print_edn(cells->part->processes[process], reason);
    else
        text_format(reason, "%" PRIu32, process);
}

/* Whether the process that owned_check has numbered takes turns. */
struct turns {
    uint32_t last; /* its last operation, NONE: none yet */
    bool holds;
};

/* The evidence: all that the process did before. Any of it, if pending, might come in between. */
static enum step out_of_turn(struct cells *cells, uint32_t operation, bool acquires)
{
    struct text *reason = &cells->decision->reason;
    const struct interval *intervals = cells->part->intervals;
    text_append(reason, acquires ? "acquire by " : "release by ");
    print_process(cells, operation);
    text_append(reason, acquires ? ", which held the mutex" : ", which did not hold the mutex");
    bool shown = true;
    for (uint32_t i = 0; shown && i <= operation; i++)
        if (intervals[i].call.process == intervals[operation].call.process)
            shown = vector_push(&cells->decision->evidence, i);
    return step_violation(shown);
}

static enum step owned_walk(const struct part *part, struct numbering *processes,
                            struct turns *turns, struct cells *cells, struct inapplicable *why)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        uint32_t process = numbering_add(processes, value_small(interval->call.process));
        struct turns *turn = &turns[process];
        if (turn->last != NONE && part->intervals[turn->last].response > interval->invoke)
            return step_inapplicable(why, i, "its process goes on after a pending operation",
                                     VALUE_REFUSED, "");
        bool acquires = interval->call.operation == MUTEX_ACQUIRE;
        bool in_turn = acquires != turn->holds;
        bool pending = interval->response == POSITION_NEVER;
        if (!in_turn && pending && cells)
            cells->kinds[i] = KIND_DROPPED;
        if (!in_turn && !pending && cells)
            return out_of_turn(cells, i, acquires);
        turn->last = i;
        turn->holds = acquires;
    }
    return STEP_READY;
}

/* For an owned mutex: each process by itself. `cells` may be null, then only whether it applies. */
static enum step owned_check(const struct part *part, struct arena *arena, struct cells *cells,
                             struct inapplicable *why)
{
    if (!part->spec->owned)
        return STEP_READY;
    struct span span = SPAN_EMPTY;
    struct numbering processes;
    for (uint32_t i = 0; i < part->count; i++)
        span_include(&span, value_small(part->intervals[i].call.process));
    struct turns *turns = arena_allocate(arena, (size_t)part->count * sizeof *turns);
    if (!turns || !numbering_init(&processes, &span, arena))
        return STEP_REFUSED;
    for (uint32_t i = 0; i < part->count; i++)
        turns[i] = (struct turns){.last = NONE};
    return owned_walk(part, &processes, turns, cells, why);
}

static enum step cells_applies(const struct part *part, struct limits *limits, struct arena *arena,
                               struct inapplicable *why)
{
    (void)limits;
    if (part->spec->class == &semaphore_class && part->spec->parameters[0] != 1)
        return step_inapplicable(why, part->count, "the semaphore has more than one permit",
                                 VALUE_REFUSED, "");
    for (uint32_t i = 0; i < part->count; i++)
        if (kind_of(part, i) == KIND_OTHER)
            return step_inapplicable(why, i,
                                     part->spec->class == &set_class
                                         ? "whether it changed the set is not known"
                                         : "it may find the mutex held, and give up",
                                     VALUE_REFUSED, "");
    return owned_check(part, arena, NULL, why);
}

/* One cell for each element; the only one of other objects. */
static bool number_cells(struct cells *cells)
{
    const struct part *part = cells->part;
    cells->cell_count = 1;
    if (part->spec->class != &set_class || part->has_key)
        return true;
    struct span span = SPAN_EMPTY;
    struct numbering numbering;
    for (uint32_t i = 0; i < part->count; i++)
        span_include(&span, part->intervals[i].call.argument);
    cells->cell_of = arena_allocate(cells->arena, (size_t)part->count * sizeof *cells->cell_of);
    if (!cells->cell_of || !numbering_init(&numbering, &span, cells->arena))
        return false;
    for (uint32_t i = 0; i < part->count; i++)
        cells->cell_of[i] = numbering_add(&numbering, part->intervals[i].call.argument);
    cells->cell_count = numbering.count;
    return true;
}

static struct cell *cell_of(const struct cells *cells, uint32_t operation)
{
    return &cells->cells[cells->cell_of ? cells->cell_of[operation] : 0];
}

/* Asks a fresh object for the initial bits. */
static bool set_initial(struct cells *cells)
{
    const struct part *part = cells->part;
    bool is_set = part->spec->class == &set_class;
    if (is_set && !part->spec->has_initial)
        return true;
    struct spec_object *object = spec_open(part->spec, part->key, cells->limits->budget);
    enum applied applied = object ? APPLIED_LEGAL : APPLIED_REFUSED;
    for (uint32_t i = 0; is_set && i < part->count && applied == APPLIED_LEGAL; i++) {
        struct call call = {.argument = part->intervals[i].call.argument,
                            .operation = SET_CONTAINS};
        value present;
        applied = spec_apply(part->spec, object, &call, &present);
        cell_of(cells, i)->set = applied == APPLIED_LEGAL && present == VALUE_TRUE;
    }
    if (!is_set && object) {
        bool mutex = part->spec->class == &mutex_class;
        struct call call = {.operation = mutex ? MUTEX_RELEASE : SEMAPHORE_RELEASE};
        applied = spec_apply(part->spec, object, &call, NULL);
        cells->cells[0].set = applied == APPLIED_LEGAL;
    }
    if (object)
        spec_close(part->spec, object);
    return applied != APPLIED_REFUSED;
}

static bool cells_create(struct cells *cells)
{
    const struct part *part = cells->part;
    size_t operations = part->count;
    if (!number_cells(cells))
        return false;
    cells->cells = arena_allocate(cells->arena, cells->cell_count * sizeof *cells->cells);
    cells->kinds = arena_allocate(cells->arena, operations);
    cells->at = operations_by_position(part, cells->arena);
    cells->deadlines.intervals = part->intervals;
    cells->deadlines.links =
        arena_allocate(cells->arena, operations * sizeof *cells->deadlines.links);
    if (!cells->cells || !cells->kinds || !cells->at || !cells->deadlines.links ||
        !vector_reserve(&cells->decision->linearization, operations))
        return false;
    for (uint32_t i = 0; i < operations; i++)
        cells->kinds[i] = (uint8_t)kind_of(part, i);
    return true;
}

static bool cells_reset(struct cells *cells)
{
    cells->decision->linearization.length = 0;
    cells->stuck = NONE;
    for (uint32_t i = 0; i < cells->cell_count; i++)
        cells->cells[i] = (struct cell){
            .flips = {DEADLINES_NONE, DEADLINES_NONE}, .tests = {NONE, NONE}, .last = NONE};
    return set_initial(cells);
}

static void take(struct cells *cells, uint32_t operation)
{
    struct decision *decision = cells->decision;
    decision->linearization.items[decision->linearization.length++] = operation;
    assert(cells->kinds[operation] < KIND_DROPPED);
    cells->kinds[operation] = KIND_DONE;
}

/* Fires a flip of the direction that is due, and the tests that waited for it; false: none runs. */
static bool flip(struct cells *cells, struct cell *cell)
{
    bool after = !cell->set;
    uint32_t fired = cell->flips[after];
    if (fired == DEADLINES_NONE)
        return false;
    cell->flips[after] = deadlines_take(&cells->deadlines, fired);
    cell->set = after;
    cell->last = fired;
    take(cells, fired);
    for (uint32_t test = cell->tests[after]; test != NONE;
         test = cells->deadlines.links[test].sibling)
        take(cells, test);
    cell->tests[after] = NONE;
    return true;
}

static void invoked(struct cells *cells, uint32_t operation)
{
    struct cell *cell = cell_of(cells, operation);
    enum kind kind = cells->kinds[operation];
    bool bit = kind & 1;
    if (kind == KIND_DROPPED)
        return;
    if (kind == KIND_FLIP_SET || kind == KIND_FLIP_CLEAR) {
        cell->flips[bit] = deadlines_add(&cells->deadlines, cell->flips[bit], operation);
    } else if (kind == KIND_FREE || cell->set == bit) {
        take(cells, operation);
    } else {
        cells->deadlines.links[operation].sibling = cell->tests[bit];
        cell->tests[bit] = operation;
    }
}

/* Lets everything take place; false when an operation, `stuck`, cannot. */
static enum step cells_walk(struct cells *cells)
{
    const struct interval *intervals = cells->part->intervals;
    if (!cells_reset(cells))
        return STEP_REFUSED;
    for (uint32_t looked = LOOK_FIRST, position = 0; position < cells->part->positions;
         position++) {
        if (limits_look(cells->limits, &looked))
            return STEP_REFUSED;
        uint32_t operation = cells->at[position];
        if (intervals[operation].invoke == position) {
            invoked(cells, operation);
            continue;
        }
        while (cells->kinds[operation] < KIND_FREE)
            if (!flip(cells, cell_of(cells, operation))) {
                cells->stuck = operation;
                return STEP_VIOLATION;
            }
    }
    return STEP_READY;
}

/* In the object's own terms. */
static void explain(const struct cells *cells)
{
    const struct part *part = cells->part;
    const struct call *call = &part->intervals[cells->stuck].call;
    const struct cell *cell = cell_of(cells, cells->stuck);
    struct text *reason = &cells->decision->reason;
    spec_print_call(part->spec, call, reason);
    if (part->spec->class == &set_class) {
        text_append(reason, ", though ");
        value_print_edn(call->argument, reason);
        text_append(reason, cell->set ? " was in the set" : " was not in the set");
        return;
    }
    text_append(reason, " by ");
    print_process(cells, cells->stuck);
    if (part->spec->class == &semaphore_class) {
        text_append(reason, cell->set ? " while no permit was free" : " while the permit was free");
    } else if (!cell->set) {
        text_append(reason, " while the mutex was free");
    } else if (cell->last == NONE) {
        text_append(reason, " while the mutex was held, as it had been from the beginning");
    } else {
        text_append(reason, " while ");
        print_process(cells, cell->last);
        text_append(reason, " held the mutex");
    }
}

/* What cannot take place and what brought the bit to where it is, backed by every completed
 * operation on the cell of `stuck` up to its response: no pending one may take
 * the place of any of them. Those that cannot change the bit even so are left out if the violation
 * is there without them. */
static enum step show(struct cells *cells)
{
    const struct part *part = cells->part;
    bool is_set = part->spec->class == &set_class, without_tests = is_set;
    const struct cell *cell = cell_of(cells, cells->stuck);
    uint32_t stuck = cells->stuck;
    if (!vector_push(&cells->decision->evidence, stuck) ||
        (cell->last != NONE && !vector_push(&cells->decision->evidence, cell->last)))
        return STEP_REFUSED;
    decision_spoken(cells->decision);
    for (uint32_t i = 0; is_set && i < part->count; i++) {
        bool test = part->intervals[i].call.operation == SET_CONTAINS && i != stuck;
        cells->kinds[i] =
            (uint8_t)(cell_of(cells, i) != cell || test ? KIND_DROPPED : kind_of(part, i));
    }
    enum step step = is_set ? cells_walk(cells) : STEP_READY;
    if (step == STEP_REFUSED)
        return step;
    if (step == STEP_VIOLATION)
        stuck = cells->stuck;
    else
        without_tests = false;
    uint32_t end = part->intervals[stuck].response;
    for (uint32_t i = 0; i < part->count && part->intervals[i].invoke < end; i++) {
        bool test = is_set && part->intervals[i].call.operation == SET_CONTAINS && i != stuck;
        if (cell_of(cells, i) == cell && part->intervals[i].response != POSITION_NEVER &&
            !(test && without_tests) && !vector_push(&cells->decision->evidence, i))
            return STEP_REFUSED;
    }
    return STEP_VIOLATION;
}

static enum step cells_decide(struct cells *cells)
{
    if (!cells_create(cells))
        return STEP_REFUSED;
    TRY_STEP(owned_check(cells->part, cells->arena, cells, NULL));
    enum step step = cells_walk(cells);
    if (step != STEP_VIOLATION)
        return step;
    explain(cells);
    return show(cells);
}

static enum step bit_decide(const struct part *part, struct limits *limits, struct arena *arena,
                            struct decision *decision)
{
    struct cells cells = {.part = part, .limits = limits, .decision = decision, .arena = arena};
    decision->explored = part->positions;
    return cells_decide(&cells);
}

const struct monitor bit_monitor = {cells_applies, NULL, bit_decide, GIVES_UP_PENDING};
