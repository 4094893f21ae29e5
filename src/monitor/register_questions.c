/* Orders the blocks of a register once more, where some operations do not say which write they
 * found: questions (a get of what was deleted several times, a cas that failed), and conditional
 * writes (a cas that replaced what was deleted). A walk over the positions, as in register_walk.c,
 * on which zones are where they must be, and a block without a zone takes place as late as it may:
 * when the first of its operations is over, or when a zone begins beyond which it cannot wait.
 *
 * So a question that is over and has not found its answer can have one of the blocks that wait, and
 * whose last value is right, take place just before: that which is due first. Writes that are
 * pending, and need not have happened, wait for ever. Where something is not found because of the
 * order of what was placed in front of it, that is learnt, and the walk is done again. An order
 * that is found is right, for whoever asks for it checks it; where none is found another may be
 * there, unless a question lies within the zone of a block of one value, which is no answer. */
#include "monitor/register.h"

#include <assert.h>

#include "monitor/deadlines.h"

/* What was learnt of a block, by what of it is due, when an order was not found. */
enum hint {
    HINT_NONE,
    HINT_HASTY,   /* it takes place before what comes next, of the other sort */
    HINT_PATIENT, /* it does not, though that would be better for what is asked next */
};

/* So many positions are walked over at most, but once over all. */
#define MOST_WALKED 2000000

struct schedule {
    struct blocks *blocks;
    struct deadlines deadlines;
    uint32_t *due;    /* by cluster: the operation of its block that is over first */
    uint32_t *events; /* by position: the operation invoked or over there */
    uint32_t *starts; /* by position: the block whose zone begins there, NONE */
    /* By position: the first operation invoked there or later that asks whether something is there;
     * NONE. */
    uint32_t *next_question;
    uint8_t *hints;   /* by operation: enum hint */
    uint32_t *placed; /* by operation: where the walk was when it took place */

    /* Heaps of blocks that wait, each by its operation that is over first: those that leave
     * nothing, those that begin with a conditional write, and others. */
    uint32_t deletions, conditionals, others;
    /* By cluster: lists, by the links of deadlines, of the pending swaps of its value that need not
     * have happened. */
    uint32_t *swaps;
    uint32_t *questions; /* those that run and are not answered */
    uint32_t question_count;

    uint32_t position, upcoming; /* where the walk is; where the next zone begins, or before that */
    uint32_t zone, next; /* the block whose zone we are in, NONE: in none; its next operation */
    value holds;
    bool is_entering;   /* a zone */
    bool lost;          /* a block that had to take place found another value than it replaced */
    uint32_t misplaced; /* the question or conditional write that came too late; NONE */
};

static bool answers(const struct schedule *schedule, value v, uint32_t question)
{
    struct access access = access_of(schedule->blocks, question);
    return (access.kind == ACCESS_READ) == (access.expected == v);
}

static void take(struct schedule *schedule, uint32_t operation)
{
    struct decision *decision = schedule->blocks->decision;
    decision->linearization.items[decision->linearization.length++] = operation;
}

/* An operation of a block takes place, and behind it all that asked for what it leaves. */
static void happen(struct schedule *schedule, uint32_t operation)
{
    uint32_t left = 0;
    take(schedule, operation);
    schedule->placed[operation] = schedule->position;
    schedule->holds = value_after(schedule->blocks, operation);
    for (uint32_t i = 0; i < schedule->question_count; i++) {
        uint32_t question = schedule->questions[i];
        if (answers(schedule, schedule->holds, question))
            take(schedule, question);
        else
            schedule->questions[left++] = question;
    }
    schedule->question_count = left;
}

static uint32_t begin_of(const struct schedule *schedule, uint32_t operation)
{
    uint32_t block = schedule->blocks->block[operation];
    return block < BLOCK_DROPPED ? cluster_begin(&schedule->blocks->clusters[block]) : operation;
}

static uint32_t end_of(const struct schedule *schedule, uint32_t operation)
{
    uint32_t block = schedule->blocks->block[operation];
    return block < BLOCK_DROPPED ? schedule->blocks->clusters[block].end : operation;
}

static value left_by(const struct schedule *schedule, uint32_t operation)
{
    return value_after(schedule->blocks, end_of(schedule, operation));
}

static uint32_t *heap_of(struct schedule *schedule, uint32_t operation)
{
    if (left_by(schedule, operation) == schedule->blocks->accesses.absent)
        return &schedule->deletions;
    return is_conditional(schedule->blocks, begin_of(schedule, operation)) ? &schedule->conditionals
                                                                           : &schedule->others;
}

