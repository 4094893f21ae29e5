/* Finds an order of a counter to which different numbers are added, where one is easily found. A
 * walk over the events lets additions take place as late as it can:
 *
 *     an addition returns that has not taken place: it does
 *     a read takes place as soon as the count is what it returns
 *     a read returns for which the count is not: additions take place that lead there
 *
 * Which ones is a knapsack, solved by dynamic programming over the sums that the first so many of
 * the additions that have been invoked can make (Bellman); of those that do, the ones that return
 * first are taken, and pending ones last. What was taken for one read is never taken back for the
 * next: where that does not lead to the end, nothing is known. The sums are few where numbers are
 * small; there is a bound on the work. */
#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "monitor/counter.h"
#include "spec/counter.h"

/* The most that is made: so many words of sums for one read, and for all. */
#define WORDS_MOST ((size_t)1 << 19)
#define WORK_LEAST ((uint64_t)1 << 22)
#define WORK_EACH  64 /* for each operation */

__extension__ typedef __int128 wide;

/* An addition that may take place. */
struct item {
    uint32_t operation, response;
    uint64_t size; /* of what it adds, in units of what divides all */
    bool negative;
};

struct order {
    const struct part *part;
    struct decision *decision;
    uint32_t *at;       /* by position: the operation */
    bool *taken;        /* by operation */
    uint32_t *places;   /* by operation that waits: in one of these */
    uint32_t *waiting;  /* additions that have been invoked and have not taken place */
    uint32_t *reads;    /* that run and have not taken place */
    struct item *items; /* the additions, for a read */
    uint32_t waiting_count, read_count;
    wide count;
    struct arena *arena;
    uint64_t *words; /* of sums: a row for each item; null: none were needed yet */
    uint64_t work, most_work;
};

/* ---- what takes place ---- */

static void add_to(struct order *order, uint32_t *list, uint32_t *length, uint32_t operation)
{
    order->places[operation] = *length;
    list[(*length)++] = operation;
}

static void remove_from(struct order *order, uint32_t *list, uint32_t *length, uint32_t operation)
{
    const uint32_t last = list[--*length];
    list[order->places[operation]] = last;
    order->places[last] = order->places[operation];
}

static void put(struct order *order, uint32_t operation)
{
    struct decision *decision = order->decision;
    assert(!order->taken[operation]);
    decision->linearization.items[decision->linearization.length++] = operation;
    order->taken[operation] = true;
}

static bool is_answered(const struct order *order, uint32_t read)
{
    int64_t result;
    return counter_read(order->part, read, &result) && result == order->count;
}

/* An addition takes place, and the reads that waited for that. */
static void take(struct order *order, uint32_t addition)
{
    remove_from(order, order->waiting, &order->waiting_count, addition);
    order->count += counter_amount(order->part, addition);
    put(order, addition);
    order->work += order->read_count;
    for (uint32_t i = order->read_count; i-- > 0;) {
        const uint32_t read = order->reads[i];
        if (!is_answered(order, read))
            continue;
        remove_from(order, order->reads, &order->read_count, read);
        put(order, read);
    }
}

/* ---- which additions lead to a read ---- */

static int compare_items(const void *a, const void *b)
{
    const struct item *first = a, *second = b;
    const bool later = first->response > second->response;
    if (first->response != second->response)
        return later ? 1 : -1;
    return (first->operation > second->operation) - (first->operation < second->operation);
}

/* Lists what may take place. The sum of the negative ones is added to what is wanted: these are
 * taken at first, and then left out to come there. False: no sum of them is what is wanted. */
static bool list_items(struct order *order, wide *wanted)
{
    uint64_t divisor = 0;
    wide all = 0;
    for (uint32_t i = 0; i < order->waiting_count; i++) {
        const uint32_t operation = order->waiting[i];
        const int64_t amount = counter_amount(order->part, operation);
        const uint64_t size = counter_size(amount);
        order->items[i] = (struct item){.operation = operation,
                                        .response = order->part->intervals[operation].response,
                                        .size = size,
                                        .negative = amount < 0};
        divisor = counter_divisor(size, divisor);
        *wanted += amount < 0 ? (wide)size : 0;
        all += size;
    }
    order->work += order->waiting_count;
    if (*wanted < 0 || *wanted > all || divisor == 0 || *wanted % divisor != 0)
        return false;
    for (uint32_t i = 0; i < order->waiting_count; i++)
        order->items[i].size /= divisor;
    *wanted /= divisor;
    qsort(order->items, order->waiting_count, sizeof *order->items, compare_items);
    return true;
}

