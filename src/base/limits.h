/* The limits of one piece of work: time, memory, an interrupt.
 *
 * Memory is counted, not sampled: whatever may grow with the input (arenas, vectors, tables) asks
 * the budget before it allocates, so a limit is never overrun by more than the small fixed costs.
 * Budgets nest: a partition's budget charges the one of its history, and that one the command's.
 * Time is read from the monotonic clock by limits_reached, which engines call every few thousand
 * steps; it is cheap enough (about 25 ns) for that, and not for every step. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum limit {
    LIMIT_NONE,
    LIMIT_TIME,
    LIMIT_MEMORY,
    LIMIT_INTERRUPT,
    LIMIT_DEPTH, /* something nests deeper than is followed */
};

struct budget {
    struct budget *parent; /* charged as well; null: none */
    size_t limit;          /* bytes; 0: unlimited */
    atomic_size_t used;    /* bytes in use now */
    atomic_size_t peak;    /* the most that was in use */
    atomic_bool refused;   /* some allocation was refused */
};

struct limits {
    struct budget *budget;        /* never null */
    uint64_t deadline;            /* clock_nanoseconds() at which to stop; 0: never */
    const atomic_bool *interrupt; /* stop when true: the user's; null: never */
    const atomic_bool *stop;      /* likewise: the answer is of no use any more */
    uint64_t most_work;           /* stop (as for time) when `work` reaches it; 0: never */
    atomic_bool too_deep;         /* LIMIT_DEPTH is reached; set by who met it */
    atomic_uint_least64_t work;   /* steps done so far, for progress; any unit, only growing */
};

void budget_init(struct budget *budget, struct budget *parent, size_t limit);

/* Charges `bytes`; false (and `refused` set) if a limit on the way up forbids it, charging none. */
bool budget_charge(struct budget *budget, size_t bytes) MUST_CHECK;
void budget_refund(struct budget *budget, size_t bytes);

/* What can still be charged, as long as nobody else does; SIZE_MAX without a limit on the way up.
 */
size_t budget_left(const struct budget *budget);

/* A limits object without deadline or interrupt, over `budget`. */
void limits_init(struct limits *limits, struct budget *budget);

/* Which limit has been reached, LIMIT_NONE if none. Thread-safe. */
enum limit limits_reached(const struct limits *limits);

/* Nanoseconds of the monotonic clock. */
uint64_t clock_nanoseconds(void);

#endif
