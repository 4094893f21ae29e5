/* The limits of one piece of work: time, memory, an interrupt.
 *
 * Memory is counted, not sampled: whatever may grow with the input (arenas, vectors, tables) asks
 * the budget before it allocates, so a limit is never overrun by more than the small fixed costs.
 * Budgets nest: a partition's budget charges the one of its history, and that one the command's.
 * Time is read from the monotonic clock by limits_reached, which is not cheap enough for every step
 * of a loop: limits_look calls it now and then. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/faults.h"

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

struct log;

struct limits {
    struct budget *budget;        /* never null */
    uint64_t deadline;            /* clock_nanoseconds() at which to stop; 0: never */
    const atomic_bool *interrupt; /* stop when true: the user's; null: never */
    const atomic_bool *stop;      /* likewise: the answer is of no use any more */
    uint64_t most_work;           /* stop (as for time) when `work` reaches it; 0: never */
    atomic_bool too_deep;         /* LIMIT_DEPTH is reached; set by who met it */
    const struct log *log;        /* what is done is told there: base/log.h; null: nowhere */
    atomic_bool *fault;           /* limits_note_fault sets it; null: there are no trials */
    atomic_uint_least64_t work;   /* steps done so far, for progress; any unit, only growing */
};

void budget_init(struct budget *budget, struct budget *parent, size_t limit);

/* Charges `bytes`; false (and `refused` set) if a limit on the way up forbids it, charging none. */
bool budget_charge(struct budget *budget, size_t bytes) MUST_CHECK;
void budget_refund(struct budget *budget, size_t bytes);

/* What can still be charged, as long as nobody else does; SIZE_MAX without a limit on the way up.
 */
size_t budget_left(const struct budget *budget);

/* How much is in use, in hundredths of the limit, of whichever on the way up is nearest to its own;
 * 0 without a limit. */
unsigned budget_hundredths(const struct budget *budget);

/* A limits object without deadline or interrupt, over `budget`. */
void limits_init(struct limits *limits, struct budget *budget);

/* The limits of a part of the work, over its own `budget`: what stops the whole stops it, and it
 * has the same log, and place for faults. */
void limits_init_within(struct limits *part, const struct limits *whole, struct budget *budget);

/* Which limit has been reached, LIMIT_NONE if none. Thread-safe. */
enum limit limits_reached(const struct limits *limits);

/* The limit that STATUS_LIMIT was about: where none shows, memory was refused. */
enum limit limits_which(const struct limits *limits);

/* A specification is at fault. True where what is decided is a trial, which nobody recorded so:
 * then it is noted here, and the step is refused, but no input is wrong. */
static inline bool limits_note_fault(const struct limits *limits)
{
    if (!limits || !limits->fault)
        return false;
    atomic_store_explicit(limits->fault, true, memory_order_relaxed);
    return true;
}

/* A loop that may be long looks at its limits once in so many steps. A step takes 10 ns to 1 us: a
 * limit is noticed within a millisecond, and looking (about 25 ns) costs next to nothing. Where
 * steps are much dearer, the loop says how many. */
#define STEPS_A_LOOK SIZE_OR_SMALL(1024, 16)
#define LOOK_FIRST   (STEPS_A_LOOK - 1) /* in place of no steps: at the first one, too */

/* Counts a step in *steps, from 0, and looks at the limits (null: there are none) when there are
 * `every`; *steps then is 0 again. True: a limit has been reached. */
static inline bool limits_look_every(const struct limits *limits, uint32_t *steps, uint32_t every)
{
    if (++*steps < every)
        return false;
    *steps = 0;
    return limits && limits_reached(limits) != LIMIT_NONE;
}

static inline bool limits_look(const struct limits *limits, uint32_t *steps)
{
    return limits_look_every(limits, steps, STEPS_A_LOOK);
}

/* Likewise for steps that are work, and that the caller counts: they are added to limits->work. */
static inline bool limits_work(struct limits *limits, uint32_t *steps, uint32_t every)
{
    if (*steps < every)
        return false;
    atomic_fetch_add_explicit(&limits->work, *steps, memory_order_relaxed);
    *steps = 0;
    return limits_reached(limits) != LIMIT_NONE;
}

/* Nanoseconds of the monotonic clock; seconds since then. */
uint64_t clock_nanoseconds(void);
double seconds_since(uint64_t nanoseconds);

#endif
