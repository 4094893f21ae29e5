/* Random runs of one to four threads on a heap without bound, of a thread system, and what each
 * thread sees of each state as unbounded/heap_view.h says it: told from the run, not from views. */
#ifndef TESTS_SUPPORT_HEAP_RUNS_H
#define TESTS_SUPPORT_HEAP_RUNS_H

#include "base/random.h"
#include "base/text.h"
#include "unbounded/heap_view.h"
#include "unbounded/thread_system.h"

#define HEAP_RUN_THREADS 4
#define HEAP_RUN_STEPS   160
#define HEAP_RUN_NODES   64 /* of all pools in one row: bits of a word */

/* An implementation whose views are looked at. */
struct heap_subject {
    struct thread_system *system;
    const struct heap_shape *shape;
    bool adds_by_calls; /* each call may make nodes; else those that bring a value */
    unsigned values;    /* bits: those that calls may bring; 0: any */
    bool distinct;      /* each call brings another one; 31 at most */
};

struct heap_walk_step {
    uint32_t thread;
    const struct thread_move *move;
    uint32_t shared, local[HEAP_RUN_THREADS]; /* in front of it */
    uint64_t own[HEAP_RUN_THREADS];           /* likewise: nodes that only this thread knows */
    uint32_t
        held[HEAP_RUN_THREADS]; /* likewise: variables that it made true, and nobody false since */
    /* likewise, by node in one row, as long as the thread sees the node */
    uint8_t held_fields[HEAP_RUN_THREADS][HEAP_RUN_NODES];
    uint32_t ends; /* the step that answers what runs; UINT32_MAX: none */
};

struct heap_walk {
    uint32_t threads, length;
    struct heap_walk_step steps[HEAP_RUN_STEPS + 1]; /* the last one is the state at the end */
    struct thread_move alone[HEAP_RUN_THREADS];      /* what unfinished operations answer, alone */
};

/* Marks the nodes, bits in one row, that a reference leads to in the words of a shared state. */
void heap_mark(const struct lin_steps *code, const uint32_t *words, uint32_t pool,
               uint32_t reference, uint64_t *marked);

/* The answer of the operation that a thread runs, if it goes on alone; of kind ANSWER_NONE if it
 * has none soon, or has to choose before. */
struct thread_move heap_run_alone(const struct heap_subject *subject, uint32_t shared,
                                  uint32_t local);

void heap_run_make(const struct heap_subject *subject, struct random *random,
                   struct heap_walk *run);

/* The view of a thread of a state. False if there are too many nodes. */
bool heap_run_view(const struct heap_subject *subject, const struct heap_walk_step *state,
                   uint32_t thread, uint32_t observer, uint32_t promise, struct heap_view *view);

/* Likewise, with roots: nodes in one row, 1 + the number; 0: none. With the row's number of each
 * node that the view has, in `rows`. */
bool heap_run_view_with(const struct heap_subject *subject, const struct heap_walk_step *state,
                        uint32_t thread, const uint32_t *roots, uint32_t root_count,
                        struct heap_view *view, uint32_t rows[HEAP_MOST_NODES]);

/* Whether a step changes what others may see, as the text says it. */
bool heap_run_changes(const struct heap_subject *subject, const struct heap_walk_step *step);

/* The instruction, + 1, at which a step begins. */
uint32_t heap_run_at(const struct heap_subject *subject, const struct heap_walk_step *step);

#endif
