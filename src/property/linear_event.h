/* What the events of a model say of the operations of a sequential specification: calls, responses,
 * and where they count linearization points, bound to the specification. A fault, or a point out of
 * place, is followed by nothing; every other event, termination included, means nothing. */
#ifndef PROPERTY_LINEAR_EVENT_H
#define PROPERTY_LINEAR_EVENT_H

#include "base/status.h"
#include "base/vector.h"
#include "model/labels.h"
#include "spec/spec.h"

#define LINEAR_MOST_ARGUMENTS 8 /* of a label */

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
    LINEAR_FAULT, /* nothing may follow it: a fault, a point out of place */
    LINEAR_TURN,
    LINEAR_SEVERAL,
};

struct linear_events {
    const struct spec *spec; /* not owned */
    struct labels *labels;   /* not owned */
    bool lists;              /* a result may have several components: it is a list of these */
    bool points;             /* linearization points count */
    VECTOR(struct linear_event) items; /* by label, those met so far */
    uint32_t met;                      /* how many of them */
};

/* The specification and the labels must outlive it. */
void linear_events_init(struct linear_events *events, const struct spec *spec,
                        struct labels *labels, bool points, struct budget *budget);
void linear_events_release(struct linear_events *events);

/* STATUS_INPUT: the event is none of the specification's. */
enum status linear_events_get(struct linear_events *events, label l, struct linear_event *event,
                              struct error *error) MUST_CHECK;

/* Whether what the specification answers agrees with what the event shows; 1 and 0 stand for true
 * and false. */
static inline bool linear_event_agrees(const struct linear_event *event, value given)
{
    if (!event->has_result || given == event->result)
        return true;
    if (given == VALUE_TRUE || given == VALUE_FALSE)
        return event->result == value_small(given == VALUE_TRUE);
    return false;
}

/* STATUS_INPUT: "expected ..., found the event `l`". */
enum status linear_events_complain(const struct linear_events *events, label l, struct error *error,
                                   const char *expected) MUST_CHECK;

/* Has one know the events that another has met. False when refused. */
bool linear_events_merge(struct linear_events *into, const struct linear_events *from) MUST_CHECK;

/* Whether labels of this kind have been met. */
bool linear_events_met(const struct linear_events *events, enum linear_event_kind kind);

/* Whether a call of the operation, an index of the specification's, has been met. */
bool linear_events_call(const struct linear_events *events, size_t operation);

/* Whether a label is one that linearizability looks at; the others may be treated as τ. */
bool linear_is_visible(const struct labels *labels, label l, bool points);

/* How many components an argument takes: "" none, "v" one, "[old new]" two; -1: no events for it.
 */
int linear_argument_count(const struct spec_operation *operation);

#endif
