#include "monitor/rules_match.h"

#include <string.h>

#define CHOICES_MOST 4096 /* for the operations of one value */
#define TOGETHER     8    /* operations of one value that a condition is about */

struct match {
    struct rules_view *view;
    const struct rule *rule;
    uint32_t witness;
    bool undecided;
};

/* ---- where an operation may go ---- */

static bool is_greater(const struct match *match, uint32_t group)
{
    const uint32_t *ranks = match->view->ranks;
    return ranks && ranks[group] > ranks[match->witness];
}

static bool may_go_to(const struct match *match, uint32_t interval, unsigned item)
{
    const struct rules_view *view = match->view;
    const struct rule_item *to = &match->rule->items[item];
    unsigned method = view->method[interval];
    if (view->group[interval] == match->witness)
        return to->kind != RULE_VARIABLE && to->number == method;
    if (to->kind != RULE_VARIABLE)
        return false;
    const struct rule_variable *variable = &match->rule->variables[to->number];
    uint32_t allowed =
        is_greater(match, view->group[interval]) ? variable->greater : variable->less;
    return allowed >> method & 1;
}

/* The first item from `item` on that it may go to; item_count: none. */
static unsigned next_item(const struct match *match, uint32_t interval, unsigned item)
{
    while (item < match->rule->item_count && !may_go_to(match, interval, item))
        item++;
    return item;
}

/* The witness's events are those of the expression. */
static bool is_of_shape(const struct match *match)
{
    const struct rules_view *view = match->view;
    uint32_t found = 0, once = 0;
    for (unsigned i = 0; i < match->rule->item_count; i++)
        if (match->rule->items[i].kind == RULE_METHOD)
            once |= UINT32_C(1) << match->rule->items[i].number;
    for (uint32_t i = view->first[match->witness]; i != GROUP_NONE; i = view->next[i]) {
        uint32_t own = UINT32_C(1) << view->method[i];
        if (!(match->rule->methods & own) || (found & once & own))
            return false;
        found |= own;
    }
    return (once & ~found) == 0;
}

/* ---- precedence ---- */

/* Pushes operations behind what precedes them, in the order of time. False: out of the expression.
 */
static bool push_by_precedence(struct match *match)
{
    struct rules_view *view = match->view;
    unsigned reached = 0;
    for (uint32_t at = 0; at < view->part->positions; at++) {
        uint32_t interval = view->events[at].interval;
        uint32_t group = view->group[interval];
        if (group == GROUP_NONE || view->out[group])
            continue;
        uint8_t *item = &view->item[interval];
        if (view->events[at].responds) {
            reached = *item > reached ? *item : reached;
            continue;
        }
        unsigned to = next_item(match, interval, *item > reached ? *item : reached);
        if (to == match->rule->item_count)
            return false;
        *item = (uint8_t)to;
    }
    return true;
}

/* ---- conditions ---- */

/* The operations of one group that conditions are about, and what has been chosen for them. */
struct together {
    uint32_t group, count;
    uint32_t intervals[TOGETHER];
    uint8_t chosen[TOGETHER], least[TOGETHER];
    bool possible; /* some choice is */
    unsigned tried;
};

static bool is_in(const struct match *match, uint32_t variables, unsigned item)
{
    const struct rule_item *at = &match->rule->items[item];
    return at->kind == RULE_VARIABLE && (variables >> at->number & 1);
}

static bool meets(const struct match *match, const struct together *together,
                  const struct rule_matched *condition)
{
    bool greater = is_greater(match, together->group);
    if (condition->compared != RULE_COMPARES_NOT &&
        greater != (condition->compared == RULE_COMPARES_GREATER))
        return true;
    for (unsigned i = 0; i < together->count; i++) {
        bool partner = false;
        if (match->view->method[together->intervals[i]] != condition->method ||
            !is_in(match, condition->variables, together->chosen[i]))
            continue;
        for (unsigned j = 0; j < together->count; j++)
            partner |= j != i && is_in(match, condition->variables, together->chosen[j]);
        if (!partner)
            return false;
    }
    return true;
}

static bool meets_all(const struct match *match, const struct together *together)
{
    for (unsigned i = 0; i < match->rule->matched_count; i++)
        if (!meets(match, together, &match->rule->matched[i]))
            return false;
    return true;
}

/* Goes through the choices from the places so far on, and keeps the least place of each. */
static void choose_from(const struct match *match, struct together *together, unsigned at)
{
    if (at == together->count) {
        together->tried++;
        if (!meets_all(match, together))
            return;
        for (unsigned i = 0; i < together->count; i++)
            if (!together->possible || together->chosen[i] < together->least[i])
                together->least[i] = together->chosen[i];
        together->possible = true;
        return;
    }
    uint32_t interval = together->intervals[at];
    for (unsigned item = next_item(match, interval, match->view->item[interval]);
         item < match->rule->item_count && together->tried < CHOICES_MOST;
         item = next_item(match, interval, item + 1)) {
        together->chosen[at] = (uint8_t)item;
        choose_from(match, together, at + 1);
    }
}

static bool is_asked_for(const struct match *match, uint32_t group)
{
    const struct rules_view *view = match->view;
    for (uint32_t i = view->first[group]; i != GROUP_NONE; i = view->next[i])
        for (unsigned c = 0; c < match->rule->matched_count; c++)
            if (match->rule->matched[c].method == view->method[i])
                return true;
    return false;
}

/* Pushes the operations of one group to the least places that some choice has. False: none has any;
 * `*pushed`: some were. */
static bool push_together(struct match *match, uint32_t group, bool *pushed)
{
    struct rules_view *view = match->view;
    struct together together = {.group = group};
    if (group == match->witness || view->out[group] || !is_asked_for(match, group))
        return true;
    for (uint32_t i = view->first[group]; i != GROUP_NONE; i = view->next[i]) {
        if (together.count == TOGETHER) {
            match->undecided = true;
            return true;
        }
        together.intervals[together.count++] = i;
    }
    choose_from(match, &together, 0);
    if (together.tried >= CHOICES_MOST) {
        match->undecided = true;
        return true;
    }
    for (unsigned i = 0; i < together.count && together.possible; i++) {
        *pushed |= together.least[i] > view->item[together.intervals[i]];
        view->item[together.intervals[i]] = together.least[i];
    }
    memcpy(together.chosen, together.least, sizeof together.chosen);
    match->undecided |= together.possible && !meets_all(match, &together);
    return together.possible;
}

enum rules_match rules_match(struct rules_view *view, unsigned rule, uint32_t witness)
{
    struct match match = {.view = view, .rule = &view->set->rules[rule], .witness = witness};
    if (!is_of_shape(&match))
        return RULES_NO_MATCH;
    memset(view->item, 0, view->part->count);
    for (bool pushed = true; pushed;) {
        pushed = match.undecided = false;
        if (!push_by_precedence(&match))
            return RULES_NO_MATCH;
        for (uint32_t group = 0; group < view->group_count; group++)
            if (!push_together(&match, group, &pushed))
                return RULES_NO_MATCH;
    }
    return match.undecided ? RULES_UNDECIDED : RULES_MATCH;
}