/* Whether the block's first operation may come now. */
static bool may_begin(const struct schedule *schedule, uint32_t begin)
{
    return !is_conditional(schedule->blocks, begin) ||
           access_of(schedule->blocks, begin).expected == schedule->holds;
}

static bool place_first(struct schedule *schedule, uint32_t *heap);
static bool place_deletion(struct schedule *schedule);

static uint32_t due_at(const struct schedule *schedule, uint32_t heap)
{
    return heap == DEADLINES_NONE ? POSITION_NEVER
                                  : schedule->blocks->part->intervals[heap].response;
}

/* Something else than a conditional write comes next: one that waits finds here what it needs. */
static void use_absence(struct schedule *schedule)
{
    if (schedule->holds == schedule->blocks->accesses.absent &&
        due_at(schedule, schedule->conditionals) != POSITION_NEVER)
        place_first(schedule, &schedule->conditionals);
}

/* A block that waited takes place; it is in no heap. */
static bool place(struct schedule *schedule, uint32_t operation, bool may_delete)
{
    uint32_t at = begin_of(schedule, operation), end = end_of(schedule, operation);
    if (!is_conditional(schedule->blocks, at) &&
        left_by(schedule, operation) != schedule->blocks->accesses.absent)
        use_absence(schedule);
    if (!may_begin(schedule, at) && !(may_delete && place_deletion(schedule))) {
        schedule->lost = true;
        schedule->misplaced = at;
        return false;
    }
    for (; at != end; at = schedule->blocks->next[at])
        happen(schedule, at);
    happen(schedule, end);
    return true;
}

/* Whether the operation asks whether something is there, and is answered that it is not. */
static bool finds_nothing(const struct schedule *schedule, uint32_t operation)
{
    return operation != NONE && access_of(schedule->blocks, operation).kind != ACCESS_FAILED;
}

/* Whether what waits had better take place in front of what comes now, of the other sort: behind
 * it, what is asked next finds what comes now, and in between nobody needs the other. */
static bool comes_before(const struct schedule *schedule, uint32_t waiting, bool nothing)
{
    const struct interval *intervals = schedule->blocks->part->intervals;
    const uint32_t due = intervals[waiting].response;
    const bool is_plain = !is_conditional(schedule->blocks, begin_of(schedule, waiting));
    const uint32_t now = schedule->next_question[schedule->position],
                   then = schedule->next_question[due];
    if (schedule->hints[waiting] != HINT_NONE || !is_plain)
        return schedule->hints[waiting] == HINT_HASTY;
    if (then == NONE || finds_nothing(schedule, then) != nothing)
        return false;
    return finds_nothing(schedule, now) == nothing || intervals[now].invoke > due;
}

/* What waits in a heap and is better in front of what comes now, of the other sort. */
static void place_before(struct schedule *schedule, uint32_t *heap, bool nothing)
{
    uint32_t kept = DEADLINES_NONE;
    while (due_at(schedule, *heap) != POSITION_NEVER) {
        uint32_t first = *heap;
        *heap = deadlines_take(&schedule->deadlines, first);
        if (may_begin(schedule, begin_of(schedule, first)) &&
            comes_before(schedule, first, nothing))
            place(schedule, first, false);
        else
            kept = deadlines_add(&schedule->deadlines, kept, first);
    }
    *heap = deadlines_merge(&schedule->deadlines, kept, *heap);
}

static bool place_first(struct schedule *schedule, uint32_t *heap)
{
    uint32_t first = *heap;
    if (first == DEADLINES_NONE)
        return false;
    *heap = deadlines_take(&schedule->deadlines, first);
    if (heap == &schedule->deletions) {
        place_before(schedule, &schedule->conditionals, true);
        place_before(schedule, &schedule->others, true);
    } else if (!schedule->is_entering &&
               schedule->conditionals == DEADLINES_NONE) /* else they are needed */
        place_before(schedule, &schedule->deletions, false);
    return place(schedule, first, heap != &schedule->deletions);
}

/* So that a conditional write finds what it found. */
static bool place_deletion(struct schedule *schedule)
{
    return place_first(schedule, &schedule->deletions);
}

/* The list of pending swaps of the value that the register holds; null if nobody found that. */
static uint32_t *swaps_of(struct schedule *schedule, value found)
{
    uint32_t number = numbering_find(&schedule->blocks->numbering, found);
    return number == NUMBER_NONE ? NULL : &schedule->swaps[number];
}

