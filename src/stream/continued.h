/* A specification that goes on where a history has been cut: from any of the configurations that
 * its past left, in which operations may have taken effect that run on. What is kept of a history,
 * seen with it, is a history like any other. */
#ifndef STREAM_CONTINUED_H
#define STREAM_CONTINUED_H

#include "spec/spec.h"

/* An operation that ran at the cut. In the history that goes on it has a process of its own. */
struct continued_call {
    uint32_t process; /* of its own */
    uint32_t caller;  /* the one that it was, for the specification */
};

struct continued;

/* Without any configuration; the specification must outlive it. `keyed`: keys are told apart as
 * `inner` does; else all is one object. Null when refused. */
struct continued *continued_create(const struct spec *inner, bool keyed, struct budget *budget);

/* Adds a configuration: a state, and the operations that have taken effect. False when refused. */
bool continued_add(struct continued *continued, const uint64_t *state, size_t length,
                   const struct continued_call *taken, size_t count) MUST_CHECK;

/* The specification, to be destroyed with spec_destroy, together with `continued`. Null when
 * refused: `continued` then is destroyed. */
struct spec *continued_spec(struct continued *continued);

#endif
