#include "csp/turn.h"

#include <assert.h>
#include <string.h>

#include "csp/instantiate.h"

/* ---- creation ---- */

/* The slots that belong to one index each, in the same order for every index. */
static bool add_cells(struct csp_turn *turn, uint32_t index)
{
    const struct csp_indices *indices = turn->indices;
    for (size_t i = 0; i < indices->slots.length; i++) {
        const struct index_slot *slot = &indices->slots.items[i];
        bool own = slot->dimensions > 0;
        for (uint32_t d = 0; d < slot->dimensions; d++)
            own &= slot->at[d] == index;
        if (own && !vector_push(&turn->cells, slot->slot * 2 + slot->holds))
            return false;
    }
    return true;
}

enum status csp_turn_create(struct csp_term_pool *pool, struct csp_indices *indices,
                            struct csp_turn *turn)
{
    *turn = (struct csp_turn){.indices = indices};
    csp_terms_init(&turn->terms, pool);
    pthread_mutex_init(&turn->lock, NULL);
    shared_words_init(&turn->keys, pool->budget);
    blocks_init(&turn->turned, pool->budget, sizeof(_Atomic term));
    blocks_init(&turn->known, pool->budget, sizeof(struct turned_term));
    vectors_init(pool->budget, &turn->cells, &turn->stack);
    for (uint32_t i = 0; i < indices->nodes.count; i++)
        TRY_MEMORY(add_cells(turn, i));
    assert(turn->cells.length % indices->nodes.count == 0); /* each index has as many */
    turn->cells_each = (uint32_t)(turn->cells.length / indices->nodes.count);
    return STATUS_OK;
}

void csp_turn_release(struct csp_turn *turn)
{
    if (!turn->indices)
        return;
    csp_terms_release(&turn->terms);
    pthread_mutex_destroy(&turn->lock);
    shared_words_release(&turn->keys);
    blocks_release(&turn->turned);
    blocks_release(&turn->known);
    vectors_release(&turn->cells, &turn->stack);
}

/* ---- terms ---- */

static enum status made(term t, term *result)
{
    *result = t;
    return t == TERM_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

static enum status turn_term(struct csp_turn *turn, term t, turning by, term *result,
                             struct error *error);

/* Makes the term anew from the process that it was made of, with the program's lock held. */
static enum status make_again(struct csp_turn *turn, const struct origin *origin, turning by,
                              term *result, struct error *error)
{
    const struct scope *outer = NULL;
    size_t count = 0;
    for (const struct scope *at = origin->scope; at; at = at->outer)
        count++;
    struct scope *copies = arena_allocate(&turn->terms.pool->arena, (count + 1) * sizeof *copies);
    TRY_MEMORY(copies);
    for (const struct scope *at = origin->scope; at; at = at->outer) {
        struct scope *copy = &copies[--count];
        *copy = *at;
        copy->outer = count ? &copies[count - 1] : NULL;
        outer = outer ? outer : copy;
        if (copy->kind == BOUND_CONSTANT && datum_tag_of(copy->constant) == DATUM_INTEGER &&
            csp_binds_index(turn->indices, copy->binder))
            copy->constant = datum_integer(
                (int32_t)csp_turn_value(turn->indices, (uint32_t)datum_bits(copy->constant), by));
    }
    return csp_instantiate(&turn->terms, origin->process, outer, result, error);
}

/* A set of labels with their indices renumbered. */
static enum status turn_set(struct csp_turn *turn, uint32_t set, turning by, uint32_t *result)
{
    size_t count, start = turn->stack.length;
    const uint32_t *labels = shared_words_get(&turn->terms.pool->label_sets, set, &count);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        label l = csp_turn_label(turn->indices, labels[i], by);
        if (l == LABEL_REFUSED || !vector_push(&turn->stack, l))
            status = STATUS_LIMIT;
    }
    if (status == STATUS_OK) {
        *result = csp_label_set(&turn->terms, turn->stack.items + start, count);
        status = *result == UINT32_MAX ? STATUS_LIMIT : STATUS_OK;
    }
    turn->stack.length = start;
    return status;
}

