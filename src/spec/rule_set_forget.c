#include "spec/rule_set_forget.h"

#include <string.h>

#define FUTURE_MOST 6  /* events that complete a group */
#define PAIR_MOST   64 /* events of two groups */
#define WAYS_MOST   64 /* in which a group can be completed */
#define GROUP_NEW   UINT32_MAX

/* So many groups may be around x in a way that needs a look at pairs of them. */
#define EXCEPTIONS_MOST 1000

/* Events with which a group becomes one that a rule makes. */
struct completion {
    uint8_t rule, length;
    uint8_t methods[FUTURE_MOST];
};

struct completions {
    bool all; /* there was room for all of them */
    uint32_t count;
    struct completion items[WAYS_MOST];
};

/* The projection of the word to two groups, which are 0 and 1 in it. */
struct pair {
    bool whole; /* there was room */
    uint32_t length;
    struct rule_event events[PAIR_MOST + 2 * FUTURE_MOST];
};

struct forgetting {
    const struct rule_set *set;
    const struct rule_word *word;
    uint32_t groups, x;
    unsigned rule; /* that made x */
};

/* ---- the form of a set ---- */

static bool has_closure(const struct rule *rule)
{
    for (unsigned i = 0; i < rule->item_count; i++)
        if (rule->items[i].kind == RULE_CLOSURE)
            return true;
    return false;
}

/* Whether some condition `matched` is about one of these methods. */
static bool asks_for_partners(const struct rule_set *set, uint32_t methods)
{
    for (unsigned r = 0; r < set->rule_count; r++)
        for (unsigned i = 0; i < set->rules[r].matched_count; i++)
            if (methods >> set->rules[r].matched[i].method & 1)
                return true;
    return false;
}

bool rule_set_may_forget(const struct rule_set *set)
{
    if (set->values != RULE_VALUES_RENAMED || !rule_set_is_settled(set))
        return false;
    for (unsigned r = 0; r < set->rule_count; r++) {
        const struct rule *rule = &set->rules[r];
        if (rule->item_count - rule->variable_count > FUTURE_MOST ||
            (has_closure(rule) && asks_for_partners(set, rule->methods)))
            return false;
    }
    return true;
}

bool rule_set_repeats(const struct rule_set *set, uint32_t method)
{
    for (unsigned r = 0; r < set->rule_count; r++)
        for (unsigned i = 0; i < set->rules[r].item_count; i++)
            if (set->rules[r].items[i].kind == RULE_METHOD &&
                set->rules[r].items[i].number == method)
                return false;
    return true;
}

/* ---- completions ---- */

static void add_completions(const struct rule *rule, unsigned item, struct completion begun,
                            struct completions *completions)
{
    while (item < rule->item_count && rule->items[item].kind == RULE_VARIABLE)
        item++;
    if (item == rule->item_count) {
        completions->all = completions->count < WAYS_MOST;
        if (completions->all)
            completions->items[completions->count++] = begun;
        return;
    }
    if (rule->items[item].kind == RULE_CLOSURE)
        add_completions(rule, item + 1, begun, completions);
    if (!completions->all)
        return;
    begun.methods[begun.length++] = rule->items[item].number;
    add_completions(rule, item + 1, begun, completions);
}

/* The item behind those of a group's events so far, or the closure that the last one is of;
 * item_count + 1 if the rule makes no such group. */
static unsigned item_behind(const struct rule *rule, const struct rule_word *word, uint32_t group)
{
    unsigned item = 0;
    for (uint32_t i = 0; i < word->length; i++) {
        if (word->events[i].group != group)
            continue;
        while (item < rule->item_count && (rule->items[item].kind == RULE_VARIABLE ||
                                           rule->items[item].number != word->events[i].method)) {
            if (rule->items[item].kind == RULE_METHOD)
                return rule->item_count + 1u;
            item++;
        }
        if (item == rule->item_count)
            return item + 1;
        item += rule->items[item].kind == RULE_METHOD;
    }
    return item;
}

