/* Operations that are kept, wherever they are: in the history, or on the shelf. */
#ifndef STREAM_KEPT_H
#define STREAM_KEPT_H

#include "stream/state.h"

/* One of them, until the stream or what it was found with changes. */
struct kept {
    const struct operation *operation;
    const struct tracked *tracked;
    value process;
    struct shelved *shelved; /* it is on the shelf: operation->process says nothing, unless callers
                                are told apart, and its arguments are for kept_unfold; else null */
};

/* The operation of that serial number; `room` is the caller's. False: it is not kept. */
bool kept_find(const struct stream *stream, uint64_t serial, struct shelved *room,
               struct kept *kept);

/* Makes the arguments of one values: of the operation, and of its calls. False when refused. */
bool kept_unfold(const struct stream *stream, const struct kept *kept) MUST_CHECK;

/* Goes through all by their serial numbers. */
struct kept_walk {
    const struct stream *stream;
    struct shelf_walk shelf;
    size_t next; /* of the history */
    bool waits;  /* what is the next on the shelf was read already */
    struct kept now;
};

struct kept_walk kept_walk(const struct stream *stream);

/* The next one, in walk->now; false: there is none any more. */
bool kept_next(struct kept_walk *walk);

/* What is known now of one. */
static inline enum stage kept_stage(const struct kept *kept)
{
    return stage_of(kept->operation, kept->tracked);
}

/* How many there are. */
static inline size_t kept_count(const struct stream *stream)
{
    return stream->tracked.length + stream->shelf.count;
}

#endif
