/* Histories that violation automata and inductive rules are compared on. */
#ifndef REPORT_RULE_HISTORY_H
#define REPORT_RULE_HISTORY_H

#include <linchpin/linchpin.h>
#include <yajl/yajl_gen.h>

#include "base/terminal.h"

/* Appends "Enq a", "DeqEmpty". */
void rule_operation_append(const lp_rule_operation *operation, struct text *text);

/* Appends a drawing, each operation by a thread of its own: nothing else about threads is known. */
void rule_history_draw(const lp_rule_history *history, const struct terminal *terminal,
                       struct text *text);

/* Writes the operations as the array `key`. */
void rule_history_json(yajl_gen json, const char *key, const lp_rule_history *history);

#endif
