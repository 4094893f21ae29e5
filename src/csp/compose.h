/* The moves of a composition, from those of its components: each by itself, two that communicate
 * over a channel without buffer, all that share an event, termination of all at once.
 *
 * A channel without buffer needs an output and an input of two different components. Both halves
 * travel upwards as moves of their own, with their targets known, and meet in the composition that
 * has the two in different components. */
#ifndef CSP_COMPOSE_H
#define CSP_COMPOSE_H

#include "csp/replace.h"

/* A move with the component's index beside it, while a composition sorts them out. */
struct part_move {
    struct move move;
    uint32_t component;
};

typedef VECTOR(struct part_move) part_moves;

/* Appends the moves of the composition; `parts` are those of its components, one component after
 * the other. */
enum status csp_compose(struct csp_worker *worker, const struct composition *composition,
                        const part_moves *parts, const uint32_t *slots,
                        struct error *error) MUST_CHECK;

#endif
