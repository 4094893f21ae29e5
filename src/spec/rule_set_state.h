/* A state of a rule set's specification that is being worked on: the execution so far. As words it
 * is the number of groups, the value of each, and the events; groups are numbered in the order in
 * which they begin. */
#ifndef SPEC_RULE_SET_STATE_H
#define SPEC_RULE_SET_STATE_H

#include "spec/rule_set.h"
#include "spec/spec.h"

#define VALUE_UNKNOWN VALUE_REFUSED /* or of no matter */

/* It has room for one group and one event more. */
struct execution {
    const struct rule_set *set;
    struct budget *budget;
    uint32_t group_count, length;
    value *values; /* by group */
    struct rule_event *events;
    struct rule_event *scratch; /* as long */
    uint32_t *ranks, *numbers;
    void *block;
    size_t size;
};

/* False when refused. */
bool execution_open(struct execution *execution, const struct rule_set *set, struct budget *budget,
                    const uint64_t *words, size_t length) MUST_CHECK;
void execution_close(struct execution *execution);

/* Finds the order of the values, where the set has one. Groups without a value have no place in it:
 * no condition compares them. */
void execution_rank(struct execution *execution);

struct rule_word execution_word(const struct execution *execution);

/* Leaves out what need not be remembered. */
void execution_forget(struct execution *execution);

/* Appends the state as an outcome; false when refused. */
bool execution_add_outcome(struct execution *execution, value result,
                           struct outcomes *outcomes) MUST_CHECK;

/* The parts of a state's words. */
static inline uint64_t execution_event(const uint64_t *words, size_t i)
{
    return words[1 + words[0] + i];
}

static inline uint16_t execution_event_method(uint64_t event)
{
    return (uint16_t)(event >> 16);
}

static inline uint16_t execution_event_group(uint64_t event)
{
    return (uint16_t)event;
}

#endif
