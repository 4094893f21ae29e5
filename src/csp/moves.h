/* What a term may do in a valuation. */
#ifndef CSP_MOVES_H
#define CSP_MOVES_H

#include "csp/worker.h"

/* Makes worker->moves those of a term in the valuation `slots`. STATUS_INPUT: a run-time fault of
 * the model, with its place. */
enum status csp_moves(struct csp_worker *worker, term t, const uint32_t *slots,
                      struct error *error) MUST_CHECK;

/* The body of a reference for its arguments in this valuation. */
enum status csp_body_of(struct csp_worker *worker, term t, const uint32_t *slots, term *body,
                        struct error *error) MUST_CHECK;

#endif
