#include "rules/rule_tables.h"

#include <string.h>

/* ---- permutations ---- */

static void write_order(const struct rule_table *table, uint32_t number, uint8_t *order)
{
    uint8_t left[RULE_MOST_EVENTS];
    uint32_t block = table->words;
    memcpy(left, table->operations, sizeof left);
    for (unsigned i = 0, rest = table->count; i < table->count; i++, rest--) {
        block /= rest;
        uint32_t at = number / block;
        number %= block;
        order[i] = left[at];
        memmove(left + at, left + at + 1, rest - at - 1);
    }
}

uint32_t rule_tables_project(const struct rule_tables *tables, const uint8_t *order,
                             unsigned length, unsigned part)
{
    const struct rule_table *table = &tables->tables[part];
    uint32_t number = 0, block = table->words;
    unsigned rest = table->count, later = 0; /* operations of the part that are still to come */
    for (unsigned i = 0; i < table->count; i++)
        later |= 1u << table->operations[i];
    for (unsigned i = 0; i < length; i++) {
        if (!(later >> order[i] & 1))
            continue;
        block /= rest--;
        number += block * (uint32_t)__builtin_popcount(later & ((1u << order[i]) - 1));
        later &= ~(1u << order[i]);
    }
    return number;
}

struct rule_word rule_tables_word(const struct rule_tables *tables, const uint8_t *order,
                                  unsigned length, struct rule_event events[RULE_MOST_EVENTS])
{
    for (unsigned i = 0; i < length; i++)
        events[i] = tables->labelling.events[order[i]];
    bool ordered = tables->set->values == RULE_VALUES_ORDERED;
    return (struct rule_word){events, length, ordered ? tables->ranks : NULL};
}

/* ---- tables ---- */

/* The last step in every way; a rule that matches with some witness, and the rest of the word. */
static void find_steps(struct rule_tables *tables, unsigned groups, uint32_t number)
{
    struct rule_table *table = &tables->tables[groups];
    uint8_t *witnesses = table->witnesses + (size_t)number * tables->set->rule_count;
    const uint8_t *order = rule_tables_order(tables, groups, number);
    unsigned length = table->count;
    struct rule_event events[RULE_MOST_EVENTS];
    const struct rule_word word = rule_tables_word(tables, order, length, events);
    bool matches = false, parts = true;
    for (unsigned x = 0; x < tables->labelling.group_count; x++) {
        if (!(groups >> x & 1))
            continue;
        unsigned rest = groups & ~(1u << x);
        uint32_t left = rule_tables_project(tables, order, length, rest);
        parts = parts && tables->tables[rest].projects[left];
        for (unsigned r = 1; r < tables->set->rule_count; r++) {
            if (!rule_matches(&tables->set->rules[r], &word, x))
                continue;
            matches = true;
            witnesses[r] |= (uint8_t)(1u << x);
            if (tables->tables[rest].level[left] > r + 1)
                continue;
            table->last[number] |= UINT32_C(1) << r;
            table->last_of_all |= UINT32_C(1) << r;
            if (table->level[number] > r + 1)
                table->level[number] = (uint8_t)(r + 1);
        }
    }
    table->projects[number] = matches && parts;
}

static bool allocate(struct rule_tables *tables, struct rule_table *table)
{
    size_t words = table->words;
    table->orders = arena_allocate(&tables->arena, words * table->count);
    table->level = arena_allocate(&tables->arena, words);
    table->last = arena_allocate(&tables->arena, words * sizeof *table->last);
    table->projects = arena_allocate(&tables->arena, words);
    table->witnesses = arena_allocate(&tables->arena, words * tables->set->rule_count);
    if (!table->orders || !table->level || !table->last || !table->projects || !table->witnesses)
        return false;
    memset(table->level, RULE_LEVEL_NONE, words);
    memset(table->last, 0, words * sizeof *table->last);
    memset(table->witnesses, 0, words * tables->set->rule_count);
    for (uint32_t number = 0; number < table->words; number++)
        write_order(table, number, table->orders + (size_t)number * table->count);
    return true;
}

static bool make_table(struct rule_tables *tables, unsigned groups)
{
    struct rule_table *table = &tables->tables[groups];
    *table = (struct rule_table){.words = 1};
    for (uint8_t i = 0; i < tables->labelling.count; i++) {
        if (!(groups >> tables->labelling.events[i].group & 1))
            continue;
        table->operations[table->count++] = i;
        table->words *= table->count;
    }
    if (!allocate(tables, table))
        return false;
    for (uint32_t number = 0; groups != 0 && number < table->words; number++)
        find_steps(tables, groups, number);
    return true;
}

enum status rule_tables_make(struct rule_tables *tables, const struct rule_set *set,
                             const struct rule_labelling *labelling, const uint32_t *ranks,
                             struct budget *budget)
{
    tables->set = set;
    tables->labelling = *labelling;
    if (ranks)
        memcpy(tables->ranks, ranks, sizeof tables->ranks);
    arena_init(&tables->arena, budget);
    TRY_MEMORY(make_table(tables, 0));
    struct rule_table *empty = &tables->tables[0];
    empty->level[0] = empty->projects[0] = 1;
    empty->last[0] = empty->last_of_all = empty->witnesses[0] = 1;
    for (unsigned groups = 1; groups <= rule_tables_all(tables); groups++)
        TRY_MEMORY(make_table(tables, groups));
    return STATUS_OK;
}

void rule_tables_release(struct rule_tables *tables)
{
    arena_release(&tables->arena);
}
