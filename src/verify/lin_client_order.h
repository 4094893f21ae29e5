/* The orders in which one client of an object calls its operations: one of them after the other, as
 * it likes. */
#ifndef VERIFY_LIN_CLIENT_ORDER_H
#define VERIFY_LIN_CLIENT_ORDER_H

#include "lin/ast.h"

/* Borrowed from the module, or static. */
struct lin_client_order {
    const char *const *names; /* of all orders, one after the other */
    uint32_t count;           /* 0: there is none */
    const uint32_t *ends;     /* where each ends; null: there is one at most */
};

/* The specification whose order is taken, and that says where operations wait: the one which a
 * `linearizes` names; of other assertions `with spec = S`, else the first which the module asserts
 * the implementation to linearize. False: there is none. Of one that a word names `at` is `end`. */
bool lin_ordering_specification(const struct lin_module *module,
                                const struct lin_assertion *assertion,
                                struct lin_reference *reference);

/* That of the specification which a `linearizes` names; of other assertions that of `with spec =
 * S`, else that of the first specification which the module asserts the implementation to
 * linearize. */
struct lin_client_order lin_client_order_of(const struct lin_module *module,
                                            const struct lin_assertion *assertion);

/* The operation that an order does not get past, since the implementation lacks it: of the order
 * that begins at the name `*at`, which is moved to the one behind. Null: there is none. */
const char *lin_client_order_lacks(struct lin_client_order order, const struct lin_object *object,
                                   uint32_t *at);

/* Whether an operation is called at all: it stands in no order, or in one before what that does not
 * get past. */
bool lin_client_order_calls(struct lin_client_order order, const struct lin_object *object,
                            const char *operation);

#endif
