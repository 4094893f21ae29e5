/* Whether there are pending writes for the blocks of a register with cas that only such can have
 * followed in time.
 *
 * A write that was invoked by then can, and one can follow one block only. So whoever was invoked
 * by a time can do all that one invoked later can, and it is enough to give each write the first
 * time behind its invocation that has none yet: the times that get one are as many as can, for
 * those that are independent in a matroid are. */
#include "stream/online_cas.h"

#include <stdlib.h>

#include "base/bisect.h"

/* The times by which something must have been written, sorted. */
struct wanted {
    struct cas_online *cas;
    size_t left; /* of these there is no write yet */
};

static int compare_times(const void *first, const void *second)
{
    const uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;
    return (a > b) - (a < b);
}

/* The next that has no write, from a number on: those between learn of it. */
static uint32_t next_free(struct cas_online *cas, uint32_t number)
{
    uint32_t *free = cas->free.items, end = number;
    while (free[end] != end)
        end = free[end];
    while (free[number] != end) {
        const uint32_t next = free[number];
        free[number] = end;
        number = next;
    }
    return end;
}

/* Gives a write to a time. False: there is none left. */
static bool give(void *context, const struct added *write)
{
    struct wanted *wanted = context;
    struct cas_online *cas = wanted->cas;
    uint32_t low = 0, high = (uint32_t)cas->lacks.length;
    BISECT(low, high, middle, cas->lacks.items[middle] < write->invoked);
    const uint32_t number = next_free(cas, low);
    if (number < cas->lacks.length) {
        cas->free.items[number] = number + 1;
        wanted->left--;
    }
    return wanted->left > 0;
}

static bool want(struct cas_online *cas, uint64_t time)
{
    return vector_push(&cas->lacks, time);
}

bool cas_wants_pending(const struct cas_online *cas)
{
    return cas->put_away || cas->lacking.length;
}

static bool find_wanted(struct cas_online *cas, bool open)
{
    cas->lacks.length = cas->free.length = 0;
    bool done = true;
    for (size_t i = 0; i < cas->put_away && done; i++)
        if (cas->operations.items[i].access.kind == ACCESS_FAILED)
            done = want(cas, cas->operations.items[i].ended);
    for (size_t i = 0; i < cas->lacking.length && done; i++)
        done = want(cas, cas->operations.items[cas->lacking.items[i].question].ended);
    for (size_t i = 0; i < cas->blocks.length && open && done; i++)
        if (cas->blocks.items[i].due != CAS_NEVER)
            done = want(cas, cas->blocks.items[i].due);
    if (cas->lacks.length)
        qsort(cas->lacks.items, cas->lacks.length, sizeof *cas->lacks.items, compare_times);
    for (uint32_t i = 0; i <= cas->lacks.length && done; i++)
        done = vector_push(&cas->free, i);
    return done;
}

enum cas_pending cas_find_pending(struct cas_online *cas, enum cas_wanted what)
{
    struct wanted wanted = {.cas = cas};
    if (!find_wanted(cas, what == CAS_WANTED_OPEN))
        return CAS_PENDING_REFUSED;
    wanted.left = cas->lacks.length;
    if (!wanted.left || !unseen_walk(&cas->unseen, give, &wanted))
        return CAS_PENDING_ENOUGH;
    for (size_t i = cas->put_away; i < cas->operations.length && what != CAS_WANTED_APART; i++) {
        const struct cas_operation *operation = &cas->operations.items[i];
        if (operation->access.kind != ACCESS_WRITE || operation->ended != CAS_NEVER ||
            operation->handle != CAS_NONE)
            continue;
        const struct added write = {.invoked = operation->invoked};
        if (!cas->stages.items[operation->stage].certain && !give(&wanted, &write))
            return CAS_PENDING_ENOUGH;
    }
    return CAS_PENDING_TOO_FEW;
}
