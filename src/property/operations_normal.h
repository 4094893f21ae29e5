/* Normal forms that follow the operations of several threads: their normalised states are sets of
 * possibilities, and what an event makes of a set it makes of each possibility. Here is what all of
 * them do alike: fused events, one after the other; exchanged threads and values; steps that are
 * known already. */
#ifndef PROPERTY_OPERATIONS_NORMAL_H
#define PROPERTY_OPERATIONS_NORMAL_H

#include "base/limits.h"
#include "property/linear_event.h"
#include "property/normal_steps.h"
#include "property/possibilities.h"

struct operations_normal;

struct operations_class {
    /* Adds what the possibilities of a stored set become with an event, an invocation, a response
     * or a point, to the set under construction. */
    enum status (*follow)(struct operations_normal *normal, normal_id from, label l,
                          const struct linear_event *event, struct error *error) MUST_CHECK;

    /* The normalised state that the set under construction is: its number, or NORMAL_NONE, or
     * NORMAL_EVERYTHING. Not `by_response`: it was made of a stored set by a call or a
     * renumbering, which do not choose among possibilities. STATUS_LIMIT. */
    enum status (*finish)(struct operations_normal *normal, bool by_response,
                          normal_id *id) MUST_CHECK;

    /* Renames the values of the possibility under construction; false when refused. Null: the model
     * does not exchange values. */
    bool (*rename)(struct operations_normal *normal, const struct renaming *renaming) MUST_CHECK;
};

struct operations_normal {
    struct normal normal; /* first; its `step` is operations_normal_step */
    const struct operations_class *class;
    struct linear_events events;
    struct normal_steps steps;
    struct operations_normal *of; /* whose steps are used: these, or another thread's */
    struct possibilities possibilities;
    const struct limits *limits; /* looked at while steps are taken; null: not */
    uint32_t taken;              /* possibilities since then */
};

/* The specification and the labels must outlive it. */
void operations_normal_init(struct operations_normal *normal, const struct normal_class *outer,
                            const struct operations_class *class, const struct spec *spec,
                            struct labels *labels, bool points, struct budget *budget);
void operations_normal_release(struct operations_normal *normal);

/* Has one thread use what another has, each with what it works with itself; and when that is over,
 * tells the other of the events that were met. */
void operations_normal_share(struct operations_normal *normal, struct operations_normal *of);
enum status operations_normal_unshare(struct operations_normal *normal) MUST_CHECK;

/* Of normal_class.known, what all have. */
uint64_t operations_normal_known(const struct normal *normal);

void operations_normal_sizes(const struct normal *normal, struct normal_sizes *sizes);

bool operations_normal_known_step(const struct normal *normal, normal_id from, label l,
                                  normal_id *to);
enum status operations_normal_step(struct normal *normal, normal_id from, label l, normal_id *to,
                                   struct error *error) MUST_CHECK;

#endif
