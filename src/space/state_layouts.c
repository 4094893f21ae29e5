#include "space/state_layouts.h"

#include <assert.h>

/* After so many layouts each slot is given one bit more than it needs, or the number of layouts
 * would be that of slots times that of bits; one that has always been the same, such as those of
 * nodes that are never made, after many more. Where a layout is as large as a state they are fewer.
 */
#define LAYOUTS_PER_BIT       24
#define LAYOUTS_OF_CONSTANTS  256
#define LAYOUTS_PER_BIT_LARGE 4
#define BITS_AT_A_TIME_LARGE  8 /* for a slot that is given more */

void state_layouts_init(struct state_layouts *layouts, struct budget *budget, uint32_t slots,
                        uint32_t identity, bool is_large)
{
    layouts->budget = budget;
    layouts->slots = slots;
    layouts->identity = identity;
    layouts->is_large = is_large;
    layouts->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    vector_init(&layouts->items, budget);
    atomic_init(&layouts->last, NULL);
}

void state_layouts_release(struct state_layouts *layouts)
{
    for (size_t i = 0; i < layouts->items.length; i++)
        state_layout_destroy(layouts->items.items[i]);
    vector_release(&layouts->items);
    atomic_store_explicit(&layouts->last, NULL, memory_order_relaxed);
}

void state_layouts_pack(const struct state_layouts *layouts, const uint32_t *state,
                        struct packed_state *packed)
{
    const struct state_layout *last = state_layouts_last(layouts);
    packed->layout = last;
    packed->fits = last && state_layout_pack_identity(last, state, packed->words);
    packed->whole = last && last->identity == last->slots && last->identity_words == last->words;
}

static bool push(struct state_layouts *layouts, struct state_layout *layout)
{
    if (!layout || !vector_push(&layouts->items, layout)) {
        state_layout_destroy(layout);
        return false;
    }
    atomic_store_explicit(&layouts->last, layout, memory_order_release);
    return true;
}

static struct state_layout *widened(const struct state_layouts *layouts, const uint32_t *state)
{
    const size_t count = layouts->items.length,
                 per_bit = layouts->is_large ? LAYOUTS_PER_BIT_LARGE : LAYOUTS_PER_BIT;
    if (count == 0)
        return state_layout_create(layouts->budget, state, layouts->slots, layouts->identity);
    const struct slot_widths widths = {
        .least = (uint32_t)(count / per_bit),
        .least_of_constants =
            (uint32_t)(layouts->is_large ? count / per_bit : count / LAYOUTS_OF_CONSTANTS),
        .at_a_time = layouts->is_large ? BITS_AT_A_TIME_LARGE : 1};
    return state_layout_widen(layouts->items.items[count - 1], state, &widths);
}

const struct state_layout *state_layouts_for(struct state_layouts *layouts, const uint32_t *state,
                                             uint64_t *words)
{
    pthread_mutex_lock(&layouts->lock);
    const struct state_layout *last = state_layouts_last(layouts);
    if (!last || !state_layout_pack(last, state, words))
        last = push(layouts, widened(layouts, state)) ? state_layouts_last(layouts) : NULL;
    pthread_mutex_unlock(&layouts->lock);
    return last;
}

bool state_layouts_begin_like(struct state_layouts *layouts, const struct state_layouts *others,
                              const uint32_t *state)
{
    const struct state_layout *last = state_layouts_last(others);
    assert(layouts->items.length == 0 && layouts->slots == others->slots);
    return !last || push(layouts, state_layout_widen(last, state, &slot_widths_needed));
}
