#include "implementation/steps.h"

void lin_steps_init(struct lin_steps *steps, struct budget *budget)
{
    *steps = (struct lin_steps){0};
    listing_init(&steps->listing, budget);
    vectors_init(budget, &steps->live, &steps->named_live, &steps->ranges, &steps->symbols,
                 &steps->shapes, &steps->shared_references, &steps->stale, &steps->decided,
                 &steps->reads, &steps->suppositions);
    vectors_init(budget, &steps->retries, &steps->conditions);
}

void lin_steps_release(struct lin_steps *steps)
{
    listing_release(&steps->listing);
    vectors_release(&steps->live, &steps->named_live, &steps->ranges, &steps->symbols,
                    &steps->shapes, &steps->shared_references, &steps->stale, &steps->decided,
                    &steps->reads, &steps->suppositions);
    vectors_release(&steps->retries, &steps->conditions);
}
