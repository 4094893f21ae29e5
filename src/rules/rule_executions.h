/* Tests the properties of inductive rules that are about executions: words over the events of a
 * labelling. */
#ifndef RULES_RULE_EXECUTIONS_H
#define RULES_RULE_EXECUTIONS_H

#include "rules/rule_properties.h"

/* Looks at all executions of a labelling, whose tables have been made. */
void rule_inspect_words(struct rule_inspection *inspection);

#endif
