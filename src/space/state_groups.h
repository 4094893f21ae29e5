/* A layout of states for processors that gather and scatter bits (x86-64 with AVX2 and BMI2): eight
 * slots are taken at once. The bits are those of space/state_layout.h.
 *
 *     eight slots  ->  differences from their bases  ->  a byte each  ->  their bits, in a row
 *
 * Where a slot of the eight needs more than a byte they are gathered two by two. What is left at
 * the end is in a group of the last eight slots, of which those before have no bits. */
#ifndef SPACE_STATE_GROUPS_H
#define SPACE_STATE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "model/packing.h"

struct slot_field {
    uint32_t base; /* the least value, of a signed slot */
    uint32_t mask; /* of its bits */
    uint32_t bits;
};

struct state_groups;

/* Whether states of so many slots can be written so, on this processor. */
bool state_groups_fit(uint32_t slots) MUST_CHECK;

/* For these fields, by slot, of a number that fits. Null when refused. */
struct state_groups *state_groups_create(struct budget *budget, const struct slot_field *fields,
                                         uint32_t slots) MUST_CHECK;
void state_groups_destroy(struct state_groups *groups, struct budget *budget); /* or null */

/* The hash of some slots, the same on all processors and in all layouts; its upper half is well
 * mixed. */
uint64_t state_groups_hash(const uint32_t *slots, uint32_t count);

/* The same of eight slots or more, without what only some processors have. */
uint64_t state_groups_hash_singly(const uint32_t *slots, uint32_t count);

/* How states whose slots are bytes are written so; null: it is not known. */
const struct packing *state_groups_packing(const struct state_groups *groups);

/* As state_layout_pack and state_layout_unpack; and both the hash and the words, as one. */
bool state_groups_pack_hashed(const struct state_groups *groups, const uint32_t *state,
                              uint64_t *words, uint64_t *hash);
bool state_groups_pack(const struct state_groups *groups, const uint32_t *state, uint64_t *words);
void state_groups_unpack(const struct state_groups *groups, const uint64_t *words, uint32_t *state);

#endif
