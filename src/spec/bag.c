/* A table with linear probing: a value is at the first free slot behind its home, or before it. */
#include "spec/bag.h"

#include "base/hash.h"
#include "spec/replay.h"
#include "spec/sorted.h"

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

bool bag_open(struct bag *bag, value items, value key, struct budget *budget)
{
    size_t length;
    const value *values = value_get_items(items, &length);
    *bag = (struct bag){.budget = budget};
    for (size_t i = 0; i < length; i++)
        if ((key == VALUE_NIL || key == values[i]) && !bag_add(bag, values[i])) {
            bag_release(bag);
            return false;
        }
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

void bag_list(const struct bag *bag, value *values)
{
    size_t length = 0;
    for (size_t i = 0; i < bag->capacity; i++)
        for (uint64_t j = 0; j < bag->slots[i].count; j++)
            values[length++] = bag->slots[i].value;
    sorted_sort(values, length);
}

void bag_release(struct bag *bag)
{
    memory_release(bag->budget, bag->slots, bag->capacity * sizeof *bag->slots);
    *bag = (struct bag){.budget = bag->budget};
}

struct spec_object *bag_object_open_key(const struct spec *spec, value key, struct budget *budget)
{
    struct spec_object *object = memory_zeroed(budget, sizeof *object);
    if (object && !bag_open(&object->values, spec->initial, key, budget)) {
        memory_release(budget, object, sizeof *object);
        return NULL;
    }
    if (object)
        object->spec = spec;
    return object;
}

struct spec_object *bag_object_open(const struct spec *spec, value key, struct budget *budget)
{
    (void)key;
    return bag_object_open_key(spec, VALUE_NIL, budget);
}

void bag_object_close(struct spec_object *object)
{
    struct budget *budget = object->values.budget;
    if (object->replay)
        replay_close(object->replay);
    bag_release(&object->values);
    memory_release(budget, object, sizeof *object);
}
