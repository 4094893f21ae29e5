/* Compares violation automata with the rules that they belong to, one rule at a time (Definition 8
 * of the paper), on all small histories.
 *
 * A history violates a rule if some projection of it has that rule as its last one and is not
 * linearizable to what the rule matches. Where no order of a projection's events is derived, the
 * paper lets its last rule be any; here it is the greatest rule among those of its values: of a
 * value the rule that adds just these events, else the first one with all these methods. For a
 * queue that is Example 6.
 *
 * Automata of a rule must accept just what violates it, of the histories that violate no earlier
 * rule. (What does may confuse them: of colour 1, say, one value is added only and another one
 * taken only, which is the rule's for what is taken; or a value is taken twice. Of values that have
 * one colour no automaton can know.) So the automata of all rules together accept just what
 * violates one, which by Lemma 6 is what is not linearizable. */
#ifndef RULES_BY_RULE_H
#define RULES_BY_RULE_H

#include "rules/check.h"
#include "rules/make_automata.h"
#include "rules/rule_properties.h"
#include "rules/shipped.h"

/* More methods make too many histories. */
#define BY_RULE_MOST_METHODS 6

struct compared_rule {
    struct made_automata automata;
    bool own;              /* they are not made, but given */
    uint64_t violations;   /* histories that violate the rule */
    uint64_t first;        /* and no earlier one */
    uint64_t accepted;     /* of all violations, those that one of its automata accepts */
    uint64_t missed;       /* of the first, those that none does */
    uint64_t false_alarms; /* accepted, and no violation of the rule or of an earlier one */
    struct rules_history difference; /* one of the smallest, a false alarm if there is one */
    bool is_false_alarm;
    uint32_t culprit; /* of that: which automaton */
};

struct by_rule_finding {
    const char *not_asked; /* why nothing was compared; null: it was */
    struct rule_object object;
    unsigned size; /* all histories of so many operations were compared */
    enum limit limit;
    uint64_t histories;
    struct compared_rule rules[RULE_MOST_RULES];
};

/* The methods of a set as those of an object, in their order; the arena's. Values are processes
 * where an input has none. False when refused. */
bool rule_set_object(const struct rule_set *set, struct arena *arena,
                     struct rule_object *object) MUST_CHECK;

/* Makes the automata of each rule, unless some of `own` belong to it, and compares them. MADE_MOST
 * of `own` are of one rule, at most, and all have the methods of the set. The finding's arrays are
 * the arena's; it does not depend on the number of threads. STATUS_LIMIT: there was no memory to
 * begin with. */
enum status rules_check_by_rule(const struct rule_set *set, const struct violation_automata *own,
                                unsigned bound, unsigned threads, struct limits *limits,
                                struct arena *arena, struct by_rule_finding *finding,
                                struct error *error) MUST_CHECK;

#endif
