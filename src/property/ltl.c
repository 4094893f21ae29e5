/* Formulas. Only conjunctions, X and U are built and rewritten: their duals are the negations.
 * A pair (even formula, odd negation) is one interned array of words. */
#include "property/ltl.h"

#include <assert.h>
#include <stdlib.h>

bool ltl_init(struct ltl *ltl, struct budget *budget)
{
    *ltl = (struct ltl){.budget = budget};
    word_arrays_init(&ltl->nodes, budget);
    vector_init(&ltl->pairs, budget);
    const uint32_t constant = LTL_KIND_TRUE;
    if (word_arrays_intern(&ltl->nodes, &constant, 1, NULL) == LTL_TRUE >> 1 &&
        vector_push(&ltl->pairs, (struct ltl_pair){0}))
        return true;
    ltl_release(ltl);
    return false;
}

void ltl_release(struct ltl *ltl)
{
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

uint64_t ltl_atoms(const struct ltl *ltl, ltl_id formula)
{
    return ltl->pairs.items[formula >> 1].atoms;
}

/* ---- making ---- */

/* The even formula of these words: a kind, then an atom's number or operands. */
static ltl_id make(struct ltl *ltl, const uint32_t *words, size_t length)
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
    return make(ltl, (uint32_t[]){LTL_KIND_ATOM, atom}, 2);
}

static int compare_ids(const void *left, const void *right)
{
    ltl_id first = *(const ltl_id *)left, second = *(const ltl_id *)right;
    return (first > second) - (first < second);
}

/* Orders operands[0..count) and drops repetitions and `true`; LTL_FALSE if they contradict one
 * another, else LTL_TRUE and the new count. */
static ltl_id tidy_conjunction(ltl_id *operands, size_t *count)
{
    qsort(operands, *count, sizeof *operands, compare_ids);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (operands[i] == LTL_FALSE)
            return LTL_FALSE;
        if (operands[i] == LTL_TRUE || (kept && operands[kept - 1] == operands[i]))
            continue;
        if (kept && operands[kept - 1] == (operands[i] ^ 1))
            return LTL_FALSE;
        operands[kept++] = operands[i];
    }
    *count = kept;
    return LTL_TRUE;
}

/* The conjunction of what words[1..length) holds, which is rearranged. */
static ltl_id make_conjunction(struct ltl *ltl, uint32_t *words, size_t length)
{
    size_t count = length - 1;
    if (tidy_conjunction(words + 1, &count) == LTL_FALSE)
        return LTL_FALSE;
    if (count == 0)
        return LTL_TRUE;
    if (count == 1)
        return words[1];
    words[0] = LTL_KIND_AND;
    return make(ltl, words, count + 1);
}

ltl_id ltl_all(struct ltl *ltl, const ltl_id *formulas, size_t count)
{
    VECTOR(uint32_t) words;
    vector_init(&words, ltl->budget);
    ltl_id made = LTL_REFUSED;
    if (!vector_push(&words, LTL_KIND_AND))
        goto done;
    for (size_t i = 0; i < count; i++) {
        if (formulas[i] == LTL_REFUSED)
            goto done;
        bool nested = ltl_kind_of(ltl, formulas[i]) == LTL_KIND_AND;
        size_t operands = nested ? ltl_operand_count(ltl, formulas[i]) : 1;
        for (size_t k = 0; k < operands; k++)
            if (!vector_push(&words, nested ? ltl_operand(ltl, formulas[i], k) : formulas[i]))
                goto done;
    }
    made = make_conjunction(ltl, words.items, words.length);
done:
    vector_release(&words);
    return made;
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

ltl_id ltl_next(struct ltl *ltl, ltl_id formula)
{
    if (formula == LTL_REFUSED || formula == LTL_TRUE || formula == LTL_FALSE)
        return formula;
    ltl_id made = make(ltl, (uint32_t[]){LTL_KIND_NEXT, formula & ~(ltl_id)1}, 2);
    return made == LTL_REFUSED ? made : made | (formula & 1);
}

ltl_id ltl_until(struct ltl *ltl, ltl_id left, ltl_id right)
{
    if (left == LTL_REFUSED || right == LTL_REFUSED)
        return LTL_REFUSED;
    if (right == LTL_TRUE || right == LTL_FALSE || left == LTL_FALSE || left == right)
        return right;
    return make(ltl, (uint32_t[]){LTL_KIND_UNTIL, left, right}, 3);
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
