/* A stream in a file, so that deciding survives the end of the program: all that is kept of the
 * events so far. A stream that goes on from there answers what it would have answered. */
#ifndef STREAM_CHECKPOINT_H
#define STREAM_CHECKPOINT_H

#include "stream/archive.h"
#include "stream/stream.h"

#define STREAM_CHECKPOINT_KIND    SECTION_TAG('f', 'o', 'l', 'l')
#define STREAM_CHECKPOINT_VERSION 22 /* of the format: what is kept, and how */

/* STATUS_USAGE, with a message: states of one of the specifications cannot be written. */
enum status stream_may_be_kept(const struct stream *stream, struct error *error) MUST_CHECK;

/* Goes through a stream, which has options.checkpoints; what is read goes into one that is new, of
 * the same specifications and options, and is of no use if archive->status says so. */
void stream_archive(struct stream *stream, struct archive *archive);

#endif
