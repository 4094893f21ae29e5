/* What an implementation lacks of its specification: nothing that is found of the others says
 * anything of these operations. */
#ifndef PROPERTY_LIN_MISSING_H
#define PROPERTY_LIN_MISSING_H

#include "lang/lin_ast.h"
#include "property/assertion.h"
#include "spec/spec.h"

/* Of a `linearizes`, whose implementation and specification are there: the result's `missing`.
 * STATUS_LIMIT. */
enum status lin_missing_find(const struct lin_module *module, const struct lin_assertion *assertion,
                             struct value_pool *pool, struct budget *budget,
                             struct assertion_result *result, struct error *error) MUST_CHECK;

#endif
