/* The specification side of linearizability, built directly from a sequential specification as in
 * section 3.2 of Liu, Chen, Liu and Sun (2009), without a process: a normalised state is a set of
 * possibilities, each the object's state and what every thread is about: idle, called, or having
 * taken effect with a result.
 *
 * Events are `inv.OP.thread.arguments` and `res.OP.thread.result`. With linearization points an
 * operation takes effect at `lin.OP.thread.arguments.result` and nowhere else (their Theorem 2), so
 * that there are several possibilities only where the specification has a choice. A point without
 * a call, a second one, and a response without one are errors: they would prove nothing. An answer
 * that is a symbol is part of the name, `res.OP=full.thread`; `lin.OP=?` leaves it to the response.
 * `fault`, and for a `.lin` model `no-point` and `second-point`, are followed by nothing; every
 * other event, termination included, by staying. */
#ifndef PROPERTY_LINEAR_NORMAL_H
#define PROPERTY_LINEAR_NORMAL_H

#include "base/interning.h"
#include "property/normal.h"
#include "spec/spec.h"

/* What an event means, worked out once per label. */
struct linear_event {
    uint8_t kind; /* enum linear_event_kind */
    uint16_t operation;
    uint32_t thread;
    value argument, result;
    bool has_result;
};

enum linear_event_kind {
    LINEAR_UNSEEN, /* not worked out yet */
    LINEAR_OTHER,
    LINEAR_INVOKE,
    LINEAR_RESPOND,
    LINEAR_POINT,
    LINEAR_FAULT,   /* nothing may follow it: `fault`, `no-point`, `second-point` */
    LINEAR_TURN,    /* `turn`, with a label and permutations of threads and of values (turning.h) */
    LINEAR_SEVERAL, /* `inv+res` and the like, with labels for components, one after the other */
};

struct linear_normal {
    struct normal normal;
    const struct spec *spec; /* not owned */
    struct labels *labels;   /* not owned */
    struct budget *budget;
    bool points;
    bool names_are_free; /* an event called `fault` is one of the model; to be set after init */
    struct word_arrays states;          /* of the object: 64-bit words as two of 32 */
    struct word_arrays statuses;        /* of a thread: phase, operation, argument, result */
    struct word_arrays possibilities;   /* state, then thread, status, ... of those not idle */
    struct word_arrays sets;            /* ascending possibilities: the normalised states */
    VECTOR(struct linear_event) events; /* by label */
    struct linear_step *steps;          /* cache, open addressing */
    size_t step_capacity, step_count;
    VECTOR(uint32_t) set;   /* under construction: possibilities */
    VECTOR(uint32_t) marks; /* by possibility: the last set that has it */
    uint32_t mark;
    VECTOR(uint32_t) scratch; /* a possibility under construction */
    VECTOR(uint64_t) words;   /* an object's state */
    struct outcomes outcomes;
    VECTOR(struct normal_edge) edges; /* what the last call of class->edges answered */
};

/* The specification must outlive the normal form. Release with linear_normal_release. */
void linear_normal_init(struct linear_normal *normal, const struct spec *spec,
                        struct labels *labels, bool points, struct budget *budget);
void linear_normal_release(struct linear_normal *normal);

/* Whether labels of this kind have been stepped over. */
bool linear_normal_met(const struct linear_normal *normal, enum linear_event_kind kind);

/* Whether a label is one that linearizability looks at; the others may be treated as τ. */
bool linear_is_visible(const struct labels *labels, label l, bool points);

#endif
