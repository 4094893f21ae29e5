/* The history of a round of real threads, as the recorder writes it (linchpin/record.h: JSON, a
 * line for each event), changed line by line into another one that is decided instead. */
#ifndef SCENARIO_ROUND_TEXT_H
#define SCENARIO_ROUND_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Appends the history with those operations open, that may have happened or not, that are said not
 * to have happened; false if there are none. Processes are as asked_alone_begin has them. */
bool round_with_failures_open(const char *history, size_t length, unsigned threads,
                              struct text *text);

/* Where an operation has not returned: appends the history with the `number`th of them, from 0 on,
 * at its end instead, as one that returns and is called PREFIX and its name; `name` gets its name,
 * and *process who called it. False if there are not so many. */
bool round_with_waiting_last(const char *history, size_t length, unsigned number,
                             const char *prefix, struct text *text, struct text *name,
                             unsigned *process);

/* Appends the history with all operations that have not returned at its end instead, in the same
 * way. */
void round_with_all_waiting_last(const char *history, size_t length, const char *prefix,
                                 struct text *text);

#endif
