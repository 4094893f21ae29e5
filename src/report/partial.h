/* How far the search got: the longest legal orders, and what could not follow them. */
#ifndef REPORT_PARTIAL_H
#define REPORT_PARTIAL_H

#include "base/terminal.h"
#include "report/report.h"

/* Appends the longest partial linearizations of a violation as a table. */
void partial_table(const lp_history *history, const struct report_violation *violation,
                   const struct terminal *terminal, struct text *text);

#endif
