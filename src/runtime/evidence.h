/* What is handed on of a run with a finding besides the finding: its execution, told as well as it
 * can be, and what is needed to name what lies in memory. */
#ifndef RUNTIME_EVIDENCE_H
#define RUNTIME_EVIDENCE_H

#include "base/limits.h"
#include "scenario/exchange.h"
#include "scenario/exploration.h"

/* The execution as far as it has come, and who goes on behind it. */
void evidence_take_execution(const struct exploration *exploration, struct exchange_result *result);

/* The object, the stacks, the blocks of the heap. */
void evidence_take_memory(struct exchange_result *result);

/* Whether a finding, whose execution is put in a tidy order, is told better than another one of the
 * same kind: with fewer edges of a client, fewer accesses against time, fewer switches, fewer
 * events. */
bool evidence_is_clearer(struct exchange_result *result, const struct exchange_result *other,
                         struct budget *budget);

#endif
