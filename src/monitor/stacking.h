/* What the files of the stack's monitor share: stack.c decides, completion.c gives pending pops to
 * values, conflict.c explains a violation. */
#ifndef MONITOR_STACKING_H
#define MONITOR_STACKING_H

#include "monitor/elimination.h"

struct stacking {
    struct values values;
    struct moments moments;
    struct elimination elimination;
    uint32_t *empty_at; /* for each of values.empties: a moment at which the stack is empty */
    struct limits *limits;
    struct decision *decision;
};

enum completion {
    COMPLETION_FOUND,   /* stacking->elimination has eliminated everything */
    COMPLETION_STUCK,   /* there is none: it is stuck whatever the pending pops took */
    COMPLETION_NONE,    /* there is none: every way was tried */
    COMPLETION_UNKNOWN, /* too many to try */
    COMPLETION_REFUSED, /* a limit */
};

/* completion.c: looks for values that the pending pops can have taken so that everything is
 * eliminated and every empty pop has its moment. Found: these pops are the values' removals. */
enum completion stacking_complete(struct stacking *stacking);

/* conflict.c: reason and evidence of a violation, STEP_VIOLATION or _REFUSED. The first where the
 * elimination is stuck, the second where no way of handing out the pending pops was a solution. */
enum step stacking_explain(struct stacking *stacking);
enum step stacking_explain_pending(struct stacking *stacking);

#endif
