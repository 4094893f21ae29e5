/* Processes that differ by an index alone: `||| i:{0..N-1} @ P(i)`, where whatever `i` is used for
 * says the same of every index. Then renumbering the indices, wherever they stand, maps steps of
 * the model to steps (docs/internals/reductions.md).
 *
 * What may hold an index is found by unification, over the syntax of all that an assertion can
 * reach: parameters, variables, elements of arrays, dimensions of arrays, components of events. An
 * index may be passed on, stored, compared with another index for equality, be a component of an
 * event, and be the subscript of a dimension of exactly N elements. Anything else that happens to
 * it (arithmetic, order, a number from 0 to N-1 in its place) tells indices apart. */
#ifndef CSP_INDICES_H
#define CSP_INDICES_H

#include <pthread.h>

#include "csp/index_nodes.h"
#include "model/turning.h"

#define INDEX_MOST_DIMENSIONS 3 /* of an array that are indices */

/* A slot of a valuation that is renumbered: for each dimension which index it is at, and how far
 * apart neighbours are. */
struct index_slot {
    uint32_t slot;
    uint32_t dimensions;
    uint8_t at[INDEX_MOST_DIMENSIONS];
    uint32_t strides[INDEX_MOST_DIMENSIONS];
    bool holds; /* its value is an index, where it is one from 0 to N-1 */
};

struct csp_indices {
    pthread_mutex_t lock;         /* once they are found: looking up compresses paths */
    struct csp_index_nodes nodes; /* its count at most TURNING_MOST; 0: no indices are alike */
    VECTOR(uint8_t) met;          /* by definition: whether, and how */
    VECTOR(struct index_slot) slots;
    uint32_t seed; /* the node of indices */
    uint32_t depth;
    unsigned uses, row; /* of macros; definitions that refer to one another */
};

/* Finds what is alike in all that the assertion reaches; nodes.count is 0 if nothing is.
 * STATUS_LIMIT. Release whatever the status. */
enum status csp_indices_find(struct csp_program *program, const struct csp_assertion *assertion,
                             struct labels *labels, struct csp_indices *indices) MUST_CHECK;
void csp_indices_release(struct csp_indices *indices);

/* Whether what is bound there (a parameter, a range) is an index. Thread-safe, as is the next. */
bool csp_binds_index(struct csp_indices *indices, const void *binder);

/* The label with its indices renumbered; LABEL_REFUSED when refused. */
label csp_turn_label(struct csp_indices *indices, label l, turning by) MUST_CHECK;

/* A value that is an index where it is one of the N. */
static inline uint32_t csp_turn_value(const struct csp_indices *indices, uint32_t slot, turning by)
{
    return slot < indices->nodes.count ? turning_of(by, slot) : slot;
}

#endif
