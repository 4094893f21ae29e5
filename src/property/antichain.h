/* Pairs (implementation state, normalised state) of which only the minimal are kept: whatever a
 * larger normalised state can fail to follow, a smaller one with the same implementation state
 * fails to follow too (Wang and others 2012; Laveaux, Groote and Willemse 2021: insert when a pair
 * is found, not when it is taken up).
 *
 * Nearly every implementation state has one minimal normalised state: that stands where otherwise
 * the number of a list would, in as many bits as such numbers need. */
#ifndef PROPERTY_ANTICHAIN_H
#define PROPERTY_ANTICHAIN_H

#include "base/blocks.h"
#include "base/packed_numbers.h"
#include "property/normal.h"
#include "space/state_table.h"

struct antichain_list {
    normal_id *items;
    uint32_t count, capacity;
};

struct antichain {
    struct budget *budget;
    struct normal *normal;               /* not owned */
    struct packed_numbers rows;          /* by implementation state; see antichain.c */
    VECTOR(struct antichain_list) lists; /* of two and more */
    struct blocks signatures; /* by normalised state, _Atomic uint64_t: what tells that one is no
                                 part; 0: mostly not known */
    uint64_t count;           /* pairs kept */
    uint64_t covered;         /* that came when a smaller one was there */
    uint64_t replaced;        /* that a smaller one took the place of */
    struct antichain *signer; /* whose signatures are used: it, or another's */
    size_t signed_below;      /* the signatures of all with smaller numbers are known */
};

void antichain_init(struct antichain *antichain, struct normal *normal, struct budget *budget);
void antichain_release(struct antichain *antichain);

/* Has it use the signatures of another, or its own as others do, which must stay where it is:
 * threads may then add to both at the same time, if they ask normal forms of their own, or what
 * antichain_sign was told of. */
void antichain_share(struct antichain *antichain, struct antichain *signer);

/* Has it ask another normal form, with the same normalised states: that of the thread that will add
 * to it. */
void antichain_ask(struct antichain *antichain, struct normal *normal);

/* For threads that have one normal form: makes the signatures of all normalised states up to this
 * one, so that antichain_add only looks at them. False when refused. */
bool antichain_sign(struct antichain *signer, normal_id last) MUST_CHECK;

/* Brings what antichain_add looks at first closer. */
static inline void antichain_prefetch(const struct antichain *antichain, state_id state)
{
    packed_numbers_fetch(&antichain->rows, state);
}

/* Adds a pair unless a smaller or equal one is kept; drops the larger ones. *fresh: it was added.
 * False when refused. */
bool antichain_add(struct antichain *antichain, state_id state, normal_id normal,
                   bool *fresh) MUST_CHECK;

size_t antichain_bytes(const struct antichain *antichain);

/* Whether the pair is kept still. */
bool antichain_has(const struct antichain *antichain, state_id state, normal_id normal);

#endif
