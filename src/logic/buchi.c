/* Automata as data: making and releasing. */
#include "logic/buchi.h"

void buchi_init(struct buchi *buchi, struct budget *budget)
{
    *buchi = (struct buchi){.budget = budget};
    vector_init(&buchi->initial, budget);
    vector_init(&buchi->first, budget);
    vector_init(&buchi->edges, budget);
}

void buchi_release(struct buchi *buchi)
{
    vector_release(&buchi->initial);
    vector_release(&buchi->first);
    vector_release(&buchi->edges);
    buchi_init(buchi, buchi->budget);
}
