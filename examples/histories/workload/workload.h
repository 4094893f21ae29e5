/* Threads that use a concurrent object, and the record of what they saw.
 *
 * A record of an operation needs two facts that hold in real time: it began after its invocation
 * was recorded, and its response was recorded after it ended. Here both are ticks of one shared
 * counter, so the recorded intervals are never shorter than the real ones, and no verdict blames
 * an object for what the recorder did. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#define NOTHING INT64_MIN /* no argument, or no result */

struct thread;

/* An implementation of an object: a line of the table in main.c. */
struct implementation {
    const char *name, *summary, *specification;

    /* An object on which `operations` operations will be done in all. Null: out of memory. */
    void *(*create)(size_t operations);
    void (*destroy)(void *object);

    /* Does the thread's next operation or operations, each between record_call and record_return.
     * Returns how many. */
    size_t (*use)(void *object, struct thread *thread);
};

/* The calling thread is about to call `function`, a string that lives on. */
void record_call(struct thread *thread, const char *function, int64_t argument);

/* What was called has returned. */
void record_return(struct thread *thread, int64_t result);

/* A number below `limit`, each thread's own. */
uint32_t thread_random(struct thread *thread, uint32_t limit);

/* A value that no thread had before. */
int64_t thread_fresh_value(struct thread *thread);

/* Sometimes lets another thread run. Stands where an algorithm is most easily disturbed, so that
 * few operations on few cores show what many on many would. */
void thread_waver(struct thread *thread);

extern const struct implementation queue_correct, queue_plain_head, queue_two_lanes;
extern const struct implementation stack_correct, stack_aba;
extern const struct implementation mutex_correct, mutex_test_then_set;

#endif
