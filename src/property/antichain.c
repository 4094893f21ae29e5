/* Which pairs stay. Invariant: of the normalised states kept with one implementation state none
 * includes another. A new one is dropped where it includes one that is kept, else those that
 * include it are dropped. Signatures (of what is in a set, a bit each of 64) tell most pairs apart
 * at once. */
#include "property/antichain.h"

#include <assert.h>

/* A row is the one normalised state of a state, or IS_LIST and the number of a list. */
#define IS_LIST UINT32_C(0x80000000)
#define NONE    (IS_LIST - 1) /* no normalised state yet */

void antichain_init(struct antichain *antichain, struct normal *normal, struct budget *budget)
{
    *antichain = (struct antichain){.budget = budget, .normal = normal};
    vectors_init(budget, &antichain->rows, &antichain->lists);
    blocks_init(&antichain->signatures, budget, sizeof(_Atomic uint64_t));
    antichain->signer = antichain;
}

void antichain_share(struct antichain *antichain, struct antichain *signer)
{
    antichain->signer = signer;
}

void antichain_ask(struct antichain *antichain, struct normal *normal)
{
    antichain->normal = normal;
}

void antichain_release(struct antichain *antichain)
{
    for (size_t i = 0; i < antichain->lists.length; i++)
        memory_release(antichain->budget, antichain->lists.items[i].items,
                       antichain->lists.items[i].capacity * sizeof(normal_id));
    vectors_release(&antichain->rows, &antichain->lists);
    blocks_release(&antichain->signatures);
}

static uint64_t signature_of(const struct antichain *antichain, normal_id normal)
{
    const _Atomic uint64_t *place = blocks_at(&antichain->signer->signatures, normal);
    return place ? atomic_load_explicit(place, memory_order_acquire) : 0;
}

/* Has the signature of the normalised state. Two threads may: it is the same. */
static bool know_signature(struct antichain *antichain, normal_id normal)
{
    struct normal *of = antichain->normal;
    uint64_t signature = 0;
    if (normal < antichain->signer->signed_below || signature_of(antichain, normal))
        return true;
    _Atomic uint64_t *place = blocks_reach(&antichain->signer->signatures, normal);
    if (!place || !of->class->signature(of, normal, &signature))
        return false;
    atomic_store_explicit(place, signature, memory_order_release);
    return true;
}

bool antichain_sign(struct antichain *signer, normal_id last)
{
    assert(signer->signer == signer && last < NONE);
    for (; signer->signed_below <= last; signer->signed_below++)
        if (!know_signature(signer, (normal_id)signer->signed_below))
            return false;
    return true;
}

/* Both have their signatures. False when refused. */
static bool includes(const struct antichain *antichain, normal_id whole, normal_id part,
                     bool *includes)
{
    *includes = (signature_of(antichain, part) & ~signature_of(antichain, whole)) == 0;
    return !*includes ||
           antichain->normal->class->includes(antichain->normal, whole, part, includes);
}

static bool list_push(struct antichain *antichain, struct antichain_list *list, normal_id normal)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 2;
        normal_id *items = memory_resize(antichain->budget, list->items,
                                         list->capacity * sizeof *items, capacity * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = normal;
    return true;
}

/* Makes a row of one normalised state a list of it and another. */
static bool row_to_list(struct antichain *antichain, uint32_t *row, normal_id normal)
{
    struct antichain_list list = {0};
    assert(*row < NONE && *row != normal);
    if (antichain->lists.length >= IS_LIST ||
        !vector_reserve(&antichain->lists, antichain->lists.length + 1))
        return false;
    if (!list_push(antichain, &list, *row) || !list_push(antichain, &list, normal)) {
        memory_release(antichain->budget, list.items, list.capacity * sizeof *list.items);
        return false;
    }
    *row = IS_LIST | (uint32_t)antichain->lists.length;
    antichain->lists.items[antichain->lists.length++] = list;
    return true;
}

static bool add_to_list(struct antichain *antichain, struct antichain_list *list, normal_id normal,
                        bool *fresh)
{
    uint32_t kept = 0;
    assert(list->count > 0 && list->count <= antichain->count);
    bool fine = true, is_part = false;
    for (uint32_t i = 0; i < list->count; i++) {
        if (!includes(antichain, normal, list->items[i], &is_part))
            return false;
        if (is_part) {
            /* What decided stands first: it is likely to decide again. */
            normal_id decided = list->items[i];
            list->items[i] = list->items[0];
            list->items[0] = decided;
            antichain->covered += decided != normal;
            return true;
        }
    }
    for (uint32_t i = 0; i < list->count; i++) {
        fine = fine && includes(antichain, list->items[i], normal, &is_part);
        if (!fine || !is_part)
            list->items[kept++] = list->items[i];
    }
    antichain->count -= list->count - kept;
    antichain->replaced += list->count - kept;
    list->count = kept;
    if (!fine || !list_push(antichain, list, normal))
        return false;
    antichain->count++;
    *fresh = true;
    return true;
}

/* Adds a pair to a row that has others. */
static bool add_to_row(struct antichain *antichain, uint32_t *row, normal_id normal, bool *fresh)
{
    bool is_part = false;
    if (!know_signature(antichain, normal) || (*row < NONE && !know_signature(antichain, *row)))
        return false;
    if (*row & IS_LIST)
        return add_to_list(antichain, &antichain->lists.items[*row & ~IS_LIST], normal, fresh);
    if (!includes(antichain, normal, *row, &is_part))
        return false;
    if (is_part) {
        antichain->covered++;
        return true;
    }
    if (!includes(antichain, *row, normal, &is_part))
        return false;
    *fresh = true;
    if (is_part) {
        antichain->replaced++;
        *row = normal;
        return true;
    }
    antichain->count++;
    return row_to_list(antichain, row, normal);
}

bool antichain_add(struct antichain *antichain, state_id state, normal_id normal, bool *fresh)
{
    *fresh = false;
    if (normal >= NONE)
        return false;
    while (antichain->rows.length <= state)
        if (!vector_push(&antichain->rows, NONE))
            return false;
    uint32_t *row = &antichain->rows.items[state];
    if (*row == normal)
        return true;
    if (*row == NONE) {
        *row = normal;
        antichain->count++;
        *fresh = true;
        return true;
    }
    return add_to_row(antichain, row, normal, fresh);
}

size_t antichain_bytes(const struct antichain *antichain)
{
    size_t bytes = antichain->rows.capacity * sizeof *antichain->rows.items +
                   antichain->lists.capacity * sizeof *antichain->lists.items +
                   blocks_bytes(&antichain->signatures);
    for (size_t i = 0; i < antichain->lists.length; i++)
        bytes += antichain->lists.items[i].capacity * sizeof *antichain->lists.items[i].items;
    return bytes;
}

bool antichain_has(const struct antichain *antichain, state_id state, normal_id normal)
{
    assert(state < antichain->rows.length);
    uint32_t row = antichain->rows.items[state];
    if (!(row & IS_LIST))
        return row == normal;
    assert((row & ~IS_LIST) < antichain->lists.length);
    const struct antichain_list *list = &antichain->lists.items[row & ~IS_LIST];
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == normal)
            return true;
    return false;
}