/* Has a pending swap of what the register holds take place; false if there is none. */
static bool swap_pending(struct schedule *schedule)
{
    uint32_t *list = swaps_of(schedule, schedule->holds);
    if (!list || *list == DEADLINES_NONE)
        return false;
    uint32_t swap = *list;
    *list = schedule->deadlines.links[swap].sibling;
    happen(schedule, swap);
    return true;
}

static bool enter(struct schedule *schedule, uint32_t block);

/* Has the next zone begin now, if its first operation has been invoked and answers the question. */
static bool enter_early(struct schedule *schedule, uint32_t question)
{
    const struct blocks *blocks = schedule->blocks;
    uint32_t *starts = schedule->starts, at = schedule->upcoming;
    while (at < blocks->part->positions && (at <= schedule->position || starts[at] == NONE))
        at++;
    schedule->upcoming = at;
    if (at == blocks->part->positions || schedule->is_entering)
        return false;
    const uint32_t block = starts[at], begin = cluster_begin(&blocks->clusters[block]);
    if (blocks->part->intervals[begin].invoke > schedule->position ||
        !answers(schedule, value_after(blocks, begin), question))
        return false;
    starts[at] = NONE;
    return enter(schedule, block);
}

/* Has a block take place that answers a question; false if none is found. */
static bool settle(struct schedule *schedule, uint32_t question)
{
    const value absent = schedule->blocks->accesses.absent;
    const bool failed = access_of(schedule->blocks, question).kind == ACCESS_FAILED;
    const bool may_create = schedule->holds == absent || schedule->deletions != DEADLINES_NONE;
    uint32_t *const heaps[] = {&schedule->others, may_create ? &schedule->conditionals : NULL,
                               &schedule->deletions};
    uint32_t *chosen = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(heaps); i++)
        if (heaps[i] && *heaps[i] != DEADLINES_NONE &&
            answers(schedule, left_by(schedule, *heaps[i]), question) &&
            (!chosen || due_at(schedule, *heaps[i]) < due_at(schedule, *chosen)))
            chosen = heaps[i];
    if ((!chosen || due_at(schedule, *chosen) == POSITION_NEVER) &&
        (enter_early(schedule, question) || (failed && swap_pending(schedule))))
        return true;
    return chosen && place_first(schedule, chosen);
}

/* All blocks that are due before a position; deletions last, for what must find one. */
static bool place_due(struct schedule *schedule, uint32_t position)
{
    uint32_t *const heaps[] = {&schedule->others, &schedule->conditionals, &schedule->deletions};
    for (size_t i = 0; i < ARRAY_LENGTH(heaps); i++)
        while (due_at(schedule, *heaps[i]) < position)
            if (!place_first(schedule, heaps[i]))
                return false;
    return true;
}

/* Goes on in a zone: all of its operations that have been invoked. */
static void advance(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    const struct cluster *head = &blocks->clusters[schedule->zone];
    while (schedule->next != NONE &&
           blocks->part->intervals[schedule->next].invoke <= schedule->position) {
        uint32_t operation = schedule->next;
        schedule->next = operation == head->end ? NONE : blocks->next[operation];
        happen(schedule, operation);
    }
    if (schedule->position >= head->last) {
        assert(schedule->next == NONE);
        schedule->zone = NONE;
    }
}

/* The questions that are over before the zone is, and which its first value does not answer; those
 * that ask for a deletion last, for what must find one. */
static void settle_before(struct schedule *schedule, const struct cluster *head)
{
    const struct blocks *blocks = schedule->blocks;
    const value first = value_after(blocks, cluster_begin(head));
    for (int asks = 0; asks < 2; asks++)
        for (uint32_t i = 0; i < schedule->question_count;) {
            uint32_t question = schedule->questions[i], before = schedule->question_count;
            bool reads = access_of(blocks, question).kind == ACCESS_READ;
            if (reads != (asks == 1) || answers(schedule, first, question) ||
                blocks->part->intervals[question].response > head->last ||
                !settle(schedule, question) || schedule->question_count == before)
                i++;
            else
                i = 0;
        }
}

/* In front of a zone. */
static void place_hasty(struct schedule *schedule)
{
    uint32_t *const heaps[] = {&schedule->others, &schedule->conditionals, &schedule->deletions};
    for (size_t i = 0; i < ARRAY_LENGTH(heaps); i++)
        while (*heaps[i] != DEADLINES_NONE && schedule->hints[*heaps[i]] == HINT_HASTY)
            if (!place_first(schedule, heaps[i]))
                return;
}

