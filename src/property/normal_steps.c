/* A table of known steps, by normalised state and label. */
#include "property/normal_steps.h"

#include <assert.h>

#include "base/hash.h"

void normal_steps_init(struct normal_steps *steps, struct budget *budget)
{
    vector_init(&steps->items, budget);
    table_init(&steps->numbers, budget);
}

void normal_steps_release(struct normal_steps *steps)
{
    vector_release(&steps->items);
    table_release(&steps->numbers);
}

bool normal_steps_find(const struct normal_steps *steps, normal_id from, label l, normal_id *to)
{
    struct table_search search = table_search(&steps->numbers, hash_pair(from, l));
    while (table_next(&search)) {
        const struct normal_step *step = &steps->items.items[search.number];
        if (step->from == from && step->label == l) {
            *to = step->to;
            return true;
        }
    }
    return false;
}

bool normal_steps_add(struct normal_steps *steps, normal_id from, label l, normal_id to)
{
    uint32_t number = (uint32_t)steps->items.length;
    assert(
        !normal_steps_find(steps, from, l, &(normal_id){0})); /* the automaton is deterministic */
    return vector_push(&steps->items, ((struct normal_step){from, l, to})) &&
           table_add(&steps->numbers, hash_pair(from, l), number);
}
