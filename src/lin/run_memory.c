#include "lin/run_memory.h"

#include <string.h>

/* What LIN_THREAD_LINK holds of the location that an `ll` names; LIN_MOST_SLOTS keeps both parts
 * below 16 bits. */
static uint32_t link_to(uint32_t slot, uint32_t words)
{
    return words << 16 | (slot + 1);
}

void lin_run_write(struct lin_run *run, uint32_t slot, const int32_t *words, uint32_t count)
{
    memcpy(run->slots + slot, words, count * sizeof *words);
    for (uint32_t i = 0; run->worker->model->links && i < run->steps->setting.threads; i++) {
        uint32_t *link = &thread_slots(run->steps, run->slots, i)[LIN_THREAD_LINK];
        uint32_t first = (*link & 0xffff) - 1, linked = *link >> 16;
        if (linked > 0 && first < slot + count && slot < first + linked)
            *link = 0;
    }
}

enum lin_halt lin_run_compare_and_swap(struct lin_run *run, uint32_t words)
{
    const int32_t *new = lin_run_drop(run, words), *old = lin_run_drop(run, words);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    bool same = memcmp(run->slots + slot, old, words * sizeof *old) == 0;
    if (same)
        lin_run_write(run, slot, new, words);
    return lin_run_push(run, same);
}

enum lin_halt lin_run_swap(struct lin_run *run, uint32_t words)
{
    int32_t new[64];
    uint32_t old[64];
    if (words > ARRAY_LENGTH(new))
        return lin_run_fault(run, "a record of more than 64 words");
    memcpy(new, lin_run_drop(run, words), words * sizeof *new);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    memcpy(old, run->slots + slot, words * sizeof *old);
    lin_run_write(run, slot, new, words);
    return lin_run_push_words(run, old, words);
}

enum lin_halt lin_run_fetch_add(struct lin_run *run, uint32_t range)
{
    int64_t more = lin_run_pop(run);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    int32_t old = (int32_t)run->slots[slot];
    int64_t sum = old + more;
    enum lin_halt halt = lin_run_check_range(run, range, sum, false);
    if (halt != HALT_NOT)
        return halt;
    int32_t new = (int32_t)sum;
    lin_run_write(run, slot, &new, 1);
    return lin_run_push(run, old);
}

enum lin_halt lin_run_dereference(struct lin_run *run, const struct lin_pool *pool, uint32_t offset)
{
    int32_t reference = lin_run_pop(run);
    if (reference == 0)
        return lin_run_fault(run, "a null reference is followed");
    if (!vector_push(&run->worker->touched, (uint32_t)(pool - run->steps->pools)) ||
        !vector_push(&run->worker->touched, (uint32_t)reference - 1))
        return HALT_FOR_MEMORY;
    return lin_run_push(run,
                        (int32_t)(pool->first + (uint32_t)(reference - 1) * pool->words + offset));
}

enum lin_halt lin_run_make_node(struct lin_run *run, const struct lin_pool *pool)
{
    uint32_t candidates = 0, fresh = UINT32_MAX, chosen = 0;
    for (uint32_t i = 0; i < pool->nodes; i++) {
        uint32_t status = run->slots[pool->first + i * pool->words];
        if (status == LIN_NODE_NONE && fresh == UINT32_MAX)
            fresh = i;
        candidates += status == LIN_NODE_FREED || fresh == i;
    }
    if (candidates == 0) {
        run->worker->exhausted |= pool->is_default;
        return HALT_FOR_NODE;
    }
    if (candidates > 1)
        chosen = lin_run_choose(run, candidates);
    if (chosen == UINT32_MAX)
        return HALT_FOR_MEMORY;
    uint32_t node = 0;
    for (;; node++) {
        uint32_t status = run->slots[pool->first + node * pool->words];
        if ((status == LIN_NODE_FREED || node == fresh) && chosen-- == 0)
            break;
    }
    lin_run_write(run, pool->first + node * pool->words, pool->initial, pool->words);
    return lin_run_push(run, (int32_t)node + 1);
}

enum lin_halt lin_run_free_node(struct lin_run *run, const struct lin_pool *pool)
{
    int32_t reference = lin_run_pop(run);
    if (reference == 0)
        return lin_run_fault(run, "null is freed");
    uint32_t *status = &run->slots[pool->first + (uint32_t)(reference - 1) * pool->words];
    if (*status == LIN_NODE_FREED)
        return lin_run_fault(run, "a node is freed twice");
    *status = LIN_NODE_FREED;
    return HALT_NOT;
}

enum lin_halt lin_run_store_conditional(struct lin_run *run, uint32_t words)
{
    const int32_t *new = lin_run_drop(run, words);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    uint32_t *link = &thread_slots(run->steps, run->slots, run->thread)[LIN_THREAD_LINK];
    bool stores = *link == link_to(slot, words);
    *link = 0;
    if (stores)
        lin_run_write(run, slot, new, words);
    return lin_run_push(run, stores);
}

enum lin_halt lin_run_load_linked(struct lin_run *run, uint32_t words)
{
    uint32_t slot = (uint32_t)lin_run_pop(run);
    thread_slots(run->steps, run->slots, run->thread)[LIN_THREAD_LINK] = link_to(slot, words);
    return lin_run_push_words(run, run->slots + slot, words);
}

enum lin_halt lin_run_lock(struct lin_run *run)
{
    static const int32_t held = 1;
    uint32_t slot = (uint32_t)lin_run_pop(run);
    if (run->slots[slot])
        return HALT_IN_WAIT;
    lin_run_write(run, slot, &held, 1);
    return HALT_NOT;
}

enum lin_halt lin_run_unlock(struct lin_run *run)
{
    static const int32_t clear = 0;
    uint32_t slot = (uint32_t)lin_run_pop(run);
    if (!run->slots[slot])
        return lin_run_fault(run, "a lock that nobody holds is unlocked");
    lin_run_write(run, slot, &clear, 1);
    return HALT_NOT;
}
