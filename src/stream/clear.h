/* Takes operations that are over, and that no story needs, out of the history, and puts those of
 * which little is to be learned any more on the shelf. */
#ifndef STREAM_CLEAR_H
#define STREAM_CLEAR_H

#include "stream/state.h"

#define KEEP_PARTS 3 /* of keep_bytes: two epochs, and what is to be cleared */

/* Such a part of the pending operations on the shelf, and a larger one of what is in containers:
 * there is less of that. */
uint64_t clear_part_of_shelf(const struct stream *stream, size_t parts);

/* Clears the history, if it has grown enough since. Places of operations change. */
void clear_history(struct stream *stream);

#endif
