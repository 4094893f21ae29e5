/* Tests the properties of inductive rules on one labelling. Those of executions (words over its
 * events) are in rule_executions.c, those of histories (interval orders of them) in
 * rule_histories.c; here is what is asked, and what has been found. */
#ifndef RULES_RULE_PROPERTIES_H
#define RULES_RULE_PROPERTIES_H

#include <string.h>

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
static inline void rule_inspection_count(struct rule_inspection *inspection)
{
    inspection->seen++;
    inspection->stopped |= limits_work(inspection->limits, &inspection->seen, STEPS_A_LOOK);
}

/* A new violation of a property by the labelling that is looked at; the rest is to be filled in. */
static inline struct rule_example *rule_violate(struct rule_inspection *inspection,
                                                enum rule_property property)
{
    struct rule_example *example = &inspection->tally.examples[property];
    *example = (struct rule_example){.labelling = inspection->tables.labelling};
    memcpy(example->ranks, inspection->tables.ranks, sizeof example->ranks);
    inspection->tally.violated[property] = true;
    inspection->tally.at[property] = inspection->number;
    return example;
}

/* rule_executions.c: looks at all executions of a labelling, whose tables have been made. */
void rule_inspect_words(struct rule_inspection *inspection);

/* rule_histories.c: the same for all histories. */
void rule_inspect_histories(struct rule_inspection *inspection);

/* What a history can be linearized to, of its part of some groups: words of the first `level`
 * rules, and of no fewer; words that some rule matches, by rule the witnesses. */
struct linearized {
    uint8_t level;
    uint8_t matches; /* one more than the first rule that it can; RULE_LEVEL_NONE */
    uint8_t witnesses[RULE_MOST_RULES];
};

/* rule_histories.c: by trying all orders. The word is of all groups of the tables. */
void rule_linearize(const struct rule_tables *tables, const struct word *word, unsigned groups,
                    struct linearized *linearized);

#endif
