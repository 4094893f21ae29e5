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

/* ---- where operations take effect together, or stay open: all orders, one by one ---- */

struct order_of_sets {
    const struct part *part;
    const uint64_t *words;
    size_t length;
    uint32_t begun;
    uint32_t last; /* members of the set that has begun, if it is not complete */
};

static bool is_open(const struct order_of_sets *order, uint32_t operation)
{
    return spec_is_open(order->part->spec, order->words, order->length,
                        order->part->intervals[operation].call.number);
}

static bool is_complete(const struct order_of_sets *order)
{
    bool complete = spec_gathered(order->part->spec, order->words, order->length) == 0;
    for (uint32_t i = 0; i < order->part->count; i++)
        complete &= order->part->intervals[i].response == POSITION_NEVER ||
                    ((order->begun >> i & 1) && !is_open(order, i));
    return complete;
}

/* Whether an operation may begin or, if it has, go on. */
static bool may_follow(const struct order_of_sets *order, uint32_t next)
{
    const struct interval *intervals = order->part->intervals;
    bool may = !(order->begun >> next & 1);
    for (uint32_t i = 0; may && i < order->part->count; i++) {
        const bool ended = (order->begun & ~order->last) >> i & 1 && !is_open(order, i);
        may = ended || intervals[i].response > intervals[next].invoke;
    }
    return may || ((order->begun >> next & 1) && is_open(order, next));
}

static bool has_order_of_sets(const struct order_of_sets *order)
{
    const struct part *part = order->part;
    bool found = is_complete(order);
    for (uint32_t next = 0; next < part->count && !found; next++) {
        struct outcomes outcomes;
        if (!may_follow(order, next))
            continue;
        outcomes_init(&outcomes, NULL);
        if (!part->spec->class->step(part->spec, order->words, order->length,
                                     &part->intervals[next].call, &outcomes))
            abort();
        for (size_t i = 0; i < outcomes.items.length && !found; i++) {
            struct order_of_sets longer = {.part = part,
                                           .words =
                                               outcomes.words.items + outcomes.items.items[i].start,
                                           .length = outcomes.items.items[i].length,
                                           .begun = order->begun | 1u << next};
            if (spec_gathered(part->spec, longer.words, longer.length) > 0)
                longer.last = order->last | 1u << next;
            found = has_order_of_sets(&longer);
        }
        outcomes_release(&outcomes);
    }
    return found;
}

static bool is_set_linearizable(const struct part *part)
{
    struct outcomes initial;
    outcomes_init(&initial, NULL);
    if (!part->spec->class->init(part->spec, part->key, &initial))
        abort();
    const struct order_of_sets order = {
        .part = part, .words = initial.words.items, .length = initial.items.items[0].length};
    bool found = has_order_of_sets(&order);
    outcomes_release(&initial);
    return found;
}

bool oracle_linearizable(const struct part *part)
{
    assert(part->count <= ORACLE_MOST);
    if (part->spec->class->together_count)
        return is_set_linearizable(part);
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
