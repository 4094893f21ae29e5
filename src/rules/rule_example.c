/* Writes as sentences why a property of rules is violated. */
#include "rules/rule_example.h"

#include <string.h>

struct telling {
    const struct rule_set *set;
    const struct rule_example *example;
    struct value_pool *pool;
    struct text *text;
    uint8_t letters[RULE_MOST_EVENTS];
};

void rule_example_letters(const struct rule_set *set, const struct rule_example *example,
                          uint8_t letters[RULE_MOST_EVENTS])
{
    const struct rule_labelling *labelling = &example->labelling;
    uint8_t next = 0;
    memset(letters, UINT8_MAX, RULE_MOST_EVENTS);
    for (unsigned i = 0; i < example->first_count + labelling->count; i++) {
        bool ordered = i < example->first_count;
        struct rule_event event =
            labelling->events[ordered ? example->first[i] : i - example->first_count];
        if (letters[event.group] == UINT8_MAX && rule_set_shows_value(set, event.method))
            letters[event.group] = next++;
    }
    for (unsigned g = 0; g < labelling->group_count && set->values == RULE_VALUES_ORDERED; g++)
        if (letters[g] != UINT8_MAX)
            letters[g] = (uint8_t)example->ranks[g];
}

/* ---- parts of sentences ---- */

/* `Enq a, Deq a` */
static void tell_events(const struct telling *telling, const uint8_t *order, unsigned count)
{
    text_append_char(telling->text, '`');
    for (unsigned i = 0; i < count; i++) {
        struct rule_event event = telling->example->labelling.events[order[i]];
        text_format(telling->text, "%s%s", i ? ", " : "", telling->set->methods[event.method].name);
        if (telling->letters[event.group] != UINT8_MAX)
            text_format(telling->text, " %c", (char)('a' + telling->letters[event.group]));
    }
    text_append(telling->text, count ? "`" : "nothing`");
}

static void tell_first(const struct telling *telling)
{
    tell_events(telling, telling->example->first, telling->example->first_count);
}

static void tell_second(const struct telling *telling)
{
    tell_events(telling, telling->example->second, telling->example->second_count);
}

static const char *first_rule(const struct telling *telling)
{
    return telling->set->rules[telling->example->first_rule].name;
}

static const char *second_rule(const struct telling *telling)
{
    return telling->set->rules[telling->example->second_rule].name;
}

static void tell_calls(const struct telling *telling)
{
    const struct rule_example *example = telling->example;
    struct rule_calls calls = example->calls;
    struct rule_event events[RULE_MOST_EVENTS];
    if (!example->has_calls) {
        for (unsigned i = 0; i < example->first_count; i++)
            events[i] = example->labelling.events[example->first[i]];
        const struct rule_word word = {events, example->first_count, NULL};
        rule_calls_of_word(telling->set, &word, example->values, telling->pool, &calls);
    }
    text_append_char(telling->text, '`');
    rule_calls_print(telling->set, &calls, telling->text);
    text_append_char(telling->text, '`');
}

/* ---- sentences ---- */

static void tell_last_unique(const struct telling *telling)
{
    text_append(telling->text, "the last step of ");
    tell_first(telling);
    text_format(telling->text, " can be by %s and by %s", first_rule(telling),
                second_rule(telling));
}

static void tell_last_kept(const struct telling *telling)
{
    text_append(telling->text, "the last step of ");
    tell_first(telling);
    text_format(telling->text, " is by %s, and that of ", first_rule(telling));
    tell_second(telling);
    text_format(telling->text, ", which has the same events, by %s", second_rule(telling));
}

static void tell_projected(const struct telling *telling)
{
    tell_first(telling);
    text_format(telling->text, " is derived by the rules up to %s, and its projection ",
                first_rule(telling));
    tell_second(telling);
    text_append(telling->text, " is not");
}

static void tell_matched(const struct telling *telling)
{
    if (!telling->example->derived)
        text_append(telling->text, "every projection of ");
    tell_first(telling);
    if (!telling->example->derived) {
        text_append(telling->text, " matches a rule, and it is not derived");
        return;
    }
    text_append(telling->text, " is derived, and its projection ");
    tell_second(telling);
    text_append(telling->text, " matches no rule");
}

static void tell_prefixes(const struct telling *telling)
{
    tell_first(telling);
    text_append(telling->text, " is derived, and ");
    tell_second(telling);
    text_append(telling->text, ", which it begins with, is not");
}

static void tell_step_by_step(const struct telling *telling)
{
    char witness[] = "the value a";
    uint8_t letter = telling->letters[telling->example->group];
    witness[sizeof witness - 2] = (char)('a' + letter);
    const char *what = letter == UINT8_MAX ? "one event" : witness, *rule = first_rule(telling);
    text_format(telling->text,
                "the history is linearizable to what %s matches with %s, and without %s to what "
                "the rules up to %s derive; but as a whole it is not",
                rule, what, letter == UINT8_MAX ? "it" : what, rule);
}

static void tell_by_projections(const struct telling *telling)
{
    const char *rule = first_rule(telling);
    if (!telling->example->derived) {
        text_format(telling->text,
                    "every projection of the history is linearizable to what a rule up to %s "
                    "matches, and the whole is not to what these rules derive",
                    rule);
        return;
    }
    text_format(telling->text,
                "the history is linearizable to what the rules up to %s derive, and its part ",
                rule);
    tell_second(telling);
    text_append(telling->text, " is not to what one of them matches");
}

static void tell_by_last_rules(const struct telling *telling)
{
    if (!telling->example->derived) {
        text_append(telling->text, "every projection of the history is linearizable to what its "
                                   "last rule matches, and the whole is not linearizable");
        return;
    }
    text_append(telling->text, "the history is linearizable, and its part ");
    tell_second(telling);
    text_format(telling->text, " is not to what its last rule, %s, matches", first_rule(telling));
}

static void tell_subject(const struct telling *telling, enum rule_property property)
{
    const char *subject = telling->set->subject;
    bool equal = property == RULE_EQUAL_VALUES;
    if (!telling->example->derived) {
        text_format(telling->text, "%s allows ", subject);
        tell_calls(telling);
        text_append(telling->text, equal ? ", and it is not derived, whatever of its equal values "
                                           "is told apart"
                                         : ", and it is not derived");
        return;
    }
    tell_first(telling);
    text_append(telling->text, equal ? " is derived, and with some of its values equal, as in "
                                     : " is derived, and ");
    if (!equal)
        text_format(telling->text, "%s does not allow ", subject);
    tell_calls(telling);
    if (equal)
        text_format(telling->text, ", %s does not allow it", subject);
}

void rule_example_explain(const struct rule_set *set, enum rule_property property,
                          const struct rule_example *example, struct value_pool *pool,
                          struct text *text)
{
    static void (*const tellers[])(const struct telling *telling) = {
        [RULE_LAST_UNIQUE] = tell_last_unique,
        [RULE_LAST_KEPT] = tell_last_kept,
        [RULE_PROJECTED] = tell_projected,
        [RULE_MATCHED] = tell_matched,
        [RULE_PREFIXES] = tell_prefixes,
        [RULE_STEP_BY_STEP] = tell_step_by_step,
        [RULE_BY_PROJECTIONS] = tell_by_projections,
        [RULE_BY_LAST_RULES] = tell_by_last_rules,
    };
    struct telling telling = {.set = set, .example = example, .pool = pool, .text = text};
    rule_example_letters(set, example, telling.letters);
    if (property < RULE_ALLOWED)
        tellers[property](&telling);
    else
        tell_subject(&telling, property);
}
