/* The states of an implementation, step by step. */
#ifndef RUN_H
#define RUN_H

#include "program.h"

/* Shared variables; of each thread what it has called, where it is, its answer, its local
 * variables; then nodes, each its structure and its fields, as many words for all. */
struct machine {
    const struct program *program;
    word *words;
    size_t length, room, thread;
};

enum {
    THREAD_CALLS,     /* so far; of `ops = any` modulo 2 */
    THREAD_OPERATION, /* 0: none */
    THREAD_AT,        /* an instruction; behind the last one, the answer is known */
    THREAD_ANSWER,
    THREAD_LOCALS
};

enum event_kind {
    CALLS,
    ANSWERS_WITH,
    STEPS
};

struct event {
    enum event_kind kind;
    size_t thread, operation, line; /* the line of a step */
    word value;                     /* the argument, or the answer */
};

/* The initial state, in `machine`. */
void run_init(struct machine *machine, const struct program *program);

/* Gives each step from the state to `take`, with the state behind it in `machine`, brought into the
 * one form of all that differ by the numbers of nodes. */
void run_steps(struct machine *machine, const word *state, size_t length, bool takes_turns,
               void (*take)(void *self, const struct event *event), void *self);

word run_shared(const word *state, const struct variable *variable, size_t index);

#endif
