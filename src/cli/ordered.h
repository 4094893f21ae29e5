/* Results in the order of the arguments, whichever is found first: what is not yet its turn is kept
 * in memory, what is goes straight to standard output. */
#ifndef CLI_ORDERED_H
#define CLI_ORDERED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/progress.h"

struct ordered_slot {
    FILE *stream;
    char *bytes, *messages; /* kept: for standard output, for standard error */
    size_t length;
    bool done;
};

struct ordered {
    pthread_mutex_t lock;
    struct progress *progress;
    struct ordered_slot *slots;
    size_t count, next; /* next: whose turn it is */
    bool keeps;         /* nothing is written: another process does that */
    bool failed;        /* standard output takes no more, */
    int reason;         /* because of this errno; 0: not known */
    char *told;         /* the last messages; null: none */
    size_t again;       /* so often since then: they are not repeated */
};

void ordered_init(struct ordered *ordered, size_t count, struct progress *progress);

/* Where the output of slot `index` goes; one thread at a time for each slot. */
FILE *ordered_begin(struct ordered *ordered, size_t index);

/* The slot is complete; `messages` (may be null, taken over) go to standard error before it. False
 * when standard output takes no more. */
bool ordered_end(struct ordered *ordered, size_t index, char *messages);

/* The slot is complete, with an output that was made elsewhere (taken over, as `messages`; may be
 * null). False when standard output takes no more. */
bool ordered_put(struct ordered *ordered, size_t index, char *bytes, size_t length, char *messages);

void ordered_release(struct ordered *ordered);

#endif
