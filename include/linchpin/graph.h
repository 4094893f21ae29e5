/* The state graph of a model as a whole, or the automaton of a formula, to be drawn or given to
 * other tools. */
#ifndef LINCHPIN_GRAPH_H
#define LINCHPIN_GRAPH_H

#include <linchpin/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_node {
    const lp_variable *variables;
    size_t variable_count;
    bool initial;
    bool expanded; /* its edges are there */
} lp_node;

typedef struct lp_edge {
    uint32_t source, target; /* index into nodes */
    const char *event;       /* as in lp_step */
    uint32_t process;
    bool visible;
} lp_edge;

/* A normalised state: the states that one visible trace can lead to. A state may be a member of
 * several. */
typedef struct lp_group {
    const uint32_t *members; /* indices into nodes, ascending */
    size_t member_count;
    const struct lp_group_edge *edges;
    size_t edge_count;
} lp_group;

typedef struct lp_group_edge {
    const char *event; /* visible; one edge for each event */
    uint32_t target;   /* index into groups */
} lp_group_edge;

typedef struct lp_graph_options {
    size_t size;       /* sizeof(lp_graph_options) */
    size_t max_states; /* how many states are expanded, and groups made; 0: all */
    bool normalised;   /* with groups */
    double timeout;    /* seconds; 0: none */
} lp_graph_options;

/* Owned by the caller; what it points to lives until lp_graph_destroy. */
typedef struct lp_graph {
    const char *process;
    const lp_node *nodes; /* in the order of a search breadth first */
    size_t node_count;
    const lp_edge *edges; /* by source */
    size_t edge_count;
    const lp_group *groups; /* the first is that of the empty trace; none unless asked for */
    size_t group_count;
    bool complete;  /* all states were expanded, and all groups made */
    lp_limit limit; /* why not; LP_LIMIT_NONE: max_states */
} lp_graph;

/* The graph of a process, named as for lp_walk_create. LP_INPUT: a fault of the model; LP_USAGE: no
 * such process; LP_LIMIT: memory. Groups are made only of a graph that is expanded as a whole. Null
 * options: the defaults. */
LP_API lp_status lp_graph_create(lp_context *context, const lp_model *model, const char *process,
                                 const lp_graph_options *options, lp_graph **graph,
                                 lp_error *error);
LP_API void lp_graph_destroy(lp_graph *graph);

/* ---- automata of formulas ---- */

/* An edge reads a letter that has all atoms of `positive` and none of `negative`: bit k is atom k.
 * Bit k of `acceptance`: it is in acceptance set k. */
typedef struct lp_automaton_edge {
    uint32_t source, target;
    uint64_t positive, negative, acceptance;
} lp_automaton_edge;

/* A generalised Büchi automaton: it accepts an infinite word if some run takes edges of every
 * acceptance set infinitely often. Owned by the caller; what it points to lives until
 * lp_automaton_destroy. */
typedef struct lp_automaton {
    const char *formula;      /* as given */
    const char *simplified;   /* the formula that was translated */
    const char *const *atoms; /* as written, in the order of the text */
    size_t atom_count;        /* at most 64 */
    size_t state_count;
    const uint32_t *initial; /* states */
    size_t initial_count;
    const lp_automaton_edge *edges; /* by source */
    size_t edge_count;
    unsigned acceptance_count; /* sets, at most 64; 0: every infinite run is accepting */
} lp_automaton;

/* The automaton of the words that satisfy a formula of linear temporal logic, in the syntax of
 * `.lin`; any name may be an atom. `timeout` in seconds; 0: none. LP_INPUT: the formula is wrong,
 * the message has a caret at the place; LP_LIMIT: time, memory, or more than 64 atoms or
 * eventualities. */
LP_API lp_status lp_automaton_create(lp_context *context, const char *formula, double timeout,
                                     lp_automaton **automaton, lp_error *error);
LP_API void lp_automaton_destroy(lp_automaton *automaton);

#ifdef __cplusplus
}
#endif

#endif
