/* Finds irrelevant pending operations of objects that hold one value.
 *
 * Take a linearization. Between two completed operations the pending ones that happened lead the
 * object from one value to another. Only what the next completed operation needs matters of them,
 * if it needs anything at all: one that is legal with any value and overwrites it needs nothing,
 * and what comes behind the last completed one is not needed either. So of a linearization that is
 * as short as can be
 *
 * 1. no such sequence meets a value twice: what is between the two times could be left out. No two
 *    of its operations are alike (same operation and argument), since they would leave the same
 *    value. Hence there are at most as many alike as there are completed operations that need
 *    something; and as nothing but the invocation bounds when a pending operation happens, those
 *    invoked first will do.
 * 2. every value in such a sequence is needed: by the completed operation, or by a swap that leaves
 *    a value that is needed. Hence a pending operation that leaves any other is of no use. This
 *    does not hold if some completed operation needs any value but one. */
#include "decide/irrelevant_pending.h"

#include <assert.h>

#include "spec/deque.h"
#include "spec/multi_register.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/stack.h"

#define NEEDED UINT32_MAX /* as the operation of a row: the value is needed */

/* Chains of swaps are followed so far; beyond that all values count as needed. */
#define MOST_ROUNDS 32

static bool is_needed(const struct tally *tally, value v)
{
    return tally_get(tally, NEEDED, v) > 0;
}

static bool is_pending(const struct interval *interval)
{
    return interval->response == POSITION_NEVER;
}

/* What the completed operations need, and what pending swaps need that leave what is needed. */
struct needs {
    uint32_t operations; /* completed ones that need something */
    bool any;            /* some need any value but one, or more than there is memory for */
};

static void need(struct needs *needs, struct tally *tally, value v)
{
    if (tally_add(tally, NEEDED, v, UINT32_MAX) == UINT32_MAX)
        needs->any = true;
}

static struct needs collect_needs(const struct part *part, struct tally *tally)
{
    struct needs needs = {0};
    for (uint32_t i = 0; i < part->count; i++) {
        if (is_pending(&part->intervals[i]))
            continue;
        struct effect effect = effect_of(part, &part->intervals[i].call);
        bool one = effect.kind == EFFECT_SEES || effect.kind == EFFECT_SWAPS;
        needs.any |= effect.kind == EFFECT_DIFFERS;
        needs.operations += one || effect.kind == EFFECT_DIFFERS;
        if (one)
            need(&needs, tally, effect.needed);
    }
    return needs;
}

static void close_needs(const struct part *part, struct tally *tally, struct needs *needs)
{
    bool grown = true;
    for (unsigned round = 0; grown && !needs->any; round++) {
        if (round == MOST_ROUNDS)
            needs->any = true;
        grown = false;
        for (uint32_t i = 0; i < part->count; i++) {
            if (!is_pending(&part->intervals[i]))
                continue;
            struct effect effect = effect_of(part, &part->intervals[i].call);
            if (effect.kind != EFFECT_SWAPS || !is_needed(tally, effect.left) ||
                is_needed(tally, effect.needed))
                continue;
            need(needs, tally, effect.needed);
            grown = true;
        }
    }
}

void irrelevant_in_one_value(const struct part *part, struct tally *tally, bool *irrelevant)
{
    assert(part_holds_one_value(part));
    tally_clear(tally);
    struct needs needs = collect_needs(part, tally);
    close_needs(part, tally, &needs);
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        irrelevant[i] = false;
        if (!is_pending(interval))
            continue;
        struct effect effect = effect_of(part, &interval->call);
        irrelevant[i] = (effect.kind != EFFECT_SETS && effect.kind != EFFECT_SWAPS) ||
                        (!needs.any && !is_needed(tally, effect.left)) ||
                        tally_add(tally, interval->call.operation, interval->call.argument, 0) >=
                            needs.operations;
    }
}

find_irrelevant *irrelevant_finder_of(const struct part *part)
{
    const struct spec_class *class = part->spec->class;
    if (class == &queue_class || class == &stack_class || class == &deque_class ||
        class == &priority_queue_class)
        return irrelevant_in_container;
    if (class == &multi_register_class)
        return irrelevant_in_registers;
    return part_holds_one_value(part) ? irrelevant_in_one_value : NULL;
}
