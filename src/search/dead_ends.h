/* Keeps the dead ends that got furthest: configurations at which no operation could follow. They
 * explain a violation.
 *
 * The order that led to such a configuration is at first the same as the order that the search is
 * building (the trail). Before the trail is cut, what is lost of an order is put aside, last
 * operation first; so remembering an order costs no more than building it did. */
#ifndef SEARCH_DEAD_ENDS_H
#define SEARCH_DEAD_ENDS_H

#include "monitor/decision.h"
#include "search/plan.h"

#define DEAD_ENDS_MOST 8

struct dead_end {
    uint32_t event; /* of the response that could not be reached */
    uint32_t state;
    uint32_t length;             /* of the order */
    uint32_t shared;             /* this much of it is still on the trail */
    VECTOR(uint32_t) aside;      /* the rest, last operation first */
    VECTOR(uint32_t) operations; /* none of which could follow */
};

struct dead_ends {
    struct budget *budget;
    struct dead_end items[DEAD_ENDS_MOST];
    uint32_t count;
    uint32_t shared; /* the most that any of them shares */
};

void dead_ends_init(struct dead_ends *list, struct budget *budget);
void dead_ends_release(struct dead_ends *list);

/* Whether an order of `length` that ends before the response `event` would be kept: further events
 * come first, then longer orders. */
bool dead_ends_is_wanted(const struct dead_ends *list, uint32_t event, uint32_t length);

/* Keeps the order that the trail now holds; `operations` cannot follow. False when a budget
 * refuses. */
bool dead_ends_keep(struct dead_ends *list, uint32_t event, uint32_t state, uint32_t length,
                    const uint32_t *operations, uint32_t operation_count) MUST_CHECK;

/* The length of the longest order kept, at least `length`. */
uint32_t stuck_length(const struct dead_ends *list, uint32_t length);

/* To be called before the trail is cut to `length`. False when a budget refuses. */
bool dead_ends_put_aside(struct dead_ends *list, const uint32_t *trail, uint32_t length) MUST_CHECK;

/* Writes reason, evidence and partials, when the trail is empty again. `all`: every order was
 * followed to its end, so that what is said of the furthest holds for any. False when a budget
 * refuses. */
bool dead_ends_report(struct dead_ends *list, const struct plan *plan,
                      struct transitions *transitions, bool all,
                      struct decision *decision) MUST_CHECK;

#endif
