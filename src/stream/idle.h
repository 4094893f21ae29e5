/* Objects of which nothing is open. There may be a million of them, so each keeps its state and
 * nothing else: no monitor and no configurations. Where something is open, but nothing happens for
 * long, the monitor is packed. */
#ifndef STREAM_IDLE_H
#define STREAM_IDLE_H

#include "stream/state.h"

/* A monitor that decides an object, new or one that another needs no more; null: none does, or a
 * budget refused. To be told by online_class.begin where it goes on, if its specification has an
 * initial value. */
struct online *idle_monitor(struct stream *stream, const struct followed *followed);

/* What is needed for an event of an object. False when refused. */
bool idle_wake(struct stream *stream, uint32_t object) MUST_CHECK;

/* The monitor of a packed object, in followed->online; the packed one is left. False when refused.
 */
bool idle_unpack(const struct stream *stream, struct followed *followed) MUST_CHECK;

/* Packs the monitor of an object. False when refused: then it is as it was. */
bool idle_pack(const struct stream *stream, struct followed *followed) MUST_CHECK;

/* The serials that a packed monitor keeps: a view of its bytes. */
static inline struct packed idle_serials(const struct packed_monitor *monitor)
{
    return (struct packed){.items = (uint8_t *)monitor->bytes, .length = monitor->serials};
}

/* Gives back what an object needs only while something is open, if nothing is; and packs what it
 * needs where that is worth it. */
void idle_put(struct stream *stream, struct followed *followed);

/* The object as it is at first, with nothing open, for the search: followed->now. False when
 * refused. */
bool idle_search(const struct stream *stream, struct followed *followed) MUST_CHECK;

/* Gives back what the search knows of an object that it follows. */
void idle_forget_search(const struct stream *stream, struct followed *followed);

/* The object is idle, in a state that only the search understands. False when refused. */
bool idle_store(const struct stream *stream, struct followed *followed, const uint64_t *state,
                size_t length) MUST_CHECK;

/* Gives back all that an object has, but for its name. */
void idle_release(const struct stream *stream, struct followed *followed);

/* A snapshot at which nothing was open: all that came later is the whole history behind it. */
static inline bool snapshot_is_idle(const struct snapshot *snapshot)
{
    return snapshot->fresh || (snapshot->monitored && snapshot->begun &&
                               !snapshot->retained.length && !snapshot->beside.length);
}

/* Gives back a snapshot, which may be null; it is null then. */
void snapshot_release(const struct stream *stream, struct snapshot **snapshot);

#endif
