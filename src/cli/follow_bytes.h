/* Where the lines of a log begin, so that they can be read again: marks that are set while it is
 * read, and the log itself from the mark in front of a line. */
#ifndef CLI_FOLLOW_BYTES_H
#define CLI_FOLLOW_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/faults.h"

#define FOLLOW_MARKS SIZE_OR_SMALL(4096, 4) /* even */

struct follow_mark {
    uint64_t line, byte; /* that line, from 1, begins there */
};

struct follow_bytes {
    const char *path;                       /* null: it cannot be read again */
    struct follow_mark marks[FOLLOW_MARKS]; /* ascending, not the first line's */
    size_t count;
};

/* The line begins there, behind all lines that were marked before. */
void follow_bytes_mark(struct follow_bytes *bytes, uint64_t line, uint64_t byte);

/* Where the line begins; false where the log does not say, or only after a long time. */
bool follow_bytes_find(const struct follow_bytes *bytes, uint64_t line, uint64_t *byte);

#endif
