#include "runtime/weak.h"

#include <string.h>

#include "base/hash.h"

enum {
    MOST_SITES = 64 /* further ones are taken to be choices */
};

enum what {
    SITE_NEW,
    SITE_RETRIED,
    SITE_ALONE,
};

static struct {
    struct {
        uint64_t site;
        enum what what;
    } sites[MOST_SITES];
    unsigned site_count;
    struct weak_found found[WEAK_FOUND];
    unsigned found_count;

    bool tries, retried;         /* the run is one that tries a site out */
    const struct thread *failed; /* by whom, once it has failed there, with nothing new since */
    uint64_t site;
    size_t size;           /* of the local state then, or of the last attempt */
    struct spin_call call; /* and what it asked for */
    char bytes[SPIN_BYTES];
} weak;

void weak_open(void)
{
    weak.site_count = weak.found_count = 0;
    weak.tries = weak.retried = false;
    weak.failed = NULL;
}

static enum what look_up(uint64_t site)
{
    for (unsigned i = 0; i < weak.site_count; i++)
        if (weak.sites[i].site == site)
            return weak.sites[i].what;
    return weak.site_count < MOST_SITES ? SITE_NEW : SITE_ALONE;
}

static uint64_t site_of(const struct thread *thread, size_t depth)
{
    return hash_pair((uintptr_t)thread->request.access.at,
                     depth * (SCENARIO_OPERATIONS + 1) + thread->operation);
}

bool weak_come(struct thread *thread, const char *frame, const char *end)
{
    struct request *request = &thread->request;
    size_t size = (size_t)(end - frame);
    request->site = site_of(thread, size);
    request->access.may_fail = exploration_is_along(execution.exploration) ||
                               (!thread->failed && look_up(request->site) == SITE_ALONE);
    if (!weak.tries || size > sizeof weak.bytes)
        return true;
    const struct spin_call call = spin_call_of(&request->access);
    if (weak.failed == thread && request->site == weak.site) {
        weak.retried = weak.size == size && spin_is_same_call(&weak.call, &call) &&
                       memcmp(weak.bytes, frame, size) == 0;
        weak.failed = NULL;
        execution_end(END_COMPLETE, NULL);
        return false;
    }
    if (!weak.failed) {
        weak.size = size;
        weak.call = call;
        memcpy(weak.bytes, frame, size);
    }
    return true;
}

void weak_made(struct thread *thread, bool stored, bool failed)
{
    struct request *request = &thread->request;
    thread->failed |= failed;
    if (weak.tries && failed && request->site == weak.site)
        weak.failed = thread;
    if (!weak.tries && stored && weak.found_count < WEAK_FOUND &&
        look_up(request->site) == SITE_NEW)
        weak.found[weak.found_count++] =
            (struct weak_found){.read = request->event, .site = request->site};
}

void weak_forget(const struct thread *thread)
{
    if (weak.failed == thread)
        weak.failed = NULL;
}

void weak_wait(const struct thread *thread)
{
    if (weak.failed == thread)
        weak.retried = true;
}

unsigned weak_take(struct weak_found found[WEAK_FOUND])
{
    unsigned count = weak.found_count;
    memcpy(found, weak.found, count * sizeof *found);
    weak.found_count = 0;
    return count;
}

void weak_try(const struct weak_found *found)
{
    weak.tries = true;
    weak.retried = false;
    weak.failed = NULL;
    weak.site = found->site;
    weak.size = 0;
}

bool weak_tried(const struct weak_found *found)
{
    weak.tries = false;
    weak.failed = NULL;
    if (look_up(found->site) == SITE_NEW) {
        weak.sites[weak.site_count].site = found->site;
        weak.sites[weak.site_count++].what = weak.retried ? SITE_RETRIED : SITE_ALONE;
    }
    return !weak.retried;
}
