/* The locks that the current thread holds: what it has done itself, and nothing else. */
#ifndef RUNTIME_HELD_H
#define RUNTIME_HELD_H

#include "runtime/threads.h"

/* Null: it does not hold that lock. */
const struct held_lock *held_find(const void *lock);

/* It took a lock. Ends the run where it holds too many (execution_refuse). */
void held_add(const void *lock, bool shared, const void *at);

/* It gives back one that it holds: whether for the last time. */
bool held_remove(const void *lock);

#endif
