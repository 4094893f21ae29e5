/* Operations of one kind that run or are pending, in the order of their invocations: numbers that
 * stay until an operation is taken out, in constant time each. */
#ifndef STREAM_RUNNING_H
#define STREAM_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linked.h"
#include "stream/online.h"

#define RUNNING_NONE LINKED_NONE

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
    uint32_t count;
};

static inline void running_init(struct running *running, struct budget *budget)
{
    vector_init(&running->items, budget);
    running->first = running->last = running->free = running->live = RUNNING_NONE;
    running->count = 0;
}

static inline void running_release(struct running *running)
{
    vector_release(&running->items);
    running_init(running, running->items.budget);
}

/* Forgets all, and keeps the room. */
static inline void running_clear(struct running *running)
{
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

/* Adds a pending one that was invoked at any time; RUNNING_NONE when refused. */
static inline uint32_t running_insert(struct running *running, uint64_t invoked, uint64_t serial)
{
    const uint32_t number = running_take(running, invoked, serial);
    if (number == RUNNING_NONE)
        return RUNNING_NONE;
    struct running_operation *items = running->items.items;
    uint32_t before = running->last;
    while (before != RUNNING_NONE && items[before].invoked > invoked)
        before = items[before].before;
    items[number].pending = true;
    LINKED_INSERT(running, items, number, before);
    return number;
}

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

/* When the first one was invoked that may complete; UINT64_MAX: none may. */
static inline uint64_t running_since(struct running *running)
{
    while (running->live != RUNNING_NONE && running->items.items[running->live].pending)
        running->live = running->items.items[running->live].after;
    return running->live == RUNNING_NONE ? UINT64_MAX : running->items.items[running->live].invoked;
}

/* Visits the serials, as online_class.each. */
static inline bool running_each(const struct running *running, const struct online_visitor *visitor)
{
    const struct running_operation *items = running->items.items;
    for (uint32_t i = running->first; i != RUNNING_NONE; i = items[i].after)
        if (!visitor->visit(visitor->context, items[i].serial))
            return false;
    return true;
}

/* `values`: the details are values. */
static inline void running_archive(struct archive *archive, struct running *running, bool values)
{
    ARCHIVE_LENGTH(archive, &running->items);
    const size_t length = running->items.length;
    for (size_t i = 0; i < length; i++) {
        struct running_operation *operation = &running->items.items[i];
        ARCHIVE(archive, operation->invoked);
        operation->serial = archive_number(archive, operation->serial);
        operation->pending = archive_number(archive, operation->pending);
        if (values)
            archive_value(archive, &operation->detail);
        else
            ARCHIVE(archive, operation->detail);
        operation->before = archive_place(archive, operation->before, length);
        operation->after = archive_place(archive, operation->after, length);
    }
    running->first = archive_place(archive, running->first, length);
    running->last = archive_place(archive, running->last, length);
    running->free = archive_place(archive, running->free, length);
    running->live = archive_place(archive, running->live, length);
    ARCHIVE(archive, running->count);
}

#endif
