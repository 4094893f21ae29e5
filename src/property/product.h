/* The product of a state graph with a Büchi automaton, node by node.
 *
 * A run's word has a letter for each state it comes through, the first included: the conditions
 * that hold in the state, and the event of the step that led there (`init` in an initial state). A
 * run that ends stays where it is: its last letter comes again for ever, as in PAT.
 *
 * A node is a state of the graph, whose letter has been read, with the automaton's state after
 * that. Which event led to the state does not matter any more, unless the run ends there: then that
 * letter is read again for ever, and belongs to the node. */
#ifndef PROPERTY_PRODUCT_H
#define PROPERTY_PRODUCT_H

#include <assert.h>

#include "explore/explore.h"
#include "logic/buchi.h"
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

typedef uint32_t node_id;

struct product_node {
    state_id state;
    uint32_t
        place; /* the automaton's state; where the run ends + its states * number of the letter */
    node_id next; /* another one with this state */
};

struct product {
    struct graph *graph;
    const struct buchi *automaton;
    const struct liveness_atom *atoms;
    unsigned atom_count;
    uint64_t conditions; /* the atoms that are conditions */
    VECTOR(struct product_node) nodes;
    VECTOR(node_id) first_nodes; /* by state, behind the last NODE_NONE */
    VECTOR(node_id) initial;
    VECTOR(uint64_t) repeated;      /* letters that are read for ever; [0]: that of the state */
    VECTOR(uint64_t) event_letters; /* by label */
    VECTOR(uint64_t) state_letters; /* by state */
    VECTOR(bool) state_known;
    uint64_t met, transitions;
    state_id faulty; /* where the graph could not be expanded, or a condition not evaluated */
    bool known_only; /* neither nodes nor states are added any more */
    /* Scratch of liveness_run.c, NODE_NONE between two uses: it is asked of one component after the
     * other, and must not look at all nodes each time. */
    VECTOR(uint32_t) local;     /* by node */
    VECTOR(uint32_t) system_of; /* by state */
    struct error *error;
};

/* Stands at an edge of a node. */
struct product_cursor {
    node_id node;
    uint32_t state, place;
    const struct edge *edges; /* of the graph */
    uint32_t count, edge;
    uint32_t next; /* edge of the automaton */
    uint64_t letter;
};

struct product_edge {
    node_id target;
    label label; /* of the step; of a run that has ended LABEL_TAU */
    uint64_t acceptance;
};

/* Finds the initial nodes. Release whatever the status. */
enum status product_create(struct graph *graph, const struct liveness_options *options,
                           struct product *product, struct error *error) MUST_CHECK;
void product_release(struct product *product);

static inline state_id product_state(const struct product *product, node_id node)
{
    assert(node < product->nodes.length);
    return product->nodes.items[node].state;
}

/* Goes through the edges of a node; `*more` is false behind the last. */
enum status product_open(struct product *product, node_id node,
                         struct product_cursor *cursor) MUST_CHECK;
enum status product_next(struct product *product, struct product_cursor *cursor,
                         struct product_edge *edge, bool *more) MUST_CHECK;

/* The letter of a state that was entered by this label. */
enum status product_letter(struct product *product, label by, state_id state,
                           uint64_t *letter) MUST_CHECK;

/* The letter of an initial state. */
enum status product_first_letter(struct product *product, state_id state,
                                 uint64_t *letter) MUST_CHECK;

/* The letter that a node whose state is the end of the run reads for ever. */
enum status product_last_letter(struct product *product, node_id node, uint64_t *letter) MUST_CHECK;

/* The node that is entered with a letter by an edge of the automaton; NODE_NONE: there is none
 * (only where none are added any more). */
enum status product_enter(struct product *product, state_id state, uint64_t letter,
                          const struct buchi_edge *by, node_id *node) MUST_CHECK;

/* The state of the automaton that a node is in. */
static inline uint32_t product_place(const struct product *product, node_id node)
{
    return product->nodes.items[node].place % product->automaton->state_count;
}

#endif
