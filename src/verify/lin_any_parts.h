/* A sequential specification as what observes proofs of a heap without bound: the calls and answers
 * of an implementation, and what the specification does. A specification whose keys never interact
 * is looked at key by key, with the keys that the implementation is called with. */
#ifndef VERIFY_LIN_ANY_PARTS_H
#define VERIFY_LIN_ANY_PARTS_H

#include "unbounded/heap_specification.h"
#include "verify/numbered_states.h"

struct lin_any_parts {
    struct heap_specification specification; /* calls into what follows */
    struct numbered_states states;
    const struct thread_system *system; /* not owned */
    VECTOR(value) keys;                 /* that some call has */
    value key;                          /* the one looked at; nil: any */
    bool keyed;
};

/* What is given must outlive it, and it stays where it is. */
void lin_any_parts_init(struct lin_any_parts *parts, const struct thread_system *system,
                        const struct spec *spec, struct budget *budget, struct error *error);
void lin_any_parts_release(struct lin_any_parts *parts);

/* Null; else why such proofs are not provided for with this specification. */
const char *lin_any_parts_refuse(const struct spec *spec);

#endif
