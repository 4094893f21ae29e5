/* A program made for real threads (stress/) at work in a process of its own: the histories of its
 * rounds, one after the other. */
#ifndef SCENARIO_STRESSING_H
#define SCENARIO_STRESSING_H

#include <sys/types.h>

#include "base/limits.h"
#include "base/status.h"
#include "base/text.h"

enum {
    STRESS_ANSWERS = 4, /* the descriptor that the program writes to */
    STRESS_MOST_THREADS = 64,
    STRESS_MOST_ARGUMENTS = 3, /* of a call: so many new values at most */
};

struct stressing_settings {
    const char *program;
    size_t test; /* its number in the program */
    unsigned threads, operations;
    uint64_t seed, first_round, rounds; /* rounds 0: no end */
    unsigned give_way_one_in;           /* 0: never */
    unsigned widening;                  /* nanoseconds; 0: fenced stamps */
    const char *orders;                 /* in which threads call, as src/stress/harness.c reads
                                           them; "": as they like */
    unsigned patience;                  /* milliseconds without a return, then the round hangs */
};

struct stressing {
    pid_t child; /* 0: none */
    int answers;
    struct text read; /* what has come, from `used` on not taken yet */
    size_t used;
    struct text frames; /* of a crash */
};

enum stressing_event {
    STRESSING_ROUND,   /* a history is there */
    STRESSING_HANG,    /* the same, of a round in which nothing returns; it is the last */
    STRESSING_BLOCKED, /* likewise, as every thread waits for another one */
    STRESSING_END,     /* all rounds are over */
    STRESSING_CRASHED, /* the program was ended by a signal, or by itself */
    STRESSING_LIMIT,
};

struct stressing_round {
    uint64_t number;
    const char *history; /* valid until the next call */
    size_t length;
    int status;         /* of the process that crashed, as waitpid gives it */
    const char *frames; /* then: of the thread that did, innermost first, a line for the address
                           behind each instruction; "": not known. Valid as the history is */
};

enum status stressing_begin(const struct stressing_settings *settings, struct stressing *stressing,
                            struct error *error) MUST_CHECK;

/* Waits for the next round, as long as the limits allow. */
enum stressing_event stressing_next(struct stressing *stressing, const struct limits *limits,
                                    struct stressing_round *round);

/* Ends the process, whatever it does. */
void stressing_end(struct stressing *stressing);

#endif