static bool enter(struct schedule *schedule, uint32_t block)
{
    const struct cluster *head = &schedule->blocks->clusters[block];
    schedule->is_entering = true;
    place_hasty(schedule);
    if (place_due(schedule, head->last))
        settle_before(schedule, head);
    schedule->is_entering = false;
    if (!is_conditional(schedule->blocks, cluster_begin(head)))
        use_absence(schedule);
    else if (!may_begin(schedule, cluster_begin(head)) && !place_deletion(schedule)) {
        schedule->lost = true;
        schedule->misplaced = cluster_begin(head);
    }
    if (schedule->lost)
        return false;
    schedule->zone = block;
    schedule->next = cluster_begin(head);
    advance(schedule);
    return true;
}

static void invocation(struct schedule *schedule, uint32_t operation)
{
    struct blocks *blocks = schedule->blocks;
    const uint32_t position = blocks->part->intervals[operation].invoke;
    uint32_t block = blocks->block[operation], due = operation;
    if (is_question(blocks, operation)) {
        if (answers(schedule, schedule->holds, operation))
            take(schedule, operation);
        else
            schedule->questions[schedule->question_count++] = operation;
        return;
    }
    if (block == BLOCK_FREE) {
        take(schedule, operation);
        return;
    }
    if (block == BLOCK_DROPPED) { /* it may help, if it happened */
        struct access access = access_of(blocks, operation);
        uint32_t *list = access.kind == ACCESS_SWAP ? swaps_of(schedule, access.expected) : NULL;
        if (list) {
            schedule->deadlines.links[operation].sibling = *list;
            *list = operation;
        }
        if (blocks->kinds[operation] != ACCESS_WRITE)
            return;
    } else if (block == schedule->zone) {
        advance(schedule);
        return;
    } else if (block != BLOCK_ALONE) {
        const struct cluster *head = &blocks->clusters[block];
        if (head->initial || head->first < head->last || head->last != position)
            return;
        due = schedule->due[block];
    }
    if (schedule->zone != NONE &&
        blocks->part->intervals[due].response < blocks->clusters[schedule->zone].last)
        schedule->lost = true; /* the zone began too early */
    uint32_t *heap = heap_of(schedule, due);
    *heap = deadlines_add(&schedule->deadlines, *heap, due);
}

static enum step response(struct schedule *schedule, uint32_t operation)
{
    const struct blocks *blocks = schedule->blocks;
    const struct interval *interval = &blocks->part->intervals[operation];
    if (schedule->zone == NONE && !place_due(schedule, interval->response + 1))
        return STEP_UNDECIDED;
    for (uint32_t i = 0; i < schedule->question_count; i++) {
        if (schedule->questions[i] != operation)
            continue;
        const struct cluster *head = &blocks->clusters[schedule->zone];
        if (schedule->zone == NONE) {
            schedule->misplaced = operation;
            if (settle(schedule, operation) &&
                (schedule->question_count <= i || schedule->questions[i] != operation)) {
                schedule->misplaced = NONE;
                return STEP_READY;
            }
            return STEP_UNDECIDED;
        }
        bool within = head->initial || head->first < interval->invoke;
        return within && head->swap == NONE
                   ? blocks_held_throughout(schedule->blocks, schedule->zone, operation)
                   : STEP_UNDECIDED;
    }
    return STEP_READY;
}

static bool schedule_init(struct schedule *schedule, struct blocks *blocks)
{
    const struct part *part = blocks->part;
    struct arena *arena = blocks->arena;
    const size_t clusters = blocks->numbering.count;
    *schedule = (struct schedule){
        .blocks = blocks,
        .deadlines = {.intervals = part->intervals,
                      .links =
                          arena_allocate(arena, part->count * sizeof *schedule->deadlines.links)},
        .due = arena_allocate(arena, clusters * sizeof *schedule->due),
        .swaps = arena_allocate(arena, clusters * sizeof *schedule->swaps),
        .events = operations_by_position(part, arena),
        .next_question = arena_allocate(arena, part->positions * sizeof *schedule->next_question),
        .starts = arena_allocate(arena, part->positions * sizeof *schedule->starts),
        .questions = arena_allocate(arena, blocks->open * sizeof *schedule->questions),
        .placed = arena_allocate(arena, part->count * sizeof *schedule->placed),
        .hints = arena_allocate(arena, part->count)};
    return schedule->deadlines.links && schedule->due && schedule->swaps && schedule->events &&
           schedule->next_question && schedule->starts && schedule->questions && schedule->placed &&
           schedule->hints;
}

