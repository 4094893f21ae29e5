/* Whole lines of a log become events, piece by piece, on several threads: ahead of the caller, who
 * takes the pieces in the order of the log. What a piece becomes depends on its text alone, so it
 * is the same with any number of threads. */
#ifndef STREAM_AHEAD_H
#define STREAM_AHEAD_H

#include <pthread.h>

#include "history/formats.h"
#include "history/lines.h"

#define AHEAD_PIECES 16 /* at a time, of which each has its events */

struct ahead_piece {
    const char *text; /* whole lines */
    size_t length;
    struct events events; /* with the number of the line in the piece as their line, from 0 */
    uint32_t lines;       /* those in front of a fault */
    enum status status;   /* behind these events */
    struct error error;   /* without a line */
    bool parsed;
};

struct ahead_worker {
    struct ahead *ahead;
    void *state; /* of the format's parser; null: none yet */
    pthread_t thread;
};

struct ahead {
    const struct format *format; /* null: not known yet */
    struct read_context *context;
    struct value_pool *pool; /* in which the caller makes short-lived values; null: in none */
    const char *name;        /* of the log, for messages; not owned */
    struct ahead_piece pieces[AHEAD_PIECES];
    size_t count, next; /* how many there are; the first that nobody has begun to parse */
    VECTOR(struct ahead_worker) workers;
    size_t started; /* of them, threads beside the caller's */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a piece was parsed */
};

/* Nothing is refused. To be released. */
void ahead_init(struct ahead *ahead, const char *name, struct read_context *context);
void ahead_release(struct ahead *ahead);

/* Begins to parse whole lines in the format, of `length` bytes, more than 0, with readable bytes
 * behind them, on at most so many threads. How many of the bytes are in the pieces; 0 when refused.
 * To be ended. */
size_t ahead_begin(struct ahead *ahead, unsigned threads, const char *text,
                   size_t length) MUST_CHECK;

/* The piece of that number, parsed. */
const struct ahead_piece *ahead_piece(struct ahead *ahead, size_t number);

/* No thread but the caller's goes on. */
void ahead_end(struct ahead *ahead);

/* Forgets the values that parsers hold. Between end and begin. */
void ahead_forget(struct ahead *ahead);

#endif
