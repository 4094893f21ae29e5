/* Renumbering the indices of a CSP# state (csp/indices.h): its term, and the slots of its
 * valuation.
 *
 * A term says what it was made of, a process of the model and the constants around it, as far as
 * it was made so; with the indices among these renumbered that gives the term with the indices
 * renumbered. Terms that steps have put together are taken apart.
 *
 * The workers of a model share what is known of its terms: it is read without a lock, and worked
 * out under one, by whoever needs it first. */
#ifndef CSP_TURN_H
#define CSP_TURN_H

#include "csp/indices.h"
#include "csp/terms.h"

/* What is known of a term. */
struct turned_term {
    uint8_t owners; /* a bit for each index in it */
    term alike;     /* of a term with one index: the term with 0 in its place */
    /* Set last, for readers without the lock: */
    atomic_bool has_owners; /* the two above stay as they are */
    _Atomic term arranged;  /* with its components in order, + 1; 0: unknown */
};

struct csp_turn {
    struct csp_terms terms;      /* to make terms in */
    struct csp_indices *indices; /* not owned; null: nothing is alike */
    pthread_mutex_t lock;        /* held by who works something out */
    struct shared_words keys;    /* term and turning: number of `turned` */
    struct blocks turned;        /* _Atomic term: + 1; 0: unknown */
    struct blocks known;         /* struct turned_term, by term */
    VECTOR(uint32_t) cells; /* of each index, as many as of every other: slot * 2 + it holds one */
    uint32_t cells_each;
    VECTOR(term) stack; /* scratch, of who holds the lock */
};

/* STATUS_LIMIT. Release whatever the status. */
enum status csp_turn_create(struct csp_term_pool *pool, struct csp_indices *indices,
                            struct csp_turn *turn) MUST_CHECK;
void csp_turn_release(struct csp_turn *turn);

/* Renumbers the indices of a state, and puts the components of its outermost `|||` in order: by
 * index, those without one last. `scratch` is the caller's, room for a valuation. */
enum status csp_turn_state(struct csp_turn *turn, uint32_t *state, turning by, uint32_t *scratch,
                           struct error *error) MUST_CHECK;

/* The turning after which indices stand in an order that depends on what they are used for, and
 * not on their numbers: the same state for most of those that differ by a turning. */
enum status csp_turn_order(struct csp_turn *turn, const uint32_t *state, turning *by,
                           struct error *error) MUST_CHECK;

#endif
