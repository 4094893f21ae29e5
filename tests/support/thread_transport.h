/* A transport between threads of one process: for tests of what ranks do together, which needs no
 * MPI so. Only what is collective. */
#ifndef TESTS_SUPPORT_THREAD_TRANSPORT_H
#define TESTS_SUPPORT_THREAD_TRANSPORT_H

#include <pthread.h>

#include "base/transport.h"

#define THREAD_RANKS_MOST 8

struct thread_rank {
    struct transport visible; /* first */
    struct thread_ranks *all;
    const void *given; /* what it has to say in the step that all take */
    const size_t *lengths;
    uint64_t *in; /* what came in the last exchange */
};

struct thread_ranks {
    pthread_barrier_t barrier;
    unsigned count;
    struct thread_rank ranks[THREAD_RANKS_MOST];
};

void thread_ranks_init(struct thread_ranks *all, unsigned count);
void thread_ranks_release(struct thread_ranks *all);

/* Runs work(user, transport) for each rank, in a thread of its own; returns when all have. */
void thread_ranks_run(struct thread_ranks *all,
                      void (*work)(void *user, const struct transport *transport), void *user);

#endif
