/* A walk that orders the blocks of a register (register_questions.c), and what is learnt from one
 * that did not find an order (register_learn.c). */
#ifndef MONITOR_REGISTER_SCHEDULE_H
#define MONITOR_REGISTER_SCHEDULE_H

#include "monitor/deadlines.h"
#include "monitor/register.h"

/* What was learnt of a block, by what of it is due, when an order was not found. */
enum hint {
    HINT_NONE,
    HINT_HASTY,   /* it takes place before what comes next, of the other sort */
    HINT_PATIENT, /* it does not, though that would be better for what is asked next; nor does it
                     begin before it must */
    HINT_EARLY,   /* once it can it takes place before all else */
};

/* A moment of the walk at which nothing waits but pending operations that need not have happened,
 * in front of the event of that position. */
struct quiet {
    uint32_t position, length; /* of the order until then */
    value holds;
};

struct schedule {
    struct blocks *blocks;
    struct deadlines deadlines;
    uint32_t *due;    /* by cluster: the operation of its block that is over first */
    uint32_t *events; /* by position: the operation invoked or over there */
    uint32_t *starts; /* by position: the block whose zone begins there, NONE */
    /* By position: the first operation invoked there or later that asks whether something is there;
     * NONE. */
    uint32_t *next_question;
    uint8_t *hints;   /* by operation: enum hint */
    uint32_t *placed; /* by operation: where the walk was when it took place; NONE */
    uint32_t *unused; /* pending operations that need not have happened, and change something */
    uint32_t unused_count;
    struct quiet *quiet; /* where the walk may go on from, in order */
    uint32_t quiet_count;

    /* Heaps of blocks that wait, each by its operation that is over first: those that leave
     * nothing, those that begin with a conditional write, and others. */
    uint32_t deletions, conditionals, others;
    uint32_t early;    /* likewise: those that come before all else */
    uint32_t *opening; /* blocks without a zone that have begun, and are not whole yet */
    uint32_t opening_count;
    /* By cluster: lists, by the links of deadlines, of the pending swaps of its value that need not
     * have happened. */
    uint32_t *swaps;
    uint32_t *questions; /* those that run and are not answered */
    uint32_t question_count;

    uint32_t position, upcoming; /* where the walk is; where the next zone begins, or before that */
    uint32_t zone, next; /* the block whose zone we are in, NONE: in none; its next operation */
    uint32_t back;       /* the walk has to be done again from there, because of what was learnt */
    value holds;
    bool is_entering;   /* a zone */
    uint32_t hurried;   /* the block we are in as in a zone though it could have waited; NONE */
    uint32_t too_early; /* it should have; NONE */
    bool lost;          /* a block that had to take place found another value than it replaced */
    uint32_t misplaced; /* the question or conditional write that came too late; NONE */
};

static inline bool has_zone(const struct cluster *head)
{
    return head->initial || head->first < head->last;
}

static inline uint32_t begin_of(const struct schedule *schedule, uint32_t operation)
{
    uint32_t block = schedule->blocks->block[operation];
    return block < BLOCK_DROPPED ? cluster_begin(&schedule->blocks->clusters[block]) : operation;
}

/* Whether the operation asks whether something is there, and is answered that it is not. */
static inline bool finds_nothing(const struct schedule *schedule, uint32_t operation)
{
    return operation != NONE && access_of(schedule->blocks, operation).kind != ACCESS_FAILED;
}

#endif
