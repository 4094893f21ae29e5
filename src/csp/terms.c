#include "csp/terms.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/faults.h"

/* ---- creation ---- */

enum status csp_term_pool_create(struct csp_program *program, struct labels *labels,
                                 struct limits *limits, const struct csp_counting *counting,
                                 struct csp_term_pool *pool)
{
    struct budget *budget = program->budget;
    *pool = (struct csp_term_pool){.program = program,
                                   .labels = labels,
                                   .budget = budget,
                                   .limits = limits,
                                   .counting = counting ? *counting : (struct csp_counting){0}};
    arena_init(&pool->arena, budget);
    shared_words_init(&pool->terms, budget);
    shared_words_init(&pool->label_sets, budget);
    shared_words_init(&pool->closure_keys, budget);
    blocks_init(&pool->closures, budget, sizeof(struct closure));
    blocks_init(&pool->origins, budget, sizeof(struct origin));
    struct csp_terms terms;
    csp_terms_init(&terms, pool);
    bool made = term_make(&terms, TERM_KIND_STOP, NULL, 0) == TERM_STOP &&
                term_make(&terms, TERM_KIND_SKIP, NULL, 0) == TERM_SKIP;
    csp_terms_release(&terms);
    return granted(made);
}

void csp_term_pool_release(struct csp_term_pool *pool)
{
    if (!pool->program)
        return;
    shared_words_release(&pool->terms);
    shared_words_release(&pool->label_sets);
    shared_words_release(&pool->closure_keys);
    blocks_release(&pool->closures);
    blocks_release(&pool->origins);
    arena_release(&pool->arena);
}

void csp_terms_init(struct csp_terms *terms, struct csp_term_pool *pool)
{
    *terms = (struct csp_terms){.pool = pool};
    vector_init(&terms->scratch, pool->budget);
}

void csp_terms_release(struct csp_terms *terms)
{
    assert(terms->scratch.length == 0); /* who pushes pops */
    vector_release(&terms->scratch);
}

void csp_terms_lock(struct csp_terms *terms)
{
    pthread_mutex_lock(&terms->pool->program->lock);
}

void csp_terms_unlock(struct csp_terms *terms)
{
    pthread_mutex_unlock(&terms->pool->program->lock);
}

struct origin csp_origin_of(struct csp_terms *terms, term t)
{
    csp_terms_lock(terms);
    const struct origin *kept = blocks_at(&terms->pool->origins, t);
    struct origin origin = kept ? *kept : (struct origin){0};
    csp_terms_unlock(terms);
    return origin;
}

enum status csp_look(struct csp_terms *terms)
{
    return limits_look(terms->pool->limits, &terms->worked) ? STATUS_LIMIT : STATUS_OK;
}

/* ---- constructors ---- */

#define SHORT_TERM SIZE_OR_SMALL(30, 2) /* longer terms are built in allocated memory */

term term_make(struct csp_terms *terms, enum term_kind kind, const uint32_t *words, size_t length)
{
    uint32_t local[SHORT_TERM + 1], *built = local;
    size_t size = (length + 1) * sizeof *built;
    if (length > SHORT_TERM) {
        built = memory_allocate(terms->pool->budget, size);
        if (!built)
            return TERM_REFUSED;
    }
    built[0] = kind;
    if (length)
        memcpy(built + 1, words, length * sizeof *words);
    term made = shared_words_intern(&terms->pool->terms, built, length + 1);
    if (built != local)
        memory_release(terms->pool->budget, built, size);
    return made;
}

/* What a term is without the places of components that have ended: a single component left of an
 * interleaving stands for it. Otherwise the term itself, of which that cannot be said. */
static term without_places(const struct csp_terms *terms, term t)
{
    if (term_kind_of(terms, t) != TERM_KIND_INTERLEAVE)
        return t;
    size_t length;
    const uint32_t *children = term_words(terms, t, &length);
    term left = TERM_SKIP;
    for (size_t i = 0; i < length; i++) {
        if (children[i] == TERM_SKIP)
            continue;
        if (left != TERM_SKIP)
            return t;
        left = without_places(terms, children[i]);
    }
    return left;
}

bool term_is_stop(const struct csp_terms *terms, term t)
{
    return without_places(terms, t) == TERM_STOP;
}

/* Skip as it is written: atomic { Skip } and choices of Skips count, a reference does not. */
static bool is_skip(const struct csp_terms *terms, term t)
{
    t = without_places(terms, t);
    if (t == TERM_SKIP)
        return true;
    size_t length;
    const uint32_t *words = term_words(terms, t, &length);
    switch (term_kind_of(terms, t)) {
    case TERM_KIND_ATOMIC:
        return is_skip(terms, words[0]);
    case TERM_KIND_CHOICE:
        for (size_t i = 0; i < length; i++)
            if (!is_skip(terms, words[i]))
                return false;
        return length > 0;
    default:
        return false;
    }
}

