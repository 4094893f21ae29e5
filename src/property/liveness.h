/* Whether an automaton accepts a run of a model: for the automaton of a formula's negation, whether
 * the formula is violated.
 *
 * A run's word has a letter for each state it comes through, the first included: the conditions
 * that hold in the state, and the event of the step that led there (`init` in an initial state). A
 * run that ends stays where it is: its last letter comes again for ever, as in PAT. */
#ifndef PROPERTY_LIVENESS_H
#define PROPERTY_LIVENESS_H

#include "property/buchi.h"
#include "property/execution.h"
#include "property/fairness.h"
#include "space/graph.h"

#define LIVENESS_EXACTLY  (-1)
#define LIVENESS_ANYBODYS (-2)

/* What an atom stands for. */
struct liveness_atom {
    const char *event;    /* as labels_print writes it; null: a condition */
    int32_t thread;       /* LIVENESS_EXACTLY: that event alone. Else `event` is the name of an
                             operation, and the atom all its events of a kind by this thread, or by
                             anybody if it is LIVENESS_ANYBODYS */
    enum label_kind kind; /* of these events */
    uint32_t condition;   /* its number, as model_class.evaluate takes it */
};

struct liveness_options {
    const struct buchi *automaton;
    const struct liveness_atom *atoms; /* at most LTL_MAX_ATOMS */
    unsigned atom_count;
    enum fairness fairness;
    struct limits *limits;
};

/* A step of a run's loop. */
struct liveness_step {
    struct step step;
    state_id target;
};

struct liveness {
    enum holds answer; /* VIOLATED: a run is accepted */
    enum limit limit;
    uint64_t states, transitions, depth; /* of the product; the longest path */
    uint64_t met;                        /* atoms that held somewhere; complete where it HOLDS */
    bool too_many; /* nothing was decided: process fairness, and more than 63 processes */

    /* The run, or what leads to a fault. Where it is no lasso it ends, and stays there. */
    struct execution execution;
    VECTOR(uint64_t) letters; /* by state of the execution */

    /* The loop as a graph of its own: node i is where its step i begins, all of them one cycle; and
     * what each step of the graph is. The events of the graph are numbered for this. */
    struct fair_graph loop;
    struct fair_cycle cycle;
    VECTOR(struct liveness_step) steps;
    uint32_t processes; /* that there are where the loop begins */
};

void liveness_init(struct liveness *result, struct budget *budget);
void liveness_release(struct liveness *result);

/* Looks for a run that is accepted, and fair, on the fly. The graph must be the plain one: no ample
 * sets, nothing skipped. STATUS_INPUT: a fault of the model, with result->execution leading to
 * it. */
enum status liveness_search(struct graph *graph, const struct liveness_options *options,
                            struct liveness *result, struct error *error) MUST_CHECK;

#endif
