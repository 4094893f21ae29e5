/* What testing inductive rules gave: text for people, JSON. */
#ifndef REPORT_RULE_SETS_H
#define REPORT_RULE_SETS_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

struct rule_set_report {
    const char *input; /* the file, as the user named it */
    lp_rule_set set;
    const lp_rule_set_result *result; /* null: a limit was reached before there was one */
    lp_limit limit;                   /* where there is no result */
    const char *reason;               /* never null */
};

/* LP_UNDECIDED where there is no result. */
lp_answer rule_set_verdict(const struct rule_set_report *report);

/* Appends the whole text; with style->quiet the verdict's line only. */
void rule_set_text(const struct rule_set_report *report, const struct report_style *style,
                   struct text *text);

/* Writes the object's fields into an object that is open in `json`. */
void rule_set_json_fields(const struct rule_set_report *report, yajl_gen json);

#endif
