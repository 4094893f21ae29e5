/* The pairs that a refinement has found, as one set or, so that threads can add to it, in parts:
 * those of the states of one part of a graph (space/graph.h) are in one. All of them are kept, or
 * only the minimal ones. */
#ifndef PROPERTY_PAIR_PARTS_H
#define PROPERTY_PAIR_PARTS_H

#include "explore/nodes.h"
#include "property/antichain.h"

struct pair_parts {
    struct budget *budget;
    uint32_t bits;                /* of a state's number: which part it is in */
    struct antichain *antichains; /* by part; null: all pairs are kept */
    struct pairs *pairs;          /* by part; null: only the minimal ones are */
};

extern const struct node_set nodes_are_in_parts; /* of a struct pair_parts */

/* One part. False when refused; release it whatever it answers. */
bool pair_parts_init(struct pair_parts *parts, struct normal *normal, bool minimal,
                     struct budget *budget) MUST_CHECK;
void pair_parts_release(struct pair_parts *parts);

/* Makes it 1 << bits parts with no pairs in them. False when refused: it then has one still. */
bool pair_parts_divide(struct pair_parts *parts, struct normal *normal, uint32_t bits) MUST_CHECK;

/* Has each part ask one of these normal forms, part i normals[i % count]. */
void pair_parts_ask(struct pair_parts *parts, struct normal *const *normals, unsigned count);

/* Before threads add pairs at the same time, if they have one normal form: makes what is looked at
 * of normalised states up to this one. False when refused. */
bool pair_parts_expect(struct pair_parts *parts, uint32_t last) MUST_CHECK;

/* Adds a pair; *fresh: it was not there, nor a smaller one if only the minimal ones are kept. False
 * when refused. Threads may add to different parts that ask different normal forms; or of
 * normalised states that are expected, while nobody takes a step of the normal form. */
bool pair_parts_add(struct pair_parts *parts, uint32_t state, uint32_t normal,
                    bool *fresh) MUST_CHECK;

/* Brings what pair_parts_add looks at first closer. */
void pair_parts_prefetch(const struct pair_parts *parts, uint32_t state);

/* Of minimal pairs: whether this one is kept still. */
bool pair_parts_has(const struct pair_parts *parts, uint32_t state, uint32_t normal);

/* The bytes that they take; of minimal pairs, how many came when a smaller one was there, and how
 * many a smaller one took the place of. */
void pair_parts_tell(const struct pair_parts *parts, size_t *bytes, uint64_t *covered,
                     uint64_t *replaced);

/* Makes these the counts that pair_parts_tell answers, for pairs that were added again. */
void pair_parts_recount(struct pair_parts *parts, uint64_t covered, uint64_t replaced);

/* Pairs that are kept. */
uint64_t pair_parts_count(const struct pair_parts *parts);

#endif
