/* The answer for one test that was run with real threads. */
#ifndef REPORT_STRESSED_H
#define REPORT_STRESSED_H

#include "report/report.h"
#include "report/result.h"

/* What was asked, for the answer to say. */
struct stressed {
    const lp_stress_result *found;
    const struct report *report; /* of the round with a violation; null: there is none */
    const char *kept;            /* where the history of that round is written; null: nowhere */
    const char *again;           /* the command that runs it again; null: nothing was found */
    unsigned threads;
    uint64_t seed;
};

void stressed_fill(struct result *result, const struct stressed *stressed);

#endif
