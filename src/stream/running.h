/* Operations of one kind that run or are pending, in the order of their invocations: numbers that
 * stay until an operation is taken out, in constant time each. Those that have run for long may be
 * set aside, if there are some: they stand in a list of their own (pending_list.h), in front of all
 * others, and are found there by their serial numbers. */
#ifndef STREAM_RUNNING_H
#define STREAM_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linked.h"
#include "stream/pending_list.h"

#define RUNNING_NONE LINKED_NONE
#define RUNNING_FEW  SIZE_OR_SMALL(16, 1) /* of so many none is set aside */

struct running_operation {
    uint64_t invoked; /* when */
    uint64_t serial : 63;
    uint64_t pending : 1;   /* it never completes, and may take effect any time */
    uint64_t detail;        /* the user's */
    uint32_t before, after; /* RUNNING_NONE: it is the first, the last; after: of those that are
                               free the next */
};

struct running {
    VECTOR(struct running_operation) items;
    uint32_t first, last, free, live; /* live: nothing in front of it completes */
    size_t count;                     /* with those that were set aside: */
    struct pending_list aside;        /* all were invoked before `first` */
};

static inline void running_init(struct running *running, struct budget *budget)
{
    vector_init(&running->items, budget);
    pending_list_init(&running->aside, budget);
    running->first = running->last = running->free = running->live = RUNNING_NONE;
    running->count = 0;
}

static inline void running_release(struct running *running)
{
    vector_release(&running->items);
    pending_list_release(&running->aside);
    running_init(running, running->items.budget);
}

/* Forgets all, and keeps the room. */
static inline void running_clear(struct running *running)
{
    pending_list_release(&running->aside);
    running->items.length = running->count = 0;
    running->first = running->last = running->free = running->live = RUNNING_NONE;
}

/* One that is in no order yet; RUNNING_NONE when refused. */
static inline uint32_t running_take(struct running *running, uint64_t now, uint64_t serial)
{
    uint32_t number = running->free;
    if (number == RUNNING_NONE) {
        number = (uint32_t)running->items.length;
        if (!vector_reserve(&running->items, running->items.length + 1))
            return RUNNING_NONE;
        running->items.length++;
    } else {
        running->free = running->items.items[number].after;
    }
    running->items.items[number] = (struct running_operation){.invoked = now, .serial = serial};
    running->count++;
    return number;
}

/* Adds one that is invoked now, later than all others; RUNNING_NONE when refused. */
static inline uint32_t running_add(struct running *running, uint64_t now, uint64_t serial)
{
    const uint32_t number = running_take(running, now, serial);
    if (number == RUNNING_NONE)
        return RUNNING_NONE;
    LINKED_APPEND(running, running->items.items, number);
    if (running->live == RUNNING_NONE)
        running->live = number;
    return number;
}

/* Takes out one that was not set aside. */
static inline void running_remove(struct running *running, uint32_t number)
{
    struct running_operation *gone = &running->items.items[number];
    if (running->live == number)
        running->live = gone->after;
    LINKED_REMOVE(running, running->items.items, number);
    *gone = (struct running_operation){.after = running->free};
    running->free = number;
    running->count--;
}

/* Where an operation stands that was added with that handle; null: it was set aside. */
static inline struct running_operation *running_at(const struct running *running, uint32_t handle,
                                                   uint64_t serial)
{
    struct running_operation *at = running->items.items + handle;
    return handle < running->items.length && at->invoked && at->serial == serial ? at : NULL;
}

/* What is known of the one with that handle and serial number, wherever it is; the same, and it is
 * taken out. Whoever has lost the handle gives RUNNING_NONE: then those that were not set aside are
 * gone through. */
struct pending_operation running_find(const struct running *running, uint32_t handle,
                                      uint64_t serial);
struct pending_operation running_end(struct running *running, uint32_t handle, uint64_t serial);

/* It never completes. */
void running_stays(struct running *running, uint32_t handle, uint64_t serial);

/* Sets aside the one with that handle and serial number, and all in front of it, if it is worth
 * it. False when refused: then only some of them may be. */
bool running_set_aside(struct running *running, uint32_t handle, uint64_t serial,
                       enum online_drops drops) MUST_CHECK;

/* When the first one was invoked that may complete; UINT64_MAX: none may. */
static inline uint64_t running_since(struct running *running)
{
    if (running->aside.since != UINT64_MAX)
        return running->aside.since;
    while (running->live != RUNNING_NONE && running->items.items[running->live].pending)
        running->live = running->items.items[running->live].after;
    return running->live == RUNNING_NONE ? UINT64_MAX : running->items.items[running->live].invoked;
}

/* When the first one was invoked; UINT64_MAX: there is none. */
static inline uint64_t running_oldest(const struct running *running)
{
    return running->aside.count             ? pending_list_oldest(&running->aside)
           : running->first != RUNNING_NONE ? running->items.items[running->first].invoked
                                            : UINT64_MAX;
}

/* Goes through all in their order, from any place, until one is added or taken out. */
struct running_walk {
    const struct running *running;
    uint32_t number; /* RUNNING_NONE: it is among those that were set aside, or there is none */
    bool is_aside;   /* `aside` says where */
    struct pending_operation now;
    struct pending_walk aside;
};

/* From the first one, the last; the first one that was invoked behind that time, the last in front
 * of it. */
void running_walk_first(const struct running *running, struct running_walk *walk);
void running_walk_last(const struct running *running, struct running_walk *walk);
void running_walk_behind(const struct running *running, uint64_t time, struct running_walk *walk);
void running_walk_before(const struct running *running, uint64_t time, struct running_walk *walk);
void running_walk_next(struct running_walk *walk);
void running_walk_back(struct running_walk *walk);

/* What stands there; null: nothing does. */
const struct pending_operation *running_walk_at(struct running_walk *walk);

/* Takes it out. */
void running_walk_remove(struct running *running, struct running_walk *walk);

/* Visits the serials, as online_class.each. */
bool running_each(const struct running *running, const struct online_visitor *visitor);

/* `values`: the details are values. */
void running_archive(struct archive *archive, struct running *running, bool values);

#endif
