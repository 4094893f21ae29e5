/* Decides whether numbers can leave in order, the least first: the heart of the priority queue's
 * monitor. O(n log n).
 *
 * A removal of v must happen at a moment that is critical for no smaller value, so it must contain
 * one; a removal that found nothing must contain one that is critical for no value at all. That is
 * enough (Lee and Mathur, OOPSLA 2025, arXiv 2410.04581, for the case of completed operations): let
 * every removal happen at its first such moment, and every add as late as it can, that is, at its
 * last moment, or together with the removal if that comes first. Then w < v is never there at the
 * moment m at which v is removed. For if w was added before m and is removed after it, then m is
 * not critical for w, and it is not before w's critical moments, which begin after the add; so it
 * lies behind them, within w's removal. But all moments of that removal up to the one at which it
 * happens are critical for values smaller than w, and m is critical for none. At one and the same
 * moment, let removals of values that were added earlier come first, the least first; then those
 * that found nothing, and values that are added and removed here; then the other adds.
 *
 * Values are placed from the least to the greatest, with `cover` counting those that are critical
 * at each moment: O(n log n). Equal numbers are one value, so each number that is removed is added
 * once (values.h), and those that are kept are in nobody's way to one another. */
#ifndef MONITOR_PRIORITY_ORDER_H
#define MONITOR_PRIORITY_ORDER_H

#include "base/segment_tree.h"
#include "monitor/moments.h"

struct priority_order {
    struct values values; /* collected by the caller */
    struct limits *limits;
    struct decision *decision;
    struct moments moments;
    struct stay *stays;        /* by element */
    uint32_t *order;           /* elements, least number first */
    uint32_t *remove_at;       /* by element: the moment of its removal, if it has one */
    uint32_t *empty_at;        /* for each of values.empties: a moment at which it found nothing */
    struct segment_tree cover; /* how many of the elements placed are critical at each moment */
    uint32_t blocked;          /* after a violation: where in `order`, or behind it */
};

/* Prepares all but the values, the limits and the decision. False when refused. To be released in
 * any case, the values with it. */
bool priority_order_init(struct priority_order *ranking) MUST_CHECK;
void priority_order_release(struct priority_order *ranking);

/* A cover tree with 0 everywhere. */
void priority_order_clear_cover(const struct priority_order *ranking, struct segment_tree *cover);

/* Adds `change` at the critical moments of an element. */
void priority_order_cover(const struct priority_order *ranking, struct segment_tree *cover,
                          uint32_t element, int32_t change);

/* Places every removal. STEP_VIOLATION: the one of order[blocked] has no moment; or, if that is
 * behind the last one, one that found nothing has none. */
enum step priority_order_place(struct priority_order *ranking);

/* priority_pending.c: the same with the pending removals, which take what is in the way; stays and
 * elements show what. STEP_VIOLATION: reason and evidence are written. */
enum step priority_order_place_pending(struct priority_order *ranking);

/* priority_pending.c: reason and evidence after priority_order_place found a violation within
 * `order`. */
enum step priority_order_explain(struct priority_order *ranking);

#endif
