/* Which slots the terms of a CSP# model may read and write, worked out once per term from compiled
 * code: for its first steps, and for everything it may ever do. Both are upper bounds over all
 * valuations; a reference whose arguments are not constant, and what follows an input, are bounded
 * by the syntax of their definitions instead.
 *
 * The workers of a model share what is known: it is read without a lock, and worked out under one,
 * by whoever needs it first. */
#ifndef CSP_FOOTPRINTS_H
#define CSP_FOOTPRINTS_H

#include "base/shared_words.h"
#include "csp/footprint_syntax.h"
#include "csp/terms.h"
#include "csp/unfold.h"

/* What first steps may be like. */
enum first_step {
    FIRST_TERMINATES = 1 << 0,
    FIRST_COMMUNICATES = 1 << 1, /* over a channel without buffer */
    FIRST_EVENT = 1 << 2,        /* a plain event: || may synchronise it */
    FIRST_ATOMIC = 1 << 3,
    FIRST_CONDITIONAL = 1 << 4, /* which steps there are depends on the valuation */
    FIRST_LABELLED = 1 << 5,    /* an event, with a program or without */
    FIRST_ANY_EVENT = 1 << 6,   /* a plain event of which the label is not known */
};

/* Footprints (csp/footprint_syntax.h) are numbers of `footprints`. */
struct csp_outlook {
    uint32_t next, future;
    uint32_t events;          /* the plain events among its first steps: a set of labels */
    uint32_t body;            /* of a reference that was unfolded: + 1 */
    uint32_t live;            /* number + 1 of a set of slots; 0: unknown */
    uint32_t index, low, set; /* while strongly connected components are found */
    uint8_t progress;         /* enum outlook_progress */
    uint8_t first;            /* enum first_step, several */
    bool collected;           /* while live slots are found */
    /* Set last, for readers without the lock: */
    atomic_bool has_next; /* next and first stay as they are */
    atomic_bool complete; /* and future */
    atomic_bool has_live; /* and live */
};

struct csp_footprints {
    struct csp_terms terms;        /* to unfold references in */
    struct csp_unfolded *unfolded; /* not owned */
    uint32_t words;                /* of a set of slots */
    bool has_atomic;
    pthread_mutex_t lock; /* held by who works something out */
    struct shared_words footprints;
    struct blocks outlooks; /* struct csp_outlook, by term */
    struct csp_mentioned mentioned;
    VECTOR(uint32_t) definitions; /* footprint + 1 of a definition's syntax; 0: unknown */
    VECTOR(uint32_t) instances;   /* of a definition that were unfolded */
    VECTOR(uint32_t) children;    /* stack: term * 2 + is a first step */
    VECTOR(label) events;         /* stack: plain events of first steps */
    VECTOR(uint32_t) stack;       /* terms whose component is not complete */
    VECTOR(uint32_t) sets;        /* a footprint for each of them */
    uint32_t counter;
    atomic_uint worked_out; /* outlooks, and parts of them */
};

/* STATUS_LIMIT. Release whatever the status. */
enum status csp_footprints_create(struct csp_term_pool *pool, struct csp_unfolded *unfolded,
                                  struct csp_footprints *footprints) MUST_CHECK;
void csp_footprints_release(struct csp_footprints *footprints);

/* The outlook of a term, complete. Null when refused. */
const struct csp_outlook *csp_outlook_of(struct csp_footprints *footprints, term t) MUST_CHECK;

/* What the first steps of a term may be like (enum first_step, several). */
enum status csp_first_steps(struct csp_footprints *footprints, term t, uint8_t *first) MUST_CHECK;

/* Those of the kinds above that a component of this kind of composition takes with others. */
static inline uint8_t csp_joint_steps(enum term_kind composition)
{
    return FIRST_TERMINATES | FIRST_COMMUNICATES |
           (composition == TERM_KIND_PARALLEL ? FIRST_EVENT | FIRST_ANY_EVENT : 0);
}

static inline const uint32_t *csp_footprint(const struct csp_footprints *footprints,
                                            uint32_t number)
{
    size_t length;
    return shared_words_get(&footprints->footprints, number, &length);
}

/* For those who work something out of the same terms, with the lock held: */

/* Adds what the node of a term itself accesses, and what its own first steps are like; pushes its
 * children to footprints->children. `only_head`: of what cannot be told in advance only the first
 * steps are asked for. */
enum status csp_term_node(struct csp_footprints *footprints, term t, bool only_head, uint32_t *set,
                          uint8_t *first) MUST_CHECK;

/* What is known of a term; null when refused. */
struct csp_outlook *csp_outlook_reach(struct csp_footprints *footprints, term t) MUST_CHECK;

#endif
