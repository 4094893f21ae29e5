/* Names the properties of inductive rules, keeps an example of what violates one, and finds words
 * for it. */
#ifndef RULES_RULE_EXAMPLE_H
#define RULES_RULE_EXAMPLE_H

#include "rules/rule_subject.h"
#include "rules/rule_tables.h"

enum rule_property {
    RULE_LAST_UNIQUE,  /* no execution has two rules that can be the last step of its derivation */
    RULE_LAST_KEPT,    /* all executions with the same events have the same */
    RULE_PROJECTED,    /* Lemma 2: the first n rules derive the projections of what they derive */
    RULE_MATCHED,      /* Lemma 3: derived exactly if all projections match a rule */
    RULE_PREFIXES,     /* prefixes of what is derived are derived */
    RULE_STEP_BY_STEP, /* Definition 7 */
    RULE_BY_PROJECTIONS, /* Lemma 5: linearizable by the first n rules exactly if every projection
                            is linearizable to what one of them matches */
    RULE_BY_LAST_RULES, /* Lemma 6: linearizable exactly if every projection is linearizable to what
                           its last rule matches */
    RULE_ALLOWED,       /* what is derived the specification allows */
    RULE_ALL_ALLOWED,   /* what it allows is derived */
    RULE_EQUAL_VALUES,  /* both again, where values may come twice */
    RULE_PROPERTIES,
};

/* Something that violates a property: executions and histories over the events of a labelling. */
struct rule_example {
    struct rule_labelling labelling;
    uint32_t ranks[RULE_MOST_EVENTS];
    uint8_t first[RULE_MOST_EVENTS], second[RULE_MOST_EVENTS]; /* operations, in their order */
    uint8_t first_count, second_count;
    uint8_t first_rule, second_rule;
    uint8_t group;
    uint8_t values[RULE_MOST_EVENTS]; /* by group */
    bool derived; /* of what is said of both sides, the execution or history has the left one */
    bool has_history;
    struct word history;
    bool has_calls;
    struct rule_calls calls;
};

/* The letter of each group's value, from 0: in the order in which they begin in the first execution
 * of the example, of ordered sets in that of the values. Groups whose value says nothing have none,
 * UINT8_MAX. */
void rule_example_letters(const struct rule_set *set, const struct rule_example *example,
                          uint8_t letters[RULE_MOST_EVENTS]);

/* Appends in a sentence why a property is violated. `pool` is for the answers of calls. */
void rule_example_explain(const struct rule_set *set, enum rule_property property,
                          const struct rule_example *example, struct value_pool *pool,
                          struct text *text);

#endif
