/* From the shared variables and the threads' locals along those fields that may be read. A node is
 * looked through again once more may be read of it. */
#include "implementation/fields.h"

#include <string.h>

#include "base/memory.h"
#include "implementation/native_abi.h"

struct walk {
    struct lin_worker *worker;
    const uint32_t *slots;
    uint32_t starts[MOST_POOLS];
};

/* These fields may be read of what a reference leads to. */
static bool read_more(struct walk *walk, uint32_t pool, uint32_t reference, uint64_t fields)
{
    struct lin_worker *worker = walk->worker;
    if (reference == 0)
        return true;
    uint64_t *known = &worker->reads.items[walk->starts[pool] + reference - 1];
    if (!(fields & ~*known))
        return true;
    *known |= fields;
    return vector_push(&worker->order, pool) && vector_push(&worker->order, reference - 1);
}

static bool read_roots(struct walk *walk)
{
    const struct lin_steps *steps = walk->worker->model->steps;
    for (size_t i = 0; i < steps->shared_references.length; i++) {
        const struct lin_reference_slot *shared = &steps->shared_references.items[i];
        if (!read_more(walk, shared->pool, walk->slots[shared->slot], steps->shared_reads[i]))
            return false;
    }
    for (uint32_t thread = 0; thread < steps->setting.threads; thread++) {
        const uint32_t *own = thread_slots_of(steps, walk->slots, thread);
        if (!is_at_code(own))
            continue;
        const uint32_t at = own[LIN_THREAD_AT] - 1;
        for (uint32_t i = steps->reads_from[at]; i < steps->reads_from[at + 1]; i++) {
            const struct lin_reads *reads = &steps->reads.items[i];
            if (!read_more(walk, reads->pool, own[LIN_THREAD_HEADER + reads->local], reads->fields))
                return false;
        }
    }
    return true;
}

static bool read_on(struct walk *walk)
{
    struct lin_worker *worker = walk->worker;
    const struct lin_steps *steps = worker->model->steps;
    for (size_t i = 0; i < worker->order.length; i += 2) {
        const uint32_t number = worker->order.items[i], node = worker->order.items[i + 1];
        const struct lin_pool *pool = &steps->pools[number];
        const uint32_t *words = walk->slots + pool->first + node * pool->words;
        const uint64_t fields = worker->reads.items[walk->starts[number] + node];
        for (uint32_t j = 0; j < pool->reference_count; j++) {
            const struct lin_reference_slot *reference = &pool->references[j];
            if ((fields & pool->field_bits[reference->slot]) &&
                !read_more(walk, reference->pool, words[reference->slot], pool->reference_reads[j]))
                return false;
        }
    }
    return true;
}

static bool forget(struct lin_worker *worker, uint32_t *slots)
{
    const struct lin_steps *steps = worker->model->steps;
    struct walk walk = {.worker = worker, .slots = slots};
    const uint32_t total = pool_starts(steps, walk.starts);
    worker->order.length = 0;
    if (total == 0)
        return true;
    if (!vector_reserve(&worker->reads, total))
        return false;
    memset(worker->reads.items, 0, total * sizeof *worker->reads.items);
    if (!read_roots(&walk) || !read_on(&walk))
        return false;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            for (uint32_t k = 1; k < pool->words; k++)
                if (!(worker->reads.items[walk.starts[i] + j] & pool->field_bits[k]))
                    slots[pool->first + j * pool->words + k] = 0;
    }
    return true;
}

bool lin_forget_fields(struct lin_worker *worker, uint32_t *slots)
{
    if (!worker->native)
        return forget(worker, slots);
    worker->native->forget_fields(slots);
    return true;
}
