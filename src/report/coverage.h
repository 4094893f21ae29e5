/* The answer for one Petri net. */
#ifndef REPORT_COVERAGE_H
#define REPORT_COVERAGE_H

#include "report/result.h"

/* Fills the result of a net; null: a limit was reached before there was one. */
void coverage_fill(struct result *result, const lp_coverage *found);

/* Writes the trace of a run; `hash` is the net's. */
void coverage_trace(const struct result *result, uint64_t hash, FILE *out);

#endif
