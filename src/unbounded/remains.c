#include "unbounded/remains.h"

#include "unbounded/thread_memory.h"

#define MARKED 1 /* the colour of the value that is followed */
#define OTHER  2

/* ---- who has one ---- */

static bool is_marked(const uint32_t *words, const struct lin_value_slots *slots)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (words[slots->items[i]] == MARKED)
            return true;
    return false;
}

static bool has_value(const struct thread_system *system, uint32_t local)
{
    uint16_t operation = thread_system_operation(system, local);
    const uint32_t *locals = thread_system_local(system, local) + LIN_THREAD_HEADER;
    return operation != UINT16_MAX && is_marked(locals, &system->steps->entries[operation].values);
}

/* As thread_memory.h numbers them. */
static uint64_t marked_nodes(const struct thread_system *system, uint32_t shared)
{
    const struct lin_steps *steps = system->steps;
    const uint32_t *words = thread_system_shared(system, shared);
    uint64_t found = 0;
    for (uint32_t i = 0, number = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes && number < 64; j++, number++)
            if (is_marked(words + pool->first + j * pool->words, &pool->values))
                found |= UINT64_C(1) << number;
    }
    return found;
}

static bool has_some(const struct remains *remains, uint32_t shared, uint32_t local)
{
    return remains->has.items[local] ||
           (remains->refers.items[local] & remains->nodes.items[shared]);
}

static bool brings_no_other(const void *user, const struct thread_move *move)
{
    (void)user;
    return move->argument != MARKED;
}

static bool has_none(const void *user, const struct thread_move *move)
{
    return move->argument != MARKED && !has_some(user, move->shared, move->local);
}

static bool find_who_has(struct remains *remains)
{
    const struct closure *closure = &remains->plain.closure;
    const struct thread_system *system = remains->plain.system;
    for (uint32_t l = 0; l < closure->local_count; l++)
        if (!vector_push(&remains->has, has_value(system, l)) ||
            !vector_push(&remains->refers, thread_system_references(system, l)))
            return false;
    for (uint32_t g = 0; g < closure->controls.length; g++)
        if (!vector_push(&remains->nodes, marked_nodes(system, g)))
            return false;
    return true;
}

enum status remains_find(struct remains *remains, struct thread_system *system,
                         struct budget *budget, const struct limits *limits, struct error *error)
{
    const struct returns_question question = {.answers = 1u << MARKED,
                                              .later = true,
                                              .user = remains,
                                              .own = brings_no_other,
                                              .others = has_none};
    *remains = (struct remains){0};
    vector_init(&remains->has, budget);
    vector_init(&remains->refers, budget);
    vector_init(&remains->nodes, budget);
    vector_init(&remains->known, budget);
    vector_init(&remains->words, budget);
    vector_init(&remains->alone, budget);
    bit_matrix_init(&remains->can, budget);
    TRY(plain_closure_make(&remains->plain, system, 1u << MARKED | 1u << OTHER, budget, limits,
                           error));
    if (!find_who_has(remains))
        return STATUS_LIMIT;
    return returns_find(&remains->plain.closure, &question, limits, &remains->can);
}

void remains_release(struct remains *remains)
{
    plain_closure_release(&remains->plain);
    bit_matrix_release(&remains->can);
    vector_release(&remains->has);
    vector_release(&remains->refers);
    vector_release(&remains->nodes);
    vector_release(&remains->known);
    vector_release(&remains->words);
    vector_release(&remains->alone);
}

/* ---- one place of memory ---- */

/* Somebody who has none can come to answer it. Of a state that the abstraction does not know
 * nothing is known. */
static bool can_be_answered(const struct remains *remains, uint32_t shared)
{
    const struct closure *closure = &remains->plain.closure;
    if (shared >= closure->controls.length || !closure->controls.items[shared].pairs.length)
        return true;
    struct bits can = bit_matrix_row(&remains->can, shared);
    for (size_t i = 0; i < closure->controls.items[shared].pairs.length; i++) {
        uint32_t pair = closure->controls.items[shared].pairs.items[i];
        uint32_t local = closure->pairs.items[pair].local;
        if (bits_get(can, local) && !has_some(remains, shared, local))
            return true;
    }
    return false;
}

/* In the state `alone`, where one place holds the marked value. */
static bool remains_alone(struct remains *remains)
{
    struct thread_system *system = remains->plain.system;
    uint32_t values, shared = word_arrays_intern(&system->shared, remains->alone.items,
                                                 system->steps->thread_first, NULL);
    if (shared == UINT32_MAX || !thread_system_values(system, shared, &values)) {
        remains->refused = true;
        return true;
    }
    return (values >> MARKED & 1) && can_be_answered(remains, shared);
}

/* ---- all of them ---- */

typedef bool visit_value(struct remains *remains, uint32_t slot);

static bool visit_slots(struct remains *remains, const struct lin_value_slots *slots,
                        uint32_t first, visit_value *visit)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (visit(remains, first + slots->items[i]))
            return true;
    return false;
}

/* Whether `visit` is true of some place that can hold a value. */
static bool visit_values(struct remains *remains, visit_value *visit)
{
    const struct lin_steps *steps = remains->plain.system->steps;
    if (visit_slots(remains, &steps->shared_values, 0, visit))
        return true;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (visit_slots(remains, &pool->values, pool->first + j * pool->words, visit))
                return true;
    }
    return false;
}

static bool make_alike(struct remains *remains, uint32_t slot)
{
    if (remains->alone.items[slot])
        remains->alone.items[slot] = OTHER;
    return false;
}

static bool remains_at(struct remains *remains, uint32_t slot)
{
    const struct lin_steps *steps = remains->plain.system->steps;
    if (remains->words.items[slot] != MARKED)
        return false;
    memcpy(remains->alone.items, remains->words.items,
           steps->thread_first * sizeof *remains->words.items);
    visit_values(remains, make_alike);
    remains->alone.items[slot] = MARKED;
    return remains_alone(remains);
}

static bool fit(struct remains *remains, uint32_t shared)
{
    size_t count = remains->plain.system->steps->thread_first;
    while (remains->known.length <= shared)
        if (!vector_push(&remains->known, 0))
            return false;
    return vector_reserve(&remains->words, count) && vector_reserve(&remains->alone, count);
}

bool remains_in(struct remains *remains, uint32_t shared)
{
    const struct thread_system *system = remains->plain.system;
    if (!fit(remains, shared)) {
        remains->refused = true;
        return true;
    }
    uint8_t *known = &remains->known.items[shared];
    if (*known)
        return *known == 2;
    memcpy(remains->words.items, thread_system_shared(system, shared),
           system->steps->thread_first * sizeof *remains->words.items);
    *known = visit_values(remains, remains_at) ? 2 : 1;
    return *known == 2;
}
