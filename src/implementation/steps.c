#include "implementation/steps.h"

void lin_steps_init(struct lin_steps *steps, struct budget *budget)
{
    *steps = (struct lin_steps){0};
    listing_init(&steps->listing, budget);
    vector_init(&steps->live, budget);
    vector_init(&steps->ranges, budget);
    vector_init(&steps->symbols, budget);
    vector_init(&steps->shared_references, budget);
}

void lin_steps_release(struct lin_steps *steps)
{
    listing_release(&steps->listing);
    vector_release(&steps->live);
    vector_release(&steps->ranges);
    vector_release(&steps->symbols);
    vector_release(&steps->shared_references);
}
