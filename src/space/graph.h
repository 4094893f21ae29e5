/* The state graph of a model, built as it is asked for: states by number, and of each state that
 * was expanded its edges. Products and normal forms walk it on numbers alone. Where the model
 * offers ample sets the graph is the reduced one. Which ample set is taken depends on the states
 * alone, so the graph does not depend on the order in which it is asked for.
 *
 * Threads may share it, each with an expander of its own, once its states are in several parts
 * (space/state_store.h). The edges of a state are in the part that the state is in. */
#ifndef SPACE_GRAPH_H
#define SPACE_GRAPH_H

#include "base/arena.h"
#include "base/faults.h"
#include "base/limits.h"
#include "space/expander.h"

/* The edges of one ample set of a state. */
struct offer {
    const struct edge *edges;
    uint32_t count;
};

/* Of an expanded state: where its edges are. */
struct edge_row {
    uint32_t first; /* 0: it is not expanded, or its edges are not kept */
    uint32_t count;
};

#define GRAPH_EDGE_CHUNK SIZE_OR_SMALL(4096, 8) /* edges */

/* Edges by number: in blocks of one or more chunks, so that those of one state lie together. */
struct edge_chunk {
    struct edge *edges;
    uint32_t chunks; /* of the block that begins here; 0: none does */
};

/* The edges of the states of a part; numbers are those within it. Looked at under its lock. */
struct graph_part {
    VECTOR(struct edge_row) rows; /* by state */
    VECTOR(struct edge_chunk) chunks;
    uint32_t edge_count; /* numbers of edges given out */
};

struct graph {
    const struct model *model;   /* not owned */
    const struct limits *limits; /* not owned; looked at now and then; null: none */
    const struct limits *within; /* likewise, but only within a state of many steps */
    bool keeps_offers; /* the walker chooses: all edges are kept, and the ample sets beside them */
    bool skips;        /* states that the model skips are not stored */
    bool forgets;      /* no edges are kept, for hardly any state's are asked for twice: for
                          models that offer no ample sets */
    VECTOR(const struct offer *) offers; /* by state, ended by an offer of no edges */
    struct arena arena;                  /* of the offers */
    struct state_store states;
    struct graph_part *parts; /* of `states` */
    VECTOR(state_id) initial;
    struct expander own; /* of who calls graph_edges */
};

/* A graph with the model's initial states in it. `within`: kept as the graph's, and looked at here
 * where there are many of them. STATUS_LIMIT, STATUS_INPUT (a fault of the model). Release whatever
 * the status. */
enum status graph_create(const struct model *model, const struct limits *within,
                         struct graph *graph, struct error *error) MUST_CHECK;
void graph_release(struct graph *graph);

/* The number of the state that stands for this one, which is overwritten: also of a state that no
 * edge leads to. */
enum status graph_add(struct graph *graph, uint32_t *state, state_id *id,
                      struct error *error) MUST_CHECK;

/* Gives the graph 1 << bits parts, in which its states have new numbers, numbers[old]; their edges
 * are forgotten. Of a graph with one part that keeps no offers and skips no states. STATUS_LIMIT:
 * it then has one part still. */
enum status graph_divide(struct graph *graph, uint32_t bits, state_id *numbers) MUST_CHECK;

static inline struct graph_part *graph_part(const struct graph *graph, state_id state)
{
    return &graph->parts[state_store_part_number(&graph->states, state)];
}

/* How many states there are, while nobody adds any; the slots of one, until STATE_RECENT calls
 * later; and which one has these slots, STATE_REFUSED if none has. */
uint32_t graph_count(const struct graph *graph);
const uint32_t *graph_state(const struct graph *graph, state_id state);
state_id graph_find(struct graph *graph, const uint32_t *state) MUST_CHECK;

/* The edges of a state, expanding it if need be; equal edges (same label, same target) once, by
 * label, those of one label as the model has them. The edges stay where they are, or, where the
 * graph forgets them, until the next call. STATUS_LIMIT also once graph->limits are reached: walks
 * that look at limits only between larger pieces of work (the closure of a state under τ) end in
 * time. */
