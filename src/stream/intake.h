/* Events on their way into a stream: what is checked of them, and bound, whatever becomes of their
 * objects. */
#ifndef STREAM_INTAKE_H
#define STREAM_INTAKE_H

#include "stream/state.h"

/* Binds an operation, as known now. STATUS_INPUT also where nobody said how the answers of a map
 * are to be read, and that makes a difference, and where the specification was inferred and might
 * have been another. */
enum status intake_bind(struct stream *stream, uint32_t index, struct bound *bound,
                        struct error *error) MUST_CHECK;

/* STATUS_INPUT where times run backwards, and nobody said that the order of events is meant. */
enum status intake_check_times(const struct stream *stream, struct error *error) MUST_CHECK;

/* An annotation says nothing of operations; of those that may turn out to be clients' the first is
 * kept, for the message. */
enum status intake_forget_annotation(struct stream *stream, const struct event *event,
                                     struct error *error) MUST_CHECK;

/* Nothing more is to come: STATUS_USAGE for a specification of an object that was never named. */
enum status intake_check_bindings(const struct stream *stream, struct error *error) MUST_CHECK;

/* Counts what an operation that is over takes. */
void intake_count_bytes(struct stream *stream, const struct operation *operation);

#endif
