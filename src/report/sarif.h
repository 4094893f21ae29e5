/* SARIF 2.1.0 (OASIS standard): what analyses of sources found, for the tools that show it beside
 * them. Answers that are as they should be are not among the results; one that is not known is a
 * result of kind "open"; an input that could not be read is a notification. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include <stdio.h>

#include "report/result.h"

/* JSON objects with commas between them. */
struct sarif {
    struct text results, notifications;
};

/* Adds the answer of a command. Where it has an execution its steps are a code flow. */
void sarif_add_result(struct sarif *sarif, const char *command, const struct result *result);

/* Adds what is wrong with an input, in the file that it names, or else `operand`. */
void sarif_add_error(struct sarif *sarif, const lp_error *error, const char *operand);

/* Adds what stands in another. */
void sarif_add_all(struct sarif *sarif, const struct sarif *more);
void sarif_release(struct sarif *sarif);

void sarif_write(const struct sarif *sarif, FILE *out);

#endif
