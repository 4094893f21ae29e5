/* Making formulas simple. The rules are those of Somenzi and Bloem (2000) and of Etessami and
 * Holzmann (2000); each is written for conjunctions, X and U, and holds of disjunctions and R by
 * negation. Every rule makes fewer operators, or moves X outwards or what is both eventual and
 * universal out of F; so they end. */
#include <assert.h>
#include <stdlib.h>

#include "logic/ltl.h"

/* ---- X ---- */

ltl_id ltl_next(struct ltl *ltl, ltl_id formula)
{
    if (formula == LTL_REFUSED ||
        (ltl_is_eventual(ltl, formula) && ltl_is_universal(ltl, formula))) /* constants too */
        return formula;
    ltl_id made = ltl_make(ltl, (uint32_t[]){LTL_KIND_NEXT, formula & ~(ltl_id)1}, 2);
    return made == LTL_REFUSED ? made : made | (formula & 1);
}

/* The operand of X; what is the same at all positions is X of itself. LTL_REFUSED: it is no X. */
static ltl_id behind_next(const struct ltl *ltl, ltl_id formula)
{
    if (ltl_kind_of(ltl, formula) == LTL_KIND_NEXT)
        return ltl_operand(ltl, formula, 0);
    return ltl_is_eventual(ltl, formula) && ltl_is_universal(ltl, formula) ? formula : LTL_REFUSED;
}

/* ---- U ---- */

static ltl_id make_until(struct ltl *ltl, ltl_id left, ltl_id right)
{
    return ltl_make(ltl, (uint32_t[]){LTL_KIND_UNTIL, left, right}, 3);
}

/* F of a conjunction: what is both eventual and universal may stand before the F. */
static ltl_id eventually_all(struct ltl *ltl, ltl_id formula)
{
    ltl_id inside = LTL_TRUE, outside = LTL_TRUE;
    for (size_t i = 0; i < ltl_operand_count(ltl, formula); i++) {
        ltl_id operand = ltl_operand(ltl, formula, i);
        bool anywhere = ltl_is_eventual(ltl, operand) && ltl_is_universal(ltl, operand);
        ltl_id *to = anywhere ? &outside : &inside;
        *to = ltl_and(ltl, *to, operand);
    }
    if (inside == LTL_REFUSED || outside == LTL_REFUSED)
        return LTL_REFUSED;
    if (outside == LTL_TRUE)
        return make_until(ltl, LTL_TRUE, formula);
    return ltl_and(ltl, ltl_until(ltl, LTL_TRUE, inside), outside);
}

ltl_id ltl_until(struct ltl *ltl, ltl_id left, ltl_id right)
{
    if (left == LTL_REFUSED || right == LTL_REFUSED)
        return LTL_REFUSED;
    if (ltl_is_eventual(ltl, right) || ltl_entails(ltl, left, right)) /* constants too */
        return right;
    if (left != LTL_TRUE && ltl_entails(ltl, ltl_not(left), right))
        return ltl_until(ltl, LTL_TRUE, right);
    enum ltl_kind kind = ltl_kind_of(ltl, right);
    if (kind == LTL_KIND_UNTIL && ltl_entails(ltl, left, ltl_operand(ltl, right, 0)))
        return right;
    if (kind == LTL_KIND_UNTIL && ltl_entails(ltl, ltl_operand(ltl, right, 0), left))
        return ltl_until(ltl, left, ltl_operand(ltl, right, 1));
    if (kind == LTL_KIND_NEXT && behind_next(ltl, left) != LTL_REFUSED)
        return ltl_next(ltl, ltl_until(ltl, behind_next(ltl, left), behind_next(ltl, right)));
    if (kind == LTL_KIND_AND && left == LTL_TRUE)
        return eventually_all(ltl, right);
    return make_until(ltl, left, right);
}

/* ---- conjunctions ---- */

static int compare_ids(const void *left, const void *right)
{
    ltl_id first = *(const ltl_id *)left, second = *(const ltl_id *)right;
    return (first > second) - (first < second);
}

/* The operand of F G, LTL_REFUSED if it is none. */
static ltl_id behind_finally_always(const struct ltl *ltl, ltl_id formula)
{
    if (ltl_kind_of(ltl, formula) != LTL_KIND_UNTIL || ltl_operand(ltl, formula, 0) != LTL_TRUE)
        return LTL_REFUSED;
    ltl_id inner = ltl_operand(ltl, formula, 1);
    if (ltl_kind_of(ltl, inner) != LTL_KIND_RELEASE || ltl_operand(ltl, inner, 0) != LTL_FALSE)
        return LTL_REFUSED;
    return ltl_operand(ltl, inner, 1);
}

/* One formula for the conjunction of two, where that has fewer operators; LTL_TRUE: there is none.
 */