static enum status turn_parts(struct csp_turn *turn, term t, turning by, term *result,
                              struct error *error)
{
    size_t length, start = turn->stack.length;
    struct term_parts parts;
    enum term_kind kind = term_kind_of(&turn->terms, t);
    const uint32_t *words = term_words(&turn->terms, t, &length);
    if (!term_parts(&turn->terms, t, &parts) || kind == TERM_KIND_PARALLEL)
        return error_set(error, STATUS_INTERNAL, NULL, 0, "a term has no origin");
    for (size_t i = 0; i < length; i++)
        TRY_MEMORY(vector_push(&turn->stack, words[i]));
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < parts.count; i++) {
        const size_t at = start + parts.first + i * parts.step;
        term part = 0;
        status = turn_term(turn, turn->stack.items[at], by, &part, error);
        turn->stack.items[at] = part;
    }
    if (status == STATUS_OK && kind == TERM_KIND_HIDE) {
        uint32_t set = 0;
        status = turn_set(turn, turn->stack.items[start], by, &set);
        turn->stack.items[start] = set;
    }
    if (status == STATUS_OK)
        status = made(term_rebuild(&turn->terms, kind, turn->stack.items + start, length), result);
    turn->stack.length = start;
    return status;
}

static enum status turn_term(struct csp_turn *turn, term t, turning by, term *result,
                             struct error *error)
{
    const uint32_t key[] = {t, by};
    *result = t;
    if (by == TURNING_IDENTITY || t == TERM_STOP || t == TERM_SKIP)
        return STATUS_OK;
    uint32_t number = shared_words_intern(&turn->keys, key, ARRAY_LENGTH(key));
    _Atomic term *turned = number == UINT32_MAX ? NULL : blocks_reach(&turn->turned, number);
    TRY_MEMORY(turned);
    if (atomic_load(turned) == 0) {
        const struct origin origin = csp_origin_of(&turn->terms, t);
        if (origin.process) {
            csp_terms_lock(&turn->terms);
            enum status status = make_again(turn, &origin, by, result, error);
            csp_terms_unlock(&turn->terms);
            TRY(status);
        } else {
            TRY(turn_parts(turn, t, by, result, error));
        }
        atomic_store(turned, *result + 1);
    }
    *result = atomic_load(turned) - 1;
    return STATUS_OK;
}

/* ---- whose a term is ---- */

static turning exchange(uint32_t a, uint32_t b)
{
    uint8_t numbers[TURNING_MOST];
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[i] = (uint8_t)(i == a ? b : i == b ? a : i);
    return turning_make(numbers);
}

static struct turned_term *known_of(struct csp_turn *turn, term t)
{
    return blocks_reach(&turn->known, t);
}

/* Of the indices around the process that the term was made of, those that are in it. */
static enum status owners_of_origin(struct csp_turn *turn, term t, const struct origin *origin,
                                    uint8_t *owners, struct error *error)
{
    for (const struct scope *at = origin->scope; at; at = at->outer) {
        uint32_t index = (uint32_t)datum_bits(at->constant);
        if (at->kind != BOUND_CONSTANT || datum_tag_of(at->constant) != DATUM_INTEGER ||
            index >= turn->indices->nodes.count || !csp_binds_index(turn->indices, at->binder))
            continue;
        for (uint32_t other = 0; other < turn->indices->nodes.count; other++) {
            term turned = t;
            TRY(turn_term(turn, t, exchange(index, other), &turned, error));
            if (turned != t)
                *owners |= (uint8_t)(1 << index);
        }
    }
    return STATUS_OK;
}

static enum status owners_of(struct csp_turn *turn, term t, uint8_t *owners, struct error *error)
{
    size_t length;
    struct term_parts parts;
    struct turned_term *known = known_of(turn, t);
    TRY_MEMORY(known);
    *owners = known->owners;
    if (atomic_load(&known->has_owners))
        return STATUS_OK;
    const struct origin origin = csp_origin_of(&turn->terms, t);
    if (origin.process) {
        TRY(owners_of_origin(turn, t, &origin, owners, error));
    } else if (term_parts(&turn->terms, t, &parts)) {
        const uint32_t *words = term_words(&turn->terms, t, &length);
        for (size_t i = 0; i < parts.count; i++) {
            uint8_t of_part = 0;
            TRY(owners_of(turn, words[parts.first + i * parts.step], &of_part, error));
            *owners |= of_part;
        }
    }
    term alike = t;
    if (*owners && (*owners & (*owners - 1)) == 0)
        TRY(turn_term(turn, t, exchange((uint32_t)__builtin_ctz(*owners), 0), &alike, error));
    known->owners = *owners;
    known->alike = alike;
    atomic_store(&known->has_owners, true);
    return STATUS_OK;
}

/* ---- the components of the outermost composition ---- */

static enum status comes_before(struct csp_turn *turn, term a, term b, bool *before,
                                struct error *error)
{
    uint8_t owners[2];
    TRY(owners_of(turn, a, &owners[0], error));
    TRY(owners_of(turn, b, &owners[1], error));
    int first = owners[0] ? __builtin_ctz(owners[0]) : TURNING_MOST;
    int second = owners[1] ? __builtin_ctz(owners[1]) : TURNING_MOST;
    *before = first < second || (first == second && a < b);
    return STATUS_OK;
}

