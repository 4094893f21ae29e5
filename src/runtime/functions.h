/* The specification of a test as C functions, lp_sequential of linchpin/test.h, behind the
 * interface of all specifications. Its operations are those of the test, by their places. */
#ifndef RUNTIME_FUNCTIONS_H
#define RUNTIME_FUNCTIONS_H

#include <linchpin/test.h>

#include "spec/spec.h"

/* STATUS_USAGE when something is missing or too large. Needed as long as the process: never given
 * back. */
enum status functions_spec(const lp_test *test, struct value_pool *pool, struct budget *budget,
                           struct spec **spec, struct error *error) MUST_CHECK;

#endif
