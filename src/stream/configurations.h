/* The configurations in which one object may be after the events so far: all that the past leaves
 * for what follows. configurations.c has the algorithm; docs/internals/streams.md says what may be
 * forgotten, and why. */
#ifndef STREAM_CONFIGURATIONS_H
#define STREAM_CONFIGURATIONS_H

#include "base/bounds.h"
#include "search/array_table.h"
#include "stream/object.h"

enum possible {
    POSSIBLE,
    IMPOSSIBLE,       /* no configuration is left: the history is not linearizable */
    POSSIBLE_REFUSED, /* a limit was reached */
    POSSIBLE_CROWDED, /* more was searched than the caller wants */
};

/* Where operations that take effect once more lead. */
struct path {
    uint32_t state, base;
    uint32_t first; /* from which of them on they are kept */
};

/* An item and what it has beside pending operations. */
struct keyed {
    uint32_t key, taken, item;
};

/* Items of this round that have the same beside pending operations: a list. */
struct alike {
    uint32_t item, next;
};

/* Of an item: the round in which it was met last; of what items have beside pending operations: the
 * first of these items in that round. */
struct stamp {
    uint32_t round, alike_round, alike;
};

struct item_list {
    uint32_t *items;
    size_t length, capacity;
    struct budget *budget;
};

struct configurations {
    struct limits *limits; /* not owned */
    struct stream_object *object;
    struct array_table states, items;
    struct item_list now, next, visited;
    VECTOR(uint32_t) open;       /* operations that run or are pending, ascending */
    VECTOR(struct stamp) stamps; /* of each item */
    VECTOR(struct alike) alike;
    bool pending;           /* some operation is */
    VECTOR(uint64_t) words; /* of an item in the making */
    VECTOR(uint32_t) found; /* states after a step */
    VECTOR(struct path) paths, further;
    VECTOR(struct keyed) keyed;
    struct outcomes outcomes;
    uint32_t round;
    uint32_t ticks;
    uint64_t explored;
    uint64_t most, most_each; /* of these, in a batch and besides for each round; 0: as many as it
                                 takes */
    uint64_t rounds;          /* of the batch */
    uint64_t before;          /* explored before it */
    uint64_t compared;        /* pairs of items, in it */
};

/* An item is these words, then `taken` numbers of operations that have taken effect and are not
 * over, ascending, then `since` numbers of operations in the order in which they took effect. */
enum {
    ITEM_STATE,
    ITEM_BASE,  /* the state before the operations `since`; ARRAY_REFUSED if there are none */
    ITEM_TAKEN, /* how many */
    ITEM_SINCE,
    ITEM_WORDS,
};

void configurations_init(struct configurations *configurations, struct limits *limits);
void configurations_release(struct configurations *configurations);

/* How much may be searched: so many configurations in each batch of an object, and so many for each
 * of its events. A configuration takes some microseconds, and 100 to 1,000 bytes until the batch is
 * over. What is more is POSSIBLE_CROWDED. */
enum search_bound {
    BOUND_USUAL,
    BOUND_WIDE,
};

#define MOST_EXPLORED           (UINT64_C(1) << 15)
#define MOST_EXPLORED_EACH      128
#define MOST_EXPLORED_WIDE      (UINT64_C(1) << 21)
#define MOST_EXPLORED_EACH_WIDE 4096

static inline void configurations_bound(struct configurations *configurations,
                                        enum search_bound bound)
{
    bool wide = bound == BOUND_WIDE;
    configurations->most =
        wide ? faults_bound(MOST_EXPLORED_WIDE, 64) : faults_bound(MOST_EXPLORED, 1);
    configurations->most_each =
        wide ? faults_bound(MOST_EXPLORED_EACH_WIDE, 16) : faults_bound(MOST_EXPLORED_EACH, 1);
}

/* Begins a batch of events of an object. Since the last batch the caller has changed what is known
 * of its operations: those that ran may now complete, be pending or have failed. */
enum possible configurations_begin(struct configurations *configurations,
                                   struct stream_object *object) MUST_CHECK;

/* An operation of the object, whose stage is set, is invoked; or one that completes does. */
enum possible configurations_invoke(struct configurations *configurations,
                                    uint32_t operation) MUST_CHECK;
enum possible configurations_respond(struct configurations *configurations,
                                     uint32_t operation) MUST_CHECK;

/* Ends the batch: the object has what it needs for the next one, and of its operations only those
 * that run, are pending, or are spoken of. */
enum possible configurations_end(struct configurations *configurations) MUST_CHECK;

/* Of a batch that has begun: the words of the i-th configuration (see above), and of a state. */
const uint64_t *configurations_item(const struct configurations *configurations, size_t i);
const uint64_t *configurations_state(const struct configurations *configurations, uint64_t state,
                                     size_t *length);

#endif
