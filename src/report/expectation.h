/* What `// expect: TEXT` behind an assertion says of its verdict. */
#ifndef REPORT_EXPECTATION_H
#define REPORT_EXPECTATION_H

#include <linchpin/linchpin.h>

/* The fairness of that name; `weak` and `strong` are those of processes. False: there is none. */
bool fairness_find(const char *name, size_t length, lp_fairness *fairness);

/* The verdict that TEXT (null: there is none) expects: `VERDICT` and, each behind a semicolon,
 * `FAIRNESS: VERDICT`. Of a fairness that is not there the first counts; without TEXT the assertion
 * is to hold. False, with the error's message, if TEXT is something else. */
bool expectation_read(const char *text, lp_fairness fairness, lp_answer *expected, lp_error *error);

#endif
