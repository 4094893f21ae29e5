#include "petri/engine.h"

#include <assert.h>

void run_begin(const struct problem *problem, const uint32_t *demand, struct run *run)
{
    const struct net *net = problem->net;
    assert(problem->counter_count <= net->places.length);
    for (size_t p = 0; p < net->places.length; p++)
        run->initial[p] = net->places.items[p].initial;
    for (size_t i = 0; i < problem->counter_count; i++) {
        uint32_t place = problem->counters[i];
        if (net->places.items[place].open && demand[i] > run->initial[place])
            run->initial[place] = demand[i];
    }
}
