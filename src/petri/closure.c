/* Computes the pair abstraction as a least fixed point: pairs are fired in rounds, each again when
 * more has become possible at its control since. Everything only grows, so that a round in which
 * nothing fires is the last. */
#include "petri/closure.h"

#include <assert.h>

#include "base/faults.h"

/* The first of a pair asks for its moves. */
#define FIRINGS_A_LOOK SIZE_OR_SMALL(256, 1)

void closure_init(struct closure *closure, const struct closure_source *source,
                  struct budget *budget)
{
    *closure = (struct closure){.budget = budget, .source = *source};
    bit_matrix_init(&closure->beside, budget);
    vectors_init(budget, &closure->controls, &closure->pairs, &closure->moves.list);
}

static size_t number_bytes(const struct closure *closure)
{
    return closure->number_rows * closure->number_columns * sizeof *closure->numbers;
}

void closure_release(struct closure *closure)
{
    for (size_t i = 0; i < closure->controls.length; i++)
        vector_release(&closure->controls.items[i].pairs);
    memory_release(closure->budget, closure->numbers, number_bytes(closure));
    bits_release(closure->budget, closure->between);
    vectors_release(&closure->controls, &closure->pairs, &closure->moves.list);
    bit_matrix_release(&closure->beside);
    *closure = (struct closure){.budget = closure->budget};
}

/* ---- room ---- */

static bool fit_between(struct closure *closure)
{
    struct bits before = closure->between;
    size_t size = closure->beside.words * WORD_BITS;
    if (size == before.size)
        return true;
    struct bits between = bits_allocate(closure->budget, size);
    if (!between.words)
        return false;
    bits_release(closure->budget, before);
    closure->between = between;
    return true;
}

static bool fit_numbers(struct closure *closure)
{
    size_t rows = closure->number_rows ? closure->number_rows : 16;
    size_t columns = closure->number_columns ? closure->number_columns : 16;
    while (rows < closure->controls.length)
        rows *= 2;
    while (columns < closure->local_count)
        columns *= 2;
    if (rows == closure->number_rows && columns == closure->number_columns)
        return true;
    uint32_t *numbers = memory_zeroed(closure->budget, rows * columns * sizeof *numbers);
    if (!numbers)
        return false;
    for (size_t i = 0; i < closure->number_rows; i++)
        memcpy(numbers + i * columns, closure->numbers + i * closure->number_columns,
               closure->number_columns * sizeof *numbers);
    memory_release(closure->budget, closure->numbers, number_bytes(closure));
    closure->numbers = numbers;
    closure->number_rows = rows;
    closure->number_columns = columns;
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
    if (closure->local_count <= local)
        closure->local_count = local + (size_t)1;
    return fit_numbers(closure) &&
           bit_matrix_fit(&closure->beside, closure->pairs.length + 1, closure->local_count) &&
           fit_between(closure);
}

/* ---- the relation ---- */

/* False when refused. */
static bool make_possible(struct closure *closure, uint32_t control, uint32_t local)
{
    struct closure_control *row = &closure->controls.items[control];
    struct closure_pair pair = {.local = local, .first = NET_NONE};
    uint32_t number = (uint32_t)closure->pairs.length;
    assert(!closure_has(closure, control, local));
    if (!vector_push(&closure->pairs, pair) || !vector_push(&row->pairs, number) ||
        !bit_matrix_fit(&closure->beside, closure->pairs.length, closure->local_count))
        return false;
    closure->numbers[control * closure->number_columns + local] = number + 1;
    row->changed = ++closure->clock;
    return true;
}

/* A pair to be possible, unless the source refuses it. False when memory is refused. */
static bool admit(struct closure *closure, uint32_t control, uint32_t local, bool *admitted)
{
    *admitted = closure_has(closure, control, local);
    if (*admitted)
        return true;
    *admitted =
        !closure->source.admits || closure->source.admits(closure->source.user, control, local);
    return !*admitted || make_possible(closure, control, local);
}

/* Those of `between` that are admitted at the control become possible; the others leave it. */
static bool bring_along(struct closure *closure, uint32_t control)
{
    struct bits between = closure->between;
    for (uint32_t word = 0; word < closure->beside.words; word++)
        for (uint64_t left = between.words[word]; left;) {
            uint32_t local = word * WORD_BITS + bits_take(&left);
            bool admitted;
            if (!admit(closure, control, local, &admitted))
                return false;
            if (!admitted)
                bits_clear(between, local);
        }
    return true;
}