term term_sequence(struct csp_terms *terms, term first, term second)
{
    if (first == TERM_REFUSED || second == TERM_REFUSED)
        return TERM_REFUSED;
    if (is_skip(terms, first))
        return second;
    const uint32_t words[] = {first, second};
    return term_make(terms, TERM_KIND_SEQUENCE, words, 2);
}

term term_interleave(struct csp_terms *terms, const term *children, size_t count)
{
    size_t start = terms->scratch.length;
    for (size_t i = 0; i < count; i++) {
        if (children[i] == TERM_REFUSED)
            goto refused;
        if (children[i] == TERM_SKIP)
            continue;
        if (term_kind_of(terms, children[i]) != TERM_KIND_INTERLEAVE) {
            if (!vector_push(&terms->scratch, children[i]))
                goto refused;
            continue;
        }
        size_t length;
        const uint32_t *inner = term_words(terms, children[i], &length);
        for (size_t j = 0; j < length; j++)
            if (!vector_push(&terms->scratch, inner[j]))
                goto refused;
    }
    size_t kept = terms->scratch.length - start;
    term made = kept == 0 ? TERM_SKIP
                : kept == 1
                    ? terms->scratch.items[start]
                    : term_make(terms, TERM_KIND_INTERLEAVE, terms->scratch.items + start, kept);
    terms->scratch.length = start;
    return made;
refused:
    terms->scratch.length = start;
    return TERM_REFUSED;
}

term term_interleaved(struct csp_terms *terms, const term *children, size_t count)
{
    bool ended = true;
    if (!terms->pool->counting.apart)
        return term_interleave(terms, children, count);
    for (size_t i = 0; i < count; i++) {
        if (children[i] == TERM_REFUSED)
            return TERM_REFUSED;
        ended &= children[i] == TERM_SKIP;
    }
    return ended ? TERM_SKIP : term_make(terms, TERM_KIND_INTERLEAVE, children, count);
}

term term_choice(struct csp_terms *terms, enum term_kind kind, const term *children, size_t count)
{
    size_t start = terms->scratch.length;
    for (size_t i = 0; i < count; i++) {
        if (children[i] == TERM_REFUSED ||
            ((kind == TERM_KIND_INTERNAL || !term_is_stop(terms, children[i])) &&
             !vector_push(&terms->scratch, children[i]))) {
            terms->scratch.length = start;
            return TERM_REFUSED;
        }
    }
    size_t kept = terms->scratch.length - start;
    term made = kept == 0   ? TERM_STOP
                : kept == 1 ? terms->scratch.items[start]
                            : term_make(terms, kind, terms->scratch.items + start, kept);
    terms->scratch.length = start;
    return made;
}

static int compare_words(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Sorts, drops duplicates, interns what stands in scratch from `start` on. */
static uint32_t intern_set(struct csp_terms *terms, size_t start)
{
    uint32_t *items = terms->scratch.items + start;
    size_t count = terms->scratch.length - start, kept = 0;
    if (count)
        qsort(items, count, sizeof *items, compare_words);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || items[kept - 1] != items[i])
            items[kept++] = items[i];
    uint32_t set = shared_words_intern(&terms->pool->label_sets, items, kept);
    terms->scratch.length = start;
    return set;
}

uint32_t csp_label_set(struct csp_terms *terms, const label *items, size_t count)
{
    size_t start = terms->scratch.length;
    for (size_t i = 0; i < count; i++) {
        if (!vector_push(&terms->scratch, items[i])) {
            terms->scratch.length = start;
            return UINT32_MAX;
        }
    }
    return intern_set(terms, start);
}

bool label_set_has(const struct csp_terms *terms, uint32_t set, label l)
{
    size_t high, low = 0;
    const uint32_t *items = shared_words_get(&terms->pool->label_sets, set, &high);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (items[middle] == l)
            return true;
        if (items[middle] < l)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool push_set(struct csp_terms *terms, uint32_t set)
{
    size_t count;
    const uint32_t *items = shared_words_get(&terms->pool->label_sets, set, &count);
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&terms->scratch, items[i]))
            return false;
    return true;
}

