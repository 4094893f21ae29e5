/* The answer to one assertion of a model. */
#ifndef REPORT_VERIFICATION_H
#define REPORT_VERIFICATION_H

#include "report/result.h"

/* Fills the result of an assertion (without text: of a model that was not read); null: a limit was
 * reached before there was one. */
void verification_fill(struct result *result, const lp_assertion *assertion,
                       const lp_verification *found);

/* What JSON says of the operations that an implementation lacks, of the questions that were asked,
 * and of the execution and why it violates; each of an lp_verification. */
void verification_json_missing(const void *found, yajl_gen json);
void verification_json_questions(const void *found, yajl_gen json);
void verification_json_execution(const void *found, yajl_gen json);

#endif
