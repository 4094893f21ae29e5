/* An implementation as threads over a shared state, any number of them. It answers one question,
 * when it is asked: which moves has a thread in this local state while the shared state is that
 * one?
 *
 * A state of a model of one thread is cut in two: a shared state is the words before the thread
 * (shared variables, nodes), a local state its own words and its kind. Nodes keep their numbers and
 * are never collected, so a step changes nothing but these two, and the same step is there however
 * many other threads there are. Both are interned and counted from 0.
 *
 * Kind 0 are threads that may run whatever is not `only thread k`: any number of them. For each k
 * there is one more kind, of one thread. Threads of a kind are all idle at first.
 *
 * A call is fused with the first step of its operation, an answer with the last (lin_options's
 * `intervals`); locals that will not be read again are 0. What ends a run, a fault of the algorithm
 * or an error of the model, is a move: it is real only if the pair is. */
#ifndef UNBOUNDED_THREAD_SYSTEM_H
#define UNBOUNDED_THREAD_SYSTEM_H

#include "implementation/model.h"

enum thread_ending {
    ENDING_NONE,
    ENDING_FAULT, /* the algorithm does what it must not do */
    ENDING_ERROR, /* a value leaves its range. Other moves of the pair are left out */
};

enum thread_answer {
    ANSWER_NONE,  /* the move ends no operation */
    ANSWER_PLAIN, /* without a value: ok, empty, null */
    ANSWER_VALUED,
    ANSWER_OTHER, /* any other symbol, a number, a boolean */
};

/* A step of one thread. Where it has an ending, what follows is what was before. */
struct thread_move {
    uint32_t shared, local;
    uint32_t next_shared, next_local;
    uint16_t operation; /* that is called, or runs: index among the object's operations */
    bool calls;         /* the move begins with its call */
    uint8_t argument;   /* the value it is called with; 0: none */
    uint8_t answer;     /* enum thread_answer */
    uint8_t result;     /* the value that is answered; 0: none */
    uint8_t points;     /* `linearize` statements that it comes by, where these are noted; */
    uint8_t others;     /* those for operations of other threads, and the value that the last of
                           these was called with; 0: none, or it comes behind one of its own */
    uint8_t brought;
    uint8_t ending;     /* enum thread_ending */
    label label, shown; /* as the model has them, of a thread 0: `fault` or `error` of an ending */
};

/* Whether the move calls nothing, or without a value, or with one of these: bits, 1 << value. */
static inline bool thread_move_brings_only(const struct thread_move *move, unsigned values)
{
    return !move->argument || (values >> move->argument & 1);
}

/* What a thread can do. */
struct thread_moves {
    uint32_t count;
    struct thread_move items[];
};

struct thread_kind {
    uint32_t idle; /* local state at the start of the client's order */
    int32_t only;  /* k of `only thread k`; -1: nobody's number, and any number of threads */
};

/* What a label says of the call and the answer, worked out once for each label. */
struct thread_event {
    bool known, calls;
    uint16_t operation;
    uint8_t argument, answer, result, points, others, brought;
};

struct thread_system {
    const struct lin_steps *steps;
    struct labels *labels;
    struct budget *budget;
    struct lin_model model;
    struct lin_worker *worker; /* null when refused */
    VECTOR(struct thread_kind) kinds;
    VECTOR(uint32_t) initial;            /* shared states, without doubles */
    struct word_arrays shared;           /* steps->thread_first words each */
    struct word_arrays locals;           /* the kind, then steps->thread_words words */
    struct word_arrays pairs;            /* shared, local: those that were expanded */
    VECTOR(struct thread_moves *) moves; /* by pair; null: not known yet */
    struct arena arena;                  /* of these */
    VECTOR(struct thread_event) events;  /* by label */
    VECTOR(uint32_t) state;              /* that is expanded */
    VECTOR(uint32_t) local;              /* under construction */
    struct successors out;
};

/* The steps must have been compiled with threads = 1, operations = -1, total = 0, keeps, without
 * points, from an implementation without `ll`; they and the labels must outlive the system.
 * STATUS_INPUT: `init` goes wrong, with its place; STATUS_LIMIT. Release whatever the status. */
enum status thread_system_create(struct thread_system *system, const struct lin_steps *steps,
                                 struct labels *labels, const struct limits *limits,
                                 struct error *error) MUST_CHECK;
void thread_system_release(struct thread_system *system);

/* The moves of a thread in a local state with a shared state; the system's, at the same address as
 * long as it lives. STATUS_LIMIT. */
enum status thread_system_expand(struct thread_system *system, uint32_t shared, uint32_t local,
                                 const struct thread_moves **moves, struct error *error) MUST_CHECK;

/* Sets all of a move but its numbers of states: what a step of the model, by a thread with these
 * words, says of it. False when refused. */
bool thread_system_read_step(struct thread_system *system, const struct step *step,
                             const uint32_t *thread, struct thread_move *move) MUST_CHECK;

/* Whether a condition over the shared variables, as lin_steps_condition has numbered it, is true of
 * a shared state. STATUS_INPUT: it fails there, as where it looks for what null refers to. */
enum status thread_system_evaluate(struct thread_system *system, uint32_t shared,
                                   uint32_t condition, bool *holds, struct error *error) MUST_CHECK;

/* The words of a shared state: steps->thread_first of them. */
static inline const uint32_t *thread_system_shared(const struct thread_system *system,
                                                   uint32_t shared)
{
    size_t count;
    return word_arrays_get(&system->shared, shared, &count);
}

/* The words of a local state: steps->thread_words of them, as enum lin_thread_slot says. */
static inline const uint32_t *thread_system_local(const struct thread_system *system,
                                                  uint32_t local)
{
    size_t count;
    return word_arrays_get(&system->locals, local, &count) + 1;
}

/* Index among the system's kinds. */
static inline uint32_t thread_system_kind(const struct thread_system *system, uint32_t local)
{
    return thread_system_local(system, local)[-1];
}

static inline bool thread_system_is_idle(const struct thread_system *system, uint32_t local)
{
    return thread_system_local(system, local)[LIN_THREAD_AT] == 0;
}

/* The place in the client's order: of the next call. */
static inline uint32_t thread_system_turn(const struct thread_system *system, uint32_t local)
{
    return thread_system_local(system, local)[LIN_THREAD_TURN];
}

/* The operation that runs; UINT16_MAX: idle. */
uint16_t thread_system_operation(const struct thread_system *system, uint32_t local);

/* Appends a local state for people: "push at 18: top = n with n = node1". */
void thread_system_print_local(struct thread_system *system, uint32_t local, struct text *text);

#endif
