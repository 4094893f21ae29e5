/* Partial order reduction as a decorator: the model it makes takes the same steps and offers ample
 * sets beside them, each the steps of one process, or of several that take events together
 * (docs/internals/reductions.md has the argument).
 *
 * A process P is ample in a state if it can step, all its steps are invisible, none of its first
 * steps needs another process or goes before others, and no slot that one of its first steps reads
 * or writes, in any valuation, is written (or, where it writes, read) by anything that another
 * process may ever do. Whatever the others do first then commutes with P's step.
 *
 * Several processes are ample together if so much is true of all of them, and each event that one
 * of them may take first with others is one that only they take part in, or one that some of them
 * does not take first, so that it waits for a step of theirs. */
#ifndef REDUCE_PARTIAL_ORDER_H
#define REDUCE_PARTIAL_ORDER_H

#include "reduce/decorator.h"

enum ample_purpose {
    AMPLE_TRACES, /* visible traces are kept, finite ones, and what conditions say of states */
    AMPLE_STATES, /* deadlocks, terminations and what conditions say are kept: labels are of no
                     interest, so visible steps are ample too */
    AMPLE_ENDS,   /* deadlocks and terminations are kept, and faults: where there are none to come,
                     steps may be put off for ever */
    AMPLE_PAPER,  /* as AMPLE_TRACES; and a process is ample only if none of its first steps is
                     disabled, as Liu, Chen, Liu and Sun (2009) ask */
};

struct partial_order {
    struct decorator decorator; /* first */
    enum ample_purpose purpose;
    uint32_t *kept; /* what conditions touch: reads, then writes */
    uint32_t words;
    /* Which labels are visible beside not being τ; null: all. */
    bool (*is_visible)(const struct labels *labels, label l);
};

/* Whether the front end of the model tells what is needed. */
bool partial_order_possible(const struct model *model);

enum status partial_order_create(const struct model *inner, enum ample_purpose purpose,
                                 struct partial_order *order) MUST_CHECK;
void partial_order_release(struct partial_order *order);

/* The value of a condition is to be kept: steps that may change it are visible. */
void partial_order_keep(struct partial_order *order, uint32_t condition);

#endif
