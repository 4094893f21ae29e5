#include "space/state_layout.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"

#define FEW_WORDS 32

const struct slot_widths slot_widths_needed = {.at_a_time = 1};

static size_t bits_of(const struct state_layout *layout, uint32_t first, uint32_t end)
{
    size_t bits = 0;
    for (uint32_t i = first; i < end; i++)
        bits += layout->fields[i].bits;
    return bits;
}

static uint32_t words_of(const struct state_layout *layout, uint32_t first, uint32_t end)
{
    return (uint32_t)bits_words(bits_of(layout, first, end));
}

static uint32_t identity_end(const struct state_layout *layout)
{
    return layout->identity < layout->slots ? layout->identity : layout->slots;
}

static size_t layout_size(uint32_t slots)
{
    return sizeof(struct state_layout) + slots * sizeof(struct slot_field);
}

static struct state_layout *layout_allocate(struct budget *budget, uint32_t slots,
                                            uint32_t identity)
{
    struct state_layout *layout = memory_zeroed(budget, layout_size(slots));
    if (!layout)
        return NULL;
    layout->budget = budget;
    layout->slots = slots;
    layout->identity = identity;
    layout->fields = (struct slot_field *)(layout + 1);
    return layout;
}

/* The layout whose fields are set, whole. Destroys it, and returns null, when refused. */
static struct state_layout *layout_finish(struct state_layout *layout)
{
    const uint32_t identity = identity_end(layout);
    layout->identity_words = words_of(layout, 0, identity);
    layout->words = layout->identity_words + words_of(layout, identity, layout->slots);
    layout->words += layout->words == 0;
    if (identity < layout->slots || !state_groups_fit(layout->slots))
        return layout;
    layout->groups = state_groups_create(layout->budget, layout->fields, layout->slots);
    if (layout->groups)
        return layout;
    state_layout_destroy(layout);
    return NULL;
}

struct state_layout *state_layout_create(struct budget *budget, const uint32_t *state,
                                         uint32_t slots, uint32_t identity)
{
    struct state_layout *layout = layout_allocate(budget, slots, identity);
    if (!layout)
        return NULL;
    for (uint32_t i = 0; i < slots; i++)
        layout->fields[i].base = state[i];
    return layout_finish(layout);
}

/* A field for all values that `old` has and for `value`: signed, but the greatest that `old` has
 * may be beyond an integer. */
static struct slot_field widen_field(const struct slot_field *old, uint32_t value,
                                     const struct slot_widths *widths)
{
    struct slot_field field = {.base = old->base};
    int64_t low = (int32_t)old->base, high = low + old->mask, found = (int32_t)value;
    if (found < low) {
        field.base = value;
        low = found;
    }
    uint64_t range = (uint64_t)((found > high ? found : high) - low);
    if (range > UINT32_MAX) /* only what cannot be there is beyond */
        return (struct slot_field){.base = 0, .mask = UINT32_MAX, .bits = 32};
    const uint32_t least = range ? widths->least : widths->least_of_constants;
    while (field.bits < 32 && (range >> field.bits || field.bits < least))
        field.bits++;
    if (range > old->mask)
        while (field.bits < 32 && field.bits % widths->at_a_time)
            field.bits++;
    assert(field.bits >= old->bits && range >> field.bits == 0); /* what fitted fits */
    field.mask = (uint32_t)((UINT64_C(1) << field.bits) - 1);
    return field;
}

struct state_layout *state_layout_widen(const struct state_layout *old, const uint32_t *state,
                                        const struct slot_widths *widths)
{
    struct state_layout *layout = layout_allocate(old->budget, old->slots, old->identity);
    if (!layout)
        return NULL;
    for (uint32_t i = 0; i < old->slots; i++)
        layout->fields[i] = widen_field(&old->fields[i], state[i], widths);
    return layout_finish(layout);
}

void state_layout_destroy(struct state_layout *layout)
{
    if (!layout)
        return;
    state_groups_destroy(layout->groups, layout->budget);
    memory_release(layout->budget, layout, layout_size(layout->slots));
}

/* ---- slot by slot ---- */

/* Writes slots from `first` on, beginning with a word. False if they do not fit. */
static bool pack_fields(const struct state_layout *layout, const uint32_t *state, uint32_t first,
                        uint32_t end, uint64_t *words)
{
    uint64_t word = 0;
    uint32_t used = 0, over = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct slot_field *field = &layout->fields[i];
        const uint32_t code = state[i] - field->base;
        over |= code & ~field->mask;
        word |= (uint64_t)code << used;
        used += field->bits;
        if (used < WORD_BITS)
            continue;
        *words++ = word;
        used -= WORD_BITS;
        word = (uint64_t)code >> (field->bits - used);
    }
    if (used)
        *words = word;
    return over == 0;
}

/* Where in a row of words the next bits are. */
struct reading {
    const uint64_t *word, *end;
    uint32_t used; /* bits of *word, if that is not the end */
};

static inline uint32_t read_field(struct reading *from, const struct slot_field *field)
{
    const uint32_t begun = from->used;
    if (!field->bits)
        return field->base;
    uint64_t code = *from->word >> begun;
    from->used += field->bits;
    if (from->used >= WORD_BITS) {
        from->used -= WORD_BITS;
        from->word++;
        if (from->used) {
            assert(from->word < from->end);
            code |= *from->word << (WORD_BITS - begun);
        }
    }
    return ((uint32_t)code & field->mask) + field->base;
}

/* ---- whole states ---- */

bool state_layout_pack_identity(const struct state_layout *layout, const uint32_t *state,
                                uint64_t *words)
{
    return layout->groups ? state_groups_pack(layout->groups, state, words)
                          : pack_fields(layout, state, 0, identity_end(layout), words);
}

bool state_layout_pack(const struct state_layout *layout, const uint32_t *state, uint64_t *words)
{
    words[layout->words - 1] = 0; /* of a layout without bits */
    return state_layout_pack_identity(layout, state, words) &&
           pack_fields(layout, state, identity_end(layout), layout->slots,
                       words + layout->identity_words);
}

void state_layout_unpack(const struct state_layout *layout, const uint64_t *words, uint32_t *state)
{
    if (layout->groups) {
        state_groups_unpack(layout->groups, words, state);
        return;
    }
    const uint32_t identity = identity_end(layout);
    const uint64_t *rest = words + layout->identity_words;
    struct reading from = {words, rest, 0};
    for (uint32_t i = 0; i < identity; i++)
        state[i] = read_field(&from, &layout->fields[i]);
    from = (struct reading){rest, words + layout->words, 0};
    for (uint32_t i = identity; i < layout->slots; i++)
        state[i] = read_field(&from, &layout->fields[i]);
}

bool state_layout_is(const struct state_layout *layout, const uint64_t *words,
                     const uint32_t *state)
{
    struct reading from = {words, words + layout->identity_words, 0};
    const uint32_t identity = identity_end(layout);
    if (layout->groups && layout->words <= FEW_WORDS) {
        uint64_t packed[FEW_WORDS];
        return state_layout_pack(layout, state, packed) &&
               memcmp(packed, words, layout->words * sizeof *words) == 0;
    }
    for (uint32_t i = 0; i < identity; i++)
        if (read_field(&from, &layout->fields[i]) != state[i])
            return false;
    return true;
}
