/* An execution of a model as a table: a row for each step, a column for each process, beside it
 * what changed.
 *
 *     step     process 0    process 1    changes
 *        0                               x = 0, lock = 0
 *        1  •  enter.0                   lock = 1
 *        2               τ               x = 1
 *        3  ✗            leave.1
 *
 * • marks a visible event, ✗ the one that the specification cannot follow. */
#ifndef REPORT_EXECUTION_H
#define REPORT_EXECUTION_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "base/terminal.h"

/* Appends the table, each line indented by 4. `failing`: the last step is at fault. Of very long
 * executions the middle is left out, and that is said. */
void execution_table(const lp_execution *execution, bool failing, const struct terminal *terminal,
                     struct text *text);

/* The same table given piece by piece: its head, then each step with what belongs to it. `piece`
 * returns false to end it. */
void execution_pieces(const lp_execution *execution, bool failing, const struct terminal *terminal,
                      bool (*piece)(void *user, struct text *text), void *user);

/* Appends the visible events in order, wrapped, indented by 4. */
void execution_visible(const lp_execution *execution, const struct terminal *terminal,
                       struct text *text);

/* Appends "H = 1, HL = [1, 0]". */
void execution_variables(const lp_variable *variables, size_t count,
                         const struct terminal *terminal, struct text *text);

/* Writes a key and an object of the variables with their values, as texts. */
void json_add_variables(yajl_gen json, const char *key, const lp_variable *variables, size_t count);

/* Writes the fields `start`, `trace` and for a lasso `loop_start` into an object that is open. */
void execution_json_fields(const lp_execution *execution, yajl_gen json);

#endif
