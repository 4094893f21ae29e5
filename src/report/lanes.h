/* An execution of real code, drawn with a column for each thread. */
#ifndef REPORT_LANES_H
#define REPORT_LANES_H

#include <linchpin/program.h>

#include "report/result.h"

/* Adds the lines that show the trace of an answer. */
void lanes_add(struct node *root, const lp_tested *found);

#endif
