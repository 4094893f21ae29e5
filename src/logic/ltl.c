/* Formulas. Only conjunctions, X and U are built: their duals are the negations. A pair (even
 * formula, odd negation) is one interned array of words. */
#include <assert.h>

#include "logic/ltl.h"

bool ltl_init(struct ltl *ltl, struct budget *budget)
{
    *ltl = (struct ltl){.budget = budget};
    word_arrays_init(&ltl->nodes, budget);
    vectors_init(budget, &ltl->pairs, &ltl->known);
    table_init(&ltl->known_numbers, budget);
    const uint32_t constant = LTL_KIND_TRUE;
    if (word_arrays_intern(&ltl->nodes, &constant, 1, NULL) == LTL_TRUE >> 1 &&
        vector_push(&ltl->pairs, ((struct ltl_pair){.eventual = true, .universal = true})))
        return true;
    ltl_release(ltl);
    return false;
}

void ltl_release(struct ltl *ltl)
{
    vector_release(&ltl->known);
    table_release(&ltl->known_numbers);
    vector_release(&ltl->pairs);
    word_arrays_release(&ltl->nodes);
}

/* ---- reading ---- */

static enum ltl_kind even_kind(const struct ltl *ltl, ltl_id formula)
{
    size_t length;
    return (enum ltl_kind)word_arrays_get(&ltl->nodes, formula >> 1, &length)[0];
}

enum ltl_kind ltl_kind_of(const struct ltl *ltl, ltl_id formula)
{
    enum ltl_kind kind = even_kind(ltl, formula);
    if (!(formula & 1))
        return kind;
    switch (kind) {
    case LTL_KIND_TRUE:
        return LTL_KIND_FALSE;
    case LTL_KIND_ATOM:
        return LTL_KIND_NOT;
    case LTL_KIND_AND:
        return LTL_KIND_OR;
    case LTL_KIND_UNTIL:
        return LTL_KIND_RELEASE;
    default:
        assert(kind == LTL_KIND_NEXT);
        return kind;
    }
}

size_t ltl_operand_count(const struct ltl *ltl, ltl_id formula)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&ltl->nodes, formula >> 1, &length);
    return words[0] == LTL_KIND_ATOM ? 0 : length - 1;
}

ltl_id ltl_operand(const struct ltl *ltl, ltl_id formula, size_t which)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&ltl->nodes, formula >> 1, &length);
    assert(which + 1 < length);
    return words[1 + which] ^ (formula & 1);
}

unsigned ltl_atom_of(const struct ltl *ltl, ltl_id formula)
{
    size_t length;
    const uint32_t *words = word_arrays_get(&ltl->nodes, formula >> 1, &length);
    assert(words[0] == LTL_KIND_ATOM);
    return words[1];
}

/* ---- making ---- */

bool ltl_is_eventual(const struct ltl *ltl, ltl_id formula)
{
    const struct ltl_pair *pair = &ltl->pairs.items[formula >> 1];
    return formula & 1 ? pair->universal : pair->eventual;
}

bool ltl_is_universal(const struct ltl *ltl, ltl_id formula)
{
    return ltl_is_eventual(ltl, formula ^ 1);
}

/* What the operands say of the whole. */
static void classify(const struct ltl *ltl, const uint32_t *words, size_t length,
                     struct ltl_pair *pair)
{
    pair->eventual = pair->universal = words[0] != LTL_KIND_ATOM;
    for (size_t i = 1; i < length && words[0] != LTL_KIND_ATOM; i++) {
        pair->eventual &= ltl_is_eventual(ltl, words[i]);
        pair->universal &= ltl_is_universal(ltl, words[i]);
    }
    if (words[0] == LTL_KIND_UNTIL)
        pair->eventual = words[1] == LTL_TRUE || ltl_is_eventual(ltl, words[2]);
}

ltl_id ltl_make(struct ltl *ltl, const uint32_t *words, size_t length)
{
    struct ltl_pair pair = {.height = 0};
    if (words[0] == LTL_KIND_ATOM) {
        pair.atoms = UINT64_C(1) << words[1];
    } else {
        for (size_t i = 1; i < length; i++) {
            const struct ltl_pair *operand = &ltl->pairs.items[words[i] >> 1];
            pair.atoms |= operand->atoms;
            if (operand->height >= pair.height)
                pair.height = (uint16_t)(operand->height + 1);
        }
    }
    classify(ltl, words, length, &pair);
    if (pair.height > LTL_MAX_HEIGHT || ltl->pairs.length > LTL_REFUSED / 2 - 2 ||
        !vector_reserve(&ltl->pairs, ltl->pairs.length + 1))
        return LTL_REFUSED;
    bool fresh;
    uint32_t number = word_arrays_intern(&ltl->nodes, words, length, &fresh);
    if (number == UINT32_MAX)
        return LTL_REFUSED;
    if (fresh)
        ltl->pairs.items[ltl->pairs.length++] = pair;
    return (ltl_id)number << 1;
}

ltl_id ltl_atom(struct ltl *ltl, unsigned atom)
{
    assert(atom < LTL_MAX_ATOMS);
    return ltl_make(ltl, (uint32_t[]){LTL_KIND_ATOM, atom}, 2);
}

ltl_id ltl_and(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_all(ltl, (ltl_id[]){left, right}, 2);
}

ltl_id ltl_or(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_not(ltl_and(ltl, ltl_not(left), ltl_not(right)));
}

ltl_id ltl_implies(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_or(ltl, ltl_not(left), right);
}

ltl_id ltl_equivalent(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_and(ltl, ltl_implies(ltl, left, right), ltl_implies(ltl, right, left));
}

ltl_id ltl_xor(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_not(ltl_equivalent(ltl, left, right));
}

ltl_id ltl_release_of(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_not(ltl_until(ltl, ltl_not(left), ltl_not(right)));
}

ltl_id ltl_weak_until(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_release_of(ltl, right, ltl_or(ltl, left, right));
}

ltl_id ltl_eventually(struct ltl *ltl, ltl_id formula)
{
    return ltl_until(ltl, LTL_TRUE, formula);
}

ltl_id ltl_always(struct ltl *ltl, ltl_id formula)
{
    return ltl_not(ltl_eventually(ltl, ltl_not(formula)));
}
