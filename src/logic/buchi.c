/* Automata as data: making and releasing. */
#include "logic/buchi.h"

void buchi_init(struct buchi *buchi, struct budget *budget)
{
    *buchi = (struct buchi){.budget = budget};
    vectors_init(budget, &buchi->initial, &buchi->first, &buchi->edges);
}

void buchi_release(struct buchi *buchi)
{
    vectors_release(&buchi->initial, &buchi->first, &buchi->edges);
    buchi_init(buchi, buchi->budget);
}
