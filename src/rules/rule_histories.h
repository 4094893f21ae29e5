/* Tests the properties of inductive rules that are about histories: interval orders of the events
 * of a labelling. */
#ifndef RULES_RULE_HISTORIES_H
#define RULES_RULE_HISTORIES_H

#include "rules/rule_properties.h"

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

/* Looks at all histories of a labelling, whose tables have been made. */
void rule_inspect_histories(struct rule_inspection *inspection);

#endif
