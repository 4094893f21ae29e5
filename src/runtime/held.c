#include "runtime/held.h"

#include "runtime/execution.h"

static struct held_lock *find(const void *lock)
{
    struct held_locks *held = &thread_current()->held;
    for (unsigned i = 0; i < held->count; i++)
        if (held->items[i].lock == lock)
            return &held->items[i];
    return NULL;
}

const struct held_lock *held_find(const void *lock)
{
    return find(lock);
}

void held_add(const void *lock, bool shared, const void *at)
{
    struct held_locks *held = &thread_current()->held;
    struct held_lock *found = find(lock);
    if (found) {
        found->times++;
        return;
    }
    if (held->count == MOST_HELD)
        execution_refuse("a thread that holds more than 32 locks", at);
    held->items[held->count++] = (struct held_lock){.lock = lock, .times = 1, .shared = shared};
}

bool held_remove(const void *lock)
{
    struct held_locks *held = &thread_current()->held;
    struct held_lock *found = find(lock);
    if (--found->times > 0)
        return false;
    *found = held->items[--held->count];
    return true;
}
