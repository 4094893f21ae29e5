#include "support/oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/generate.h"

/* The states that one set of operations can lead to; each item is a state. */
struct reached {
    struct outcomes states;
};

static bool is_known(const struct outcomes *states, const uint64_t *words, size_t length)
{
    for (size_t i = 0; i < states->items.length; i++) {
        const struct outcome *item = &states->items.items[i];
        if (item->length == length &&
            memcmp(states->words.items + item->start, words, length * sizeof *words) == 0)
            return true;
    }
    return false;
}

/* May `next` come right after the operations of `set`? */
static bool is_minimal(const struct part *part, uint32_t set, uint32_t next)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (!(set >> i & 1) && part->intervals[i].response < part->intervals[next].invoke)
            return false;
    return !(set >> next & 1);
}

static void extend(const struct part *part, struct reached *table, uint32_t set, uint32_t next,
                   struct outcomes *outcomes)
{
    const struct outcomes *from = &table[set].states;
    struct outcomes *to = &table[set | 1u << next].states;
    const struct call *call = &part->intervals[next].call;
    for (size_t i = 0; i < from->items.length; i++) {
        const struct outcome *state = &from->items.items[i];
        outcomes_clear(outcomes);
        if (!part->spec->class->step(part->spec, from->words.items + state->start, state->length,
                                     call, outcomes))
            abort();
        for (size_t j = 0; j < outcomes->items.length; j++) {
            const struct outcome *next_state = &outcomes->items.items[j];
            const uint64_t *words = outcomes->words.items + next_state->start;
            if (!is_known(to, words, next_state->length) &&
                !outcomes_add(to, words, next_state->length, VALUE_NIL))
                abort();
        }
    }
}

bool oracle_linearizable(const struct part *part)
{
    assert(part->count <= ORACLE_MOST);
    struct budget budget;
    budget_init(&budget, NULL, 0);
    uint32_t sets = 1u << part->count, completed = 0;
    struct reached *table = calloc(sets, sizeof *table);
    struct outcomes outcomes;
    outcomes_init(&outcomes, &budget);
    for (uint32_t set = 0; set < sets; set++)
        outcomes_init(&table[set].states, &budget);
    for (uint32_t i = 0; i < part->count; i++)
        if (part->intervals[i].response != POSITION_NEVER)
            completed |= 1u << i;
    if (!part->spec->class->init(part->spec, part->key, &table[0].states))
        abort();
    bool found = false;
    for (uint32_t set = 0; set < sets && !found; set++) {
        if (table[set].states.items.length == 0)
            continue;
        found = (set & completed) == completed;
        for (uint32_t next = 0; next < part->count && !found; next++)
            if (is_minimal(part, set, next))
                extend(part, table, set, next, &outcomes);
    }
    for (uint32_t set = 0; set < sets; set++)
        outcomes_release(&table[set].states);
    outcomes_release(&outcomes);
    free(table);
    assert(budget.used == 0);
    return found;
}

/* The call as it is bound when no completion was recorded. */
static struct call pending_call(const struct spec *spec, const struct call *call)
{
    struct recorded recorded = {.argument = call->argument, .process = call->process};
    struct call pending;
    struct text complaint = TEXT_EMPTY;
    if (spec_bind(spec, call->operation, &recorded, &pending, &complaint) != STATUS_OK)
        abort();
    text_release(&complaint);
    return pending;
}

bool oracle_relaxed_linearizable(const struct part *part, const bool *member)
{
    struct sample sample = {0};
    sample_copy_part(&sample, part);
    for (uint32_t i = 0; i < part->count; i++) {
        if (member[i])
            continue;
        sample.intervals[i].response = POSITION_NEVER;
        sample.intervals[i].call = pending_call(part->spec, &part->intervals[i].call);
    }
    sample_renumber(&sample);
    bool linearizable = oracle_linearizable(&sample.part);
    sample_release(&sample);
    return linearizable;
}
