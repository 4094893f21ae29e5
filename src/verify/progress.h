/* Progress of `.lin` implementations, as in Herlihy and Shavit's table, decided on the cycles of
 * the state graph in which every statement that touches something shared is a step.
 *
 * A thread that waits (`await`, `assume`, `lock`) counts as spinning: it steps and stays. One that
 * waits for a node of an empty pool does not: the pool is a bound of the model, and states in which
 * it shows are left out, as are those in which a thread's operations have run out in the middle of
 * its client's order. */
#ifndef VERIFY_PROGRESS_H
#define VERIFY_PROGRESS_H

#include "implementation/model.h"
#include "lin/ast.h"
#include "property/linear_normal.h"
#include "verify/assertion.h"

/* Decides one of the LIN_..._FREE properties. With `waiting`, the normal form of a specification
 * whose operations wait, progress is asked only where these would not (LIN_LOCK_FREE,
 * LIN_DEADLOCK_FREE and LIN_OBSTRUCTION_FREE); null: everywhere. The answer, with the execution
 * that shows a violation (a lasso, or for a deadlock none that goes on), is in `result`.
 * STATUS_INPUT: a fault of the model. */
enum status progress_decide(const struct lin_model *model, const struct model *reduced,
                            struct linear_normal *waiting, enum lin_property property,
                            const struct assertion_options *options,
                            struct assertion_result *result, struct error *error) MUST_CHECK;

#endif
