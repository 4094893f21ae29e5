/* The smallest scenario of a violation: fewest operations, then fewest steps. */
#ifndef VERIFY_LIN_SMALLEST_H
#define VERIFY_LIN_SMALLEST_H

#include "verify/lin_assertion.h"

/* Given the answer to a `linearizes` or `never` that is violated, looks for a smaller scenario, as
 * far as the options' limits allow, `most_work` in each search, and `states` in all of them;
 * `*is_smaller`: it is in `smaller`, which the caller has initialised and releases. Other answers
 * and assertions: there is none. What is smallest of all is found if no limit is reached. */
enum status lin_assertion_smallest(const struct lin_module *module,
                                   const struct lin_assertion *assertion, struct value_pool *pool,
                                   const struct assertion_options *options,
                                   const struct assertion_result *known, uint64_t states,
                                   struct assertion_result *smaller, bool *is_smaller,
                                   struct error *error) MUST_CHECK;

#endif
