/* From a formula to a generalised Büchi automaton by expanding it, as in Couvreur (On-the-fly
 * verification of linear temporal logic, 1999), with conjunctions of literals on edges and sets of
 * formulas as states, as in Gastin and Oddoux (Fast LTL to Büchi automata translation, 2001).
 *
 * A formula is expanded into terms: what the first letter must have and not have, and the set of
 * formulas that the rest of the word must then satisfy.
 *     f U g = g  or  f and X (f U g), postponing g       f R g = g and (f or X (f R g))
 * The second term postpones the eventuality g; an edge is in g's acceptance set unless it postpones
 * g. A word that satisfies the formula has a run that postpones as little as the word allows, and g
 * only while g is still to come; in a run that postpones g only finitely often without a break, g
 * comes each time.
 *
 * A term that asks for no less than another, of letter, rest and what is postponed, is dropped: a
 * state whose set is contained in another's simulates it. */
#include "logic/buchi_translate.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "logic/buchi_simplify.h"

/* Terms, `stride` words each: positive, negative, eventualities postponed, then the set of
 * elements. */
struct terms {
    VECTOR(uint64_t) words;
    bool known;
};

enum {
    POSITIVE,
    NEGATIVE,
    POSTPONED,
    SET
};

struct translation {
    struct ltl *ltl;
    const struct limits *limits;
    struct buchi *buchi;
    size_t width;        /* words of a set of elements */
    size_t stride;       /* words of a term */
    uint64_t *blank;     /* one term */
    uint32_t ticks;      /* terms made since the last look at the limits */
    uint32_t *element;   /* of formulas: their number among the elements; UINT32_MAX: none */
    struct terms *parts; /* of formulas: the sets whose disjunction they are */
    struct terms *expansions;
    size_t formula_count;
    VECTOR(ltl_id) elements; /* formulas that may be members of a state */
    ltl_id eventualities[64];
    uint32_t eventuality_count;
    struct word_arrays states; /* sets, two words for each 64 elements */
    struct word_arrays rows;   /* lists of terms that were met */
    VECTOR(uint32_t) row_of;   /* of states */
    const char *obstacle;      /* a limit other than memory and time */
};

/* ---- terms ---- */

static size_t term_count(const struct translation *translation, const struct terms *terms)
{
    return terms->words.length / translation->stride;
}

static uint64_t *term_at(const struct translation *translation, const struct terms *terms,
                         size_t which)
{
    return terms->words.items + which * translation->stride;
}

/* Whether `first` asks for no more than `second`. */
static bool term_covers(const struct translation *translation, const uint64_t *first,
                        const uint64_t *second)
{
    for (size_t i = 0; i < translation->stride; i++)
        if (first[i] & ~second[i])
            return false;
    return true;
}

/* Adds a term, unless one there asks for no more; drops those that ask for no less. */
static bool term_add(struct translation *translation, struct terms *terms, const uint64_t *term)
{
    if (limits_look(translation->limits, &translation->ticks))
        return false;
    if (term[POSITIVE] & term[NEGATIVE])
        return true;
    size_t count = term_count(translation, terms), size = translation->stride * sizeof *term;
    for (size_t i = 0; i < count; i++)
        if (term_covers(translation, term_at(translation, terms, i), term))
            return true;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t *old = term_at(translation, terms, i);
        if (term_covers(translation, term, old))
            continue;
        memmove(term_at(translation, terms, kept++), old, size);
    }
    terms->words.length = kept * translation->stride;
    if (!vector_reserve(&terms->words, terms->words.length + translation->stride))
        return false;
    memcpy(terms->words.items + terms->words.length, term, size);
    terms->words.length += translation->stride;
    return true;
}

static void terms_init(struct translation *translation, struct terms *terms)
{
    *terms = (struct terms){.known = false};
    vector_init(&terms->words, translation->limits->budget);
}

static bool terms_union(struct translation *translation, struct terms *terms,
                        const struct terms *others)
{
    for (size_t i = 0; i < term_count(translation, others); i++)
        if (!term_add(translation, terms, term_at(translation, others, i)))
            return false;
    return true;
}

