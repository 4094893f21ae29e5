/* Events of operations on their way to the objects that they are of.
 *
 * With several threads they wait until there are as many as make a batch; then each monitor is told
 * what there is of its object, several of them at a time. What follows from the answers is done
 * afterwards, event by event in their order, and is the same as on one thread. */
#ifndef STREAM_TOLD_H
#define STREAM_TOLD_H

#include "stream/state.h"

/* Tells the monitor of its object the event, and has it look where it wants to leave: its answer is
 * the event's. */
void told_ask(const struct stream *stream, struct told_event *told);

/* Does so for the events that wait, on several threads, in so far as that is worth it: of each
 * object up to the first that does not leave it possible. A monitor that looks now and then is not
 * asked, for it could not tell an event that it was told too early from one that is to come. False
 * when refused. */
bool told_ask_all(struct stream *stream) MUST_CHECK;

/* Has the monitors that are to look do so, on several threads: stream->looks, by their places in
 * stream->unlooked. False: nothing was done, it is not worth it. */
bool told_look_all(struct stream *stream);

/* Takes back what is known of the events that wait behind the one at `at`: the history ends with
 * it. */
void told_undo(struct stream *stream, size_t at);

/* Says again which process is in which operation. */
void told_renew_running(struct stream *stream);

#endif
