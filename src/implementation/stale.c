#include "implementation/stale.h"

#include "base/attributes.h"

/* A word of a node that a reference names. */
static uint32_t word_of(const struct lin_pool *pool, const uint32_t *state, uint32_t reference,
                        uint32_t word)
{
    return state[pool->first + (reference - 1) * pool->words + word];
}

/* Whether a shared variable leads to a node along a field. */
static bool leads_to(const struct lin_pool *pool, const uint32_t *state,
                     const struct lin_stale *stale, uint32_t node)
{
    uint32_t at = state[stale->slot];
    for (uint32_t i = 0; i <= pool->nodes && at != 0 && at != node; i++)
        at = word_of(pool, state, at, stale->along);
    return at != 0; /* a circle leads wherever it may */
}

bool lin_holds_stale(const struct lin_steps *steps, const uint32_t *state, const uint32_t *locals,
                     const struct lin_stale *stale)
{
    const struct lin_pool *pool = &steps->pools[stale->pool];
    for (size_t i = 0; i < ARRAY_LENGTH(stale->nodes); i++)
        for (uint64_t left = stale->nodes[i]; left; left &= left - 1)
            if (locals[64 * i + (size_t)__builtin_ctzll(left)] == 0)
                return false;
    const uint32_t node = locals[stale->local];
    if (stale->supposed && word_of(pool, state, node, stale->along) == 0)
        return false;
    return stale->linked ? word_of(pool, state, node, stale->along) != 0
                         : !leads_to(pool, state, stale, node);
}

static bool holds_some(const struct lin_steps *steps, const uint32_t *state, uint32_t thread,
                       const struct lin_stale *items, const uint32_t *from)
{
    const uint32_t *own = thread_slots_of(steps, state, thread);
    bool holds = false;
    if (!from || !is_at_code(own))
        return false;
    const uint32_t at = own[LIN_THREAD_AT] - 1;
    for (uint32_t i = from[at]; i < from[at + 1] && !holds; i++)
        holds = lin_holds_stale(steps, state, own + LIN_THREAD_HEADER, &items[i]);
    return holds;
}

bool lin_is_decided(const struct lin_steps *steps, const uint32_t *state, uint32_t thread)
{
    return holds_some(steps, state, thread, steps->decided.items, steps->decided_from);
}

bool lin_is_stale(const struct lin_model *model, const uint32_t *state)
{
    const struct lin_steps *steps = model->steps;
    bool stale = false;
    for (uint32_t i = 0; i < steps->setting.threads && !stale; i++)
        stale = holds_some(steps, state, i, steps->stale.items, steps->stale_from);
    return stale;
}
