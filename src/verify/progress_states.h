/* The states of an implementation in which every statement that touches something shared is a step,
 * and the steps between them: what questions about progress are asked of. States have numbers in
 * the order in which one thread finds them, breadth first.
 *
 * Several threads take up states in rounds (explore/rounds.h): each works out steps, and stores the
 * states that they lead to, where these have numbers that threads race for. When a round is over
 * one thread goes through the edges in the order of the states that they leave, and gives the new
 * ones their numbers. */
#ifndef VERIFY_PROGRESS_STATES_H
#define VERIFY_PROGRESS_STATES_H

#include "implementation/model.h"
#include "property/linear_normal.h"
#include "space/state_store.h"
#include "verify/assertion.h"

#define PROGRESS_NONE UINT32_MAX

enum edge_kind {
    EDGE_STEP,
    EDGE_SPIN, /* of a thread that waits: back to the same state */
    EDGE_CALL,
    EDGE_ANSWER,
};

struct progress_edge {
    uint32_t target;
    label shown;
    uint8_t process;
    uint8_t kind;
};

/* By number within a part of the store: the number here; PROGRESS_NONE: it has none yet. */
struct numbered_part {
    VECTOR(uint32_t) states;
};

struct progress_states {
    const struct lin_model *model;
    const struct model *reduced;   /* that is explored: this one, or a decorator of it */
    struct linear_normal *waiting; /* where operations of the specification wait: what has happened
                                      goes along, in a slot behind those of the model. Or null */
    uint32_t threads;              /* of the implementation */
    struct state_store states; /* where they have other numbers, once there are several parts: */
    VECTOR(state_id) stored;   /* by state: its number there, */
    struct numbered_part *numbered; /* and by part there the numbers here */
    struct state_adder adder;
    VECTOR(struct progress_edge) edges;
    VECTOR(uint32_t) first;   /* edge, by state, and one more */
    VECTOR(uint32_t) parents; /* the edge that a state was found by; PROGRESS_NONE: it is initial */
    VECTOR(uint32_t) from;    /* by edge: its state */
    VECTOR(uint64_t) running; /* by state: threads inside an operation */
    VECTOR(uint64_t) resting; /* by state: threads that need not step (model/model.h) */
    VECTOR(uint64_t) starving; /* by state: threads that wait for a node */
    VECTOR(uint32_t) wide;     /* scratch: a state with that slot */
    VECTOR(bool) left_out;     /* by state: a bound of the model shows, one of these two */
    bool nodes_ran_out, operations_ran_out;
    char fault[SUCCESSORS_FAULT]; /* what the last edge does wrong, if it does */
};

/* The model, without fusion, must outlive it. False when refused; release it whatever it answers.
 */
bool progress_states_init(struct progress_states *graph, const struct lin_model *model,
                          const struct model *reduced, struct linear_normal *waiting) MUST_CHECK;
void progress_states_release(struct progress_states *graph);

static inline uint32_t progress_states_count(const struct progress_states *graph)
{
    return (uint32_t)graph->parents.length;
}

/* The slots of a state, until STATE_RECENT calls later. */
const uint32_t *progress_states_get(const struct progress_states *graph, uint32_t state);

/* Finds them all, with as many threads as the options say, unless one of the steps is a fault of
 * the algorithm: that is then the last edge, and `*faulty`. The numbers of states and edges are the
 * result's, as is the limit of STATUS_LIMIT. STATUS_INPUT: the model is wrong in the first state
 * that has no edges yet. */
enum status progress_states_explore(struct progress_states *graph,
                                    const struct assertion_options *options,
                                    struct assertion_result *result, bool *faulty,
                                    struct error *error) MUST_CHECK;

/* Whether none of these threads (bit i: thread i) need go on in a state, since the operation of
 * each waits where the specification does (linear_normal_waits). STATUS_LIMIT. */
enum status progress_states_wait(struct progress_states *graph, uint32_t state, uint64_t threads,
                                 bool *wait) MUST_CHECK;

#endif
