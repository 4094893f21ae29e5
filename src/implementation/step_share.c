/* Variables are coloured greedily, in the order in which they were declared. Two *clash* if one is
 * stored where the other is live behind it. (Of two that are live at once one was stored later, or
 * both hold the 0 that they began with, and the first store makes them clash.) Only variables whose
 * words are alike share: as many, of which the same are references to one struct, values, or
 * neither. So nobody needs to ask where a thread stands to know what a word is.
 *
 * Arguments, what is kept until a point, and variables whose address is taken have words of their
 * own: a client, or another thread, writes the first, and who has an address reads the last where
 * no instruction says so. */
#include "implementation/step_share.h"

#include <string.h>

#include "base/bits.h"
#include "implementation/step_liveness.h"

#define KIND_PLAIN  0
#define KIND_VALUE  1
#define KIND_STRUCT 2 /* and the pool's number: a reference */

struct sharing {
    struct lin_steps *steps;
    struct lin_entry *entry;
    const struct lin_words_taken *taken; /* the entry's variables */
    uint32_t count;
    uint32_t *variable_of; /* by word: 1 + the variable; 0: none */
    uint32_t *kinds;       /* by word */
    uint32_t *places;      /* by word: where it stands from now on */
    struct bits clashes;   /* a row of `count` for each variable */
    struct bits alone;     /* variables that share with none */
    struct bits live;      /* variables */
};

static const struct instruction *code_of(const struct sharing *sharing)
{
    return sharing->steps->listing.code.items;
}

static bool names_local(const struct instruction *i)
{
    return i->op == OP_LOAD_OWN || i->op == OP_STORE_OWN || i->op == OP_ADDRESS_OWN;
}

static uint32_t end_of(const struct sharing *sharing)
{
    const struct lin_steps *steps = sharing->steps;
    const uint32_t next = (uint32_t)(sharing->entry - steps->entries) + 1;
    return next < steps->object->operation_count ? steps->entries[next].start
                                                 : listing_here(&steps->listing);
}

/* ---- what clashes ---- */

static void find_live_variables(const struct sharing *sharing, uint32_t at)
{
    const struct bits words = lin_steps_live_at(sharing->steps, at);
    bits_clear_all(sharing->live);
    for (size_t i = 0; (i = bits_next(words, i)) < words.size; i++)
        if (sharing->variable_of[i])
            bits_set(sharing->live, sharing->variable_of[i] - 1);
}

static void clash_with_live(const struct sharing *sharing, uint32_t variable)
{
    for (size_t i = 0; (i = bits_next(sharing->live, i)) < sharing->live.size; i++) {
        bits_set(sharing->clashes, variable * (size_t)sharing->count + i);
        bits_set(sharing->clashes, i * sharing->count + variable);
    }
}

static void find_clashes(const struct sharing *sharing)
{
    const uint32_t end = end_of(sharing);
    for (uint32_t at = sharing->entry->start; at < end; at++) {
        const struct instruction *i = &code_of(sharing)[at];
        if (!names_local(i) || sharing->variable_of[i->operand] == 0)
            continue;
        const uint32_t variable = sharing->variable_of[i->operand] - 1;
        if (i->op == OP_ADDRESS_OWN)
            bits_set(sharing->alone, variable);
        if (i->op != OP_STORE_OWN || at + 1 == end)
            continue;
        find_live_variables(sharing, at + 1);
        clash_with_live(sharing, variable);
    }
}

/* Whether what each instruction takes or stores is of one variable. */
static bool are_told_apart(const struct sharing *sharing)
{
    bool apart = true;
    for (uint32_t at = sharing->entry->start; at < end_of(sharing); at++) {
        const struct instruction *i = &code_of(sharing)[at];
        for (uint32_t j = 1; names_local(i) && j < i->wide; j++)
            apart &= sharing->variable_of[i->operand] == sharing->variable_of[i->operand + (int)j];
    }
    return apart;
}

/* ---- who shares with whom ---- */

static bool are_alike(const struct sharing *sharing, uint32_t one, uint32_t other)
{
    const struct lin_words_taken *a = &sharing->taken[one], *b = &sharing->taken[other];
    return a->words == b->words && memcmp(sharing->kinds + a->first, sharing->kinds + b->first,
                                          a->words * sizeof *sharing->kinds) == 0;
}

/* Whether a variable can stand where an earlier one and those that share with it do. */
static bool fits(const struct sharing *sharing, const uint32_t *colours, uint32_t variable,
                 uint32_t colour)
{
    bool found = true;
    for (uint32_t i = 0; i < variable && found; i++)
        if (colours[i] == colour)
            found = are_alike(sharing, i, variable) && !bits_get(sharing->alone, i) &&
                    !bits_get(sharing->clashes, variable * (size_t)sharing->count + i);
    return found;
}

/* Gives each variable a colour, the first variable that has it, and its words their places.
 * Returns how many words there are then. */
static uint32_t give_places(const struct sharing *sharing, uint32_t *colours)
{
    uint32_t next = sharing->steps->result_words;
    for (uint32_t i = 0; i < sharing->count; i++) {
        const struct lin_words_taken *taken = &sharing->taken[i];
        colours[i] = i;
        for (uint32_t j = 0; j < i && !bits_get(sharing->alone, i) && colours[i] == i; j++)
            if (colours[j] == j && fits(sharing, colours, i, j))
                colours[i] = j;
        const uint32_t first =
            colours[i] == i ? next : sharing->places[sharing->taken[colours[i]].first];
        for (uint32_t j = 0; j < taken->words; j++)
            sharing->places[taken->first + j] = first + j;
        if (colours[i] == i)
            next += taken->words;
    }
    return next;
}

