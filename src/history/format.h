/* What a history format is: one reader (and writer) file each, one row each in the table of
 * formats.c. Adding one: docs/internals/add-a-format.md. */
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

struct line_format;

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
    const struct line_format *lines; /* how its lines are read, where each event is one line or can
                                        be; null: a history is known only as a whole */
    bool writes_times;               /* beside an order of events that need not be theirs */
    bool writes_invocations;         /* of processes that are no clients */
};

/* All formats, in their files; formats.c has the table. */
extern const struct format format_edn;
extern const struct format format_etcd;
extern const struct format format_jepsen_text;
extern const struct format format_json;
extern const struct format format_limo;
extern const struct format format_porcupine_kv;
extern const struct format format_porcupine_operations;
extern const struct format format_tla;

#endif
