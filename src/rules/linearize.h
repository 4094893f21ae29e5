/* Decides whether one history of a few dozen operations is linearizable, by depth-first search with
 * memory.
 *
 * Operations are let take effect one after the other, in every order that respects precedence and
 * that the specification allows; what has taken effect, together with the state, is tried once. */
#ifndef RULES_LINEARIZE_H
#define RULES_LINEARIZE_H

#include "rules/history.h"

/* STATUS_LIMIT; a fault of the specification. */
enum status history_is_linearizable(const struct spec *spec, const struct rule_object *object,
                                    const struct labelling *labelling, const struct word *word,
                                    struct budget *budget, bool *linearizable,
                                    struct error *error) MUST_CHECK;

#endif
