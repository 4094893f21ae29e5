/* A specification that says as well where its operations wait: for each operation that does so of
 * itself (`await` in a `.lin` file) there is another one, `waits: NAME`, that can happen where NAME
 * cannot, and changes nothing. A history that ends with it is linearizable if some order of what
 * returned, and of some of what did not, leads to a state in which NAME has to wait. */
#ifndef SCENARIO_WAITING_H
#define SCENARIO_WAITING_H

#include "spec/spec.h"

extern const char waiting_prefix[]; /* in front of the name of an operation that waits */

/* Whether some operation of a class waits of itself. */
bool waiting_is_said(const struct spec_class *class);

/* The specification over `inner`, which must outlive it and has no operations that take effect
 * together; owned by the caller (spec_destroy). STATUS_LIMIT when the budget refuses. */
enum status waiting_spec(const struct spec *inner, struct spec **spec,
                         struct error *error) MUST_CHECK;

#endif
