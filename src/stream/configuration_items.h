/* The configurations of one object as words, and which of them stand for others
 * (configuration_items.c). What follows events is configurations.c. */
#ifndef STREAM_CONFIGURATION_ITEMS_H
#define STREAM_CONFIGURATION_ITEMS_H

#include "search/array_table.h"
#include "stream/object.h"

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

static inline const uint64_t *item_words(const struct configurations *configurations, uint32_t item)
{
    return arrays_get(&configurations->items, item);
}

static inline const uint64_t *item_since(const uint64_t *item)
{
    return item + ITEM_WORDS + item[ITEM_TAKEN];
}

static inline struct stream_operation *
configurations_operation(const struct configurations *configurations, uint64_t operation)
{
    return &configurations->object->operations.items[operation];
}

static inline enum stage configurations_stage(const struct configurations *configurations,
                                              uint64_t operation)
{
    return (enum stage)configurations_operation(configurations, operation)->stage;
}

/* Whether an item is met for the first time in this round, and no other that was met stands for
 * it. False in *done when refused. */
bool configurations_meet(struct configurations *configurations, uint32_t item, bool *done);

/* Adds an item to a list when it is met. False when refused, be it the item. */
bool configurations_add_met(struct configurations *configurations, struct item_list *list,
                            uint32_t item) MUST_CHECK;

/* Leaves of `now` those for which no other stands. False when refused. */
bool configurations_keep_least(struct configurations *configurations) MUST_CHECK;

#endif
