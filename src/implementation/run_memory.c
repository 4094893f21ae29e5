#include "implementation/run_memory.h"

#include <string.h>

/* What LIN_THREAD_LINK holds of the location that an `ll` names; LIN_MOST_SLOTS keeps both parts
 * below 16 bits. */
static uint32_t link_to(uint32_t slot, uint32_t words)
{
    return words << 16 | (slot + 1);
}

static void break_links(struct lin_run *run, uint32_t slot, uint32_t count)
{
    for (uint32_t i = 0; run->worker->model->links && i < run->steps->setting.threads; i++) {
        uint32_t *link = &thread_slots(run->steps, run->evaluation.slots, i)[LIN_THREAD_LINK];
        uint32_t first = (*link & 0xffff) - 1, linked = *link >> 16;
        if (linked > 0 && first < slot + count && slot < first + linked)
            *link = 0;
    }
}

static void write_word(struct lin_run *run, uint32_t slot, int32_t word)
{
    run->evaluation.slots[slot] = (uint32_t)word;
    break_links(run, slot, 1);
}

void lin_run_write(struct lin_run *run, uint32_t slot, const datum *words, uint32_t count)
{
    assert(slot + count <= run->steps->slots);
    for (uint32_t i = 0; i < count; i++)
        run->evaluation.slots[slot + i] = (uint32_t)datum_bits(words[i]);
    break_links(run, slot, count);
}

enum ran lin_run_compare_and_swap(struct lin_run *run, uint32_t words)
{
    const datum *new = evaluation_drop(&run->evaluation, words),
                *old = evaluation_drop(&run->evaluation, words);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    bool same = true;
    for (uint32_t i = 0; i < words; i++)
        same &= run->evaluation.slots[slot + i] == (uint32_t)datum_bits(old[i]);
    if (same)
        lin_run_write(run, slot, new, words);
    return evaluation_push(&run->evaluation, datum_boolean(same));
}

enum ran lin_run_swap(struct lin_run *run, uint32_t words)
{
    uint32_t old[64];
    if (words > ARRAY_LENGTH(old))
        return lin_run_fault(run, "a record of more than 64 words");
    const datum *new = evaluation_drop(&run->evaluation, words);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    memcpy(old, run->evaluation.slots + slot, words * sizeof *old);
    lin_run_write(run, slot, new, words);
    return evaluation_push_slots(&run->evaluation, old, words);
}

enum ran lin_run_fetch_add(struct lin_run *run, uint32_t range)
{
    static const struct range_limit any = {.low = INT32_MIN, .high = INT32_MAX};
    const struct range_limit *limit = range == UINT32_MAX ? &any : &run->steps->ranges.items[range];
    int64_t more = lin_run_pop(run);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    int32_t old = (int32_t)run->evaluation.slots[slot];
    int64_t sum = old + more;
    if (sum < limit->low || sum > limit->high)
        return lin_run_leave_range(run, limit, sum, LIN_RANGE_NUMBER);
    write_word(run, slot, (int32_t)sum);
    return lin_run_push(run, old);
}

enum ran lin_run_dereference(struct lin_run *run, const struct instruction *i)
{
    const struct lin_pool *pool = &run->steps->pools[i->operand];
    int32_t reference = lin_run_pop(run);
    if (reference == 0)
        return lin_run_fault(run, "a null reference is followed");
    const bool write_once = run->worker->options.write_once && i->small == 1;
    run->worker->reads_write_once |= write_once;
    if (!write_once && i->small != LIN_ADDRESS_LEFT &&
        (!vector_push(&run->worker->touched, (uint32_t)i->operand) ||
         !vector_push(&run->worker->touched, (uint32_t)reference - 1)))
        return RAN_OUT_OF_MEMORY;
    return lin_run_push(run,
                        (int32_t)(pool->first + (uint32_t)(reference - 1) * pool->words + i->wide));
}

enum ran lin_run_make_node(struct lin_run *run, const struct lin_pool *pool)
{
    uint32_t candidates = 0, fresh = UINT32_MAX, chosen;
    for (uint32_t i = 0; i < pool->nodes; i++) {
        uint32_t status = run->evaluation.slots[pool->first + i * pool->words];
        if (status == LIN_NODE_NONE && fresh == UINT32_MAX)
            fresh = i;
        candidates += status == LIN_NODE_FREED || fresh == i;
    }
    if (candidates == 0) {
        run->worker->exhausted |= pool->is_default;
        return RAN_OUT_OF_NODES;
    }
    chosen = choices_take(&run->worker->choices, candidates);
    if (chosen == CHOICE_REFUSED)
        return RAN_OUT_OF_MEMORY;
    uint32_t node = 0;
    for (;; node++) {
        uint32_t status = run->evaluation.slots[pool->first + node * pool->words];
        if ((status == LIN_NODE_FREED || node == fresh) && chosen-- == 0)
            break;
    }
    uint32_t first = pool->first + node * pool->words;
    memcpy(run->evaluation.slots + first, pool->initial, pool->words * sizeof *pool->initial);
    break_links(run, first, pool->words);
    return lin_run_push(run, (int32_t)node + 1);
}

enum ran lin_run_free_node(struct lin_run *run, const struct lin_pool *pool)
{
    int32_t reference = lin_run_pop(run);
    if (reference == 0)
        return lin_run_fault(run, "null is freed");
    uint32_t *status =
        &run->evaluation.slots[pool->first + (uint32_t)(reference - 1) * pool->words];
    if (*status == LIN_NODE_FREED)
        return lin_run_fault(run, "a node is freed twice");
    *status = LIN_NODE_FREED;
    return RAN_ON;
}

enum ran lin_run_store_conditional(struct lin_run *run, uint32_t words)
{
    const datum *new = evaluation_drop(&run->evaluation, words);
    uint32_t slot = (uint32_t)lin_run_pop(run);
    uint32_t *link =
        &thread_slots(run->steps, run->evaluation.slots, run->evaluation.thread)[LIN_THREAD_LINK];
    bool stores = *link == link_to(slot, words);
    *link = 0;
    if (stores)
        lin_run_write(run, slot, new, words);
    return evaluation_push(&run->evaluation, datum_boolean(stores));
}

enum ran lin_run_load_linked(struct lin_run *run, uint32_t words)
{
    uint32_t slot = (uint32_t)lin_run_pop(run);
    thread_slots(run->steps, run->evaluation.slots, run->evaluation.thread)[LIN_THREAD_LINK] =
        link_to(slot, words);
    return evaluation_push_slots(&run->evaluation, run->evaluation.slots + slot, words);
}

enum ran lin_run_lock(struct lin_run *run)
{
    uint32_t slot = (uint32_t)lin_run_pop(run);
    if (run->evaluation.slots[slot])
        return RAN_BLOCKED;
    write_word(run, slot, 1);
    return RAN_ON;
}

enum ran lin_run_unlock(struct lin_run *run)
{
    uint32_t slot = (uint32_t)lin_run_pop(run);
    if (!run->evaluation.slots[slot])
        return lin_run_fault(run, "a lock that nobody holds is unlocked");
    write_word(run, slot, 0);
    return RAN_ON;
}
