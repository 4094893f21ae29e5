/* What an exploration is told, and what it tells. */
#ifndef SCENARIO_EXPLORATION_TYPES_H
#define SCENARIO_EXPLORATION_TYPES_H

#include "base/memory.h"
#include "scenario/consistency.h"

struct exploration_settings {
    enum memory_model model;
    enum psc_form psc;
    struct budget *budget; /* for the work list; not owned */
};

enum exploration_step {
    STEP_TAKEN,
    STEP_TOO_LARGE, /* more events, threads or locations than a graph holds: end the run */
    STEP_DIFFERS,   /* the run differs from the one that it repeats */
    STEP_MIXED,     /* an access of another size than earlier ones of the location */
    STEP_LIMIT,     /* memory */
};

/* An access of a thread. `address` stands for the location: runs that repeat a prefix use the same
 * one. `initial` is what is stored there when it is first accessed atomically. */
struct exploration_access {
    unsigned thread;
    const void *address;
    unsigned size; /* bytes: 1, 2, 4, 8, 16 */
    memory_value initial;
    enum memory_operation operation; /* of a read */
    enum memory_order_c11 order;     /* a compare-exchange: when it succeeds */
    enum memory_order_c11 failure_order;
    bool is_lock;
    bool may_fail;  /* a compare-exchange that may fail though it need not: both is gone through */
    bool was_plain; /* a plain access of the code (runtime/relaxed.h) */
    bool in_place;  /* a volatile one, or like it: the code reads memory behind it */
    bool is_last;   /* nobody can do anything else: only from the newest write is read */
    bool is_on_stack; /* a write may find there what anybody has left over: it is not compared */
    enum event_call call;
    memory_value operand, expected; /* `operand`: what is stored, added, ... */
    const void *at;
    /* Whether the thread would wait behind the read, if it had this value; null: it would not. */
    bool (*is_vain)(unsigned thread, memory_value value);
};

/* Figures, for reports: the largest work list in bytes, graphs put on it, refused as inconsistent.
 */
struct exploration_figures {
    uint64_t runs, pushed, inconsistent;
    size_t most_bytes;
};

#endif
