/* Whether the operations of an execution are linearizable, whatever a client does besides.
 *
 * The history of an execution graph is a partial order: an operation's call comes before its
 * return, and the return of a before the call of b if it happens before it. A client may add
 * synchronisation of its own, client edges from a return to a call, as far as the graph stays
 * consistent with them. The object is linearizable in this execution if for every consistent set of
 * client edges some legal sequential order of the operations contains happens-before and the edges.
 * That is the notion of Relinche (Golovin, Kokologiannakis, Vafeiadis, POPL 2025); it is strong
 * enough for every client. */
#ifndef SCENARIO_CLIENTS_H
#define SCENARIO_CLIENTS_H

#include "base/limits.h"
#include "monitor/decision.h"
#include "scenario/client_order.h"
#include "scenario/consistency.h"
#include "spec/spec.h"

/* An operation of an execution. */
struct executed_operation {
    struct call call; /* as the specification sees it; its result unknown if not returned */
    uint8_t thread;   /* of the graph */
    uint8_t before;   /* how many events its thread had at the call, ... */
    uint8_t after;    /* ... and at the return; of one that has not returned at the end */
    bool returned;
    bool answered_no; /* its answer is empty, or no */
    bool never_legal; /* the specification has no such answer at all */
    bool may_fail;    /* such an answer is also legal if some other operation is neither before
                         nor after it: LP_MAY_FAIL */
    bool may_wait;    /* not returning is legal where the specification would answer empty or
                         no, or has no answer: LP_MAY_WAIT, or the specification waits */
    bool must_answer; /* ... but not where it would answer empty or no: without LP_MAY_WAIT */
    bool is_kept;     /* it returned, and a bound has ended its thread within its order of calls,
                         which this is part of: what it took is given back by calls to come */
};

/* What an operation took and answered, before it is bound. */
struct executed_result {
    int64_t argument, second, third,
        result; /* a result that is none of the following is a number */
    bool has_argument, has_second, has_third; /* several are a list */
    bool is_empty, is_no, is_yes, is_done;
};

/* Fills in `call`, `answered_no` and `never_legal` (an operation that has no answer in the
 * specification, but answered no or empty); thread and returned are those of `executed`.
 * STATUS_INPUT with a complaint when the specification does not take such an argument or result;
 * STATUS_LIMIT. */
enum status executed_operation_bind(const struct spec *spec, uint16_t operation,
                                    const struct executed_result *result,
                                    struct executed_operation *executed,
                                    struct text *complaint) MUST_CHECK;

/* What becomes of operations that have not returned. */
enum clients_end {
    CLIENTS_GO_ON,    /* they may be in any state */
    CLIENTS_HANG,     /* no thread that has not come to its end ever can: they never return */
    CLIENTS_HANG_KEPT /* nor do these; but a bound has ended some thread within its order of calls,
                         with what it has taken. Where some operation waits as it may, others may
                         wait behind it that would have to if it had taken effect, and what was
                         taken had been given back: a lock that prefers writers lets no reader in
                         while a writer waits for a reader that has ended. */
};

/* Why there is no legal order. */
enum clients_fault {
    CLIENTS_NO_FAULT,
    CLIENTS_NO_ORDER, /* the operations that returned have none */
    CLIENTS_HANGS,    /* an operation does not return that may not wait, ... */
    CLIENTS_WAITS,    /* ... or that may, but the specification would not answer empty or no */
};

struct clients_edge {
    uint8_t from, to; /* operations: the first returns before the second is called */
};

struct clients_answer {
    enum verdict verdict;
    enum limit limit; /* VERDICT_UNKNOWN: which; LIMIT_NONE: the graph has no room for the edges */
    enum clients_fault fault;
    uint8_t operation; /* that hangs or waits */
    bool waits_behind; /* CLIENTS_HANG_KEPT, linearizable: some operation waits only behind another
                        */
    /* Of a violation: the edges of a client that shows it, none of which can be spared. */
    struct clients_edge edges[CLIENTS_OPERATIONS * CLIENTS_OPERATIONS];
    size_t edge_count;
    /* Which operations return before the call of each by happens-before alone, a bit each. */
    uint16_t before[CLIENTS_OPERATIONS];
    /* The same with the edges, and the longest legal order of operations that keeps to it. */
    uint16_t closed[CLIENTS_OPERATIONS];
    uint8_t order[CLIENTS_OPERATIONS];
    size_t order_length;
};

struct clients; /* decides executions, and remembers what it has decided */

struct clients_settings {
    const struct spec *spec;
    enum memory_model model;
    enum psc_form psc;
    struct limits *limits; /* not owned */
};

/* STATUS_LIMIT when refused. */
enum status clients_create(const struct clients_settings *settings,
                           struct clients **clients) MUST_CHECK;
void clients_destroy(struct clients *clients);

/* Decides the operations of a graph, at most CLIENTS_OPERATIONS, in any order; numbers in the
 * answer index them. */
enum status clients_decide(struct clients *clients, const struct execution_graph *graph,
                           const struct executed_operation *operations, size_t count,
                           enum clients_end end, struct clients_answer *answer) MUST_CHECK;

/* Appends the state of the object behind the longest order of the last violation, for people; not
 * if the specification cannot print it. */
void clients_print_state(struct clients *clients, struct text *text);

/* How many executions were asked about, and how many were decided anew; of these with the graph
 * itself, not only with what is remembered of it. */
struct clients_figures {
    uint64_t asked, decided, rechecked;
};
struct clients_figures clients_figures(const struct clients *clients);

#endif
