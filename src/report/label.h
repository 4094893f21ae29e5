/* One operation in a few words. */
#ifndef REPORT_LABEL_H
#define REPORT_LABEL_H

#include "base/terminal.h"
#include "report/report.h"

/* Appends "enqueue 7", "dequeue → 7", "dequeue → ?" (pending), "cas [0 1] failed". With a `key`
 * (null: none) the key itself is left out of the argument, and of a result that was recorded with
 * it: all of the drawing is about it.
 */
void label_operation(const struct report_operation *operation, const lp_value *key,
                     const struct terminal *terminal, struct text *text);

/* Appends "process 3". */
void label_process(lp_value process, const struct terminal *terminal, struct text *text);

/* Appends where the operation with this index stands in the file: "line 3", or, `whole`, "lines 3
 * and 8" with its completion; of a file that has all its operations in one line "operation 2", its
 * index; nothing of what was not read from a file. */
void label_place(const lp_history *history, uint32_t index, bool whole, struct text *text);

/* The same of one event, its call, or with `returns` its return: "line 8", or "operation 2". */
void label_event_place(const lp_history *history, uint32_t index, bool returns, struct text *text);

/* Appends "time 120 to 250", as recorded, "time 120" of what never returned; nothing without times.
 */
void label_times(const lp_operation *operation, struct text *text);

/* Appends a value as EDN, fit to show. */
void label_value(lp_value value, const struct terminal *terminal, struct text *text);

#endif