/* ---- what has its place from then on ---- */

static void move_references(const struct sharing *sharing)
{
    struct lin_reference_slot *items = sharing->entry->references;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sharing->entry->reference_count; i++) {
        const struct lin_reference_slot moved = {sharing->places[items[i].slot], items[i].pool};
        uint32_t at = count;
        while (at > 0 && items[at - 1].slot >= moved.slot)
            at--;
        if (at < count && items[at].slot == moved.slot)
            continue;
        memmove(items + at + 1, items + at, (count++ - at) * sizeof *items);
        items[at] = moved;
    }
    sharing->entry->reference_count = count;
}

static void move_values(const struct sharing *sharing)
{
    uint32_t *items = sharing->entry->values.items, count = 0;
    for (uint32_t i = 0; i < sharing->entry->values.count; i++) {
        const uint32_t moved = sharing->places[items[i]];
        uint32_t at = count;
        while (at > 0 && items[at - 1] >= moved)
            at--;
        if (at < count && items[at] == moved)
            continue;
        memmove(items + at + 1, items + at, (count++ - at) * sizeof *items);
        items[at] = moved;
    }
    sharing->entry->values.count = count;
}

static void move_all(const struct sharing *sharing)
{
    struct lin_entry *entry = sharing->entry;
    struct instruction *code = sharing->steps->listing.code.items;
    for (uint32_t at = entry->start; at < end_of(sharing); at++)
        if (names_local(&code[at]))
            code[at].operand = (int32_t)sharing->places[code[at].operand];
    for (uint32_t i = 0; i < entry->local_count; i++)
        entry->locals[i].first = sharing->places[entry->locals[i].first];
    if (entry->pointed)
        entry->pointed = sharing->places[entry->pointed];
    move_references(sharing);
    move_values(sharing);
}

/* ---- all of it ---- */

static void describe(const struct sharing *sharing)
{
    const struct lin_entry *entry = sharing->entry;
    for (uint32_t i = 0; i < sharing->steps->locals; i++) {
        sharing->variable_of[i] = 0;
        sharing->kinds[i] = KIND_PLAIN;
        sharing->places[i] = i;
    }
    for (uint32_t i = 0; i < sharing->count; i++)
        for (uint32_t j = 0; j < sharing->taken[i].words; j++)
            sharing->variable_of[sharing->taken[i].first + j] = 1 + i;
    for (uint32_t i = 0; i < entry->values.count; i++)
        sharing->kinds[entry->values.items[i]] = KIND_VALUE;
    for (uint32_t i = 0; i < entry->reference_count; i++)
        sharing->kinds[entry->references[i].slot] = KIND_STRUCT + entry->references[i].pool;
    for (uint32_t i = 0; i < sharing->count; i++)
        if (i < entry->operation->parameter_count ||
            (entry->pointed && sharing->taken[i].first == entry->pointed))
            bits_set(sharing->alone, i);
}

/* Returns how many words the entry's locals take, those of results included. */
static enum status share(struct sharing *sharing, uint32_t *words)
{
    struct arena *arena = sharing->steps->arena;
    const size_t count = sharing->count, locals = sharing->steps->locals;
    sharing->variable_of = arena_allocate(arena, locals * sizeof *sharing->variable_of);
    sharing->kinds = arena_allocate(arena, locals * sizeof *sharing->kinds);
    sharing->places = arena_allocate(arena, locals * sizeof *sharing->places);
    sharing->clashes = bits_in_arena(arena, count * count);
    sharing->alone = bits_in_arena(arena, count);
    sharing->live = bits_in_arena(arena, count);
    uint32_t *colours = arena_allocate(arena, count * sizeof *colours);
    TRY_MEMORY(sharing->variable_of && sharing->kinds && sharing->places &&
               sharing->clashes.words && sharing->alone.words && sharing->live.words && colours);
    describe(sharing);
    if (are_told_apart(sharing)) {
        find_clashes(sharing);
        *words = give_places(sharing, colours);
        move_all(sharing);
    } else {
        const struct lin_words_taken *last = &sharing->taken[count - 1];
        *words = last->first + last->words;
    }
    return STATUS_OK;
}

enum status lin_step_share_locals(struct lin_step_compiler *compiler, uint32_t least)
{
    struct lin_steps *steps = compiler->steps;
    uint32_t most = steps->result_words > least ? steps->result_words : least, next = 0;
    TRY(lin_step_find_live(steps));
    for (uint32_t i = 0; i < steps->object->operation_count; i++) {
        struct sharing sharing = {
            .steps = steps, .entry = &steps->entries[i], .taken = compiler->taken.items + next};
        uint32_t words = 0;
        for (; next < compiler->taken.length && compiler->taken.items[next].entry == i; next++)
            sharing.count++;
        if (sharing.count > 0)
            TRY(share(&sharing, &words));
        most = words > most ? words : most;
    }
    TRY_MEMORY(vector_reserve(&steps->named_live, steps->live.length));
    memcpy(steps->named_live.items, steps->live.items,
           steps->live.length * sizeof *steps->live.items);
    steps->named_live.length = steps->live.length;
    steps->named_locals = steps->live_locals;
    steps->locals = most;
    return STATUS_OK;
}
