/* What a search was made of: what each reduction left out, what the specification was asked, and
 * where the memory went. Counted where a state is expanded or a pair is found, in what one worker
 * owns, and put together when the search ends; the counts of completed searches are the same in
 * every run. */
#ifndef EXPLORE_STATS_H
#define EXPLORE_STATS_H

#include "base/vector.h"
#include "space/graph.h"

/* Of what a specification's normal form has. */
struct normal_sizes {
    uint64_t sets;       /* normalised states */
    uint64_t worked_out; /* steps, each once */
};

struct search_stats {
    bool is_there;
    struct expander_counts graph;
    uint64_t found;    /* nodes */
    uint64_t covered;  /* antichain: pairs that came when a smaller one was there */
    uint64_t replaced; /* and pairs that a smaller one took the place of */
    uint64_t asked;    /* steps of the specification */
    bool has_specification;
    struct normal_sizes normal;

    /* Bytes when it ended. */
    size_t states, index; /* stored states; what finds them */
    size_t nodes;         /* which node each was found from */
    size_t pairs;         /* the set of pairs, or the antichain */
    size_t edges;         /* that are kept */
    size_t all;           /* in use, whatever for */

    uint64_t native_from; /* the state from which on steps were compiled ones, + 1; 0: none were */
    VECTOR(uint32_t) levels; /* breadth first, up to the first turn: nodes found in each */
};

static inline void search_stats_init(struct search_stats *stats, struct budget *budget)
{
    *stats = (struct search_stats){0};
    vector_init(&stats->levels, budget);
}

static inline void search_stats_release(struct search_stats *stats)
{
    vector_release(&stats->levels);
}

/* A search begins: what an earlier one has left goes. */
static inline void search_stats_begin(struct search_stats *stats)
{
    struct search_stats empty = {.levels = stats->levels};
    empty.levels.length = 0;
    *stats = empty;
}

/* Fills in what a graph says of itself. */
static inline void search_stats_take_graph(struct search_stats *stats, const struct graph *graph)
{
    stats->is_there = true;
    stats->graph = graph->own.counts;
    graph_bytes(graph, &stats->states, &stats->index, &stats->edges);
    stats->all = atomic_load(&graph->model->budget->used);
}

#endif
