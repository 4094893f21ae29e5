/* Büchi automata with the same language and fewer states, edges and acceptance sets, in two ways:
 *   - by strongly connected components: a run stays in one from some point on, so that one without
 *     an accepting cycle is dead, and each may number its acceptance sets by itself;
 *   - by direct simulation: states that simulate one another are joined, edges that others stand
 * for go (Etessami and Holzmann, Optimizing Büchi Automata, CONCUR 2000; Somenzi and Bloem,
 *     Efficient Büchi Automata from LTL Formulae, CAV 2000). */
#ifndef LOGIC_BUCHI_SIMPLIFY_H
#define LOGIC_BUCHI_SIMPLIFY_H

#include "base/bits.h"
#include "explore/components.h"
#include "logic/buchi.h"

/* Strongly connected components of what is reachable. No edge leads to a higher number. */
struct buchi_components {
    const struct buchi *buchi;
    struct components found;
    VECTOR(uint32_t) order; /* the reachable states by component */
};

bool buchi_components_find(const struct buchi *buchi, struct budget *budget,
                           struct buchi_components *components) MUST_CHECK;

/* The component of a state; NODE_NONE: it is not reachable. */
static inline uint32_t buchi_component(const struct buchi_components *components, uint32_t state)
{
    return components_get(&components->found, state);
}

void buchi_components_release(struct buchi_components *components);

enum buchi_passing {
    PASSING_IN_ALL,  /* edges that are on no cycle are in every acceptance set */
    PASSING_IN_NONE, /* ... in none */
};

/* Removes states from which nothing is accepted or that are not reachable. */
bool buchi_trim(struct buchi *buchi) MUST_CHECK;

/* Fewer acceptance sets, at least `least`, and the same marks on edges that no run takes infinitely
 * often. Expects a trimmed automaton. */
bool buchi_tidy_acceptance(struct buchi *buchi, enum buchi_passing passing,
                           uint32_t least) MUST_CHECK;

/* Joins states that simulate one another and drops edges that others stand for. */
bool buchi_join(struct buchi *buchi, const struct limits *limits) MUST_CHECK;

/* All of these, until nothing changes. With `keep_acceptance` the marks of edges stay as they are.
 * False when a limit is reached; the automaton may then only be released. */
bool buchi_simplify(struct buchi *buchi, bool keep_acceptance, uint32_t least,
                    const struct limits *limits) MUST_CHECK;

/* Keeps the states with keep[s], in order, and the edges between them whose target is not
 * UINT32_MAX. */
bool buchi_keep(struct buchi *buchi, const bool *keep) MUST_CHECK;

#endif
