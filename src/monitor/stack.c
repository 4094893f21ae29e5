/* Decides a stack's history, last in, first out, in which each value that is popped is pushed once:
 * O(n log n).
 *
 * stack_elimination.h has the algorithm, stack_order.c the linearization, stack_pending.c the
 * pending pops, stack_reason.c the explanation of a violation. What is special here: a pop that
 * found the stack empty needs a moment at which no value is critical, before any value is
 * eliminated. That is enough: at such a moment every value is either over or has not begun, so the
 * history falls into two that are linearized one after the other, with the empty pop between them.
 * A pending pop first counts as one that did nothing, which is right whenever the rest can be
 * linearized without it. */
#include "monitor/stack.h"
#include "monitor/monitors.h"
#include "monitor/stack_order.h"

static const struct container stack_container = {.add = "push",
                                                 .remove = "pop",
                                                 .added = "pushed",
                                                 .removed = "popped",
                                                 .object = "stack",
                                                 .newest_first = true};

/* Whether each empty pop has its moment; values_place_empties has seen to it unless pops are
 * pending. */
static bool place_empties(struct stacking *stacking)
{
    const struct values *values = &stacking->values;
    for (uint32_t i = 0; i < values->empty_count; i++) {
        uint32_t first, last;
        moments_of_empty(&stacking->moments, values, i, &first, &last);
        stacking->empty_at[i] = elimination_find_empty(&stacking->elimination, first);
        if (stacking->empty_at[i] > last)
            return false;
    }
    return true;
}

static enum step prepare(struct stacking *stacking)
{
    struct values *values = &stacking->values;
    TRY_STEP(values_place_empties(values, stacking->decision));
    stacking->empty_at = arena_allocate(&values->arena, values->empty_count * sizeof(uint32_t));
    bool prepared = stacking->empty_at && moments_init(&stacking->moments, values) &&
                    elimination_init(&stacking->elimination, values, &stacking->moments, false);
    return prepared ? STEP_READY : STEP_REFUSED;
}

static enum step linearize(struct stacking *stacking)
{
    return nesting_linearize(&stacking->elimination, stacking->empty_at, stacking->decision)
               ? STEP_READY
               : STEP_REFUSED;
}

static enum step decide_values(struct stacking *stacking)
{
    TRY_STEP(prepare(stacking));
    bool placed = place_empties(stacking);
    if (placed && !elimination_run(&stacking->elimination, stacking->limits))
        return STEP_REFUSED;
    if (placed && stacking->elimination.left == 0)
        return linearize(stacking);
    if (stacking->values.pending_remove_count == 0)
        return stacking_explain(stacking);
    switch (stacking_complete(stacking)) {
    case PENDING_POPS_FOUND:
        return linearize(stacking);
    case PENDING_POPS_STUCK:
        return stacking_explain(stacking);
    case PENDING_POPS_NONE:
        return stacking_explain_pending(stacking);
    case PENDING_POPS_UNKNOWN:
        return STEP_UNDECIDED;
    case PENDING_POPS_REFUSED:
        break;
    }
    return STEP_REFUSED;
}

static enum step stack_decide(const struct part *part, struct limits *limits, struct arena *arena,
                              struct decision *decision)
{
    (void)arena;
    struct stacking stacking = {.limits = limits, .decision = decision};
    enum step step =
        values_collect(&stacking.values, part, &stack_container, limits, decision, NULL);
    if (step == STEP_READY)
        step = decide_values(&stacking);
    decision->explored += stacking.values.positions;
    elimination_release(&stacking.elimination);
    moments_release(&stacking.moments);
    values_release(&stacking.values);
    return step;
}

const struct monitor stack_monitor = {NULL, &stack_container, stack_decide, GIVES_UP_PENDING};
