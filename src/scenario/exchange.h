/* What linchpin and a test program (the user's code with runtime/ linked to it) tell each other.
 *
 * A test program is begun with two descriptors: it reads a request from EXCHANGE_REQUESTS and
 * writes its answer to EXCHANGE_ANSWERS; where exchange_goes_on says so it then reads another one.
 * Both are these structs as they lie in memory: linchpin links every test program with the runtime
 * that belongs to it. */
#ifndef SCENARIO_EXCHANGE_H
#define SCENARIO_EXCHANGE_H

#include "scenario/hanging.h"
#include "scenario/scenarios.h"
#include "scenario/schedule.h"

/* What the program is given as its only argument. */
#define EXCHANGE_WORD "--answer-linchpin"

enum {
    EXCHANGE_REQUESTS = 3,
    EXCHANGE_ANSWERS = 4
};
enum {
    EXCHANGE_NAME = 64,
    EXCHANGE_SENTENCE = 256,
    EXCHANGE_FRAMES = 32 /* of a crash, that are told and looked at (stress/crash.h) */
};

enum exchange_version {
    EXCHANGE_VERSION = 0x6c703031
};

enum request_kind {
    REQUEST_LIST,    /* answered by an exchange_list, and its exchange_tests */
    REQUEST_EXPLORE, /* answered by an exchange_result */
    REQUEST_CONFIRM, /* the same, of one run along the graph that follows the request */
    REQUEST_REPLAY,  /* the same, of one run by the schedule of the request */
    REQUEST_STEPS,   /* of a program for stress alone, answered by an exchange_functions and the
                        words of the initial state; then by the outcomes of each exchange_step */
    REQUEST_ALONE,   /* of such a program, too: each exchange_alone, and its calls, is answered by
                        an exchange_alone_answer, and its results */
};

/* Places of plain accesses that race, and are taken as relaxed atomic ones. */
enum {
    EXCHANGE_RELAXED = 64
};

struct exchange_relaxed {
    uint32_t count;
    const void *places[EXCHANGE_RELAXED];
};

/* Milliseconds of processor time: how long code may run between two events. */
enum {
    EXCHANGE_PATIENCE = 10000
};

struct exchange_request {
    uint32_t version;
    uint32_t kind;
    uint32_t test;  /* the number of the test in the program */
    uint32_t model; /* enum memory_model */
    struct scenario scenario;
    double seconds;         /* after which to stop; 0: never */
    uint64_t memory;        /* bytes for the exploration; 0: no limit */
    uint64_t executions;    /* after which to stop; 0: never */
    uint32_t repeat_one_in; /* the first run, and one in so many, is repeated and compared */
    uint32_t psc;           /* enum psc_form */
    uint32_t patience;      /* END_ENDLESS: milliseconds of processor time; 0: EXCHANGE_PATIENCE */
    bool counts_twice;      /* graphs that were met before are counted: there should be none */
    bool keeps_retries;     /* iterations that try again are never left out (runtime/retry.h) */
    bool keeps_rounds;      /* threads go round once before they wait in a loop, under any model */
    bool leaves_out;    /* a scenario of whose calls no order is legal, where C functions specify */
    bool is_of_set;     /* of scenarios, whose bound may end a thread within its order of calls */
    bool graphs_only;   /* executions are counted: no history is decided, no waiting looked at */
    uint32_t goes_on;   /* REQUEST_CONFIRM: as in struct schedule */
    bool goes_round;    /* REQUEST_CONFIRM: a livelock */
    bool clearest;      /* not the first finding, but of all the one that is told best */
    bool relaxes_races; /* plain accesses that race are taken as relaxed atomic ones: */
    struct exchange_relaxed relaxed; /* those that are known already */
    struct schedule schedule;
};

/* ---- tests ---- */

/* LP_MAY_FAIL, LP_MAY_WAIT and LP_ONCE of linchpin/test.h. */
enum exchange_flag {
    EXCHANGE_MAY_FAIL = 1 << 24,
    EXCHANGE_MAY_WAIT = 1 << 25,
    EXCHANGE_ONCE = 1 << 26,
    EXCHANGE_ALL_FLAGS = EXCHANGE_MAY_FAIL | EXCHANGE_MAY_WAIT | EXCHANGE_ONCE
};

struct exchange_operation {
    char name[EXCHANGE_NAME];
    int64_t from, to;
    int32_t only_thread;
    uint32_t flags;
    bool can_run;        /* there is a function to call */
    bool runs_both_ways; /* there are two of them */
    bool takes_two;      /* arguments; the range of the second: */
    int64_t from2, to2;
    bool takes_three; /* as well; of the third: */
    int64_t from3, to3;
};

