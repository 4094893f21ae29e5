/* Operations in the form in which Python's `marshal` writes a list of tuples: the quickest way from
 * Python's objects to bytes that Python has, and the same in every version since 2.5 when it is
 * asked for version 2 of its format. What is read is what such lists mostly hold; all else is left
 * to who can say what is wrong with it. */
#ifndef HISTORY_MARSHAL_H
#define HISTORY_MARSHAL_H

#include "history/history.h"

struct marshal {
    struct value_pool *pool;
    const uint8_t *at, *end;
    size_t rows;    /* still to come */
    value names[4]; /* the last names of operations; nil: none yet */
    unsigned next_name;
};

/* Begins with a list; false: the bytes are none. */
bool marshal_open(struct marshal *marshal, struct value_pool *pool, const void *bytes,
                  size_t length);

/* Reads one row: (process, function, argument, result, called, returned), with `width` 7 the
 * outcome behind that. Lines are left alone. False: it is not of that form, or holds what is not
 * read here (floats as times, integers of more than 64 bits, maps, bytes, a missing process, ...),
 * or memory was refused. */
bool marshal_row(struct marshal *marshal, size_t width, struct timed_operation *operation);

/* Whether all has been read. */
bool marshal_is_at_end(const struct marshal *marshal);

#endif