static inline enum status graph_edges(struct graph *graph, state_id state,
                                      const struct edge **edges, uint32_t *count,
                                      struct error *error) MUST_CHECK;

/* How many bytes the states take, what finds them, and the edges that are kept. */
void graph_bytes(const struct graph *graph, size_t *states, size_t *index, size_t *edges);

/* The same for a thread of several that share the graph. */
enum status graph_edges_by(struct graph *graph, struct expander *expander, state_id state,
                           const struct edge **edges, uint32_t *count,
                           struct error *error) MUST_CHECK;

/* Has the model find the packed steps of a state, and the value of a condition in it (UINT32_MAX:
 * none), in expander->packed: none is done where it cannot. Then the edges are found without it. */
enum status graph_ask_packed(const struct graph *graph, struct expander *expander, state_id state,
                             uint32_t condition) MUST_CHECK;
enum status graph_edges_singly(struct graph *graph, struct expander *expander, state_id state,
                               const struct edge **edges, uint32_t *count,
                               struct error *error) MUST_CHECK;

/* Whether it can of some states. */
static inline bool graph_may_ask_packed(const struct graph *graph)
{
    return graph->model->class->expand && !graph->limits && !graph->keeps_offers && !graph->skips;
}

/* And for one that waits to add what it finds (expander.waits), in a graph that forgets edges: the
 * targets are places in expander->successors, equal ones where the states are; expander->hashes has
 * their hashes. */

/* The slots of a state, for such a thread, until it asks again. */
const uint32_t *graph_state_by(const struct graph *graph, struct expander *expander,
                               state_id state);

/* The edges that a graph keeps of an expanded state. */
const struct edge *graph_kept_edges(const struct graph *graph, state_id state, uint32_t *count);

/* Keeps what is in graph->own.edges as the edges of a state that is not expanded: those that the
 * graph would find. STATUS_LIMIT. */
enum status graph_keep_edges(struct graph *graph, state_id state) MUST_CHECK;

/* Leaves in graph->own.successors what follows from a state (as it is stored), and which of these
 * steps are its edges: those in which one of `*processes` takes part (graph_takes). The states that
 * they lead to are as they would be stored, and none is. For searches without a store. */
enum status graph_successors(struct graph *graph, const uint32_t *state, uint64_t *processes,
                             struct error *error) MUST_CHECK;

#define GRAPH_ALL_STEPS UINT64_MAX

static inline bool graph_takes(const struct step *step, uint64_t processes)
{
    return processes == GRAPH_ALL_STEPS || (step->processes & processes);
}

/* Where a state's edges are. */
static inline const struct edge_row *graph_row(const struct graph *graph, state_id state)
{
    static const struct edge_row none;
    const struct graph_part *part = graph_part(graph, state);
    const state_id within = state >> graph->states.bits;
    return within < part->rows.length ? &part->rows.items[within] : &none;
}

static inline const struct edge *graph_edges_at(const struct graph_part *part, uint32_t number)
{
    assert(number / GRAPH_EDGE_CHUNK < part->chunks.length);
    return part->chunks.items[number / GRAPH_EDGE_CHUNK].edges + number % GRAPH_EDGE_CHUNK;
}

static inline enum status graph_edges(struct graph *graph, state_id state,
                                      const struct edge **edges, uint32_t *count,
                                      struct error *error)
{
    if (LIKELY(graph->states.bits == 0)) { /* nobody else has it: what is kept is at hand */
        const struct edge_row *row = graph_row(graph, state);
        if (row->first && graph->own.asked + 1 < STEPS_A_LOOK) {
            graph->own.asked++;
            *edges = graph_edges_at(graph->parts, row->first);
            *count = row->count;
            return STATUS_OK;
        }
    }
    return graph_edges_by(graph, &graph->own, state, edges, count, error);
}

/* Whether a state's edges are known, in a graph that forgets none. */
static inline bool graph_is_expanded(const struct graph *graph, state_id state)
{
    return graph_row(graph, state)->first != 0;
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
