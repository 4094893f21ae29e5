/* The search for a queue's word (queue_search.h): when can chosen orders of enqueues and of
 * dequeues be completed to a linearization, and which configurations need not be told apart?
 *
 * Let the enqueues be e1 e2 ... in order, and the dequeues that took something d1 d2 ...; they have
 * to agree in their values as far as the latter go. What the queue held at first counts as letters
 * whose enqueue came before everything. Then
 *
 *   - ei precedes ej, and di precedes dj, for i < j; ei precedes dj for i <= j;
 *   - a dequeue that found nothing comes after e1 d1 ... ei di and before all the other letters,
 * for some i that is not less than what the queue held at first.
 *
 * Call this, with all that follows by transitivity, "earlier". It can be completed to a
 * linearization exactly if no operation responds before one that is earlier was invoked: precedence
 * is an interval order, so the shortest cycle of the two has one step of each. The order is then
 * that of the points
 *
 *   t(x) = the latest invocation among x and those earlier than x,
 *
 * which lie within their operations, for each of these was invoked before x responds.
 *
 * A configuration says which enqueues, dequeues and empty dequeues are in the order. On each of the
 * three sides all those not in it respond after the invocations of those in it, so a side is: how
 * many are in it by response without a gap, and bits for those behind the gap, which run when the
 * first that is missing responds.
 *
 * - Of alike enqueues that can be next, the one that responds first goes first; so do dequeues,
 *   while no empty dequeue is missing. Exchanging two keeps every condition. With an empty dequeue
 *   between two dequeues one does not hold for sure: all that is earlier than an empty dequeue is
 *   earlier than the enqueues behind it. There a dequeue that was invoked later waits for none.
 * - An empty dequeue goes into the order as soon as it can, which is when nothing that is missing
 *   responds before it, or something in the order, was invoked. That asks nothing of what follows.
 */
#include "search/queue_search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/faults.h"
#include "monitor/step.h"
#include "search/array_table.h"
#include "spec/queue.h"

#define SLOTS_MOST   64
#define IN_ORDER     UINT8_MAX               /* in place of a slot */
#define TICKS_A_LOOK SIZE_OR_SMALL(4096, 16) /* as in the general search */

enum {
    ENQUEUES,
    DEQUEUES,
    EMPTIES,
    SIDES
};

/* The operations of one side. A slot is an operation's from its invocation to its response. */
struct side {
    uint32_t count;
    uint32_t *by_response; /* operations */
    uint32_t *first;   /* of those that run when the i-th responds: in `running`, up to the next */
    uint32_t *running; /* operations, by response */
    VECTOR(uint32_t) open; /* while the side is made */
};

/* How much of a side is in the order. */
struct taken {
    uint64_t missing; /* the first by response that is not in it */
    uint64_t behind;  /* slots of those behind it that are */
};

struct configuration {
    struct taken sides[SIDES];
};

/* A letter that can be next. */
struct letter {
    uint32_t enqueue; /* UINT32_MAX: it was in the queue at first */
    uint32_t dequeue;
};

struct queue_frame {
    struct configuration before;
    uint32_t order; /* its length */
    uint32_t latest;
    size_t letters;  /* its letters: from here in search->letters ... */
    uint32_t tried;  /* ... so many were tried */
    uint32_t number; /* ... of so many */
};

struct queue_search {
    const struct part *part;
    struct limits *limits;
    struct arena arena;
    struct side sides[SIDES];
    uint8_t *slots;       /* by operation */
    uint32_t *ranks;      /* by operation: its place by response on its side */
    const value *initial; /* what it held at first */
    size_t initial_count;
    struct configuration now;
    uint32_t *order;
    uint32_t length;
    uint32_t latest; /* invocation of those in the order */
    uint32_t dequeued;
    struct array_table met;
    VECTOR(struct queue_frame) frames;
    VECTOR(struct letter) letters;
    uint64_t explored;
    uint32_t ticks;
};

static const struct interval *interval_of(const struct queue_search *search, uint32_t operation)
{
    return &search->part->intervals[operation];
}

/* ---- The sides ---- */

static bool is_for_it(const struct part *part)
{
    if (part->spec->class != &queue_class || part->pending > 0)
        return false;
    for (uint32_t i = 0; i < part->count; i++)
        if (part->intervals[i].call.operation == QUEUE_DEQUEUE &&
            !part->intervals[i].call.result_known)
            return false;
    return true;
}

static int side_of(const struct interval *interval)
{
    if (interval->call.operation == QUEUE_ENQUEUE)
        return ENQUEUES;
    return interval->call.result == VALUE_NIL ? EMPTIES : DEQUEUES;
}

