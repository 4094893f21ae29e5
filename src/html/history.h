/* A whole history in columns, for the page: each is packed (packed.h), a value for each operation
 * in the order of their indices. docs/internals/reports.md lists them. */
#ifndef HTML_HISTORY_H
#define HTML_HISTORY_H

#include <yajl/yajl_gen.h>

#include "report/report.h"

/* The object along an order of operations, as far as is known. */
struct html_order {
    const uint32_t *order; /* indices of operations */
    size_t length;
    size_t first;  /* states[i] is that after order[first + i] */
    char **states; /* owned, as lp_order_states gives them; null: not known */
    size_t state_count;
    const uint32_t *stuck; /* what had to come next and could not, if it is no linearization */
    size_t stuck_count;
};

/* A history, to be drawn. */
struct html_history {
    const lp_history *history;
    const lp_result *result; /* of check; null: another command's */
    lp_part *parts;          /* owned; null: not known */
    size_t part_count;
    uint32_t *part_of;         /* owned */
    struct html_order *orders; /* owned: the linearization, or those that went furthest, of all
                                  violations, back to back */
    size_t order_count;
    lp_result *searched; /* owned: what the search says of a violation that a monitor has found,
                            which knows no orders; null: nothing */
};

/* Finds the parts of a history that was checked, and the states along the orders of its result;
 * where a limit leaves no time for that, some are not known. Bindings and options as of lp_check.
 */
void html_history_follow(struct html_history *drawn, lp_context *context,
                         const lp_binding *bindings, size_t binding_count,
                         const lp_check_options *options);
void html_history_release(struct html_history *history);

/* The field `history`. */
void html_history_json(const struct html_history *history, yajl_gen json);

#endif
