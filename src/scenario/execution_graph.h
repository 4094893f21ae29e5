/* Execution graphs: what one run of a program did to shared memory, without the order in which it
 * happened to do it.
 *
 * A graph has the events of every thread in program order (po), for each read the write that it
 * reads from (rf), and for each location an order of its writes (mo, "modification order"). What a
 * memory model allows is a set of such graphs (scenario/consistency.h); scenario/exploration.h
 * goes through all of a program. Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing Sequential
 * Consistency in C/C++11 (PLDI 2017); Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly
 * Stateless, Optimal Dynamic Partial Order Reduction (POPL 2022).
 *
 * A read-modify-write is two events of one thread: the read and, unless a comparison failed, the
 * write right behind it. Every location has an initial write that is no event: EXECUTION_INITIAL.
 * A graph is plain data: it may be copied by assignment. */
#ifndef SCENARIO_EXECUTION_GRAPH_H
#define SCENARIO_EXECUTION_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
    EXECUTION_THREADS = 8,
    EXECUTION_EVENTS = 252, /* an event's place in its thread fits a byte of a clock */
    EXECUTION_LOCATIONS = 128,
};

enum memory_model {
    MEMORY_SC,
    MEMORY_TSO,
    MEMORY_RC11
};

enum event_kind {
    EVENT_KIND_BEGIN, /* of a thread; its source is the event that created it, or none */
    EVENT_KIND_END,
    EVENT_KIND_CREATE,
    EVENT_KIND_JOIN, /* its source is the end of the thread */
    EVENT_KIND_READ,
    EVENT_KIND_WRITE,
    EVENT_KIND_FENCE,
    EVENT_KIND_CHOICE, /* of nobody: its value */
};

/* As the compilers number them for __tsan_atomic..., and plain accesses behind. */
enum memory_order_c11 {
    ORDER_RELAXED,
    ORDER_CONSUME,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SEQ_CST,
    ORDER_PLAIN,
};

/* What a read does besides. */
enum memory_operation {
    OPERATION_LOAD,
    OPERATION_EXCHANGE,
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_NAND,
    OPERATION_COMPARE_EXCHANGE,
    OPERATION_ADD_UNLESS, /* adds `operand`, unless it reads `expected` */
    OPERATION_AWAIT,      /* a load that fails if it reads less than `expected` */
    OPERATION_AWAIT_NONE, /* a load that fails unless it reads 0 */
};

static inline bool operation_may_store(enum memory_operation operation)
{
    return operation != OPERATION_LOAD && operation != OPERATION_AWAIT &&
           operation != OPERATION_AWAIT_NONE;
}

/* The call of a library that an access stands for, as it is told. */
enum event_call {
    CALL_NONE,
    CALL_LOCK,
    CALL_LOOK_AT_LOCK, /* whether it is free, before others are taken with it */
    CALL_TRY_LOCK,
    CALL_UNLOCK,
    CALL_READ_LOCK,
    CALL_TRY_READ_LOCK,
    CALL_READ_UNLOCK,
    CALL_WAIT,  /* for a condition, or that a word of memory changes: begins, ... */
    CALL_SLEEP, /* ... and looks for a signal */
    CALL_SIGNAL,
    CALL_BROADCAST,
    CALL_SEMAPHORE_WAIT,
    CALL_SEMAPHORE_TRY_WAIT,
    CALL_SEMAPHORE_POST,
    CALL_BARRIER_ARRIVE,
    CALL_BARRIER_WAIT,
};

/* What a location holds: up to 16 bytes. */
__extension__ typedef unsigned __int128 memory_value;

typedef int16_t event_number; /* an index of `events`, or: */
enum {
    EXECUTION_INITIAL = -1,
    EXECUTION_NONE = -2
};

/* For each thread how many of its events are before; the largest of both, thread by thread, is the
 * join of two. */
union vector_clock {
    uint8_t of[EXECUTION_THREADS];
    uint64_t word;
};

struct execution_event {
    uint8_t thread, kind, order;
    uint8_t success_order, failure_order; /* of a compare-exchange; `order` is the one that holds */
    uint8_t operation;                    /* enum memory_operation, of a read */
    uint8_t index;                        /* in its thread, from 1 */
    uint8_t size;                         /* bytes: 1, 2, 4, 8, 16 */
    uint8_t call;                         /* enum event_call */
    bool is_update; /* the write of a read-modify-write: `before` is its read */
    bool is_lock;   /* waits if it fails: a compare-exchange, or one of those behind it */
    bool may_fail;  /* a compare-exchange that may fail though the value is the expected one, ... */
    bool fails;     /* ... and does */
    uint16_t location;
    uint16_t rank;         /* of a write, in mo, from 1: 0 is the initial write */
    event_number source;   /* of a read, begin, join */
    event_number before;   /* in its thread, or EXECUTION_NONE */
    event_number previous; /* of a read, or write: the last one of its location that was added
                              before it, or EXECUTION_NONE */
    union vector_clock happens_before; /* with itself */
    union vector_clock porf;           /* (po U rf)*, with itself */
    union vector_clock acquirable;     /* what an acquire fence behind it would acquire */
    union vector_clock released;       /* of the last release fence of its thread */
    union vector_clock message;        /* of a write: what who acquires it gets */
    memory_value value, operand, expected;
    const void *at; /* where in the program */
};

