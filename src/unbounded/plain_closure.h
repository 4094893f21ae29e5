/* The pair abstraction (petri/closure.h) of a thread system alone, with no automaton beside it:
 * controls are shared states, local states those of the system. */
#ifndef UNBOUNDED_PLAIN_CLOSURE_H
#define UNBOUNDED_PLAIN_CLOSURE_H

#include "petri/closure.h"
#include "unbounded/thread_system.h"

struct plain_closure {
    struct thread_system *system;
    unsigned colours; /* operations are called with: 1 << colour */
    struct closure closure;
};

/* The system must outlive it. STATUS_LIMIT; release whatever the status. */
enum status plain_closure_make(struct plain_closure *plain, struct thread_system *system,
                               unsigned colours, struct budget *budget, const struct limits *limits,
                               struct error *error) MUST_CHECK;
void plain_closure_release(struct plain_closure *plain);

#endif
