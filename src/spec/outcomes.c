#include <assert.h>
#include <string.h>

#include "spec/spec.h"

void outcomes_init(struct outcomes *outcomes, struct budget *budget)
{
    vectors_init(budget, &outcomes->words, &outcomes->items);
    outcomes->limits = NULL;
}

void outcomes_clear(struct outcomes *outcomes)
{
    outcomes->words.length = 0;
    outcomes->items.length = 0;
}

void outcomes_release(struct outcomes *outcomes)
{
    vectors_release(&outcomes->words, &outcomes->items);
}

bool outcomes_add(struct outcomes *outcomes, const uint64_t *words, size_t length, value result)
{
    uint64_t *room = outcomes_add_room(outcomes, length, result);
    if (!room)
        return false;
    if (length)
        memcpy(room, words, length * sizeof *words);
    return true;
}

uint64_t *outcomes_add_room(struct outcomes *outcomes, size_t length, value result)
{
    size_t start = outcomes->words.length;
    struct outcome outcome = {.start = start, .length = length, .result = result};
    /* One word more than needed, so that the room of an empty state is no null pointer. */
    if (!vector_reserve(&outcomes->words, start + length + 1) ||
        !vector_push(&outcomes->items, outcome))
        return NULL;
    outcomes->words.length = start + length;
    return outcomes->words.items + start;
}

void outcomes_shorten(struct outcomes *outcomes, size_t length)
{
    struct outcome *last = &outcomes->items.items[outcomes->items.length - 1];
    assert(length <= last->length);
    last->length = length;
    outcomes->words.length = last->start + length;
}