struct exchange_test {
    char name[EXCHANGE_NAME];
    char spec[EXCHANGE_SENTENCE]; /* empty: none */
    bool in_functions;            /* the specification is in C; `spec` says so */
    uint32_t operation_count;
    struct exchange_operation operations[SCENARIO_OPERATIONS];
};

struct exchange_list {
    uint32_t version, count;
};

/* ---- the specification of a test in C functions, asked step by step ---- */

enum {
    FUNCTIONS_WORDS = 4096 / sizeof(uint64_t) /* of a state */
};

struct exchange_functions {
    uint32_t version;
    uint32_t words, size;              /* of each state; in bytes, the rest is 0 */
    char complaint[EXCHANGE_SENTENCE]; /* why they cannot be asked; empty: they can */
};

/* LP_DONE in the histories that such a specification is asked about, for "empty" is null there; as
 * JSON. */
#define EXCHANGE_DONE "\"done\""

/* A call in the state whose words follow. */
struct exchange_step {
    uint32_t operation;
    int64_t argument, second, third;
};

/* How many outcomes follow: of each its exchange_outcome, then the words of the state. */
struct exchange_outcomes {
    uint32_t count;
};

struct exchange_outcome {
    int64_t result;
};

/* ---- the specification auto of a program for stress: what calls answer one after the other ----
 */

/* A sequence of calls of a new object, in threads of which each makes its own. */
struct exchange_alone {
    uint32_t threads, count; /* calls follow, at most SCENARIO_CALLS */
    uint32_t anew;           /* 1: whatever has been run is run again */
};

struct exchange_alone_call {
    uint32_t thread, operation;
    int64_t argument, second, third;
};

enum alone_end {
    ALONE_ANSWERED, /* all of them */
    ALONE_WAITS,    /* the next one does not return */
    ALONE_CRASHED,  /* in it, or in setup, the process ended: `status` says how */
    ALONE_THREADS,  /* more threads run behind the last one that answered than were begun here */
};

struct exchange_alone_answer {
    uint32_t end;      /* enum alone_end */
    uint32_t answered; /* so many of the calls: the results follow, an int64_t each */
    int32_t status;    /* as waitpid gives it */
};

/* ---- answers ---- */

enum finding_kind {
    FINDING_NONE,
    FINDING_NOT_LINEARIZABLE,
    FINDING_RACE,
    FINDING_USE_AFTER_FREE,
    FINDING_DOUBLE_FREE,
    FINDING_BAD_FREE,
    FINDING_OUT_OF_BLOCK,
    FINDING_UNINITIALISED,
    FINDING_BAD_UNLOCK,
    FINDING_MISUSE,    /* of a lock or the like: `sentence` says what the thread does */
    FINDING_EXCEPTION, /* leaves the operation, or function of a thread, that `sentence` names */
    FINDING_DEADLOCK,  /* every thread that has not ended waits for a lock, or for such a thread; */
    FINDING_WAITS,     /* or some of them for something else: exchange_result.waits */
    FINDING_LIVELOCK,  /* or some of them go round in loops that write: exchange_result.round */
    FINDING_ASSERTION,
    FINDING_ABORT,
    FINDING_CRASH,
};

enum access_kind {
    ACCESS_NONE,
    ACCESS_READ,
    ACCESS_WRITE,
    ACCESS_ATOMIC_READ,
    ACCESS_ATOMIC_WRITE,
    ACCESS_FREE,
};

enum {
    THREAD_ALONE = EXECUTION_THREADS
}; /* setup or teardown */

struct finding_access {
    uint8_t kind;   /* enum access_kind */
    uint8_t thread; /* or THREAD_ALONE */
    uint8_t time;   /* its events before that, of a plain access one more */
    const void *at; /* a return address; null: not known */
};

struct finding {
    uint32_t kind;
    struct finding_access here, other;
    const void *address;              /* of the memory it is about; null: none */
    int32_t signal;                   /* of a crash */
    uint32_t line;                    /* of an assertion */
    char sentence[EXCHANGE_SENTENCE]; /* of an assertion: its text; else empty */
    char file[EXCHANGE_SENTENCE];
};

/* What a thread waits for that nobody lets go on. */
enum wait_kind {
    WAIT_NONE,
    WAIT_LOCK,
    WAIT_JOIN, /* the end of another thread */
    WAIT_LOOP, /* that something else is read in a loop of its own */
    WAIT_SIGNAL,
    WAIT_SEMAPHORE,
    WAIT_BARRIER,
};

struct exchange_wait {
    uint8_t kind;  /* enum wait_kind */
    uint8_t since; /* it would do its events behind this index again; none: HANGING_NOTHING */
    uint8_t other; /* the thread that it joins */
    const void *at;
};

