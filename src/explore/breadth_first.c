/* Since numbers are handed out in the order found, the nodes of one distance from the initial ones
 * (a level) are those between two counts: how many were known when the level began, and when all of
 * these are taken up. Newest first needs a stack beside the numbers, and has no levels. */
#include "explore/explore.h"

#include <assert.h>

#include "base/log.h"

void explorer_init(struct explorer *explorer, enum explore_order order, const struct limits *limits,
                   struct budget *budget)
{
    *explorer =
        (struct explorer){.order = order, .limits = limits, .log = limits ? limits->log : NULL};
    vector_init(&explorer->newest, budget);
}

void explorer_release(struct explorer *explorer)
{
    vector_release(&explorer->newest);
}

enum status explorer_take(struct explorer *explorer)
{
    if (explorer->taken++ % EXPLORE_LOOK_EVERY != 0 || !explorer->limits)
        return STATUS_OK;
    const enum limit limit = limits_reached(explorer->limits);
    if (explorer->work)
        atomic_store(explorer->work, explorer->taken);
    return granted(limit == LIMIT_NONE);
}

void explorer_tell(struct explorer *explorer, uint32_t found, uint32_t waiting)
{
    static const char *const told[] = {[EXPLORE_NEWEST_FIRST] = "of them not taken up",
                                       [EXPLORE_ALONG_EDGES] = "of them on the path"};
    if (LIKELY(!explorer->log) || !explorer->task ||
        !log_due(explorer->log, found, &explorer->said))
        return;
    if (explorer->order == EXPLORE_OLDEST_FIRST)
        LOG(explorer->log, "%s: depth %s, %s %s, frontier %s", explorer->task,
            count_text(explorer->depth).digits, count_text(found).digits, explorer->nodes,
            count_text(waiting).digits);
    else
        LOG(explorer->log, "%s: %s %s, %s %s", explorer->task, count_text(found).digits,
            explorer->nodes, count_text(waiting).digits, told[explorer->order]);
}

void explorer_tell_end(const struct explorer *explorer, enum status status)
{
    if (explorer->task)
        LOG(explorer->log, "%s: %s after %s %s were taken up", explorer->task,
            status == STATUS_LIMIT ? "ended by a limit" : "done",
            count_text(explorer->taken).digits, explorer->nodes);
}

static enum status explore_oldest(struct explorer *explorer, const struct visitor *visitor,
                                  void *self)
{
    uint32_t end = 0;
    bool stop = false;
    TRY(visitor->found(self, &end));
    explorer_tell(explorer, end, end);
    for (uint32_t node = 0; node < end;) {
        TRY(explorer_take(explorer));
        TRY(visitor->visit(self, node++, &stop));
        if (!stop && node < end)
            continue;
        uint32_t begin = end;
        TRY(visitor->found(self, &end));
        assert(end >= begin); /* what is found stays found */
        if (stop)
            return STATUS_OK;
        explorer->depth += end > begin;
        if (end > begin)
            explorer_tell(explorer, end, end - begin);
    }
    assert(explorer->taken == end);
    return STATUS_OK;
}

static enum status explore_newest(struct explorer *explorer, const struct visitor *visitor,
                                  void *self)
{
    bool stop = false;
    for (uint32_t known = 0, end = 0;; known = end) {
        TRY(visitor->found(self, &end));
        assert(end >= known);
        for (uint32_t node = known; node < end; node++)
            TRY_MEMORY(vector_push(&explorer->newest, node));
        if (stop || explorer->newest.length == 0)
            return STATUS_OK;
        explorer_tell(explorer, end, (uint32_t)explorer->newest.length);
        TRY(explorer_take(explorer));
        TRY(visitor->visit(self, explorer->newest.items[--explorer->newest.length], &stop));
        assert(explorer->taken + explorer->newest.length == end); /* each node once */
    }
}

enum status explore(struct explorer *explorer, const struct visitor *visitor, void *self)
{
    assert(explorer->order != EXPLORE_ALONG_EDGES);
    const enum status status = explorer->order == EXPLORE_NEWEST_FIRST
                                   ? explore_newest(explorer, visitor, self)
                                   : explore_oldest(explorer, visitor, self);
    explorer_tell_end(explorer, status);
    return status;
}

enum status explore_oldest_first(const struct limits *limits, const char *task, const char *nodes,
                                 const struct visitor *visitor, void *self)
{
    struct explorer explorer = {.order = EXPLORE_OLDEST_FIRST,
                                .limits = limits,
                                .log = limits ? limits->log : NULL,
                                .task = task,
                                .nodes = nodes};
    return explore(&explorer, visitor, self);
}