/* The sums that the first so many items make, of which there are so many words. */
static struct bits sums_of(const struct order *order, uint32_t items, size_t width)
{
    return (struct bits){order->words + items * width, width * WORD_BITS};
}

/* Lets the additions take place that make the count what a read returns. False: none do, or it
 * would take too long. */
static bool lead_to(struct order *order, uint32_t read)
{
    int64_t result;
    counter_read(order->part, read, &result);
    wide wanted = result - order->count;
    const uint32_t count = order->waiting_count;
    if (!list_items(order, &wanted) || wanted >= (wide)WORDS_MOST * WORD_BITS)
        return false;
    uint64_t sum = (uint64_t)wanted;
    const size_t width = (size_t)(sum / WORD_BITS) + 1;
    if ((count + (size_t)1) * width > WORDS_MOST)
        return false;
    if (!order->words)
        order->words = arena_allocate(order->arena, WORDS_MOST * sizeof *order->words);
    if (!order->words)
        return false;
    order->work += (count + (uint64_t)1) * width;
    bits_clear_all(sums_of(order, 0, width));
    bits_set(sums_of(order, 0, width), 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct bits before = sums_of(order, i, width), next = sums_of(order, i + 1, width);
        bits_copy(next, before);
        bits_add_shifted(next, before, order->items[i].size);
    }
    if (!bits_get(sums_of(order, count, width), (size_t)sum))
        return false;
    for (uint32_t i = count; i-- > 0;) { /* the last ones are left out if they can be */
        struct item *item = &order->items[i];
        const bool used = !bits_get(sums_of(order, i, width), (size_t)sum);
        sum -= used ? item->size : 0;
        item->size = used != item->negative; /* whether it takes place */
    }
    assert(sum == 0);
    for (uint32_t i = 0; i < count; i++)
        if (order->items[i].size)
            take(order, order->items[i].operation);
    return order->taken[read];
}

/* ---- the walk ---- */

static void invoked(struct order *order, uint32_t operation)
{
    const struct interval *interval = &order->part->intervals[operation];
    int64_t result;
    if (counter_amount(order->part, operation) != 0)
        add_to(order, order->waiting, &order->waiting_count, operation);
    else if (interval->response == POSITION_NEVER)
        return; /* it need not happen */
    else if (!counter_read(order->part, operation, &result) || is_answered(order, operation))
        put(order, operation);
    else
        add_to(order, order->reads, &order->read_count, operation);
}

static bool returned(struct order *order, uint32_t operation)
{
    if (order->taken[operation])
        return true;
    if (counter_amount(order->part, operation) == 0)
        return lead_to(order, operation);
    take(order, operation);
    return true;
}

static bool create(struct order *order, struct arena *arena)
{
    const size_t count = order->part->count;
    order->at = operations_by_position(order->part, arena);
    order->taken = arena_zeroed(arena, count * sizeof *order->taken);
    order->places = arena_allocate(arena, count * sizeof *order->places);
    order->waiting = arena_allocate(arena, count * sizeof *order->waiting);
    order->reads = arena_allocate(arena, count * sizeof *order->reads);
    order->items = arena_allocate(arena, count * sizeof *order->items);
    order->count = counter_initial(order->part);
    order->most_work = WORK_LEAST + WORK_EACH * (uint64_t)count;
    return order->at && order->taken && order->places && order->waiting && order->reads &&
           order->items && vector_reserve(&order->decision->linearization, count);
}

enum step counter_find_order(const struct part *part, struct limits *limits, struct arena *arena,
                             struct decision *decision)
{
    struct order order = {.part = part, .decision = decision, .arena = arena};
    if (!create(&order, arena))
        return STEP_REFUSED;
    for (uint32_t looked = LOOK_FIRST, position = 0; position < part->positions; position++) {
        const uint32_t operation = order.at[position];
        if (limits_look(limits, &looked))
            return STEP_REFUSED;
        if (order.work > order.most_work)
            return STEP_UNDECIDED;
        if (part->intervals[operation].invoke == position)
            invoked(&order, operation);
        else if (!returned(&order, operation))
            return STEP_UNDECIDED;
    }
    return STEP_READY;
}
