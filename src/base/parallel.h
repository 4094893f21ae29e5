/* Doing independent pieces of work on several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stddef.h>

/* Calls work(context, i, worker) once for every i in 0 .. count-1, on at most `threads` threads
 * (worker: 0 .. threads-1; the caller's is one of them), taking the next i as each gets free.
 * Returns when all are done. With threads <= 1, or where the system gives no thread, the caller
 * does it all, in order. */
void parallel_for(unsigned threads, size_t count,
                  void (*work)(void *context, size_t i, unsigned worker), void *context);

/* Locks what is held for less time than it takes to be woken: looks again for some microseconds
 * before it sleeps. */
void lock_briefly(pthread_mutex_t *mutex);

/* The number of cores this process may use, at least 1. */
unsigned parallel_cores(void);

#endif
