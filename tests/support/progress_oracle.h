/* Progress by its definitions, slowly: the states of a small `.lin` model one by one, and from each
 * of them every walk that could come back. No components, no reductions, nothing in common with
 * verify/progress.c but the model's steps. */
#ifndef TESTS_SUPPORT_PROGRESS_ORACLE_H
#define TESTS_SUPPORT_PROGRESS_ORACLE_H

#include "base/interning.h"
#include "implementation/model.h"

enum progress_verdict {
    PROGRESS_HOLDS,
    PROGRESS_VIOLATED,
    PROGRESS_UNKNOWN, /* not violated, but perhaps only because nodes run out */
    PROGRESS_FAULTY, /* the algorithm or the model does what it must not do: no progress is asked */
    PROGRESS_TOO_LARGE,
};

#define PROGRESS_MOST_THREADS 4
#define PROGRESS_MOST_POOLS   4

/* A specification whose operations may wait: of an object with two states, 0 at first, and of
 * operations f and g that answer nothing. Written down here a second time, for an oracle. */
struct progress_specification {
    bool waits_in[2][2]; /* by operation, f or g, and state */
    uint8_t leads_to[2]; /* by operation */
};

/* How what has happened can be explained: a bit for each state of the object with what each thread
 * is about. */
struct progress_explanations {
    uint64_t bits[8];
};

struct progress_step {
    uint32_t from, to;
    uint32_t thread;
    bool calls, answers; /* neither: inside the operation */
    bool waits;          /* it is blocked there, which is as good as spinning */
};

struct progress_state {
    bool beyond_bounds; /* somebody has no node to take, or no operation left in its order */
    bool running[PROGRESS_MOST_THREADS];
    bool may_rest[PROGRESS_MOST_THREADS]; /* idle, at the start of its order */
    bool starving[PROGRESS_MOST_THREADS]; /* waits for a node */
    uint32_t taken[PROGRESS_MOST_POOLS];  /* nodes */
    struct progress_explanations explanations;
};

struct progress_graph {
    const struct progress_specification *specification; /* null: nobody need not go on */
    struct word_arrays states; /* the model's slots, then the explanations */
    VECTOR(struct progress_state) about;
    VECTOR(struct progress_step) steps;
    VECTOR(size_t) first; /* step, by state, and one more */
    uint32_t threads, pools;
    uint32_t initial;              /* so many states are initial, the first ones */
    bool for_ever;                 /* threads call again and again */
    enum progress_verdict verdict; /* PROGRESS_HOLDS: it is whole, and questions can be asked */
};

/* Explores a model without fusion. With a specification, of which the model has the operations `f`
 * and `g`, threads that wait where that does need not go on; null: they must. Release whatever the
 * verdict. */
void progress_graph_init(struct progress_graph *graph, const struct lin_model *model,
                         const struct progress_specification *specification, uint32_t most);
void progress_graph_release(struct progress_graph *graph);

/* The answer for LIN_LOCK_FREE ... LIN_STARVATION_FREE. */
enum progress_verdict progress_by_definition(const struct progress_graph *graph,
                                             enum lin_property property);

#endif
