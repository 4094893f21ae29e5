#include "spec/rule_set.h"

#include <string.h>

/* ---- rules ---- */

static bool is_in_matched(const struct rule *rule, unsigned variable)
{
    for (unsigned i = 0; i < rule->matched_count; i++)
        if (rule->matched[i].variables >> variable & 1)
            return true;
    return false;
}

/* Whether it matters where between two variables without a method between them the one ends. */
static bool is_free(const struct rule *rule, unsigned item)
{
    unsigned variable = rule->items[item].number;
    for (item++; item < rule->item_count && rule->items[item].kind != RULE_METHOD; item++) {
        if (rule->items[item].kind != RULE_VARIABLE)
            continue;
        unsigned next = rule->items[item].number;
        const struct rule_variable *one = &rule->variables[variable];
        const struct rule_variable *other = &rule->variables[next];
        if (one->less != other->less || one->greater != other->greater ||
            is_in_matched(rule, variable) || is_in_matched(rule, next))
            return true;
    }
    return false;
}

void rule_finish(struct rule *rule)
{
    bool begun = false;
    rule->methods = rule->begins = 0;
    for (unsigned i = 0; i < rule->item_count; i++) {
        struct rule_item *item = &rule->items[i];
        item->free = item->kind == RULE_VARIABLE && is_free(rule, i);
        if (item->kind == RULE_VARIABLE)
            continue;
        uint32_t bit = UINT32_C(1) << item->number;
        rule->methods |= bit;
        rule->begins |= begun ? 0 : bit;
        begun = begun || item->kind == RULE_METHOD;
    }
}

bool rule_set_is_settled(const struct rule_set *set)
{
    for (unsigned r = 0; r < set->rule_count; r++)
        for (unsigned i = 0; i < set->rules[r].item_count; i++)
            if (set->rules[r].items[i].free)
                return false;
    return true;
}

bool rule_methods_are_alike(const struct rule_set_method *one, const struct rule_set_method *other)
{
    return one->operation == other->operation && one->answer == other->answer &&
           (one->answer != RULE_ANSWERS_SYMBOL || strcmp(one->symbol, other->symbol) == 0);
}

bool rule_set_shows_value(const struct rule_set *set, unsigned method)
{
    uint32_t own = UINT32_C(1) << method;
    if (set->methods[method].takes_value || set->methods[method].answer == RULE_ANSWERS_VALUE)
        return true;
    for (unsigned r = 0; r < set->rule_count; r++)
        if ((set->rules[r].methods & own) && set->rules[r].methods != own)
            return true;
    return false;
}

/* ---- matching ---- */

struct matching {
    const struct rule *rule;
    const struct rule_word *word;
    uint32_t witness;
    uint32_t starts[RULE_MOST_VARIABLES], ends[RULE_MOST_VARIABLES];
};

static bool is_greater(const struct matching *matching, const struct rule_event *event)
{
    const uint32_t *ranks = matching->word->ranks;
    return ranks && ranks[event->group] > ranks[matching->witness];
}

static bool has_partner(const struct matching *matching, uint32_t variables, uint32_t at)
{
    const struct rule_event *events = matching->word->events;
    for (unsigned v = 0; v < matching->rule->variable_count; v++)
        for (uint32_t i = matching->starts[v]; (variables >> v & 1) && i < matching->ends[v]; i++)
            if (i != at && events[i].group == events[at].group)
                return true;
    return false;
}

static bool is_matched(const struct matching *matching, const struct rule_matched *condition)
{
    for (unsigned v = 0; v < matching->rule->variable_count; v++) {
        if (!(condition->variables >> v & 1))
            continue;
        for (uint32_t i = matching->starts[v]; i < matching->ends[v]; i++) {
            const struct rule_event *event = &matching->word->events[i];
            if (event->method != condition->method ||
                (condition->compared != RULE_COMPARES_NOT &&
                 is_greater(matching, event) != (condition->compared == RULE_COMPARES_GREATER)))
                continue;
            if (!has_partner(matching, condition->variables, i))
                return false;
        }
    }
    return true;
}

static bool match_from(struct matching *matching, unsigned item, uint32_t at);

/* A variable takes what may stand in it, up to the next event of the witness; less of it only where
 * that can make a difference. */
