/* Tests of real code (linchpin/test.h): every behaviour that a memory model allows of a scenario,
 * on the code itself. Needs a compiler, gcc or clang, and binutils. */
#ifndef LINCHPIN_PROGRAM_H
#define LINCHPIN_PROGRAM_H

#include <linchpin/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program that was made of sources for their tests. */
typedef struct lp_program lp_program;

typedef struct lp_program_options {
    size_t size;                /* sizeof(lp_program_options) */
    const char *const *sources; /* .c; .cc, .cpp, .cxx, .C, .c++ are C++; or one program that
                                   lp_compile has made, and no flags */
    size_t source_count;
    const char *const *flags; /* for compilers and linker; -O2 stays unless one says how far */
    size_t flag_count;
    const char *runtime; /* the folder lib/linchpin of an installation or a build */
} lp_program_options;

/* Compiles the sources with CC or gcc, and CXX or g++, and links them with what watches them.
 * LP_USAGE: a source, a flag or a compiler that cannot be used. LP_INPUT: the compiler's complaint,
 * or what cannot be tested, by name. What is in the options is copied. */
LP_API lp_status lp_program_build(lp_context *context, const lp_program_options *options,
                                  lp_program **program, lp_error *error);
LP_API void lp_program_destroy(lp_program *program);

/* Does what a compiler driver (gcc, clang) does with these arguments, for a build that is there
 * already: compiles sources so that they can be tested, and links a program, of which
 * lp_program_build takes the path in place of sources if there are tests in it; else it runs as if
 * the compiler had made it. What the compiler says goes to standard error, *exit_status is its own.
 * LP_USAGE: a flag that is not taken. LP_INPUT: what cannot be tested, by name. */
typedef struct lp_compile_options {
    size_t size;          /* sizeof(lp_compile_options) */
    bool cxx;             /* it stands for the compiler of C++ */
    const char *compiler; /* null: gcc or g++ */
    const char *const *arguments;
    size_t argument_count;
    const char *runtime; /* the folder lib/linchpin of an installation or a build */
} lp_compile_options;

LP_API lp_status lp_compile(lp_context *context, const lp_compile_options *options,
                            int *exit_status, lp_error *error);

/* The tests in it, the name and the specification of each (null: none), and how it was compiled:
 * "gcc -O2". */
LP_API size_t lp_program_tests(const lp_program *program);
LP_API const char *lp_program_test_name(const lp_program *program, size_t test);
LP_API const char *lp_program_test_spec(const lp_program *program, size_t test);
LP_API const char *lp_program_compilers(const lp_program *program);

typedef enum lp_memory_model {
    LP_MEMORY_SC,   /* sequential consistency */
    LP_MEMORY_TSO,  /* that of x86 */
    LP_MEMORY_RC11, /* that of C11 and C++20, without load buffering */
} lp_memory_model;

/* How far a test is; called from one thread at a time. */
typedef struct lp_test_progress {
    uint64_t scenarios, executions; /* begun; gone through */
    unsigned calls, threads;        /* of the scenarios that are gone through now */
    bool is_larger;                 /* they are not of the promised set */
    size_t memory;                  /* bytes, without the processes */
    double seconds;
} lp_test_progress;

typedef struct lp_test_options {
    size_t size;          /* sizeof(lp_test_options) */
    const char *scenario; /* "push 1; pop | pop"; null: a set of them */
    lp_memory_model model;
    double timeout, total_timeout; /* seconds; of a scenario, of all; 0: none */
    unsigned jobs;                 /* processes at once; 0: as many as cores */

    /* The promised set: scenarios of at most so many threads, and calls in all. Both 0: two threads
       with up to 7 calls, three with up to 6, one with up to 3; one of them 0: as many as there. */
    unsigned threads, operations;
    /* When the promised set has been gone through: seconds from the beginning until which larger
       scenarios are, of up to four threads and 12 calls; 0: none. */
    double larger_timeout;

    void (*progress)(void *user, const lp_test_progress *progress); /* may be null */
    void *progress_user;
    const char *schedule; /* of lp_tested: that execution of `scenario`, and no other; null: all */

    /* Plain accesses that race are no finding, but taken as relaxed atomic ones, where they are of
       1, 2, 4 or 8 bytes. */
    bool relaxes_races;
    /* Each execution is run twice and compared, in place of one in a hundred, and none may be met
       twice. */
    bool self_check;
} lp_test_options;

/* A call of an operation in an execution. */
typedef struct lp_test_call {
    unsigned thread; /* from 1 */
    const char *name;
    bool has_argument, has_second, has_third; /* has_second: it takes two; has_third: three */
    int64_t argument, second, third;
    const char *result;      /* "7", "empty", "done", "no", "yes"; null: it has not returned */
    bool may_fail, may_wait; /* LP_MAY_FAIL, LP_MAY_WAIT of linchpin/test.h */
    uint32_t before;         /* the calls that return before this one begins, a bit each, by
                                happens-before and what the client does */
} lp_test_call;

