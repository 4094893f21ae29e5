/* Reads a container's history value by value, for the monitors of queue, stack and priority queue.
 * Each value that is removed is added once, so every operation belongs to one element:
 *
 *     add  [ai --- ar]              ai, ar: the add's invocation and response
 *     remove      [ri ----- rr]     ri, rr: the removal's; all POSITION_NEVER if never removed
 *
 * Positions are the part's, moved up by `base` to make room for the initial contents, whose adds
 * take positions 0 .. base-1 (one each, invocation and response at once). The argument for each
 * step is in docs/internals/monitors.md. */
#ifndef MONITOR_VALUES_H
#define MONITOR_VALUES_H

#include "monitor/decision.h"
#include "monitor/numbering.h"
#include "monitor/step.h"

#define INTERVAL_NONE UINT32_MAX
#define ELEMENT_NONE  UINT32_MAX

/* How a class of specifications is seen as a container. */
struct container {
    const char *add, *remove;    /* operations */
    const char *added, *removed; /* participles, for reasons: "enqueued", "dequeued" */
    const char *object;          /* "queue" */
    bool newest_first;           /* the initial contents come out last in, first out */
};

/* A value's life, tightened: the add is over when the removal is (ar <= rr), and the removal does
 * not start before the add (ri >= ai). If ar < ri the value is certainly inside at every point
 * strictly between the two: its critical interval. */
struct element {
    uint32_t add_invoke, add_response;
    uint32_t remove_invoke, remove_response;
    uint32_t add;    /* interval, INTERVAL_NONE for the initial contents */
    uint32_t remove; /* interval, INTERVAL_NONE if never removed */
};

struct values {
    const struct part *part;
    const struct container *container;
    struct limits *limits;
    struct arena arena;
    uint32_t base;
    uint32_t positions; /* base + part->positions */
    VECTOR(struct element) elements;
    value *initial; /* `base` values, in the order in which they would be removed */

    /* Whose event stands at a position; ELEMENT_NONE for the others: removals that found the
     * container empty, pending removals, pending adds whose value nobody removed (they are left
     * out: such an add need not have happened). */
    uint32_t *at;

    uint32_t *empties; /* intervals of removals that found it empty, by invocation */
    uint32_t empty_count;
    uint32_t *pending_removes; /* intervals, by invocation; what they removed is not known */
    uint32_t pending_remove_count;

    /* After values_place_empties: the distinct points at which the container is empty, ascending
     * (with `base`), and for each of `empties` the index of its point, ascending too. */
    uint32_t *cuts;
    uint32_t cut_count;
    uint32_t *empty_cut;
};

/* Reads the part. Inapplicable: a completed removal whose result is not known, a pending one whose
 * result is, a removed value that is added twice. A violation: a value removed twice, or never
 * added, or removed before its add began. `decision` and `why` may be null (then a violation is
 * STEP_READY, with elements that are not to be used). To be released whatever the outcome. */
enum step values_collect(struct values *values, const struct part *part,
                         const struct container *container, struct limits *limits,
                         struct decision *decision, struct inapplicable *why);
void values_release(struct values *values);

/* Finds a point for each removal that found the container empty: one within it that lies in no
 * critical interval, and before which no more values that are never removed were added than
 * pending removals were invoked (so without pending removals: none). Sufficient, too, for the queue
 * (see there). STEP_READY, _VIOLATION or _REFUSED; `decision` is not null. */
enum step values_place_empties(struct values *values, struct decision *decision);

/* The value of an element, and appending it to a text. */
value values_value(const struct values *values, const struct element *element);
void values_print(const struct values *values, const struct element *element, struct text *text);

/* Append to the evidence: an element's operations; every completed
 * removal that was invoked before `position` (with base). The latter belong to a violation that
 * rests on a value never being removed: any removal that is turned pending might have taken it.
 * False when refused. */
bool values_show(const struct element *element, struct decision *decision) MUST_CHECK;
bool values_show_removals(const struct values *values, uint32_t position,
                          struct decision *decision) MUST_CHECK;

/* A violation whatever the pending removals took: `what` says of what. The evidence is all that
 * completed. */
enum step values_explain_pending(const struct values *values, struct decision *decision,
                                 const char *what);

#endif
