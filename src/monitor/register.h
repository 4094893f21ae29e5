/* The blocks of a register's history, shared by the files of its monitor: register.c builds them
 * and has the argument, register_walk.c orders them, register_questions.c places what the blocks
 * leave open, register_reason.c explains violations. */
#ifndef MONITOR_REGISTER_H
#define MONITOR_REGISTER_H

#include "monitor/numbering.h"
#include "monitor/register_accesses.h"
#include "monitor/step.h"

#define NONE UINT32_MAX

/* A value that was read or swapped, and the operations on it; and, where it begins a block, that
 * block. Operations are numbers of intervals. */
struct cluster {
    uint32_t writer; /* NONE: the initial value, or nobody */
    uint32_t first_read, last_read;
    uint32_t swap;  /* replaced it by another value; NONE if none did */
    uint32_t first; /* of the block: the least response; 0 if it begins with the initial value */
    uint32_t last;  /* of the block: the greatest invocation */
    uint32_t end;   /* of the block: its last operation */
    uint32_t cause; /* an operation that found it, because of which it was certainly written: one
                       that completed or that is pending and wrote what has a cause; else NONE */
    bool initial;   /* there before all writes */
    bool in_block;
};

/* What an operation belongs to, if not to the block that begins with a cluster of that number. */
enum {
    BLOCK_DROPPED = NONE - 3, /* pending, and need not have happened */
    BLOCK_FREE = NONE - 2,    /* a read of an unknown value */
    BLOCK_ALONE = NONE - 1,   /* a write of what nobody read */
};

struct blocks {
    const struct part *part;
    struct limits *limits;
    struct decision *decision;
    struct arena *arena;
    struct accesses accesses;
    const struct access *given; /* by operation; null: the calls say it */
    value initial;              /* with `given`: before all writes */
    bool deletes;               /* with `given`: what is written by a deletion may come again */
    struct numbering numbering; /* the number is the cluster's */
    struct cluster *clusters;
    uint8_t *kinds;  /* by operation: enum access_kind, of questions ACCESS_FREE and of conditional
                        writes ACCESS_WRITE */
    uint32_t *next;  /* by operation: the one behind it in its block; NONE at the end */
    uint32_t *block; /* by operation; until the blocks are built, of a read or swap the cluster of
                        what it found, of a write that of what it wrote */
    uint32_t open;   /* how many questions and conditional writes there are, */
    uint32_t failed; /* and of these cas that failed */
};

static inline bool is_pending(const struct blocks *blocks, uint32_t operation)
{
    return blocks->part->intervals[operation].response == POSITION_NEVER;
}

static inline struct access access_of(const struct blocks *blocks, uint32_t operation)
{
    return blocks->given ? blocks->given[operation]
                         : accesses_of(&blocks->accesses, &blocks->part->intervals[operation]);
}

/* Whether the operation changes nothing and is set aside until the blocks are in order: a get that
 * found nothing, where that says not which deletion it followed, or a cas that failed. */
static inline bool is_question(const struct blocks *blocks, uint32_t operation)
{
    return blocks->kinds[operation] == ACCESS_FREE &&
           access_of(blocks, operation).kind != ACCESS_FREE;
}

/* Whether it is a swap of what many wrote, and so begins a block. */
static inline bool is_conditional(const struct blocks *blocks, uint32_t operation)
{
    return blocks->kinds[operation] == ACCESS_WRITE &&
           access_of(blocks, operation).kind == ACCESS_SWAP;
}

/* The value that was in the register when the operation had taken place; it is no question. */
static inline value value_after(const struct blocks *blocks, uint32_t operation)
{
    struct access access = access_of(blocks, operation);
    return access.kind == ACCESS_READ ? access.expected : access.written;
}

/* Null if nobody read or swapped v. */
static inline struct cluster *cluster_of(const struct blocks *blocks, value v)
{
    uint32_t number = numbering_find(&blocks->numbering, v);
    return number == NUMBER_NONE ? NULL : &blocks->clusters[number];
}

/* The first operation of the block that begins with a cluster. */
static inline uint32_t cluster_begin(const struct cluster *head)
{
    if (head->writer != NONE)
        return head->writer;
    return head->first_read != NONE ? head->first_read : head->swap;
}

/* register_walk.c: decides whether the blocks can be put in order, and how. */
enum step blocks_linearize(struct blocks *blocks);

/* register.c: finds the blocks, and puts them in order. */
enum step blocks_order(struct blocks *blocks);

/* register.c: decides all of it; with `given` each question is looked for a place. */
enum step blocks_decide(struct blocks *blocks);

/* register_asked.c: likewise, behind blocks_linearize, where cas failed, but looks only for places
 * of those that may have none. STEP_UNDECIDED if it does not come to an order of these. */
enum step blocks_answer_failed(struct blocks *blocks);

/* register_questions.c: orders the blocks, which can be put in order, once more, so that each
 * question and each conditional write finds what it found. STEP_UNDECIDED if it does not come to
 * one. */
enum step blocks_answer(struct blocks *blocks);

/* register_reason.c: violations, each with its reason and evidence. */

/* What the cluster's operations found was never written. */
enum step blocks_never_written(struct blocks *blocks, const struct cluster *cluster);
/* `again` replaced a value that another swap had replaced. */
enum step blocks_swapped_twice(struct blocks *blocks, uint32_t again);
/* Swaps each of which found what another of them wrote; walking back from `begin` leads there. */
enum step blocks_circle(struct blocks *blocks, const struct cluster *begin);
/* `later` must come after `earlier` by what they wrote and read, but precedes it. */
enum step blocks_out_of_order(struct blocks *blocks, uint32_t earlier, uint32_t later);
/* `operation`, alone or with its block, lies within the zone of `block`, and so overwrote it. */
enum step blocks_overwritten(struct blocks *blocks, uint32_t block, uint32_t operation);
/* The zones of two blocks overlap. */
enum step blocks_both_held(struct blocks *blocks, uint32_t one, uint32_t other);
/* Adds to the evidence each cas that failed and would have written what the evidence speaks of: of
 * operations outside the evidence nobody knows whether they happened. False when refused. */
bool blocks_show_failed(struct blocks *blocks) MUST_CHECK;
/* A question lies within the zone of a block that has one value, which does not answer it. */
enum step blocks_held_throughout(struct blocks *blocks, uint32_t block, uint32_t question);
/* A cas failed though its value was in the register when it was invoked, and when `last` was, which
 * found it; the evidence says the former. */
enum step blocks_failed_while_held(struct blocks *blocks, uint32_t question, uint32_t last);
/* Adds an operation to the evidence, and if it is pending, what it is known from to have happened.
 * False when refused. */
bool blocks_show_needed(const struct blocks *blocks, uint32_t operation) MUST_CHECK;

#endif
