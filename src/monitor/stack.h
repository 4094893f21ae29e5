/* The run of the stack's monitor, shared by its files: stack.c decides, stack_elimination.c finds
 * out whether all values can be eliminated, stack_order.c makes the linearization of that,
 * stack_pending.c gives pending pops to values, stack_reason.c explains a violation. */
#ifndef MONITOR_STACK_H
#define MONITOR_STACK_H

#include "monitor/stack_elimination.h"

struct stacking {
    struct values values;
    struct moments moments;
    struct elimination elimination;
    uint32_t *empty_at; /* for each of values.empties: a moment at which the stack is empty */
    struct limits *limits;
    struct decision *decision;
};

enum pending_pops {
    PENDING_POPS_FOUND,   /* stacking->elimination has eliminated everything */
    PENDING_POPS_STUCK,   /* there is none: it is stuck whatever the pending pops took */
    PENDING_POPS_NONE,    /* there is none: every way was tried */
    PENDING_POPS_UNKNOWN, /* too many to try */
    PENDING_POPS_REFUSED, /* a limit */
};

/* stack_pending.c: looks for values that the pending pops can have taken so that everything is
 * eliminated and every empty pop has its moment. Found: these pops are the values' removals. */
enum pending_pops stacking_complete(struct stacking *stacking);

/* stack_reason.c: reason and evidence of a violation, STEP_VIOLATION or _REFUSED. The first where
 * the elimination is stuck, the second where no way of handing out the pending pops was a solution.
 */
enum step stacking_explain(struct stacking *stacking);
enum step stacking_explain_pending(struct stacking *stacking);

#endif
