/* Tests what the theory asks of inductive rules, on all short executions and small histories
 * (Bouajjani, Emmi, Enea, Hamza, "On Reducing Linearizability to State Reachability", ICALP 2015,
 * sections 3 and 4.1); and whether the rules derive what a specification allows.
 *
 * Executions are words over the events of groups that the rules make, each value given to an input
 * method at most once; histories are interval orders of such events. Each property is tested for
 * one size after the other, until it is violated; sizes count events. What is derived, what matches
 * and what is a last step is found by definition (rule_tables.h). */
#ifndef RULES_RULE_SET_CHECK_H
#define RULES_RULE_SET_CHECK_H

#include "rules/rule_properties.h"

enum rule_verdict {
    RULE_HOLDS,
    RULE_VIOLATED,
    RULE_OPEN,      /* a limit came first */
    RULE_NOT_ASKED, /* there is no specification, or values must not come twice; or it takes a last
                       rule that there is not */
};

struct rule_property_finding {
    enum rule_verdict verdict;
    unsigned size; /* at which it is violated */
    struct rule_example example;
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

#endif
