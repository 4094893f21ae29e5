/* Operations that run for too long are taken as pending: an event of theirs (`info`) is put in, and
 * what they answer later is counted and not told. So what is kept is bounded by the time. */
#ifndef STREAM_LATE_H
#define STREAM_LATE_H

#include "base/table.h"
#include "stream/archive.h"
#include "stream/sink.h"
#include "value/forget.h"

/* A process that runs an operation, and its place in the list of those, by their invocations. */
struct late_running {
    value label;
    int64_t since;
    uint32_t before, after; /* UINT32_MAX: none */
    uint32_t line;          /* of the invocation */
};

/* One whose operation is late, and has not answered. There may be as many as operations. */
struct late_silent {
    value label;
    uint32_t line;
} __attribute__((packed, aligned(4)));

/* Of a process that does neither nothing is kept. */
struct late {
    struct event_sink next;
    const char *name; /* of the history, for messages; not owned */
    int64_t most;     /* the longest that an operation may run */
    int64_t newest;
    VECTOR(struct late_running) running;
    VECTOR(struct late_silent) silent;
    struct table by_running, by_silent; /* by their labels */
    uint32_t first, last;               /* of those that run */
    uint64_t taken, ignored;            /* operations taken as pending, answers that came later */
};

void late_init(struct late *late, const char *name, int64_t most, struct event_sink next,
               struct budget *budget);
void late_release(struct late *late);

/* Takes an event and hands on what becomes of it. STATUS_INPUT: it has no time, or its process
 * invokes while one of its operations runs. */
enum status late_take(struct late *late, const struct event *event, struct error *error) MUST_CHECK;

/* Adds the names of processes that are kept, as value_user.add of state.h. */
bool late_add_values(void *late, struct value_roots *roots) MUST_CHECK;

/* Goes through what is known of the processes. */
void late_archive(struct late *late, struct archive *archive);

#endif
