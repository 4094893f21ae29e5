/* Whether what runs can return: what whole histories show is then all that histories show.
 *
 * An operation that runs and has not changed anything that other threads may see might as well
 * never have been called: what the others did they can do without it, and a history that is not
 * linearizable is not without the pending operation either. So every violation has a run, with as
 * few operations as any, in which all that runs has changed something. If from each state reached
 * so a state can be reached in which nothing runs, the history can be made whole, and stays a
 * violation.
 *
 * Values do not matter for that where they are only copied and compared with null: one is enough.
 */
#ifndef VERIFY_LIN_RETURNS_H
#define VERIFY_LIN_RETURNS_H

#include "implementation/model.h"
#include "verify/assertion.h"

/* Explores the model, which must be fresh; *returns: it can, always. Else appends to `reason` what
 * may not return. STATUS_LIMIT: a limit was reached; STATUS_INPUT: a fault of the model. */
enum status lin_returns_decide(const struct lin_model *model, const struct model *reduced,
                               const struct limits *limits, bool *returns, struct text *reason,
                               struct error *error) MUST_CHECK;

#endif