/* Gives slots to the operations and counts what runs at responses. False: too many run at once. */
static bool assign_slots(struct queue_search *search, const uint32_t *operations, size_t *running)
{
    uint64_t used[SIDES] = {0};
    for (uint32_t e = 0; e < search->part->positions; e++) {
        uint32_t operation = operations[e];
        int number = side_of(interval_of(search, operation));
        struct side *side = &search->sides[number];
        if (interval_of(search, operation)->response == e) {
            running[number] += (size_t)__builtin_popcountll(used[number]);
            search->ranks[operation] = side->count++;
            used[number] &= ~((uint64_t)1 << search->slots[operation]);
        } else if (~used[number]) {
            search->slots[operation] = (uint8_t)__builtin_ctzll(~used[number]);
            used[number] |= (uint64_t)1 << search->slots[operation];
        } else {
            return false;
        }
    }
    return true;
}

static int by_response(const void *first, const void *second, void *context)
{
    const struct interval *intervals = context;
    uint32_t a = intervals[*(const uint32_t *)first].response;
    uint32_t b = intervals[*(const uint32_t *)second].response;
    return (a > b) - (a < b);
}

/* Lists what runs at each response. False when refused. */
static bool fill_sides(struct queue_search *search, const uint32_t *operations,
                       const size_t *running)
{
    for (int i = 0; i < SIDES; i++) {
        struct side *side = &search->sides[i];
        size_t count = side->count;
        side->by_response = arena_allocate(&search->arena, count * sizeof(uint32_t));
        side->first = arena_allocate(&search->arena, (count + 1) * sizeof(uint32_t));
        side->running = arena_allocate(&search->arena, running[i] * sizeof(uint32_t));
        if (!side->by_response || !side->first || !side->running || running[i] > UINT32_MAX)
            return false;
        side->count = 0;
        side->first[0] = 0;
    }
    for (uint32_t e = 0; e < search->part->positions; e++) {
        uint32_t operation = operations[e];
        struct side *side = &search->sides[side_of(interval_of(search, operation))];
        if (interval_of(search, operation)->invoke == e) {
            if (!vector_push(&side->open, operation))
                return false;
            continue;
        }
        uint32_t *list = side->running + side->first[side->count];
        memcpy(list, side->open.items, side->open.length * sizeof *list);
        qsort_r(list, side->open.length, sizeof *list, by_response,
                (void *)(uintptr_t)search->part->intervals);
        side->by_response[side->count++] = operation;
        side->first[side->count] = side->first[side->count - 1] + (uint32_t)side->open.length;
        size_t at = 0;
        while (side->open.items[at] != operation)
            at++;
        side->open.items[at] = side->open.items[--side->open.length];
    }
    return true;
}

/* ---- Configurations ---- */

/* Of an operation that runs when the first missing one of its side responds. */
static bool is_taken(const struct queue_search *search, int side, uint32_t operation)
{
    const struct taken *taken = &search->now.sides[side];
    return search->ranks[operation] < taken->missing ||
           taken->behind >> search->slots[operation] & 1;
}

/* When the first that is missing responds; POSITION_NEVER if none is. */
static uint32_t next_response(const struct queue_search *search, int side)
{
    const struct side *all = &search->sides[side];
    uint64_t missing = search->now.sides[side].missing;
    return missing == all->count ? POSITION_NEVER
                                 : interval_of(search, all->by_response[missing])->response;
}

static void take(struct queue_search *search, int side, uint32_t operation)
{
    const struct side *all = &search->sides[side];
    struct taken *taken = &search->now.sides[side];
    assert(!is_taken(search, side, operation));
    search->order[search->length++] = operation;
    if (interval_of(search, operation)->invoke > search->latest)
        search->latest = interval_of(search, operation)->invoke;
    taken->behind |= (uint64_t)1 << search->slots[operation];
    while (taken->missing < all->count) {
        uint64_t bit = (uint64_t)1 << search->slots[all->by_response[taken->missing]];
        if (!(taken->behind & bit))
            break;
        taken->behind &= ~bit;
        taken->missing++;
    }
}

/* The operations of a side that may be the next of it, by response. */
static const uint32_t *next_of(const struct queue_search *search, int side, uint32_t *count)
{
    const struct side *all = &search->sides[side];
    uint64_t missing = search->now.sides[side].missing;
    *count = missing == all->count ? 0 : all->first[missing + 1] - all->first[missing];
    return missing == all->count ? NULL : all->running + all->first[missing];
}

/* Whether a missing operation can be next, with nothing missing of the sides in `before` that
 * precedes it. */
static bool can_be_next(struct queue_search *search, int side, uint32_t operation,
                        const int *before, size_t before_count)
{
    search->ticks++;
    if (is_taken(search, side, operation))
        return false;
    uint32_t invoke = interval_of(search, operation)->invoke;
    for (size_t i = 0; i < before_count; i++)
        if (next_response(search, before[i]) < invoke)
            return false;
    return true;
}

