/* Operations of one kind that run or are pending, in the order of their invocations: numbers that
 * stay until an operation is taken out, in constant time each. */
#ifndef STREAM_RUNNING_H
#define STREAM_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linked.h"
#include "stream/archive.h"

#define RUNNING_NONE LINKED_NONE

struct running_operation {
    uint64_t invoked; /* when */
    uint64_t serial;
    uint64_t detail;        /* the user's */
    uint32_t before, after; /* RUNNING_NONE: it is the first, the last; after: of those that are
                               free the next */
    bool pending;           /* it never completes, and may take effect any time */
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

/* Adds one that is invoked now, later than all others; RUNNING_NONE when refused. */
static inline uint32_t running_add(struct running *running, uint64_t now, uint64_t serial)
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
    LINKED_APPEND(running, running->items.items, number);
    if (running->live == RUNNING_NONE)
        running->live = number;
    running->count++;
    return number;
}

static inline void running_remove(struct running *running, uint32_t number)
{
    struct running_operation *gone = &running->items.items[number];
    if (running->live == number)
        running->live = gone->after;
    LINKED_REMOVE(running, running->items.items, number);
    gone->after = running->free;
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

static inline void running_archive(struct archive *archive, struct running *running)
{
    ARCHIVE_LENGTH(archive, &running->items);
    const size_t length = running->items.length;
    for (size_t i = 0; i < length; i++) {
        struct running_operation *operation = &running->items.items[i];
        ARCHIVE(archive, operation->invoked);
        ARCHIVE(archive, operation->serial);
        ARCHIVE(archive, operation->detail);
        operation->before = archive_place(archive, operation->before, length);
        operation->after = archive_place(archive, operation->after, length);
        ARCHIVE(archive, operation->pending);
    }
    running->first = archive_place(archive, running->first, length);
    running->last = archive_place(archive, running->last, length);
    running->free = archive_place(archive, running->free, length);
    running->live = archive_place(archive, running->live, length);
    ARCHIVE(archive, running->count);
}

#endif
