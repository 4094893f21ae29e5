/* An assertion about any number of threads, asked of few: with 1, 2, 3 ... operations of all
 * threads together, as many values, and no more threads than that. Most violations are found here,
 * and each with as few operations as can be. What holds of few says nothing of many. */
#ifndef VERIFY_LIN_BOUNDED_H
#define VERIFY_LIN_BOUNDED_H

#include "verify/assertion.h"
#include "verify/lin_instance.h"

/* What a search may take; the caller's limits as well. */
struct lin_bounded_effort {
    uint64_t states;      /* of all numbers of operations together */
    uint32_t threads;     /* at most */
    uint32_t operations;  /* of all threads together, at most */
    uint32_t values;      /* 0: each call brings in one of its own */
    uint64_t nanoseconds; /* 0: any number */
    size_t bytes;
};

/* Raises the number of operations from `*operations` + 1 on until the assertion is violated
 * (`result`, which the caller has initialised and releases, says how), or what a search may take is
 * used up; `*operations` are then those that were all tried. UNDECIDED: it is not violated as far
 * as was searched. STATUS_INPUT: the model is wrong in a way that few threads show, as
 * lin_assertion_decide says. */
enum status lin_search_bounded(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               const struct assertion_options *options,
                               const struct lin_bounded_effort *effort, uint32_t *operations,
                               struct assertion_result *result, struct error *error) MUST_CHECK;

/* The same for any number of operations of effort->threads, which all bring in one value where
 * effort->values says nothing else; effort->operations does not matter. */
enum status lin_search_endless(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               const struct assertion_options *options,
                               const struct lin_bounded_effort *effort,
                               struct assertion_result *result, struct error *error) MUST_CHECK;

#endif
