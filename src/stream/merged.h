/* Logs of several clients, each nearly in the order of its times, as one history in that order.
 *
 * An event waits until nothing earlier can come: until every log that has more to be read has been
 * read as far, less the window by which events may stand out of order. What comes later than that
 * is STATUS_INPUT. A log that has given no event yet may begin with any: all wait for it, until it
 * ends, also while there is no more to be read of it. Of equal times the order is that of check
 * --order=time (history/order.c). */
#ifndef STREAM_MERGED_H
#define STREAM_MERGED_H

#include "history/labels.h"
#include "stream/feed.h"
#include "value/forget.h"

struct merged;

struct merged_log {
    struct merged *merged;
    struct feed feed;
    int64_t newest;  /* TIME_NONE: none yet */
    uint64_t events; /* read */
    bool dry;        /* there was no more when it was looked at last */
    bool ended;
};

/* An event that waits. */
struct merged_event {
    struct event event;
    uint32_t log;
    uint64_t number; /* in its log */
};

struct merged_process {
    uint32_t log;
    int64_t time;      /* of its last event */
    uint32_t line;     /* of that */
    uint64_t returned; /* the run of events at one time in which it returned last */
};

struct merged {
    struct event_sink next;
    int64_t window;
    struct merged_log *logs;
    uint32_t count;
    size_t room; /* bytes of the logs */
    struct budget *budget;
    VECTOR(struct merged_event) waiting; /* a heap: what comes first is first */
    VECTOR(struct merged_event) run;     /* events at one time */
    struct labels numbers;
    VECTOR(struct merged_process) processes;
    int64_t watermark; /* what is earlier has been handed on; TIME_NONE: nothing has */
    uint64_t runs;
    bool settled; /* somebody said that nothing earlier is to come */
};

/* `names` are the logs', and live as long. As feed_open, and to be closed whatever the status. */
enum status merged_open(struct merged *merged, struct stream *stream, const char *const *names,
                        size_t count, const char *format, int64_t window, struct event_sink next,
                        struct limits *limits, struct error *error) MUST_CHECK;
void merged_close(struct merged *merged);

/* Bytes of a log, which has more to be read as far as is known. */
enum status merged_bytes(struct merged *merged, uint32_t log, const void *bytes, size_t length,
                         struct error *error) MUST_CHECK;

/* Whether a log has no more to be read now. Others wait for one that has. */
enum status merged_set_dry(struct merged *merged, uint32_t log, bool dry,
                           struct error *error) MUST_CHECK;

/* A log has ended: what waits of it is a line. */
enum status merged_end(struct merged *merged, uint32_t log, struct error *error) MUST_CHECK;

/* Hands on all that waits: nothing earlier is to come. */
enum status merged_settle(struct merged *merged, struct error *error) MUST_CHECK;

/* Of the logs that are neither dry nor at their end the one whose newest event is the oldest; how
 * many there are if there is none. */
uint32_t merged_next(const struct merged *merged);

/* How many logs may still bring what is earlier than that time: they have not ended, were not read
 * as far, and nobody said that nothing earlier is to come. *first of them. */
uint32_t merged_silent(const struct merged *merged, int64_t time, uint32_t *first);

/* The log of which a process is. */
uint32_t merged_log_of(const struct merged *merged, value process);

/* Adds the values of events that wait and the names of processes, as value_user.add of state.h. */
bool merged_add_values(void *merged, struct value_roots *roots) MUST_CHECK;

/* Goes through what is known of the logs, and the events that wait. */
void merged_archive(struct merged *merged, struct archive *archive);

#endif
