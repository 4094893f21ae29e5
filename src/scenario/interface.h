/* The operations of a test as scenarios are made of them. */
#ifndef SCENARIO_INTERFACE_H
#define SCENARIO_INTERFACE_H

#include "scenario/exchange.h"

struct test_interface {
    struct scenario_operation operations[SCENARIO_OPERATIONS];
    struct scenario_orders orders;
    struct scenario_interface interface; /* of these */
};

/* From what a program says of a test, whose names are not copied; there are no orders. STATUS_USAGE
 * when it has no operations, or one that cannot be called: no function, a range that is empty. */
enum status test_interface_init(struct test_interface *made, const struct exchange_test *test,
                                struct error *error) MUST_CHECK;

#endif
