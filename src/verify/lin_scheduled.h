/* A model of some threads whose executions begin with a given schedule, and in which afterwards
 * only operations that are running go on: whether what a thread system can do
 * (unbounded/questions.h) is really done by that many threads, and what becomes of it when what is
 * pending is completed.
 *
 * The schedule is one of three colours, the model has a value of its own for each call that brings
 * one in. Every execution of this model is one of the model inside; where several steps of that
 * agree with the schedule, all are followed. The last slot of a state is how much of the schedule
 * has been taken. */
#ifndef VERIFY_LIN_SCHEDULED_H
#define VERIFY_LIN_SCHEDULED_H

#include "unbounded/thread_system.h"

struct lin_scheduled_step {
    uint32_t thread; /* of the model */
    uint32_t value;  /* that it calls with; 0: it does not call, or with none */
    const struct thread_move *move;
};

struct lin_schedule {
    struct thread_system *system;
    uint32_t shared; /* the initial shared state */
    const struct lin_scheduled_step *steps;
    size_t count;
    const uint8_t *colours; /* by value, from 1 on; null: they are those of the run */
};

struct lin_scheduled {
    struct model model; /* first */
    const struct lin_model *inside;
    const struct lin_schedule *schedule;
};

/* Both must outlive it; `inside` has fused calls and answers, and nodes that keep their numbers. */
void lin_scheduled_create(const struct lin_model *inside, const struct lin_schedule *schedule,
                          struct lin_scheduled *model);

#endif
