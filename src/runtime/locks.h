/* What locks are made of: integers that threads share, each access to which is an event. A misuse
 * is a finding; what it says of it is put behind the name of the thread. */
#ifndef RUNTIME_LOCKS_H
#define RUNTIME_LOCKS_H

#include <pthread.h>

#include "runtime/execution.h"

/* A lock that one thread holds: 0, or the number of its owner from 1. To take it is a
 * compare-and-exchange, acquire, behind which the thread waits if it fails, where it `waits`; to
 * give it back is a store, release. `frame`: of who looks again if it fails (execution_read). */
bool lock_take(const volatile void *word, unsigned size, bool waits, const char *frame,
               const void *at);
void lock_give_back(const volatile void *word, unsigned size, const void *at);

/* The current thread is about to wait for a lock (or so many, listed there), in the local state
 * from `frame`: where it only takes it to look again, others go on without it (runtime/sections.h).
 */
void lock_come(const void *lock, unsigned count, const char *frame, const void *at);

/* A read-modify-write or a load; in this and the following `call` is what it is told as. */
uint64_t lock_update(const volatile void *word, enum memory_operation operation, uint64_t operand,
                     enum memory_order_c11 order, enum event_call call, const void *at);

/* Adds to an unsigned, unless it is `unless`: what it was. Waits behind it, where it `waits`. */
unsigned lock_add_unless(const volatile void *word, unsigned operand, unsigned unless,
                         enum memory_order_c11 order, bool waits, enum event_call call,
                         const void *at);

/* Waits until an unsigned is at least `least`, where it `waits`: what it is. */
unsigned lock_await(const volatile void *word, unsigned least, enum memory_order_c11 order,
                    bool waits, enum event_call call, const void *at);

/* Mutexes of pthreads, as conditions need them. 0, or the number of an error. */
int mutex_lock(pthread_mutex_t *mutex, const void *at);
int mutex_unlock(pthread_mutex_t *mutex, const void *at);

#endif
