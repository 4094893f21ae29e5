/* The pair abstraction: which controls and local states can go together in a system of any number
 * of threads. It is computed while the moves of a pair are asked for as soon as the pair is
 * possible.
 *
 * A configuration is a control and a bag of local states, one for each thread. The least relation
 * is found of a control and one or two local states that holds of the initial configurations and is
 * kept by moves: with (c, l) -> (c', l'), where l is possible at c, let S be the local states that
 * are possible at c beside a thread in l. Then at c' are possible l', all of S, all of S beside l',
 * and those of S beside each other that are so at c. Of every reachable configuration each local
 * state is possible at its control, and every two beside each other
 * (docs/internals/any_threads.md has the proof). It knows more than concurrency.h, which does the
 * like for nets, and whose transitions have to be known before.
 *
 * A source may refuse pairs: then configurations that have one are not spoken of. */
#ifndef PETRI_CLOSURE_H
#define PETRI_CLOSURE_H

#include "base/limits.h"
#include "base/status.h"
#include "base/vector.h"
#include "petri/bit_matrix.h"
#include "petri/net.h"

struct thread_move;

struct closure_move {
    uint32_t control, local;        /* what it leads to */
    const struct thread_move *move; /* what it stands for; may be null */
};

struct closure_moves {
    VECTOR(struct closure_move) list;
};

/* Controls and local states are numbers counted from 0, in the order in which a source hands them
 * out. */
struct closure_source {
    void *user;
    enum status (*moves)(void *user, uint32_t control, uint32_t local, struct closure_moves *out,
                         struct error *error);
    bool (*admits)(void *user, uint32_t control, uint32_t local); /* null: every pair */
};

/* A local state that is possible at a control. */
struct closure_pair {
    uint32_t local;
    uint32_t first, count; /* of its moves; first NET_NONE: not asked for yet */
    uint64_t fired;        /* when */
};

struct closure_control {
    VECTOR(uint32_t) pairs; /* their numbers */
    uint64_t changed;       /* when more became possible here */
};

struct closure {
    struct budget *budget;
    struct closure_source source;
    VECTOR(struct closure_control) controls;
    VECTOR(struct closure_pair) pairs;
    struct bit_matrix
        beside;        /* by pair: local states beside it; itself: two threads can be there */
    uint32_t *numbers; /* by control and local state: 1 + the pair; 0: it is impossible */
    size_t number_rows, number_columns;
    size_t local_count;
    struct closure_moves moves;
    uint64_t clock;
    struct bits between; /* scratch, a row: S */
};

void closure_init(struct closure *closure, const struct closure_source *source,
                  struct budget *budget);
void closure_release(struct closure *closure);

/* The initial configurations: one of the controls, any number of threads in the first of so many
 * local states, one in each of the others. False when refused. */
bool closure_begin(struct closure *closure, const uint32_t *controls, size_t control_count,
                   uint32_t local_count) MUST_CHECK;

/* Closes the relation. STATUS_LIMIT. */
enum status closure_run(struct closure *closure, const struct limits *limits,
                        struct error *error) MUST_CHECK;

/* Whether the relation holds of these initial configurations, as closure_begin has them, and is
 * kept by the moves, which are asked for again. STATUS_INTERNAL with what is wrong; STATUS_LIMIT.
 */
enum status closure_check(const struct closure *closure, const uint32_t *controls,
                          size_t control_count, uint32_t local_count, const struct limits *limits,
                          struct error *error) MUST_CHECK;

/* The number of a pair; NET_NONE if it is impossible. */
static inline uint32_t closure_pair(const struct closure *closure, uint32_t control, uint32_t local)
{
    if (control >= closure->number_rows || local >= closure->number_columns)
        return NET_NONE;
    return closure->numbers[control * closure->number_columns + local] - 1;
}

/* A move counts only if what it leads to is possible. */
static inline bool closure_has(const struct closure *closure, uint32_t control, uint32_t local)
{
    return closure_pair(closure, control, local) != NET_NONE;
}

/* What is possible beside a thread of a pair. */
static inline struct bits closure_beside(const struct closure *closure, uint32_t pair)
{
    return bit_matrix_row(&closure->beside, pair);
}

/* Whether threads can be in two local states at once. */
static inline bool closure_together(const struct closure *closure, uint32_t control, uint32_t one,
                                    uint32_t other)
{
    uint32_t pair = closure_pair(closure, control, one);
    return pair != NET_NONE && bits_get(closure_beside(closure, pair), other);
}

#endif
