/* JUnit XML, as continuous integration systems read it: one suite, a test case for each history. A
 * violation is a failure, what was not decided an error. */
#ifndef REPORT_JUNIT_H
#define REPORT_JUNIT_H

#include <stdio.h>

#include <linchpin/base.h>

#include "base/text.h"

/* Appends the test case of an input that could not be read or decided: its first error, and the
 * `story` of all. */
void junit_append_error(const char *input, const lp_error *error, const char *story,
                        struct text *text);

struct junit_totals {
    size_t tests, failures, errors;
    double seconds;
};

/* Writes the whole file around the test cases. */
void junit_write(const struct junit_totals *totals, const char *cases, FILE *out);

#endif
