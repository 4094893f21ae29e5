#include "stream/running.h"

#include <assert.h>

#define NONE RUNNING_NONE

static struct pending_operation operation_of(const struct running_operation *at)
{
    return (struct pending_operation){
        .invoked = at->invoked, .serial = at->serial, .pending = at->pending, .detail = at->detail};
}

/* ---- one operation ---- */

/* Where it stands, whose handle may be lost. False: nowhere, which is the case of no operation that
 * was added. */
static bool locate(const struct running *running, uint32_t handle, uint64_t serial,
                   struct running_walk *walk)
{
    walk->running = running;
    walk->number = handle;
    walk->is_aside = false;
    if (running_at(running, handle, serial))
        return true;
    walk->is_aside = pending_list_find(&running->aside, serial, &walk->aside);
    walk->number = walk->is_aside ? NONE : running->first;
    while (walk->number != NONE && running->items.items[walk->number].serial != serial)
        walk->number = running->items.items[walk->number].after;
    return walk->is_aside || walk->number != NONE;
}

struct pending_operation running_find(const struct running *running, uint32_t handle,
                                      uint64_t serial)
{
    struct running_walk walk;
    const bool found = locate(running, handle, serial, &walk);
    assert(found);
    return found ? *running_walk_at(&walk) : (struct pending_operation){0};
}

struct pending_operation running_end(struct running *running, uint32_t handle, uint64_t serial)
{
    struct running_walk walk;
    const bool found = locate(running, handle, serial, &walk);
    assert(found);
    if (!found)
        return (struct pending_operation){0};
    const struct pending_operation ended = *running_walk_at(&walk);
    running_walk_remove(running, &walk);
    return ended;
}

void running_stays(struct running *running, uint32_t handle, uint64_t serial)
{
    struct running_walk walk;
    const bool found = locate(running, handle, serial, &walk);
    assert(found);
    if (found && walk.is_aside)
        pending_list_stays(&running->aside, &walk.aside);
    else if (found)
        running->items.items[walk.number].pending = true;
}

bool running_set_aside(struct running *running, uint32_t handle, uint64_t serial,
                       enum online_drops drops)
{
    const size_t few = drops == DROPS_AT_ONCE ? 0 : RUNNING_FEW;
    if (running->count - running->aside.count <= few || !running_at(running, handle, serial))
        return true;
    for (uint32_t number = NONE; number != handle;) {
        number = running->first;
        const struct pending_operation operation = operation_of(&running->items.items[number]);
        if (!pending_list_add(&running->aside, &operation))
            return false;
        running_remove(running, number);
        running->count++;
    }
    return true;
}

/* ---- all ---- */

void running_walk_first(const struct running *running, struct running_walk *walk)
{
    walk->running = running;
    walk->is_aside = running->aside.count;
    walk->number = walk->is_aside ? NONE : running->first;
    if (walk->is_aside)
        pending_list_first(&running->aside, &walk->aside);
}

void running_walk_last(const struct running *running, struct running_walk *walk)
{
    walk->running = running;
    walk->number = running->last;
    walk->is_aside = walk->number == NONE;
    if (walk->is_aside)
        pending_list_last(&running->aside, &walk->aside);
}

void running_walk_behind(const struct running *running, uint64_t time, struct running_walk *walk)
{
    walk->running = running;
    walk->number = NONE;
    pending_list_behind(&running->aside, time, &walk->aside);
    walk->is_aside = pending_walk_at(&walk->aside);
    if (walk->is_aside)
        return;
    walk->number = running->first;
    while (walk->number != NONE && running->items.items[walk->number].invoked <= time)
        walk->number = running->items.items[walk->number].after;
}

void running_walk_before(const struct running *running, uint64_t time, struct running_walk *walk)
{
    const struct running_operation *items = running->items.items;
    uint32_t next = running->first;
    walk->running = running;
    walk->number = NONE;
    for (; next != NONE && items[next].invoked < time; next = items[next].after)
        walk->number = next;
    walk->is_aside = walk->number == NONE;
    if (walk->is_aside)
        pending_list_before(&running->aside, time, &walk->aside);
}

void running_walk_next(struct running_walk *walk)
{
    if (!walk->is_aside) {
        walk->number = walk->running->items.items[walk->number].after;
        return;
    }
    pending_walk_next(&walk->aside);
    walk->is_aside = pending_walk_at(&walk->aside);
    if (!walk->is_aside)
        walk->number = walk->running->first;
}

void running_walk_back(struct running_walk *walk)
{
    if (walk->is_aside) {
        pending_walk_back(&walk->aside);
        return;
    }
    walk->number = walk->running->items.items[walk->number].before;
    walk->is_aside = walk->number == NONE;
    if (walk->is_aside)
        pending_list_last(&walk->running->aside, &walk->aside);
}

const struct pending_operation *running_walk_at(struct running_walk *walk)
{
    if (walk->is_aside)
        return pending_walk_at(&walk->aside);
    if (walk->number == NONE)
        return NULL;
    walk->now = operation_of(&walk->running->items.items[walk->number]);
    return &walk->now;
}

void running_walk_remove(struct running *running, struct running_walk *walk)
{
    if (!walk->is_aside) {
        running_remove(running, walk->number);
        return;
    }
    pending_list_remove(&running->aside, &walk->aside);
    running->count--;
}

bool running_each(const struct running *running, const struct online_visitor *visitor)
{
    const struct running_operation *items = running->items.items;
    if (!pending_list_each(&running->aside, visitor))
        return false;
    for (uint32_t i = running->first; i != NONE; i = items[i].after)
        if (!visitor->visit(visitor->context, items[i].serial))
            return false;
    return true;
}

void running_archive(struct archive *archive, struct running *running, bool values)
{
    ARCHIVE_LENGTH(archive, &running->items);
    const size_t length = running->items.length;
    for (size_t i = 0; i < length; i++) {
        struct running_operation *operation = &running->items.items[i];
        ARCHIVE(archive, operation->invoked);
        operation->serial = archive_number(archive, operation->serial);
        operation->pending = archive_number(archive, operation->pending);
        if (values)
            archive_value(archive, &operation->detail);
        else
            ARCHIVE(archive, operation->detail);
        operation->before = archive_place(archive, operation->before, length);
        operation->after = archive_place(archive, operation->after, length);
    }
    running->first = archive_place(archive, running->first, length);
    running->last = archive_place(archive, running->last, length);
    running->free = archive_place(archive, running->free, length);
    running->live = archive_place(archive, running->live, length);
    ARCHIVE(archive, running->count);
    pending_list_archive(archive, &running->aside, values);
}
