#include "unbounded/helped.h"

void helped_init(struct helped *helped, struct thread_system *system, unsigned colours,
                 struct budget *budget)
{
    *helped = (struct helped){.system = system, .colours = colours};
    word_arrays_init(&helped->hopeless, budget);
    vector_init(&helped->after, budget);
    vector_init(&helped->first, budget);
}

void helped_release(struct helped *helped)
{
    word_arrays_release(&helped->hopeless);
    vector_release(&helped->after);
    vector_release(&helped->first);
}

/* ---- pairs that are met one after the other ---- */

static bool meet(struct word_arrays *met, uint32_t shared, uint32_t local)
{
    const uint32_t pair[] = {shared, local};
    return word_arrays_intern(met, pair, 2, NULL) != UINT32_MAX;
}

static const struct thread_moves *moves_from(struct helped *helped, uint32_t shared, uint32_t local)
{
    const struct thread_moves *moves;
    return thread_system_expand(helped->system, shared, local, &moves, NULL) == STATUS_OK ? moves
                                                                                          : NULL;
}

/* ---- new operations ---- */

static bool is_called(const struct helped *helped, const struct thread_move *move)
{
    return !move->calls || !move->argument || (helped->colours >> move->argument & 1);
}

/* Appends where the returns of one operation lead that runs alone from its call. */
static bool run_alone(struct helped *helped, uint32_t shared, struct word_arrays *met)
{
    bool good = meet(met, shared, helped->system->kinds.items[0].idle);
    for (uint32_t i = 0; good && i < met->items.length; i++) {
        size_t count;
        const uint32_t *pair = word_arrays_get(met, i, &count);
        const struct thread_moves *moves = moves_from(helped, pair[0], pair[1]);
        good = moves != NULL;
        for (uint32_t j = 0; good && j < moves->count; j++) {
            const struct thread_move *move = &moves->items[j];
            if (move->ending != ENDING_NONE || !is_called(helped, move))
                continue;
            if (move->answer == ANSWER_NONE)
                good = meet(met, move->next_shared, move->next_local);
            else if (move->next_shared != shared)
                good = vector_push(&helped->after, move->next_shared);
        }
    }
    return good;
}

/* The shared states that one operation leads to, their number first; null when refused. */
static const uint32_t *states_after(struct helped *helped, uint32_t shared)
{
    while (helped->first.length <= shared)
        if (!vector_push(&helped->first, UINT32_MAX))
            return NULL;
    if (helped->first.items[shared] == UINT32_MAX) {
        uint32_t first = (uint32_t)helped->after.length;
        struct word_arrays met;
        word_arrays_init(&met, helped->hopeless.items.budget);
        bool good = vector_push(&helped->after, 0) && run_alone(helped, shared, &met);
        word_arrays_release(&met);
        if (!good)
            return NULL;
        helped->after.items[first] = (uint32_t)helped->after.length - first - 1;
        helped->first.items[shared] = first;
    }
    return &helped->after.items[helped->first.items[shared]];
}

/* ---- old ones ---- */

#define NOBODY UINT32_MAX

struct search {
    struct helped *helped;
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
                    helped_can_return(search->helped, move->next_shared, search->other);
    return true;
}

/* Meets what a step of the thread, or a new operation, leads to. */
static bool go_on(struct search *search, uint32_t shared, uint32_t local)
{
    const struct thread_moves *moves = moves_from(search->helped, shared, local);
    bool good = moves != NULL;
    for (uint32_t j = 0; good && !search->found && j < moves->count; j++)
        good = take_step(search, &moves->items[j]);
    if (!good || search->found)
        return good;
    const uint32_t *after = states_after(search->helped, shared);
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
    search->helped->refused = search->helped->refused || !good;
}

static void forget(struct word_arrays *met)
{
    struct budget *budget = met->items.budget;
    word_arrays_release(met);
    word_arrays_init(met, budget);
}

bool helped_can_return(struct helped *helped, uint32_t shared, uint32_t local)
{
    struct search search = {.helped = helped, .met = &helped->hopeless, .other = NOBODY};
    look(&search, shared, local);
    if (search.found || helped->refused) /* what was met is not hopeless */
        forget(&helped->hopeless);
    return search.found;
}

bool helped_frees(struct helped *helped, uint32_t shared, uint32_t local, uint32_t other)
{
    struct word_arrays met;
    struct search search = {.helped = helped, .met = &met, .other = other};
    word_arrays_init(&met, helped->hopeless.items.budget);
    look(&search, shared, local);
    word_arrays_release(&met);
    return search.found;
}
