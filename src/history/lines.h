/* Reading formats that have one event to a line, in blocks, on several threads.
 *
 * The file is cut at newlines into blocks. Whichever threads are free parse blocks into batches of
 * events; the calling thread reads the file, takes the batches in the order of the file and hands
 * their events to the builder. What a block parses to depends on its text alone, so the result, and
 * the first error, are the same with any number of threads.
 *
 * A format whose events may span lines (EDN) has `rest`: a line that is no whole event stops its
 * block, and from there the text is handed to `rest`, in order and on the calling thread, until it
 * comes to the end of a block with nothing left over. That the blocks behind were parsed as if an
 * event began at their first line costs nothing but the time: their events are dropped unless it is
 * so. */
#ifndef HISTORY_LINES_H
#define HISTORY_LINES_H

#include "history/reading.h"

struct events {
    struct event *items;
    size_t length, capacity;
    struct budget *budget;
};

/* What a thread has while it parses one block. */
struct line_parser {
    struct read_context *context;
    const char *file;
    void *state;           /* of this thread, format->state_size bytes, zero at first */
    struct events *events; /* to append to, with `line` as their line */
    uint32_t line;         /* within the block, from 0 */
    uint32_t passed_over;  /* set by `parse`: how many lines held no event, though they had text */
    bool stopped;          /* set by `parse` to leave the line, and what follows, to `rest` */
    struct error *error;
};

/* What `rest` has: text from a place where an event may begin. */
struct rest_text {
    const char *text;
    size_t length;
    uint32_t line; /* of its first byte, in the file */
    bool last;     /* nothing follows */
    bool ended;    /* set by `rest`: no event may follow, so all text is for it to look at */
    size_t used;   /* set by `rest`: bytes that need not be shown again */
    void *state;   /* format->rest_size bytes, zero at first */
};

struct line_reading {
    struct reading reading;
    bool skipped; /* an event of no client was an invocation: */
    value skipped_process;
    uint32_t skipped_line;
};

struct line_format {
    const char *name;
    size_t state_size;
    /* Parses a line: not blank, without its end and white space in front of that, but with a
     * newline or carriage return or blank behind it, and 16 bytes that may be read. Errors have the
     * line of the parser. */
    enum status (*parse)(struct line_parser *parser, const char *line, size_t length);
    void (*close)(void *state); /* releases what the state holds; null: nothing */

    /* Between lines: forgets the values that the state holds. Null: it does not say which. */
    void (*forget)(void *state);
    size_t rest_size;
    enum status (*rest)(struct line_reading *reading, struct rest_text *rest,
                        struct error *error); /* null: every event is one line */
};

/* Reads the whole source as one history. STATUS_INPUT, naming the line, also when there are events
 * but none of a client. */
enum status lines_read(struct read_context *context, const struct line_format *format,
                       struct error *error) MUST_CHECK;

/* Appends an event to the parser's batch; STATUS_LIMIT. */
enum status lines_push(struct line_parser *parser, const struct event *event) MUST_CHECK;

/* Hands one event to the history: for `rest`, and for readers that go without blocks. */
enum status lines_event(struct line_reading *reading, const struct event *event,
                        struct error *error) MUST_CHECK;

/* Ends a history whose events came through lines_event, as reading_close. */
enum status lines_close(struct line_reading *reading, enum status so_far,
                        struct error *error) MUST_CHECK;

#endif
