#include "model/model.h"

void successors_init(struct successors *successors, struct budget *budget)
{
    vector_init(&successors->steps, budget);
    vector_init(&successors->states, budget);
    vector_init(&successors->ample, budget);
}

void successors_clear(struct successors *successors)
{
    successors->steps.length = 0;
    successors->states.length = 0;
    successors->ample.length = 0;
}

void successors_release(struct successors *successors)
{
    vector_release(&successors->steps);
    vector_release(&successors->states);
    vector_release(&successors->ample);
}