/* terms = terms and others */
static bool terms_conjunction(struct translation *translation, struct terms *terms,
                              const struct terms *others)
{
    struct terms product;
    terms_init(translation, &product);
    uint64_t *both =
        memory_allocate(translation->limits->budget, translation->stride * sizeof *both);
    bool made = both != NULL;
    for (size_t i = 0; made && i < term_count(translation, terms); i++) {
        for (size_t k = 0; made && k < term_count(translation, others); k++) {
            for (size_t w = 0; w < translation->stride; w++)
                both[w] = term_at(translation, terms, i)[w] | term_at(translation, others, k)[w];
            made = term_add(translation, &product, both);
        }
    }
    memory_release(translation->limits->budget, both, translation->stride * sizeof *both);
    vector_release(&terms->words);
    terms->words.items = product.words.items;
    terms->words.length = product.words.length;
    terms->words.capacity = product.words.capacity;
    return made;
}

/* ---- expanding ---- */

/* A blank term for the caller to fill, overwritten by the next call. */
static uint64_t *blank_term(struct translation *translation)
{
    memset(translation->blank, 0, translation->stride * sizeof *translation->blank);
    return translation->blank;
}

static uint64_t *blank_with(struct translation *translation, ltl_id member)
{
    uint32_t element = translation->element[member];
    assert(element != UINT32_MAX);
    uint64_t *term = blank_term(translation);
    term[SET + element / WORD_BITS] |= bit_of(element);
    return term;
}

static const struct terms *parts_of(struct translation *translation, ltl_id formula);
static const struct terms *expansion_of(struct translation *translation, ltl_id formula);

typedef const struct terms *terms_of(struct translation *translation, ltl_id formula);

static bool combine_operands(struct translation *translation, ltl_id formula, terms_of *of,
                             struct terms *terms)
{
    bool conjunction = ltl_kind_of(translation->ltl, formula) == LTL_KIND_AND;
    if (conjunction && !term_add(translation, terms, blank_term(translation)))
        return false;
    for (size_t i = 0; i < ltl_operand_count(translation->ltl, formula); i++) {
        const struct terms *operand = of(translation, ltl_operand(translation->ltl, formula, i));
        if (!operand || !(conjunction ? terms_conjunction(translation, terms, operand)
                                      : terms_union(translation, terms, operand)))
            return false;
    }
    return true;
}

static bool find_parts(struct translation *translation, ltl_id formula, struct terms *terms)
{
    switch (ltl_kind_of(translation->ltl, formula)) {
    case LTL_KIND_FALSE:
        return true;
    case LTL_KIND_TRUE:
        return term_add(translation, terms, blank_term(translation));
    case LTL_KIND_AND:
    case LTL_KIND_OR:
        return combine_operands(translation, formula, parts_of, terms);
    default:
        return term_add(translation, terms, blank_with(translation, formula));
    }
}

/* The bit of the eventuality `formula`; 0 when there are more than 64. */
static uint64_t eventuality_bit(struct translation *translation, ltl_id formula)
{
    uint32_t which = 0;
    while (which < translation->eventuality_count && translation->eventualities[which] != formula)
        which++;
    if (which == 64) {
        translation->obstacle = "the formula has more than 64 eventualities";
        return 0;
    }
    if (which == translation->eventuality_count)
        translation->eventualities[translation->eventuality_count++] = formula;
    return UINT64_C(1) << which;
}

static bool expand_until(struct translation *translation, ltl_id formula, struct terms *terms)
{
    ltl_id right = ltl_operand(translation->ltl, formula, 1);
    const struct terms *now = expansion_of(translation, right);
    const struct terms *left =
        now ? expansion_of(translation, ltl_operand(translation->ltl, formula, 0)) : NULL;
    uint64_t postponed = eventuality_bit(translation, right);
    if (!left || !postponed)
        return false;
    struct terms later;
    terms_init(translation, &later);
    uint64_t *term = blank_with(translation, formula);
    term[POSTPONED] = postponed;
    bool made = term_add(translation, &later, term) &&
                terms_conjunction(translation, &later, left) &&
                terms_union(translation, terms, now) && terms_union(translation, terms, &later);
    vector_release(&later.words);
    return made;
}

static bool expand_release(struct translation *translation, ltl_id formula, struct terms *terms)
{
    const struct terms *left = expansion_of(translation, ltl_operand(translation->ltl, formula, 0));
    const struct terms *right =
        left ? expansion_of(translation, ltl_operand(translation->ltl, formula, 1)) : NULL;
    return right && terms_union(translation, terms, left) &&
           term_add(translation, terms, blank_with(translation, formula)) &&
           terms_conjunction(translation, terms, right);
}

static bool expand_literal(struct translation *translation, ltl_id formula, struct terms *terms)
{
    uint64_t *term = blank_term(translation);
    bool plain = ltl_kind_of(translation->ltl, formula) == LTL_KIND_ATOM;
    term[plain ? POSITIVE : NEGATIVE] = UINT64_C(1) << ltl_atom_of(translation->ltl, formula);
    return term_add(translation, terms, term);
}

