/* Whether what is shared still holds a value of colour 1 that some operation may answer.
 *
 * Of each place of memory that holds one it is asked whether that one remains if all other values
 * are of colour 2, so that the answer for several values of colour 1 is what it is for one of them
 * or another. It remains if it is in a shared variable or a node that is reached from one, and if a
 * thread that has no value of colour 1, nor a reference to a node with one, can come to answer it
 * in the closure, now or in a later operation, while others move that have none either and nobody
 * brings another one: a slot that will be written before it is read holds nothing. */
#ifndef UNBOUNDED_REMAINS_H
#define UNBOUNDED_REMAINS_H

#include "unbounded/plain_closure.h"
#include "unbounded/returns.h"

struct remains {
    struct plain_closure plain; /* of two colours */
    struct bit_matrix can;      /* by shared state: who can come to answer 1 */
    VECTOR(bool) has;           /* by local state: a value of colour 1; */
    VECTOR(uint64_t) refers;    /* the nodes it refers to */
    VECTOR(uint64_t) nodes;     /* by shared state: those that hold a value of colour 1 */
    VECTOR(uint8_t) known;      /* by shared state: 0 not yet, 1 no, 2 yes */
    VECTOR(uint32_t) words;     /* of a shared state, */
    VECTOR(uint32_t) alone;     /* with all values but one made alike */
    bool refused;               /* some answer was made up for want of memory */
};

/* The system must outlive it. STATUS_LIMIT; release whatever the status. */
enum status remains_find(struct remains *remains, struct thread_system *system,
                         struct budget *budget, const struct limits *limits,
                         struct error *error) MUST_CHECK;
void remains_release(struct remains *remains);

bool remains_in(struct remains *remains, uint32_t shared);

#endif