/* What stays the same from walk to walk. */
static void schedule_prepare(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    const struct part *part = blocks->part;
    memset(schedule->hints, 0, part->count);
    for (uint32_t i = 0; i < blocks->numbering.count; i++) {
        const struct cluster *head = &blocks->clusters[i];
        if (head->end == NONE)
            continue;
        uint32_t at = schedule->due[i] = cluster_begin(head);
        while (at != head->end) {
            at = blocks->next[at];
            if (part->intervals[at].response < part->intervals[schedule->due[i]].response)
                schedule->due[i] = at;
        }
    }
    for (uint32_t at = part->positions, next = NONE; at-- > 0; schedule->next_question[at] = next) {
        uint32_t operation = schedule->events[at];
        bool asks = is_question(blocks, operation) || is_conditional(blocks, operation);
        if (part->intervals[operation].invoke == at && asks && !is_pending(blocks, operation) &&
            access_of(blocks, operation).expected == blocks->accesses.absent)
            next = operation;
    }
}

static void schedule_begin(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    schedule->deletions = schedule->conditionals = schedule->others = DEADLINES_NONE;
    schedule->question_count = schedule->upcoming = 0;
    schedule->zone = schedule->next = schedule->misplaced = NONE;
    schedule->lost = false;
    schedule->holds = blocks->accesses.initial;
    blocks->decision->linearization.length = 0;
    memset(schedule->starts, 0xff, blocks->part->positions * sizeof *schedule->starts);
    for (uint32_t i = 0; i < blocks->numbering.count; i++) {
        const struct cluster *head = &blocks->clusters[i];
        schedule->swaps[i] = DEADLINES_NONE;
        if (head->end != NONE && (head->initial || head->first < head->last))
            schedule->starts[head->first] = i;
    }
}

static enum step walk_questions(struct schedule *schedule)
{
    const struct part *part = schedule->blocks->part;
    for (uint32_t looked = LOOK_FIRST, position = 0; position < part->positions; position++) {
        if (limits_look(schedule->blocks->limits, &looked))
            return STEP_REFUSED;
        const uint32_t operation = schedule->events[position], start = schedule->starts[position];
        schedule->position = position;
        if ((start != NONE && !enter(schedule, start)) || schedule->lost)
            return STEP_UNDECIDED;
        if (part->intervals[operation].invoke == position)
            invocation(schedule, operation);
        else
            TRY_STEP(response(schedule, operation));
    }
    return STEP_READY;
}

/* False if the block of the operation has one already. */
static bool give_hint(struct schedule *schedule, uint32_t operation, enum hint hint)
{
    const uint32_t block = schedule->blocks->block[operation];
    uint8_t *given = &schedule->hints[block < BLOCK_DROPPED ? schedule->due[block] : operation];
    if (*given == HINT_PATIENT || *given == hint)
        return false;
    *given = (uint8_t)hint;
    return true;
}

/* Whether it has changed the register, or was read from a block. */
static bool is_of_block(const struct blocks *blocks, uint32_t operation)
{
    return !is_question(blocks, operation) && blocks->block[operation] != BLOCK_FREE;
}

/* Where something came too late, whether it would not have if the blocks between what it needs and
 * the end so far had taken place in front of that; then they will. */
static bool learn(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    const struct decision *decision = blocks->decision;
    if (schedule->misplaced == NONE ||
        access_of(blocks, schedule->misplaced).expected != blocks->accesses.absent)
        return false;
    const bool nothing = finds_nothing(schedule, schedule->misplaced);
    size_t from = decision->linearization.length, at = from;
    uint32_t needed = NONE;
    while (at-- > 0 && needed == NONE) {
        uint32_t operation = decision->linearization.items[at];
        if (!is_of_block(blocks, operation))
            continue;
        if ((value_after(blocks, operation) == blocks->accesses.absent) == nothing)
            needed = operation;
        else
            from = at;
    }
    if (needed == NONE)
        return false;
    bool learnt = false;
    for (size_t i = from; i < decision->linearization.length; i++) {
        uint32_t operation = decision->linearization.items[i];
        if (!is_of_block(blocks, operation))
            continue;
        if (blocks->part->intervals[operation].invoke > schedule->placed[needed])
            return learnt;
        learnt |= give_hint(schedule, operation, HINT_HASTY);
    }
    return learnt || give_hint(schedule, needed, HINT_PATIENT);
}

enum step blocks_answer(struct blocks *blocks)
{
    struct schedule schedule;
    if (!schedule_init(&schedule, blocks))
        return STEP_REFUSED;
    schedule_prepare(&schedule);
    enum step step = STEP_UNDECIDED;
    uint64_t walked = 0;
    do {
        schedule_begin(&schedule);
        step = walk_questions(&schedule);
        walked += blocks->part->positions;
    } while (step == STEP_UNDECIDED && walked < MOST_WALKED && learn(&schedule));
    return step;
}
