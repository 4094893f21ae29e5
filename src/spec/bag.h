/* A mutable multiset of values, for replays: each value with how often it is there. Open addressing
 * with linear probing; a value that is gone keeps its place until the table grows. (Nothing can be
 * removed from base/table.h, then either.) */
#ifndef SPEC_BAG_H
#define SPEC_BAG_H

#include "base/memory.h"
#include "value/value.h"

struct bag_slot {
    value value; /* nil: free */
    uint64_t count;
};

struct bag {
    struct budget *budget;
    struct bag_slot *slots;
    size_t capacity; /* a power of two, or 0 */
    size_t used;     /* slots that are not free, at most half of them */
    uint64_t size;   /* of the multiset */
};

/* A bag with the items of a list or set, or, unless `key` is nil, with those that are the key;
 * false, and the bag is empty, when refused. */
bool bag_open(struct bag *bag, value items, value key, struct budget *budget) MUST_CHECK;
/* Any value but nil; false when refused. */
bool bag_add(struct bag *bag, value v) MUST_CHECK;
/* False, and nothing changes, if v is not there. */
bool bag_remove(struct bag *bag, value v) MUST_CHECK;
uint64_t bag_count(const struct bag *bag, value v);
/* The values in ascending order, each as often as it is there; for `bag->size` of them. */
void bag_list(const struct bag *bag, value *values);
void bag_release(struct bag *bag);

#endif
