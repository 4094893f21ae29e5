/* The result of deciding a part: the verdict, with a linearization, or with the evidence of a
 * violation and how far its orders got. Every engine (monitors, search, definition) is a `decide`
 * function that fills one in. */
#ifndef MONITOR_DECISION_H
#define MONITOR_DECISION_H

#include "base/limits.h"
#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "history/part.h"

enum verdict {
    VERDICT_LINEARIZABLE,
    VERDICT_VIOLATION,
    VERDICT_UNKNOWN,
};

/* How far an order of the part's operations got (search only). All numbers index part->intervals.
 */
struct partial_linearization {
    uint32_t *order; /* operations in a legal order; owned by the decision's arena */
    uint32_t length;
    uint32_t *stuck; /* operations that had to come next and none of which could */
    uint32_t stuck_length;
    char *state; /* the object's state after `order`, for people */
};

#define DECISION_SPOKEN 8 /* operations that a picture has room for */

/* Numbers index part->intervals throughout. */
struct decision {
    enum verdict verdict;
    enum limit limit;  /* VERDICT_UNKNOWN: which limit was reached, ... */
    uint32_t furthest; /* ... and how many operations were put in order at most; 0: not said */

    /* VERDICT_LINEARIZABLE: the operations in a legal order that respects precedence; pending ones
     * that did not happen are left out. */
    VECTOR(uint32_t) linearization;

    /* VERDICT_VIOLATION: one sentence in the object's own terms, and operations among which the
     * violation is to be found (where the core is looked for first; not yet minimal). */
    struct text reason;
    bool
        vague; /* the reason cannot say which of two is at fault; a sentence about the core might */
    VECTOR(uint32_t) evidence;
    uint32_t spoken[DECISION_SPOKEN]; /* what the reason speaks of, where other evidence backs it */
    uint32_t spoken_count;            /* 0: it speaks of all the evidence */
    VECTOR(struct partial_linearization) partials; /* longest first; may be empty */

    struct arena arena;
    uint64_t explored; /* configurations (search), steps otherwise; for reports */
};

void decision_init(struct decision *decision, struct budget *budget);
void decision_release(struct decision *decision);
/* Back to VERDICT_UNKNOWN and empty, keeping room. */
void decision_clear(struct decision *decision);

/* Makes the verdict VERDICT_LINEARIZABLE by this order, which is copied. False when refused. */
bool decision_linearize(struct decision *decision, const uint32_t *order, size_t length) MUST_CHECK;

/* The reason speaks of the evidence so far, or the first of it; what follows only backs it. */
void decision_spoken(struct decision *decision);

/* Turns a refused allocation or a reached limit into VERDICT_UNKNOWN with its limit; returns
 * STATUS_OK, so that an engine can end with `return decision_limit(...)`. */
enum status decision_limit(struct decision *decision, const struct limits *limits);

/* A way of deciding. STATUS_OK: the verdict is in `decision` (perhaps VERDICT_UNKNOWN with a
 * limit). Engines keep no state between calls and may run in several threads at once. */
typedef enum status decide(const struct part *part, struct limits *limits,
                           struct decision *decision, struct error *error);

#endif
