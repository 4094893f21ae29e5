#include "csp/replace.h"

#include "base/hash.h"

typedef const uint32_t *words;

/* Where component i stands in the words of its composition. */
static size_t place_of(enum term_kind kind, uint32_t i)
{
    switch (kind) {
    case TERM_KIND_INTERLEAVE:
        return i;
    case TERM_KIND_PARALLEL:
        return 1 + (size_t)i;
    default:
        assert(kind == TERM_KIND_COPIES);
        return 2 + 2 * (size_t)i;
    }
}

struct composition csp_composition(const struct csp_worker *worker, term t)
{
    size_t length;
    words at = term_words(&worker->terms, t, &length);
    struct composition composition = {.t = t, .kind = term_kind_of(&worker->terms, t)};
    composition.count = composition.kind == TERM_KIND_INTERLEAVE ? (uint32_t)length
                        : composition.kind == TERM_KIND_PARALLEL ? at[0]
                                                                 : (uint32_t)(length / 2);
    assert(composition.count == 0 || place_of(composition.kind, composition.count - 1) < length);
    return composition;
}

term csp_component(const struct csp_worker *worker, const struct composition *composition,
                   uint32_t i)
{
    size_t length;
    assert(i < composition->count);
    return term_words(&worker->terms, composition->t, &length)[place_of(composition->kind, i)];
}

uint32_t csp_component_count(const struct csp_worker *worker, const struct composition *composition,
                             uint32_t i)
{
    size_t length;
    words at = term_words(&worker->terms, composition->t, &length);
    assert(i < composition->count);
    return composition->kind == TERM_KIND_COPIES ? at[1 + 2 * (size_t)i] : 1;
}

/* The words of the composition, behind those that stand in worker->words. */
static bool push_words(struct csp_worker *worker, const struct composition *composition)
{
    size_t length;
    words at = term_words(&worker->terms, composition->t, &length);
    for (size_t i = 0; i < length; i++)
        if (!vector_push(&worker->words, at[i]))
            return false;
    return true;
}

/* The composition with components replaced, built. Flattening may move components, so all are put
 * in at once. */
static term replace_afresh(struct csp_worker *worker, const struct composition *composition,
                           const uint32_t *gone, const term *come, size_t count)
{
    size_t mark = worker->words.length;
    assert(composition->kind != TERM_KIND_COPIES); /* these are counted */
    if (!push_words(worker, composition))
        return TERM_REFUSED;
    uint32_t *copy = worker->words.items + mark;
    for (size_t i = 0; i < count; i++)
        copy[place_of(composition->kind, gone[i])] = come[i];
    size_t length = worker->words.length - mark;
    worker->words.length = mark;
    return composition->kind == TERM_KIND_INTERLEAVE
               ? term_interleaved(&worker->terms, copy, length)
               : term_make(&worker->terms, TERM_KIND_PARALLEL, copy, length);
}

/* ---- a component replaced ----
 *
 * The last replacements are remembered, each in the one place that its hash gives it: what is
 * forgotten is built anew, and no more than MOST_REPLACED are kept. (A hash table would keep all.)
 */

#define MOST_REPLACED ((size_t)1 << 18)

/* Keeps four replacements and more for each term, up to a number. False when refused. */
static bool grow_replaced(struct csp_worker *worker)
{
    size_t old = worker->replaced_capacity, capacity = old ? 4 * old : 256;
    if (4 * shared_words_count(&worker->shared->pool.terms) <= old || old >= MOST_REPLACED)
        return true;
    struct replaced *replaced =
        memory_scattered(worker->shared->pool.budget, capacity * sizeof *replaced);
    if (!replaced)
        return false;
    memory_release(worker->shared->pool.budget, worker->replaced, old * sizeof *replaced);
    worker->replaced = replaced;
    worker->replaced_capacity = capacity;
    return true;
}

/* Where it is remembered what the composition is with component i replaced. */
static struct replaced *place_in_memory(struct csp_worker *worker, term whole, uint32_t i,
                                        term child)
{
    uint64_t hash = hash_pair((uint64_t)whole << 32 | child, i);
    return &worker->replaced[hash & (worker->replaced_capacity - 1)];
}

static bool is_remembered(const struct replaced *known, term whole, uint32_t i, term child)
{
    return known->made && known->whole == whole && known->index == i && known->come == child;
}

/* Whether it makes no difference which of two neighbours in an interleaving, both `component`, is
 * replaced by `child`: that is nobody, or so many of the same. */