static enum status sort_components(struct csp_turn *turn, size_t start, size_t count,
                                   struct error *error)
{
    for (size_t i = 1; i < count; i++) {
        term component = turn->stack.items[start + i];
        size_t at = i;
        for (; at > 0; at--) {
            bool before = false;
            TRY(comes_before(turn, component, turn->stack.items[start + at - 1], &before, error));
            if (!before)
                break;
            turn->stack.items[start + at] = turn->stack.items[start + at - 1];
        }
        turn->stack.items[start + at] = component;
    }
    return STATUS_OK;
}

static enum status arrange(struct csp_turn *turn, term t, term *result, struct error *error)
{
    size_t length, start = turn->stack.length;
    enum term_kind kind = term_kind_of(&turn->terms, t);
    struct turned_term *known = known_of(turn, t);
    TRY_MEMORY(known);
    *result = atomic_load(&known->arranged) - 1;
    if (*result != TERM_REFUSED)
        return STATUS_OK;
    *result = t;
    const uint32_t *words = term_words(&turn->terms, t, &length);
    size_t part = kind == TERM_KIND_HIDE ? 1 : 0;
    bool around = kind == TERM_KIND_HIDE || kind == TERM_KIND_SEQUENCE;
    if (!around && kind != TERM_KIND_INTERLEAVE) {
        atomic_store(&known->arranged, t + 1);
        return STATUS_OK;
    }
    for (size_t i = 0; i < length; i++)
        TRY_MEMORY(vector_push(&turn->stack, words[i]));
    enum status status = STATUS_OK;
    if (around) {
        term inner = 0;
        status = arrange(turn, turn->stack.items[start + part], &inner, error);
        turn->stack.items[start + part] = inner;
    } else {
        status = sort_components(turn, start, length, error);
    }
    if (status == STATUS_OK)
        status = made(term_make(&turn->terms, kind, turn->stack.items + start, length), result);
    turn->stack.length = start;
    if (status == STATUS_OK)
        atomic_store(&known->arranged, *result + 1);
    return status;
}

/* ---- states ---- */

/* `old` is room for a valuation. */
static void turn_slots(const struct csp_turn *turn, uint32_t *slots, turning by, uint32_t *old)
{
    const struct csp_indices *indices = turn->indices;
    const uint32_t count = turn->terms.pool->program->slot_count;
    memcpy(old, slots, count * sizeof *slots);
    for (size_t i = 0; i < indices->slots.length; i++) {
        const struct index_slot *slot = &indices->slots.items[i];
        int64_t to = slot->slot;
        for (uint32_t d = 0; d < slot->dimensions; d++)
            to += ((int64_t)turning_of(by, slot->at[d]) - slot->at[d]) * slot->strides[d];
        assert(to >= 0 && to < count);
        slots[to] = slot->holds ? csp_turn_value(indices, old[slot->slot], by) : old[slot->slot];
    }
}

/* The term renumbered and arranged, if somebody has done that before. */
static bool known_turned(const struct csp_turn *turn, term t, turning by, term *result)
{
    term turned = t;
    if (by != TURNING_IDENTITY && t != TERM_STOP && t != TERM_SKIP) {
        const uint32_t key[] = {t, by};
        uint32_t number = shared_words_find(&turn->keys, key, ARRAY_LENGTH(key));
        const _Atomic term *kept = number == UINT32_MAX ? NULL : blocks_at(&turn->turned, number);
        if (!kept || atomic_load_explicit(kept, memory_order_acquire) == 0)
            return false;
        turned = atomic_load_explicit(kept, memory_order_acquire) - 1;
    }
    const struct turned_term *known = blocks_at(&turn->known, turned);
    if (!known || atomic_load_explicit(&known->arranged, memory_order_acquire) == 0)
        return false;
    *result = atomic_load_explicit(&known->arranged, memory_order_acquire) - 1;
    return true;
}

enum status csp_turn_state(struct csp_turn *turn, uint32_t *state, turning by, uint32_t *scratch,
                           struct error *error)
{
    term turned = 0;
    if (!known_turned(turn, state[0], by, &turned)) {
        pthread_mutex_lock(&turn->lock);
        enum status status = turn_term(turn, state[0], by, &turned, error);
        if (status == STATUS_OK)
            status = arrange(turn, turned, &turned, error);
        pthread_mutex_unlock(&turn->lock);
        TRY(status);
    }
    state[0] = turned;
    if (by != TURNING_IDENTITY)
        turn_slots(turn, state + 1, by, scratch);
    return STATUS_OK;
}

