/* Which slots the terms of a CSP# model may read and write, worked out once per term from compiled
 * code: for its first steps, and for everything it may ever do. Both are upper bounds over all
 * valuations; a reference whose arguments are not constant, and what follows an input, are bounded
 * by the syntax of their definitions instead. */
#ifndef CSP_FOOTPRINTS_H
#define CSP_FOOTPRINTS_H

#include "csp/terms.h"

/* What first steps may be like. */
enum first_step {
    FIRST_TERMINATES = 1 << 0,
    FIRST_COMMUNICATES = 1 << 1, /* over a channel without buffer */
    FIRST_EVENT = 1 << 2,        /* a plain event: || may synchronise it */
    FIRST_ATOMIC = 1 << 3,
    FIRST_CONDITIONAL = 1 << 4, /* which steps there are depends on the valuation */
    FIRST_LABELLED = 1 << 5,    /* an event, with a program or without */
};

/* Footprints are numbers of `footprints`: a bit set of slots read, then one of slots written, in
 * words of 32 bits, which is what is interned. Slots are the model's: 0 is the term. */
struct csp_outlook {
    uint32_t next, future;
    uint32_t body;            /* of a reference that was unfolded: + 1 */
    uint32_t live;            /* number + 1 of a set of slots; 0: unknown */
    uint32_t index, low, set; /* while strongly connected components are found */
    uint8_t progress;         /* enum outlook_progress */
    bool has_next;
    bool collected; /* while live slots are found */
    uint8_t first;  /* enum first_step, several */
};

struct csp_footprints {
    struct csp_terms *terms;
    uint32_t words; /* of a set of slots */
    bool has_atomic;
    struct word_arrays footprints;
    VECTOR(struct csp_outlook) outlooks; /* by term */
    VECTOR(uint32_t) definitions;        /* footprint + 1 of a definition's syntax; 0: unknown */
    VECTOR(uint32_t) instances;          /* of a definition that were unfolded */
    VECTOR(uint8_t) marks;               /* macros, then definitions: met in this walk */
    VECTOR(uint32_t) children;           /* stack: term * 2 + is a first step */
    VECTOR(uint32_t) stack;              /* terms whose component is not complete */
    VECTOR(uint32_t) sets;               /* a footprint for each of them */
    uint32_t counter;
};

enum status csp_footprints_create(struct csp_terms *terms,
                                  struct csp_footprints *footprints) MUST_CHECK;
void csp_footprints_release(struct csp_footprints *footprints);

/* The outlook of a term, complete; valid until the next call. Null when refused. */
const struct csp_outlook *csp_outlook_of(struct csp_footprints *footprints, term t) MUST_CHECK;

/* What the first steps of a term may be like (enum first_step, several). */
enum status csp_first_steps(struct csp_footprints *footprints, term t, uint8_t *first) MUST_CHECK;

/* Those of the kinds above that a component of this kind of composition takes with others. */
static inline uint8_t csp_joint_steps(enum term_kind composition)
{
    return FIRST_TERMINATES | FIRST_COMMUNICATES |
           (composition == TERM_KIND_PARALLEL ? FIRST_EVENT : 0);
}

static inline const uint32_t *csp_footprint(const struct csp_footprints *footprints,
                                            uint32_t number)
{
    return footprints->footprints.items.items[number] + 1;
}

/* The slots whose value the term may read before it writes them, in any future: a bit set, valid as
 * long as the footprints. */
enum status csp_live_slots(struct csp_footprints *footprints, term t,
                           const uint32_t **live) MUST_CHECK;

/* Adds what the node of a term itself accesses, and what its own first steps are like; pushes its
 * children to footprints->children. `only_head`: of what cannot be told in advance only the first
 * steps are asked for. */
enum status csp_term_node(struct csp_footprints *footprints, term t, bool only_head, uint32_t *set,
                          uint8_t *first) MUST_CHECK;

/* Room in `outlooks` for a term. */
bool csp_outlook_room(struct csp_footprints *footprints, term t) MUST_CHECK;

/* Adds what a piece of syntax mentions to a footprint of 2 * words. */
enum status csp_syntax_footprint(struct csp_footprints *footprints,
                                 const struct csp_process *process, bool only_head,
                                 uint32_t *set) MUST_CHECK;

/* Adds `count` slots of the program to a footprint. */
void csp_footprint_add(const struct csp_footprints *footprints, uint32_t *set, uint32_t first,
                       uint32_t count, bool write);

/* Adds what code reads and writes. */
void csp_footprint_add_code(struct csp_footprints *footprints, code_id code, uint32_t *set);

#endif
