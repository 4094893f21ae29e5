/* Chooses the monitor of a specification, asks whether it applies to a part, and runs it. */
#include "monitor/monitors.h"

#include <assert.h>

#include "monitor/counter.h"
#include "monitor/values.h"
#include "spec/cas_register.h"
#include "spec/counter.h"
#include "spec/grow_set.h"
#include "spec/map.h"
#include "spec/mutex.h"
#include "spec/priority_queue.h"
#include "spec/queue.h"
#include "spec/register.h"
#include "spec/rule_set_spec.h"
#include "spec/semaphore.h"
#include "spec/set.h"
#include "spec/stack.h"
#include "spec/unordered_queue.h"

static const struct {
    const struct spec_class *class;
    const struct monitor *monitor;
} table[] = {
    {&register_class, &register_monitor},
    {&cas_register_class, &register_monitor},
    {&map_class, &register_monitor},
    {&queue_class, &queue_monitor},
    {&stack_class, &stack_monitor},
    {&set_class, &bit_monitor},
    {&mutex_class, &bit_monitor},
    {&semaphore_class, &bit_monitor},
    {&counter_class, &counter_monitor},
    {&grow_set_class, &grow_set_monitor},
    {&unordered_queue_class, &unordered_queue_monitor},
    {&priority_queue_class, &priority_queue_monitor},
};

const struct monitor *monitor_find(const struct spec_class *class)
{
    for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
        if (table[i].class == class)
            return table[i].monitor;
    return rule_set_is_class(class) ? &rules_monitor : NULL;
}

bool monitor_applies(const struct part *part, struct limits *limits, struct inapplicable *why)
{
    const struct monitor *monitor = monitor_find(part->spec->class);
    enum step step = STEP_READY;
    if (!monitor)
        return false;
    if (monitor->container) {
        struct values values;
        step = values_collect(&values, part, monitor->container, limits, NULL, why);
        values_release(&values);
    } else if (monitor->applies) {
        struct arena arena;
        arena_init(&arena, limits->budget);
        step = monitor->applies(part, limits, &arena, why);
        arena_release(&arena);
    }
    return step != STEP_INAPPLICABLE;
}

static bool settle_evidence(const struct part *part, struct limits *limits,
                            struct decision *decision)
{
    unsigned char *shown = memory_zeroed(limits->budget, part->count);
    if (!shown)
        return false;
    for (size_t i = 0; i < decision->evidence.length; i++)
        shown[decision->evidence.items[i]] = 1;
    decision->evidence.length = 0;
    for (uint32_t i = 0; i < part->count; i++)
        if (shown[i])
            decision->evidence.items[decision->evidence.length++] = i;
    memory_release(limits->budget, shown, part->count);
    return true;
}

enum status monitor_decide(const struct part *part, struct limits *limits,
                           struct decision *decision, struct error *error)
{
    (void)error;
    struct arena arena;
    decision_clear(decision);
    arena_init(&arena, limits->budget);
    enum step step = monitor_find(part->spec->class)->decide(part, limits, &arena, decision);
    arena_release(&arena);
    switch (step) {
    case STEP_READY:
        decision->verdict = VERDICT_LINEARIZABLE;
        return STATUS_OK;
    case STEP_VIOLATION:
        if (!settle_evidence(part, limits, decision))
            break;
        assert(decision->reason.length > 0 && decision->evidence.length > 0);
        decision->verdict = VERDICT_VIOLATION;
        return STATUS_OK;
    case STEP_UNDECIDED:
        return STATUS_OK;
    case STEP_INAPPLICABLE: /* a limit kept monitor_applies from seeing it */
    case STEP_REFUSED:
        break;
    }
    return decision_limit(decision, limits);
}

bool monitor_tries(const struct part *part, struct limits *limits, struct decision *decision)
{
    struct arena arena;
    decision_clear(decision);
    if (part->spec->class != &counter_class)
        return false;
    arena_init(&arena, limits->budget);
    enum step step = counter_refute(part, limits, &arena, decision);
    if (step == STEP_VIOLATION && settle_evidence(part, limits, decision))
        decision->verdict = VERDICT_VIOLATION;
    if (step == STEP_UNDECIDED && counter_find_order(part, limits, &arena, decision) == STEP_READY)
        decision->verdict = VERDICT_LINEARIZABLE;
    arena_release(&arena);
    const bool decided = decision->verdict != VERDICT_UNKNOWN;
    if (!decided) {
        decision_clear(decision);
        atomic_store(&limits->budget->refused, false); /* what it took is free again */
    }
    decision->explored = decided ? part->positions : 0;
    return decided;
}
