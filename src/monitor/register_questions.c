/* Orders the blocks of a register once more, where some operations do not say which write they
 * found: questions (a get of what was deleted several times, a cas that failed), and conditional
 * writes (a cas that replaced what was deleted). A walk over the positions, as in register_walk.c,
 * on which zones are where they must be, and a block without a zone takes place as late as it may:
 * when the first of its operations is over, or when a zone begins beyond which it cannot wait;
 * and so does each operation of a block that has begun, until something else has to come.
 *
 * So a question that is over and has not found its answer can have one of the blocks that wait, and
 * whose last value is right, take place just before: that which is due first. Writes that are
 * pending, and need not have happened, wait for ever. Or a block begins before it is whole, and is
 * as a zone until it is. Where something is not found because of the order of what was placed in
 * front of it, that is learnt (register_learn.c), and the walk goes on from a moment before, at
 * which nothing waited. An order that is found is right, for whoever asks for it checks it; where
 * none is found another may be there, unless a question lies within the zone of a block of one
 * value, which is no answer. */
#include "monitor/register_learn.h"

#include <assert.h>

/* So many positions are walked over at most, and so many times all of them. */
#define MOST_WALKED 2000000
#define MOST_WALKS  2

/* So many positions are between two moments from which the walk may go on, at least. */
#define QUIET_EACH 64

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
    if (schedule->hints[operation] == HINT_EARLY)
        return &schedule->early;
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

/* The next operation of the block that came last takes place; it has been invoked. */
static void go_on(struct schedule *schedule)
{
    const uint32_t operation = schedule->next;
    schedule->next =
        operation == end_of(schedule, operation) ? NONE : schedule->blocks->next[operation];
    happen(schedule, operation);
}

/* Another block comes. */
static void end_block(struct schedule *schedule)
{
    while (schedule->next != NONE)
        go_on(schedule);
}

/* Whether an operation of the block that came last answers a question. */
static bool settle_within(struct schedule *schedule, uint32_t question)
{
    const struct interval *intervals = schedule->blocks->part->intervals;
    while (schedule->next != NONE && intervals[schedule->next].invoke <= schedule->position) {
        go_on(schedule);
        if (answers(schedule, schedule->holds, question))
            return true;
    }
    return false;
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
    const uint32_t at = begin_of(schedule, operation);
    end_block(schedule);
    if (!is_conditional(schedule->blocks, at) &&
        left_by(schedule, operation) != schedule->blocks->accesses.absent)
        use_absence(schedule);
    end_block(schedule);
    if (!may_begin(schedule, at) && !(may_delete && place_deletion(schedule))) {
        schedule->lost = true;
        schedule->misplaced = at;
        return false;
    }
    end_block(schedule);
    schedule->next = at;
    go_on(schedule);
    return true;
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
        end_block(schedule);
        if (may_begin(schedule, begin_of(schedule, first)) &&
            comes_before(schedule, first, nothing))
            place(schedule, first, false);
        else
            kept = deadlines_add(&schedule->deadlines, kept, first);
    }
    *heap = deadlines_merge(&schedule->deadlines, kept, *heap);
}

/* What is to come before all else. */
static bool place_early(struct schedule *schedule)
{
    while (schedule->early != DEADLINES_NONE)
        if (!place_first(schedule, &schedule->early))
            return false;
    return true;
}

static bool place_first(struct schedule *schedule, uint32_t *heap)
{
    end_block(schedule);
    if (*heap != DEADLINES_NONE && heap != &schedule->early && !place_early(schedule))
        return false;
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
    end_block(schedule);
    uint32_t *list = swaps_of(schedule, schedule->holds);
    if (!list || *list == DEADLINES_NONE)
        return false;
    uint32_t swap = *list;
    *list = schedule->deadlines.links[swap].sibling;
    happen(schedule, swap);
    return true;
}

static bool enter(struct schedule *schedule, uint32_t block);

/* The cluster's block waits as long as it may. */
static bool is_patient(const struct schedule *schedule, uint32_t block)
{
    return schedule->hints[schedule->due[block]] == HINT_PATIENT;
}

