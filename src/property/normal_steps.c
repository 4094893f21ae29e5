#include "property/normal_steps.h"

#include "base/hash.h"

#define FIRST_CAPACITY 1024 /* a power of two */

struct normal_step {
    normal_id from;
    label label;
    normal_id to;
    bool used;
};

void normal_steps_init(struct normal_steps *steps, struct budget *budget)
{
    *steps = (struct normal_steps){.budget = budget};
}

void normal_steps_release(struct normal_steps *steps)
{
    memory_release(steps->budget, steps->items, steps->capacity * sizeof *steps->items);
}

/* Where the step stands, or would. */
static struct normal_step *place_of(struct normal_step *items, size_t capacity, normal_id from,
                                    label l)
{
    size_t at = hash_pair(from, l) & (capacity - 1);
    while (items[at].used && (items[at].from != from || items[at].label != l))
        at = (at + 1) & (capacity - 1);
    return &items[at];
}

static bool grow(struct normal_steps *steps)
{
    size_t capacity = steps->capacity ? steps->capacity * 2 : FIRST_CAPACITY;
    struct normal_step *items = memory_scattered(steps->budget, capacity * sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < steps->capacity; i++)
        if (steps->items[i].used)
            *place_of(items, capacity, steps->items[i].from, steps->items[i].label) =
                steps->items[i];
    memory_release(steps->budget, steps->items, steps->capacity * sizeof *items);
    steps->items = items;
    steps->capacity = capacity;
    return true;
}

bool normal_steps_find(const struct normal_steps *steps, normal_id from, label l, normal_id *to)
{
    if (!steps->capacity)
        return false;
    const struct normal_step *step = place_of(steps->items, steps->capacity, from, l);
    *to = step->to;
    return step->used;
}

bool normal_steps_add(struct normal_steps *steps, normal_id from, label l, normal_id to)
{
    if (steps->count * 2 >= steps->capacity && !grow(steps))
        return false;
    *place_of(steps->items, steps->capacity, from, l) = (struct normal_step){from, l, to, true};
    steps->count++;
    return true;
}