static bool expand(struct translation *translation, ltl_id formula, struct terms *terms)
{
    const struct terms *rest;
    switch (ltl_kind_of(translation->ltl, formula)) {
    case LTL_KIND_FALSE:
        return true;
    case LTL_KIND_TRUE:
        return term_add(translation, terms, blank_term(translation));
    case LTL_KIND_ATOM:
    case LTL_KIND_NOT:
        return expand_literal(translation, formula, terms);
    case LTL_KIND_NEXT:
        rest = parts_of(translation, ltl_operand(translation->ltl, formula, 0));
        return rest && terms_union(translation, terms, rest);
    case LTL_KIND_UNTIL:
        return expand_until(translation, formula, terms);
    case LTL_KIND_RELEASE:
        return expand_release(translation, formula, terms);
    default:
        return combine_operands(translation, formula, expansion_of, terms);
    }
}

/* Both are null when a limit is reached. */
static const struct terms *parts_of(struct translation *translation, ltl_id formula)
{
    struct terms *terms = &translation->parts[formula];
    if (!terms->known)
        terms->known = find_parts(translation, formula, terms);
    return terms->known ? terms : NULL;
}

static const struct terms *expansion_of(struct translation *translation, ltl_id formula)
{
    struct terms *terms = &translation->expansions[formula];
    if (!terms->known)
        terms->known = expand(translation, formula, terms);
    return terms->known ? terms : NULL;
}

/* ---- the automaton ---- */

static bool state_of(struct translation *translation, const uint64_t *set, uint32_t *state)
{
    *state = word_arrays_intern(&translation->states, (const uint32_t *)set, 2 * translation->width,
                                NULL);
    return *state != UINT32_MAX;
}

static bool expand_state(struct translation *translation, uint32_t state, struct terms *terms)
{
    if (!term_add(translation, terms, blank_term(translation)))
        return false;
    for (size_t i = 0; i < translation->elements.length; i++) {
        size_t length;
        const uint32_t *set = word_arrays_get(&translation->states, state, &length);
        uint64_t word;
        memcpy(&word, set + i / WORD_BITS * 2, sizeof word);
        if (!(word & bit_of(i)))
            continue;
        const struct terms *member = expansion_of(translation, translation->elements.items[i]);
        if (!member || !terms_conjunction(translation, terms, member))
            return false;
    }
    return true;
}

