#include "base/ticker.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

struct ticker {
    void (*tick)(void *context);
    void *context;
    unsigned milliseconds;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopping;
    bool stop; /* under `lock` */
};

static struct timespec after(struct timespec time, unsigned milliseconds)
{
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (time.tv_nsec >= 1000000000) {
        time.tv_nsec -= 1000000000;
        time.tv_sec++;
    }
    return time;
}

static void *ticker_run(void *argument)
{
    struct ticker *ticker = argument;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    pthread_mutex_lock(&ticker->lock);
    while (!ticker->stop) {
        next = after(next, ticker->milliseconds);
        while (!ticker->stop &&
               pthread_cond_timedwait(&ticker->stopping, &ticker->lock, &next) == 0)
            ; /* woken early: look again */
        if (ticker->stop)
            break;
        pthread_mutex_unlock(&ticker->lock);
        ticker->tick(ticker->context);
        pthread_mutex_lock(&ticker->lock);
    }
    pthread_mutex_unlock(&ticker->lock);
    return NULL;
}

struct ticker *ticker_start(unsigned milliseconds, void (*tick)(void *context), void *context)
{
    struct ticker *ticker = memory_small(sizeof *ticker);
    *ticker = (struct ticker){.tick = tick, .context = context, .milliseconds = milliseconds};
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&ticker->lock, NULL);
    pthread_cond_init(&ticker->stopping, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&ticker->thread, NULL, ticker_run, ticker) == 0)
        return ticker;
    pthread_cond_destroy(&ticker->stopping);
    pthread_mutex_destroy(&ticker->lock);
    free(ticker);
    return NULL;
}

void ticker_stop(struct ticker *ticker)
{
    if (!ticker)
        return;
    pthread_mutex_lock(&ticker->lock);
    ticker->stop = true;
    pthread_cond_signal(&ticker->stopping);
    pthread_mutex_unlock(&ticker->lock);
    pthread_join(ticker->thread, NULL);
    pthread_cond_destroy(&ticker->stopping);
    pthread_mutex_destroy(&ticker->lock);
    free(ticker);
}