/* Most calls of a scenario. */
#define LP_TEST_CALLS 16

/* An event of an execution, or two: a read-modify-write is one step. */
typedef struct lp_access {
    unsigned thread;  /* from 1 */
    unsigned call;    /* in lp_tested.calls, from 1, to which it belongs; 0: to none */
    const char *file; /* null: not known */
    unsigned line;
    const char
        *access; /* "load acquire", "fence seq_cst", "lock", "signal"; of a finding "plain read" */
    const char *location; /* as the code calls it, "head", "queue.tail", "block 1 of locks.c:12+8";
                             null: it has none */
    const char *value;    /* "1", "0 -> 1", addresses likewise by name; "held, waits"; null */
    const char *source; /* of a read: "thread 2, line 40"; "initial"; with "; stale: 2 newer" where
                           others in front of it in the trace are
                             newer in modification order; null */
} lp_access;

/* The answer. Owned by the caller; what it points to lives until lp_tested_destroy. */
typedef struct lp_tested {
    lp_answer verdict;
    lp_limit limit;                  /* why it is undecided; LP_LIMIT_NONE: see `reason` */
    const char *reason;              /* one sentence */
    const char *scenario;            /* that is violated, or was cut off; null: none */
    const char *found_in;            /* the one that was given, where a smaller one is told; null */
    uint64_t scenarios;              /* of the promised set, or given: gone through */
    uint64_t larger, larger_cut_off; /* besides; not decided of these */
    uint64_t left_out;   /* scenarios that no client makes: no order of their calls is legal for the
                            specification, whatever they answer */
    const char *covered; /* undecided, of a set: "every scenario of up to 4 calls"; null: none */
    uint64_t executions, histories; /* of these */
    uint64_t blocked;  /* executions in which some thread waits: cut there, because another one has
                          it go on, but for `hanging`: */
    uint64_t hanging;  /* in which it waits for ever, as it may (LP_MAY_WAIT) */
    bool complete;     /* every behaviour was covered */
    uint64_t repeated; /* executions that were run twice, and did the same */
    const char *const *relaxed; /* racing accesses that were taken as relaxed: "queue.hpp:12" */
    size_t relaxed_count;
    double seconds;

    /* LP_VIOLATED */
    const char *finding;           /* "data race", "not linearizable", ... */
    const char *const *operations; /* "thread 1: push(1) -> done", in the order of the scenario */
    size_t operation_count;
    const lp_test_call *calls; /* the same */
    const char *const *client; /* what a client must do to see it: "pop() of thread 2 begins after
                                  push(1) of thread 1 has returned" */
    size_t client_count;
    /* Of what is not linearizable: the longest legal order of calls, what the object is then
       ("[1]", null: not known), and the calls that may come next and are not legal. Indices. */
    const uint32_t *order, *stuck;
    size_t order_length, stuck_length;
    const char *state;
    const char *const *unordered; /* accesses that would have to be ordered, or stay together */
    size_t unordered_count;
    const lp_access *trace;
    size_t trace_length;
    /* Of a livelock the step, from 0, to which the last one leads back: from there on all comes
       again. Else `trace_length`. */
    size_t loop_start;
    const char *schedule; /* the execution, for lp_test_options */
    const char *cut_off;  /* what was not gone through in looking for the smallest scenario, and the
                             clearest of its executions; null: nothing */
    lp_answer under[3];   /* what this scenario is, by lp_memory_model */
    const char *under_reason[3]; /* why that is not decided: "not decided in 5 s"; null */

    uint64_t waiting_behind; /* of those that are `hanging`, in scenarios of a set: where one may
                                wait only because it is behind another, which waits for a thread
                                whose calls are over within its order */
} lp_tested;

/* Runs a test of a program. LP_OK whenever there is an answer, undecided included. LP_USAGE: the
 * scenario is none of this test's, or its specification and its operations do not fit. A violation
 * has been seen again in a process of its own. */
LP_API lp_status lp_program_run(lp_context *context, const lp_program *program, size_t test,
                                const lp_test_options *options, lp_tested **tested,
                                lp_error *error);
LP_API void lp_tested_destroy(lp_tested *tested);

/* Whether calls have a legal order that keeps to `before`, by a specification: of the answer for
 * what is not linearizable none has. LP_USAGE: there is no such specification; LP_INPUT: it does
 * not take a call. At most LP_TEST_CALLS. */
LP_API lp_status lp_test_calls_have_order(lp_context *context, const char *spec,
                                          const lp_test_call *calls, size_t count, bool *have_order,
                                          lp_error *error);

#ifdef __cplusplus
}
#endif

#endif
