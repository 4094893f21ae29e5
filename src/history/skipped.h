/* Events of processes that are no clients, which formats of Jepsen's skip: the nemesis. */
#ifndef HISTORY_SKIPPED_H
#define HISTORY_SKIPPED_H

#include "history/part.h"

/* STATUS_INPUT, with the line, if one of them invokes an operation of a specification that decides
 * the history: that is no nemesis, and without it the history would be another one. `inferred`:
 * nobody named the specifications, so that any built-in one counts. */
enum status skipped_check(const struct history *history, const struct bind_options *options,
                          bool inferred, struct error *error) MUST_CHECK;

#endif
