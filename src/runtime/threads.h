/* The threads of the program under test: what each is about to do, and what it has done. Between
 * runtime/scheduler.c, which makes their events, and runtime/execution.c, where they ask for them.
 *
 * What is linked into a program has one execution at a time, and callbacks have no argument that
 * could name it: this is the one room whose state is global. */
#ifndef RUNTIME_THREADS_H
#define RUNTIME_THREADS_H

#include <string.h>

#include <linchpin/test.h>

#include "runtime/fiber.h"
#include "runtime/spin.h"
#include "scenario/exchange.h"
#include "scenario/exploration.h"

enum phase {
    PHASE_OUTSIDE, /* the runtime itself, and what runs before main */
    PHASE_ALONE,   /* setup or teardown: memory is used directly */
    PHASE_THREADS,
};

enum thread_state {
    THREAD_UNUSED,
    THREAD_FRESH,   /* it has not begun */
    THREAD_ASKING,  /* for the event that its request describes */
    THREAD_DOZING,  /* it would only go round, and goes on if that makes a difference to somebody */
    THREAD_BLOCKED, /* it waits, and will for the rest of the execution */
    THREAD_FINISHED,
};

enum asked {
    ASKED_READ,
    ASKED_WRITE,
    ASKED_FENCE,
    ASKED_CREATE,
    ASKED_BEGIN,
    ASKED_END,
    ASKED_JOIN,
    ASKED_CHOICE
};

struct request {
    enum asked kind;
    struct exploration_access access; /* of a fence: its order */
    unsigned other;                   /* the thread that is created or joined; of a choice: among */
    memory_value answer;              /* what a read or a choice gives */
    uint64_t site;                    /* of a weak compare-exchange (runtime/weak.h); else 0 */
    bool failed;                      /* it failed though it need not have */
    event_number event;               /* that was made */
};

/* Whether it is a fence that orders nothing but by synchronising. */
static inline bool request_is_weak_fence(const struct request *request)
{
    return request->kind == ASKED_FENCE && request->access.order != ORDER_SEQ_CST;
}

/* What must be done with memory before the thread does anything else that we see. */
enum pending {
    PENDING_NONE,
    PENDING_STORES,
    PENDING_VOLATILE_READ,
    PENDING_VOLATILE_WRITE
};

enum {
    MOST_STORES = 16, /* locations that one plain store overwrites */
    MOST_AT_END = 16,
    THREAD_OWN_KEYS = 8, /* that one thread makes */
    THREAD_KEYS = REGION_THREADS * THREAD_OWN_KEYS,
};

/* The locks that a thread holds (runtime/held.h). */
enum {
    MOST_HELD = 32
};

struct held_locks {
    unsigned count;
    struct held_lock {
        const void *lock;
        unsigned times; /* that it was taken and not given back */
        bool shared;
    } items[MOST_HELD];
};

/* Copies what is used of it: mostly nothing. */
static inline void held_copy(struct held_locks *to, const struct held_locks *from)
{
    to->count = from->count;
    memcpy(to->items, from->items, from->count * sizeof *from->items);
}

/* The mutexes of the std::lock that a thread is in (runtime/several.h). */
enum {
    MOST_SEVERAL = 6
};

struct several_locks {
    unsigned count; /* 0: it is in none */
    struct {
        const void *lock;
        event_number look; /* when it was seen to be free; none: EXECUTION_NONE */
    } items[MOST_SEVERAL];
};

struct thread {
    struct fiber fiber;
    enum thread_state state;
    struct request request;
    union vector_clock now; /* of its last event */
    struct spin spin;
    unsigned plain_reads; /* of memory that is not its stack, in this run */
    const char *frame;    /* where its local state begins, when it asks; null: that is not known */
    const char *private_from; /* of its arena: what lies behind, nobody else knows */
    unsigned settled; /* the index of its last update, of those that are repeated, that stores
                         something new: what is kept of its states is forgotten there */
    struct exchange_wait waits; /* of one that is blocked, or awaits another value */
    bool is_idle;               /* the execution goes on without it (runtime/retry.h) */
    bool lingers;               /* likewise, for it would only go round (runtime/sections.h) */
    const void *awaits;         /* while it is one of those awaiting: where another value */
    bool asks_anew;             /* it was not looked whether it awaits one */
    bool spins;                 /* while it is one of those: it has not read that yet */
    uint64_t trail;             /* stands for all that it has done */
    unsigned operation;         /* of the test, that it is in */
    bool failed;                /* in it, a weak compare-exchange for no reason */
    bool created;               /* by the program, not by the scenario */
    event_number creation;      /* then */
    event_number end;
    void *(*start)(void *);
    void *argument, *result;
    enum pending pending;
    struct {
        char *address;
        unsigned size;
        memory_value value; /* to be put back */
        const void *at;
    } access;                         /* of a volatile access */
    event_number stores[MOST_STORES]; /* plain stores to locations, whose values come yet */
    unsigned store_count;
    struct held_locks held;
    struct several_locks several;
    struct {
        const void *condition, *mutex; /* null: it waits for no condition */
        event_number begun;            /* the write by which it says so */
        bool remembers;                /* it waits with a lock of any kind, and has kept its loop */
        bool has_own_lock;             /* it has waited with one that is not the library's */
        unsigned since, changes;       /* then: the index of its last event; what `changes` was */
    } waiting;
    unsigned changes;      /* that it has made to memory, but for atomic writes */
    const void *throws_at; /* the last exception */
    int error;             /* errno */
    int64_t slept;         /* by its clock, in nanoseconds */
    unsigned jumps;        /* of its clock (runtime/clocks.h) */
    bool looks_at_clock;   /* since it last seemed to repeat itself */
    uint64_t random;       /* the state of rand */
    unsigned freed;        /* blocks that it has freed */
    bool detached, joined;
    void *specific[THREAD_KEYS]; /* by key */
    bool has_specific;           /* some of them was set */
    unsigned keys_made;
    struct {
        void (*run)(void *);
        void *object;
    } at_end[MOST_AT_END]; /* destructors of its thread-local variables */
    unsigned at_end_count;
};

