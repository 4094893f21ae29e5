/* What the code under test may ask of the execution under way: for callbacks, and for what stands
 * in place of functions of libraries. */
#ifndef RUNTIME_EXECUTION_H
#define RUNTIME_EXECUTION_H

#include "runtime/heap.h"
#include "runtime/threads.h"

static inline enum phase execution_phase(void)
{
    return execution.phase;
}

/* The thread that runs, or THREAD_ALONE. */
static inline unsigned execution_thread(void)
{
    return execution.current;
}

/* An atomic read, with what it does besides: the value read. `frame`: of the callback, where its
 * callee-saved registers lie (runtime/callbacks.h). Never returns when the thread waits there. */
memory_value execution_read(const struct exploration_access *access, const char *frame);

/* Whether the last read was a compare-exchange that failed though the value was the expected one.
 * `may_fail` of an access says that it is weak. */
bool execution_failed(void);

void execution_write(const struct exploration_access *access);
void execution_store(const struct exploration_access *access, const char *frame);
void execution_fence(enum memory_order_c11 order, const char *frame, const void *at);

/* A plain access, which follows. */
void execution_plain(const void *address, size_t size, bool writes, const void *at);

/* A volatile access, which follows: as a relaxed atomic one. */
void execution_volatile_read(void *address, size_t size, const char *frame, const void *at);
void execution_volatile_write(void *address, size_t size, const void *at);

/* A plain access, which follows, taken likewise (runtime/relaxed.h). */
void execution_relaxed_read(void *address, size_t size, const char *frame, const void *at);

/* Whether the newest write to a location is of that value: of what the thread itself holds. */
bool execution_memory_is(const void *address, size_t size, memory_value value);

/* Memory of the heap; frees it. */
void *execution_allocate(size_t size, size_t align, enum heap_family family, bool is_initialised,
                         const void *at);
void execution_free(void *block, enum heap_family family, const void *at);

/* A thread begins; its number. What is given to it; what it answered, once it has ended. */
unsigned execution_create(void *(*start)(void *), void *argument, const void *at);
void *execution_join(unsigned thread, const void *at);
void execution_exit(void *result, const void *at) __attribute__((noreturn));

/* A choice among 0 to `count` - 1: all of them are gone through. */
unsigned execution_choose(unsigned count, const void *at);

/* The thread comes to where it waits, with this call, in the local state from `frame`: never
 * returns if it was here before, and has written nothing since. */
void execution_come_again(const struct spin_call *call, const char *frame, const void *at);

/* Of a thread that dozes: whether somebody has noticed meanwhile that it went round. */
bool execution_wakes(unsigned thread);

/* Whether a thread has left all that it has written atomically behind its event with index `since`,
 * up to that with index `now`, as it had written it before. */
bool execution_restores(const struct execution_graph *graph, unsigned thread, unsigned since,
                        unsigned now);

/* The thread changes what is kept for it elsewhere than in memory: the loop that it is in is none
 * of those that do nothing. */
void execution_change(void);

/* The thread waits for a signal (runtime/conditions.h), behind the read that found none. */
void execution_block_for_signal(const void *at) __attribute__((noreturn));

/* Whether some thread waits for a lock. */
bool execution_waits_for(const void *lock);

/* Ends the run with what was found. */
void execution_find(const struct finding *finding) __attribute__((noreturn));

/* Ends it because a lock or the like is misused: what the thread does. Returns, and nothing is
 * done, where no test runs. */
void execution_misuse(const char *what, const volatile void *of, const void *at);
void execution_bad_unlock(const volatile void *lock, const void *at);

/* Ends it because of something that is not modelled. */
void execution_refuse(const char *what, const void *at) __attribute__((noreturn));

/* What a thread that was created does first; what the current one does before anything that others
 * see; how it ends. */
void *execution_begin_created(void);
void execution_settle(void);
void execution_finish(void *result) __attribute__((noreturn));

/* Takes down a crash, from the handler of its signal: nothing goes on in this process. */
void execution_crash(int signal, const void *address, const void *at);

#endif
