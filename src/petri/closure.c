/* Pairs are fired in rounds: a move again when something has become possible with its control or
 * beside its local state since. Everything only grows, so that a round in which nothing fires is
 * the last. */
#include "petri/closure.h"

#define LOOK_EVERY 1024 /* firings between two looks at the limits */

void closure_init(struct closure *closure, const struct closure_source *source,
                  struct budget *budget)
{
    *closure = (struct closure){.budget = budget, .source = *source};
    bit_matrix_init(&closure->beside, budget);
    bit_matrix_init(&closure->with, budget);
    vector_init(&closure->controls, budget);
    vector_init(&closure->changed, budget);
    vector_init(&closure->moves.list, budget);
}

void closure_release(struct closure *closure)
{
    for (size_t i = 0; i < closure->controls.length; i++)
        vector_release(&closure->controls.items[i].pairs);
    vector_release(&closure->controls);
    vector_release(&closure->changed);
    vector_release(&closure->moves.list);
    bit_matrix_release(&closure->beside);
    bit_matrix_release(&closure->with);
    memory_release(closure->budget, closure->between,
                   closure->between_words * sizeof *closure->between);
    closure->between = NULL;
    closure->between_words = 0;
}

/* ---- room ---- */

static bool fit_between(struct closure *closure)
{
    size_t words = closure->beside.words;
    if (words == closure->between_words)
        return true;
    uint64_t *between =
        memory_resize(closure->budget, closure->between, closure->between_words * sizeof *between,
                      words * sizeof *between);
    if (!between)
        return false;
    memset(between + closure->between_words, 0, (words - closure->between_words) * sizeof *between);
    closure->between = between;
    closure->between_words = words;
    return true;
}

/* Makes room for a control and a local state. */
static bool fit(struct closure *closure, uint32_t control, uint32_t local)
{
    while (closure->controls.length <= control) {
        struct closure_control fresh = {0};
        vector_init(&fresh.pairs, closure->budget);
        if (!vector_push(&closure->controls, fresh))
            return false;
    }
    while (closure->changed.length <= local)
        if (!vector_push(&closure->changed, 0))
            return false;
    return bit_matrix_fit(&closure->beside, closure->controls.length, closure->changed.length) &&
           bit_matrix_fit(&closure->with, closure->changed.length, closure->changed.length) &&
           fit_between(closure);
}

/* ---- the relation ---- */

/* False when refused. */
static bool make_possible(struct closure *closure, uint32_t control, uint32_t local)
{
    struct closure_control *row = &closure->controls.items[control];
    struct closure_pair pair = {.local = local, .first = NET_NONE};
    bit_set(bit_matrix_row(&closure->beside, control), local);
    row->changed = ++closure->clock;
    return vector_push(&row->pairs, pair);
}

static void relate(struct closure *closure, uint32_t one, uint32_t other)
{
    bit_set(bit_matrix_row(&closure->with, one), other);
    bit_set(bit_matrix_row(&closure->with, other), one);
    closure->changed.items[one] = closure->changed.items[other] = ++closure->clock;
}

static bool admits(const struct closure *closure, uint32_t control, uint32_t local)
{
    return !closure->source.admits || closure->source.admits(closure->source.user, control, local);
}

/* Those of `between` that are admitted become possible with the control; the others leave it. */
static bool bring_along(struct closure *closure, uint32_t control)
{
    for (size_t word = 0; word < closure->between_words; word++) {
        uint64_t fresh = closure->between[word] & ~bit_matrix_row(&closure->beside, control)[word];
        for (; fresh; fresh &= fresh - 1) {
            uint32_t local = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(fresh));
            if (!admits(closure, control, local))
                closure->between[word] &= ~(fresh & -fresh);
            else if (!make_possible(closure, control, local))
                return false;
        }
    }
    return true;
}

