/* Compositions of processes, and what they become when components of them have moved. */
#ifndef CSP_REPLACE_H
#define CSP_REPLACE_H

#include "csp/worker.h"

struct composition {
    term t;
    enum term_kind kind; /* INTERLEAVE, PARALLEL or COPIES */
    uint32_t count;      /* of components; copies at one term are one */
};

struct composition csp_composition(const struct csp_worker *worker, term t);

/* The term of component i. */
term csp_component(const struct csp_worker *worker, const struct composition *composition,
                   uint32_t i);

/* How many processes stand behind component i: more than one only of copies. */
uint32_t csp_component_count(const struct csp_worker *worker, const struct composition *composition,
                             uint32_t i);

/* Adds the move with the components `gone`, one or two, become the terms `come`: of copies, one of
 * each, and a move for each number that may stay. */
enum status csp_add_replaced(struct csp_worker *worker, const struct composition *composition,
                             struct move move, const uint32_t *gone, const term *come,
                             size_t count) MUST_CHECK;

#endif
