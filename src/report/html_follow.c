/* What a page draws of a history besides its operations: parts, and the object along orders. */
#include <stdlib.h>

#include "base/memory.h"
#include "report/html_history.h"

#define MOST_STATES 1000 /* along an order, the last ones */

/* The object along an order; where a limit leaves no time for that, nothing of it. */
static void follow_order(lp_bound *bound, struct html_order *order)
{
    size_t legal;
    lp_error error;
    order->first = order->length > MOST_STATES ? order->length - MOST_STATES : 0;
    order->state_count = order->length - order->first;
    order->states = memory_small(order->state_count * sizeof *order->states);
    for (size_t i = 0; i < order->state_count; i++)
        order->states[i] = NULL;
    (void)lp_bound_states(bound, order->order, order->length, order->first, order->states, &legal,
                          &error);
}

/* The linearization, or the orders of the violations that went furthest. */
static void collect_orders(const lp_result *result, struct html_history *history)
{
    size_t count = result->verdict == LP_LINEARIZABLE && result->linearization_length;
    for (size_t i = 0; i < result->violation_count; i++)
        count += result->violations[i].partial_count;
    history->orders = memory_small(count * sizeof *history->orders);
    if (result->verdict == LP_LINEARIZABLE && count)
        history->orders[history->order_count++] = (struct html_order){
            .order = result->linearization, .length = result->linearization_length};
    for (size_t i = 0; i < result->violation_count; i++)
        for (size_t k = 0; k < result->violations[i].partial_count; k++) {
            const lp_partial *partial = &result->violations[i].partials[k];
            history->orders[history->order_count++] =
                (struct html_order){.order = partial->order, .length = partial->order_length};
        }
}

void html_history_follow(struct html_history *drawn, lp_context *context,
                         const lp_binding *bindings, size_t binding_count,
                         const lp_check_options *options)
{
    lp_bound *bound;
    lp_error error;
    collect_orders(drawn->result, drawn);
    if (lp_bound_create(context, drawn->history, bindings, binding_count, options, &bound,
                        &error) != LP_OK)
        return;
    drawn->part_of = memory_small(lp_history_length(drawn->history) * sizeof *drawn->part_of);
    lp_bound_parts(bound, &drawn->parts, &drawn->part_count, drawn->part_of);
    bool one = drawn->part_count == 1 || drawn->result->violation_count;
    for (size_t i = 0; one && i < drawn->order_count; i++)
        follow_order(bound, &drawn->orders[i]);
    lp_bound_destroy(bound);
}
