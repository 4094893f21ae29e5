/* Deciding an object's events of a batch by search. Objects do not touch each other, so they may be
 * decided on several threads; what follows from their answers is done in their order, and is the
 * same as on one. */
#ifndef STREAM_BATCH_H
#define STREAM_BATCH_H

#include "stream/state.h"

/* The number of the operation of that serial number in the object; UINT32_MAX: it is not there. */
uint32_t batch_number(const struct stream_object *object, uint64_t serial);

/* Whether the object has been touched in this epoch. */
static inline bool batch_has_snapshot(const struct stream *stream, const struct followed *followed)
{
    return followed->then[1] && followed->epoch == (uint32_t)stream->epoch;
}

/* Copies the object where it is touched for the first time in an epoch. False when refused. */
bool batch_take_snapshot(const struct stream *stream, struct followed *followed,
                         uint64_t ordinal) MUST_CHECK;

/* Decides events of an object, from that place on in front of `end`, each of which says which is
 * next (NONE: none). POSSIBLE_CROWDED: there are too many configurations. */
enum possible batch_decide_events(const struct stream *stream,
                                  struct configurations *configurations,
                                  const struct stream_event *events, uint32_t first, uint32_t end,
                                  bool wide, struct stream_object *object) MUST_CHECK;

/* Decides an object's events for good up to the first that waits for its operation, which then is
 * the first; those behind on a copy, if `all`. */
struct decided batch_decide(struct stream *stream, uint32_t object, bool all);

/* The same for all that are touched, on several threads: stream->decided, by their places in
 * stream->touched. False: nothing was done, it is not worth it. */
bool batch_spread(struct stream *stream, bool all);

#endif
