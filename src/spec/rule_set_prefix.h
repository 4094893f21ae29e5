/* Whether the prefixes of short words of a rule set are in it. */
#ifndef SPEC_RULE_SET_PREFIX_H
#define SPEC_RULE_SET_PREFIX_H

#include "base/status.h"
#include "spec/rule_set.h"

/* STATUS_INPUT for a word of at most four events that is in the set while one of its prefixes is
 * not; STATUS_LIMIT. */
enum status rule_set_check_prefixes(const struct rule_set *set, struct budget *budget,
                                    struct error *error) MUST_CHECK;

#endif
