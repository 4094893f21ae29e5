/* A mutable multiset of values, for replays: each value with how often it is there. Open addressing
 * with linear probing; a value that is gone keeps its place until the table grows. (Nothing can be
 * removed from base/table.h, then either.) */
#ifndef SPEC_BAG_H
#define SPEC_BAG_H

#include "spec/spec.h"

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

/* The object of classes whose content is a bag, and their `open` (with the whole of the initial
 * value, or with what of it is the key) and `close`. */
struct spec_object {
    const struct spec *spec;
    struct bag values;
    struct spec_object *replay; /* of the class, where it starts one; closed with the object */
};
struct spec_object *bag_object_open(const struct spec *spec, value key, struct budget *budget);
struct spec_object *bag_object_open_key(const struct spec *spec, value key, struct budget *budget);
void bag_object_close(struct spec_object *object);

#endif
