/* A sequential specification as what observes a heap without bound (unbounded/heap_proof.h): an
 * object of which each state is known by a number, and that does one thing for each call. Who
 * embeds the proof says what it does.
 *
 * An object that is many which never interact, as a set is a boolean for each key, is looked at in
 * *parts*, one after the other: what concerns none but other parts is indifferent (Herlihy and
 * Wing, "Linearizability: A Correctness Condition for Concurrent Objects", TOPLAS 1990, theorem 1:
 * linearizability is local). */
#ifndef UNBOUNDED_HEAP_SPECIFICATION_H
#define UNBOUNDED_HEAP_SPECIFICATION_H

#include "unbounded/thread_system.h"

#define HEAP_MOST_ANSWERS 8
#define HEAP_INDIFFERENT  UINT8_MAX
#define HEAP_IMPOSSIBLE   UINT8_MAX

struct heap_specification {
    void *user;
    /* Told of each call that some thread may make, before parts are asked for. */
    bool (*meet)(void *user, const struct thread_move *call);
    /* Whether an operation of the implementation changes no state. */
    bool (*only_reads)(void *user, uint16_t operation);
    /* How many parts there are; begins with one of them, in its initial state. */
    uint32_t (*parts)(void *user);
    bool (*begin)(void *user, uint32_t part, uint32_t *initial);
    /* The number of a call's argument; HEAP_INDIFFERENT: it is no matter of this part. */
    bool (*read_call)(void *user, const struct thread_move *call, uint8_t *argument);
    /* What an operation does in a state, and the number of what it answers, less than
     * HEAP_MOST_ANSWERS; HEAP_IMPOSSIBLE: it cannot be done there. */
    bool (*run)(void *user, uint32_t state, uint16_t operation, uint8_t argument, uint32_t *next,
                uint8_t *answer);
    /* Which of the answers that `run` has given a move's answer is: bits. */
    bool (*read_answer)(void *user, const struct thread_move *move, uint32_t *answers);
};

#endif
