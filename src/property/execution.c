#include "property/execution.h"

void execution_init(struct execution *execution, struct budget *budget)
{
    vector_init(&execution->states, budget);
    vector_init(&execution->labels, budget);
    vector_init(&execution->taken, budget);
    execution->is_lasso = false;
    execution->loop_start = 0;
}

void execution_release(struct execution *execution)
{
    vector_release(&execution->states);
    vector_release(&execution->labels);
    vector_release(&execution->taken);
}

bool execution_push(struct execution *execution, label by, state_id to)
{
    return vector_push(&execution->labels, by) && vector_push(&execution->states, to);
}
