/* The state graph of a model, built as it is asked for: states by number, and of each state that
 * was expanded its edges. Products and normal forms walk it on numbers alone. Where the model
 * offers ample sets the graph is the reduced one. Which ample set is taken depends on the states
 * alone, so the graph does not depend on the order in which it is asked for. */
#ifndef SPACE_GRAPH_H
#define SPACE_GRAPH_H

#include "base/arena.h"
#include "model/model.h"
#include "space/state_table.h"

struct edge {
    label label;
    state_id target;
};

/* The edges of one ample set of a state. */
struct offer {
    const struct edge *edges;
    uint32_t count;
};

/* Of an expanded state: where its edges are. */
struct edge_row {
    uint32_t first; /* 0: it is not expanded, or its edges were forgotten */
    uint32_t count;
};

/* Edges by number: in blocks of one or more chunks, so that those of one state lie together. */
struct edge_chunk {
    struct edge *edges;
    uint32_t chunks; /* of the block that begins here; 0: none does */
};

/* What was done to have the edges of states. A graph may be asked for the same ones again. */
struct graph_counts {
    uint64_t expanded;   /* states */
    uint64_t steps;      /* that the model has made, and those ample sets left out */
    uint64_t ample;      /* states of which an ample set was taken, of */
    uint64_t offered;    /* so many that had one */
    uint64_t left_out;   /* steps that no ample set has */
    uint64_t passed;     /* states that are not stored, for what they lead to is */
    uint64_t renumbered; /* as of struct successors; and the next */
    uint64_t pure;
};

struct graph {
    struct graph_counts counts;
    const struct model *model;   /* not owned */
    struct worker *worker;       /* owned; null when refused */
    const struct limits *limits; /* not owned; looked at now and then; null: none */
    uint32_t asked;              /* for edges, since the limits were looked at */
    bool keeps_offers; /* the walker chooses: all edges are kept, and the ample sets beside them */
    bool skips;        /* states that the model skips are not stored */
    bool forgets;      /* of a state whose edges are asked for once only they are not kept: for
                          models that offer no ample sets */
    VECTOR(const struct offer *) offers; /* by state, ended by an offer of no edges */
    struct arena arena;                  /* of the offers */
    struct state_table states;
    VECTOR(struct edge_row) rows; /* by state */
    VECTOR(struct edge_chunk) chunks;
    uint32_t edge_count;         /* numbers of edges given out */
    bool exhausted;              /* of some state asked for; see struct successors */
    VECTOR(uint32_t) asked_once; /* with `forgets`: a bit for each state */
    VECTOR(state_id) initial;
    struct successors successors; /* scratch */
    VECTOR(uint64_t) hashes;
    VECTOR(struct edge) scratch;
};

/* A graph with the model's initial states in it. STATUS_LIMIT, STATUS_INPUT (a fault of the model).
 * Release whatever the status. */
enum status graph_create(const struct model *model, struct graph *graph,
                         struct error *error) MUST_CHECK;
void graph_release(struct graph *graph);

/* The number of the state that stands for this one, which is overwritten: also of a state that no
 * edge leads to. */
enum status graph_add(struct graph *graph, uint32_t *state, state_id *id,
                      struct error *error) MUST_CHECK;

/* The edges of a state, expanding it if need be; equal edges (same label, same target) once, by
 * label. The edges stay where they are, or, where the graph forgets them, until the next call.
 * STATUS_LIMIT also once graph->limits are reached: walks that look at
 * limits only between larger pieces of work (the closure of a state under τ) end in time. */
enum status graph_edges(struct graph *graph, state_id state, const struct edge **edges,
                        uint32_t *count, struct error *error) MUST_CHECK;

/* How many bytes the states take, what finds them, and the edges that are kept. */
void graph_bytes(const struct graph *graph, size_t *states, size_t *index, size_t *edges);

/* The edges that a graph keeps of an expanded state. */
const struct edge *graph_kept_edges(const struct graph *graph, state_id state, uint32_t *count);

/* Keeps what is in graph->scratch as the edges of a state that is not expanded: those that the
 * graph would find. STATUS_LIMIT. */
enum status graph_keep_edges(struct graph *graph, state_id state) MUST_CHECK;

/* Leaves in graph->successors what follows from a state (as it is stored), and which of these steps
 * are its edges: those in which one of `*processes` takes part (graph_takes). The states that they
 * lead to are as they would be stored, and none is. For searches without a store. */
enum status graph_successors(struct graph *graph, const uint32_t *state, uint64_t *processes,
                             struct error *error) MUST_CHECK;

#define GRAPH_ALL_STEPS UINT64_MAX

static inline bool graph_takes(const struct step *step, uint64_t processes)
{
    return processes == GRAPH_ALL_STEPS || (step->processes & processes);
}

/* Whether a state's edges are known, in a graph that forgets none. */
static inline bool graph_is_expanded(const struct graph *graph, state_id state)
{
    return state < graph->rows.length && graph->rows.items[state].first != 0;
}

/* Of a chain of states that are skipped no more than this many in a row: chains may be cycles. */
#define GRAPH_SKIPS_MOST 64

/* The ample sets that the model offers for an expanded state of a graph that keeps them; the last
 * has no edges. */
static inline const struct offer *graph_offers(const struct graph *graph, state_id state)
{
    return graph->offers.items[state];
}

#endif
