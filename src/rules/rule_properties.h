/* The state of testing the properties of rules on one labelling: what is asked, and what has been
 * found. */
#ifndef RULES_RULE_PROPERTIES_H
#define RULES_RULE_PROPERTIES_H

#include "rules/rule_example.h"

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

/* What has been found among the labellings of one size: by property, the first violation, and the
 * number of the labelling that it is of. */
struct rule_tally {
    struct rule_set_size size;
    bool violated[RULE_PROPERTIES];
    size_t at[RULE_PROPERTIES];
    struct rule_example examples[RULE_PROPERTIES];
};

struct rule_inspection {
    const struct rule_set_request *request;
    const bool *decided; /* by property: those that need no more looking at */
    struct limits *limits;
    struct rule_subject subject; /* its `spec` is null where there is none */
    struct rule_tables tables;
    struct rule_tally tally;
    size_t number;      /* of the labelling */
    bool stopped;       /* by a limit */
    uint32_t seen;      /* words or histories, since the last look at the limits */
    enum status status; /* of the specification */
    struct error *error;
};

static inline bool rule_is_open(const struct rule_inspection *inspection,
                                enum rule_property property)
{
    return !inspection->decided[property] && !inspection->tally.violated[property];
}

/* Counts an execution or a history, and looks at the limits now and then. */
void rule_inspection_count(struct rule_inspection *inspection);

/* A new violation of a property by the labelling that is looked at; the rest is to be filled in. */
struct rule_example *rule_violate(struct rule_inspection *inspection, enum rule_property property);

#endif