static ltl_id join(struct ltl *ltl, ltl_id first, ltl_id second)
{
    enum ltl_kind kind = ltl_kind_of(ltl, first);
    ltl_id one = behind_finally_always(ltl, first), other = behind_finally_always(ltl, second);
    if (one != LTL_REFUSED && other != LTL_REFUSED)
        return ltl_eventually(ltl, ltl_always(ltl, ltl_and(ltl, one, other)));
    if (kind != ltl_kind_of(ltl, second))
        return LTL_TRUE;
    if (kind == LTL_KIND_NEXT)
        return ltl_next(ltl, ltl_and(ltl, ltl_operand(ltl, first, 0), ltl_operand(ltl, second, 0)));
    if (kind == LTL_KIND_RELEASE && ltl_operand(ltl, first, 0) == ltl_operand(ltl, second, 0))
        return ltl_release_of(
            ltl, ltl_operand(ltl, first, 0),
            ltl_and(ltl, ltl_operand(ltl, first, 1), ltl_operand(ltl, second, 1)));
    if (kind == LTL_KIND_UNTIL && ltl_operand(ltl, first, 1) == ltl_operand(ltl, second, 1))
        return ltl_until(ltl, ltl_and(ltl, ltl_operand(ltl, first, 0), ltl_operand(ltl, second, 0)),
                         ltl_operand(ltl, first, 1));
    return LTL_TRUE;
}

/* A disjunction without those operands that `given` excludes. */
static ltl_id without_excluded(struct ltl *ltl, ltl_id disjunction, ltl_id given)
{
    ltl_id rest = LTL_FALSE;
    bool excluded = false;
    if (ltl_kind_of(ltl, disjunction) != LTL_KIND_OR)
        return disjunction;
    size_t count = ltl_operand_count(ltl, disjunction);
    for (size_t i = 0; i < count && !excluded; i++)
        excluded = ltl_entails(ltl, given, ltl_not(ltl_operand(ltl, disjunction, i)));
    if (!excluded)
        return disjunction;
    for (size_t i = 0; i < count; i++) {
        ltl_id operand = ltl_operand(ltl, disjunction, i);
        if (!ltl_entails(ltl, given, ltl_not(operand)))
            rest = ltl_or(ltl, rest, operand);
    }
    return rest;
}

/* So many questions are asked for one set of formulas; then conjunctions stay as they are. */
#define MOST_WORK ((uint64_t)20000000)

typedef VECTOR(uint32_t) operand_list;

static bool add_operand(struct ltl *ltl, operand_list *list, ltl_id formula);

/* Compares a new operand with those that are there; *gone: it need not be added any more. False
 * when refused. */
static bool settle_operand(struct ltl *ltl, operand_list *list, ltl_id formula, bool *gone)
{
    for (size_t i = 0; i < list->length && ltl->work < MOST_WORK; i++) {
        ltl_id there = list->items[i];
        *gone = ltl_entails(ltl, there, formula);
        if (*gone)
            return true;
        ltl_id joined = LTL_FALSE, shorter = formula, weaker = there;
        bool drop = ltl_entails(ltl, formula, there);
        if (!drop && !ltl_entails(ltl, there, ltl_not(formula))) {
            joined = join(ltl, there, formula);
            shorter = without_excluded(ltl, formula, there);
            weaker = without_excluded(ltl, there, formula);
        }
        if (joined == LTL_REFUSED || shorter == LTL_REFUSED || weaker == LTL_REFUSED)
            return false;
        if (!drop && joined == LTL_TRUE && shorter == formula && weaker == there)
            continue;
        /* Something changed: the operand that is there goes, what replaces it comes again. */
        list->items[i] = list->items[--list->length];
        *gone = true;
        if (drop)
            return add_operand(ltl, list, formula);
        if (joined != LTL_TRUE)
            return add_operand(ltl, list, joined);
        return add_operand(ltl, list, weaker) && add_operand(ltl, list, shorter);
    }
    return true;
}

/* Adds an operand, which may be a conjunction, to a list of operands that is simple. */
static bool add_operand(struct ltl *ltl, operand_list *list, ltl_id formula)
{
    bool gone = false;
    if (formula == LTL_REFUSED)
        return false;
    if (ltl_kind_of(ltl, formula) == LTL_KIND_AND) {
        bool fresh = list->length == 0; /* its operands are simple already */
        for (size_t i = 0; i < ltl_operand_count(ltl, formula); i++) {
            ltl_id operand = ltl_operand(ltl, formula, i);
            if (!(fresh ? vector_push(list, operand) : add_operand(ltl, list, operand)))
                return false;
        }
        return true;
    }
    if (formula == LTL_TRUE)
        return true;
    if (!settle_operand(ltl, list, formula, &gone))
        return false;
    return gone || vector_push(list, formula);
}

ltl_id ltl_all(struct ltl *ltl, const ltl_id *formulas, size_t count)
{
    operand_list list;
    ltl_id made = LTL_REFUSED;
    bool simple = true;
    vector_init(&list, ltl->budget);
    for (size_t i = 0; i < count && simple; i++)
        simple = add_operand(ltl, &list, formulas[i]);
    if (!simple)
        made = LTL_REFUSED;
    else if (list.length == 0)
        made = LTL_TRUE;
    else if (list.length == 1)
        made = list.items[0];
    else if (vector_push(&list, LTL_KIND_AND)) {
        /* The kind stands first, then the operands in order. */
        list.items[list.length - 1] = list.items[0];
        list.items[0] = LTL_KIND_AND;
        qsort(list.items + 1, list.length - 1, sizeof *list.items, compare_ids);
        made = ltl_make(ltl, list.items, list.length);
    }
    vector_release(&list);
    return made;
}
