/* What a walk over the blocks of a register that did not find an order says of another one: of some
 * blocks when they are better to take place (enum hint). Each says so once or twice, so that there
 * is an end to it. The walk has to be done again from where the first of them began. */
#include "monitor/register_learn.h"

/* False if the block of the operation has one already. */
static bool give_hint(struct schedule *schedule, uint32_t operation, enum hint hint)
{
    const uint32_t block = schedule->blocks->block[operation];
    uint8_t *given = &schedule->hints[block < BLOCK_DROPPED ? schedule->due[block] : operation];
    if (*given == HINT_PATIENT || *given == hint)
        return false;
    *given = (uint8_t)hint;
    const uint32_t begun = schedule->blocks->part->intervals[begin_of(schedule, operation)].invoke;
    if (begun < schedule->back)
        schedule->back = begun;
    return true;
}

/* Whether it has changed the register, or was read from a block. */
static bool is_of_block(const struct blocks *blocks, uint32_t operation)
{
    return !is_question(blocks, operation) && blocks->block[operation] != BLOCK_FREE;
}

/* The place in the order where the block begins that ends there. */
static size_t begin_at(const struct schedule *schedule, size_t at)
{
    const struct blocks *blocks = schedule->blocks;
    const uint32_t *order = blocks->decision->linearization.items,
                   begin = begin_of(schedule, order[at]);
    while (order[at] != begin)
        at--;
    return at;
}

/* The operation that changed the register last, in front of a place in the order; SIZE_MAX. */
static size_t change_before(const struct schedule *schedule, size_t at)
{
    const struct blocks *blocks = schedule->blocks;
    while (at-- > 0)
        if (is_of_block(blocks, blocks->decision->linearization.items[at]))
            return at;
    return SIZE_MAX;
}

/* A cas that failed has found nothing but its value: if the block of that can come in front of the
 * block in front of it, it will. */
static bool learn_failed(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    const struct decision *decision = blocks->decision;
    const size_t end = change_before(schedule, decision->linearization.length);
    if (end == SIZE_MAX || value_after(blocks, decision->linearization.items[end]) !=
                               access_of(blocks, schedule->misplaced).expected)
        return false;
    const uint32_t operation = decision->linearization.items[end], block = blocks->block[operation];
    const size_t before = change_before(schedule, begin_at(schedule, end));
    if (before == SIZE_MAX || block == BLOCK_DROPPED ||
        (block < BLOCK_DROPPED && has_zone(&blocks->clusters[block])))
        return false;
    const uint32_t last = block < BLOCK_DROPPED ? blocks->clusters[block].last
                                                : blocks->part->intervals[operation].invoke,
                   other = decision->linearization.items[begin_at(schedule, before)];
    return last <= schedule->placed[other] && give_hint(schedule, operation, HINT_EARLY);
}

/* Where something came too late, whether it would not have if the blocks between what it needs and
 * the end so far had taken place in front of that; then they will. */
bool schedule_learn(struct schedule *schedule)
{
    const struct blocks *blocks = schedule->blocks;
    const struct decision *decision = blocks->decision;
    schedule->back = NONE;
    if (schedule->too_early != NONE)
        return give_hint(schedule, cluster_begin(&blocks->clusters[schedule->too_early]),
                         HINT_PATIENT);
    if (schedule->misplaced == NONE)
        return false;
    if (access_of(blocks, schedule->misplaced).expected != blocks->accesses.absent)
        return access_of(blocks, schedule->misplaced).kind == ACCESS_FAILED &&
               learn_failed(schedule);
    const bool nothing = finds_nothing(schedule, schedule->misplaced);
    size_t from = decision->linearization.length, at = from;
    uint32_t needed = NONE;
    while (at-- > 0 && needed == NONE) {
        uint32_t operation = decision->linearization.items[at];
        if (!is_of_block(blocks, operation))
            continue;
        if ((value_after(blocks, operation) == blocks->accesses.absent) == nothing)
            needed = operation;
        else
            from = at;
    }
    if (needed == NONE)
        return false;
    bool learnt = false;
    for (size_t i = from; i < decision->linearization.length; i++) {
        uint32_t operation = decision->linearization.items[i];
        if (!is_of_block(blocks, operation))
            continue;
        if (blocks->part->intervals[operation].invoke > schedule->placed[needed])
            return learnt;
        learnt |= give_hint(schedule, operation, HINT_HASTY);
    }
    return learnt || give_hint(schedule, needed, HINT_PATIENT);
}
