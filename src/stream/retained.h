/* Objects of which the search would keep too many configurations. One order of the operations is
 * found far sooner than all that orders lead to: so all operations since a snapshot are kept, and
 * decided together as check decides a history, again and again as they become more. */
#ifndef STREAM_RETAINED_H
#define STREAM_RETAINED_H

#include "stream/state.h"

/* The search or a monitor leaves an object, which has taken its events in front of that of `until`;
 * those in front of that of `decided` are possible. False when refused, or there is no snapshot
 * that says how the object goes on; then it is as it was. */
bool retained_begin(struct stream *stream, uint32_t object, uint64_t decided,
                    uint64_t until) MUST_CHECK;

/* An event of the object has come. */
static inline void retained_note(struct followed *followed)
{
    followed->retained->events++;
}

/* Whether all that is kept of an object behind its older snapshot, or the later one, is all that
 * has happened to it since: then a monitor can be left at any time. The older one is given back if
 * it is not the one. */
bool retained_is_whole(const struct stream *stream, struct followed *followed);

/* Decides all that has come up to `last`, an ordinal, if `all`, or if it is worth it. IMPOSSIBLE: a
 * violation, since some event from followed->looked on. POSSIBLE_REFUSED: nothing more will be
 * known. */
enum status retained_decide(struct stream *stream, uint32_t object, uint64_t last, bool all,
                            enum possible *possible, struct error *error) MUST_CHECK;

/* Gives an object back to the search once there are many events, which are all decided then, if it
 * can go on from there. No event waits for others. */
void retained_return(struct stream *stream, uint32_t object);

/* Whether an operation is of a retained object, of which it has a part behind the snapshot. */
bool retained_keeps(const struct stream *stream, const struct tracked *tracked);

#endif
