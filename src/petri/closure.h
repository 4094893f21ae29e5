/* Which controls and local states can go together in a system of any number of threads: the pair
 * abstraction, worked out while the moves of a pair are only asked for once it is possible.
 *
 * A configuration is a control and a bag of local states, one for each thread. The least relation
 * is found that holds of the initial configuration and is kept by moves: with (c, l) -> (c', l')
 * where c and l are possible together, let S be the local states that are possible with c and,
 * beside a thread in l, with l. Then l' and all of S are possible with c', and all of S with l'. Of
 * a reachable configuration its control is possible with each local state and every two local
 * states of it are possible with each other (docs/internals/any_threads.md has the proof). It is
 * the concurrency relation of a net, concurrency.h, for one whose transitions are not known yet.
 *
 * A source may refuse pairs: then configurations that have one are not spoken of. */
#ifndef PETRI_CLOSURE_H
#define PETRI_CLOSURE_H

#include "base/limits.h"
#include "base/status.h"
#include "base/vector.h"
#include "petri/bit_matrix.h"

struct thread_move;

struct closure_move {
    uint32_t control, local;        /* what it leads to */
    const struct thread_move *move; /* what it stands for; may be null */
};

struct closure_moves {
    VECTOR(struct closure_move) list;
};

/* Controls and local states are numbers counted from 0; those that a source has handed out in
 * `moves` may be the ones it counts next. */
struct closure_source {
    void *user;
    enum status (*moves)(void *user, uint32_t control, uint32_t local, struct closure_moves *out,
                         struct error *error);
    bool (*admits)(void *user, uint32_t control, uint32_t local); /* null: every pair */
};

/* A local state that is possible with a control. */
struct closure_pair {
    uint32_t local;
    uint32_t first, count; /* of its moves; first NET_NONE: not asked for yet */
    uint64_t fired;        /* when */
};

struct closure_control {
    VECTOR(struct closure_pair) pairs;
    uint64_t changed; /* when something became possible with it */
};

struct closure {
    struct budget *budget;
    struct closure_source source;
    struct bit_matrix beside; /* by control: local states possible with it */
    struct bit_matrix with; /* by local state: those beside it; itself: two threads can be there */
    VECTOR(struct closure_control) controls;
    VECTOR(uint64_t) changed; /* by local state: when something became possible beside it */
    struct closure_moves moves;
    uint64_t clock;
    uint64_t *between; /* scratch, a row: S */
    size_t between_words;
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

/* A move of a pair counts only if what it leads to is possible. */
static inline bool closure_has(const struct closure *closure, uint32_t control, uint32_t local)
{
    return control < closure->controls.length && local < closure->changed.length &&
           bit_get(bit_matrix_row(&closure->beside, control), local);
}

/* Whether threads can be in two local states at the same time. */
static inline bool closure_together(const struct closure *closure, uint32_t one, uint32_t other)
{
    return bit_get(bit_matrix_row(&closure->with, one), other);
}

#endif