/* The queue is empty here: puts the empty dequeues into the order that can be. */
static void take_empties(struct queue_search *search)
{
    static const int others[] = {ENQUEUES, DEQUEUES};
    if (search->dequeued < search->initial_count ||
        search->latest > next_response(search, ENQUEUES) ||
        search->latest > next_response(search, DEQUEUES))
        return;
    for (bool more = true; more;) {
        uint32_t count;
        const uint32_t *list = next_of(search, EMPTIES, &count);
        more = false;
        for (uint32_t i = 0; i < count && !more; i++)
            if (can_be_next(search, EMPTIES, list[i], others, ARRAY_LENGTH(others))) {
                take(search, EMPTIES, list[i]);
                more = true;
            }
    }
}

/* ---- Letters ---- */

/* Those letters come first whose dequeue responds first: it is the one that cannot wait. */
static bool add_letter(struct queue_search *search, size_t first, struct letter letter)
{
    if (!vector_push(&search->letters, letter))
        return false;
    uint32_t response = interval_of(search, letter.dequeue)->response;
    struct letter *items = search->letters.items;
    for (size_t i = search->letters.length - 1;
         i > first && interval_of(search, items[i - 1].dequeue)->response > response; i--) {
        items[i] = items[i - 1];
        items[i - 1] = letter;
    }
    return true;
}

/* Adds the letters of an enqueue of `v`: one for each dequeue that may take it. */
static bool add_letters(struct queue_search *search, size_t first, uint32_t enqueue, value v)
{
    static const int others[] = {EMPTIES};
    bool empties = next_response(search, EMPTIES) != POSITION_NEVER;
    uint32_t count, least = POSITION_NEVER; /* invocation of those added */
    const uint32_t *list = next_of(search, DEQUEUES, &count);
    for (uint32_t i = 0; i < count && (empties || least == POSITION_NEVER); i++) {
        const struct interval *interval = interval_of(search, list[i]);
        if (interval->call.result != v || interval->invoke > least ||
            !can_be_next(search, DEQUEUES, list[i], others, ARRAY_LENGTH(others)))
            continue;
        struct letter letter = {.enqueue = enqueue, .dequeue = list[i]};
        if (!add_letter(search, first, letter))
            return false;
        least = interval->invoke;
    }
    return true;
}

/* Lists the letters that can be next. False when refused. */
static bool list_letters(struct queue_search *search, size_t first)
{
    static const int others[] = {DEQUEUES, EMPTIES};
    if (search->dequeued < search->initial_count)
        return add_letters(search, first, UINT32_MAX, search->initial[search->dequeued]);
    uint32_t count, fit_count = 0;
    uint32_t fit[SLOTS_MOST]; /* enqueues, of alike ones the first */
    const uint32_t *list = next_of(search, ENQUEUES, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!can_be_next(search, ENQUEUES, list[i], others, ARRAY_LENGTH(others)))
            continue;
        value v = interval_of(search, list[i])->call.argument;
        uint32_t same = 0;
        while (same < fit_count && interval_of(search, fit[same])->call.argument != v)
            same++;
        if (same < fit_count)
            continue;
        fit[fit_count++] = list[i];
        if (!add_letters(search, first, list[i], v))
            return false;
    }
    return true;
}

/* Makes the present configuration one to branch at, unless it was met before. False when refused.
 */
static bool arrive(struct queue_search *search)
{
    const uint64_t *words = (const uint64_t *)search->now.sides;
    size_t known = search->met.entries.length;
    if (arrays_intern(&search->met, words, sizeof search->now / sizeof *words) == ARRAY_REFUSED)
        return false;
    if (search->met.entries.length == known)
        return true;
    search->explored++;
    struct queue_frame frame = {.before = search->now,
                                .order = search->length,
                                .latest = search->latest,
                                .letters = search->letters.length};
    if (!list_letters(search, frame.letters))
        return false;
    frame.number = (uint32_t)(search->letters.length - frame.letters);
    return vector_push(&search->frames, frame);
}

/* Takes the next letter of the last frame that has one left. False if none has. */
static bool try_next(struct queue_search *search)
{
    while (search->frames.length > 0) {
        struct queue_frame *frame = &search->frames.items[search->frames.length - 1];
        search->now = frame->before;
        search->length = frame->order;
        search->latest = frame->latest;
        search->dequeued = (uint32_t)search->frames.length - 1;
        if (frame->tried < frame->number) {
            struct letter letter = search->letters.items[frame->letters + frame->tried++];
            if (letter.enqueue != UINT32_MAX)
                take(search, ENQUEUES, letter.enqueue);
            take(search, DEQUEUES, letter.dequeue);
            search->dequeued++;
            take_empties(search);
            return true;
        }
        search->letters.length = frame->letters;
        search->frames.length--;
    }
    return false;
}

