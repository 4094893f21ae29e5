/* Words for a violation: a sentence in the object's own terms, and who else belongs to the story.
 */
#ifndef DECIDE_EXPLAIN_H
#define DECIDE_EXPLAIN_H

#include "decide/violation.h"

/* Completes `violation` of `part`, whose core (still intervals of the part) is known: a small core
 * of a search gets a sentence of its own in place of the search's general one, and `context` is
 * filled in (places in the history). What the limits refuse is left out. */
void explain_violation(const struct history *history, const struct part *part,
                       const struct limits *limits, struct violation *violation);

#endif
