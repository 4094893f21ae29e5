/* Real threads on real code: a test file (linchpin/test.h) is compiled, its operations are called
 * by threads in rounds, each on a new object, and the history of each round is decided. Nothing is
 * proved; what is found has happened. */
#ifndef LINCHPIN_STRESS_H
#define LINCHPIN_STRESS_H

#include <linchpin/check.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_stress_options {
    size_t size;                /* sizeof(lp_stress_options) */
    const char *const *sources; /* .c, or .cc, .cpp, .cxx, .C, .c++ */
    size_t source_count;
    const char *const *flags; /* for the compiler (CC, CXX, else gcc, g++) and linker; -O2 stays
                                 unless one says how far to optimise */
    size_t flag_count;
    const char *runtime;      /* the folder lib/linchpin of an installation or a build */
    const char *test;         /* the name of one test; null: all */
    unsigned threads;         /* 1 to 64; 0: 3 */
    unsigned operations;      /* of each thread in a round; 0: 8; where the specification is `auto`
                                 so many that all threads make up to 9 (12 are the most then) */
    uint64_t seed;            /* of operations, arguments, starting times, and of giving way */
    uint64_t first_round;     /* its number */
    uint64_t rounds;          /* 0: until the time is up */
    double timeout;           /* seconds for each test; 0: 10 */
    unsigned give_way_one_in; /* a thread gives way before one atomic access in so many; 0: never,
                                 and the code is compiled without instrumentation */
    unsigned widening;        /* nanoseconds; 0: fenced stamps (see linchpin/record.h) */
    bool confirm;      /* a violation found with widened stamps is looked for with fenced ones,
                          from its round on, as long as before */
    unsigned patience; /* milliseconds without any return until a round hangs; 0: 2000 */
    bool list;         /* run none: there is a result for each test, with its name and spec */
} lp_stress_options;

typedef enum lp_stress_finding {
    LP_STRESS_NOTHING,
    LP_STRESS_VIOLATION, /* a round's history is not linearizable */
    LP_STRESS_HANG,      /* no operation returns */
    LP_STRESS_CRASH,     /* the process was ended by a signal, or ended itself */
} lp_stress_finding;

typedef enum lp_stress_confirmation {
    LP_STRESS_NOT_ASKED,
    LP_STRESS_CONFIRMED,     /* some round is a violation with fenced stamps, too */
    LP_STRESS_NOT_CONFIRMED, /* none was: the verdict is LP_UNKNOWN */
} lp_stress_confirmation;

/* What came of a test. Owned by the caller; all that it points to lives until
 * lp_stress_results_destroy. */
typedef struct lp_stress_result {
    const char *test, *spec; /* the specification is "" where the test names none */
    lp_verdict verdict; /* LP_UNKNOWN: the test names no specification; no round was decided, or
                       some were not; interrupted; the code itself, as specification, is asked
                       in vain, or rounds are too large for that */
    lp_stress_finding finding;
    const char *reason;  /* one sentence; "" if nothing was found in rounds that were run */
    uint64_t rounds;     /* decided */
    uint64_t left_out;   /* further ones: of a specification in C functions those in which no order
                            of the calls is legal, whatever they answer */
    uint64_t operations; /* in them */
    uint64_t round;      /* with the finding */
    lp_stress_confirmation confirmation;
    uint64_t confirming_rounds; /* that were run with fenced stamps to confirm it */
    double seconds;
    lp_history *history; /* of that round; null where there is none */
    lp_result *result;   /* what is said of it; null where it is not decided */
} lp_stress_result;

/* LP_USAGE, LP_INPUT: a source, a flag, what the compiler complains of, an unknown test, a
 * specification that is none. */
LP_API lp_status lp_stress(lp_context *context, const lp_stress_options *options,
                           lp_stress_result **results, size_t *count, lp_error *error);
LP_API void lp_stress_results_destroy(lp_stress_result *results, size_t count);

#ifdef __cplusplus
}
#endif

#endif
