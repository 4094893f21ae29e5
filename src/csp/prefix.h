/* The moves of prefixes in a valuation: events, outputs, inputs. */
#ifndef CSP_PREFIX_H
#define CSP_PREFIX_H

#include "csp/worker.h"

/* Each appends the moves of a term of its kind, whose words are `at`. */
enum status csp_event_moves(struct csp_worker *worker, term t, const uint32_t *at, size_t length,
                            const uint32_t *slots, struct error *error) MUST_CHECK;
enum status csp_output_moves(struct csp_worker *worker, const uint32_t *at, size_t length,
                             const uint32_t *slots, struct error *error) MUST_CHECK;
enum status csp_input_moves(struct csp_worker *worker, uint32_t closure_number,
                            const uint32_t *slots, struct error *error) MUST_CHECK;

/* The label of a communication over the channel in a slot; `tuple` is its values. */
label csp_channel_label(struct csp_worker *worker, enum label_kind kind, uint32_t slot,
                        const uint32_t *tuple, size_t count) MUST_CHECK;

#endif
