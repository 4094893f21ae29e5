/* Small concurrent programs on shared memory, random or written down, and their runs: by the
 * exploration of execution graphs, and step by step. */
#ifndef TESTS_SUPPORT_MEMORY_PROGRAM_H
#define TESTS_SUPPORT_MEMORY_PROGRAM_H

#include "scenario/exploration.h"

enum {
    PROGRAM_THREADS = 4,
    PROGRAM_LENGTH = 6,    /* instructions of a thread */
    PROGRAM_LOCATIONS = 3, /* each starts with 0 */
    PROGRAM_EVENTS = 16,
};

enum program_kind {
    PROGRAM_LOAD,
    PROGRAM_STORE,
    PROGRAM_UPDATE, /* exclusive or: few values are stored */
    PROGRAM_COMPARE_EXCHANGE,
    PROGRAM_FENCE,
    PROGRAM_SKIP_UNLESS, /* leaves out the rest of the thread unless the last read gave `value` */
    PROGRAM_WAIT_FOR,    /* loads; the thread never goes on unless that gives `value` */
};

struct program_instruction {
    enum program_kind kind;
    unsigned location;
    enum memory_order_c11 order, failure_order;
    uint64_t value, expected;
    bool is_weak;    /* a compare-exchange: may fail though the value is the expected one */
    bool adds;       /* an update: adds instead */
    bool mixes_last; /* a store: of `value` ^ what the last read gave */
};

struct memory_program {
    unsigned threads, length[PROGRAM_THREADS];
    struct program_instruction instructions[PROGRAM_THREADS][PROGRAM_LENGTH];
};

/* At most `events` events in all, read and write of an update apart. */
void memory_program_random(struct memory_program *program, uint64_t seed, unsigned events);
void memory_program_print(const struct memory_program *program);

/* Threads in words, "Wx1.rlx Ry.sc | Wy1.rlx F.sc Rx.rlx": R reads a location (x, y, z), W writes a
 * digit, U adds one, C compares with the first digit and writes the second, F is a fence;
 * behind the dot stands the order: rlx, acq, rel, ar, sc. Ends the test when it is not so. */
void memory_program_parse(struct memory_program *program, const char *text);

/* A thread on its way. */
struct program_thread {
    unsigned at;
    uint64_t last;
    bool stuck;
};

/* The instruction at which the thread acts on memory next; null at its end. */
const struct program_instruction *memory_program_next(const struct memory_program *program,
                                                      unsigned thread,
                                                      struct program_thread *state);

/* What an instruction that reads `old` stores; false if nothing. */
bool memory_program_stores(const struct program_instruction *instruction,
                           const struct program_thread *state, uint64_t old, uint64_t *stored);

/* Behind an instruction: what it read, if it reads. */
void memory_program_advance(const struct program_instruction *instruction,
                            struct program_thread *state, uint64_t read);

/* Runs it once, as the exploration says. False: it could not be run to the end. `complete`: no
 * thread got stuck. */
bool memory_program_run(const struct memory_program *program, struct exploration *exploration,
                        bool *complete);

/* The same, with a bit for each thread that got stuck. */
bool memory_program_run_stuck(const struct memory_program *program, struct exploration *exploration,
                              unsigned *stuck);

/* A graph in words, the same for the same (events, rf, mo): a static buffer's size is enough. */
enum {
    GRAPH_WORDS = 1024
};
void memory_graph_describe(const struct execution_graph *graph, char *words);

#endif
