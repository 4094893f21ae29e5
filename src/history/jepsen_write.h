/* Writing histories as Jepsen does: their events in order, annotations among them. */
#ifndef HISTORY_JEPSEN_WRITE_H
#define HISTORY_JEPSEN_WRITE_H

#include <stdio.h>

#include "base/text.h"
#include "history/history.h"

/* Appends a line for the event, its newline included. Null, or what of it the format cannot say. */
typedef const char *jepsen_sayer(const struct event *event, struct text *text);

/* Writes every event. Where clients may be `named`, an annotation is an `info`: what invokes is a
 * client; elsewhere a client's process is an integer. STATUS_INPUT, naming the operation, with
 * nothing written, when one cannot be said; STATUS_LIMIT. Write errors are left to ferror(out). */
enum status jepsen_write(const struct history *history, const char *format, jepsen_sayer *say,
                         bool named, FILE *out, struct error *error) MUST_CHECK;

/* "invoke", "ok", "fail", "info". */
const char *jepsen_type_name(unsigned type);

#endif
