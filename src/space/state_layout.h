/* How the states of a table are written down as bits: of each slot the difference from the least
 * value that it may have, in as many bits as the greatest difference needs; a slot that has had one
 * value only takes none. Nobody says the ranges beforehand: a layout is widened, which makes a new
 * one, when a value does not fit, and what the old one could hold the new one can hold.
 *
 *     bits of words[0]                   words[1]           words[identity_words]
 *     | slot 0 | slot 1 |  ...  | slot 20 .. | slot 21 |    | first slot that rides along | ...
 *
 * A slot may begin in one word and end in the next. Those that say which state it is have words of
 * their own.
 *
 * Where the processor can, eight slots are taken at once (space/state_groups.h), to the same bits.
 */
#ifndef SPACE_STATE_LAYOUT_H
#define SPACE_STATE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/memory.h"
#include "space/state_groups.h"

struct state_layout {
    struct budget *budget;
    uint32_t slots, identity;
    uint32_t words, identity_words;
    struct slot_field *fields;   /* by slot; owned */
    struct state_groups *groups; /* the same slots, eight at a time; owned, or null */
};

/* For exactly this state. Null when refused. */
struct state_layout *state_layout_create(struct budget *budget, const uint32_t *state,
                                         uint32_t slots, uint32_t identity) MUST_CHECK;

/* How many bits slots are given when a layout is widened: no fewer than `least`, but those in which
 * there was one value only no fewer than `least_of_constants`; one that needs more than it had gets
 * a multiple of `at_a_time`. */
struct slot_widths {
    uint32_t least, least_of_constants, at_a_time;
};

extern const struct slot_widths slot_widths_needed; /* as many as it needs */

/* A layout for all that `old` can hold, and for this state. Null when refused. */
struct state_layout *state_layout_widen(const struct state_layout *old, const uint32_t *state,
                                        const struct slot_widths *widths) MUST_CHECK;

void state_layout_destroy(struct state_layout *layout);

/* Writes a state, or the words that say which one it is; false: they cannot hold it, and what was
 * written is of no use. */
bool state_layout_pack(const struct state_layout *layout, const uint32_t *state, uint64_t *words);
bool state_layout_pack_identity(const struct state_layout *layout, const uint32_t *state,
                                uint64_t *words);

void state_layout_unpack(const struct state_layout *layout, const uint64_t *words, uint32_t *state);

/* Whether the slots that say which state it is are these. */
bool state_layout_is(const struct state_layout *layout, const uint64_t *words,
                     const uint32_t *state);

#endif