static bool match_variable(struct matching *matching, unsigned item, uint32_t at)
{
    const struct rule_item *taken = &matching->rule->items[item];
    const struct rule_variable *variable = &matching->rule->variables[taken->number];
    uint32_t end = at;
    for (; end < matching->word->length; end++) {
        const struct rule_event *event = &matching->word->events[end];
        uint32_t allowed = is_greater(matching, event) ? variable->greater : variable->less;
        if (event->group == matching->witness || !(allowed >> event->method & 1))
            break;
    }
    matching->starts[taken->number] = at;
    for (;; end--) {
        matching->ends[taken->number] = end;
        if (match_from(matching, item + 1, end))
            return true;
        if (!taken->free || end == at)
            return false;
    }
}

static bool match_from(struct matching *matching, unsigned item, uint32_t at)
{
    const struct rule *rule = matching->rule;
    const struct rule_word *word = matching->word;
    for (; item < rule->item_count; item++) {
        const struct rule_item *next = &rule->items[item];
        if (next->kind == RULE_VARIABLE)
            return match_variable(matching, item, at);
        uint32_t start = at;
        while (at < word->length && word->events[at].group == matching->witness &&
               word->events[at].method == next->number &&
               (next->kind == RULE_CLOSURE || at == start))
            at++;
        if (next->kind == RULE_METHOD && at == start)
            return false;
    }
    if (at < word->length)
        return false;
    for (unsigned i = 0; i < rule->matched_count; i++)
        if (!is_matched(matching, &rule->matched[i]))
            return false;
    return true;
}

bool rule_matches(const struct rule *rule, const struct rule_word *word, uint32_t witness)
{
    struct matching matching = {.rule = rule, .word = word, .witness = witness};
    return match_from(&matching, 0, 0);
}

/* ---- deriving ---- */

/* Whether group `group` begins at event `at`, with a method that a witness of the rule begins with.
 */
static bool may_be_witness(const struct rule *rule, const struct rule_event *events, uint32_t at)
{
    if (!(rule->begins >> events[at].method & 1))
        return false;
    for (uint32_t i = 0; i < at; i++)
        if (events[i].group == events[at].group)
            return false;
    return true;
}

static uint32_t remove_group(struct rule_event *events, uint32_t length, uint32_t group)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < length; i++)
        if (events[i].group != group)
            events[kept++] = events[i];
    return kept;
}

/* Takes out witnesses of one rule until there are none; the length of what is left. */
static uint32_t take_back(const struct rule *rule, struct rule_word *word,
                          struct rule_event *events)
{
    bool going = true;
    while (going) {
        going = false;
        for (uint32_t i = 0; i < word->length;) {
            uint32_t group = events[i].group;
            bool taken = may_be_witness(rule, events, i) && rule_matches(rule, word, group);
            if (taken)
                word->length = remove_group(events, word->length, group);
            else
                i++;
            going = going || taken;
        }
    }
    return word->length;
}

bool rule_set_derives(const struct rule_set *set, unsigned count, const struct rule_word *word,
                      struct rule_event *scratch)
{
    struct rule_word rest = {scratch, word->length, word->ranks};
    if (word->length)
        memcpy(scratch, word->events, word->length * sizeof *scratch);
    for (unsigned r = count; r > 1 && rest.length > 0; r--)
        take_back(&set->rules[r - 1], &rest, scratch);
    return rest.length == 0;
}

/* ---- copies ---- */

static bool copy_name(const char **name, struct arena *arena)
{
    if (*name)
        *name = arena_copy_text(arena, *name, strlen(*name));
    return *name != NULL;
}

struct rule_set *rule_set_copy(const struct rule_set *set, struct arena *arena)
{
    struct rule_set *copy = arena_allocate(arena, sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *set;
    bool good = copy_name(&copy->name, arena) && copy_name(&copy->file, arena) &&
                (!set->subject || copy_name(&copy->subject, arena));
    for (unsigned i = 0; good && i < copy->method_count; i++)
        good = copy_name(&copy->methods[i].name, arena) &&
               (!set->methods[i].symbol || copy_name(&copy->methods[i].symbol, arena));
    for (unsigned i = 0; good && i < copy->rule_count; i++)
        good = copy_name(&copy->rules[i].name, arena);
    for (unsigned i = 0; good && i < copy->operation_count; i++)
        good = copy_name(&copy->operations[i], arena);
    return good ? copy : NULL;
}
