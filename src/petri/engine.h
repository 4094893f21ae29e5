/* The states that coverability engines share: they work in turns, on one problem, until one has an
 * answer. */
#ifndef PETRI_ENGINE_H
#define PETRI_ENGINE_H

#include <assert.h>

#include "petri/certificate.h"
#include "petri/problem.h"

enum engine_state {
    ENGINE_RUNNING,
    ENGINE_SAFE,    /* its certificate can be taken */
    ENGINE_UNSAFE,  /* its run can be taken */
    ENGINE_STUCK,   /* it can never answer: counts beyond what it represents */
    ENGINE_REFUSED, /* no memory */
};

/* Fills the run's initial marking: the net's, with as many tokens in open places as are demanded
 * (by counter). */
static inline void run_begin(const struct problem *problem, const uint32_t *demand, struct run *run)
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

#endif
