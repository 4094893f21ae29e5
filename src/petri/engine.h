/* The states that coverability engines share: they work in turns, on one problem, until one has an
 * answer. */
#ifndef PETRI_ENGINE_H
#define PETRI_ENGINE_H

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
void run_begin(const struct problem *problem, const uint32_t *demand, struct run *run);

#endif
