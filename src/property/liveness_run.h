/* What liveness.c found, as a run: a short way to the component, and a loop in it. */
#ifndef PROPERTY_LIVENESS_RUN_H
#define PROPERTY_LIVENESS_RUN_H

#include "property/product.h"

/* Looks for a run that is fair and accepted among `count` nodes, each of which leads to each other;
 * writes it to `result`, and sets result->too_many where it cannot be told which processes take
 * part. Nothing is added to the product by this or after it unless there is no such run.
 * STATUS_LIMIT. */
enum status liveness_run_find(struct product *product, const struct liveness_options *options,
                              const node_id *nodes, size_t count, struct liveness *result,
                              bool *found) MUST_CHECK;

/* Writes the way to product->faulty. */
enum status liveness_run_to_fault(struct product *product, struct liveness *result) MUST_CHECK;

#endif
