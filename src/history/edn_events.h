/* Events written in EDN: {:process 0, :type :invoke, :f :write, :value 3}. */
#ifndef HISTORY_EDN_EVENTS_H
#define HISTORY_EDN_EVENTS_H

#include "history/jepsen.h"
#include "history/scan.h"
#include "value/edn.h"

/* Reads the event at the cursor (no white space before it). STATUS_INPUT; cursor->ended tells
 * whether that was because the text ended within the event. */
enum status edn_event(struct edn_cursor *cursor, struct event *event) MUST_CHECK;

/* The same for a line that holds one event, in its plainest form, and nothing else (white space at
 * its end left out): false for whatever is not so plain. Where it is true, edn_event reads the
 * same. The line is as format->parse of lines.h is given it. */
bool edn_scan_line(struct scan_names *names, struct value_pool *pool, const char *line,
                   size_t length, uint32_t number, struct event *event);

/* A plain value (an integer, nil, a keyword, a string, a vector of those): the place behind it, or
 * null. */
const char *edn_scan_value(struct scan_names *names, struct value_pool *pool, const char *at,
                           value *result);

/* Appends a text as a keyword; false, and nothing appended, if there is no such keyword. */
bool edn_print_name(value name, struct text *text);

#endif
