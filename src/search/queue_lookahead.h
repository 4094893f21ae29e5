/* Decides whether a configuration of a queue is hopeless: whether what the queue holds can no
 * longer leave as recorded. A test of release times and deadlines, linear in the contents; it may
 * miss that a configuration is hopeless, and never calls another one so.
 *
 * Which of several enqueues came first shows only when their values leave, much later; a wrong
 * guess would be paid for with all that is tried in between. But results are on record. Let the
 * queue hold x1 x2 ... xm at a configuration, and let x_i leave at time t_i in some continuation.
 *
 *   - t1 < t2 < ... < tm.
 *   - If x_i is the j-th copy of its value, the j-th dequeue of that value from now on takes it. So
 *     t_i lies behind the j-th invocation of the dequeues of that value that have not taken effect,
 *     and before the j-th of their responses. If there are fewer than j, x_i never leaves, and
 *     nothing behind it.
 *   - A dequeue that takes none of these, or finds nothing, comes after tm.
 *
 * A configuration for which this cannot be is hopeless. */
#ifndef SEARCH_QUEUE_LOOKAHEAD_H
#define SEARCH_QUEUE_LOOKAHEAD_H

#include "monitor/numbering.h"
#include "search/plan.h"

struct lookahead_line;

struct queue_lookahead {
    bool applies;
    const struct plan *plan;
    struct arena arena;
    struct numbering numbering;   /* of dequeued values */
    struct lookahead_line *lines; /* the dequeues of each value, by number */
    uint32_t *by_response;        /* dequeues of one value, then those of the next ... */
    uint32_t *by_invocation;      /* likewise */
    uint32_t *all;                /* dequeues by response */
    uint32_t count;               /* of them */
    uint64_t stamp;               /* of the present question */
};

/* It applies to queues of which it is known what every dequeue took: none is pending. `plan`
 * outlives it. False when a budget refuses; to be released all the same. */
bool queue_lookahead_init(struct queue_lookahead *ahead, const struct plan *plan,
                          struct budget *budget) MUST_CHECK;
void queue_lookahead_release(struct queue_lookahead *ahead);

/* Whether no linearization continues the configuration at the due response `event`, with the queue
 * holding `words`, the front first. Only if it applies. */
bool queue_lookahead_is_hopeless(struct queue_lookahead *ahead, uint32_t event,
                                 const uint64_t *load, const uint64_t *words, size_t length);

#endif