static bool is_more_of(const struct csp_worker *worker, term component, term child)
{
    if (child == TERM_SKIP || child == component)
        return true;
    if (term_kind_of(&worker->terms, child) != TERM_KIND_INTERLEAVE)
        return false;
    size_t length;
    words parts = term_words(&worker->terms, child, &length);
    for (size_t i = 0; i < length; i++)
        if (parts[i] != component)
            return false;
    return true;
}

/* What is remembered of the neighbour before, where that is the same; 0: nothing. Without it each
 * of many processes that are alike, side by side, would build what they all become. */
static term replaced_before(struct csp_worker *worker, const struct composition *composition,
                            uint32_t i, term child)
{
    if (composition->kind != TERM_KIND_INTERLEAVE || i == 0 || worker->shared->pool.counting.apart)
        return 0;
    const struct replaced *before = place_in_memory(worker, composition->t, i - 1, child);
    const term component = csp_component(worker, composition, i);
    return is_remembered(before, composition->t, i - 1, child) &&
                   csp_component(worker, composition, i - 1) == component &&
                   is_more_of(worker, component, child)
               ? before->made
               : 0;
}

/* The composition with component i replaced; looked up first, where the last one of its kind is
 * remembered. */
static term replace(struct csp_worker *worker, const struct composition *composition, uint32_t i,
                    term child)
{
    if (!grow_replaced(worker))
        return TERM_REFUSED;
    struct replaced *known = place_in_memory(worker, composition->t, i, child);
    if (is_remembered(known, composition->t, i, child))
        return known->made;
    term made = replaced_before(worker, composition, i, child);
    if (!made)
        made = replace_afresh(worker, composition, &i, &child, 1);
    if (made != TERM_REFUSED)
        *known = (struct replaced){composition->t, i, child, made};
    return made;
}

/* ---- copies ---- */

/* How many may stay when one of `count` copies goes: more than one answer where there is a
 * cut-off. */
static uint32_t rest_of(const struct csp_worker *worker, uint32_t count,
                        uint32_t rests[CSP_MOST_CUT_OFF + 2])
{
    uint32_t cut_off = worker->shared->pool.counting.cut_off, written = 0;
    if (count < COPIES_MANY) {
        rests[written++] = count - 1;
    } else if (!cut_off) {
        rests[written++] = count;
    } else {
        for (uint32_t rest = count == COPIES_ANY ? 0 : cut_off; rest <= cut_off; rest++)
            rests[written++] = rest;
        rests[written++] = COPIES_MANY;
    }
    return written;
}

/* Copies of which some have gone, as the counts at worker->words from `mark` on say, and others
 * have come. */
static term recount(struct csp_worker *worker, size_t mark, const term *come, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&worker->words, 1) || !vector_push(&worker->words, come[i]))
            return TERM_REFUSED;
    return term_copies(&worker->terms, worker->words.items[mark] != 0,
                       worker->words.items + mark + 1, (worker->words.length - mark - 1) / 2);
}

/* Adds the move in which copies leave the components `gone` and become the terms `come`: one, or
 * one for each number that may stay. The counts stand at worker->words from `mark` on. */
static enum status add_recounted(struct csp_worker *worker, const struct move *move, size_t mark,
                                 const uint32_t *gone, const term *come, size_t count, size_t from)
{
    size_t length = worker->words.length;
    if (from == count) {
        struct move recounted = *move;
        recounted.target = recount(worker, mark, come, count);
        worker->words.length = length;
        return csp_add_move(worker, recounted);
    }
    size_t at = mark + 1 + 2 * (size_t)gone[from];
    uint32_t before = worker->words.items[at], rests[CSP_MOST_CUT_OFF + 2];
    if (before == 0) /* the one that has gone was the last */
        return STATUS_OK;
    uint32_t rest_count = rest_of(worker, before, rests);
    for (uint32_t i = 0; i < rest_count; i++) {
        worker->words.items[at] = rests[i];
        TRY(add_recounted(worker, move, mark, gone, come, count, from + 1));
    }
    worker->words.items[at] = before;
    return STATUS_OK;
}

enum status csp_add_replaced(struct csp_worker *worker, const struct composition *composition,
                             struct move move, const uint32_t *gone, const term *come, size_t count)
{
    assert(count == 1 ||
           (count == 2 && (gone[0] != gone[1] || composition->kind == TERM_KIND_COPIES)));
    if (composition->kind != TERM_KIND_COPIES) {
        move.target = count == 1 ? replace(worker, composition, gone[0], come[0])
                                 : replace_afresh(worker, composition, gone, come, count);
        return csp_add_move(worker, move);
    }
    size_t mark = worker->words.length;
    enum status status = push_words(worker, composition)
                             ? add_recounted(worker, &move, mark, gone, come, count, 0)
                             : STATUS_LIMIT;
    worker->words.length = mark;
    return status;
}
