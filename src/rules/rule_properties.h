/* The properties of rule_set_check.h that are about the events of one labelling. */
#ifndef RULES_RULE_PROPERTIES_H
#define RULES_RULE_PROPERTIES_H

#include "rules/rule_set_check.h"

/* What a history can be linearized to, of its part of some groups: words of the first `level`
 * rules, and of no fewer; words that some rule matches, by rule the witnesses. */
struct linearized {
    uint8_t level;
    uint8_t matches; /* one more than the first rule that it can; RULE_LEVEL_NONE */
    uint8_t witnesses[RULE_MOST_RULES];
};

/* By trying all orders. The word is of all groups of the tables. */
void rule_linearize(const struct rule_tables *tables, const struct word *word, unsigned groups,
                    struct linearized *linearized);

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

/* The properties of executions, and those of histories. The tables have been made. */
void rule_inspect_words(struct rule_inspection *inspection);
void rule_inspect_histories(struct rule_inspection *inspection);

/* Looks at a labelling's executions and histories; with all orders of its values, if the set has
 * one. What is found goes to the tally. */
void rule_inspect(struct rule_inspection *inspection, const struct rule_labelling *labelling);

#endif