/* Where the next zone begins that has not. */
static uint32_t next_start(struct schedule *schedule)
{
    const uint32_t positions = schedule->blocks->part->positions;
    uint32_t at = schedule->upcoming;
    while (at < positions && (at <= schedule->position || schedule->starts[at] == NONE))
        at++;
    return schedule->upcoming = at;
}

/* A block without a zone is whole, or we are in it. */
static void end_opening(struct schedule *schedule, uint32_t block)
{
    uint32_t at = 0;
    while (at < schedule->opening_count && schedule->opening[at] != block)
        at++;
    if (at < schedule->opening_count)
        schedule->opening[at] = schedule->opening[--schedule->opening_count];
}

/* Has a block without a zone begin now that has been invoked in part, and answers the question: the
 * one that is whole first. Until it is we are in it as in a zone. */
static bool enter_opening(struct schedule *schedule, uint32_t question)
{
    const struct blocks *blocks = schedule->blocks;
    uint32_t chosen = NONE;
    for (uint32_t i = 0; i < schedule->opening_count && !schedule->is_entering; i++) {
        const uint32_t block = schedule->opening[i];
        const struct cluster *head = &blocks->clusters[block];
        if (answers(schedule, value_after(blocks, cluster_begin(head)), question) &&
            !is_patient(schedule, block) &&
            (chosen == NONE || head->last < blocks->clusters[chosen].last))
            chosen = block;
    }
    if (chosen == NONE || next_start(schedule) < blocks->clusters[chosen].last)
        return false;
    schedule->hurried = chosen;
    end_opening(schedule, chosen);
    return enter(schedule, chosen);
}

/* Has the next zone begin now, if its first operation has been invoked and answers the question. */
static bool enter_early(struct schedule *schedule, uint32_t question)
{
    const struct blocks *blocks = schedule->blocks;
    const uint32_t *starts = schedule->starts;
    const uint32_t at = next_start(schedule);
    if (at == blocks->part->positions || schedule->is_entering)
        return false;
    const uint32_t block = starts[at], begin = cluster_begin(&blocks->clusters[block]);
    if (blocks->part->intervals[begin].invoke > schedule->position ||
        !answers(schedule, value_after(blocks, begin), question) || is_patient(schedule, block))
        return false;
    schedule->hurried = block;
    return enter(schedule, block);
}

/* Has a block take place that answers a question; false if none is found. */
static bool settle(struct schedule *schedule, uint32_t question)
{
    const value absent = schedule->blocks->accesses.absent;
    const bool failed = access_of(schedule->blocks, question).kind == ACCESS_FAILED;
    if (schedule->early != DEADLINES_NONE)
        return place_early(schedule);
    if (settle_within(schedule, question))
        return true;
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
        (enter_opening(schedule, question) || enter_early(schedule, question) ||
         (failed && swap_pending(schedule))))
        return true;
    return chosen && place_first(schedule, chosen);
}

/* All blocks that are due before a position; deletions last, for what must find one. */
static bool place_due(struct schedule *schedule, uint32_t position)
{
    uint32_t *const heaps[] = {&schedule->early, &schedule->others, &schedule->conditionals,
                               &schedule->deletions};
    for (size_t i = 0; i < ARRAY_LENGTH(heaps); i++)
        while (due_at(schedule, *heaps[i]) < position)
            if (!place_first(schedule, heaps[i]))
                return false;
    return true;
}

/* Where the zone is over: its last operations wait like those of other blocks. */
static void leave(struct schedule *schedule)
{
    if (schedule->position >= schedule->blocks->clusters[schedule->zone].last)
        schedule->zone = schedule->hurried = NONE;
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
    end_block(schedule);
    schedule->is_entering = true;
    place_hasty(schedule);
    if (place_early(schedule) && place_due(schedule, head->last))
        settle_before(schedule, head);
    schedule->is_entering = false;
    end_block(schedule);
    if (!is_conditional(schedule->blocks, cluster_begin(head)))
        use_absence(schedule);
    else if (!may_begin(schedule, cluster_begin(head)) && !place_deletion(schedule)) {
        schedule->lost = true;
        schedule->misplaced = cluster_begin(head);
    }
    if (schedule->lost)
        return false;
    end_block(schedule);
    if (schedule->hurried != block)
        schedule->hurried = NONE;
    schedule->zone = block;
    schedule->next = cluster_begin(head);
    if (!head->initial) /* else it may be a read that has not been invoked */
        go_on(schedule);
    leave(schedule);
    return true;
}

