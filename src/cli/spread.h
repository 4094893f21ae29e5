/* Handing out the pieces of work of a run to all ranks: whoever is free takes the next, in their
 * order. What becomes of a piece, with all that is to be written of it, goes to rank 0. */
#ifndef CLI_SPREAD_H
#define CLI_SPREAD_H

#include <pthread.h>

#include "cli/ordered.h"
#include "cli/ranks.h"
#include "cli/results.h"

struct spread {
    const struct transport *transport; /* null: all is done here */
    size_t count, next;                /* pieces; the next one to be handed out, on rank 0 */
    pthread_mutex_t lock;              /* of `next`; of the transport, elsewhere than on rank 0 */
    pthread_t server;                  /* on rank 0: who answers the others */
    struct results *results;
    struct ordered *ordered;
    /* Whether a piece can be decided by rank 0 alone, at the end; and whether to give up. */
    bool (*stays)(void *user, size_t index);
    bool (*is_over)(void *user);
    void *user;
};

/* Begins to hand out. The callbacks are set; they are called on rank 0, in any thread. */
void spread_begin(struct spread *spread, struct ranks *ranks, size_t count, struct results *results,
                  struct ordered *ordered);

/* The next piece for a thread of this rank; false: there is none left. */
bool spread_take(struct spread *spread, size_t *index);

/* A piece that this rank has decided: its outcome and its output go to rank 0. */
void spread_give(struct spread *spread, size_t index);

/* This rank has given all. On rank 0: waits for the others. */
void spread_end(struct spread *spread);

#endif
