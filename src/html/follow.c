/* What a page draws of a history besides its operations: parts, and the object along orders. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/history.h"

#define MOST_STATES    1000  /* along an order, the last ones */
#define MOST_SEARCHED  20000 /* operations of a history in which orders are looked for */
#define SEARCH_SECONDS 1.0

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
                (struct html_order){.order = partial->order,
                                    .length = partial->order_length,
                                    .stuck = partial->stuck,
                                    .stuck_count = partial->stuck_length};
        }
}

static bool is_same_part(const lp_violation *left, const lp_violation *right)
{
    bool same = !left->object || !right->object ? left->object == right->object
                                                : strcmp(left->object, right->object) == 0;
    return same && left->has_key == right->has_key && (!left->has_key || left->key == right->key);
}

/* A monitor that finds a violation knows no orders that went far: the search may, before long. */
static void search_orders(struct html_history *drawn, lp_context *context,
                          const lp_binding *bindings, size_t binding_count,
                          const lp_check_options *asked)
{
    const lp_result *known = drawn->result;
    if (known->verdict != LP_VIOLATION || known->violation_count != 1 ||
        known->violations[0].partial_count || lp_history_length(drawn->history) > MOST_SEARCHED)
        return;
    lp_check_options options = *asked;
    options.method = LP_METHOD_SEARCH;
    options.timeout = SEARCH_SECONDS;
    options.jobs = 1;
    options.progress = NULL;
    lp_error error;
    lp_result *searched;
    if (lp_check(context, drawn->history, bindings, binding_count, &options, &searched, &error) !=
        LP_OK)
        return;
    if (searched->violation_count == 1 &&
        is_same_part(&known->violations[0], &searched->violations[0]))
        drawn->searched = searched;
    else
        lp_result_destroy(searched);
}

void html_history_follow(struct html_history *drawn, lp_context *context,
                         const lp_binding *bindings, size_t binding_count,
                         const lp_check_options *options)
{
    lp_bound *bound;
    lp_error error;
    search_orders(drawn, context, bindings, binding_count, options);
    collect_orders(drawn->searched ? drawn->searched : drawn->result, drawn);
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
