/* The violations of a history for people: each with its story; and what all texts share. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "base/terminal.h"
#include "report/report.h"

struct report_style {
    struct terminal terminal;
    bool quiet; /* the verdict's line only */
};

/* Appends the timeline of a violation's operations. */
void report_text_timeline(const lp_history *history, const struct report_violation *violation,
                          const struct terminal *terminal, struct text *text);

/* Appends the operations in words, with where they stand in the input, and their times. */
void report_text_operations(const lp_history *history, const struct report_violation *violation,
                            const struct terminal *terminal, struct text *text);

/* Parts that all results share: a sentence in lines indented by 2, "0.010 s", "1,000 states", a
 * number as a cell of a table, and the commands that step through a violation, one on each line of
 * `commands`. */
void report_text_reason(const char *reason, const struct terminal *terminal, struct text *text);
/* A file's name from the working folder on, where the file lies below it; else the whole. Servers
 * compare names as texts: without `./` before it. */
const char *report_file_below(const char *file);
void report_text_seconds(double seconds, struct text *text);
void report_text_count(uint64_t number, const char *one, const char *several, struct text *text);
void report_text_commands(const char *commands, const struct terminal *terminal, struct text *text);

#endif
