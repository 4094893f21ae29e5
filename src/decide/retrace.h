/* Decides again a violation that was found some time ago, for `replay`: whether its core is one,
 * and which states its order leads through. Nothing of what was said then is taken for granted. */
#ifndef DECIDE_RETRACE_H
#define DECIDE_RETRACE_H

#include "base/text.h"
#include "history/part.h"

/* Decides again whether `members` (`count` different intervals of the part, each completed) are a
 * violation when every other operation is turned pending, and, if they are, whether the part is
 * none when any one of them is turned pending as well: `*minimal`. STATUS_LIMIT when that is left
 * undecided. */
enum status retrace_core(const struct part *part, const uint32_t *members, size_t count,
                         struct limits *limits, bool *violation, bool *minimal,
                         struct error *error) MUST_CHECK;

/* Lets the operations of `order` (intervals) take effect one after the other. `states[i]` becomes
 * the object, for people, after order[first + i]; `*reached` is the number of operations that were
 * legal. Of a nondeterministic object the states it may be in, "or" between them, and how many more
 * there are. STATUS_LIMIT, also where it may be in very many. */
enum status retrace_states(const struct part *part, const uint32_t *order, size_t length,
                           size_t first, struct limits *limits, struct text *states,
                           size_t *reached, struct error *error) MUST_CHECK;

#endif
