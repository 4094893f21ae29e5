/* What running violation automata on a recorded history gave. */
#ifndef REPORT_RULES_RUN_H
#define REPORT_RULES_RUN_H

#include "report/result.h"

struct rules_run_report {
    const lp_history *history;
    const lp_rules *rules;
    const lp_rules_run *run;
};

/* Fills the result, which points to the report then. */
void rules_run_fill(struct result *result, const struct rules_run_report *report);

#endif
