/* What threads compute the steps of a CSP# model with: what all share, and what each has for
 * itself. */
#ifndef CSP_WORKER_H
#define CSP_WORKER_H

#include "csp/footprints.h"
#include "csp/owners.h"
#include "csp/terms.h"
#include "csp/turn.h"
#include "csp/unfold.h"
#include "model/model.h"

/* A step under construction: what a term may do before programs have run. */
struct move {
    label label; /* what is seen; LABEL_TAU if invisible */
    label shown;
    term target;
    code_id programs[2]; /* run in this order; 0: none */
    uint32_t channel;    /* slot whose content changes; UINT32_MAX: none */
    object_id content;   /* its content afterwards */
    uint32_t process;    /* while moves are followed: a note (csp/follow.h) */
    uint64_t processes;  /* of the outermost composition, as in struct step; 0: there is none */
    code_id faulty;      /* MOVE_ACCEPT: its guard cannot be evaluated; 0: it holds */
    uint8_t kind;        /* enum move_kind */
    bool data;           /* a program or a channel is involved: never synchronises in || */
    bool atomic;
    bool enters_atomic; /* the component can go on atomically */
};

enum move_kind {
    MOVE_STEP,
    MOVE_OFFER,  /* half of a synchronous communication: output; `channel` its slot, `content` the
                    tuple */
    MOVE_ACCEPT, /* the other half: input of that tuple */
};

/* A composition with a component replaced, as it was made before; made 0: none. */
struct replaced {
    term whole;
    uint32_t index;
    term come, made;
};

/* What the workers of one model share. It does not change, but for its pools, which grow. */
struct csp_shared {
    struct csp_program *program; /* not owned */
    struct csp_term_pool pool;
    struct csp_unfolded unfolded;
    struct csp_footprints footprints;
    struct csp_turn turn;
    label shown_if;   /* how the choice of a conditional is shown */
    bool synchronous; /* some channel has no buffer */
    bool takes_apart; /* steps tell of the leaves of the outermost `||`, see csp/owners.h */
    atomic_bool
        inexact; /* with a cut-off: a step was offered that not every number of copies has */
};

/* Who takes the moves, while that is asked for (csp/follow.h). */
struct csp_following {
    bool on;
    bool is_leaf; /* blocks are yet to be made of the leaf that the walk has gone into */
    size_t at;    /* the blocks of what the walk stands at */
    VECTOR(uint32_t) words;
};

struct csp_worker {
    struct worker worker;      /* first */
    struct csp_shared *shared; /* not owned */
    struct csp_terms terms;
    VECTOR(struct move) moves;
    VECTOR(uint32_t) offers; /* slot and content of the synchronous outputs of the state at hand */
    VECTOR(uint32_t) words;  /* scratch */
    VECTOR(uint32_t) fixed;  /* of a term what is the same in every state, see csp_fixed; by term */
    VECTOR(struct move) kept;  /* moves of long sequences, one sequence after the other */
    VECTOR(size_t) kept_ends;  /* of each of these where its moves end */
    VECTOR(uint32_t) live;     /* scratch: a set of slots */
    struct replaced *replaced; /* by hash; of several with one place the last */
    size_t replaced_capacity;
    uint32_t *valuation; /* scratch: slot_count */
    uint32_t *trial;     /* scratch: slot_count, for guards that see a channel changed */
    bool varies; /* the moves found last need not be those of their term in every state, or are not
                    of a single process */
    bool collecting; /* only outputs over channels without buffer are of interest */
    uint32_t only;   /* component of the outermost composition that moves; UINT32_MAX: all */
    struct csp_owners owners;
    csp_leaf_list leaves, sets; /* scratch */
    uint32_t leaf; /* of a `||` that is taken apart, the next one whose moves are found */
    bool within;   /* what is walked into next is a `||` that is taken apart as well */
    struct csp_following following;
    unsigned depth;
    unsigned nesting; /* of the processes whose moves are being found */
};

/* STATUS_LIMIT. Release whatever the status; it must be zero before. */
enum status csp_worker_init(struct csp_worker *worker, struct csp_shared *shared) MUST_CHECK;
void csp_worker_release(struct csp_worker *worker);

/* Turns a run into a status, writing a fault's message and place. */
enum status csp_ran(const struct csp_worker *worker, enum ran ran, const struct fault *fault,
                    struct error *error) MUST_CHECK;

/* The value of an expression, and whether a condition holds, in the valuation `slots`. */
enum status csp_evaluate(struct csp_worker *worker, code_id code, const uint32_t *slots, datum *d,
                         struct error *error) MUST_CHECK;
enum status csp_test(struct csp_worker *worker, code_id code, const uint32_t *slots, bool *holds,
                     struct error *error) MUST_CHECK;

/* Appends a move; STATUS_LIMIT where making its label or its target was refused. */
enum status csp_add_move(struct csp_worker *worker, struct move move) MUST_CHECK;

/* An invisible move that changes nothing but the term. */
static inline struct move csp_silent_move(term target)
{
    return (struct move){
        .label = LABEL_TAU, .shown = LABEL_TAU, .target = target, .channel = UINT32_MAX};
}

/* Where this worker keeps what is the same of a term in every state, as far as it has come by it:
 * of an event without variables its label, of a reference without them its body, of a long
 * sequence the number of its moves among those kept; + 1. Null when refused. */
uint32_t *csp_fixed(struct csp_worker *worker, term t) MUST_CHECK;

#endif
