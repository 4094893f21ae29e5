/* A table of known steps, by normalised state and label. */
#include "property/normal_steps.h"

#include <assert.h>

#include "base/hash.h"
#include "base/parallel.h"

void normal_steps_init(struct normal_steps *steps, struct budget *budget)
{
    blocks_init(&steps->items, budget, sizeof(struct normal_step));
    shared_table_init(&steps->numbers, budget);
    pthread_mutex_init(&steps->lock, NULL);
    steps->count = 0;
}

void normal_steps_release(struct normal_steps *steps)
{
    blocks_release(&steps->items);
    shared_table_release(&steps->numbers);
    pthread_mutex_destroy(&steps->lock);
}

bool normal_steps_find(const struct normal_steps *steps, normal_id from, label l, normal_id *to)
{
    struct shared_search search = shared_table_search(&steps->numbers, hash_pair(from, l));
    while (shared_table_next(&search)) {
        const struct normal_step *step = blocks_at(&steps->items, search.number);
        if (step->from == from && step->label == l) {
            *to = step->to;
            return true;
        }
    }
    return false;
}

static bool add(struct normal_steps *steps, const struct normal_step *added)
{
    normal_id to;
    if (normal_steps_find(steps, added->from, added->label, &to)) {
        assert(to == added->to); /* the automaton is deterministic */
        return true;
    }
    struct normal_step *step =
        steps->count < SHARED_TABLE_MOST ? blocks_reach(&steps->items, steps->count) : NULL;
    if (!step)
        return false;
    *step = *added;
    return shared_table_add(&steps->numbers, hash_pair(added->from, added->label), steps->count++);
}

bool normal_steps_add(struct normal_steps *steps, normal_id from, label l, normal_id to)
{
    const struct normal_step step = {from, l, to};
    lock_briefly(&steps->lock);
    const bool added = add(steps, &step);
    pthread_mutex_unlock(&steps->lock);
    return added;
}