/* ---- the order of indices ---- */

#define MOST_ALIKE 4 /* components of one index that are looked at */

/* What tells an index from others: its components, then its cells. */
struct index_key {
    uint32_t count;
    term alike[MOST_ALIKE];
};

static void add_alike(struct index_key *key, term alike)
{
    uint32_t at = key->count;
    if (at == MOST_ALIKE)
        return;
    for (; at > 0 && key->alike[at - 1] > alike; at--)
        key->alike[at] = key->alike[at - 1];
    key->alike[at] = alike;
    key->count++;
}

/* What is known of a term, its owners at least. */
static enum status whose(struct csp_turn *turn, term t, const struct turned_term **found,
                         struct error *error)
{
    const struct turned_term *known = known_of(turn, t);
    enum status status = known ? STATUS_OK : STATUS_LIMIT;
    uint8_t ignored;
    if (known && !atomic_load_explicit(&known->has_owners, memory_order_acquire)) {
        pthread_mutex_lock(&turn->lock);
        status = owners_of(turn, t, &ignored, error);
        pthread_mutex_unlock(&turn->lock);
    }
    *found = known;
    return status;
}

static enum status find_keys(struct csp_turn *turn, term t, struct index_key *keys,
                             struct error *error)
{
    size_t length;
    enum term_kind kind = term_kind_of(&turn->terms, t);
    const uint32_t *words = term_words(&turn->terms, t, &length);
    if (kind == TERM_KIND_HIDE || kind == TERM_KIND_SEQUENCE)
        return find_keys(turn, words[kind == TERM_KIND_HIDE], keys, error);
    if (kind != TERM_KIND_INTERLEAVE)
        return STATUS_OK;
    for (size_t i = 0; i < length; i++) {
        const struct turned_term *known = NULL;
        TRY(whose(turn, words[i], &known, error));
        if (known->owners && (known->owners & (known->owners - 1)) == 0)
            add_alike(&keys[__builtin_ctz(known->owners)], known->alike);
    }
    return STATUS_OK;
}

/* A value as seen from an index: which of the others one is has no meaning. */
static uint32_t seen_from(const struct csp_turn *turn, uint32_t number, uint32_t index)
{
    if (number >= turn->indices->nodes.count)
        return number;
    return number == index ? 0 : 1;
}

static int compare_cells(const struct csp_turn *turn, const uint32_t *slots, uint32_t a, uint32_t b)
{
    const uint32_t *of_a = turn->cells.items + (size_t)a * turn->cells_each;
    const uint32_t *of_b = turn->cells.items + (size_t)b * turn->cells_each;
    for (uint32_t i = 0; i < turn->cells_each; i++) {
        uint32_t left = slots[of_a[i] / 2], right = slots[of_b[i] / 2];
        if (of_a[i] & 1) {
            left = seen_from(turn, left, a);
            right = seen_from(turn, right, b);
        }
        if (left != right)
            return left < right ? -1 : 1;
    }
    for (size_t i = 0; i < turn->indices->slots.length; i++) {
        const struct index_slot *slot = &turn->indices->slots.items[i];
        if (slot->dimensions == 0 && (slots[slot->slot] == a || slots[slot->slot] == b))
            return slots[slot->slot] == a ? -1 : 1;
    }
    return 0;
}

static int compare_indices(const struct csp_turn *turn, const struct index_key *keys,
                           const uint32_t *slots, uint32_t a, uint32_t b)
{
    if (keys[a].count != keys[b].count)
        return keys[a].count < keys[b].count ? -1 : 1;
    for (uint32_t i = 0; i < keys[a].count; i++)
        if (keys[a].alike[i] != keys[b].alike[i])
            return keys[a].alike[i] < keys[b].alike[i] ? -1 : 1;
    return compare_cells(turn, slots, a, b);
}

enum status csp_turn_order(struct csp_turn *turn, const uint32_t *state, turning *by,
                           struct error *error)
{
    struct index_key keys[TURNING_MOST] = {0};
    uint8_t order[TURNING_MOST], numbers[TURNING_MOST];
    TRY(find_keys(turn, state[0], keys, error));
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        order[i] = (uint8_t)i;
    for (uint32_t i = 1; i < turn->indices->nodes.count; i++) {
        uint8_t index = order[i];
        uint32_t at = i;
        for (; at > 0 && compare_indices(turn, keys, state + 1, order[at - 1], index) > 0; at--)
            order[at] = order[at - 1];
        order[at] = index;
    }
    for (uint32_t i = 0; i < TURNING_MOST; i++)
        numbers[order[i]] = (uint8_t)i;
    *by = turning_make(numbers);
    return STATUS_OK;
}
