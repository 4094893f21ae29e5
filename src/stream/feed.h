/* Bytes of a log that is being written, in any pieces: its whole lines become events of a stream,
 * and the half line at the end waits for its rest. */
#ifndef STREAM_FEED_H
#define STREAM_FEED_H

#include "stream/ahead.h"
#include "stream/archive.h"
#include "stream/sink.h"
#include "stream/stream.h"

#define FEED_TAIL 64 /* bytes */

struct feed {
    struct stream *stream; /* not owned */
    struct event_sink sink;
    const char *name;      /* of the log, for messages; not owned */
    struct source *source; /* empty: parsers ask it for the name */
    struct read_options options;
    struct read_context context;
    struct ahead ahead;   /* the lines at hand */
    struct bytes bytes;   /* from the beginning of a line on, behind those passed */
    size_t passed;        /* of them, that have been taken */
    bool intact;          /* the line that failed was refused: it has not been */
    bool behind;          /* `bytes` has whole lines: they stood behind it */
    uint32_t lines;       /* whole ones so far, those that were refused included */
    uint64_t taken;       /* bytes of these */
    char tail[FEED_TAIL]; /* the last of them */
    size_t tail_length;
};

/* `format` is a name, or null: recognised from the first lines. STATUS_USAGE if there is no such
 * format, or its histories are known only as a whole. To be closed whatever the status. `sink` is
 * where events go: to the stream, in the end. */
enum status feed_open(struct feed *feed, struct stream *stream, const char *name,
                      const char *format, struct event_sink sink, struct value_pool *pool,
                      struct limits *limits, struct error *error) MUST_CHECK;
void feed_close(struct feed *feed);

/* STATUS_INPUT, with the line, as the format's reader and stream_event have it. Where that leaves
 * feed->intact all is as if the line had not come; what was fed behind it waits for the next call,
 * which may bring nothing more. */
enum status feed_bytes(struct feed *feed, const void *bytes, size_t length,
                       struct error *error) MUST_CHECK;

/* Goes through what is known of the whole lines; the half line behind them is to be fed again. */
void feed_archive(struct feed *feed, struct archive *archive);

/* Nothing follows: what is left is a line, or lines that wait behind one. Fails as feed_bytes. */
enum status feed_end(struct feed *feed, struct error *error) MUST_CHECK;

#endif
