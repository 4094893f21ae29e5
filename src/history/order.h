/* The order of a history's events by the times that were recorded with them. */
#ifndef HISTORY_ORDER_H
#define HISTORY_ORDER_H

#include "base/text.h"
#include "history/history.h"

/* The history's operations with positions by time, in the order of their invocations, all else as
 * it is: an array of its own, charged to the history's budget, for order_release. Of equal times
 * calls come before returns (intervals are closed), and the events of one process stay in their
 * order. STATUS_INPUT, naming the line, where both cannot hold, a process's times run backwards, or
 * an event has no time; STATUS_LIMIT. */
enum status order_by_time(const struct history *history, struct operation **operations,
                          struct error *error) MUST_CHECK;
void order_release(const struct history *history, struct operation *operations);

/* Makes it the history's order, annotations included, where `order` asks for that. STATUS_INPUT as
 * order_by_time; also for ORDER_FILE where the file has no order but that of its times. */
enum status order_apply(struct history *history, enum history_order order,
                        struct error *error) MUST_CHECK;

/* Appends "`time` is no integer of at most 64 bits: 1.5 in line 7" of a history with such times. */
void order_print_unread(const struct history *history, struct text *text);

/* Appends "10 in line 7, after 20 in line 5" of a history whose times run backwards. */
void order_print_reversal(const struct history *history, struct text *text);

#endif
