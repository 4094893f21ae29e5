/* What the writers of event formats share. */
#ifndef HISTORY_WRITING_H
#define HISTORY_WRITING_H

#include <stdio.h>

#include "base/text.h"
#include "history/history.h"

/* The event at one position of a history. */
struct written_event {
    uint32_t operation; /* place in history->operations */
    bool response;
};

/* The history's events in their order, one for each position; null and STATUS_LIMIT when refused.
 */
enum status writing_order(const struct history *history, struct written_event **events,
                          struct error *error) MUST_CHECK;
void writing_order_release(const struct history *history, struct written_event *events);

struct event_writing;

/* Appends one event to `text`. Null, or what of it the format cannot say ("a real number"). */
typedef const char *event_sayer(const struct event_writing *writing, const struct history *history,
                                const struct written_event *event, struct text *text);

/* How a format writes events: `before`, the events with `between` between them, `after`. */
struct event_writing {
    const char *format; /* its name, for messages */
    const char *before, *between, *after;
    event_sayer *say;
    const void *context; /* for `say` */
};

/* Writes the events in their order. STATUS_INPUT, naming the operation, with nothing written, when
 * one cannot be said; STATUS_LIMIT. Write errors are left to ferror(out). */
enum status writing_events(const struct history *history, const struct event_writing *writing,
                           FILE *out, struct error *error) MUST_CHECK;

/* For formats with one kind of text, in which keywords and symbols become strings: STATUS_INPUT if
 * that makes values of the history equal that were not, or an appended keyword a string, which is
 * joined to another; STATUS_LIMIT. */
enum status writing_texts(const struct history *history, const char *format,
                          struct error *error) MUST_CHECK;

/* The message for an operation that `format` cannot say because of `what`; STATUS_INPUT. */
enum status writing_impossible(const struct history *history, uint32_t operation,
                               const char *format, const char *what, struct error *error);

#endif
