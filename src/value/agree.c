/* Collections agree when their items can be paired so that each pair agrees. Where no set is within
 * the answered items, items agree that are equal, and sorting tells. Else one item may agree with
 * several: [1 2] with {1, 2} and with [1, 2], when the answer is the set of these two. That is a
 * bipartite matching, found by augmenting paths; such answers are small. */
#include "value/agree.h"

#include <stdlib.h>
#include <string.h>

/* Two collections whose items are to be paired; an item is one value, or a key and its value. */
struct pairing {
    const value *recorded, *answered;
    size_t count, width;
    size_t *partner; /* by answered item: the recorded one + 1, or 0 */
    bool *tried;     /* by answered item, on the path being looked for */
    struct budget *budget;
    bool *refused;
};

static bool has_set(value v)
{
    size_t length;
    const value *items = value_get_items(v, &length);
    if (value_kind_of(v) == KIND_SET)
        return true;
    for (size_t i = 0; i < length; i++)
        if (has_set(items[i]))
            return true;
    return false;
}

static bool any_has_set(const value *items, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (has_set(items[i]))
            return true;
    return false;
}

static int compare_words(const void *a, const void *b)
{
    value first = *(const value *)a, second = *(const value *)b;
    return (first > second) - (first < second);
}

/* Whether the same values stand in both, in any order. */
static bool same_values(const value *first, const value *second, size_t length,
                        struct budget *budget, bool *refused)
{
    size_t size = length * sizeof(value);
    value *sorted = memory_allocate(budget, 2 * size);
    if (!sorted) {
        *refused = true;
        return false;
    }
    memcpy(sorted, first, size);
    memcpy(sorted + length, second, size);
    qsort(sorted, length, sizeof *sorted, compare_words);
    qsort(sorted + length, length, sizeof *sorted, compare_words);
    bool same = memcmp(sorted, sorted + length, size) == 0;
    memory_release(budget, sorted, 2 * size);
    return same;
}

static bool items_agree(const struct pairing *pairing, size_t recorded, size_t answered)
{
    bool agree = true;
    for (size_t i = 0; i < pairing->width && agree; i++)
        agree = value_agrees(pairing->recorded[recorded * pairing->width + i],
                             pairing->answered[answered * pairing->width + i], pairing->budget,
                             pairing->refused);
    return agree;
}

/* Finds a partner for a recorded item, giving others new ones where need be. */
static bool find_partner(struct pairing *pairing, size_t recorded)
{
    for (size_t i = 0; i < pairing->count; i++) {
        if (pairing->tried[i] || !items_agree(pairing, recorded, i))
            continue;
        pairing->tried[i] = true;
        if (!pairing->partner[i] || find_partner(pairing, pairing->partner[i] - 1)) {
            pairing->partner[i] = recorded + 1;
            return true;
        }
    }
    return false;
}

static bool can_be_paired(struct pairing *pairing)
{
    size_t count = pairing->count, size = count * (sizeof *pairing->partner + 1);
    pairing->partner = memory_zeroed(pairing->budget, size);
    if (!pairing->partner) {
        *pairing->refused = true;
        return false;
    }
    pairing->tried = (bool *)(pairing->partner + count);
    bool all = true;
    for (size_t i = 0; i < count && all; i++) {
        memset(pairing->tried, 0, count);
        all = find_partner(pairing, i);
    }
    memory_release(pairing->budget, pairing->partner, size);
    return all;
}

static bool lists_agree(const value *recorded, const value *answered, size_t length,
                        struct budget *budget, bool *refused)
{
    bool agree = true;
    for (size_t i = 0; i < length && agree; i++)
        agree = value_agrees(recorded[i], answered[i], budget, refused);
    return agree;
}

bool value_agrees(value recorded, value answered, struct budget *budget, bool *refused)
{
    size_t length, answered_length;
    if (recorded == answered)
        return true;
    const value *items = value_get_items(recorded, &length);
    const value *answered_items = value_get_items(answered, &answered_length);
    enum value_kind kind = value_kind_of(recorded), answered_kind = value_kind_of(answered);
    bool like = kind == answered_kind || (kind == KIND_LIST && answered_kind == KIND_SET);
    if (!answered_items || !like || length != answered_length)
        return false;
    if (answered_kind == KIND_LIST)
        return lists_agree(items, answered_items, length, budget, refused);
    if (!any_has_set(answered_items, length))
        return kind == KIND_LIST && same_values(items, answered_items, length, budget, refused);
    size_t width = answered_kind == KIND_MAP ? 2 : 1;
    struct pairing pairing = {.recorded = items,
                              .answered = answered_items,
                              .count = length / width,
                              .width = width,
                              .budget = budget,
                              .refused = refused};
    return can_be_paired(&pairing);
}
