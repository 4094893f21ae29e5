/* Operations that write over all that was: a write of a register, a put or a delete of a key.
 *
 * What was written right before, and nobody has found, leaves no trace. So once such an operation
 * takes effect, any other that ran then, and does nothing but write, may have taken effect just in
 * front of it, or may not have. A configuration keeps these by themselves (ITEM_MAYBE), for one of
 * k operations would else be 2^k. */
#ifndef STREAM_OVERWRITING_H
#define STREAM_OVERWRITING_H

#include "stream/configuration_items.h"

/* Whether the operation leads from each state to the same one, in which it answers nothing. */
bool overwrites(const struct configurations *configurations, uint64_t operation);

/* Puts items in which nothing is left open in the place of those of `now`, if these are no more
 * than `most`. False when refused. */
bool configurations_spell_out(struct configurations *configurations, size_t most) MUST_CHECK;

#endif
