/* A forward data flow over the code of each operation, which runs it on abstract words.
 *
 * A node that the operation makes is *published* once a reference to it may be in memory: it was
 * stored, compared and swapped into something shared or into any node, or handed to whatever is not
 * known here to keep it. Until then only the operation's own locals lead to it. The nodes of an
 * operation are named by the NEW that made them, the latest of each; what else a reference may name
 * is LIN_WAYS_OTHER, which counts as published. So does what is loaded from memory.
 *
 * A word has the names that it may be a reference to, null apart. A boolean also has claims: nodes
 * that are not published if it is false, or if it is true. That is how a cas that failed leaves a
 * node unpublished, whatever way its answer takes to the jump that asks for it. Where ways meet,
 * names and published nodes are united; of the claims those remain that hold on both ways, be it
 * because the node is not published there at all.
 *
 * An observer is told what is read, written and published. It may have names of its own, *tokens*,
 * that no word has: what it says is published by a write is claimed like a node. */
#ifndef IMPLEMENTATION_STEP_WAYS_H
#define IMPLEMENTATION_STEP_WAYS_H

#include "implementation/steps.h"

#define LIN_WAYS_OTHER (UINT64_C(1) << 63)
/* NEWs of an operation and tokens; what other NEWs make is LIN_WAYS_OTHER. */
#define LIN_WAYS_NAMES 63

enum lin_way_word_kind {
    LIN_WORD_PLAIN,
    LIN_WORD_SHARED, /* an address of a shared variable, */
    LIN_WORD_OWN,    /* of one of the thread's own, */
    LIN_WORD_FIELD,  /* of a field, in the node that `names` tells */
};

struct lin_way_word {
    uint64_t names;
    uint64_t if_false, if_true; /* claims */
    uint32_t first, count;      /* LIN_WORD_OWN: locals; LIN_WORD_SHARED: the slot;
                                   LIN_WORD_FIELD: ways->starts of the pool and the offset of the
                                   field */
    uint32_t origin;            /* LIN_WORD_FIELD: the DEREFERENCE; LIN_WORD_SHARED: the ADDRESS */
    uint8_t kind;               /* enum lin_way_word_kind */
    bool moved;                 /* somewhere in the variable or field */
};

/* Of an instruction that is jumped to: what was found before it. */
struct lin_way_joint {
    uint64_t published;
    size_t first; /* word */
    uint32_t depth;
    bool waits; /* to be looked at */
};

struct lin_ways;

/* Each is told the instruction, perhaps more than once; with more published, or more names, then.
 * Any may be null. */
struct lin_ways_class {
    /* Before it runs; returns tokens that are published by it. */
    uint64_t (*begins)(void *observer, struct lin_ways *ways, uint32_t at);
    /* So many words are loaded from an address. */
    void (*reads)(void *observer, const struct lin_ways *ways, uint32_t at,
                  const struct lin_way_word *address, uint32_t count);
    /* So many words may be written there; returns tokens that are published if they are. */
    uint64_t (*writes)(void *observer, const struct lin_ways *ways, uint32_t at,
                       const struct lin_way_word *address, uint32_t count);
    /* Nodes are published, if they are not yet. */
    void (*publishes)(void *observer, uint32_t at, uint64_t names);
};

struct lin_ways {
    struct lin_steps *steps;
    const struct lin_ways_class *class;
    void *observer;
    const struct lin_entry *entry; /* whose code runs */
    uint32_t at;                   /* the instruction that runs */
    uint32_t *starts;              /* by pool: where its words begin in a row of all pools' */
    uint32_t words;                /* of that row */
    uint32_t *joints_of;           /* by instruction: 1 + its joint */
    VECTOR(struct lin_way_joint) joints;
    VECTOR(struct lin_way_word) kept; /* of joints: locals, then the stack */
    VECTOR(struct lin_way_word) now;
    uint64_t tokens; /* those that are published where an operation begins */
    uint64_t published;
    bool lost; /* the code is not what is expected here: nothing is said */
};

/* Nobody but the operation's own locals leads to what these names are of. */
static inline bool lin_ways_are_private(const struct lin_ways *ways, uint64_t names)
{
    return !(names & (LIN_WAYS_OTHER | ways->published));
}

/* The instruction behind an operation's last. */
uint32_t lin_ways_end(const struct lin_steps *steps, uint32_t entry);

/* The name of what a NEW makes; LIN_WAYS_OTHER: it has none. */
uint64_t lin_ways_name(const struct lin_steps *steps, const struct lin_entry *entry, uint32_t at);

/* Close it whatever the status. STATUS_LIMIT. */
enum status lin_ways_open(struct lin_ways *ways, struct lin_steps *steps,
                          const struct lin_ways_class *class, void *observer) MUST_CHECK;

/* Runs an operation once, until nothing new is found; false when refused. */
bool lin_ways_run(struct lin_ways *ways, uint32_t entry) MUST_CHECK;

void lin_ways_close(struct lin_ways *ways);

#endif
