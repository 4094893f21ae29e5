/* How many operations there are, at least, behind which something is cleared (clear.h). */
#ifndef STREAM_CLEAR_LEAST_H
#define STREAM_CLEAR_LEAST_H

#include "base/faults.h"
#include "stream/state.h"

#define CLEAR_LEAST SIZE_OR_SMALL(16, 1)    /* operations, from which it is worth clearing, */
#define CLEAR_MOST  SIZE_OR_SMALL(4096, 64) /* and always is */
#define CLEAR_PARTS 4                       /* as many as an epoch has, so often */

/* Of as many objects hardly one has two events in between. */
static inline uint64_t clear_least(const struct stream *stream)
{
    if (!stream->options.keep_bytes &&
        stream->options.keep < (CLEAR_MOST - CLEAR_LEAST) / CLEAR_PARTS)
        return CLEAR_LEAST + CLEAR_PARTS * stream->options.keep;
    return CLEAR_MOST;
}

#endif
