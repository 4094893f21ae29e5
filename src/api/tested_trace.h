/* The execution of a violation, step by step. */
#ifndef API_TESTED_TRACE_H
#define API_TESTED_TRACE_H

#include "api/testing.h"

/* Tells the steps, and the accesses that would have to be ordered. The calls have been told. */
enum status tested_tell_trace(struct testing *testing, const struct exchange_result *result,
                              struct error *error) MUST_CHECK;

#endif
