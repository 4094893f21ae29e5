/* What the readers of one file share: a history that is being read, and the file's bytes. */
#ifndef HISTORY_READING_H
#define HISTORY_READING_H

#include "history/format.h"

/* A history fed through its builder: opened, given events or timed operations, closed. Now and
 * then it asks the limits. */
struct reading {
    struct read_context *context;
    struct history *history;
    struct history_builder *builder;
    uint32_t records; /* events, or timed operations, since the last look at the limits */
};

/* Begins a history. `name` is copied, `format` static. On failure there is nothing to close. */
enum status reading_open(struct read_context *context, const char *name, const char *format,
                         struct reading *reading, struct error *error) MUST_CHECK;

enum status reading_event(struct reading *reading, const struct event *event,
                          struct error *error) MUST_CHECK;
enum status reading_timed(struct reading *reading, const struct timed_operation *operation,
                          struct error *error) MUST_CHECK;

/* Ends it. With STATUS_OK so far the history goes to context->histories; after a failure, its own
 * included, it is destroyed and that status is returned. */
enum status reading_close(struct reading *reading, enum status so_far,
                          struct error *error) MUST_CHECK;

/* A vector of bytes that has a type of its own. */
struct bytes {
    char *items;
    size_t length, capacity;
    struct budget *budget;
};

/* Reads all that the source still has into `bytes`, which the caller has initialised and
 * releases. Asks the limits between blocks. */
enum status reading_bytes(struct read_context *context, struct bytes *bytes,
                          struct error *error) MUST_CHECK;

/* STATUS_LIMIT with a message that names the limit. */
enum status reading_stopped(struct read_context *context, struct error *error);

#endif
