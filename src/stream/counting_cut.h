/* What is known of an object that counts where its history is cut, and what that was in the light
 * of what came later. A cut is a list of numbers: those of enum cut_head, when the operations
 * counted that are open (of those that count down, then of those that count up, ascending), the
 * serials of pending operations that were invoked before all that is open (likewise), and the other
 * operations that ran or were pending. */
#ifndef STREAM_COUNTING_CUT_H
#define STREAM_COUNTING_CUT_H

#include "stream/counting.h"
#include "stream/state.h"

enum cut_head {
    CUT_NUMBER,  /* counted.number */
    CUT_COUNT,   /* with the operations that are open */
    CUT_CHANGED, /* when it did last */
    CUT_DOWN,    /* how many are open */
    CUT_UP,
    CUT_OLD_DOWN, /* how many pending ones are older */
    CUT_OLD_UP,
    CUT_HEAD,
};

struct cut_operation {
    uint64_t serial;
    uint64_t invoked;   /* when; 0: pending, and before all that is open */
    uint64_t before;    /* the count then */
    uint64_t direction; /* enum direction */
};

#define CUT_OPERATION_WORDS (sizeof(struct cut_operation) / sizeof(uint64_t))

/* Goes through the operations of a cut. */
struct cut_walk {
    const uint64_t *at, *end;
    uint64_t old[2];
};

struct cut_walk counting_cut_walk(const struct numbers *cut);

/* The next one; false: there is none any more. */
bool counting_cut_next(struct cut_walk *walk, struct cut_operation *operation);

/* Appends a number, an operation to a cut. False when refused. */
bool counting_cut_push(struct cut *cut, uint64_t number) MUST_CHECK;
bool counting_cut_add(struct cut *cut, struct cut_operation operation) MUST_CHECK;

/* A cut, as known later. To be released. */
struct counting_past {
    struct counted counted;
    int64_t count;
    struct numbers told; /* serials, ascending: operations from before that did nothing before, of
                            which the history goes on with that count at first */
    bool impossible;     /* more have counted than can have */
};

/* What an object's snapshot with a cut was, as known with the event of that ordinal. False when
 * refused; to be released all the same. */
bool counting_past_find(const struct stream *stream, const struct followed *followed,
                        const struct snapshot *from, uint64_t ordinal,
                        struct counting_past *past) MUST_CHECK;
void counting_past_release(struct counting_past *past);

#define NOBODY UINT64_MAX

/* A history that leaves an object as a cut has it: operations that are invoked, and in place of
 * all that are forgotten some that nobody called. To be released. */
struct counting_step {
    uint64_t serial;  /* of one that is invoked; NOBODY: */
    struct call call; /* that is called, and completes */
};

struct counting_replay {
    struct counted counted;
    int64_t first, count; /* at first, so far */
    VECTOR(struct counting_step) steps;
};

/* Of a counter, or of what counts up to 1. False when refused; to be released all the same. */
bool counting_replay_find(const struct stream *stream, const struct followed *followed,
                          const struct numbers *cut, struct counting_replay *replay) MUST_CHECK;
void counting_replay_release(struct counting_replay *replay);

#endif