/* Orders terms, so that equal lists are the same words. */
static int compare_terms(const void *first, const void *second, void *stride)
{
    const uint64_t *left = first, *right = second;
    for (size_t i = *(const size_t *)stride; i-- > 0;)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* The edges of one state, unless one before has the same: it then stands for both. */
static bool add_edges(struct translation *translation, uint32_t state)
{
    struct buchi *buchi = translation->buchi;
    struct terms terms;
    uint32_t row = UINT32_MAX;
    bool fresh = false;
    terms_init(translation, &terms);
    bool made = buchi->edges.length < UINT32_MAX / 2 && expand_state(translation, state, &terms);
    made = made && vector_reserve(&terms.words, 1); /* for there may be none */
    if (made) {
        qsort_r(terms.words.items, term_count(translation, &terms),
                translation->stride * sizeof(uint64_t), compare_terms, &translation->stride);
        row = word_arrays_intern(&translation->rows, (const uint32_t *)terms.words.items,
                                 2 * terms.words.length, &fresh);
        made = row != UINT32_MAX && vector_push(&translation->row_of, row) &&
               (!fresh || vector_push(&buchi->first, (uint32_t)buchi->edges.length));
    }
    for (size_t i = 0; made && fresh && i < term_count(translation, &terms); i++) {
        const uint64_t *term = term_at(translation, &terms, i);
        struct buchi_edge edge = {
            .positive = term[POSITIVE], .negative = term[NEGATIVE], .acceptance = ~term[POSTPONED]};
        made = state_of(translation, term + SET, &edge.target) && vector_push(&buchi->edges, edge);
    }
    vector_release(&terms.words);
    return made;
}

static bool build(struct translation *translation, ltl_id formula)
{
    struct buchi *buchi = translation->buchi;
    const struct terms *initial = parts_of(translation, formula);
    for (size_t i = 0; initial && i < term_count(translation, initial); i++) {
        uint32_t state;
        if (!state_of(translation, term_at(translation, initial, i) + SET, &state) ||
            !vector_push(&buchi->initial, state))
            return false;
    }
    for (uint32_t i = 0; initial && i < translation->states.items.length; i++)
        if (!add_edges(translation, i))
            return false;
    if (!initial || !vector_push(&buchi->first, (uint32_t)buchi->edges.length))
        return false;
    buchi->state_count = (uint32_t)translation->rows.items.length;
    buchi->acceptance_count = translation->eventuality_count;
    for (size_t i = 0; i < buchi->initial.length; i++)
        buchi->initial.items[i] = translation->row_of.items[buchi->initial.items[i]];
    for (size_t i = 0; i < buchi->edges.length; i++) {
        struct buchi_edge *edge = &buchi->edges.items[i];
        edge->target = translation->row_of.items[edge->target];
        edge->acceptance &= buchi_all_sets(buchi);
    }
    return true;
}

/* ---- setting up ---- */

/* Numbers the formulas below `formula` that may be members of a state: all but conjunctions,
 * disjunctions and constants. */
static bool number_elements(struct translation *translation, ltl_id formula, bool *seen)
{
    if (seen[formula])
        return true;
    seen[formula] = true;
    enum ltl_kind kind = ltl_kind_of(translation->ltl, formula);
    if (kind != LTL_KIND_AND && kind != LTL_KIND_OR && kind != LTL_KIND_TRUE &&
        kind != LTL_KIND_FALSE) {
        translation->element[formula] = (uint32_t)translation->elements.length;
        if (!vector_push(&translation->elements, formula))
            return false;
    }
    for (size_t i = 0; i < ltl_operand_count(translation->ltl, formula); i++)
        if (!number_elements(translation, ltl_operand(translation->ltl, formula, i), seen))
            return false;
    return true;
}

static bool set_up(struct translation *translation, ltl_id formula)
{
    struct budget *budget = translation->limits->budget;
    size_t count = translation->formula_count;
    translation->element = memory_allocate(budget, count * sizeof *translation->element);
    translation->parts = memory_zeroed(budget, count * sizeof *translation->parts);
    translation->expansions = memory_zeroed(budget, count * sizeof *translation->expansions);
    bool *seen = memory_zeroed(budget, count * sizeof *seen);
    bool made = translation->element && translation->parts && translation->expansions && seen;
    for (size_t i = 0; made && i < count; i++) {
        translation->element[i] = UINT32_MAX;
        terms_init(translation, &translation->parts[i]);
        terms_init(translation, &translation->expansions[i]);
    }
    made = made && number_elements(translation, formula, seen);
    memory_release(budget, seen, count * sizeof *seen);
    if (!made)
        return false;
    translation->width = bits_words(translation->elements.length);
    translation->stride = SET + translation->width;
    translation->blank = memory_allocate(budget, translation->stride * sizeof *translation->blank);
    return translation->blank != NULL;
}

static void tear_down(struct translation *translation)
{
    struct budget *budget = translation->limits->budget;
    size_t count = translation->formula_count;
    for (size_t i = 0; i < count && translation->parts && translation->expansions; i++) {
        vectors_release(&translation->parts[i].words, &translation->expansions[i].words);
    }
    memory_release(budget, translation->blank, translation->stride * sizeof(uint64_t));
    memory_release(budget, translation->element, count * sizeof *translation->element);
    memory_release(budget, translation->parts, count * sizeof *translation->parts);
    memory_release(budget, translation->expansions, count * sizeof *translation->expansions);
    vectors_release(&translation->elements, &translation->row_of);
    word_arrays_release(&translation->rows);
    word_arrays_release(&translation->states);
}

enum status buchi_translate(struct ltl *ltl, ltl_id formula, const struct limits *limits,
                            struct buchi *buchi, struct error *error)
{
    buchi_init(buchi, limits->budget);
    if (formula == LTL_REFUSED)
        return error_set(error, STATUS_LIMIT, NULL, 0, "the formula is too large for the limits");
    struct translation translation = {
        .ltl = ltl, .limits = limits, .buchi = buchi, .formula_count = 2 * ltl->pairs.length};
    vectors_init(limits->budget, &translation.elements, &translation.row_of);
    word_arrays_init(&translation.states, limits->budget);
    word_arrays_init(&translation.rows, limits->budget);
    bool made = set_up(&translation, formula) && build(&translation, formula) &&
                buchi_simplify(buchi, false, 0, limits);
    tear_down(&translation);
    if (made)
        return STATUS_OK;
    buchi_release(buchi);
    return error_set(error, STATUS_LIMIT, NULL, 0, "%s",
                     translation.obstacle ? translation.obstacle
                                          : "the automaton is too large for the limits");
}
