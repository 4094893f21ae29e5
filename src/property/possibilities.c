/* Possibilities are interned arrays, sets interned arrays of their numbers, ascending. The set
 * under construction has each once: a mark by possibility says which set it was last added to. */
#include "property/possibilities.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void possibilities_init(struct possibilities *possibilities, struct budget *budget)
{
    *possibilities = (struct possibilities){0};
    word_arrays_init(&possibilities->items, budget);
    word_arrays_init(&possibilities->sets, budget);
    vectors_init(budget, &possibilities->set, &possibilities->marks, &possibilities->scratch);
}

void possibilities_release(struct possibilities *possibilities)
{
    word_arrays_release(&possibilities->items);
    word_arrays_release(&possibilities->sets);
    vectors_release(&possibilities->set, &possibilities->marks, &possibilities->scratch);
}

uint32_t possibility_own(const struct possibilities *possibilities, uint32_t id)
{
    size_t ignored;
    return possibility_words(possibilities, id, &ignored)[0];
}

uint32_t possibility_of(const struct possibilities *possibilities, uint32_t id, uint32_t thread)
{
    size_t length;
    const uint32_t *words = possibility_words(possibilities, id, &length);
    for (size_t at = 1; at < length; at += 2) {
        assert(at == 1 || words[at - 2] < words[at]); /* by thread */
        if (words[at] == thread)
            return words[at + 1];
    }
    return POSSIBILITY_IDLE;
}

void possibilities_start(struct possibilities *possibilities)
{
    possibilities->set.length = 0;
    if (++possibilities->mark == 0) {
        memset(possibilities->marks.items, 0,
               possibilities->marks.length * sizeof *possibilities->marks.items);
        possibilities->mark = 1;
    }
}

bool possibilities_add(struct possibilities *possibilities)
{
    assert(possibilities->scratch.length % 2 == 1); /* its own word, and two of each thread */
    uint32_t id = word_arrays_intern(&possibilities->items, possibilities->scratch.items,
                                     possibilities->scratch.length, NULL);
    if (id == UINT32_MAX)
        return false;
    while (possibilities->marks.length <= id)
        if (!vector_push(&possibilities->marks, 0))
            return false;
    if (possibilities->marks.items[id] == possibilities->mark)
        return true;
    possibilities->marks.items[id] = possibilities->mark;
    return vector_push(&possibilities->set, id);
}

bool possibilities_put(struct possibilities *possibilities, uint32_t id, uint32_t own,
                       uint32_t thread, uint32_t word)
{
    size_t length, from = 1, at = 0;
    const uint32_t *words = possibility_words(possibilities, id, &length);
    if (!vector_reserve(&possibilities->scratch, length + 2))
        return false;
    uint32_t *made = possibilities->scratch.items;
    made[at++] = own;
    for (; from < length && words[from] < thread; from += 2, at += 2)
        memcpy(made + at, words + from, 2 * sizeof *made);
    if (word != POSSIBILITY_IDLE) {
        made[at++] = thread;
        made[at++] = word;
    }
    if (from < length && words[from] == thread)
        from += 2;
    memcpy(made + at, words + from, (length - from) * sizeof *made);
    assert(from <= length && length <= at + length - from + 2);
    possibilities->scratch.length = at + length - from;
    return possibilities_add(possibilities);
}

bool possibilities_turn(struct possibilities *possibilities, uint32_t id, turning by)
{
    size_t length;
    const uint32_t *words = possibility_words(possibilities, id, &length);
    if (!vector_reserve(&possibilities->scratch, length))
        return false;
    uint32_t *turned = possibilities->scratch.items;
    turned[0] = words[0];
    for (size_t from = 1; from < length; from += 2) {
        uint32_t thread = turning_of(by, words[from]);
        size_t at = from;
        for (; at > 1 && turned[at - 2] > thread; at -= 2)
            memcpy(turned + at, turned + at - 2, 2 * sizeof *turned);
        assert(at == 1 || turned[at - 2] < thread); /* a permutation: no thread twice */
        turned[at] = thread;
        turned[at + 1] = words[from + 1];
    }
    possibilities->scratch.length = length;
    return true;
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

bool possibilities_finish(struct possibilities *possibilities, normal_id *id)
{
    assert(possibilities->set.length > 0 &&
           possibilities->set.length <= possibilities->marks.length);
    qsort(possibilities->set.items, possibilities->set.length, sizeof *possibilities->set.items,
          compare_ids);
    *id = word_arrays_intern(&possibilities->sets, possibilities->set.items,
                             possibilities->set.length, NULL);
    return *id != UINT32_MAX;
}
