/* Where events go: to a stream, or to what stands in front of it. */
#ifndef STREAM_SINK_H
#define STREAM_SINK_H

#include "base/status.h"
#include "history/history.h"

struct event_sink {
    enum status (*take)(void *user, const struct event *event, struct error *error);
    void *user;
};

static inline MUST_CHECK enum status sink_take(const struct event_sink *sink,
                                               const struct event *event, struct error *error)
{
    return sink->take(sink->user, event, error);
}

#endif
