#include "spec/rule_set_state.h"

#include <string.h>

#include "spec/rule_set_forget.h"

bool execution_open(struct execution *execution, const struct rule_set *set, struct budget *budget,
                    const uint64_t *words, size_t length)
{
    uint32_t groups = (uint32_t)words[0], events = (uint32_t)(length - 1 - groups);
    size_t room = (groups + 1) * (sizeof(value) + 2 * sizeof(uint32_t)) +
                  2 * (size_t)(events + 1) * sizeof(struct rule_event);
    *execution = (struct execution){
        .set = set, .budget = budget, .group_count = groups, .length = events, .size = room};
    execution->block = memory_allocate(budget, room);
    if (!execution->block)
        return false;
    execution->values = execution->block;
    execution->events = (struct rule_event *)(execution->values + groups + 1);
    execution->scratch = execution->events + events + 1;
    execution->ranks = (uint32_t *)(execution->scratch + events + 1);
    execution->numbers = execution->ranks + groups + 1;
    memcpy(execution->values, words + 1, groups * sizeof *words);
    for (uint32_t i = 0; i < events; i++) {
        uint64_t word = words[1 + groups + i];
        execution->events[i] = (struct rule_event){(uint16_t)(word >> 16), (uint16_t)word};
    }
    return true;
}

void execution_close(struct execution *execution)
{
    memory_release(execution->budget, execution->block, execution->size);
}

void execution_rank(struct execution *execution)
{
    if (execution->set->values != RULE_VALUES_ORDERED)
        return;
    const value *values = execution->values;
    for (uint32_t i = 0; i < execution->group_count; i++) {
        execution->ranks[i] = 0;
        for (uint32_t j = 0; j < execution->group_count; j++)
            if (values[i] != VALUE_UNKNOWN && values[j] != VALUE_UNKNOWN)
                execution->ranks[i] += value_compare(values[j], values[i]) < 0;
    }
}

struct rule_word execution_word(const struct execution *execution)
{
    bool ordered = execution->set->values == RULE_VALUES_ORDERED;
    return (struct rule_word){execution->events, execution->length,
                              ordered ? execution->ranks : NULL};
}

/* ---- what need not be remembered ---- */

static void leave_out(struct execution *execution, uint32_t group)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < execution->length; i++) {
        struct rule_event event = execution->events[i];
        if (event.group == group)
            continue;
        event.group = (uint16_t)(event.group - (event.group > group));
        execution->events[kept++] = event;
    }
    execution->length = kept;
    execution->group_count--;
    memmove(execution->values + group, execution->values + group + 1,
            (execution->group_count - group) * sizeof *execution->values);
}

static void merge_repetitions(struct execution *execution)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < execution->length; i++) {
        const struct rule_event *event = &execution->events[i];
        const struct rule_event *last = kept ? &execution->events[kept - 1] : NULL;
        if (last && last->group == event->group && last->method == event->method &&
            rule_set_repeats(execution->set, event->method))
            continue;
        execution->events[kept++] = *event;
    }
    execution->length = kept;
}

void execution_forget(struct execution *execution)
{
    for (uint32_t group = 0; group < execution->group_count;) {
        const struct rule_word word = execution_word(execution);
        if (rule_set_forgets(execution->set, &word, execution->group_count, group)) {
            leave_out(execution, group);
            group = 0;
        } else {
            group++;
        }
    }
    merge_repetitions(execution);
}

bool execution_add_outcome(struct execution *execution, value result, struct outcomes *outcomes)
{
    uint32_t groups = execution->group_count, next = 0;
    uint64_t *words = outcomes_add_room(outcomes, 1 + (size_t)groups + execution->length, result);
    if (!words)
        return false;
    for (uint32_t i = 0; i < groups; i++)
        execution->numbers[i] = UINT32_MAX;
    words[0] = groups;
    for (uint32_t i = 0; i < execution->length; i++) {
        const struct rule_event *event = &execution->events[i];
        uint32_t *number = &execution->numbers[event->group];
        if (*number == UINT32_MAX) {
            *number = next++;
            words[1 + *number] = execution->values[event->group];
        }
        words[1 + groups + i] = (uint64_t)event->method << 16 | *number;
    }
    return true;
}
