/* The objects whose histories are generated, as plain sequential data structures: nothing of the
 * specifications that will judge the history is used here. */
#ifndef BENCH_OBJECTS_H
#define BENCH_OBJECTS_H

#include "base/random.h"
#include "base/vector.h"

#define NUMBER_NIL   INT64_MIN
#define NUMBER_FALSE (INT64_MIN + 1)
#define NUMBER_TRUE  (INT64_MIN + 2)

#define DATUM_ITEMS 9

/* A value of an event: one number, a list of two, a list of the first so many items that the object
 * holds, or a list of `count` items. Of transactions the items are groups of three: whether it
 * writes, the key, the value. */
struct datum {
    int64_t first, second;
    bool is_pair, is_prefix, is_transaction;
    uint8_t count; /* 0: no list of items */
    int64_t items[DATUM_ITEMS];
};

struct call {
    const char *function;
    struct datum argument, answer;
    bool failed; /* it did not happen; no answer */
};

struct object {
    const struct object_class *class;
    struct budget budget;  /* without limit */
    int64_t values;        /* size of the domain 0, 1, ...; 0: every addition takes a new value */
    int64_t fresh;         /* how many new values were taken */
    unsigned spread_bits;  /* new values of a priority queue are the numbers of so many bits */
    VECTOR(int64_t) items; /* what it holds: elements, or the value of each key */
    size_t head;           /* a queue begins here */
    VECTOR(size_t) places; /* of sets: for each value its place in `items` + 1, or 0 */
};

#define LIE_MOST_CALLS 4

#define ACCOUNTS        5 /* of a bank, as bench/histories/bank.lin has them */
#define ACCOUNT_INITIAL 100
#define TRANSFER_MOST   10

enum cells { /* that hold one value each, nil at first */
    CELLS_NONE,
    CELLS_ONE,
    CELLS_KEYS,     /* one for each key */
    CELLS_ACCOUNTS, /* ACCOUNTS, with ACCOUNT_INITIAL each */
};

struct object_class {
    const char *name;
    enum cells cells;
    /* Decides what a process calls next: function and argument. */
    void (*choose)(struct object *object, struct random *random, struct call *call);
    /* Makes the call take effect, and sets what it answers. */
    void (*apply)(struct object *object, struct call *call);
    /* What one process does, one call after the other, with values that nobody else knows, so that
     * no order of the whole history is legal. Ends at the first null function. */
    struct call lie[LIE_MOST_CALLS];
};

extern const struct object_class object_classes[]; /* ends at the first null name */

/* The class of that name, null if there is none. */
const struct object_class *object_class_find(const char *name);

/* An object without elements. `operations`: how many calls there will be at most. */
void object_init(struct object *object, const struct object_class *class, int64_t values,
                 size_t keys, uint64_t operations);
void object_release(struct object *object);

#endif
