/* What is done once, by whoever comes first: pthread_once, call_once, variables of functions. */
#include <pthread.h>
#include <string.h>

#include "runtime/bound.h"
#include "runtime/callbacks.h"
#include "runtime/locks.h"

/* `done` becomes 1 once it is done; `lock` is held by who does it. */
struct once {
    char *done;
    void *lock;
    unsigned size; /* of the lock */
};

static bool is_done(const struct once *once, const void *at)
{
    return execution_read(
        &(struct exploration_access){
            .address = once->done, .size = 1, .order = ORDER_ACQUIRE, .at = at},
        NULL);
}

/* Whether it is for this thread to do it: then it has the lock. */
static bool begin(const struct once *once, const void *at)
{
    if (is_done(once, at))
        return false;
    lock_take(once->lock, once->size, true, NULL, at);
    if (!is_done(once, at))
        return true;
    lock_give_back(once->lock, once->size, at);
    return false;
}

static void end(const struct once *once, bool done, const void *at)
{
    if (done)
        execution_write(&(struct exploration_access){
            .address = once->done, .size = 1, .order = ORDER_RELEASE, .operand = 1, .at = at});
    lock_give_back(once->lock, once->size, at);
}

static struct once of_guard(uint64_t *guard)
{
    return (struct once){(char *)guard, (int *)guard + 1, sizeof(int)};
}

BOUND_FUNCTION(int, __cxa_guard_acquire, uint64_t *guard)
{
    const struct once once = of_guard(guard);
    return begin(&once, CALLER);
}

BOUND_FUNCTION(void, __cxa_guard_release, uint64_t *guard)
{
    const struct once once = of_guard(guard);
    end(&once, true, CALLER);
}

BOUND_FUNCTION(void, __cxa_guard_abort, uint64_t *guard)
{
    const struct once once = of_guard(guard);
    end(&once, false, CALLER);
}

/* ---- pthread_once: an int of four bytes ---- */

struct doing {
    struct once once;
    bool returned;
    const void *at;
};

/* Also when it is left by an exception: then somebody else is to do it. */
static void leave(struct doing *doing)
{
    end(&doing->once, doing->returned, doing->at);
}

static void do_once(char *control, void (*function)(void), const void *at)
{
    const struct once once = {control, control + 1, 1};
    if (!begin(&once, at))
        return;
    struct doing doing __attribute__((cleanup(leave))) = {.once = once, .at = at};
    function();
    doing.returned = true;
}

BOUND_FUNCTION(int, pthread_once, char *control, void (*function)(void))
{
    do_once(control, function, CALLER);
    return 0;
}

BOUND_FUNCTION(void, call_once, char *control, void (*function)(void))
{
    do_once(control, function, CALLER);
}
