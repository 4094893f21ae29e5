/* Operations that have changed what is shared and cannot return by themselves.
 *
 * A thread is *stuck* at a shared state if no moves of its own lead from there to its return, not
 * even if new operations are called between them (helped.h). That is no harm as long as some other
 * operation that has changed something is not stuck, say the holder of the lock that is waited for:
 * when it has returned, there is one fewer. That there always is one beside a thread that is stuck
 * in l at a control g is proved so: let W be local states of others that have changed something and
 * can return at g, and then the thread in l can, too. Backwards from (g, l), the thread
 * is followed through whatever it and others may have done before, as far as it is not certain that
 * somebody has just come to stand in W. If nobody can have left W on the way, and the way never
 * leads back to the beginning, somebody stands there.
 *
 * Or it stands beside whoever has given a shared variable its value (holders.h), and wherever that
 * may be, that one can return or is helped in the same way by others: who waits for a lock whose
 * holder waits for another one. */
#ifndef UNBOUNDED_STRANDED_H
#define UNBOUNDED_STRANDED_H

#include "unbounded/helped.h"
#include "unbounded/holders.h"
#include "unbounded/plain_closure.h"
#include "unbounded/returns.h"
#include "unbounded/thread_net.h"

struct arrival {
    uint32_t control, from, to; /* where it begins; local states of its thread */
};

struct stranded {
    struct plain_closure plain; /* of two colours: so a change from one to the other is seen */
    struct bit_matrix alone;    /* by shared state: who can return by itself */
    struct helped helped;
    VECTOR(uint64_t) references; /* by local state: the nodes it refers to */
    VECTOR(bool) helps;          /* by local state of the net: W */
    /* Moves by the control of the net that they lead to: those to control c are
     * arrivals[first_arrival[c]] to arrivals[first_arrival[c + 1] - 1]. */
    VECTOR(struct arrival) arrivals;
    VECTOR(uint32_t) first_arrival;
    struct holders holders;
    VECTOR(uint8_t) prospects; /* by local state of the net, at the control that was looked at */
    uint32_t looked_at;
    const struct limits *limits;
    bool refused; /* an answer was made up for want of memory */
};

/* The system must outlive it. STATUS_LIMIT; release whatever the status. */
enum status stranded_find(struct stranded *stranded, struct thread_system *system,
                          struct budget *budget, const struct limits *limits,
                          struct error *error) MUST_CHECK;
void stranded_release(struct stranded *stranded);

/* What is remembered of a thread (see thread_net_design): 1 once it has changed what others can
 * see, until then twice the set of the nodes that are its own. */
promise stranded_remember(const struct stranded *stranded, const struct thread_move *move,
                          promise before);

/* Whether, for all that is known, a thread stands there that is stuck when all others that have
 * changed something are. The net is closed. */
bool stranded_may_be(struct stranded *stranded, const struct thread_net *net, uint32_t control,
                     uint32_t local);

#endif