static enum queue_found explore(struct queue_search *search)
{
    take_empties(search);
    for (;;) {
        if (search->dequeued == search->sides[DEQUEUES].count) {
            if (search->now.sides[EMPTIES].missing == search->sides[EMPTIES].count)
                return QUEUE_FOUND_ORDER;
        } else if (!arrive(search)) {
            return QUEUE_FOUND_NOTHING;
        }
        if (limits_work(search->limits, &search->ticks, TICKS_A_LOOK))
            return QUEUE_FOUND_NOTHING;
        if (!try_next(search))
            return QUEUE_FOUND_NONE;
    }
}

/* ---- The linearization ---- */

struct point {
    uint32_t at, place; /* t, and the place in the order: its ties */
    uint32_t operation;
};

static int compare_points(const void *first, const void *second)
{
    const struct point *a = first, *b = second;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* The enqueues that no dequeue followed, by invocation. */
static void take_rest(struct queue_search *search)
{
    for (uint32_t i = 0; i < search->length; i++)
        search->slots[search->order[i]] = IN_ORDER;
    for (uint32_t i = 0; i < search->part->count; i++)
        if (search->slots[i] != IN_ORDER)
            search->order[search->length++] = i;
}

static uint32_t latest(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Sorts the order by its points. */
static bool report(struct queue_search *search, struct decision *decision)
{
    take_rest(search);
    size_t count = search->length, size = count * sizeof(struct point);
    assert(count == search->part->count);
    struct point *points = arena_allocate(&search->arena, size);
    if (!points || !vector_reserve(&decision->linearization, count))
        return false;
    uint32_t at[SIDES] = {0}; /* the latest invocation of those on each side so far */
    for (uint32_t i = 0; i < count; i++) {
        const struct interval *interval = interval_of(search, search->order[i]);
        int side = side_of(interval);
        at[side] = latest(at[side], interval->invoke);
        uint32_t t = latest(at[side], at[EMPTIES]);
        if (side != ENQUEUES)
            t = latest(t, at[ENQUEUES]);
        if (side == EMPTIES)
            at[side] = t =
                latest(t, at[DEQUEUES]); /* all that is earlier is earlier than the next */
        points[i] = (struct point){.at = t, .place = i, .operation = search->order[i]};
    }
    if (count)
        qsort(points, count, sizeof *points, compare_points);
    for (uint32_t i = 0; i < count; i++)
        decision->linearization.items[i] = points[i].operation;
    decision->linearization.length = count;
    decision->verdict = VERDICT_LINEARIZABLE;
    return true;
}

/* ---- Beginning and end ---- */

static enum queue_found prepare(struct queue_search *search)
{
    const struct part *part = search->part;
    uint32_t *operations = operations_by_position(part, &search->arena);
    search->slots = arena_allocate(&search->arena, part->count);
    search->ranks = arena_allocate(&search->arena, part->count * sizeof(uint32_t));
    search->order = arena_allocate(&search->arena, part->count * sizeof(uint32_t));
    size_t running[SIDES] = {0};
    if (!operations || !search->slots || !search->ranks || !search->order)
        return QUEUE_FOUND_NOTHING;
    if (!assign_slots(search, operations, running))
        return QUEUE_NOT_SEARCHED;
    if (!fill_sides(search, operations, running))
        return QUEUE_FOUND_NOTHING;
    if (part->spec->has_initial)
        search->initial = value_get_items(part->spec->initial, &search->initial_count);
    return QUEUE_FOUND_ORDER;
}

enum queue_found queue_search(const struct part *part, struct limits *limits,
                              struct decision *decision)
{
    if (!is_for_it(part))
        return QUEUE_NOT_SEARCHED;
    struct queue_search search = {.part = part, .limits = limits};
    arena_init(&search.arena, limits->budget);
    arrays_init(&search.met, limits->budget);
    vectors_init(limits->budget, &search.frames, &search.letters);
    for (int i = 0; i < SIDES; i++)
        vector_init(&search.sides[i].open, limits->budget);
    enum queue_found found = prepare(&search);
    if (found == QUEUE_FOUND_ORDER)
        found = explore(&search);
    if (found == QUEUE_FOUND_ORDER && !report(&search, decision))
        found = QUEUE_FOUND_NOTHING;
    decision->explored += search.explored;
    if (found == QUEUE_FOUND_NOTHING && decision->furthest < search.length)
        decision->furthest = search.length;
    for (int i = 0; i < SIDES; i++)
        vector_release(&search.sides[i].open);
    vectors_release(&search.frames, &search.letters);
    arrays_release(&search.met);
    arena_release(&search.arena);
    return found;
}
