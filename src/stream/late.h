/* Operations that run for too long are taken as pending: an event of theirs (`info`) is put in, and
 * what they answer later is counted and not told. So what is kept is bounded by the time. */
#ifndef STREAM_LATE_H
#define STREAM_LATE_H

#include "history/labels.h"
#include "stream/archive.h"
#include "stream/sink.h"

/* A process, and its place in the list of those that run, by their invocations. */
struct late_process {
    value label;
    int64_t since;
    uint32_t before, after; /* UINT32_MAX: none */
    uint32_t line;          /* of the invocation */
    bool runs, late;        /* not both */
};

struct late {
    struct event_sink next;
    const char *name; /* of the history, for messages; not owned */
    int64_t most;     /* the longest that an operation may run */
    int64_t newest;
    struct labels numbers;
    VECTOR(struct late_process) processes;
    uint32_t first, last;    /* of those that run */
    uint64_t taken, ignored; /* operations taken as pending, answers that came later */
};

void late_init(struct late *late, const char *name, int64_t most, struct event_sink next,
               struct budget *budget);
void late_release(struct late *late);

/* Takes an event and hands on what becomes of it. STATUS_INPUT: it has no time, or its process
 * invokes while one of its operations runs. */
enum status late_take(struct late *late, const struct event *event, struct error *error) MUST_CHECK;

/* Goes through what is known of the processes. */
void late_archive(struct late *late, struct archive *archive);

#endif
