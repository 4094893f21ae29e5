/* The values of a stream, forgotten once no operation that is kept has them (value/forget.h). */
#ifndef STREAM_FORGET_H
#define STREAM_FORGET_H

#include "stream/state.h"

/* Whether values can be forgotten: they are where this looks for them, and nobody else does it. */
bool stream_may_forget(const struct stream_options *options, struct value_pool *pool) MUST_CHECK;

/* Nothing is forgotten from now on. */
void stream_keep_values(struct stream *stream);

/* Somebody has values of the stream, as long as that lives. */
void stream_share_values(struct stream *stream, struct value_user user);

/* Adds the values that have numbers. */
bool stream_add_labels(struct value_roots *roots, const struct labels *labels) MUST_CHECK;

/* From now on the thread's values are the stream's; answers whose they were, to be put back with
 * value_pool_short_lived. */
struct value_pool *stream_begin_values(const struct stream *stream);

/* Whether there are enough values to forget some. */
bool stream_is_due(const struct stream *stream);

/* Forgets values. Between events: the stream has all that is needed. */
void stream_forget(struct stream *stream);

#endif
