/* Fair runs of an explicit graph: the product of a system with an automaton that says which runs
 * are looked for. The five kinds of fairness are those of Sun, Liu, Dong and Pang (PAT: Towards
 * Flexible Verification under Fairness, CAV 2009):
 *
 *     event weak       an event that is enabled from some point on in every state is taken again
 *                      and again
 *     event strong     an event that is enabled again and again is taken again and again
 *     process weak,    the same of processes: one is enabled where it can take part in a step, and
 *     process strong   takes part in those that have it in their set
 *     global           of a state that is visited again and again every step is taken again and
 *                      again */
#ifndef PROPERTY_FAIRNESS_H
#define PROPERTY_FAIRNESS_H

#include "base/limits.h"
#include "base/status.h"
#include "base/vector.h"

enum fairness {
    FAIRNESS_NONE,
    FAIRNESS_EVENT_WEAK,
    FAIRNESS_EVENT_STRONG,
    FAIRNESS_PROCESS_WEAK,
    FAIRNESS_PROCESS_STRONG,
    FAIRNESS_GLOBAL,
    FAIRNESS_KINDS,
};

/* "none", "event-weak", ... */
const char *fairness_name(enum fairness kind);

/* The kind of that name, in which `_` is as good as `-`; false: there is none. */
bool fairness_parse(const char *name, enum fairness *kind);

/* What a system can do in one of its states. */
struct fair_step {
    uint32_t event;
    uint64_t processes; /* a bit for each that takes part */
};

#define FAIR_STUTTER UINT32_MAX /* in place of a step: the system stays where it is, for ever */

struct fair_edge {
    uint32_t target; /* node */
    uint32_t step;   /* index into steps: one of the system's state, or FAIR_STUTTER */
    uint64_t acceptance;
};

/* Nodes are numbered from 0; several may have one state of the system. */
struct fair_graph {
    VECTOR(struct fair_edge) edges;
    VECTOR(uint32_t) first_edge; /* by node, and one more */
    VECTOR(uint32_t) systems;    /* by node: its state of the system, from 0 */
    VECTOR(struct fair_step) steps;
    VECTOR(uint32_t) first_step; /* by state of the system, and one more */
    uint64_t acceptance;         /* each of these must be on the cycle */
};

void fair_graph_init(struct fair_graph *graph, struct budget *budget);
void fair_graph_clear(struct fair_graph *graph);
void fair_graph_release(struct fair_graph *graph);

/* Edges one behind the other, the last leads to where the first begins. */
struct fair_cycle {
    VECTOR(uint32_t) edges;
};

/* Looks for a cycle, not empty, that has every acceptance set on it, and going round which for ever
 * is fair. It is short, but not always a shortest one. `limits` may be null. STATUS_LIMIT. */
enum status fair_cycle_find(const struct fair_graph *graph, enum fairness kind,
                            const struct limits *limits, struct fair_cycle *cycle,
                            bool *found) MUST_CHECK;

/* Whether going round a cycle for ever is fair. STATUS_LIMIT. */
enum status fair_cycle_is(const struct fair_graph *graph, const struct fair_cycle *cycle,
                          enum fairness kind, bool *fair) MUST_CHECK;

#endif
