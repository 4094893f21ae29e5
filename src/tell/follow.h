/* Looks for an execution of a model that takes given steps: whether what was found in an
 * abstraction is there in the model itself. */
#ifndef TELL_FOLLOW_H
#define TELL_FOLLOW_H

#include "explore/execution.h"
#include "space/graph.h"

enum follow_goal {
    FOLLOW_STEPS,     /* it takes all of the steps */
    FOLLOW_STUCK,     /* and then has none */
    FOLLOW_CONDITION, /* and then satisfies a condition */
    FOLLOW_FAULT,     /* and then runs into a fault */
};

struct follow {
    enum follow_goal goal;
    const label *labels;
    size_t count; /* of labels */
    uint32_t condition;
    bool has_extreme; /* CONDITION: and the expression `extreme` has the value `value` */
    uint32_t extreme;
    int64_t value;
};

/* Layer by layer: all states that the first labels lead to. STATUS_INPUT: a fault of the model, on
 * the way or where FOLLOW_FAULT expects it, with `execution` leading to it. STATUS_LIMIT. Of more
 * than 1,000,000 states in all it says that there is no such execution. */
enum status follow(struct graph *graph, const struct follow *wanted, struct execution *execution,
                   bool *found, struct error *error) MUST_CHECK;

#endif
