/* How the passes of a monitor report: each returns a `step`, and the first that is not STEP_READY
 * ends the run (TRY_STEP hands it on). */
#ifndef MONITOR_STEP_H
#define MONITOR_STEP_H

#include "monitor/decision.h"

enum step {
    STEP_READY,        /* go on; after the last pass: linearizable */
    STEP_INAPPLICABLE, /* `why` says so */
    STEP_VIOLATION,    /* the decision has reason and evidence */
    STEP_UNDECIDED,    /* it applies, but it would take too long: left to the search */
    STEP_REFUSED,      /* a limit */
};

/* Why a monitor gives up that follows what pending operations may have done. */
#define GIVES_UP_PENDING "there are too many ways in which the pending operations can have happened"

/* Forwards a step that is not ready. */
#define TRY_STEP(expression)                                                                       \
    do {                                                                                           \
        enum step step_ = (expression);                                                            \
        if (step_ != STEP_READY)                                                                   \
            return step_;                                                                          \
    } while (0)

/* Why a monitor does not apply. */
struct inapplicable {
    uint32_t interval;  /* the operation that breaks the precondition; part->count if none does */
    struct text reason; /* "value 3 is added twice" */
};

/* Fills in `why` (may be null): `before`, the value (none if
 * VALUE_REFUSED), `after`. */
enum step step_inapplicable(struct inapplicable *why, uint32_t interval, const char *before,
                            value v, const char *after);

/* STEP_VIOLATION, or STEP_REFUSED if not all of the evidence could be shown. */
static inline enum step step_violation(bool shown)
{
    return shown ? STEP_VIOLATION : STEP_REFUSED;
}

/* By position, the operation whose event stands there. Null when refused. */
uint32_t *operations_by_position(const struct part *part, struct arena *arena) MUST_CHECK;

#endif
