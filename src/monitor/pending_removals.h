/* Finds which values the pending removals of a container took, where the history is linearizable
 * only so: a search, in depth and with restarts, for the moments from which on these values are
 * gone. The stack's and the priority queue's monitors drive it.
 *
 * A pending removal invoked at moment x can take, at x or later, any value that nobody else removes
 * (one that is kept); or nothing, and then it does not matter. Nor does it matter which removal
 * takes which value: values can be gone from moments d1 <= d2 <= ... on exactly when, for every
 * moment, no more of them are due by then than removals have been invoked. So what is looked for is
 * a due moment for some of the kept values, from which on they are not critical any more; only
 * invocations of pending removals need be considered.
 *
 * At first nothing is due. Where a monitor cannot go on, every solution has to free some moment m
 * next, within a window that the monitor names, at which only kept values are critical. Those of
 * them that are in its way are due by m, that is, by the last invocation x of a pending removal up
 * to m. Of the moments that share an x the first one makes the fewest values due, so it is enough
 * to try that: there is at most one way out for each x. They are tried in depth, the earliest
 * first, starting over at a dead end.
 *
 * No polynomial algorithm is known to us, so the work of starting over is bounded by a constant and
 * a multiple of one try; beyond that the history is left to the general search. In practice the
 * first try succeeds: for it to fail, a pending removal must have been wanted in two places. */
#ifndef MONITOR_PENDING_REMOVALS_H
#define MONITOR_PENDING_REMOVALS_H

#include "base/maximum_tree.h"
#include "base/segment_tree.h"
#include "monitor/moments.h"

#define TAKER_NONE UINT32_MAX

/* What a monitor does for the search. */
struct taking {
    /* The first moment from `first` to `last` at which only kept values are critical and which is
     * of use; MOMENT_NONE if there is none. */
    uint32_t (*find)(void *context, uint32_t first, uint32_t last);
    /* Makes a kept element due at `moment`, which is earlier than before. False: it is of no
     * consequence any more. */
    bool (*shorten)(void *context, uint32_t element, uint32_t moment);
};

/* The pending removals that are invoked at one moment. */
struct taker {
    uint32_t moment;
    uint32_t invoked; /* pending removals up to here */
};

/* A way out that was taken. */
struct way {
    uint32_t taker;
    bool dead; /* it led nowhere: take the next one */
};

struct pending_removals {
    struct values *values;
    const struct taking *how;
    void *context;
    struct arena arena;
    struct taker *items; /* by moment; those at the end are left out */
    uint32_t count;
    struct segment_tree spare; /* by taker: removals invoked less elements due, both up to here; all
                                  are 0 or more if and only if there are enough removals */
    uint32_t *kept;            /* elements that nobody else removes, by the end of their adds */
    uint32_t *kept_of;         /* by element: its index there, if it is one of them */
    uint32_t *add_last;        /* of these: the last moment of the add */
    uint32_t kept_count;
    uint32_t *due;            /* by index in kept: a taker, or TAKER_NONE */
    struct maximum_tree open; /* by index in kept: due + 1 if it is of consequence, else 0 */
    VECTOR(struct way) ways;
    uint32_t depth; /* of the ways, how many were taken in this try */
    uint64_t tries; /* that failed */
};

/* Reads the pending removals and the kept values; `context` is handed to `how`. False when refused.
 * To be released in any case. */
bool pending_removals_init(struct pending_removals *removals, struct values *values,
                           const struct moments *moments, const struct taking *how,
                           void *context) MUST_CHECK;
void pending_removals_release(struct pending_removals *removals);

/* Begins a try: nothing is due, and no kept value of consequence. */
void pending_removals_start(struct pending_removals *removals);

/* From now on, or no longer, this kept element may be in the way. */
void pending_removals_open(struct pending_removals *removals, uint32_t element);
void pending_removals_close(struct pending_removals *removals, uint32_t element);

enum attempt {
    ATTEMPT_GOES_ON,
    ATTEMPT_DEAD, /* there is no way (left) here: the try has failed */
    ATTEMPT_REFUSED,
};

/* Takes a way out that frees a moment from `first` to `last`. */
enum attempt pending_removals_take(struct pending_removals *removals, uint32_t first,
                                   uint32_t last);

/* After a dead end: whether there is another way to try, and how it is. */
enum retry {
    RETRY_YES,
    RETRY_NO,       /* all ways were tried */
    RETRY_TOO_MANY, /* too much work; `cost` is that of one try */
};
enum retry pending_removals_retry(struct pending_removals *removals, uint64_t cost);

/* Makes pending removals the removals of the values that are due: the earlier an element is due,
 * the earlier its removal is invoked. False when refused. */
bool pending_removals_hand_out(struct pending_removals *removals) MUST_CHECK;

#endif
