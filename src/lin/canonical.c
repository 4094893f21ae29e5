#include "lin/canonical.h"

#include <string.h>

/* The new number of the node that a reference names; found for the first time it is next. */
static bool visit(struct lin_model *model, uint32_t *reference,
                  const struct lin_reference_slot *slot, const uint32_t *starts, uint32_t *found)
{
    if (*reference == 0)
        return true;
    uint32_t *number = &model->numbers.items[starts[slot->pool] + *reference - 1];
    if (*number == 0) {
        *number = ++found[slot->pool];
        if (!vector_push(&model->order, slot->pool) || !vector_push(&model->order, *reference - 1))
            return false;
    }
    *reference = *number;
    return true;
}

static bool visit_roots(struct lin_model *model, uint32_t *slots, const uint32_t *starts,
                        uint32_t *found)
{
    const struct lin_steps *steps = model->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        if (!visit(model, &slots[slot->slot], slot, starts, found))
            return false;
    }
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        uint32_t *own = thread_slots(steps, slots, thread);
        if (!is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; i < entry->reference_count; i++) {
            const struct lin_reference_slot *slot = &entry->references[i];
            if (!visit(model, &own[LIN_THREAD_HEADER + slot->slot], slot, starts, found))
                return false;
        }
    }
    return true;
}

/* Forgets the nodes that cannot be reached; the others stay where they are. */
static bool collect(struct lin_model *model, uint32_t *slots, const uint32_t *starts)
{
    const struct lin_steps *steps = model->steps;
    if (!lin_mark_others(model, slots, steps->setting.threads)) /* there is no such thread */
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (!model->numbers.items[starts[i] + j])
                memset(slots + pool->first + j * pool->words, 0, pool->words * sizeof *slots);
    }
    return true;
}

/* Behind the nodes that were found, those that are lost: they are in nobody's hands and were not
 * given back. */
static void keep_lost(const struct lin_model *model, uint32_t *slots, const uint32_t *starts,
                      uint32_t *found)
{
    const struct lin_steps *steps = model->steps;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        const uint32_t *old = model->moved.items + pool->first - steps->heap_first;
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (!model->numbers.items[starts[i] + j] && old[j * pool->words] == LIN_NODE_LIVE)
                slots[pool->first + found[i]++ * pool->words] = LIN_NODE_LIVE;
    }
}

bool lin_renumber(struct lin_model *model, uint32_t *slots)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS], found[MOST_POOLS] = {0}, total;
    uint32_t heap = steps->thread_first - steps->heap_first;
    if (heap == 0)
        return true;
    total = pool_starts(steps, starts);
    if (total == 0) /* every reference is null */
        return true;
    if (model->fusion.names)
        return steps->setting.keeps || collect(model, slots, starts);
    if (!vector_reserve(&model->moved, heap) || !vector_reserve(&model->numbers, total))
        return false;
    memset(model->numbers.items, 0, total * sizeof *slots);
    memcpy(model->moved.items, slots + steps->heap_first, heap * sizeof *slots);
    memset(slots + steps->heap_first, 0, heap * sizeof *slots);
    model->order.length = 0;
    if (!visit_roots(model, slots, starts, found))
        return false;
    for (size_t i = 0; i < model->order.length; i += 2) {
        uint32_t number = model->order.items[i], old = model->order.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        uint32_t new = model->numbers.items[starts[number] + old] - 1;
        uint32_t *node = slots + pool->first + new * pool->words;
        memcpy(node, model->moved.items + pool->first - steps->heap_first + old * pool->words,
               pool->words * sizeof *node);
        for (uint32_t j = 0; j < pool->reference_count; j++)
            if (!visit(model, &node[pool->references[j].slot], &pool->references[j], starts, found))
                return false;
    }
    if (steps->setting.keeps)
        keep_lost(model, slots, starts, found);
    return true;
}

void lin_forget_dead(const struct lin_model *model, uint32_t *own)
{
    const struct lin_steps *steps = model->steps;
    uint32_t *locals = own + LIN_THREAD_HEADER;
    if (!is_at_code(own)) {
        memset(locals, 0, steps->locals * sizeof *locals);
        return;
    }
    uint32_t at = own[LIN_THREAD_AT] - 1;
    for (uint32_t i = 0; model->fusion.forget && i < steps->locals; i++)
        if (!lin_steps_live(steps, at, i))
            locals[i] = 0;
    const struct lin_entry *entry = entry_at(steps, at);
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        uint32_t slot = entry->references[i].slot;
        if (!lin_steps_live(steps, at, slot))
            locals[slot] = 0;
    }
}

static bool mark(struct lin_model *model, uint32_t reference, uint32_t pool, const uint32_t *starts)
{
    if (reference == 0 || model->numbers.items[starts[pool] + reference - 1])
        return true;
    model->numbers.items[starts[pool] + reference - 1] = 1;
    return vector_push(&model->order, pool) && vector_push(&model->order, reference - 1);
}

bool lin_mark_others(struct lin_model *model, const uint32_t *slots, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS], total = pool_starts(steps, starts);
    model->order.length = 0;
    if (total == 0) /* every reference is null */
        return true;
    if (!vector_reserve(&model->numbers, total))
        return false;
    memset(model->numbers.items, 0, total * sizeof *slots);
    bool kept = true;
    for (size_t i = 0; kept && i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *slot = &steps->shared_references.items[i];
        kept = mark(model, slots[slot->slot], slot->pool, starts);
    }
    for (uint32_t other = 0; kept && thread != LIN_NO_THREAD && other < steps->setting.threads;
         other++) {
        const uint32_t *own = thread_slots_of(steps, slots, other);
        if (other == thread || !is_at_code(own))
            continue;
        const struct lin_entry *entry = entry_at(steps, own[LIN_THREAD_AT] - 1);
        for (uint32_t i = 0; kept && i < entry->reference_count; i++)
            kept = mark(model, own[LIN_THREAD_HEADER + entry->references[i].slot],
                        entry->references[i].pool, starts);
    }
    for (size_t i = 0; kept && i < model->order.length; i += 2) {
        const struct lin_pool *pool = &steps->pools[model->order.items[i]];
        const uint32_t *node = slots + pool->first + model->order.items[i + 1] * pool->words;
        for (uint32_t j = 0; kept && j < pool->reference_count; j++)
            kept = mark(model, node[pool->references[j].slot], pool->references[j].pool, starts);
    }
    return kept;
}

bool lin_was_local(struct lin_model *model, uint32_t *slots, uint32_t thread)
{
    const struct lin_steps *steps = model->steps;
    uint32_t starts[MOST_POOLS];
    if (model->touches_shared)
        return false;
    if (model->touched.length == 0)
        return true;
    if (!lin_mark_others(model, slots, thread))
        return false;
    (void)pool_starts(steps, starts);
    for (size_t i = 0; i < model->touched.length; i += 2) {
        uint32_t number = model->touched.items[i], node = model->touched.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        if (model->numbers.items[starts[number] + node] ||
            slots[pool->first + node * pool->words] == LIN_NODE_FREED)
            return false;
    }
    return true;
}
