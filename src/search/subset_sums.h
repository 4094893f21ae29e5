/* Finds which operations together add what a read asks for, where operations add to the words of a
 * state and reads answer with them: subset sums, by meeting in the middle (Horowitz and Sahni, J.
 * ACM 1974). What each operation adds, and which words a read answers, is guessed from steps that a
 * search has made. */
#ifndef SEARCH_SUBSET_SUMS_H
#define SEARCH_SUBSET_SUMS_H

#include "history/part.h"
#include "search/transitions.h"

/* What a class of calls adds to the words of a state. */
struct sum_class {
    bool known;   /* it was legal somewhere ... */
    bool adds;    /* ... and changed numbers, or nothing */
    bool moves;   /* it adds something */
    size_t delta; /* in sums->deltas */
};

/* Which words of a state a read answers: pairs (place in the answer, word) in sums->pairs. */
struct sum_reader {
    uint16_t operation;
    value argument;
    size_t first, count;
};

struct sum_mover {
    uint32_t place; /* in the order in which they were added, those that are no movers included */
    uint32_t class;
    uint64_t sum; /* of what it adds to the words that are read, weighted */
};

/* The sum of some of the first half of the movers, and which. */
struct half_sum {
    uint64_t sum;
    uint64_t movers;
};

struct subset_sums {
    bool applies;
    const struct part *part;
    struct transitions *transitions;  /* of the search that asks; not owned */
    size_t width;                     /* words of a state; all states have as many */
    VECTOR(struct sum_class) classes; /* by class */
    VECTOR(int64_t) deltas;
    VECTOR(struct sum_reader) readers;
    VECTOR(uint32_t) pairs;
    VECTOR(uint64_t) words; /* of a state */

    /* The present question. */
    uint32_t added;
    bool all_known; /* whether each either adds or changes nothing */
    VECTOR(struct sum_mover) movers;
    VECTOR(uint32_t) reads; /* operations */
    VECTOR(struct half_sum) halves;
    VECTOR(uint32_t) later; /* classes of operations that begin later: the caller's to fill in */
    VECTOR(uint64_t) sets;  /* the answer: bits of movers, small sets first */
    uint64_t work;
};

/* Learns from the steps in `learned`, a search's of the same part. `transitions`, `part` outlive
 * it; their classes have the same numbers. False when a budget refuses; to be released all the
 * same. */
bool subset_sums_init(struct subset_sums *sums, struct transitions *learned,
                      struct transitions *transitions, const struct part *part,
                      struct budget *budget) MUST_CHECK;
void subset_sums_release(struct subset_sums *sums);

/* A question: to be opened, given the running reads and the operations that may take effect (with
 * the state and where the class leads from it), and asked. False when refused. */
void subset_sums_open(struct subset_sums *sums);
bool subset_sums_add_read(struct subset_sums *sums, uint32_t operation) MUST_CHECK;
bool subset_sums_add_mover(struct subset_sums *sums, uint32_t class, uint32_t state,
                           transition to) MUST_CHECK;
/* Finds sets of movers after which one of the reads should be legal: sums->sets. */
bool subset_sums_find(struct subset_sums *sums, uint32_t state) MUST_CHECK;

/* After subset_sums_find: whether it seems that no set of the movers and of sums->later leads to
 * the read.
 */
bool subset_sums_are_short(struct subset_sums *sums, uint32_t read);

#endif
