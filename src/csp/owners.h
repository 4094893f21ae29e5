/* Who takes part in the events of `||`, and its components where some are `||` themselves.
 *
 * In `(A || B) || C` an event is one of all of A, B and C whose alphabets have it, as in
 * `A || B || C`, where the alphabet of `A || B` is the union of theirs (#alphabet may say
 * otherwise). Such a composition is taken apart: its leaves are A, B and C. Whoever reduces looks
 * at leaves; the processes that people are shown, and fairness, stay those of the composition. */
#ifndef CSP_OWNERS_H
#define CSP_OWNERS_H

#include "base/interning.h"
#include "csp/terms.h"

struct csp_owned {
    uint32_t alphabets;
    label label;
    uint64_t owners;
};

/* What is known of alphabets; each worker has its own. */
struct csp_owners {
    struct word_arrays alphabets;   /* label sets in a row */
    VECTOR(uint8_t) unions;         /* by these: whether the first is the union of the others */
    VECTOR(struct csp_owned) known; /* of a row and a label */
    struct table numbers;
};

void csp_owners_init(struct csp_owners *owners, struct budget *budget);
void csp_owners_release(struct csp_owners *owners);

#define OWNERS_MOST 63 /* components in a row of which owners are asked for */

/* The number of a row of alphabets; UINT32_MAX when refused. */
uint32_t csp_alphabets(struct csp_owners *owners, const uint32_t *sets, size_t count) MUST_CHECK;

/* Bit i: alphabet i of at most OWNERS_MOST has the label. */
enum status csp_owners_of(struct csp_owners *owners, const struct csp_terms *terms,
                          uint32_t alphabets, label l, uint64_t *found) MUST_CHECK;

/* How many leaves a composition `||` has; 0: it is not taken apart, because no component is a `||`,
 * some alphabet is no union, or there would be more than OWNERS_MOST. STATUS_LIMIT. */
enum status csp_leaves(struct csp_owners *owners, const struct csp_terms *terms, term t,
                       uint32_t *count) MUST_CHECK;

/* How many leaves a component of one that is taken apart is or has. */
uint32_t csp_leaves_within(const struct csp_terms *terms, term component);

/* Appends the leaves of one that is taken apart to `leaves`, and their alphabets to `sets`. */
typedef VECTOR(uint32_t) csp_leaf_list;
bool csp_leaves_list(const struct csp_terms *terms, term t, csp_leaf_list *leaves,
                     csp_leaf_list *sets) MUST_CHECK;

/* The component that a leaf belongs to. */
uint32_t csp_leaf_component(const struct csp_terms *terms, term t, uint32_t leaf);

#endif