/* Every way in which a group can become complete; of GROUP_NEW every group that there can be. */
static void find_completions(const struct rule_set *set, const struct rule_word *word,
                             uint32_t group, struct completions *completions)
{
    static const struct rule_word nothing;
    completions->count = 0;
    completions->all = true;
    for (unsigned r = 1; r < set->rule_count && completions->all; r++) {
        const struct rule *rule = &set->rules[r];
        unsigned item = item_behind(rule, group == GROUP_NEW ? &nothing : word, group);
        if (item <= rule->item_count)
            add_completions(rule, item, (struct completion){.rule = (uint8_t)r}, completions);
    }
}

/* ---- pairs ---- */

static void make_pair(const struct rule_word *word, uint32_t first, uint32_t second,
                      struct pair *pair)
{
    pair->length = 0;
    pair->whole = true;
    for (uint32_t i = 0; i < word->length; i++) {
        uint32_t group = word->events[i].group;
        if (group != first && group != second)
            continue;
        pair->whole = pair->length < PAIR_MOST;
        if (!pair->whole)
            return;
        pair->events[pair->length++] =
            (struct rule_event){word->events[i].method, (uint16_t)(group == second)};
    }
}

static void extend_pair(struct pair *pair, uint16_t group, const struct completion *completion)
{
    for (unsigned i = 0; i < completion->length; i++)
        pair->events[pair->length++] = (struct rule_event){completion->methods[i], group};
}

static bool pair_is_made(const struct rule_set *set, unsigned rule, const struct pair *pair,
                         uint32_t witness)
{
    const struct rule_word word = {pair->events, pair->length, NULL};
    return rule_matches(&set->rules[rule], &word, witness);
}

static bool pair_is_derived(const struct rule_set *set, const struct pair *pair)
{
    struct rule_event scratch[PAIR_MOST + 2 * FUTURE_MOST];
    const struct rule_word word = {pair->events, pair->length, NULL};
    return rule_set_derives(set, set->rule_count, &word, scratch);
}

/* Whether two groups can end so, in some order of what completes them, and in a word of the set;
 * with `rule` not 0 also so that this rule makes it, with group 0 as witness. */
static bool can_end(const struct rule_set *set, unsigned rule, struct pair *pair,
                    const struct completion *first, unsigned at, const struct completion *second,
                    unsigned other)
{
    if (at == first->length && other == second->length)
        return pair_is_derived(set, pair) && (rule == 0 || pair_is_made(set, rule, pair, 0));
    uint32_t length = pair->length;
    bool found = false;
    if (at < first->length) {
        pair->events[pair->length++] = (struct rule_event){first->methods[at], 0};
        found = can_end(set, rule, pair, first, at + 1, second, other);
        pair->length = length;
    }
    if (!found && other < second->length) {
        pair->events[pair->length++] = (struct rule_event){second->methods[other], 1};
        found = can_end(set, rule, pair, first, at, second, other + 1);
        pair->length = length;
    }
    return found;
}

/* Whether `group`, completed so, can be in a word of the set together with `other`, completed in
 * some way. */
static bool can_be_with(const struct forgetting *forgetting, uint32_t group,
                        const struct completion *completion, uint32_t other)
{
    struct completions ways;
    struct pair pair;
    make_pair(forgetting->word, group, other, &pair);
    find_completions(forgetting->set, forgetting->word, other, &ways);
    bool possible = !pair.whole || !ways.all;
    for (uint32_t i = 0; i < ways.count && !possible; i++)
        possible = can_end(forgetting->set, 0, &pair, completion, 0, &ways.items[i], 0);
    return possible;
}

/* The same for all groups that stay. */
static bool can_come(const struct forgetting *forgetting, uint32_t group,
                     const struct completion *completion)
{
    for (uint32_t other = 0; other < forgetting->groups; other++)
        if (other != group && other != forgetting->x &&
            !can_be_with(forgetting, group, completion, other))
            return false;
    return true;
}

/* ---- the argument ---- */

/* Whether events of x can follow, and are these. If some could before the last event, and cannot
 * any more, then that is because of its group. */