/* Whether an operation of a block makes it whole; without a zone. */
static bool completes(struct schedule *schedule, uint32_t block, uint32_t operation)
{
    const struct cluster *head = &schedule->blocks->clusters[block];
    if (has_zone(head))
        return false;
    if (head->last == schedule->blocks->part->intervals[operation].invoke) {
        end_opening(schedule, block);
        return true;
    }
    if (operation == cluster_begin(head) && !is_conditional(schedule->blocks, operation))
        schedule->opening[schedule->opening_count++] = block;
    return false;
}

static void invocation(struct schedule *schedule, uint32_t operation)
{
    struct blocks *blocks = schedule->blocks;
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
        leave(schedule);
        return;
    } else if (block != BLOCK_ALONE) {
        if (!completes(schedule, block, operation))
            return;
        due = schedule->due[block];
    }
    if (schedule->zone != NONE &&
        blocks->part->intervals[due].response < blocks->clusters[schedule->zone].last) {
        schedule->lost = true; /* the zone began too early */
        schedule->too_early = schedule->hurried;
    }
    uint32_t *heap = heap_of(schedule, due);
    *heap = deadlines_add(&schedule->deadlines, *heap, due);
}

static enum step response(struct schedule *schedule, uint32_t operation)
{
    const struct blocks *blocks = schedule->blocks;
    const struct interval *interval = &blocks->part->intervals[operation];
    if (schedule->zone == NONE && !place_due(schedule, interval->response + 1))
        return STEP_UNDECIDED;
    while (schedule->next != NONE && schedule->placed[operation] == NONE &&
           blocks->block[operation] == blocks->block[schedule->next])
        go_on(schedule);
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
        if (settle_within(schedule, operation))
            return STEP_READY;
        schedule->too_early = schedule->hurried;
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
        .opening = arena_allocate(arena, clusters * sizeof *schedule->opening),
        .questions = arena_allocate(arena, blocks->open * sizeof *schedule->questions),
        .placed = arena_allocate(arena, part->count * sizeof *schedule->placed),
        .unused = arena_allocate(arena, part->pending * sizeof *schedule->unused),
        .quiet =
            arena_allocate(arena, (part->positions / QUIET_EACH + 1) * sizeof *schedule->quiet),
        .hints = arena_allocate(arena, part->count)};
    return schedule->deadlines.links && schedule->due && schedule->swaps && schedule->events &&
           schedule->next_question && schedule->starts && schedule->unused && schedule->quiet &&
           schedule->opening && schedule->questions && schedule->placed && schedule->hints;
}

