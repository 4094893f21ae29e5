#include "decide/decide.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/log.h"
#include "decide/definition.h"
#include "decide/witness.h"
#include "monitor/monitors.h"
#include "search/search.h"

/* Steps for a part without pending operations: these, and so many for each operation. */
#define NARROWED_WORK      10000
#define NARROWED_WORK_EACH 20

const char *method_name(enum method method)
{
    static const char *const names[] = {"auto", "monitor", "search", "definition"};
    assert(method < ARRAY_LENGTH(names));
    return names[method];
}

static decide *engine_of(enum method method)
{
    switch (method) {
    case METHOD_MONITOR:
        return monitor_decide;
    case METHOD_SEARCH:
        return search_decide;
    case METHOD_DEFINITION:
        return definition_decide;
    case METHOD_AUTO:
        break;
    }
    assert(!"a method that decides");
    return NULL;
}

/* Operations that stay open have several places in the order: each keeps its last. */
static bool keep_last_places(const struct part *part, struct limits *limits,
                             struct decision *decision)
{
    uint32_t *order = decision->linearization.items;
    size_t kept = decision->linearization.length;
    bool *seen = memory_zeroed(limits->budget, part->count * sizeof *seen);
    if (!seen)
        return false;
    for (size_t i = decision->linearization.length; i-- > 0;) {
        const uint32_t operation = order[i];
        if (!seen[operation])
            order[--kept] = operation;
        seen[operation] = true;
    }
    decision->linearization.length -= kept;
    if (decision->linearization.length > 0)
        memmove(order, order + kept, decision->linearization.length * sizeof *order);
    memory_release(limits->budget, seen, part->count * sizeof *seen);
    return true;
}

/* No engine is trusted with `linearizable`: what it found is replayed. */
static enum status confirm_linearization(const struct part *part, enum method method,
                                         struct limits *limits, struct decision *decision,
                                         struct error *error)
{
    size_t length = decision->linearization.length, bad;
    if (witness_is_valid(part, decision->linearization.items, length, limits, &bad))
        return part->spec->class->is_open && !keep_last_places(part, limits, decision)
                   ? decision_limit(decision, limits)
                   : STATUS_OK;
    if (limits_reached(limits) != LIMIT_NONE)
        return decision_limit(decision, limits);
    return error_set(error, STATUS_INTERNAL, NULL, 0,
                     "the %s for %s found a linearization of %zu operations that does not hold at "
                     "its place %zu; please report this together with the history",
                     method_name(method), part->spec->class->name, length, bad);
}

/* The part is too hard for the monitor: see decision.h. */
static bool has_given_up(const struct decision *decision)
{
    return decision->verdict == VERDICT_UNKNOWN && decision->limit == LIMIT_NONE;
}

/* Searches without pending operations that need not have happened, for some steps: that finds most
 * orders which the monitor does not. The verdict is unknown if none is found. */
static enum status search_narrowed(const struct part *part, struct limits *limits,
                                   struct decision *decision, struct error *error)
{
    struct arena arena;
    struct narrowed narrowed;
    enum status status = STATUS_OK;
    arena_init(&arena, limits->budget);
    if (monitor_narrow(part, limits, &arena, decision, &narrowed)) {
        const uint64_t most = limits->most_work, work = atomic_load(&limits->work),
                       share = NARROWED_WORK + NARROWED_WORK_EACH * (uint64_t)part->count;
        if (!most || most - work > share)
            limits->most_work = work + share;
        status = search_decide(&narrowed.part, limits, decision, error);
        limits->most_work = most;
        for (size_t i = 0; i < decision->linearization.length; i++)
            decision->linearization.items[i] = narrowed.origin[decision->linearization.items[i]];
    }
    arena_release(&arena);
    if (status != STATUS_OK || decision->verdict != VERDICT_LINEARIZABLE) {
        decision_clear(decision);
        atomic_store(&limits->budget->refused, false); /* what it took is free again */
    }
    return status == STATUS_LIMIT ? STATUS_OK : status;
}

enum status part_decide(const struct part *part, enum method method, struct limits *limits,
                        struct decision *decision, enum method *used, struct error *error)
{
    bool automatic = method == METHOD_AUTO;
    decision_clear(decision);
    if (automatic)
        method = monitor_applies(part, limits, NULL) ? METHOD_MONITOR : METHOD_SEARCH;
    if (used)
        *used = method;
    if (limits_reached(limits) != LIMIT_NONE)
        return decision_limit(decision, limits);
    const bool tried =
        automatic && method == METHOD_SEARCH && monitor_tries(part, limits, decision);
    if (tried)
        method = METHOD_MONITOR;
    if (tried && used)
        *used = method;
    enum status status = tried ? STATUS_OK : engine_of(method)(part, limits, decision, error);
    if (status == STATUS_LIMIT)
        return decision_limit(decision, limits);
    TRY(status);
    if (method == METHOD_MONITOR && has_given_up(decision)) {
        LOG_STEP(limits->log, "monitor: gives up, %s; the search has the turn",
                 monitor_find(part->spec->class)->gives_up);
        if (automatic)
            TRY(search_narrowed(part, limits, decision, error));
        if (automatic && used)
            *used = METHOD_SEARCH;
        if (decision->verdict == VERDICT_LINEARIZABLE)
            return confirm_linearization(part, METHOD_SEARCH, limits, decision, error);
        if (automatic)
            return part_decide(part, METHOD_SEARCH, limits, decision, used, error);
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "the monitor for %s gives up: %s; use --method=auto",
                         part->spec->class->name, monitor_find(part->spec->class)->gives_up);
    }
    if (decision->verdict == VERDICT_LINEARIZABLE)
        return confirm_linearization(part, method, limits, decision, error);
    return STATUS_OK;
}

enum status part_require_monitor(const struct part *part, const struct history *history,
                                 struct limits *limits, struct error *error)
{
    const char *name = part->spec->class->name;
    if (!monitor_find(part->spec->class))
        return error_set(error, STATUS_USAGE, history->name, 0,
                         "there is no monitor for %s; use --method=search", name);
    struct inapplicable why = {.interval = part->count, .reason = TEXT_EMPTY};
    enum status status = STATUS_OK;
    if (!monitor_applies(part, limits, &why) && limits_reached(limits) == LIMIT_NONE) {
        const char *reason = text_string(&why.reason);
        if (why.interval < part->count) {
            uint32_t index = part->intervals[why.interval].index;
            const struct operation *operation = &history->operations.items[index];
            status = error_set(
                error, STATUS_USAGE, history->name, operation->invoke_line,
                "the monitor for %s does not apply because of operation %" PRIu32 ", %s: %s", name,
                index, history_function_name(history, operation->function), reason);
        } else {
            status = error_set(error, STATUS_USAGE, history->name, 0,
                               "the monitor for %s does not apply: %s", name, reason);
        }
    }
    text_release(&why.reason);
    return status;
}
