/* The specification side of linearizability, built directly from a sequential specification as in
 * section 3.2 of Liu, Chen, Liu and Sun (2009), without a process: a normalised state is a set of
 * possibilities, each the object's state and what every thread is about: idle, called, or having
 * taken effect with a result.
 *
 * With linearization points an operation takes effect at its point and nowhere else (their Theorem
 * 2), so that there are several possibilities only where the specification has a choice. A point
 * without a call, a second one, and a response without one are errors: they would prove nothing. */
#ifndef PROPERTY_LINEAR_NORMAL_H
#define PROPERTY_LINEAR_NORMAL_H

#include "property/linear_possibilities.h"

/* The specification must outlive the normal form. Release with linear_normal_release. */
void linear_normal_init(struct linear_normal *normal, const struct spec *spec,
                        struct labels *labels, bool points, struct budget *budget);
void linear_normal_release(struct linear_normal *normal);

/* Whether what has happened can be explained so that none of these threads (bit i: thread i) has
 * taken effect, and each waits: its operation is one that waits, and not enabled in the state that
 * the object is in then. No threads: not. STATUS_LIMIT. */
enum status linear_normal_waits(struct linear_normal *normal, normal_id id, uint64_t threads,
                                bool *waits) MUST_CHECK;

#endif
