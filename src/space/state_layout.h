/* How the states of a table are written down as bits: of each slot the difference from the least
 * value that it may have, in as many bits as the greatest difference needs; a slot that has had one
 * value only takes none. Nobody says the ranges beforehand: a layout is widened, which makes a new
 * one, when a value does not fit, and what the old one could hold the new one can hold.
 *
 *     bits of words[0]            words[1]                  words[identity_words]
 *     | slot 0 | slot 1 |    |    | slot 2 | slot 3 | ...   | first slot that rides along | ...
 *
 * No slot is in two words, and those that say which state it is have words of their own. */
#ifndef SPACE_STATE_LAYOUT_H
#define SPACE_STATE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"

struct slot_field {
    uint32_t base; /* the least value, of a signed slot */
    uint32_t mask; /* of its bits, shifted down */
    uint16_t shift;
    uint16_t bits;
};

struct state_layout {
    struct budget *budget;
    uint32_t slots;
    uint32_t words, identity_words;
    uint32_t *ends;            /* by word: the slot behind its last one; owned, with `fields` */
    struct slot_field *fields; /* by slot */
};

/* For exactly this state. Null when refused. */
struct state_layout *state_layout_create(struct budget *budget, const uint32_t *state,
                                         uint32_t slots, uint32_t identity) MUST_CHECK;

/* A layout for all that `old` can hold, and for this state. Of no slot are there fewer than `least`
 * bits; one that needs more than it had gets a multiple of `at_a_time`. Null when refused. */
struct state_layout *state_layout_widen(const struct state_layout *old, const uint32_t *state,
                                        uint32_t identity, uint32_t least,
                                        uint32_t at_a_time) MUST_CHECK;

void state_layout_destroy(struct state_layout *layout);

/* Writes the first `count` words of a state (`words`, or `identity_words`); false: they cannot hold
 * it, and what was written is of no use. */
static inline bool state_layout_pack(const struct state_layout *layout, const uint32_t *state,
                                     uint64_t *words, uint32_t count)
{
    const struct slot_field *field = layout->fields;
    uint64_t over = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (const struct slot_field *end = layout->fields + layout->ends[i]; field < end;
             field++, state++) {
            uint32_t code = *state - field->base;
            over |= code & ~field->mask;
            word |= (uint64_t)code << field->shift;
        }
        words[i] = word;
    }
    return over == 0;
}

static inline void state_layout_unpack(const struct state_layout *layout, const uint64_t *words,
                                       uint32_t *state)
{
    const struct slot_field *field = layout->fields;
    for (uint32_t i = 0; i < layout->words; i++)
        for (const struct slot_field *end = layout->fields + layout->ends[i]; field < end; field++)
            *state++ = ((uint32_t)(words[i] >> field->shift) & field->mask) + field->base;
}

/* Whether the first `identity` slots are these. */
bool state_layout_is(const struct state_layout *layout, const uint64_t *words,
                     const uint32_t *state, uint32_t identity);

#endif
