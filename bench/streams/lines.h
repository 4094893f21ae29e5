/* The objects of bench-streams, and events of theirs as lines of JSON. */
#ifndef STREAMS_LINES_H
#define STREAMS_LINES_H

#include <stddef.h>

#include "support/endless.h"

#define LINE_MOST 160 /* bytes */

/* An object as it is used. */
struct used {
    const char *name, *add_name, *remove_name;
    enum endless_order order;
    uint16_t add, remove; /* operations */
    bool keyed, set;      /* set: where a put is odd, an element is added, else removed */
};

/* What the operation is called. */
const char *used_name(const struct used *used, const struct endless_event *event);

/* What an operation on a set answers: whether the element was there, or was not where it is added.
 */
bool used_answer(const struct endless_event *event);

/* Writes a line of at most LINE_MOST bytes; its length. */
size_t line_write(const struct used *used, const struct endless_event *event, char *text);

#endif
