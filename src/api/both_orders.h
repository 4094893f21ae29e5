/* Decides a history whose times run backwards in both orders, that of the file and that of its
 * times, where nobody said which one is meant. */
#ifndef API_BOTH_ORDERS_H
#define API_BOTH_ORDERS_H

#include "decide/check.h"

/* Decides it in the order of its times as well; `check` is its answer in that of the file. Appends
 * to `said` what the user should know: where the times run backwards, and what they would change.
 * STATUS_INPUT if it is a violation in the order of the file, and in that of the times it is none,
 * or there is no such order: it cannot be told then which is meant. A violation becomes unknown
 * where a limit was reached first. */
enum status both_orders_check(const struct history *history, const struct check_options *options,
                              struct limits *limits, struct check *check, struct text *said,
                              struct error *error) MUST_CHECK;

#endif