/* All of `between` are possible beside the local state. */
static void put_beside(struct closure *closure, uint32_t local)
{
    for (size_t word = 0; word < closure->between_words; word++) {
        uint64_t fresh = closure->between[word] & ~bit_matrix_row(&closure->with, local)[word];
        for (; fresh; fresh &= fresh - 1)
            relate(closure, local, (uint32_t)(word * 64 + (size_t)__builtin_ctzll(fresh)));
    }
}

/* The move of a thread beside which those of `before` can be. */
static bool fire_move(struct closure *closure, uint32_t control, uint32_t local,
                      const struct closure_move *move)
{
    const uint64_t *here = bit_matrix_row(&closure->beside, control);
    const uint64_t *beside = bit_matrix_row(&closure->with, local);
    if (!closure_has(closure, move->control, move->local)) {
        if (!admits(closure, move->control, move->local))
            return true;
        if (!make_possible(closure, move->control, move->local))
            return false;
    }
    for (size_t word = 0; word < closure->between_words; word++)
        closure->between[word] = here[word] & beside[word];
    if (!bring_along(closure, move->control))
        return false;
    put_beside(closure, move->local);
    return true;
}

/* ---- the whole ---- */

static enum status ask_moves(struct closure *closure, uint32_t control, size_t number,
                             struct error *error)
{
    struct closure_pair *pair = &closure->controls.items[control].pairs.items[number];
    uint32_t first = (uint32_t)closure->moves.list.length;
    TRY(closure->source.moves(closure->source.user, control, pair->local, &closure->moves, error));
    pair->first = first;
    pair->count = (uint32_t)closure->moves.list.length - first;
    for (uint32_t i = 0; i < pair->count; i++) {
        const struct closure_move *move = &closure->moves.list.items[first + i];
        if (!fit(closure, move->control, move->local))
            return STATUS_LIMIT;
        pair = &closure->controls.items[control].pairs.items[number];
    }
    return STATUS_OK;
}

static enum status fire(struct closure *closure, uint32_t control, size_t number,
                        struct error *error)
{
    if (closure->controls.items[control].pairs.items[number].first == NET_NONE)
        TRY(ask_moves(closure, control, number, error));
    struct closure_pair *pair = &closure->controls.items[control].pairs.items[number];
    uint32_t local = pair->local, first = pair->first, count = pair->count;
    pair->fired = closure->clock;
    for (uint32_t i = 0; i < count; i++)
        if (!fire_move(closure, control, local, &closure->moves.list.items[first + i]))
            return STATUS_LIMIT;
    return STATUS_OK;
}

static bool is_due(const struct closure *closure, const struct closure_control *row,
                   const struct closure_pair *pair)
{
    return pair->first == NET_NONE || row->changed > pair->fired ||
           closure->changed.items[pair->local] > pair->fired;
}

enum status closure_run(struct closure *closure, const struct limits *limits, struct error *error)
{
    uint64_t before, fired = 0;
    do {
        before = fired;
        for (uint32_t control = 0; control < closure->controls.length; control++)
            for (size_t i = 0; i < closure->controls.items[control].pairs.length; i++) {
                const struct closure_control *row = &closure->controls.items[control];
                if (!is_due(closure, row, &row->pairs.items[i]))
                    continue;
                if (fired++ % LOOK_EVERY == 0 && limits_reached(limits) != LIMIT_NONE)
                    return STATUS_LIMIT;
                TRY(fire(closure, control, i, error));
            }
    } while (fired > before);
    return STATUS_OK;
}

bool closure_begin(struct closure *closure, const uint32_t *controls, size_t control_count,
                   uint32_t local_count)
{
    for (uint32_t l = 0; l < local_count; l++) {
        if (!fit(closure, 0, l))
            return false;
        for (uint32_t other = 0; other < l; other++)
            relate(closure, l, other);
    }
    relate(closure, 0, 0);
    for (size_t i = 0; i < control_count; i++)
        for (uint32_t l = 0; l < local_count; l++)
            if (!fit(closure, controls[i], l) ||
                (!closure_has(closure, controls[i], l) && !make_possible(closure, controls[i], l)))
                return false;
    return true;
}
