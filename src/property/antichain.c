/* Which pairs stay. Invariant: of the normalised states kept with one implementation state none
 * includes another. A new one is dropped where it includes one that is kept, else those that
 * include it are dropped. Signatures (of what is in a set, a bit each of 64) tell most pairs apart
 * at once. */
#include "property/antichain.h"

#include <assert.h>

/* A row is, shifted by a bit, the one normalised state of a state plus one, or the number of a list
 * and IS_LIST; 0: there is no normalised state yet. */
#define IS_LIST UINT32_C(1)
#define MOST    ((UINT32_C(1) << 31) - 2) /* of a normalised state, or a list */

static uint32_t row_of_one(normal_id normal)
{
    return (normal + 1) << 1;
}

static uint32_t row_of_list(size_t number)
{
    return (uint32_t)number << 1 | IS_LIST;
}

static normal_id one_of_row(uint32_t row)
{
    assert(row && !(row & IS_LIST));
    return (row >> 1) - 1;
}

static struct antichain_list *list_of_row(const struct antichain *antichain, uint32_t row)
{
    assert(row & IS_LIST && row >> 1 < antichain->lists.length);
    return &antichain->lists.items[row >> 1];
}

void antichain_init(struct antichain *antichain, struct normal *normal, struct budget *budget)
{
    *antichain = (struct antichain){.budget = budget, .normal = normal};
    packed_numbers_init(&antichain->rows, budget);
    vector_init(&antichain->lists, budget);
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
    packed_numbers_release(&antichain->rows);
    vector_release(&antichain->lists);
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
    assert(signer->signer == signer && last <= MOST);
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

/* Makes the row of a state that has one normalised state a list of it and another. */
static bool row_to_list(struct antichain *antichain, state_id state, normal_id one,
                        normal_id normal)
{
    struct antichain_list list = {0};
    const size_t number = antichain->lists.length;
    assert(one != normal);
    if (number <= MOST && vector_reserve(&antichain->lists, number + 1) &&
        list_push(antichain, &list, one) && list_push(antichain, &list, normal) &&
        packed_numbers_set(&antichain->rows, state, row_of_list(number))) {
        antichain->lists.items[antichain->lists.length++] = list;
        return true;
    }
    memory_release(antichain->budget, list.items, list.capacity * sizeof *list.items);
    return false;
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

/* Adds a pair of a state that has one normalised state. */
static bool add_to_one(struct antichain *antichain, state_id state, normal_id one, normal_id normal,
                       bool *fresh)
{
    bool is_part = false;
    if (!know_signature(antichain, one) || !includes(antichain, normal, one, &is_part))
        return false;
    if (is_part) {
        antichain->covered++;
        return true;
    }
    if (!includes(antichain, one, normal, &is_part))
        return false;
    const bool room = is_part ? packed_numbers_set(&antichain->rows, state, row_of_one(normal))
                              : row_to_list(antichain, state, one, normal);
    antichain->replaced += room && is_part;
    antichain->count += room && !is_part;
    *fresh = room;
    return room;
}

bool antichain_add(struct antichain *antichain, state_id state, normal_id normal, bool *fresh)
{
    *fresh = false;
    if (normal > MOST)
        return false;
    const uint32_t row = packed_numbers_get(&antichain->rows, state);
    if (row == row_of_one(normal))
        return true;
    if (!row) {
        *fresh = packed_numbers_set(&antichain->rows, state, row_of_one(normal));
        antichain->count += *fresh;
        return *fresh;
    }
    if (!know_signature(antichain, normal))
        return false;
    return row & IS_LIST ? add_to_list(antichain, list_of_row(antichain, row), normal, fresh)
                         : add_to_one(antichain, state, one_of_row(row), normal, fresh);
}

size_t antichain_bytes(const struct antichain *antichain)
{
    size_t bytes = packed_numbers_bytes(&antichain->rows) +
                   antichain->lists.capacity * sizeof *antichain->lists.items +
                   blocks_bytes(&antichain->signatures);
    for (size_t i = 0; i < antichain->lists.length; i++)
        bytes += antichain->lists.items[i].capacity * sizeof *antichain->lists.items[i].items;
    return bytes;
}

bool antichain_has(const struct antichain *antichain, state_id state, normal_id normal)
{
    const uint32_t row = packed_numbers_get(&antichain->rows, state);
    assert(row);
    if (!(row & IS_LIST))
        return one_of_row(row) == normal;
    const struct antichain_list *list = list_of_row(antichain, row);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == normal)
            return true;
    return false;
}
