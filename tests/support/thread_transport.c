#include "support/thread_transport.h"

#include <stdlib.h>
#include <string.h>

static struct thread_rank *rank_of(const struct transport *transport)
{
    return transport->self;
}

/* Shows what this rank has to say to all others, until `leave`. */
static const struct thread_ranks *enter(struct thread_rank *rank, const void *given)
{
    rank->given = given;
    pthread_barrier_wait(&rank->all->barrier);
    return rank->all;
}

static void leave(struct thread_rank *rank)
{
    pthread_barrier_wait(&rank->all->barrier);
}

static void reduce(const struct transport *transport, enum transport_reduction reduction,
                   uint64_t *values, size_t count)
{
    struct thread_rank *rank = rank_of(transport);
    uint64_t *own = malloc(count * sizeof *own);
    memcpy(own, values, count * sizeof *own);
    const struct thread_ranks *all = enter(rank, own);
    for (unsigned other = 0; other < all->count; other++) {
        const uint64_t *theirs = all->ranks[other].given;
        for (size_t i = 0; i < count && other != transport->rank; i++)
            if (reduction == TRANSPORT_SUM)
                values[i] += theirs[i];
            else if ((theirs[i] < values[i]) == (reduction == TRANSPORT_LEAST))
                values[i] = theirs[i];
    }
    leave(rank);
    free(own);
}

static void broadcast(const struct transport *transport, unsigned from, void *bytes, size_t length)
{
    struct thread_rank *rank = rank_of(transport);
    const struct thread_ranks *all = enter(rank, bytes);
    if (from != transport->rank)
        memcpy(bytes, all->ranks[from].given, length);
    leave(rank);
}

static const uint64_t *exchange(const struct transport *transport, const uint64_t *const *out,
                                const size_t *lengths, size_t *received)
{
    struct thread_rank *rank = rank_of(transport);
    size_t sum = 0;
    rank->lengths = lengths;
    const struct thread_ranks *all = enter(rank, out);
    for (unsigned i = 0; i < all->count; i++)
        sum += received[i] = all->ranks[i].lengths[transport->rank];
    free(rank->in);
    rank->in = malloc((sum + 1) * sizeof *rank->in);
    sum = 0;
    for (unsigned i = 0; i < all->count; sum += received[i++])
        if (received[i])
            memcpy(rank->in + sum, ((const uint64_t *const *)all->ranks[i].given)[transport->rank],
                   received[i] * sizeof *rank->in);
    leave(rank);
    return rank->in;
}

void thread_ranks_init(struct thread_ranks *all, unsigned count)
{
    all->count = count;
    pthread_barrier_init(&all->barrier, NULL, count);
    for (unsigned i = 0; i < count; i++)
        all->ranks[i] = (struct thread_rank){.visible = {.rank = i,
                                                         .ranks = count,
                                                         .neighbours = count,
                                                         .self = &all->ranks[i],
                                                         .reduce = reduce,
                                                         .broadcast = broadcast,
                                                         .exchange = exchange},
                                             .all = all};
}

void thread_ranks_release(struct thread_ranks *all)
{
    pthread_barrier_destroy(&all->barrier);
    for (unsigned i = 0; i < all->count; i++)
        free(all->ranks[i].in);
}

struct started {
    void (*work)(void *user, const struct transport *transport);
    void *user;
    const struct transport *transport;
    pthread_t thread;
};

static void *start(void *argument)
{
    const struct started *started = argument;
    started->work(started->user, started->transport);
    return NULL;
}

void thread_ranks_run(struct thread_ranks *all,
                      void (*work)(void *user, const struct transport *transport), void *user)
{
    struct started started[THREAD_RANKS_MOST];
    for (unsigned i = 0; i < all->count; i++) {
        started[i] = (struct started){work, user, &all->ranks[i].visible, 0};
        if (pthread_create(&started[i].thread, NULL, start, &started[i]))
            abort();
    }
    for (unsigned i = 0; i < all->count; i++)
        pthread_join(started[i].thread, NULL);
}
