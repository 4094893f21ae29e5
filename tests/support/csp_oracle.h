/* CSP# by definition: a second reading of the language, slow and literal, for tests of the first.
 *
 * A term is a tree that says what it is as text; a step rewrites it rule by rule, and two states
 * are the same if their texts are. Expressions and programs are evaluated on the syntax tree.
 * Nothing is shared, compiled or cached, and nothing of the engines is used but the parser's tree
 * (csp/ast.h). Collections of libraries, `|||{..}` and formulas are not covered.
 *
 * Where the language's description leaves room the oracle takes the reading that the manual gives:
 * constants are folded before terms are compared; compositions are put into their plain form (Skip
 * before `;`, Skip in `|||`, Stop in choices, hiding in hiding, atomic in atomic) whenever they are
 * built, not only when a process is unfolded; terminating leads to Stop in every context. */
#ifndef TESTS_SUPPORT_CSP_ORACLE_H
#define TESTS_SUPPORT_CSP_ORACLE_H

#include "csp/ast.h"

struct oracle;

/* The module must outlive the oracle. Beyond `most_states` (of a graph or a product) a model is too
 * large. */
struct oracle *oracle_create(const struct csp_module *module, size_t most_states);
void oracle_destroy(struct oracle *oracle);

enum oracle_answer {
    ORACLE_HOLDS,
    ORACLE_VIOLATED,
    ORACLE_TOO_LARGE,
    ORACLE_UNDEFINED, /* the model itself is wrong: it cannot be unfolded */
};

struct oracle_result {
    enum oracle_answer answer;
    bool faults;   /* a fault of the model is reachable, here or in the specification; the answer is
                      about the rest */
    size_t states; /* of the graph; for a refinement of the full product, as far as it goes */
    size_t length; /* VIOLATED (REACHES: HOLDS): steps of a shortest execution that shows it */
    int32_t extreme;     /* of `reaches ... with` */
    const char *message; /* what is wrong: UNDEFINED, or the first fault; owned by the oracle */
};

/* Every kind of assertion but |=. */
void oracle_decide(struct oracle *oracle, const struct csp_assertion *assertion,
                   struct oracle_result *result);

/* Whether the process can take steps with exactly these labels, null for an invisible one; `weak`:
 * with invisible steps anywhere between them. */
bool oracle_performs(struct oracle *oracle, const struct csp_process *reference,
                     const char *const *labels, size_t count, bool weak);

/* ---- graphs, for oracles that ask more of them ---- */

/* Components of `|||` keep their places for good, as they do where fairness asks who takes a step.
 * To be said before anything else is asked. */
void oracle_keep_apart(struct oracle *oracle);

struct oracle_edge {
    const char *label;  /* null: invisible */
    const char *shown;  /* of what is invisible: "[if]", "[e.1]"; null: τ */
    uint64_t processes; /* components of the outermost composition that take part */
    size_t target;
};

struct oracle_view {
    const struct oracle_graph *graph;
    size_t count, initial; /* states; the first are initial */
    bool faulty;           /* a fault is reachable: a state that has one has no edges */
};

/* False: too large, or wrong. */
bool oracle_view_graph(struct oracle *oracle, const struct csp_process *reference,
                       struct oracle_view *view);
const struct oracle_edge *oracle_view_edges(const struct oracle_view *view, size_t state,
                                            size_t *count);
bool oracle_view_is_faulty(const struct oracle_view *view, size_t state);
bool oracle_view_test(struct oracle *oracle, const struct oracle_view *view, size_t state,
                      const struct csp_expression *expression, bool *faulty);

#endif
