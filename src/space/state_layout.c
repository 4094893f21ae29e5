#include "space/state_layout.h"

#include <assert.h>

#include "base/bits.h"

/* The layout with its fields placed; `fields` have their base and bits. */
static void place_fields(struct state_layout *layout, uint32_t identity)
{
    uint32_t used = 0, word = 0;
    for (uint32_t i = 0; i < layout->slots; i++) {
        struct slot_field *field = &layout->fields[i];
        if (used + field->bits > WORD_BITS || (i == identity && i > 0)) {
            layout->ends[word++] = i;
            used = 0;
        }
        if (i == identity)
            layout->identity_words = word;
        field->shift = (uint16_t)(field->bits ? used : 0);
        field->mask = (uint32_t)((UINT64_C(1) << field->bits) - 1);
        used += field->bits;
        assert(used <= WORD_BITS); /* no slot is in two words */
    }
    layout->ends[word++] = layout->slots;
    layout->words = word;
    if (identity >= layout->slots)
        layout->identity_words = word;
}

static size_t layout_size(uint32_t slots)
{
    return sizeof(struct state_layout) + slots * sizeof(struct slot_field) +
           (slots + (size_t)1) * sizeof(uint32_t);
}

static struct state_layout *layout_allocate(struct budget *budget, uint32_t slots)
{
    struct state_layout *layout = memory_zeroed(budget, layout_size(slots));
    if (!layout)
        return NULL;
    layout->budget = budget;
    layout->slots = slots;
    layout->fields = (struct slot_field *)(layout + 1);
    layout->ends = (uint32_t *)(layout->fields + slots);
    return layout;
}

struct state_layout *state_layout_create(struct budget *budget, const uint32_t *state,
                                         uint32_t slots, uint32_t identity)
{
    struct state_layout *layout = layout_allocate(budget, slots);
    if (!layout)
        return NULL;
    for (uint32_t i = 0; i < slots; i++)
        layout->fields[i].base = state[i];
    place_fields(layout, identity);
    return layout;
}

/* A field for all values that `old` has and for `value`: signed, but the greatest that `old` has
 * may be beyond an integer. */
static struct slot_field widen_field(const struct slot_field *old, uint32_t value, uint32_t least,
                                     uint32_t at_a_time)
{
    struct slot_field field = {.base = old->base, .bits = old->bits};
    int64_t low = (int32_t)old->base, high = low + old->mask, found = (int32_t)value;
    if (found < low) {
        field.base = value;
        low = found;
    }
    uint64_t range = (uint64_t)((found > high ? found : high) - low);
    if (range > UINT32_MAX) { /* only what cannot be there is beyond */
        field.base = 0;
        field.bits = 32;
        return field;
    }
    field.bits = 0;
    while (field.bits < 32 && (range >> field.bits || field.bits < least))
        field.bits++;
    if (range > old->mask)
        while (field.bits < 32 && field.bits % at_a_time)
            field.bits++;
    assert(field.bits >= old->bits && range >> field.bits == 0); /* what fitted fits */
    return field;
}

struct state_layout *state_layout_widen(const struct state_layout *old, const uint32_t *state,
                                        uint32_t identity, uint32_t least, uint32_t at_a_time)
{
    struct state_layout *layout = layout_allocate(old->budget, old->slots);
    if (!layout)
        return NULL;
    for (uint32_t i = 0; i < old->slots; i++)
        layout->fields[i] = widen_field(&old->fields[i], state[i], least, at_a_time);
    place_fields(layout, identity);
    return layout;
}

void state_layout_destroy(struct state_layout *layout)
{
    if (layout)
        memory_release(layout->budget, layout, layout_size(layout->slots));
}

bool state_layout_is(const struct state_layout *layout, const uint64_t *words,
                     const uint32_t *state, uint32_t identity)
{
    uint32_t slot = 0;
    for (uint32_t i = 0; i < layout->words; i++) {
        uint32_t end = layout->ends[i] < identity ? layout->ends[i] : identity;
        for (; slot < end; slot++) {
            const struct slot_field *field = &layout->fields[slot];
            if (((uint32_t)(words[i] >> field->shift) & field->mask) + field->base != state[slot])
                return false;
        }
    }
    return true;
}
