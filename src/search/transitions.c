#include "search/transitions.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"
#include "base/hash.h"

#define FIRST_ENTRIES SIZE_OR_SMALL(64, 4)
static_assert(FIRST_ENTRIES >= 4, "where three of four entries are taken one is free");

static struct transition_entry *free_entries(struct budget *budget, size_t count)
{
    struct transition_entry *entries = memory_allocate(budget, count * sizeof *entries);
    if (entries)
        memset(entries, 0xff, count * sizeof *entries); /* class CLASS_REFUSED */
    return entries;
}

bool transitions_init(struct transitions *transitions, const struct spec *spec,
                      struct unobservable *unobservable, struct budget *budget)
{
    *transitions =
        (struct transitions){.spec = spec, .unobservable = unobservable, .budget = budget};
    arrays_init(&transitions->states, budget);
    vector_init(&transitions->room.words, budget);
    transitions->expanded = ARRAY_REFUSED;
    vector_init(&transitions->classes, budget);
    table_init(&transitions->class_numbers, budget);
    vector_init(&transitions->several, budget);
    outcomes_init(&transitions->outcomes, budget);
    transitions->entries = free_entries(budget, FIRST_ENTRIES);
    transitions->entry_count = transitions->entries ? FIRST_ENTRIES : 0;
    return transitions->entries != NULL;
}

static void release_entries(struct transitions *transitions)
{
    memory_release(transitions->budget, transitions->entries,
                   transitions->entry_count * sizeof *transitions->entries);
}

void transitions_release(struct transitions *transitions)
{
    arrays_release(&transitions->states);
    vectors_release(&transitions->room.words, &transitions->classes, &transitions->several);
    outcomes_release(&transitions->outcomes);
    table_release(&transitions->class_numbers);
    release_entries(transitions);
}

/* ---- Classes ---- */

static uint64_t call_hash(const struct call *call, const struct spec *spec)
{
    uint64_t hash = hash_pair(call->argument, call->operation * 2u + call->result_known);
    if (call->result_known)
        hash = hash_pair(hash, call->result);
    if (spec->class->is_open)
        hash = hash_pair(hash, call->number);
    return spec_tells_callers(spec) ? hash_pair(hash, call->process) : hash;
}

static bool calls_alike(const struct call *a, const struct call *b, const struct spec *spec)
{
    return a->operation == b->operation && a->argument == b->argument &&
           a->result_known == b->result_known && a->read_only == b->read_only &&
           (!a->result_known || a->result == b->result) &&
           (!spec->class->is_open || a->number == b->number) &&
           (!spec_tells_callers(spec) || a->process == b->process);
}

uint32_t transitions_class(struct transitions *transitions, const struct call *call)
{
    uint64_t hash = call_hash(call, transitions->spec);
    uint32_t class = (uint32_t)transitions->classes.length;
    struct table_search search = table_search(&transitions->class_numbers, hash);
    while (table_next(&search))
        if (calls_alike(transitions->classes.items[search.number], call, transitions->spec))
            return search.number;
    return vector_push(&transitions->classes, call) &&
                   table_add(&transitions->class_numbers, hash, class)
               ? class
               : CLASS_REFUSED;
}

/* ---- States ---- */

uint32_t transitions_initial(struct transitions *transitions, value key)
{
    struct outcomes *outcomes = &transitions->outcomes;
    outcomes_clear(outcomes);
    if (!transitions->spec->class->init(transitions->spec, key, outcomes))
        return ARRAY_REFUSED;
    assert(outcomes->items.length == 1);
    const struct outcome *state = &outcomes->items.items[0];
    uint64_t *words = outcomes->words.items + state->start;
    unobservable_unify(transitions->unobservable, words);
    return arrays_intern_pieces(&transitions->states, words, state->length);
}

const uint64_t *transitions_words(struct transitions *transitions, uint32_t state, size_t *length)
{
    *length = transitions->room.words.length;
    if (transitions->expanded == state)
        return transitions->room.words.items;
    bool in_pieces = transitions->states.entries.items[state].level > 0;
    if (in_pieces)
        transitions->expanded = ARRAY_REFUSED;
    const uint64_t *words = arrays_expand(&transitions->states, state, &transitions->room, length);
    if (in_pieces && words)
        transitions->expanded = state;
    return words;
}

bool transitions_print_state(struct transitions *transitions, uint32_t state, struct text *text)
{
    size_t length;
    const uint64_t *words = transitions_words(transitions, state, &length);
    if (words)
        transitions->spec->class->print_state(transitions->spec, words, length, text);
    return words != NULL;
}

static bool grow_entries(struct transitions *transitions)
{
    size_t count = transitions->entry_count * 2;
    struct transition_entry *entries = free_entries(transitions->budget, count);
    if (!entries)
        return false;
    for (size_t i = 0; i < transitions->entry_count; i++) {
        const struct transition_entry *entry = &transitions->entries[i];
        if (entry->class == CLASS_REFUSED)
            continue;
        size_t at = transitions_hash(entry->state, entry->class) & (count - 1);
        while (entries[at].class != CLASS_REFUSED)
            at = (at + 1) & (count - 1);
        entries[at] = *entry;
    }
    release_entries(transitions);
    transitions->entries = entries;
    transitions->entry_count = count;
    return true;
}

/* The distinct states among the outcomes, as a list: at first with room for all. */
static transition keep_several(struct transitions *transitions)
{
    const struct outcomes *outcomes = &transitions->outcomes;
    size_t first = transitions->several.length;
    if (first >= TRANSITION_SEVERAL / 2 ||
        !vector_reserve(&transitions->several, first + 1 + outcomes->items.length))
        return TRANSITION_REFUSED;
    uint32_t *states = transitions->several.items + first + 1, count = 0;
    for (size_t i = 0; i < outcomes->items.length; i++) {
        const struct outcome *outcome = &outcomes->items.items[i];
        uint64_t *words = outcomes->words.items + outcome->start;
        unobservable_unify(transitions->unobservable, words);
        uint32_t state = arrays_intern_pieces(&transitions->states, words, outcome->length);
        if (state == ARRAY_REFUSED)
            return TRANSITION_REFUSED;
        uint32_t known = 0;
        while (known < count && states[known] != state)
            known++;
        states[known] = state;
        count += known == count;
    }
    assert(0 < count && count <= outcomes->items.length);
    if (count == 1)
        return states[0];
    transitions->several.items[first] = count;
    transitions->several.length = first + 1 + count;
    return TRANSITION_SEVERAL + (uint32_t)first;
}

transition transitions_compute(struct transitions *transitions, uint32_t state, uint32_t class)
{
    if (transitions->entry_used * 4 >= transitions->entry_count * 3 && !grow_entries(transitions))
        return TRANSITION_REFUSED;
    struct outcomes *outcomes = &transitions->outcomes;
    outcomes_clear(outcomes);
    size_t length;
    const uint64_t *from = transitions_words(transitions, state, &length);
    const struct spec *spec = transitions->spec;
    if (!from ||
        !spec->class->step(spec, from, length, transitions->classes.items[class], outcomes))
        return TRANSITION_REFUSED;
    transition to = outcomes->items.length ? keep_several(transitions) : TRANSITION_ILLEGAL;
    if (to == TRANSITION_REFUSED)
        return to;
    size_t mask = transitions->entry_count - 1;
    size_t at = transitions_hash(state, class) & mask;
    while (transitions->entries[at].class != CLASS_REFUSED)
        at = (at + 1) & mask;
    transitions->entries[at] = (struct transition_entry){state, class, to};
    transitions->entry_used++;
    return to;
}
