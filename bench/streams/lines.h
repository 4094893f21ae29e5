/* The objects of bench-streams, and events of theirs as lines of JSON. */
#ifndef STREAMS_LINES_H
#define STREAMS_LINES_H

#include <stddef.h>

#include "support/endless.h"

#define LINE_MOST 160 /* bytes */

enum used_as {
    USED_AS_CONTAINER,
    USED_AS_REGISTER,
    USED_AS_CAS,     /* a register with cas */
    USED_AS_MAP,     /* operations name a key */
    USED_AS_LOCK,    /* what adds takes it, nothing has a value */
    USED_AS_COUNTER, /* of which 0 is a value, too */
    USED_AS_SET,     /* the key is an element; where a put is odd, it is added, else removed */
};

/* An object as it is used. */
struct used {
    const char *name, *spec, *add_name, *remove_name; /* spec: null: as the name */
    enum endless_order order;
    uint16_t add, remove; /* operations */
    enum used_as as;
};

/* What the operation is called. */
const char *used_name(const struct used *used, const struct endless_event *event);

/* What an operation on a set answers: whether the element was there, or was not where it is added.
 */
bool used_answer(const struct endless_event *event);

/* Writes a line of at most LINE_MOST bytes; its length. `time`: 0: it has none. */
size_t line_write(const struct used *used, const struct endless_event *event, uint64_t time,
                  char *text);

#endif
