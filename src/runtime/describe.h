/* What a test program says of its tests (scenario/exchange.h), whether it is made for `linchpin
 * test` or for `linchpin stress`. */
#ifndef RUNTIME_DESCRIBE_H
#define RUNTIME_DESCRIBE_H

#include <linchpin/test.h>

#include "scenario/exchange.h"

/* Texts that are too long are cut. */
void describe_test(const lp_test *test, struct exchange_test *described);

/* The functions of a test that has some: how large states are, or what is wrong with them. */
void describe_functions(const lp_test *test, struct exchange_functions *described);

#endif
