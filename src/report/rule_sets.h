/* What testing inductive rules gave. */
#ifndef REPORT_RULE_SETS_H
#define REPORT_RULE_SETS_H

#include "report/result.h"

struct rule_set_report {
    lp_rule_set set;
    const lp_rule_set_result *result; /* null: a limit was reached before there was one */
};

/* Fills the result, which points to the report then. */
void rule_set_fill(struct result *result, const struct rule_set_report *report);

#endif