static bool can_follow(const struct forgetting *forgetting, const struct completion *way)
{
    uint32_t last = forgetting->word->events[forgetting->word->length - 1].group;
    return last == forgetting->x ? can_come(forgetting, last, way)
                                 : can_be_with(forgetting, forgetting->x, way, last);
}

/* A group that x cannot be taken out before, or that cannot be taken out before x. */
struct exception {
    uint32_t group;
    struct completion completion;
};

struct exceptions {
    uint32_t count;
    struct exception items[EXCEPTIONS_MOST];
};

static bool add_exception(struct exceptions *exceptions, uint32_t group,
                          const struct completion *completion)
{
    if (exceptions->count == EXCEPTIONS_MOST)
        return false;
    exceptions->items[exceptions->count++] = (struct exception){group, *completion};
    return true;
}

/* (1), (2), and the first half of (3) for one other group. `later`: those that are not taken out
 * before x; `earlier`: those that x is not taken out before. */
static bool holds_of(const struct forgetting *forgetting, uint32_t group, struct exceptions *later,
                     struct exceptions *earlier)
{
    const struct rule_set *set = forgetting->set;
    unsigned rule = forgetting->rule;
    struct completions ways;
    struct pair pair;
    make_pair(forgetting->word, group, forgetting->x, &pair);
    find_completions(set, forgetting->word, group, &ways);
    if (!pair.whole || !ways.all)
        return false;
    uint32_t past = pair.length;
    for (uint32_t i = 0; i < ways.count; i++) {
        const struct completion *way = &ways.items[i];
        pair.length = past;
        extend_pair(&pair, 0, way);
        bool before = way->rule >= rule && pair_is_made(set, way->rule, &pair, 0);
        bool after = way->rule <= rule && pair_is_made(set, rule, &pair, 1);
        bool good = before || after || !can_come(forgetting, group, way);
        if (good && way->rule == rule && before != after)
            good = add_exception(after ? later : earlier, group, way);
        if (!good)
            return false;
    }
    return true;
}

/* The second half of (3). */
static bool keeps_order(const struct forgetting *forgetting, const struct exception *later,
                        const struct exception *earlier)
{
    struct pair pair;
    if (later->group == earlier->group && later->group != GROUP_NEW)
        return true;
    make_pair(forgetting->word, later->group, earlier->group, &pair);
    bool wrong = !pair.whole || can_end(forgetting->set, forgetting->rule, &pair,
                                        &later->completion, 0, &earlier->completion, 0);
    return !wrong || !can_come(forgetting, later->group, &later->completion) ||
           !can_come(forgetting, earlier->group, &earlier->completion);
}

static bool is_forgotten_as(struct forgetting *forgetting, unsigned rule)
{
    struct exceptions later = {0}, earlier = {0};
    forgetting->rule = rule;
    if (!holds_of(forgetting, GROUP_NEW, &later, &earlier))
        return false;
    for (uint32_t group = 0; group < forgetting->groups; group++)
        if (group != forgetting->x && !holds_of(forgetting, group, &later, &earlier))
            return false;
    for (uint32_t i = 0; i < later.count; i++)
        for (uint32_t j = 0; j < earlier.count; j++)
            if (!keeps_order(forgetting, &later.items[i], &earlier.items[j]))
                return false;
    return true;
}

bool rule_set_forgets(const struct rule_set *set, const struct rule_word *word, uint32_t groups,
                      uint32_t x)
{
    struct forgetting forgetting = {.set = set, .word = word, .groups = groups, .x = x};
    struct completions ways;
    find_completions(set, word, x, &ways);
    if (!ways.all)
        return false;
    for (uint32_t i = 0; i < ways.count; i++)
        if (ways.items[i].length > 0 && can_follow(&forgetting, &ways.items[i]))
            return false;
    for (uint32_t i = 0; i < ways.count; i++)
        if (ways.items[i].length == 0 && is_forgotten_as(&forgetting, ways.items[i].rule))
            return true;
    return false;
}
