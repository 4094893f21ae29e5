/* Variables that keep the numbers of threads for `linearize T: e;`, and for nothing else: what they
 * keep changes nothing that an implementation does or answers. */
#ifndef LIN_OWNERS_H
#define LIN_OWNERS_H

#include "base/vector.h"
#include "lin/ast.h"

struct lin_owners {
    VECTOR(const struct lin_variable *) items; /* locals, fields and shared variables */
};

/* Finds those of a checked implementation that are set to `thread`, or to what another one keeps;
 * what else is done with them is not looked at. STATUS_LIMIT. Release it whatever the status. */
enum status lin_owners_find(struct lin_owners *owners, const struct lin_object *object,
                            struct budget *budget) MUST_CHECK;
void lin_owners_release(struct lin_owners *owners);

/* Whether an expression is one of them. */
bool lin_is_owner(const struct lin_owners *owners, const struct lin_expression *expression);

/* Whether it is one, or `thread`. */
bool lin_is_owner_or_thread(const struct lin_owners *owners,
                            const struct lin_expression *expression);

/* The node with a field that is the owner which an expression of `linearize` names, or from which
 * that local was read where it was declared: of `mine.owner` it is `mine`. Null: there is none, or
 * to ask for it again would do something, as `swap(slot, null).owner` does. */
const struct lin_expression *lin_owned_node(const struct lin_expression *owner);

#endif
