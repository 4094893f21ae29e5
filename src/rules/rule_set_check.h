/* What the theory asks of inductive rules, tested on all short executions and small histories
 * (Bouajjani, Emmi, Enea, Hamza, "On Reducing Linearizability to State Reachability", ICALP 2015,
 * sections 3 and 4.1); and whether they derive what a specification allows.
 *
 * Executions are words over the events of groups that the rules make, each value given to an input
 * method at most once; histories are interval orders of such events. Each property is tested for
 * one size after the other, until it is violated; sizes count events. What is derived, what matches
 * and what is a last step is found by definition (rule_tables.h). */
#ifndef RULES_RULE_SET_CHECK_H
#define RULES_RULE_SET_CHECK_H

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

enum rule_verdict {
    RULE_HOLDS,
    RULE_VIOLATED,
    RULE_OPEN,      /* a limit came first */
    RULE_NOT_ASKED, /* there is no specification, or values must not come twice; or it takes a last
                       rule that there is not */
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

struct rule_property_finding {
    enum rule_verdict verdict;
    unsigned size; /* at which it is violated */
    struct rule_example example;
};

/* Executions and histories of one size. */
struct rule_set_size {
    uint64_t words, derived;
    uint64_t histories, linearizable;
};

struct rule_set_request {
    const struct rule_set *set;
    const struct spec *spec; /* to compare with; null: none */
    unsigned bound;          /* events, at most RULE_MOST_EVENTS */
    unsigned threads;
};

struct rule_set_finding {
    unsigned size;    /* up to which everything was looked at */
    enum limit limit; /* why it is not the bound */
    struct rule_set_size by_size[RULE_MOST_EVENTS + 1];
    struct rule_property_finding properties[RULE_PROPERTIES];
};

/* STATUS_INPUT: a fault of the specification; STATUS_LIMIT: there was no memory to begin with. The
 * finding does not depend on the number of threads. */
enum status rule_set_check(const struct rule_set_request *request, struct limits *limits,
                           struct rule_set_finding *finding, struct error *error) MUST_CHECK;

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
