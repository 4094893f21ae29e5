/* Decides whether a shared state holds a value of colour 1 that an operation may still return. Such
 * a value is retrievable; one in a slot that is always written before it is read is not.
 *
 * Algorithm: each slot of memory that holds a 1 is looked at alone, with all other values
 * recoloured to 2. Its value is retrievable if the slot is in a shared variable or in a node
 * reached from one, and if some thread can come to answer 1, now or in a later operation
 * (returns.h, over the closure with two colours). That thread, and all that move meanwhile, start
 * without a 1 and without a reference to a node with one, and no call brings a 1.
 *
 * Why one slot at a time: the answer for several values of colour 1 then is the disjunction of the
 * answers for each of them. */
#ifndef UNBOUNDED_RETRIEVABLE_H
#define UNBOUNDED_RETRIEVABLE_H

#include "unbounded/plain_closure.h"
#include "unbounded/returns.h"

struct retrievable {
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
enum status retrievable_find(struct retrievable *retrievable, struct thread_system *system,
                             struct budget *budget, const struct limits *limits,
                             struct error *error) MUST_CHECK;
void retrievable_release(struct retrievable *retrievable);

bool retrievable_in(struct retrievable *retrievable, uint32_t shared);

#endif
