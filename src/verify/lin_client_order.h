/* The order in which one client of an object calls its operations, over and over. */
#ifndef VERIFY_LIN_CLIENT_ORDER_H
#define VERIFY_LIN_CLIENT_ORDER_H

#include "lin/ast.h"

/* Borrowed from the module, or static. */
struct lin_client_order {
    const char *const *names;
    uint32_t count; /* 0: there is none */
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

/* How many of its calls come about, one after another, before one of an operation that the
 * implementation lacks; all of them if it lacks none. */
uint32_t lin_client_order_reaches(struct lin_client_order order, const struct lin_object *object);

/* The first place of an operation in the order; its length if it has none, and is called at any
 * time. */
uint32_t lin_client_order_place(struct lin_client_order order, const char *operation);

#endif
