/* The answer to one assertion of a model, as a tree that every output format is made from: text for
 * people (verification_text.c), JSON, JUnit. */
#ifndef REPORT_VERIFICATION_H
#define REPORT_VERIFICATION_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

struct verification_report {
    const char *input;             /* as the user named it */
    lp_assertion assertion;        /* without text: of a model that was not read */
    const char *reason;            /* null: there is none */
    const lp_verification *result; /* null: a limit was reached before there was one */
    lp_limit limit;                /* where there is no result */
};

/* LP_UNDECIDED where there is no result. */
lp_answer verification_answer(const struct verification_report *report);

/* "holds", "violated", "unknown" */
const char *verification_verdict(lp_answer answer);

/* Appends the whole text; with style->quiet the verdict's line only. style->replay: see text.h. */
void verification_text(const struct verification_report *report, const struct report_style *style,
                       struct text *text);

/* Writes the object's fields into an object that is open in `json`. */
void verification_json_fields(const struct verification_report *report, yajl_gen json);

/* Appends the test case; `story` is its text for people. */
void verification_junit(const struct verification_report *report, const char *story,
                        struct text *text);

#endif
