/* The specification of a test as C functions, lp_sequential of linchpin/test.h, which stand in a
 * test program made for stress: it is asked for every step, in a process of its own. */
#ifndef SCENARIO_ASKED_FUNCTIONS_H
#define SCENARIO_ASKED_FUNCTIONS_H

#include "scenario/exchange.h"
#include "spec/spec.h"

/* Of the test with that number. STATUS_USAGE when something is missing or too large; a step that
 * crashes or does not return is a fault of the specification (spec_class.fault). The test must
 * outlive it. */
enum status asked_functions_spec(const char *program, uint32_t number,
                                 const struct exchange_test *test, struct value_pool *pool,
                                 struct budget *budget, struct spec **spec,
                                 struct error *error) MUST_CHECK;

#endif