/* Why an exploration ended. */
enum exchange_end {
    END_COMPLETE, /* every execution was seen */
    END_FINDING,
    END_TIME,
    END_MEMORY,
    END_EXECUTIONS,   /* as many as were asked for */
    END_TOO_LARGE,    /* an execution of more events, threads or locations than a graph holds */
    END_DIFFERS,      /* the program behaves differently when it is run again */
    END_MIXED,        /* atomic accesses of different sizes to the same bytes */
    END_NOT_MODELLED, /* `finding.sentence` says what */
    END_UNDECIDED,    /* whether an execution is linearizable: time, memory, or too many events */
    END_USAGE,        /* the test and its specification do not fit: `finding.sentence` says how */
    END_ENDLESS,      /* code ran for long without an event: `finding.sentence` says whose */
    END_LEFT_OUT,     /* no order of its calls is legal: nothing was run, as it was asked for */
};

/* Whether a process that has answered REQUEST_EXPLORE so reads the next request, which must be of
 * the same test and kind: its setup is not run again. */
static inline bool exchange_goes_on(enum exchange_end end)
{
    return end == END_COMPLETE || end == END_LEFT_OUT;
}

/* An operation of the run with the finding. Its events are those of its thread with an index above
 * `begin` up to `end`. */
struct exchange_operation_run {
    uint8_t thread;
    uint8_t begin, end;
    bool called, finished;
    uint32_t operation;
    int64_t argument, second, third, result;
};

/* A synchronisation that a client makes: from the return of an operation to the call of another. */
struct exchange_edge {
    uint8_t from, to;
};

/* A block of the heap. */
struct exchange_block {
    const void *address, *at; /* where it was asked for; null: not known */
    uint64_t size;
};

/* Words that threads sleep on have locations of their own, in memory that lies as that of the words
 * does. Null: nobody slept there. */
struct exchange_sleeping {
    const void *locations, *words;
    uint64_t size;
};

enum {
    EXCHANGE_BLOCKS = 256
};

struct exchange_result {
    uint32_t version;
    uint32_t end; /* enum exchange_end */
    uint64_t executions;
    uint64_t complete;       /* of them: every thread came to its end */
    uint64_t blocked;        /* of them: some thread waits, ... */
    uint64_t retried;        /* of them: not taken to their end, a thread only tried again */
    uint64_t hanging;        /* ... and would for ever; else other executions have it go on */
    uint64_t waiting_behind; /* of these: some operation only behind another (CLIENTS_HANG_KEPT) */
    uint64_t twice;          /* graphs that were met before, where asked for */
    uint64_t repeated;       /* runs that were taken twice */
    uint64_t histories;      /* distinct: operations and their results */
    uint64_t most_events;
    struct finding finding;
    const void *at;       /* where the run ended that did so early; null: not known */
    uint32_t goes_on;     /* of the finding: as in struct schedule */
    uint32_t steps_made;  /* REQUEST_REPLAY: of the schedule */
    bool breaks_contract; /* no order of the calls is legal (only said where functions specify) */
    bool clearest;        /* of all findings of the scenario, as it was asked for */
    bool misses_rounds;   /* races of what loops read that wait for conditions may be left out */
    struct exchange_relaxed relaxed;
    const void *object; /* of the test */
    const void *stacks; /* of the threads, one behind the other */
    uint64_t stack_size, stack_stride;
    struct exchange_sleeping sleeping[2]; /* on words of the heap, on globals */
    uint32_t block_count; /* of the heap at the end: those of setup, of thread 1, ... */
    struct exchange_block blocks[EXCHANGE_BLOCKS];
    uint32_t operation_count;
    struct exchange_operation_run operations[SCENARIO_CALLS];
    bool hangs; /* nothing goes on in the run with the finding, though not all came to an end: */
    struct exchange_wait waits[EXECUTION_THREADS];
    bool
        goes_round; /* likewise, but threads go on for ever: they do the events of the graph from */
    uint16_t round; /* this place in its order of replay on again and again */
    uint8_t never_waits; /* of a finding of it: the operation that may not wait there, ... */
    bool may_wait;       /* ... though it may in other states of the specification */
    uint32_t edge_count; /* of the client that shows what is not linearizable */
    struct exchange_edge edges[SCENARIO_CALLS * SCENARIO_CALLS];
    uint16_t before[SCENARIO_CALLS]; /* the operations that return before the call, a bit each, by
                                        happens-before and these edges */
    uint32_t order_length;           /* of the longest legal order of operations, */
    uint8_t order[SCENARIO_CALLS];
    char state[EXCHANGE_SENTENCE]; /* and the object behind it; empty: not known */
    struct execution_graph graph;  /* of the run with the finding */
};

#endif
