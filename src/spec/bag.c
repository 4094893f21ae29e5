#include "spec/bag.h"

#include <stdlib.h>

#include "base/hash.h"

/* The slot that holds `v`, or the free one where it belongs. */
static struct bag_slot *slot_of(const struct bag *bag, value v)
{
    size_t mask = bag->capacity - 1, at = hash_word(v) & mask;
    while (bag->slots[at].value != VALUE_NIL && bag->slots[at].value != v)
        at = (at + 1) & mask;
    return &bag->slots[at];
}

static bool grow(struct bag *bag)
{
    size_t kept = 0, capacity = 4;
    for (size_t i = 0; i < bag->capacity; i++)
        kept += bag->slots[i].count > 0;
    while (capacity < (kept + 1) * 4)
        capacity *= 2;
    struct bag larger = {.budget = bag->budget, .capacity = capacity, .used = kept};
    larger.size = bag->size;
    larger.slots = memory_zeroed(bag->budget, capacity * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < bag->capacity; i++)
        if (bag->slots[i].count > 0)
            *slot_of(&larger, bag->slots[i].value) = bag->slots[i];
    bag_release(bag);
    *bag = larger;
    return true;
}

bool bag_add(struct bag *bag, value v)
{
    if (bag->used * 2 >= bag->capacity && !grow(bag))
        return false;
    struct bag_slot *slot = slot_of(bag, v);
    bag->used += slot->value == VALUE_NIL;
    slot->value = v;
    slot->count++;
    bag->size++;
    return true;
}

bool bag_add_all(struct bag *bag, const value *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!bag_add(bag, values[i]))
            return false;
    return true;
}

bool bag_remove(struct bag *bag, value v)
{
    if (bag_count(bag, v) == 0)
        return false;
    slot_of(bag, v)->count--;
    bag->size--;
    return true;
}

uint64_t bag_count(const struct bag *bag, value v)
{
    return bag->capacity && v != VALUE_NIL ? slot_of(bag, v)->count : 0;
}

static int compare_values(const void *a, const void *b)
{
    return value_compare(*(const value *)a, *(const value *)b);
}

void bag_list(const struct bag *bag, value *values)
{
    size_t length = 0;
    for (size_t i = 0; i < bag->capacity; i++)
        for (uint64_t j = 0; j < bag->slots[i].count; j++)
            values[length++] = bag->slots[i].value;
    if (length > 1)
        qsort(values, length, sizeof *values, compare_values);
}

void bag_release(struct bag *bag)
{
    memory_release(bag->budget, bag->slots, bag->capacity * sizeof *bag->slots);
    *bag = (struct bag){.budget = bag->budget};
}