/* What is beside whom once those of `between` have come along from one control to another, beside a
 * thread that is now in `local`. */
static void relate(struct closure *closure, uint32_t from, uint32_t to, uint32_t local)
{
    struct bits between = closure->between;
    assert(closure_has(closure, to, local));
    bool grown = bits_add(closure_beside(closure, closure_pair(closure, to, local)), between);
    for (uint32_t word = 0; word < closure->beside.words; word++)
        for (uint64_t left = between.words[word]; left;) {
            uint32_t other = word * WORD_BITS + bits_take(&left);
            struct bits row = closure_beside(closure, closure_pair(closure, to, other));
            struct bits also = closure_beside(closure, closure_pair(closure, from, other));
            grown |= bits_add_common(row, between, also) || !bits_get(row, local);
            bits_set(row, local);
        }
    if (grown)
        closure->controls.items[to].changed = ++closure->clock;
}

/* The move of a thread at a control where `pair` is. */
static bool fire_move(struct closure *closure, uint32_t control, uint32_t pair,
                      const struct closure_move *move)
{
    bool admitted;
    if (!admit(closure, move->control, move->local, &admitted) || !admitted)
        return !admitted;
    bits_copy(closure->between, closure_beside(closure, pair));
    if (!bring_along(closure, move->control))
        return false;
    relate(closure, control, move->control, move->local);
    return true;
}

/* ---- the whole ---- */

static enum status ask_moves(struct closure *closure, uint32_t control, uint32_t number,
                             struct error *error)
{
    uint32_t first = (uint32_t)closure->moves.list.length;
    TRY(closure->source.moves(closure->source.user, control, closure->pairs.items[number].local,
                              &closure->moves, error));
    uint32_t end = (uint32_t)closure->moves.list.length;
    closure->pairs.items[number].first = first;
    closure->pairs.items[number].count = end - first;
    for (uint32_t i = first; i < end; i++)
        TRY_MEMORY(
            fit(closure, closure->moves.list.items[i].control, closure->moves.list.items[i].local));
    return STATUS_OK;
}

static enum status fire(struct closure *closure, uint32_t control, uint32_t number,
                        struct error *error)
{
    if (closure->pairs.items[number].first == NET_NONE)
        TRY(ask_moves(closure, control, number, error));
    struct closure_pair *pair = &closure->pairs.items[number];
    uint32_t first = pair->first, end = first + pair->count;
    assert(pair->fired <= closure->clock && end <= closure->moves.list.length);
    pair->fired = closure->clock;
    for (uint32_t i = first; i < end; i++)
        TRY_MEMORY(fire_move(closure, control, number, &closure->moves.list.items[i]));
    return STATUS_OK;
}

enum status closure_run(struct closure *closure, const struct limits *limits, struct error *error)
{
    uint64_t before, fired = 0;
    uint32_t looked = 0;
    do {
        before = fired;
        for (uint32_t control = 0; control < closure->controls.length; control++)
            for (size_t i = 0; i < closure->controls.items[control].pairs.length; i++) {
                const struct closure_control *row = &closure->controls.items[control];
                const struct closure_pair *pair = &closure->pairs.items[row->pairs.items[i]];
                if (pair->first != NET_NONE && row->changed <= pair->fired)
                    continue;
                if (limits_look_every(limits, &looked, FIRINGS_A_LOOK))
                    return STATUS_LIMIT;
                fired++;
                TRY(fire(closure, control, row->pairs.items[i], error));
            }
    } while (fired > before);
    return STATUS_OK;
}

/* All local states beside each other, threads only in the first one besides itself. */
static bool begin_control(struct closure *closure, uint32_t control, uint32_t local_count)
{
    for (uint32_t l = 0; l < local_count; l++) {
        if (!fit(closure, control, l))
            return false;
        if (closure_has(closure, control, l))
            continue;
        if (!make_possible(closure, control, l))
            return false;
        struct bits row = closure_beside(closure, closure_pair(closure, control, l));
        for (uint32_t other = 0; other < local_count; other++)
            if (other != l || l == 0)
                bits_set(row, other);
    }
    return true;
}

bool closure_begin(struct closure *closure, const uint32_t *controls, size_t control_count,
                   uint32_t local_count)
{
    if (!fit(closure, 0, local_count - 1))
        return false;
    for (size_t i = 0; i < control_count; i++)
        if (!begin_control(closure, controls[i], local_count))
            return false;
    return true;
}