struct execution_location {
    const void *address;
    memory_value initial;
    uint8_t size;
    event_number last_read, last_write; /* as they were added; EXECUTION_NONE */
};

struct execution_graph {
    uint16_t event_count, replay_count, location_count;
    bool wakes_freely; /* waiting for a signal ends for no reason (scenario/exploration.h) */
    event_number last[EXECUTION_THREADS]; /* the last event of each thread, or EXECUTION_NONE */
    uint8_t replay[EXECUTION_EVENTS];     /* events in an order that extends po U rf */
    struct execution_location locations[EXECUTION_LOCATIONS];
    struct execution_event events[EXECUTION_EVENTS]; /* in the order in which they were added */
};

static inline bool order_acquires(uint8_t order)
{
    return order == ORDER_ACQUIRE || order == ORDER_CONSUME || order == ORDER_ACQ_REL ||
           order == ORDER_SEQ_CST;
}

static inline bool order_releases(uint8_t order)
{
    return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

static inline bool event_is_access(const struct execution_event *event)
{
    return event->kind == EVENT_KIND_READ || event->kind == EVENT_KIND_WRITE;
}

/* Whether `a` is `b` or happens before it. */
static inline bool event_happens_before(const struct execution_event *a,
                                        const struct execution_event *b)
{
    return b->happens_before.of[a->thread] >= a->index;
}

/* Whether `a` is `b` or comes before it in po U rf. */
static inline bool event_is_in_prefix(const struct execution_event *a,
                                      const struct execution_event *b)
{
    return b->porf.of[a->thread] >= a->index;
}

static inline union vector_clock clock_join(union vector_clock a, union vector_clock b)
{
    union vector_clock joined;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        joined.of[i] = a.of[i] > b.of[i] ? a.of[i] : b.of[i];
    return joined;
}

/* Copies what is used of a graph: cheaper than assignment. */
void execution_copy(struct execution_graph *to, const struct execution_graph *from);

/* A graph without events. */
void execution_clear(struct execution_graph *graph);

/* Adds an event behind the last one of its thread, to `replay` too, its clocks not yet worked out;
 * EXECUTION_NONE when there is no room. */
event_number execution_add(struct execution_graph *graph, unsigned thread, enum event_kind kind,
                           enum memory_order_c11 order);

/* Says which location an access is of: once, right behind execution_add. */
void execution_set_location(struct execution_graph *graph, event_number event, unsigned location);

/* The last write of a location in mo. */
event_number execution_newest_write(const struct execution_graph *graph, unsigned location);

/* The place of a write in mo. */
static inline unsigned execution_rank(const struct execution_graph *graph, event_number write)
{
    return write < 0 ? 0 : graph->events[write].rank;
}

/* The place in mo of the write that a read reads from, and its value. */
static inline unsigned execution_source_rank(const struct execution_graph *graph,
                                             const struct execution_event *read)
{
    return execution_rank(graph, read->source);
}

static inline memory_value execution_source_value(const struct execution_graph *graph,
                                                  const struct execution_event *read)
{
    return read->source < 0 ? graph->locations[read->location].initial
                            : graph->events[read->source].value;
}

/* Works out the clocks of an event from those of its predecessor and its source. */
void execution_update_clocks(struct execution_graph *graph, event_number event);

/* Adds a location, without looking whether it is there; false when there is no room. */
bool execution_add_location(struct execution_graph *graph, const void *address, unsigned size,
                            memory_value initial);

/* Puts a write at a place in mo, those at and behind it one further. */
void execution_place(struct execution_graph *graph, event_number write, unsigned rank);

/* The least place in mo that coherence leaves to who knows what `past` holds. */
unsigned execution_least_rank(const struct execution_graph *graph, unsigned location,
                              union vector_clock past);

/* Whether a read-modify-write other than that with the write `but` reads from `write`. */
bool execution_has_update(const struct execution_graph *graph, unsigned location,
                          event_number write, event_number but);

/* The first read of its location that a write does not come of, which could read it; none:
 * EXECUTION_NONE. */
event_number execution_first_read(const struct execution_graph *graph, event_number write);

/* Whether a read is of an operation that fails for some values, and has read one of these. */
bool execution_fails(const struct execution_event *read);

/* Whether a thread waits behind a read with the source that it has. */
bool execution_waits_behind(const struct execution_graph *graph, event_number read);

/* A number that is the same for graphs with the same events, rf and mo. */
uint64_t execution_hash(const struct execution_graph *graph);

/* What a read-modify-write stores, and whether it stores at all. */
bool execution_stores(const struct execution_event *read, memory_value *stored);

/* A value cut to `size` bytes: 1, 2, 4, 8 or 16. */
static inline memory_value execution_cut(memory_value whole, unsigned size)
{
    return size == 16 ? whole : (uint64_t)whole & UINT64_MAX >> (64 - size * 8);
}

#endif
