/* Decides whether all running operations that have changed the shared state may be blocked at once,
 * so that no extension completes them.
 *
 * A thread is blocked at a shared state if no moves of its own lead to its return, not even with
 * new operations called between them (extension.h). That is harmless as long as some other thread
 * that has changed something is not blocked, say the holder of the lock that is waited for: it can
 * return first, and then there is one fewer. That such a thread always stands beside a thread that
 * is blocked in local state l at control g is proved in one of two ways.
 *
 * 1. Backwards, by induction over the execution. Let W be the local states in which a thread has
 *    changed something and can return at g so that then the thread in l can. An obligation is a
 *    pair (control, local state of the blocked thread) beside which somebody must stand in W. Each
 *    move that leads to the pair of an obligation adds that of its source, unless it leads another
 *    thread into W. The proof fails where an obligation is an initial pair, or where a move leads
 *    out of W.
 * 2. By the last writers (last_writers.h) of some shared variable. Wherever such a thread may stand
 *    beside (g, l), it must be able to return, or be found unblocked in an earlier round. The
 *    rounds exclude circular waiting: locks that are taken in one order give such rounds. */
#ifndef UNBOUNDED_BLOCKED_H
#define UNBOUNDED_BLOCKED_H

#include "base/groups.h"
#include "unbounded/extension.h"
#include "unbounded/last_writers.h"
#include "unbounded/plain_closure.h"
#include "unbounded/returns.h"
#include "unbounded/thread_net.h"

/* A move, by the control where it begins and the local states of its thread. */
struct arrival {
    uint32_t control, from, to;
};

struct blocked {
    struct plain_closure plain; /* of two colours: so a change from one to the other is seen */
    struct bit_matrix alone;    /* by shared state: who can return by itself */
    struct extensions extensions;
    VECTOR(uint64_t) references; /* by local state: the nodes it refers to */
    VECTOR(bool) unblocks;       /* by local state of the net: W */
    struct arena arena;
    VECTOR(struct arrival) arrivals;
    struct groups by_control; /* of the net: the arrivals that lead there */
    struct last_writers writers;
    VECTOR(uint8_t) prospects; /* by local state of the net, at the control that was looked at */
    uint32_t looked_at;
    const struct limits *limits;
    bool refused; /* an answer was made up for want of memory */
};

/* The system must outlive it. STATUS_LIMIT; release whatever the status. */
enum status blocked_find(struct blocked *blocked, struct thread_system *system,
                         struct budget *budget, const struct limits *limits,
                         struct error *error) MUST_CHECK;
void blocked_release(struct blocked *blocked);

/* What is remembered of a thread (see thread_net_design): 1 once it has changed what others can
 * see, until then twice the set of the nodes that are its own. */
auxiliary blocked_remember(const struct blocked *blocked, const struct thread_move *move,
                           auxiliary before);

/* Whether, for all that is known, a thread stands there that is blocked when all others that have
 * changed something are. The net is closed. */
bool blocked_may_be(struct blocked *blocked, const struct thread_net *net, uint32_t control,
                    uint32_t local);

#endif
