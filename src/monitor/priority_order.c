#include "monitor/priority_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int compare_numbers(const void *a, const void *b, void *context)
{
    const struct values *values = context;
    const struct element *elements = values->elements.items;
    return value_compare(values_value(values, &elements[*(const uint32_t *)a]),
                         values_value(values, &elements[*(const uint32_t *)b]));
}

/* The numbers, if they are integers that differ by less than 2^32. */
static struct span span_of(const struct values *values)
{
    struct span span = SPAN_EMPTY;
    for (uint32_t i = 0; i < values->elements.length; i++)
        span_include(&span, values_value(values, &values->elements.items[i]));
    span.wide |= span.count > 0 && (uint64_t)span.greatest - (uint64_t)span.least > UINT32_MAX;
    return span;
}

#define DIGIT_BITS 11
#define DIGITS     ((size_t)1 << DIGIT_BITS)

/* Sorts `from` by the digit at `shift`, stably, into `to`. */
static void sort_by_digit(const uint64_t *from, uint64_t *to, size_t count, int shift)
{
    size_t starts[DIGITS + 1] = {0};
    for (size_t i = 0; i < count; i++)
        starts[(from[i] >> shift) % DIGITS + 1]++;
    for (size_t i = 1; i < DIGITS; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i] >> shift) % DIGITS]++] = from[i];
}

/* Pairs of a number and its element, the number in the upper half, digit by digit. */
static bool sort_narrow(struct priority_order *ranking, const struct span *span)
{
    const struct values *values = &ranking->values;
    struct budget *budget = ranking->limits->budget;
    size_t count = values->elements.length, size = count * sizeof(uint64_t);
    uint64_t range = count ? (uint64_t)span->greatest - (uint64_t)span->least : 0;
    uint64_t *pairs = memory_allocate(budget, size), *sorted = memory_allocate(budget, size);
    bool allocated = pairs && sorted;
    for (uint32_t i = 0; allocated && i < count; i++) {
        value number = values_value(values, &values->elements.items[i]);
        uint64_t key = (uint64_t)value_small_get(number) - (uint64_t)span->least;
        pairs[i] = key << 32 | i;
    }
    for (int shift = 0; allocated && shift < 32 && range >> shift > 0; shift += DIGIT_BITS) {
        sort_by_digit(pairs, sorted, count, 32 + shift);
        uint64_t *swapped = pairs;
        pairs = sorted;
        sorted = swapped;
    }
    for (uint32_t i = 0; allocated && i < count; i++)
        ranking->order[i] = (uint32_t)pairs[i];
    memory_release(budget, pairs, size);
    memory_release(budget, sorted, size);
    return allocated;
}

static bool sort_elements(struct priority_order *ranking)
{
    struct values *values = &ranking->values;
    const struct span span = span_of(values);
    if (!span.wide)
        return sort_narrow(ranking, &span);
    for (uint32_t i = 0; i < values->elements.length; i++)
        ranking->order[i] = i;
    qsort_r(ranking->order, values->elements.length, sizeof *ranking->order, compare_numbers,
            values);
    return true;
}

bool priority_order_init(struct priority_order *ranking)
{
    struct values *values = &ranking->values;
    struct arena *arena = &values->arena;
    size_t count = values->elements.length;
    ranking->stays = arena_allocate(arena, count * sizeof *ranking->stays);
    ranking->order = arena_allocate(arena, count * sizeof *ranking->order);
    ranking->remove_at = arena_allocate(arena, count * sizeof *ranking->remove_at);
    ranking->empty_at = arena_allocate(arena, values->empty_count * sizeof *ranking->empty_at);
    if (!ranking->stays || !ranking->order || !ranking->remove_at || !ranking->empty_at ||
        !moments_init(&ranking->moments, values) || !sort_elements(ranking))
        return false;
    for (size_t i = 0; i < count; i++)
        ranking->stays[i] = moments_stay(&ranking->moments, &values->elements.items[i]);
    return segment_tree_init(&ranking->cover, ranking->moments.count, ranking->limits->budget);
}

void priority_order_release(struct priority_order *ranking)
{
    segment_tree_release(&ranking->cover);
    moments_release(&ranking->moments);
    values_release(&ranking->values);
}

void priority_order_clear_cover(const struct priority_order *ranking, struct segment_tree *cover)
{
    memset(cover->nodes, 0, ranking->moments.count * sizeof *cover->nodes);
    segment_tree_build(cover);
}

void priority_order_cover(const struct priority_order *ranking, struct segment_tree *cover,
                          uint32_t element, int32_t change)
{
    const struct stay *stay = &ranking->stays[element];
    if (stay_is_critical(stay))
        segment_tree_add(cover, stay->add_last + 1, stay->remove_first - 1, change);
}

enum step priority_order_place(struct priority_order *ranking)
{
    const struct values *values = &ranking->values;
    struct segment_tree *cover = &ranking->cover;
    priority_order_clear_cover(ranking, cover);
    for (uint32_t looked = 0, i = 0; i < values->elements.length; i++) {
        uint32_t element = ranking->order[i];
        const struct stay *stay = &ranking->stays[element];
        if (limits_look(ranking->limits, &looked))
            return STEP_REFUSED;
        if (values->elements.items[element].remove != INTERVAL_NONE) {
            uint32_t first =
                stay->remove_first > stay->add_first ? stay->remove_first : stay->add_first;
            ranking->remove_at[element] = segment_tree_find(cover, first, 0);
            if (ranking->remove_at[element] > stay->remove_last) {
                ranking->blocked = i;
                return STEP_VIOLATION;
            }
        }
        assert(i == 0 || compare_numbers(&ranking->order[i - 1], &element, &ranking->values) <= 0);
        priority_order_cover(ranking, cover, element, 1);
    }
    for (uint32_t i = 0; i < values->empty_count; i++) {
        uint32_t first, last;
        moments_of_empty(&ranking->moments, values, i, &first, &last);
        ranking->empty_at[i] = segment_tree_find(cover, first, 0);
        if (ranking->empty_at[i] > last) {
            ranking->blocked = (uint32_t)values->elements.length;
            return STEP_VIOLATION;
        }
    }
    return STEP_READY;
}
