// A queue of one place under a mutex, in which who finds it full or empty waits: with a condition
// for each side, right; with `if` in place of `while` around the wait; and with one condition for
// both sides that is signalled, not broadcast, so that the signal may wake the wrong side.
//
// expect: bounded_queue holds
// expect: bounded_queue_if failed assertion
// expect: bounded_queue_one_condition waits for ever
#include <linchpin/test.h>

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    ROOM = 1
};

typedef struct {
    pthread_mutex_t mutex;
    pthread_cond_t not_full, not_empty, changed;
    lp_int values[ROOM];
    unsigned first, count;
} queue;

static void *setup(void)
{
    queue *q = calloc(1, sizeof *q);
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->not_full, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->changed, NULL);
    return q;
}

static void teardown(void *object)
{
    queue *q = object;
    pthread_cond_destroy(&q->not_full);
    pthread_cond_destroy(&q->not_empty);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->mutex);
    free(q);
}

static void put(queue *q, lp_int value)
{
    assert(q->count < ROOM);
    q->values[(q->first + q->count++) % ROOM] = value;
}

static lp_int take(queue *q)
{
    assert(q->count > 0);
    q->count--;
    return q->values[q->first++ % ROOM];
}

// ---- right ----

static lp_int enqueue(void *object, lp_int value)
{
    queue *q = object;
    pthread_mutex_lock(&q->mutex);
    while (q->count == ROOM)
        pthread_cond_wait(&q->not_full, &q->mutex);
    put(q, value);
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
    return LP_YES;
}

static lp_int dequeue(void *object, lp_int unused)
{
    queue *q = object;
    (void)unused;
    pthread_mutex_lock(&q->mutex);
    while (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    lp_int value = take(q);
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->mutex);
    return value;
}

// ---- somebody else may have been faster than who was woken ----

static lp_int dequeue_if(void *object, lp_int unused)
{
    queue *q = object;
    (void)unused;
    pthread_mutex_lock(&q->mutex);
    if (q->count == 0)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    lp_int value = take(q);
    pthread_cond_signal(&q->not_full);
    pthread_mutex_unlock(&q->mutex);
    return value;
}

// ---- one condition for both sides ----

static lp_int enqueue_one(void *object, lp_int value)
{
    queue *q = object;
    pthread_mutex_lock(&q->mutex);
    while (q->count == ROOM)
        pthread_cond_wait(&q->changed, &q->mutex);
    put(q, value);
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return LP_YES;
}

static lp_int dequeue_one(void *object, lp_int unused)
{
    queue *q = object;
    (void)unused;
    pthread_mutex_lock(&q->mutex);
    while (q->count == 0)
        pthread_cond_wait(&q->changed, &q->mutex);
    lp_int value = take(q);
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return value;
}

LP_TEST(bounded_queue, .spec = "queue(1)", .setup = setup, .teardown = teardown,
        .ops = {{"enqueue", enqueue, LP_FRESH, 0, LP_MAY_WAIT},
                {"dequeue", dequeue, 0, 0, 0, LP_MAY_WAIT}});
LP_TEST(bounded_queue_if, .spec = "queue(1)", .setup = setup, .teardown = teardown,
        .ops = {{"enqueue", enqueue, LP_FRESH, 0, LP_MAY_WAIT},
                {"dequeue", dequeue_if, 0, 0, 0, LP_MAY_WAIT}});
LP_TEST(bounded_queue_one_condition, .spec = "queue(1)", .setup = setup, .teardown = teardown,
        .ops = {{"enqueue", enqueue_one, LP_FRESH, 0, LP_MAY_WAIT},
                {"dequeue", dequeue_one, 0, 0, 0, LP_MAY_WAIT}});
