/* Which cas that failed have to be looked for a place when the blocks of a register are in order:
 * register_failed.c finds that out, register_asked.c decides with these. */
#ifndef MONITOR_REGISTER_FAILED_H
#define MONITOR_REGISTER_FAILED_H

#include "monitor/register.h"

enum asks {
    ASKS_ITSELF,  /* it is no cas that failed, or whether there is a place for it is open */
    ASKS_NOTHING, /* it is one for which there is a place in every order, or a read of an unknown
                     value */
    ASKS_NEXT,    /* what replaced its value, in the same block, was there when it answered */
    ASKS_HELPED, /* its value was replaced when it answered, by a pending write that is put there */
    ASKS_HELPS,  /* it is such a write */
    ASKS_DUE,    /* meanwhile: ASKS_ITSELF, unless something certainly replaced its value */
    ASKS_IF_OTHERS, /* meanwhile: ASKS_NOTHING, unless its value may be there because of others */
};

/* A value that some cas did not find, and the operations that found or wrote it. All are numbers of
 * operations, and positions. */
struct avoided {
    uint32_t writer, writers; /* one that may have written it, NONE; how many there are, with the
                                 initial value */
    uint32_t begun, begun_by; /* the first answer that knows it, POSITION_NEVER, and whose it is;
                                 0, NONE: it was there at first */
    uint32_t held, held_by;   /* the last invocation of those that found it; NONE: nobody did */
    uint32_t swap;            /* certainly replaced it; NONE */
    uint32_t questions;       /* cas that did not find it, by `link`; NONE */
    uint32_t block;           /* of which it is the last value, ... */
    uint64_t first;           /* ... and when that began: a position and 1; 0: it was there */
};

struct failed {
    struct blocks *blocks;
    uint32_t count;             /* of the cas that failed */
    uint32_t nexts, helped;     /* how many ask for what replaced a value, and have a write, */
    uint32_t asked;             /* and how many ask for themselves */
    struct numbering numbering; /* of the values that they did not find */
    struct avoided *avoided;
    uint32_t *events; /* by position: the operation invoked or over there */
    uint32_t *link;   /* by operation: the next question of the same value; NONE */
    uint32_t *behind; /* by operation: the first answer of it and of what follows in its block */
    uint32_t *helper; /* of a question that is ASKS_HELPED the write, and the other way round */
    uint8_t *asks;    /* by operation: enum asks */
};

/* Finds out what each cas that failed asks, of blocks that can be put in order. STEP_VIOLATION if
 * one failed while its value was in the register. */
enum step failed_sort(struct failed *failed, struct blocks *blocks);

/* The value that an operation did not find; null if there is no such operation. */
static inline struct avoided *avoided_of(const struct failed *failed, value v)
{
    const uint32_t number = numbering_find(&failed->numbering, v);
    return number == NUMBER_NONE ? NULL : &failed->avoided[number];
}

#endif
