/* Prepares a part for the search: its events in order, a slot in the load for each running
 * operation, and the pending operations gathered into lanes by what they do.
 *
 * The load of a configuration says which running operations have taken effect. Its bits:
 *
 *     | slots of operations that | slots of operations that | lane 0 | lane 1 | ... |
 *     | may change the state     | are read-only            |
 *                                                            \ guard, count of operations used
 *
 * A slot belongs to one completed operation from its invocation to its response and is then used
 * again, so there are about as many slots as operations run at once, not as there are operations.
 * Pending operations run to the end; those that do the same (same operation, same argument) share a
 * lane, which counts how many of them have taken effect. A lane's uppermost bit, its guard, is 0 in
 * every load: with it set, all lanes are compared by one subtraction. No lane straddles two words.
 */
#ifndef SEARCH_PLAN_H
#define SEARCH_PLAN_H

#include "base/bits.h"
#include "history/part.h"
#include "search/transitions.h"

/* What the search needs to know of an operation. */
struct planned {
    uint32_t class;
    uint32_t slot; /* of a completed operation; of a pending one its lane */
};

#define PLANNED_SKIP UINT32_MAX /* slot of an operation that the search leaves out */

struct lane {
    uint32_t class;
    uint32_t first, count; /* its operations: plan->pending[first ...], by invocation */
    uint32_t word;         /* of the load */
    uint8_t shift, bits;   /* bits without the guard */
};

/* Which bits of a load are what: `width` words each. */
struct load_shape {
    uint32_t width;    /* at least 1 */
    uint64_t *effects; /* slots of completed operations that may change the state */
    uint64_t *reads;   /* slots of those that do not */
    uint64_t *lanes;   /* counts, without guards */
    uint64_t *guards;
};

struct plan {
    const struct part *part;
    struct budget *budget;
    struct planned *operations; /* by index in the part */
    uint32_t *events;           /* operation * 2, + 1 for its response; up to the last response */
    uint32_t event_count;
    uint32_t slots, read_slots; /* the first `slots` for effects, then so many for reads */
    VECTOR(struct lane) lanes;
    uint32_t *pending; /* operations, lane by lane */
    uint32_t pending_count;
    struct load_shape shape;
};

/* Fills in the classes of `transitions` as well. False when a budget refuses; to be released all
 * the same. */
bool plan_create(struct plan *plan, const struct part *part, struct transitions *transitions,
                 struct budget *budget) MUST_CHECK;
void plan_release(struct plan *plan);

/* Whether the operation in a slot has taken effect. */
static inline bool load_has(const uint64_t *load, uint32_t slot)
{
    return load[slot / WORD_BITS] & bit_of(slot);
}

static inline uint32_t lane_used(const struct lane *lane, const uint64_t *load)
{
    return (uint32_t)(load[lane->word] >> lane->shift & (((uint64_t)1 << lane->bits) - 1));
}

#endif
