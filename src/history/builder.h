/* What history_builder is inside, for builder.c and timed.c. */
#ifndef HISTORY_BUILDER_H
#define HISTORY_BUILDER_H

#include "history/history.h"
#include "history/labels.h"

#define NOT_RUNNING UINT32_MAX

/* What is known of the times. */
struct builder_times {
    int64_t latest_time;
    uint32_t latest_line, latest_operation;
    bool reversed, unread; /* whether such a time was found */
};

/* A timed operation waiting for its positions. */
struct waiting {
    struct operation operation;
    int64_t call_time, return_time; /* of the order; the operation's own are as recorded */
};

struct history_builder {
    struct history *history;
    struct labels processes, functions, objects;
    struct labels noted; /* named processes that have not invoked yet: their first annotation */
    VECTOR(uint32_t) running; /* per process: the operation it is in, or NOT_RUNNING */
    VECTOR(struct waiting) waiting;
    int64_t latest_time; /* of the events so far, TIME_NONE: none had a time */
    uint32_t latest_line, latest_operation;
    value last_function; /* and its number: most events name the same few functions */
    uint16_t last_function_number;
};

/* The process's number, a new one if it has none yet; LABEL_NONE when refused. */
uint32_t builder_process_number(struct history_builder *builder, value process);

/* Fills in what an invocation says, all but the positions. */
enum status builder_invocation(struct history_builder *builder, const struct event *event,
                               struct operation *operation, struct error *error) MUST_CHECK;

/* Orders the waiting operations by time and moves them into the history. */
enum status builder_order_timed(struct history_builder *builder, struct error *error) MUST_CHECK;

/* So that an event can be taken back. */
struct builder_times builder_times_now(const struct history_builder *builder);
void builder_times_put(struct history_builder *builder, const struct builder_times *times);

enum status builder_refused(const struct history_builder *builder, struct error *error);

#endif
