/* History formats: one reader (and writer) file each, one row each in the table of format.c.
 * Adding one: docs/internals/add-a-format.md. */
#ifndef HISTORY_FORMAT_H
#define HISTORY_FORMAT_H

#include <stdio.h>

#include "base/source.h"
#include "history/history.h"

struct histories {
    struct budget *budget;
    VECTOR(struct history *) items;
};

struct read_options {
    const char *format; /* name, or null: recognise */
    unsigned threads;   /* for formats with one event per line; at least 1 */
    size_t block;       /* bytes a thread takes at a time (tests); 0: the usual */
    struct limits *limits;
    enum history_order order; /* which order is meant where times were recorded beside one */
};

/* What a reader is given besides the bytes. */
struct read_context {
    struct source *source;
    struct value_pool *pool;
    struct budget *budget;
    const struct read_options *options;
    struct histories *histories; /* a reader appends what it read; usually one */
};

struct format {
    const char *name;        /* "json", "edn", ...: --format */
    const char *description; /* one line for the manual */
    /* How sure the format is that it can read content that begins so: 0 no, 1 perhaps, 2 surely.
     * `whole`: that is all there is. The first of the surest in table order is taken. */
    int (*recognise)(const char *head, size_t length, bool whole);
    enum status (*read)(struct read_context *context, struct error *error);
    /* Writes one history; null where linchpin only reads the format. What a format cannot say (a
     * pending operation, an object) is STATUS_INPUT with the operation named, and nothing written.
     */
    enum status (*write)(const struct history *history, FILE *out, struct error *error);
    bool writes_times;       /* beside an order of events that need not be theirs */
    bool writes_invocations; /* of processes that are no clients */
};

const struct format *const *formats(size_t *count);
const struct format *format_find(const char *name);

/* Reads every history of the file. The same file read with any number of threads gives the same
 * histories, and the same first error. An empty file is one empty history. STATUS_INPUT as
 * format->read and order_apply say, or when no format is recognised (the message lists them);
 * STATUS_LIMIT;
 * on any failure `histories` is left empty. */
enum status histories_read(struct source *source, struct value_pool *pool, struct budget *budget,
                           const struct read_options *options, struct histories *histories,
                           struct error *error) MUST_CHECK;
void histories_release(struct histories *histories); /* destroys those it still holds */

#endif