term term_hide(struct csp_terms *terms, uint32_t set, term child)
{
    if (child == TERM_REFUSED || set == UINT32_MAX)
        return TERM_REFUSED;
    if (term_kind_of(terms, child) == TERM_KIND_HIDE) {
        size_t length, start = terms->scratch.length;
        const uint32_t *inner = term_words(terms, child, &length);
        uint32_t inner_set = inner[0];
        child = inner[1];
        if (!push_set(terms, set) || !push_set(terms, inner_set)) {
            terms->scratch.length = start;
            return TERM_REFUSED;
        }
        set = intern_set(terms, start);
        if (set == UINT32_MAX)
            return TERM_REFUSED;
    }
    const uint32_t words[] = {set, child};
    return term_make(terms, TERM_KIND_HIDE, words, 2);
}

term term_atomic(struct csp_terms *terms, term child)
{
    if (child == TERM_REFUSED || term_kind_of(terms, child) == TERM_KIND_ATOMIC)
        return child;
    return term_make(terms, TERM_KIND_ATOMIC, &child, 1);
}

static int compare_pairs(const void *a, const void *b)
{
    return compare_words((const uint32_t *)a + 1, (const uint32_t *)b + 1);
}

/* The number of copies when more come; a count that is not fixed yet has nobody come to it, as
 * nobody has left it. */
static uint32_t add_counts(const struct csp_terms *terms, bool any, uint32_t count, uint32_t more)
{
    uint32_t cut_off = any ? terms->pool->counting.cut_off : 0;
    if (count == 0)
        return more;
    if (cut_off) {
        assert(count != COPIES_ANY && more != COPIES_ANY);
        return count <= cut_off && more <= cut_off - count ? count + more : COPIES_MANY;
    }
    return count >= COPIES_MANY || more >= COPIES_MANY - count ? COPIES_ANY : count + more;
}

term term_copies(struct csp_terms *terms, bool any, const uint32_t *pairs, size_t count)
{
    size_t start = terms->scratch.length;
    bool room = vector_push(&terms->scratch, any);
    for (size_t i = 0; room && i < count * 2; i++)
        room = vector_push(&terms->scratch, pairs[i]);
    term made = TERM_REFUSED;
    if (room) {
        uint32_t *sorted = terms->scratch.items + start + 1;
        size_t kept = 0;
        qsort(sorted, count, 2 * sizeof *sorted, compare_pairs);
        for (size_t i = 0; i < count; i++) {
            if (sorted[2 * i] == 0 || sorted[2 * i + 1] == TERM_SKIP)
                continue; /* Skip components are dropped, as in any interleaving */
            if (kept && sorted[2 * kept - 1] == sorted[2 * i + 1]) {
                sorted[2 * kept - 2] = add_counts(terms, any, sorted[2 * kept - 2], sorted[2 * i]);
                continue;
            }
            sorted[2 * kept] = add_counts(terms, any, 0, sorted[2 * i]);
            sorted[2 * kept + 1] = sorted[2 * i + 1];
            kept++;
        }
        made = kept == 0 && (!any || terms->pool->counting.cut_off)
                   ? TERM_SKIP
                   : term_make(terms, TERM_KIND_COPIES, terms->scratch.items + start, 1 + 2 * kept);
    }
    terms->scratch.length = start;
    return made;
}

/* ---- parts ---- */

bool term_parts(const struct csp_terms *terms, term t, struct term_parts *parts)
{
    size_t length;
    const uint32_t *words = term_words(terms, t, &length);
    *parts = (struct term_parts){.first = 0, .step = 1, .count = length};
    switch (term_kind_of(terms, t)) {
    case TERM_KIND_STOP:
    case TERM_KIND_SKIP:
    case TERM_KIND_SEQUENCE:
    case TERM_KIND_CHOICE:
    case TERM_KIND_INTERNAL:
    case TERM_KIND_EXTERNAL:
    case TERM_KIND_INTERLEAVE:
    case TERM_KIND_INTERRUPT:
    case TERM_KIND_ATOMIC:
        return true;
    case TERM_KIND_HIDE:
        *parts = (struct term_parts){.first = 1, .step = 1, .count = 1};
        return true;
    case TERM_KIND_PARALLEL:
        assert(length == 1 + 2 * (size_t)words[0]);
        *parts = (struct term_parts){.first = 1, .step = 1, .count = words[0]};
        return true;
    case TERM_KIND_COPIES:
        assert(length % 2 == 1);
        *parts = (struct term_parts){.first = 2, .step = 2, .count = length / 2};
        return true;
    default:
        return false;
    }
}

term term_rebuild(struct csp_terms *terms, enum term_kind kind, const uint32_t *words,
                  size_t length)
{
    switch (kind) {
    case TERM_KIND_COPIES:
        return term_copies(terms, words[0] != 0, words + 1, length / 2);
    case TERM_KIND_HIDE:
        return term_hide(terms, words[0], words[1]);
    default:
        return term_make(terms, kind, words, length);
    }
}
