#include "implementation/canonical.h"

#include <string.h>

#include "implementation/native_abi.h"

/* The new number of the node that a reference names; found for the first time it is next. */
static bool visit(struct lin_worker *worker, uint32_t *reference,
                  const struct lin_reference_slot *slot, const uint32_t *starts, uint32_t *found)
{
    if (*reference == 0)
        return true;
    uint32_t *number = &worker->numbers.items[starts[slot->pool] + *reference - 1];
    if (*number == 0) {
        *number = ++found[slot->pool];
        if (!vector_push(&worker->order, slot->pool) ||
            !vector_push(&worker->order, *reference - 1))
            return false;
    }
    *reference = *number;
    return true;
}

static bool visit_roots(struct lin_worker *worker, uint32_t *slots, const uint32_t *starts,
                        uint32_t *found)
{
    const struct lin_steps *steps = worker->model->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        if (!visit(worker, &slots[slot->slot], slot, starts, found))
            return false;
    }
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        uint32_t *own = thread_slots(steps, slots, thread);
        if (!is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; i < entry->reference_count; i++) {
            const struct lin_reference_slot *slot = &entry->references[i];
            if (!visit(worker, &own[LIN_THREAD_HEADER + slot->slot], slot, starts, found))
                return false;
        }
    }
    return true;
}

/* Forgets the nodes that cannot be reached; the others stay where they are. */
static bool collect(struct lin_worker *worker, uint32_t *slots, const uint32_t *starts)
{
    const struct lin_steps *steps = worker->model->steps;
    if (!lin_mark_others(worker, slots, steps->setting.threads)) /* there is no such thread */
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (!worker->numbers.items[starts[i] + j])
                memset(slots + pool->first + j * pool->words, 0, pool->words * sizeof *slots);
    }
    return true;
}

/* Behind the nodes that were found, those that are lost: they are in nobody's hands and were not
 * given back. */
static void keep_lost(const struct lin_worker *worker, uint32_t *slots, const uint32_t *starts,
                      uint32_t *found)
{
    const struct lin_steps *steps = worker->model->steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        const uint32_t *old = worker->moved.items + pool->first - steps->heap_first;
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (!worker->numbers.items[starts[i] + j] && old[j * pool->words] == LIN_NODE_LIVE)
                slots[pool->first + found[i]++ * pool->words] = LIN_NODE_LIVE;
    }
}

bool lin_number_nodes(struct lin_worker *worker, uint32_t *slots)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t starts[MOST_POOLS], found[MOST_POOLS] = {0}, total;
    uint32_t heap = steps->thread_first - steps->heap_first;
    if (heap == 0)
        return true;
    total = pool_starts(steps, starts);
    if (total == 0) /* every reference is null */
        return true;
    if (!vector_reserve(&worker->moved, heap) || !vector_reserve(&worker->numbers, total))
        return false;
    memset(worker->numbers.items, 0, total * sizeof *slots);
    memcpy(worker->moved.items, slots + steps->heap_first, heap * sizeof *slots);
    memset(slots + steps->heap_first, 0, heap * sizeof *slots);
    worker->order.length = 0;
    if (!visit_roots(worker, slots, starts, found))
        return false;
    for (size_t i = 0; i < worker->order.length; i += 2) {
        uint32_t number = worker->order.items[i], old = worker->order.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        uint32_t new = worker->numbers.items[starts[number] + old] - 1;
        uint32_t *node = slots + pool->first + new * pool->words;
        memcpy(node, worker->moved.items + pool->first - steps->heap_first + old * pool->words,
               pool->words * sizeof *node);
        for (uint32_t j = 0; j < pool->reference_count; j++)
            if (!visit(worker, &node[pool->references[j].slot], &pool->references[j], starts,
                       found))
                return false;
    }
    if (steps->setting.keeps)
        keep_lost(worker, slots, starts, found);
    return true;
}

bool lin_renumber(struct lin_worker *worker, uint32_t *slots)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t starts[MOST_POOLS];
    if (worker->native) {
        worker->native->number(slots);
        return true;
    }
    if (!worker->options.names)
        return lin_number_nodes(worker, slots);
    return pool_starts(steps, starts) == 0 || steps->setting.keeps ||
           collect(worker, slots, starts);
}

void lin_forget_dead(const struct lin_worker *worker, uint32_t *own)
{
    const struct lin_model *model = worker->model;
    const struct lin_steps *steps = model->steps;
    uint32_t *locals = own + LIN_THREAD_HEADER;
    if (worker->native) {
        worker->native->forget(own);
        return;
    }
    if (!is_at_code(own)) {
        memset(locals, 0, steps->locals * sizeof *locals);
        return;
    }
    uint32_t at = own[LIN_THREAD_AT] - 1;
    for (uint32_t i = 0; model->options.forget && i < steps->locals; i++)
        if (!lin_steps_live(steps, at, i))
            locals[i] = 0;
    const struct lin_entry *entry = entry_at(steps, at);
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        uint32_t slot = entry->references[i].slot;
        if (!lin_steps_live(steps, at, slot))
            locals[slot] = 0;
    }
}

static bool mark(struct lin_worker *worker, uint32_t reference, uint32_t pool,
                 const uint32_t *starts)
{
    if (reference == 0 || worker->numbers.items[starts[pool] + reference - 1])
        return true;
    worker->numbers.items[starts[pool] + reference - 1] = 1;
    return vector_push(&worker->order, pool) && vector_push(&worker->order, reference - 1);
}

bool lin_mark_others(struct lin_worker *worker, const uint32_t *slots, uint32_t thread)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t starts[MOST_POOLS], total = pool_starts(steps, starts);
    worker->order.length = 0;
    if (total == 0) /* every reference is null */
        return true;
    if (!vector_reserve(&worker->numbers, total))
        return false;
    memset(worker->numbers.items, 0, total * sizeof *slots);
    bool kept = true;
    for (size_t i = 0; kept && i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        kept = mark(worker, slots[slot->slot], slot->pool, starts);
    }
    for (uint32_t other = 0; kept && thread != LIN_NO_THREAD && other < steps->setting.threads;
         other++) {
        const uint32_t *own = thread_slots_of(steps, slots, other);
        if (other == thread || !is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; kept && i < entry->reference_count; i++)
            kept = mark(worker, own[LIN_THREAD_HEADER + entry->references[i].slot],
                        entry->references[i].pool, starts);
    }
    for (size_t i = 0; kept && i < worker->order.length; i += 2) {
        const struct lin_pool *pool = &steps->pools[worker->order.items[i]];
        const uint32_t *node = slots + pool->first + worker->order.items[i + 1] * pool->words;
        for (uint32_t j = 0; kept && j < pool->reference_count; j++)
            kept = mark(worker, node[pool->references[j].slot], pool->references[j].pool, starts);
    }
    return kept;
}

bool lin_was_local(struct lin_worker *worker, uint32_t *slots, uint32_t thread)
{
    const struct lin_steps *steps = worker->model->steps;
    uint32_t starts[MOST_POOLS];
    if (worker->touches_shared)
        return false;
    if (worker->ran_native)
        return worker->native->is_local(slots, thread, worker->touched_nodes);
    if (worker->touched.length == 0)
        return true;
    if (!lin_mark_others(worker, slots, thread))
        return false;
    (void)pool_starts(steps, starts);
    for (size_t i = 0; i < worker->touched.length; i += 2) {
        uint32_t number = worker->touched.items[i], node = worker->touched.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        if (worker->numbers.items[starts[number] + node] ||
            slots[pool->first + node * pool->words] == LIN_NODE_FREED)
            return false;
    }
    return true;
}
