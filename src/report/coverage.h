/* The answer for one Petri net, as a tree that every output format is made from: text for people,
 * JSON, JUnit, traces. */
#ifndef REPORT_COVERAGE_H
#define REPORT_COVERAGE_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "report/text.h"

struct coverage_report {
    const char *input;         /* as the user named it */
    const char *reason;        /* never null */
    const lp_coverage *result; /* null: a limit was reached before there was one */
    lp_limit limit;            /* where there is no result */
};

/* LP_COVER_UNKNOWN where there is no result. */
lp_cover_verdict coverage_verdict(const struct coverage_report *report);

/* Appends the whole text; with style->quiet the verdict's line only. style->replay: see text.h. */
void coverage_text(const struct coverage_report *report, const struct report_style *style,
                   struct text *text);

/* Writes the object's fields into an object that is open in `json`. */
void coverage_json_fields(const struct coverage_report *report, yajl_gen json);

/* Appends the test case; `story` is its text for people. */
void coverage_junit(const struct coverage_report *report, const char *story, struct text *text);

/* Writes the trace of a run; `hash` is the net's. */
void coverage_trace(const struct coverage_report *report, uint64_t hash, FILE *out);

#endif
