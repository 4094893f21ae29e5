/* The concurrency relation: which places can hold tokens at the same time, as far as an
 * over-approximation of the reachable markings tells.
 *
 * A pair of tokens is possible if no reason is known why not: the relation is the least that holds
 * of the initial markings and is kept by every transition whose own takes are possible two by two.
 * A place that is possible with nothing is never marked; places that exclude one another, and
 * themselves, are the states of one component (of a net of threads the shared state). Of a
 * reachable marking every two tokens are a possible pair; a proof is in
 * docs/internals/coverability.md. */
#ifndef PETRI_CONCURRENCY_H
#define PETRI_CONCURRENCY_H

#include "base/limits.h"
#include "base/status.h"
#include "petri/net.h"
#include "petri/symmetric_bits.h"

struct concurrency {
    struct budget *budget;
    size_t places;
    struct symmetric_bits rows; /* q in the row of p: one token in each; p in its own: two */
    struct bits live;           /* places that may hold a token */
};

/* STATUS_LIMIT when memory is refused or the limits (may be null) are reached; release anyway. */
enum status concurrency_find(const struct net *net, struct budget *budget,
                             const struct limits *limits, struct concurrency *pairs) MUST_CHECK;
void concurrency_release(struct concurrency *pairs);

/* Whether one token in p and one in q (another one, if that is p) may lie in the net together. */
static inline bool concurrency_has(const struct concurrency *pairs, uint32_t p, uint32_t q)
{
    return symmetric_bits_get(&pairs->rows, p, q);
}

/* Whether a marking with at least these tokens may be reachable. */
bool concurrency_allow(const struct concurrency *pairs, struct arcs marking);

#endif
