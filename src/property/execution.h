/* Answers that every property gives: holds or not, and an execution of the model that shows it. */
#ifndef PROPERTY_EXECUTION_H
#define PROPERTY_EXECUTION_H

#include "base/limits.h"
#include "base/vector.h"
#include "model/model.h"
#include "space/state_table.h"

enum holds {
    HOLDS,
    VIOLATED,
    UNDECIDED, /* a limit was reached */
};

/* An execution: states[0] is initial, states[i] -> states[i + 1] by labels[i]. */
struct execution {
    VECTOR(state_id) states;
    VECTOR(label) labels;
    bool is_lasso;
    uint32_t loop_start;       /* index of the state that the last step returns to */
    VECTOR(struct step) taken; /* by step of the loop: which one it is, where several have its
                                  label and lead to its state; may be empty: any */
};

void execution_init(struct execution *execution, struct budget *budget);
void execution_release(struct execution *execution);
bool execution_push(struct execution *execution, label by, state_id to) MUST_CHECK;

#endif
