/* Copies of steps and variables, for what outlives the answer that they came with. */
#ifndef REPORT_STEP_H
#define REPORT_STEP_H

#include <linchpin/linchpin.h>

lp_variable *variables_copy(const lp_variable *variables, size_t count);
void variables_release(const lp_variable *variables, size_t count);

void step_copy(lp_step *copy, const lp_step *step);
void step_release(const lp_step *step);

#endif
