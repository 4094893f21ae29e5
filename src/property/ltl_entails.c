/* Whether one formula entails another, by their shape (Somenzi and Bloem, Efficient Büchi automata
 * from LTL formulae, 2000), with what is eventual or universal (Etessami and Holzmann, Optimizing
 * Büchi automata, 2000). Answers are kept; when too many are, the answer is no. */
#include "base/hash.h"
#include "property/ltl_make.h"

#define MOST_KNOWN ((size_t)1 << 16)

static bool is_free(const struct ltl_entailment *place)
{
    return place->first == LTL_TRUE && place->second == LTL_TRUE;
}

static struct ltl_entailment *place_of(struct ltl *ltl, ltl_id first, ltl_id second)
{
    size_t at = hash_pair(first, second) & (ltl->known_capacity - 1);
    struct ltl_entailment *known = ltl->known;
    while (!is_free(&known[at]) && (known[at].first != first || known[at].second != second))
        at = (at + 1) & (ltl->known_capacity - 1);
    return &known[at];
}

/* Room for one more; false: there is none. */
static bool make_room(struct ltl *ltl)
{
    if (2 * ltl->known_count < ltl->known_capacity)
        return true;
    if (ltl->known_count >= MOST_KNOWN)
        return false;
    struct ltl_entailment *old = ltl->known;
    size_t old_capacity = ltl->known_capacity, capacity = old_capacity ? 2 * old_capacity : 64;
    struct ltl_entailment *known = memory_zeroed(ltl->budget, capacity * sizeof *known);
    if (!known)
        return false;
    ltl->known = known;
    ltl->known_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (!is_free(&old[i]))
            *place_of(ltl, old[i].first, old[i].second) = old[i];
    memory_release(ltl->budget, old, old_capacity * sizeof *old);
    return true;
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
    if (first == LTL_TRUE || second == LTL_FALSE || first == ltl_not(second) || !make_room(ltl))
        return false;
    struct ltl_entailment *known = place_of(ltl, first, second);
    if (!is_free(known))
        return known->holds;
    bool holds = decide(ltl, first, second);
    if (make_room(ltl)) {
        known = place_of(ltl, first, second);
        ltl->known_count += is_free(known);
        *known = (struct ltl_entailment){first, second, holds};
    }
    return holds;
}
