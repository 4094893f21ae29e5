/* JSON fed to yajl piece by piece, for readers that are its callbacks. Where yajl is lenient we are
 * not: texts must be UTF-8 to the letter, and escaped surrogates must come in pairs (yajl makes `?`
 * of half a pair, and so one value of two). */
#ifndef HISTORY_JSON_FEED_H
#define HISTORY_JSON_FEED_H

#include <yajl/yajl_parse.h>

#include "history/reading.h"
#include "value/number.h"

/* Where a \u escape stands. */
struct json_escape {
    unsigned letters; /* of `\uXXXX` seen; 0: outside of one */
    uint32_t code;
    bool high; /* half a pair has been seen, the other half must follow at once */
};

struct json_feed {
    struct read_context *context;
    yajl_handle yajl;
    struct json_escape escape;
    const unsigned char *block; /* of the source; null: lines are not counted */
    size_t counted;             /* bytes of it whose newlines are in `line` */
    uint32_t line;
    size_t held;        /* charged for what yajl keeps of an unfinished token */
    bool called;        /* yajl has finished a token since */
    enum status status; /* why a callback cancelled, and of all that follows */
    struct error *error;
};

/* `reader` is what the callbacks are given. On false, when refused, there is nothing to close. */
bool json_feed_open(struct json_feed *feed, struct read_context *context,
                    const yajl_callbacks *callbacks, void *reader) MUST_CHECK;
void json_feed_close(struct json_feed *feed);

/* Gives yajl a piece. STATUS_INPUT when it is not JSON, else what a callback stopped with;
 * STATUS_LIMIT. After a failure all pieces fail. */
enum status json_feed(struct json_feed *feed, const unsigned char *bytes, size_t length,
                      struct error *error) MUST_CHECK;

/* Gives it the whole source, and its end; asks the limits on the way. */
enum status json_feed_source(struct json_feed *feed, struct error *error) MUST_CHECK;

/* For callbacks: every one that yajl calls with a token (but not the ends of collections) notes
 * it. */
static inline void json_feed_called(struct json_feed *feed)
{
    feed->called = true;
}

/* The line where yajl is. */
uint32_t json_feed_line(struct json_feed *feed);

/* What a callback ends with: 0, having noted why. */
int json_feed_stop(struct json_feed *feed, enum status status);
int json_feed_refused(struct json_feed *feed);
int json_feed_unexpected(struct json_feed *feed, uint32_t line, const char *expected,
                         const char *found);

/* Whether the letters of a text or key are fit; if not, a callback ends with 0. Notes the call. */
int json_feed_text(struct json_feed *feed, const unsigned char *letters, size_t length);

/* Reads a number; if it is too long, a callback ends with 0. */
int json_feed_number(struct json_feed *feed, const char *letters, size_t length,
                     struct number *number);

#endif
