/* A right history without end, made as it goes: processes that are always busy call a container, or
 * the keys of a map, and get what they should. Values never come again. */
#ifndef TESTS_SUPPORT_ENDLESS_H
#define TESTS_SUPPORT_ENDLESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/random.h"

#define ENDLESS_PROCESSES 64

struct endless_event {
    uint64_t serial;  /* of the operation, from 0 */
    uint32_t process; /* a new one behind a pending operation */
    uint32_t place;   /* of the process among those that are busy */
    uint32_t key;
    bool adds;      /* an enqueue, a put; else a dequeue, a get */
    bool begins;    /* it is invoked; else: */
    bool pending;   /* it never completes; else it does */
    int64_t value;  /* that is added, or found; 0: nothing */
    int64_t before; /* of a put that completes: what the key had */
    bool swaps;     /* it adds only where the key has */
    int64_t expected;
    bool swapped; /* of one that completes: it did */
};

struct endless_process {
    uint64_t serial;
    uint32_t process, key;
    uint8_t state; /* 0: idle, 1: invoked, 2: has taken effect */
    bool adds, swaps, swapped;
    bool goes_on; /* it does not stay pending */
    int64_t value, before, expected;
    uint64_t hangs_until; /* steps */
};

/* What a container gives back; or an object that counts. */
enum endless_order {
    ENDLESS_OLDEST,
    ENDLESS_NEWEST,
    ENDLESS_LEAST,
    ENDLESS_COUNT, /* nothing: what adds counts up to `inside`, what takes counts down again */
    ENDLESS_TOTAL, /* likewise, without end; what takes finds the count */
};

struct endless {
    struct random random;
    enum endless_order order;
    uint32_t processes, keys; /* keys: 0: a container */
    uint64_t inside;          /* values in the container, about */
    uint32_t pending;         /* operations in a million that stay pending */
    bool unseen;              /* only what adds does so, and it has not happened */
    bool silent;              /* of those that stay pending nothing is told, and they are said to be
                                 running: their processes do nothing any more */
    uint32_t hangs;           /* operations in a million that do nothing */
    uint64_t hanging;         /* for so many steps, of which an operation of 8 processes takes 3 */
    bool with_cas;            /* half of what adds to a key is by cas, of the value that was put or
                                 got by that process last */
    int64_t count, planned;   /* planned: once all that runs has taken effect */
    int64_t known[ENDLESS_PROCESSES]; /* that value; 0: none */
    struct endless_process busy[ENDLESS_PROCESSES];
    int64_t *ring, *values; /* of the container, of the keys; of ENDLESS_LEAST a heap */
    uint64_t room, head, tail;
    uint64_t operations, pendings;
    uint64_t steps;
    uint32_t next_process;
    int64_t next_value;
};

/* To be closed. The order is of no matter where there are keys. */
void endless_open(struct endless *endless, uint64_t seed, enum endless_order order,
                  uint32_t processes, uint32_t keys, uint64_t inside, uint32_t pending);
void endless_close(struct endless *endless);
struct endless_event endless_next(struct endless *endless);

#endif