/* What stays the same from walk to walk. */
static void schedule_prepare(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    const struct part *part = blocks->part;
    memset(schedule->hints, 0, part->count);
    memset(schedule->placed, 0xff, part->count * sizeof *schedule->placed);
    memset(schedule->starts, 0xff, part->positions * sizeof *schedule->starts);
    blocks->decision->linearization.length = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        const enum access_kind kind = access_of(blocks, i).kind;
        if (blocks->block[i] == BLOCK_DROPPED && (kind == ACCESS_WRITE || kind == ACCESS_SWAP))
            schedule->unused[schedule->unused_count++] = i;
    }
    for (uint32_t i = 0; i < blocks->numbering.count; i++) {
        const struct cluster *head = &blocks->clusters[i];
        schedule->swaps[i] = DEADLINES_NONE;
        if (head->end == NONE)
            continue;
        if (has_zone(head))
            schedule->starts[head->first] = i;
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

static bool is_quiet(const struct schedule *schedule)
{
    const uint32_t heaps[] = {schedule->others, schedule->conditionals, schedule->deletions};
    bool quiet = schedule->zone == NONE && schedule->next == NONE &&
                 schedule->question_count == 0 && schedule->opening_count == 0 &&
                 schedule->early == DEADLINES_NONE;
    for (size_t i = 0; i < ARRAY_LENGTH(heaps) && quiet; i++)
        quiet = due_at(schedule, heaps[i]) == POSITION_NEVER;
    return quiet;
}

static void note_quiet(struct schedule *schedule, uint32_t position)
{
    const uint32_t count = schedule->quiet_count;
    if ((count > 0 && position < schedule->quiet[count - 1].position + QUIET_EACH) ||
        !is_quiet(schedule))
        return;
    schedule->quiet[schedule->quiet_count++] =
        (struct quiet){.position = position,
                       .length = (uint32_t)schedule->blocks->decision->linearization.length,
                       .holds = schedule->holds};
}

/* What is pending, and changes something if it happened, waits, but for what has taken place. */
static void wait_unused(struct schedule *schedule, uint32_t position)
{
    const struct blocks *blocks = schedule->blocks;
    for (uint32_t i = 0; i < schedule->unused_count; i++) {
        const struct access access = access_of(blocks, schedule->unused[i]);
        uint32_t *list = access.kind == ACCESS_SWAP ? swaps_of(schedule, access.expected) : NULL;
        if (list)
            *list = DEADLINES_NONE;
    }
    for (uint32_t i = 0; i < schedule->unused_count; i++) {
        const uint32_t operation = schedule->unused[i];
        if (schedule->placed[operation] == NONE &&
            blocks->part->intervals[operation].invoke < position)
            invocation(schedule, operation);
    }
}

/* Goes back to the last moment that what was learnt leaves as it was; to the beginning if there is
 * none. */
static uint32_t schedule_begin(struct schedule *schedule)
{
    struct decision *decision = schedule->blocks->decision;
    struct quiet from = {.holds = schedule->blocks->accesses.initial};
    while (schedule->quiet_count > 0 &&
           schedule->quiet[schedule->quiet_count - 1].position > schedule->back)
        schedule->quiet_count--;
    if (schedule->quiet_count > 0)
        from = schedule->quiet[schedule->quiet_count - 1];
    schedule->deletions = schedule->conditionals = schedule->others = DEADLINES_NONE;
    schedule->early = DEADLINES_NONE;
    schedule->question_count = schedule->opening_count = 0;
    schedule->zone = schedule->next = schedule->misplaced = NONE;
    schedule->hurried = schedule->too_early = NONE;
    schedule->lost = false;
    schedule->holds = from.holds;
    schedule->upcoming = from.position;
    for (size_t i = from.length; i < decision->linearization.length; i++)
        schedule->placed[decision->linearization.items[i]] = NONE;
    decision->linearization.length = from.length;
    wait_unused(schedule, from.position);
    return from.position;
}

static enum step walk_questions(struct schedule *schedule, uint32_t from)
{
    const struct part *part = schedule->blocks->part;
    for (uint32_t looked = LOOK_FIRST, position = from; position < part->positions; position++) {
        if (limits_look(schedule->blocks->limits, &looked))
            return STEP_REFUSED;
        const uint32_t operation = schedule->events[position], start = schedule->starts[position];
        note_quiet(schedule, position);
        schedule->position = position;
        if ((start != NONE && start != schedule->zone && !enter(schedule, start)) || schedule->lost)
            return STEP_UNDECIDED;
        if (part->intervals[operation].invoke == position)
            invocation(schedule, operation);
        else
            TRY_STEP(response(schedule, operation));
    }
    end_block(schedule);
    return STEP_READY;
}

enum step blocks_answer(struct blocks *blocks)
{
    struct schedule schedule;
    if (!schedule_init(&schedule, blocks))
        return STEP_REFUSED;
    schedule_prepare(&schedule);
    enum step step = STEP_UNDECIDED;
    uint64_t walked = 0;
    const uint64_t most = MOST_WALKED + MOST_WALKS * (uint64_t)blocks->part->positions;
    do {
        const uint32_t from = schedule_begin(&schedule);
        step = walk_questions(&schedule, from);
        walked += schedule.position + 1 - from;
    } while (step == STEP_UNDECIDED && walked < most && schedule_learn(&schedule));
    return step;
}
