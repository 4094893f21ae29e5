/* Pending operations of one kind, in the order of their invocations. There may be millions of them,
 * so what is asked of all is found by bisection: they stand in blocks. */
#ifndef STREAM_PENDING_LIST_H
#define STREAM_PENDING_LIST_H

#include "stream/online.h"

#define PENDING_BLOCK SIZE_OR_SMALL(64, 4) /* operations */

struct pending_operation {
    uint64_t invoked; /* when; no two at once */
    uint64_t serial;
};

struct pending_block {
    uint32_t count;
    struct pending_operation items[PENDING_BLOCK];
};

struct pending_list {
    VECTOR(struct pending_block *) blocks; /* none is empty; of two neighbours more than half */
    size_t count;                          /* operations */
};

/* Where an operation stands, until one is added or taken out. */
struct pending_place {
    size_t block;
    uint32_t item;
};

void pending_list_init(struct pending_list *list, struct budget *budget);
void pending_list_release(struct pending_list *list);

/* False when refused. */
bool pending_list_add(struct pending_list *list, uint64_t invoked, uint64_t serial) MUST_CHECK;

/* The first one that was invoked behind that time, the last one in front of it. */
struct pending_place pending_list_behind(const struct pending_list *list, uint64_t time);
struct pending_place pending_list_before(const struct pending_list *list, uint64_t time);

static inline struct pending_place pending_list_first(const struct pending_list *list)
{
    (void)list;
    return (struct pending_place){0, 0};
}

/* The next one. */
struct pending_place pending_list_next(const struct pending_list *list, struct pending_place place);

/* What stands there; null: nothing does. */
static inline const struct pending_operation *pending_list_at(const struct pending_list *list,
                                                              struct pending_place place)
{
    return place.block < list->blocks.length ? &list->blocks.items[place.block]->items[place.item]
                                             : NULL;
}

/* How many were invoked by that time: these, or `most`, in time proportional to that. */
size_t pending_list_by(const struct pending_list *list, uint64_t time, size_t most);

void pending_list_remove(struct pending_list *list, struct pending_place place);

/* As online_class.each. */
bool pending_list_each(const struct pending_list *list, const struct online_visitor *visitor);

void pending_list_archive(struct archive *archive, struct pending_list *list);

#endif
