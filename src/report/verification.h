/* The answer to one assertion of a model. */
#ifndef REPORT_VERIFICATION_H
#define REPORT_VERIFICATION_H

#include "report/result.h"

/* Fills the result of an assertion (without text: of a model that was not read); null: a limit was
 * reached before there was one. */
void verification_fill(struct result *result, const lp_assertion *assertion,
                       const lp_verification *found);

/* Adds what the search was made of, which the answer must have: for `verify --stats`. */
void search_stats_fill(struct result *result, const lp_verification *found);

#endif
