/* Writes the reasons that are given for an assertion about any number of threads: why a net proves
 * nothing, which thread is stuck, why it holds. */
#ifndef VERIFY_LIN_ANY_REASON_H
#define VERIFY_LIN_ANY_REASON_H

#include "unbounded/questions.h"
#include "verify/assertion.h"
#include "verify/lin_completions.h"
#include "verify/lin_instance.h"

/* Why what the net can do proves nothing: `answer` is what was said of the threads themselves. The
 * texts live in the arena; null when refused. */
const char *lin_any_doubt(const struct schedule *run, enum holds answer,
                          struct arena *arena) MUST_CHECK;

/* Where an operation that others have noticed may wait for ever, at the end of a run. */
const char *lin_any_stuck(struct thread_system *system, const struct schedule *run,
                          struct arena *arena) MUST_CHECK;

/* Writes the result's reason, of an assertion that holds or is not decided. All executions with so
 * many operations of few threads were looked at as well; `few_were_cut`: the result's limit ended
 * that, and no question. What would hold is not decided where `within` lacks completions. */
void lin_any_conclude(const struct lin_instance *instance, uint32_t operations, bool few_were_cut,
                      const struct lin_completions *within, struct assertion_result *result);

#endif
