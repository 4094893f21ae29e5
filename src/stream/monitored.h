/* Objects that monitors decide, between these and the rest of a stream: which operations they keep,
 * and how the search takes over from one. */
#ifndef STREAM_MONITORED_H
#define STREAM_MONITORED_H

#include "stream/state.h"

/* Remembers that the monitor of an object, or its snapshot, may hold operations. False when
 * refused.
 */
bool monitored_note(struct stream *stream, uint32_t object) MUST_CHECK;

/* Marks the operations of the history that are held by monitors or their snapshots, and no others;
 * if `sweeps`, those on the shelf, too. */
void monitored_mark(struct stream *stream, bool sweeps);

/* Lists the ends of an object's operations that its monitor has not looked at, up to `last`,
 * ascending. False when refused. */
bool monitored_ends(const struct stream *stream, uint32_t object, uint64_t last,
                    struct numbers *ordinals) MUST_CHECK;

/* Puts an object to the search as it was when its monitor began, or as it was then given `state`
 * to begin with: followed->now. False when refused. */
bool monitored_restart(const struct stream *stream, struct followed *followed, bool begun,
                       uint64_t state) MUST_CHECK;

/* Gives an object from the monitor of a register to one with cas, in front of the event of that
 * ordinal. False, and it is as it was, but that the monitor must not be asked again: that cannot be
 * done. */
bool monitored_yield(struct stream *stream, uint32_t object, uint64_t ordinal) MUST_CHECK;

/* Gives an object from its monitor to the search: followed->now are the configurations in which it
 * is in front of the event of that ordinal, the next. POSSIBLE_REFUSED if what is kept does not say
 * which these are, or a limit was reached; POSSIBLE_CROWDED if it does, and that is too much to be
 * searched for all of them. */
enum possible monitored_leave(struct stream *stream, uint32_t object, uint64_t ordinal) MUST_CHECK;

#endif
