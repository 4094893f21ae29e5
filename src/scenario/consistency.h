/* Which execution graphs a memory model allows.
 *
 * Coherence, the atomicity of read-modify-writes and the acyclicity of po U rf are kept while a
 * graph is built (scenario/exploration.h); what is beyond them is decided here:
 *
 *   sc     acyclic(po U rf U mo U fr)
 *   tso    acyclic(ppo U rfe U mo U fr U fence), ppo = po without write to read; updates and
 *          seq_cst stores and fences are full fences
 *   rc11   acyclic(psc), as in the RC11 paper: psc_base from po|!=loc ; hb ; po|!=loc */
#ifndef SCENARIO_CONSISTENCY_H
#define SCENARIO_CONSISTENCY_H

#include "scenario/execution_graph.h"

/* How psc is made of hb: as the RC11 paper has it, or as GenMC does (po;hb;po), to compare. */
enum psc_form {
    PSC_PAPER,
    PSC_GENMC
};

/* Whether a graph that is coherent, has its read-modify-writes atomic and po U rf acyclic is one
 * of the model. */
bool execution_is_consistent(const struct execution_graph *graph, enum memory_model model,
                             enum psc_form psc);

/* A synchronisation that a client may add of its own: `from` and all before it happens before `to`
 * and all behind it. Both are events of the graph, of different threads. */
struct client_edge {
    event_number from, to;
};

enum edges_answer {
    EDGES_ALLOWED,
    EDGES_INCONSISTENT, /* where other edges that say more may not be: they make other accesses */
    EDGES_INCOHERENT,   /* nor are edges that say more allowed */
    EDGES_TOO_MANY,     /* more events or locations than a graph holds */
};

/* The graph with the edges, each made by a release write right behind `from` and an acquire read
 * of it right before `to`, at a location of its own: the weakest accesses by which a client can do
 * it. Clocks are worked out anew, coherence, the acyclicity of po U rf and the model are looked at
 * again. `extended` is the caller's; it is a whole graph when the edges are allowed. */
enum edges_answer execution_add_edges(const struct execution_graph *graph, enum memory_model model,
                                      enum psc_form psc, const struct client_edge *edges,
                                      size_t count, struct execution_graph *extended) MUST_CHECK;

#endif
