/* Take a linearization. Between two completed operations the pending ones that happened lead the
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
#include "monitor/thin.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

#define NEEDED UINT32_MAX /* as the operation of a row: the value is needed */

/* Chains of swaps are followed so far; beyond that all values count as needed. */
#define MOST_ROUNDS 32

void tally_init(struct tally *tally, struct budget *budget)
{
    *tally = (struct tally){.budget = budget};
}

void tally_release(struct tally *tally)
{
    memory_release(tally->budget, tally->rows, tally->capacity * sizeof *tally->rows);
    tally_init(tally, tally->budget);
}

static struct tally_row *row_of(const struct tally *tally, uint32_t operation, value v)
{
    size_t mask = tally->capacity - 1, at = hash_pair(v, operation) & mask;
    while (tally->rows[at].count > 0 &&
           (tally->rows[at].value != v || tally->rows[at].operation != operation))
        at = (at + 1) & mask;
    return &tally->rows[at];
}

static bool tally_grow(struct tally *tally)
{
    struct tally grown = *tally;
    grown.capacity = tally->capacity ? tally->capacity * 2 : 64;
    grown.rows = memory_zeroed(tally->budget, grown.capacity * sizeof *grown.rows);
    if (!grown.rows)
        return false;
    for (size_t i = 0; i < tally->capacity; i++)
        if (tally->rows[i].count > 0)
            *row_of(&grown, tally->rows[i].operation, tally->rows[i].value) = tally->rows[i];
    tally_release(tally);
    *tally = grown;
    return true;
}

/* Counts one more; how many there were before, `refused` when there is no memory for it. */
static uint32_t count_one(struct tally *tally, uint32_t operation, value v, uint32_t refused)
{
    if (tally->used * 2 >= tally->capacity && !tally_grow(tally))
        return refused;
    struct tally_row *row = row_of(tally, operation, v);
    tally->used += row->count == 0;
    row->value = v;
    row->operation = operation;
    return row->count++;
}

static bool is_needed(const struct tally *tally, value v)
{
    return tally->capacity > 0 && row_of(tally, NEEDED, v)->count > 0;
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
    if (count_one(tally, NEEDED, v, UINT32_MAX) == UINT32_MAX)
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

void find_useless(const struct part *part, struct tally *tally, bool *useless)
{
    assert(part_holds_one_value(part));
    if (tally->capacity > 0)
        memset(tally->rows, 0, tally->capacity * sizeof *tally->rows);
    tally->used = 0;
    struct needs needs = collect_needs(part, tally);
    close_needs(part, tally, &needs);
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        useless[i] = false;
        if (!is_pending(interval))
            continue;
        struct effect effect = effect_of(part, &interval->call);
        useless[i] = (effect.kind != EFFECT_SETS && effect.kind != EFFECT_SWAPS) ||
                     (!needs.any && !is_needed(tally, effect.left)) ||
                     count_one(tally, interval->call.operation, interval->call.argument, 0) >=
                         needs.operations;
    }
}
