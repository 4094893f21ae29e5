/* Whether one formula entails another, by their shape (Somenzi and Bloem, Efficient Büchi automata
 * from LTL formulae, 2000), with what is eventual or universal (Etessami and Holzmann, Optimizing
 * Büchi automata, 2000). Answers are kept; when too many are, the answer is no. */
#include "base/hash.h"
#include "logic/ltl.h"

#define MOST_KNOWN ((size_t)1 << 16)

static const struct ltl_entailment *find(const struct ltl *ltl, ltl_id first, ltl_id second)
{
    struct table_search search = table_search(&ltl->known_numbers, hash_pair(first, second));
    while (table_next(&search)) {
        const struct ltl_entailment *known = &ltl->known.items[search.number];
        if (known->first == first && known->second == second)
            return known;
    }
    return NULL;
}

/* Keeps an answer; where that is refused it is worked out again. */
static void keep(struct ltl *ltl, ltl_id first, ltl_id second, bool holds)
{
    uint32_t number = (uint32_t)ltl->known.length;
    if (vector_push(&ltl->known, ((struct ltl_entailment){first, second, holds})) &&
        !table_add(&ltl->known_numbers, hash_pair(first, second), number))
        ltl->known.length--;
}

/* Whether all operands (with `all`; else one) of `formula` entail `other`, or `other` them. */
static bool operands_entail(struct ltl *ltl, ltl_id formula, ltl_id other, bool all)
{
    for (size_t i = 0; i < ltl_operand_count(ltl, formula); i++)
        if (ltl_entails(ltl, ltl_operand(ltl, formula, i), other) != all)
            return !all;
    return all;
}

static bool entails_operands(struct ltl *ltl, ltl_id other, ltl_id formula, bool all)
{
    return operands_entail(ltl, ltl_not(formula), ltl_not(other), all);
}

static bool both_entail(struct ltl *ltl, ltl_id first, ltl_id second)
{
    return ltl_entails(ltl, ltl_operand(ltl, first, 0), ltl_operand(ltl, second, 0)) &&
           ltl_entails(ltl, ltl_operand(ltl, first, 1), ltl_operand(ltl, second, 1));
}

/* The rules that begin with the first formula; those that begin with the second are the same of
 * the negations. */
static bool first_entails(struct ltl *ltl, ltl_id first, ltl_id second)
{
    ltl_id right;
    switch (ltl_kind_of(ltl, first)) {
    case LTL_KIND_AND:
        return operands_entail(ltl, first, second, false);
    case LTL_KIND_NEXT:
        return ltl_is_eventual(ltl, second) && ltl_entails(ltl, ltl_operand(ltl, first, 0), second);
    case LTL_KIND_UNTIL:
        right = ltl_operand(ltl, first, 1);
        return ltl_entails(ltl, right, second) &&
               (ltl_is_eventual(ltl, second) ||
                ltl_entails(ltl, ltl_operand(ltl, first, 0), second));
    case LTL_KIND_RELEASE:
        return ltl_entails(ltl, ltl_operand(ltl, first, 1), second);
    default:
        return false;
    }
}

static bool decide(struct ltl *ltl, ltl_id first, ltl_id second)
{
    enum ltl_kind kind = ltl_kind_of(ltl, first), other = ltl_kind_of(ltl, second);
    if (kind == LTL_KIND_OR)
        return operands_entail(ltl, first, second, true);
    if (other == LTL_KIND_AND)
        return entails_operands(ltl, first, second, true);
    if (kind == LTL_KIND_NEXT && other == LTL_KIND_NEXT)
        return ltl_entails(ltl, ltl_operand(ltl, first, 0), ltl_operand(ltl, second, 0));
    if (kind == other && (kind == LTL_KIND_UNTIL || kind == LTL_KIND_RELEASE) &&
        both_entail(ltl, first, second))
        return true;
    return first_entails(ltl, first, second) || first_entails(ltl, ltl_not(second), ltl_not(first));
}

bool ltl_entails(struct ltl *ltl, ltl_id first, ltl_id second)
{
    ltl->work++;
    if (first == second || first == LTL_FALSE || second == LTL_TRUE)
        return true;
    if (first == LTL_TRUE || second == LTL_FALSE || first == ltl_not(second))
        return false;
    const struct ltl_entailment *known = find(ltl, first, second);
    if (known)
        return known->holds;
    if (ltl->known.length >= MOST_KNOWN)
        return false;
    bool holds = decide(ltl, first, second);
    if (!find(ltl, first, second)) /* it may have been asked for meanwhile */
        keep(ltl, first, second, holds);
    return holds;
}
