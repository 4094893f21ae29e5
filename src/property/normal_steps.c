/* A step is written before the link to it, and the first of a state before its `next` says that it
 * is there: who reads a link sees all that is behind it. Steps are never changed otherwise. */
#include "property/normal_steps.h"

#include <assert.h>

#include "base/hash.h"
#include "base/parallel.h"

void normal_steps_init(struct normal_steps *steps, struct budget *budget)
{
    *steps = (struct normal_steps){0};
    blocks_init(&steps->firsts, budget, sizeof(struct normal_step));
    blocks_init(&steps->others, budget, sizeof(struct normal_step));
    blocks_init(&steps->far, budget, sizeof(struct normal_far_step));
    shared_table_init(&steps->numbers, budget);
    pthread_mutex_init(&steps->lock, NULL);
}

void normal_steps_release(struct normal_steps *steps)
{
    blocks_release(&steps->firsts);
    blocks_release(&steps->others);
    blocks_release(&steps->far);
    shared_table_release(&steps->numbers);
    pthread_mutex_destroy(&steps->lock);
}

static bool find_far(const struct normal_steps *steps, normal_id from, label l, normal_id *to)
{
    struct shared_search search = shared_table_search(&steps->numbers, hash_pair(from, l));
    while (shared_table_next(&search)) {
        const struct normal_far_step *step = blocks_at(&steps->far, search.number);
        if (step->from == from && step->label == l) {
            *to = step->to;
            return true;
        }
    }
    return false;
}

/* *in_row: how many of the state's stand in its row. */
static bool find(const struct normal_steps *steps, normal_id from, label l, normal_id *to,
                 unsigned *in_row)
{
    const struct normal_step *step = blocks_at(&steps->firsts, from);
    uint32_t next = step ? atomic_load_explicit(&step->next, memory_order_acquire) : 0;
    *in_row = 0;
    while (next != 0) {
        ++*in_row;
        if (step->label == l) {
            *to = step->to;
            return true;
        }
        if (next == 1)
            break;
        step = blocks_at(&steps->others, next - 2);
        next = atomic_load_explicit(&step->next, memory_order_relaxed);
    }
    return *in_row > NORMAL_STEPS_IN_ROW && find_far(steps, from, l, to);
}

bool normal_steps_find(const struct normal_steps *steps, normal_id from, label l, normal_id *to)
{
    unsigned ignored;
    return find(steps, from, l, to, &ignored);
}

/* Links a step behind the state's first one. */
static bool link_other(struct normal_steps *steps, struct normal_step *first, label l, normal_id to)
{
    struct normal_step *step = blocks_reach(&steps->others, steps->other_count);
    if (!step)
        return false;
    step->label = l;
    step->to = to;
    atomic_store_explicit(&step->next, atomic_load_explicit(&first->next, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&first->next, 2 + steps->other_count++, memory_order_release);
    return true;
}

static bool add_far(struct normal_steps *steps, normal_id from, label l, normal_id to)
{
    struct normal_far_step *step = blocks_reach(&steps->far, steps->far_count);
    if (!step)
        return false;
    *step = (struct normal_far_step){.from = from, .to = to, .label = l};
    return shared_table_add(&steps->numbers, hash_pair(from, l), steps->far_count++);
}

static bool add(struct normal_steps *steps, normal_id from, label l, normal_id to)
{
    normal_id known;
    unsigned in_row;
    if (steps->count == SHARED_TABLE_MOST - 2)
        return false;
    if (find(steps, from, l, &known, &in_row)) {
        assert(known == to); /* the automaton is deterministic */
        return true;
    }
    steps->count++;
    if (in_row > NORMAL_STEPS_IN_ROW)
        return add_far(steps, from, l, to);
    struct normal_step *first = blocks_reach(&steps->firsts, from);
    if (!first || in_row > 0)
        return first && link_other(steps, first, l, to);
    first->label = l;
    first->to = to;
    atomic_store_explicit(&first->next, 1, memory_order_release);
    return true;
}

bool normal_steps_add(struct normal_steps *steps, normal_id from, label l, normal_id to)
{
    if (steps->numbers.is_alone)
        return add(steps, from, l, to);
    lock_briefly(&steps->lock);
    const bool added = add(steps, from, l, to);
    pthread_mutex_unlock(&steps->lock);
    return added;
}
