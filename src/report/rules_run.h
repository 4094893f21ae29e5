/* What running violation automata on a recorded history gave: text for people, JSON. */
#ifndef REPORT_RULES_RUN_H
#define REPORT_RULES_RUN_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

struct rules_run_report {
    const char *input; /* the history, as the user would name it */
    const lp_history *history;
    const lp_rules *rules;
    const lp_rules_run *run;
};

void rules_run_text(const struct rules_run_report *report, const struct report_style *style,
                    struct text *text);

/* Writes the object's fields into an object that is open in `json`. */
void rules_run_json_fields(const struct rules_run_report *report, yajl_gen json);

#endif
