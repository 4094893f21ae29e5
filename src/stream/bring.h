/* Operations that have run for so long that they are on the shelf. When such a process does
 * something after all, its operation is brought to the end of the history, whatever its serial
 * number, so that it is taken in as all others are; then it goes back to where it was, with what
 * has become of it. */
#ifndef STREAM_BRING_H
#define STREAM_BRING_H

#include "stream/state.h"

/* Brings an operation that is on the shelf, and runs, to *place. Nothing waits (told.h), for what
 * does knows others by their places. False when refused. */
bool bring(struct stream *stream, struct shelved *shelved, uint32_t *place) MUST_CHECK;

/* Has what was brought go back, once nothing waits any more. False when refused: it stays. */
bool bring_back(struct stream *stream) MUST_CHECK;

/* Forgets that it was brought. */
void bring_drop(struct stream *stream);

/* An operation of the history, as it stands on the shelf. */
struct shelved bring_shelved(const struct stream *stream, size_t place);

#endif
