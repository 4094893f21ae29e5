/* The calls of an execution in words, the client, and how far a legal order gets. */
#ifndef API_TESTED_CALLS_H
#define API_TESTED_CALLS_H

#include "api/testing.h"

enum status tested_tell_calls(struct testing *testing,
                              const struct exchange_result *result) MUST_CHECK;

/* "push(1)" */
void tested_append_call(const struct testing *testing, const struct exchange_operation_run *run,
                        struct text *text);

/* The number in lp_tested.calls, from 1, of the call to which an event belongs, of a thread with
 * that index (from 1); 0: none. */
unsigned tested_find_call(const struct exchange_result *result, unsigned thread, unsigned index);

/* The same, of what a thread did in front of the event of that index without an event of its own;
 * between two calls: of the first. */
unsigned tested_find_call_before(const struct exchange_result *result, unsigned thread,
                                 unsigned index);

#endif
