/* A history that is decided while it is recorded: events come in, in order, and what no event to
 * come can touch is forgotten.
 *
 * Each object, and each key where keys never interact, has its configurations (configurations.h).
 * Events are gathered into a batch, and decided together; the operations of the last few batches
 * are kept so that a violation can be told. stream.c has how. */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "stream/state.h"

/* `name` stands in messages and is copied. The specifications, and what `options` points to, must
 * outlive the stream. STATUS_USAGE for a specification that cannot be followed; STATUS_LIMIT. */
enum status stream_create(const char *name, const struct stream_options *options,
                          struct value_pool *pool, struct limits *limits, struct stream **stream,
                          struct error *error) MUST_CHECK;
void stream_destroy(struct stream *stream);

/* The next event. When a batch of them has come, what is decided for good is: up to the beginning
 * of an operation that still runs, unless it has done so for long. STATUS_INPUT as
 * history_builder_event and parts_create have it, also where times run backwards and nobody said
 * that the order of the events is meant; where that leaves stream->intact, others may follow as if
 * the event had not come. */
enum status stream_event(struct stream *stream, const struct event *event,
                         struct error *error) MUST_CHECK;

/* What came next is wrong: `status` and *error say how. All that came before is decided first: once
 * there is a violation that is the answer (STATUS_OK), whatever comes behind it; else `status`, or
 * what went wrong with what came before. */
enum status stream_refuse(struct stream *stream, enum status status,
                          struct error *error) MUST_CHECK;

/* With several threads events may wait for others (told.h): has them decided as far as they are
 * with one. A failure is that of the next stream_event or stream_decide. */
void stream_settle(struct stream *stream);

/* Decides all that has come so far. Once there is a violation nothing changes any more.
 * STATUS_INPUT for a fault of a specification; STATUS_INTERNAL. */
enum status stream_decide(struct stream *stream, struct error *error) MUST_CHECK;

/* Of all that was decided last. */
enum stream_verdict stream_verdict(const struct stream *stream);

/* With monitors_only: what check counts of the history so far, the objects of which an operation
 * has happened or may have, and the events of such operations. */
size_t stream_parts(struct stream *stream);
uint64_t stream_positions(const struct stream *stream);

struct event_place {
    uint32_t line; /* 0: the event is not kept */
    value process;
    int64_t time; /* TIME_NONE: it has none */
};

/* Where an event that is kept stands in what was recorded. */
struct event_place stream_event_place(const struct stream *stream, uint64_t ordinal);

#endif
