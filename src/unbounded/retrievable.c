#include "unbounded/retrievable.h"

#include <assert.h>

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

static bool has_some(const struct retrievable *retrievable, uint32_t shared, uint32_t local)
{
    return retrievable->has.items[local] ||
           (retrievable->refers.items[local] & retrievable->nodes.items[shared]);
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

static bool find_who_has(struct retrievable *retrievable)
{
    const struct closure *closure = &retrievable->plain.closure;
    const struct thread_system *system = retrievable->plain.system;
    for (uint32_t l = 0; l < closure->local_count; l++)
        if (!vector_push(&retrievable->has, has_value(system, l)) ||
            !vector_push(&retrievable->refers, thread_system_references(system, l)))
            return false;
    for (uint32_t g = 0; g < closure->controls.length; g++)
        if (!vector_push(&retrievable->nodes, marked_nodes(system, g)))
            return false;
    return true;
}

enum status retrievable_find(struct retrievable *retrievable, struct thread_system *system,
                             struct budget *budget, const struct limits *limits,
                             struct error *error)
{
    const struct returns_question question = {.answers = 1u << MARKED,
                                              .later = true,
                                              .user = retrievable,
                                              .own = brings_no_other,
                                              .others = has_none};
    *retrievable = (struct retrievable){0};
    vectors_init(budget, &retrievable->has, &retrievable->refers, &retrievable->nodes,
                 &retrievable->known, &retrievable->words, &retrievable->alone);
    bit_matrix_init(&retrievable->can, budget);
    TRY(plain_closure_make(&retrievable->plain, system, 1u << MARKED | 1u << OTHER, budget, limits,
                           error));
    TRY_MEMORY(find_who_has(retrievable));
    return returns_find(&retrievable->plain.closure, &question, limits, &retrievable->can);
}

void retrievable_release(struct retrievable *retrievable)
{
    plain_closure_release(&retrievable->plain);
    bit_matrix_release(&retrievable->can);
    vectors_release(&retrievable->has, &retrievable->refers, &retrievable->nodes,
                    &retrievable->known, &retrievable->words, &retrievable->alone);
}

/* ---- one place of memory ---- */

/* Somebody who has none can come to answer it. Of a state that the abstraction does not know
 * nothing is known. */
static bool can_be_answered(const struct retrievable *retrievable, uint32_t shared)
{
    const struct closure *closure = &retrievable->plain.closure;
    if (shared >= closure->controls.length || !closure->controls.items[shared].pairs.length)
        return true;
    struct bits can = bit_matrix_row(&retrievable->can, shared);
    for (size_t i = 0; i < closure->controls.items[shared].pairs.length; i++) {
        uint32_t pair = closure->controls.items[shared].pairs.items[i];
        uint32_t local = closure->pairs.items[pair].local;
        if (bits_get(can, local) && !has_some(retrievable, shared, local))
            return true;
    }
    return false;
}

/* In the state `alone`, where one place holds the marked value. */
static bool retrievable_alone(struct retrievable *retrievable)
{
    struct thread_system *system = retrievable->plain.system;
    uint32_t values, shared = word_arrays_intern(&system->shared, retrievable->alone.items,
                                                 system->steps->thread_first, NULL);
    if (shared == UINT32_MAX || !thread_system_values(system, shared, &values)) {
        retrievable->refused = true;
        return true;
    }
    return (values >> MARKED & 1) && can_be_answered(retrievable, shared);
}

/* ---- all of them ---- */

typedef bool visit_value(struct retrievable *retrievable, uint32_t slot);

static bool visit_slots(struct retrievable *retrievable, const struct lin_value_slots *slots,
                        uint32_t first, visit_value *visit)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (visit(retrievable, first + slots->items[i]))
            return true;
    return false;
}

/* Whether `visit` is true of some place that can hold a value. */
static bool visit_values(struct retrievable *retrievable, visit_value *visit)
{
    const struct lin_steps *steps = retrievable->plain.system->steps;
    if (visit_slots(retrievable, &steps->shared_values, 0, visit))
        return true;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        const struct lin_pool *pool = &steps->pools[i];
        for (uint32_t j = 0; j < pool->nodes; j++)
            if (visit_slots(retrievable, &pool->values, pool->first + j * pool->words, visit))
                return true;
    }
    return false;
}

static bool make_alike(struct retrievable *retrievable, uint32_t slot)
{
    if (retrievable->alone.items[slot])
        retrievable->alone.items[slot] = OTHER;
    return false;
}

static bool retrievable_at(struct retrievable *retrievable, uint32_t slot)
{
    const struct lin_steps *steps = retrievable->plain.system->steps;
    if (retrievable->words.items[slot] != MARKED)
        return false;
    memcpy(retrievable->alone.items, retrievable->words.items,
           steps->thread_first * sizeof *retrievable->words.items);
    visit_values(retrievable, make_alike);
    retrievable->alone.items[slot] = MARKED;
    return retrievable_alone(retrievable);
}

static bool fit(struct retrievable *retrievable, uint32_t shared)
{
    size_t count = retrievable->plain.system->steps->thread_first;
    while (retrievable->known.length <= shared)
        if (!vector_push(&retrievable->known, 0))
            return false;
    return vector_reserve(&retrievable->words, count) && vector_reserve(&retrievable->alone, count);
}

bool retrievable_in(struct retrievable *retrievable, uint32_t shared)
{
    const struct thread_system *system = retrievable->plain.system;
    if (!fit(retrievable, shared)) {
        retrievable->refused = true;
        return true;
    }
    uint8_t *known = &retrievable->known.items[shared];
    assert(*known <= 2);
    if (*known)
        return *known == 2;
    memcpy(retrievable->words.items, thread_system_shared(system, shared),
           system->steps->thread_first * sizeof *retrievable->words.items);
    *known = visit_values(retrievable, retrievable_at) ? 2 : 1;
    return *known == 2;
}