/* All that is global. */
struct execution {
    enum phase phase;
    unsigned current; /* the thread that runs; THREAD_ALONE while none of them does */
    const lp_test *test;
    const struct scenario *scenario;
    struct exploration *exploration;
    void *object;
    struct thread threads[REGION_THREADS];
    unsigned thread_count; /* used, in numbers from 0 */
    unsigned awaiting;     /* those that await another value (a bit each) */
    struct fiber scheduler;
    uint16_t newest[EXECUTION_LOCATIONS]; /* in mo, of the writes so far */
    struct exchange_operation_run operations[SCENARIO_CALLS];
    size_t operation_count;

    /* While operations run whole, one after the other (runtime/serial.h): whose turn it is, a lock
       that each holds, and in which order they had it. */
    bool takes_turns;
    uint32_t turn;
    uint8_t order[SCENARIO_CALLS];
    unsigned order_length;
    void (*key_destructors[THREAD_KEYS])(void *);
    void (*kept_key_destructors[THREAD_KEYS])(void *); /* those that setup has left */
    /* Instead of the exploration, of those that can step (a bit each): whose turn it is, -1:
       nobody's; the run then ends. No thread stops because it would only repeat itself. */
    int (*choose)(unsigned ready);
    bool tries;          /* the thread that runs is only tried out (runtime/retry.h) */
    bool recalls;        /* some thread has looked at a clock, or goes back to what was forgotten */
    bool over;           /* the run ended early */
    const char *in_code; /* that is the user's: what runs; null: none does */
    uint64_t entered;    /* how often */
    const void *plain_at; /* its last plain or volatile access, since it was asked for */
    enum exchange_end end;
    struct finding finding;
    const void *place;
};

extern struct execution execution;

static inline struct thread *thread_current(void)
{
    return &execution.threads[execution.current];
}

/* Whether what is kept of the states of a thread is forgotten before it is looked at. */
static inline bool thread_is_settled(unsigned number)
{
    const struct thread *thread = &execution.threads[number];
    return !execution.recalls && number < EXECUTION_THREADS &&
           thread->now.of[number] < thread->settled;
}

/* Memory at an address, of 1 to 8 bytes, or 16. */
static inline memory_value memory_load(const void *address, unsigned size)
{
    memory_value loaded = 0;
    uint64_t word;
    uint32_t half;
    if (size == sizeof word) {
        memcpy(&word, address, sizeof word);
        return word;
    }
    if (size == sizeof half) {
        memcpy(&half, address, sizeof half);
        return half;
    }
    memcpy(&loaded, address, size);
    return loaded;
}

static inline void memory_store(void *address, unsigned size, memory_value stored)
{
    if (size == sizeof(uint64_t))
        memcpy(address, &stored, sizeof(uint64_t));
    else if (size == sizeof(uint32_t))
        memcpy(address, &stored, sizeof(uint32_t));
    else
        memcpy(address, &stored, size);
}

/* Goes on with a thread, until it comes back to the scheduler. */
static inline void thread_resume(unsigned number)
{
    execution.current = number;
    execution.plain_at = NULL;
    execution.entered++;
    execution.in_code = execution.phase == PHASE_ALONE
                            ? "setup or teardown"
                            : "a thread that makes no access to memory that threads share";
    fiber_switch(&execution.scheduler, &execution.threads[number].fiber);
    execution.in_code = NULL;
    execution.current = THREAD_ALONE;
}

/* Ends the run; what was found stands in execution.finding. Returns: the scheduler, or who goes
 * back to it, must see to it. */
void execution_end(enum exchange_end end, const void *at);

#endif
