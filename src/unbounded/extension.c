#include "unbounded/extension.h"

#include <assert.h>

void extensions_init(struct extensions *extensions, struct thread_system *system, unsigned colours,
                     struct budget *budget)
{
    *extensions = (struct extensions){.system = system, .colours = colours};
    word_arrays_init(&extensions->hopeless, budget);
    vectors_init(budget, &extensions->after, &extensions->first);
}

void extensions_release(struct extensions *extensions)
{
    word_arrays_release(&extensions->hopeless);
    vectors_release(&extensions->after, &extensions->first);
}

/* ---- pairs that are met one after the other ---- */

static bool meet(struct word_arrays *met, uint32_t shared, uint32_t local)
{
    const uint32_t pair[] = {shared, local};
    return word_arrays_intern(met, pair, 2, NULL) != UINT32_MAX;
}

static const struct thread_moves *moves_from(struct extensions *extensions, uint32_t shared,
                                             uint32_t local)
{
    const struct thread_moves *moves;
    return thread_system_expand(extensions->system, shared, local, &moves, NULL) == STATUS_OK
               ? moves
               : NULL;
}

/* ---- new operations ---- */

/* Appends where the returns of one operation lead that runs alone from its call. */
static bool run_alone(struct extensions *extensions, uint32_t shared, struct word_arrays *met)
{
    bool good = meet(met, shared, extensions->system->kinds.items[0].idle);
    for (uint32_t i = 0; good && i < met->items.length; i++) {
        size_t count;
        const uint32_t *pair = word_arrays_get(met, i, &count);
        const struct thread_moves *moves = moves_from(extensions, pair[0], pair[1]);
        good = moves != NULL;
        for (uint32_t j = 0; good && j < moves->count; j++) {
            const struct thread_move *move = &moves->items[j];
            if (move->ending != ENDING_NONE || !thread_move_brings_only(move, extensions->colours))
                continue;
            assert(move->answer == ANSWER_NONE || i > 0 || move->calls);
            if (move->answer == ANSWER_NONE)
                good = meet(met, move->next_shared, move->next_local);
            else if (move->next_shared != shared)
                good = vector_push(&extensions->after, move->next_shared);
        }
    }
    return good;
}

/* The shared states that one operation leads to, their number first; null when refused. */
static const uint32_t *states_after(struct extensions *extensions, uint32_t shared)
{
    while (extensions->first.length <= shared)
        if (!vector_push(&extensions->first, UINT32_MAX))
            return NULL;
    if (extensions->first.items[shared] == UINT32_MAX) {
        uint32_t first = (uint32_t)extensions->after.length;
        struct word_arrays met;
        word_arrays_init(&met, extensions->hopeless.items.budget);
        bool good = vector_push(&extensions->after, 0) && run_alone(extensions, shared, &met);
        word_arrays_release(&met);
        if (!good)
            return NULL;
        extensions->after.items[first] = (uint32_t)extensions->after.length - first - 1;
        extensions->first.items[shared] = first;
    }
    return &extensions->after.items[extensions->first.items[shared]];
}

/* ---- old ones ---- */

#define NOBODY UINT32_MAX

struct search {
    struct extensions *extensions;
    struct word_arrays *met; /* pairs of the shared state and the thread that is to return */
    uint32_t other;          /* local state of a thread that can return then; NOBODY: no matter */
    bool found;
};

static bool take_step(struct search *search, const struct thread_move *move)
{
    if (move->ending != ENDING_NONE)
        return true;
    if (move->answer == ANSWER_NONE)
        return meet(search->met, move->next_shared, move->next_local);
    search->found = search->other == NOBODY ||
                    extensions_let_return(search->extensions, move->next_shared, search->other);
    return true;
}

/* Meets what a step of the thread, or a new operation, leads to. */
static bool go_on(struct search *search, uint32_t shared, uint32_t local)
{
    const struct thread_moves *moves = moves_from(search->extensions, shared, local);
    bool good = moves != NULL;
    for (uint32_t j = 0; good && !search->found && j < moves->count; j++)
        good = take_step(search, &moves->items[j]);
    if (!good || search->found)
        return good;
    const uint32_t *after = states_after(search->extensions, shared);
    good = after != NULL;
    for (uint32_t j = 0; good && j < after[0]; j++)
        good = meet(search->met, after[1 + j], local);
    return good;
}

static void look(struct search *search, uint32_t shared, uint32_t local)
{
    uint32_t first = (uint32_t)search->met->items.length;
    bool good = meet(search->met, shared, local);
    for (uint32_t i = first; good && !search->found && i < search->met->items.length; i++) {
        size_t count;
        const uint32_t *pair = word_arrays_get(search->met, i, &count);
        good = go_on(search, pair[0], pair[1]);
    }
    search->extensions->refused = search->extensions->refused || !good;
}

static void forget(struct word_arrays *met)
{
    struct budget *budget = met->items.budget;
    word_arrays_release(met);
    word_arrays_init(met, budget);
}

bool extensions_let_return(struct extensions *extensions, uint32_t shared, uint32_t local)
{
    struct search search = {
        .extensions = extensions, .met = &extensions->hopeless, .other = NOBODY};
    look(&search, shared, local);
    if (search.found || extensions->refused) /* what was met is not hopeless */
        forget(&extensions->hopeless);
    return search.found;
}

bool extensions_let_both_return(struct extensions *extensions, uint32_t shared, uint32_t local,
                                uint32_t other)
{
    struct word_arrays met;
    struct search search = {.extensions = extensions, .met = &met, .other = other};
    word_arrays_init(&met, extensions->hopeless.items.budget);
    look(&search, shared, local);
    word_arrays_release(&met);
    return search.found;
}
