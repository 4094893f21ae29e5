/* Annotations beside the source on GitHub: workflow commands, lines of which each shows one
 * (docs.github.com, "Workflow commands for GitHub Actions"). */
#ifndef REPORT_GITHUB_H
#define REPORT_GITHUB_H

#include "report/result.h"

/* Appends an error for an answer that is not as it should be, a warning for one that is not known,
 * and those that the answer comes with; nothing for another. */
void github_append_result(const struct result *result, struct text *text);

/* What is wrong with an input, in the file that it names, or else `operand`. */
void github_append_error(const lp_error *error, const char *operand, struct text *text);

#endif
