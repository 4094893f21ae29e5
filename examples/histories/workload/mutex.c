/* Locks: one that waits for an atomic exchange, and one that looks first and locks afterwards. */
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "workload.h"

static void *create(size_t operations)
{
    (void)operations;
    atomic_bool *locked = malloc(sizeof *locked);
    if (locked)
        atomic_init(locked, false);
    return locked;
}

static size_t use_correct(void *object, struct thread *thread)
{
    atomic_bool *locked = object;
    record_call(thread, "acquire", NOTHING);
    while (atomic_exchange(locked, true))
        sched_yield();
    record_return(thread, NOTHING);
    thread_waver(thread);
    record_call(thread, "release", NOTHING);
    atomic_store(locked, false);
    record_return(thread, NOTHING);
    return 2;
}

/* The slip: between the test and the store another thread may have passed the same test. */
static size_t use_test_then_set(void *object, struct thread *thread)
{
    atomic_bool *locked = object;
    record_call(thread, "acquire", NOTHING);
    while (atomic_load(locked))
        sched_yield();
    thread_waver(thread);
    atomic_store(locked, true);
    record_return(thread, NOTHING);
    record_call(thread, "release", NOTHING);
    atomic_store(locked, false);
    record_return(thread, NOTHING);
    return 2;
}

const struct implementation mutex_correct = {
    "mutex-correct", "a lock by atomic exchange", "mutex", create, free, use_correct};
const struct implementation mutex_test_then_set = {
    "mutex-test-then-set", "a lock by test and store", "mutex", create, free, use_test_then_set};
