#include "unbounded/thread_memory.h"

#include <assert.h>
#include <string.h>

#include "implementation/canonical.h"

static uint64_t node_bit(uint32_t number)
{
    return number < 64 ? UINT64_C(1) << number : 0;
}

uint64_t thread_system_references(const struct thread_system *system, uint32_t local)
{
    const struct lin_steps *steps = system->steps;
    const uint32_t *locals = thread_system_local(system, local) + LIN_THREAD_HEADER;
    uint32_t starts[MOST_POOLS] = {0};
    uint64_t found = 0;
    uint16_t operation = thread_system_operation(system, local);
    if (operation == UINT16_MAX)
        return 0;
    (void)pool_starts(steps, starts);
    const struct lin_entry *entry = &steps->entries[operation];
    for (uint32_t i = 0; i < entry->reference_count; i++) {
        const struct lin_reference_slot *slot = &entry->references[i];
        if (locals[slot->slot])
            found |= node_bit(starts[slot->pool] + locals[slot->slot] - 1);
    }
    return found;
}

/* The nodes that these words refer to. */
static uint64_t referred(const struct lin_reference_slot *slots, size_t count,
                         const uint32_t *words, const uint32_t *starts)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (words[slots[i].slot])
            found |= node_bit(starts[slots[i].pool] + words[slots[i].slot] - 1);
    return found;
}

/* The nodes to be reached from shared variables and those of `others`. */
static uint64_t visible(const struct lin_steps *steps, const uint32_t *words, uint64_t others,
                        const uint32_t *starts)
{
    uint64_t before, found = others | referred(steps->shared_references.items,
                                               steps->shared_references.length, words, starts);
    do {
        before = found;
        for (uint32_t i = 0; i < steps->pool_count; i++) {
            const struct lin_pool *pool = &steps->pools[i];
            for (uint32_t j = 0; j < pool->nodes; j++)
                if (starts[i] + j >= 64 || found & node_bit(starts[i] + j))
                    found |= referred(pool->references, pool->reference_count,
                                      words + pool->first + j * pool->words, starts);
        }
    } while (found != before);
    return found;
}

/* The nodes of that status that had another one before; with no other state, all of that status. */
static uint64_t nodes_now(const struct lin_steps *steps, const uint32_t *before,
                          const uint32_t *words, enum lin_node_status status,
                          const uint32_t *starts)
{
    uint64_t found = 0;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++) {
            uint32_t first = pool->first + j * pool->words;
            if (words[first] == status && (!before || before[first] != status))
                found |= node_bit(starts[i] + j);
        }
    }
    return found;
}

/* Whether a shared variable has changed, or a node that is not in `hidden`. */
static bool differs(const struct lin_steps *steps, const uint32_t *before, const uint32_t *after,
                    uint64_t hidden, const uint32_t *starts)
{
    bool differ = memcmp(before, after, steps->heap_first * sizeof *before) != 0;
    for (uint32_t i = 0; i < steps->pool_count && !differ; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes && !differ; j++)
            differ =
                !(hidden & node_bit(starts[i] + j)) &&
                memcmp(before + pool->first + j * pool->words,
                       after + pool->first + j * pool->words, pool->words * sizeof *before) != 0;
    }
    return differ;
}

bool thread_system_changes(const struct thread_system *system, const struct thread_move *move,
                           uint64_t others, uint64_t *own)
{
    const struct lin_steps *steps = system->steps;
    uint32_t starts[MOST_POOLS] = {0};
    if (move->next_shared == move->shared)
        return false;
    const uint32_t *before = thread_system_shared(system, move->shared);
    const uint32_t *after = thread_system_shared(system, move->next_shared);
    (void)pool_starts(steps, starts);
    uint64_t hidden = ~visible(steps, before, others, starts) | *own;
    uint64_t fresh = nodes_now(steps, NULL, before, LIN_NODE_NONE, starts);
    uint64_t mine =
        *own | (nodes_now(steps, before, after, LIN_NODE_LIVE, starts) & (hidden | fresh));
    *own = mine & nodes_now(steps, NULL, after, LIN_NODE_LIVE, starts) &
           ~visible(steps, after, others & ~mine, starts);
    assert((*own & ~mine) == 0 && "own nodes stay own or become visible");
    return differs(steps, before, after, hidden | mine, starts);
}

static uint32_t values_in(const struct lin_value_slots *slots, const uint32_t *words)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < slots->count; i++)
        if (words[slots->items[i]] > 0 && words[slots->items[i]] < 32)
            found |= UINT32_C(1) << words[slots->items[i]];
    return found;
}

bool thread_system_values(struct thread_system *system, uint32_t shared, uint32_t *values)
{
    const struct lin_steps *steps = system->steps;
    struct lin_worker *worker = system->worker;
    const uint32_t *words = thread_system_shared(system, shared);
    *values = values_in(&steps->shared_values, words);
    if (steps->pool_count == 0)
        return true;
    if (!lin_mark_others(worker, words, LIN_NO_THREAD))
        return false;
    for (size_t i = 0; i < worker->order.length; i += 2) {
        const struct lin_pool *pool = &steps->pools[worker->order.items[i]];
        const uint32_t *node = words + pool->first + worker->order.items[i + 1] * pool->words;
        if (node[0] == LIN_NODE_LIVE)
            *values |= values_in(&pool->values, node);
    }
    return true;
}
