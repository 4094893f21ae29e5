/* Operations of one kind that are pending, or have run for long, in the order of their invocations,
 * which is that of their serial numbers. There may be millions of them: they stand in blocks, each
 * as the difference from the one before it, some three to five bytes, and what is asked of all is
 * found by bisection. A block is read as a whole. */
#ifndef STREAM_PENDING_LIST_H
#define STREAM_PENDING_LIST_H

#include "stream/online.h"

#define PENDING_BLOCK SIZE_OR_SMALL(64, 4) /* operations */

struct pending_operation {
    uint64_t invoked; /* when; no two at once */
    uint64_t serial : 63;
    uint64_t pending : 1; /* it never completes; else it runs */
    uint64_t detail;      /* the user's */
};

struct pending_block {
    uint64_t first, last, last_serial; /* when its first and its last one were invoked */
    uint8_t *bytes;
    uint32_t length, capacity; /* bytes */
    uint32_t count, live;      /* live: that run */
};

struct pending_list {
    VECTOR(struct pending_block) blocks; /* none is empty; of two neighbours more than half */
    size_t count;                        /* operations */
    uint64_t since; /* when the first one was invoked that runs; UINT64_MAX: none does */
    struct pending_operation last; /* if `ends`: the last one */
    bool ends;
};

/* A place in a list, with the block around it: until the list changes. */
struct pending_walk {
    const struct pending_list *list;
    size_t block;
    uint32_t item, count;
    struct pending_operation items[PENDING_BLOCK];
};

void pending_list_init(struct pending_list *list, struct budget *budget);
void pending_list_release(struct pending_list *list);

/* Adds one of another time and serial number than all others, of which those that were invoked
 * before it have smaller ones. False when refused: the list is as it was. */
bool pending_list_add(struct pending_list *list,
                      const struct pending_operation *operation) MUST_CHECK;

/* The first one, the last; the first one that was invoked behind that time, the last in front of
 * it. */
void pending_list_first(const struct pending_list *list, struct pending_walk *walk);
void pending_list_last(const struct pending_list *list, struct pending_walk *walk);
void pending_list_behind(const struct pending_list *list, uint64_t time, struct pending_walk *walk);
void pending_list_before(const struct pending_list *list, uint64_t time, struct pending_walk *walk);

/* The one of that serial number; false: it is not there. */
bool pending_list_find(const struct pending_list *list, uint64_t serial, struct pending_walk *walk);

/* The next one, the one before. */
void pending_walk_next(struct pending_walk *walk);
void pending_walk_back(struct pending_walk *walk);

/* What stands there; null: nothing does. */
static inline const struct pending_operation *pending_walk_at(const struct pending_walk *walk)
{
    return walk->item < walk->count ? &walk->items[walk->item] : NULL;
}

/* When the first one was invoked; UINT64_MAX: there is none. */
static inline uint64_t pending_list_oldest(const struct pending_list *list)
{
    return list->count ? list->blocks.items[0].first : UINT64_MAX;
}

/* How many were invoked by that time: these, or `most`, in time proportional to that. */
size_t pending_list_by(const struct pending_list *list, uint64_t time, size_t most);

/* Takes out what stands there; what ran there is pending from now on. The walk is of no more use.
 */
void pending_list_remove(struct pending_list *list, struct pending_walk *walk);
void pending_list_stays(struct pending_list *list, struct pending_walk *walk);

/* As online_class.each. */
bool pending_list_each(const struct pending_list *list, const struct online_visitor *visitor);

/* `values`: the details are values. */
void pending_list_archive(struct archive *archive, struct pending_list *list, bool values);

#endif
