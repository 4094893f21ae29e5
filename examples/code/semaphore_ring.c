// A ring of one place whose two semaphores count what is free and what is filled; a mutex keeps
// those apart who do the same. Right; and one that posts before it has written.
//
// expect: semaphore_ring holds
// expect: semaphore_ring_early data race
#include <linchpin/test.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum {
    ROOM = 1
};

typedef struct {
    sem_t free, filled;
    pthread_mutex_t putting, taking;
    lp_int values[ROOM];
    unsigned first, last;
} ring;

static void *setup(void)
{
    ring *r = calloc(1, sizeof *r);
    sem_init(&r->free, 0, ROOM);
    sem_init(&r->filled, 0, 0);
    pthread_mutex_init(&r->putting, NULL);
    pthread_mutex_init(&r->taking, NULL);
    return r;
}

static lp_int enqueue(void *object, lp_int value)
{
    ring *r = object;
    sem_wait(&r->free);
    pthread_mutex_lock(&r->putting);
    r->values[r->last++ % ROOM] = value;
    pthread_mutex_unlock(&r->putting);
    sem_post(&r->filled);
    return LP_YES;
}

static lp_int enqueue_early(void *object, lp_int value)
{
    ring *r = object;
    sem_wait(&r->free);
    sem_post(&r->filled);
    pthread_mutex_lock(&r->putting);
    r->values[r->last++ % ROOM] = value;
    pthread_mutex_unlock(&r->putting);
    return LP_YES;
}

static lp_int dequeue(void *object, lp_int unused)
{
    ring *r = object;
    (void)unused;
    sem_wait(&r->filled);
    pthread_mutex_lock(&r->taking);
    lp_int value = r->values[r->first++ % ROOM];
    pthread_mutex_unlock(&r->taking);
    sem_post(&r->free);
    return value;
}

LP_TEST(semaphore_ring, .spec = "queue(1)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", enqueue, LP_FRESH, 0, LP_MAY_WAIT},
                {"dequeue", dequeue, 0, 0, 0, LP_MAY_WAIT}});
LP_TEST(semaphore_ring_early, .spec = "queue(1)", .setup = setup, .teardown = free,
        .ops = {{"enqueue", enqueue_early, LP_FRESH, 0, LP_MAY_WAIT},
                {"dequeue", dequeue, 0, 0, 0, LP_MAY_WAIT}});
