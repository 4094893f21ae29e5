/* The answer for one test of real code. */
#ifndef REPORT_TESTED_H
#define REPORT_TESTED_H

#include "report/result.h"

/* What was asked. */
struct tested_request {
    const char *test, *spec; /* spec may be null */
    const char *memory_model, *compilers;
    const char *again; /* the command that runs the execution of a violation again */
    bool is_replay;    /* it was this command */
};

/* Fills the result of a test; null: a limit was reached before there was one. */
void tested_fill(struct result *result, const struct tested_request *request,
                 const lp_tested *found);

#endif
