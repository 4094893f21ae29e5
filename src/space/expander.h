/* What one thread expands states of a graph with (space/graph.h): the steps that the model has made
 * of a state, the states that they lead to packed ahead, before it is known which of them are
 * stored, and the edges, in the order in which walks take them.
 *
 * An expander may wait to have states stored: the targets of its edges are then places among the
 * successors, equal ones where the states are, and a store is only read. */
#ifndef SPACE_EXPANDER_H
#define SPACE_EXPANDER_H

#include "model/model.h"
#include "space/state_store.h"

struct edge {
    label label;
    state_id target;
};

struct placed_edge {
    struct edge edge;
    uint32_t place;
};

/* What was done to have the edges of states. The same ones may be asked for again. */
struct expander_counts {
    uint64_t expanded;   /* states */
    uint64_t steps;      /* that the model has made, and those ample sets left out */
    uint64_t ample;      /* states of which an ample set was taken, of */
    uint64_t offered;    /* so many that had one */
    uint64_t left_out;   /* steps that no ample set has */
    uint64_t passed;     /* states that are not stored, for what they lead to is */
    uint64_t renumbered; /* as of struct successors; and the next two */
    uint64_t pure, stale;
};

struct expander {
    struct worker *worker; /* owned; null when refused */
    bool waits; /* what edges lead to is not stored yet: their targets are places in `successors` */
    struct successors successors;      /* scratch, as all that follows */
    const struct state_layout *layout; /* in which they are packed; null: they are not */
    uint32_t stride;                   /* words of each, and whether they are all of it, if
                                          some are not */
    struct packed_steps packed;        /* the hashes of all, and so their words */
    VECTOR(uint64_t) gathered;         /* those of states whose steps are asked for */
    struct state_adder adder;
    VECTOR(struct edge) edges;
    VECTOR(struct placed_edge) placed; /* of many, with the order in which the model has them */
    VECTOR(uint32_t) state;
    uint32_t asked; /* for edges, since the limits were looked at */
    bool exhausted; /* of some state: see struct successors */
    struct expander_counts counts;
};

/* For a model's states in a store. `within`: looked at where a state has many steps; null: none.
 * STATUS_LIMIT. Release it whatever the status. */
enum status expander_create(struct expander *expander, const struct model *model,
                            const struct state_store *states,
                            const struct limits *within) MUST_CHECK;
void expander_release(struct expander *expander);

void expander_counts_add(struct expander_counts *sum, const struct expander_counts *more);

/* The slots of the state that a step leads to. */
static inline uint32_t *expander_state(const struct expander *by, size_t target)
{
    return by->successors.states.items + target * by->worker->model->slots;
}

/* ---- states that are packed ahead ---- */

/* Makes room for so many, in the layout in use. STATUS_LIMIT. */
enum status expander_prepare(struct expander *by, const struct state_store *states,
                             size_t count) MUST_CHECK;

/* Finds the hash of one, and its words where there is a layout for them. */
void expander_pack(const struct expander *by, const struct state_store *states, size_t target);

/* Its words, with whether they are all of it behind them, if some are not. */
static inline uint64_t *expander_words(const struct expander *by, size_t target)
{
    return by->packed.words.items + target * by->stride;
}

/* The layout in which it is packed; null: it is not. */
static inline const struct state_layout *expander_layout(const struct expander *by, size_t target)
{
    return by->layout && (by->stride == by->layout->words ||
                          expander_words(by, target)[by->layout->words])
               ? by->layout
               : NULL;
}

/* ---- edges ---- */

/* Makes the targets of edges one where their states are: the first that has it. Of an expander that
 * waits. STATUS_LIMIT. */
enum status expander_unify(struct expander *by) MUST_CHECK;

/* Sorts the edges by label, and drops repetitions. Those of one label stay in the order in which
 * the model has them: the numbers of their targets are those in which they were found, which may be
 * another order, of threads any. STATUS_LIMIT. */
enum status expander_sort(struct expander *by) MUST_CHECK;

/* ---- states whose steps the model finds packed ---- */

/* Has the model find the steps of states that are stored in a layout, null: in none, as far as it
 * can: by->packed has the states, and which condition is asked of them. STATUS_LIMIT. */
enum status expander_ask_packed(struct expander *by, const struct state_store *states,
                                const struct state_layout *stored) MUST_CHECK;

/* Counts what was found of so many states. */
void expander_count_packed(struct expander *by, uint32_t states, size_t steps);

/* Writes the edges, so sorted, of what the model has left in by->packed of one state. Of an
 * expander that waits. STATUS_LIMIT. */
enum status expander_take_packed(struct expander *by) MUST_CHECK;

#endif
