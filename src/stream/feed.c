#include "stream/feed.h"

#include <string.h>

#include "base/source.h"
#include "stream/forget.h"
#include "value/forget.h"

#define BEHIND 32 /* readable bytes behind the text, for scanners */

static enum status refused(const struct feed *feed, struct error *error)
{
    return error_set(error, STATUS_LIMIT, feed->name, 0, "the memory limit is reached");
}

static enum status take_format(struct feed *feed, const struct format *format, struct error *error)
{
    if (!format->lines)
        return error_set(error, STATUS_USAGE, feed->name, 0,
                         "a history in the format %s cannot be followed: its events are known only "
                         "when all of it is read",
                         format->name);
    feed->format = format;
    feed->stream->history->format = format->name;
    feed->state = memory_zeroed(feed->context.budget, format->lines->state_size);
    feed->parser.state = feed->state;
    return feed->state ? STATUS_OK : refused(feed, error);
}

enum status feed_open(struct feed *feed, struct stream *stream, const char *name,
                      const char *format, struct event_sink sink, struct value_pool *pool,
                      struct limits *limits, struct error *error)
{
    *feed = (struct feed){.stream = stream, .sink = sink, .name = name};
    vectors_init(limits->budget, &feed->bytes, &feed->events);
    feed->options = (struct read_options){.threads = 1, .limits = limits};
    feed->context =
        (struct read_context){.pool = pool, .budget = limits->budget, .options = &feed->options};
    TRY(source_open_memory(name, "", 0, limits->budget, &feed->source, error));
    feed->context.source = feed->source;
    feed->parser =
        (struct line_parser){.context = &feed->context, .file = name, .events = &feed->events};
    if (!format)
        return STATUS_OK;
    const struct format *found;
    TRY(format_named(format, &found, error));
    return take_format(feed, found, error);
}

void feed_close(struct feed *feed)
{
    if (feed->state) {
        if (feed->format->lines->close)
            feed->format->lines->close(feed->state);
        memory_release(feed->context.budget, feed->state, feed->format->lines->state_size);
    }
    vectors_release(&feed->bytes, &feed->events);
    if (feed->source)
        source_close(feed->source);
    feed->state = NULL;
    feed->source = NULL;
}

/* ---- lines ---- */

/* `found` is what a parser says of a line, counted within it. */
static enum status fault(const struct feed *feed, enum status status, const struct error *found,
                         struct error *error)
{
    if (error) {
        *error = *found;
        error->line += status == STATUS_INPUT ? feed->lines + 1 : 0;
    }
    return status;
}

static enum status take_line(struct feed *feed, const char *line, size_t length,
                             struct error *error)
{
    struct error found = {0};
    feed->parser.error = &found;
    feed->events.length = 0;
    enum status status = feed->format->lines->parse(&feed->parser, line, length);
    if (status != STATUS_OK)
        return fault(feed, status, &found, error);
    if (feed->parser.stopped)
        return error_set(
            error, STATUS_INPUT, feed->name, feed->lines + 1,
            "expected a whole event on the line, as in every history that is followed");
    for (size_t i = 0; i < feed->events.length; i++) {
        feed->events.items[i].line = feed->lines + 1;
        TRY(sink_take(&feed->sink, &feed->events.items[i], error));
    }
    if (stream_is_due(feed->stream) && feed->format->lines->forget) {
        feed->format->lines->forget(feed->state);
        stream_forget(feed->stream);
    }
    return STATUS_OK;
}

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* A line with its newline, from `from` up to `end` of the bytes. */
static enum status take_whole_line(struct feed *feed, size_t from, size_t end, struct error *error)
{
    const char *line = feed->bytes.items + from;
    size_t length = end - from;
    if (feed->lines == UINT32_MAX - 1)
        return error_set(error, STATUS_INPUT, feed->name, feed->lines,
                         "expected at most %u lines, found more", UINT32_MAX - 1);
    while (length > 0 && is_white(line[length - 1]))
        length--;
    if (length > 0)
        TRY(take_line(feed, line, length, error));
    feed->lines++;
    return STATUS_OK;
}

static bool is_blank(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!is_white(bytes[i]))
            return false;
    return true;
}

/* Finds out the format from whole lines, once there is one that is not blank. */
static enum status find_format(struct feed *feed, size_t length, struct error *error)
{
    if (feed->format || is_blank(feed->bytes.items, length))
        return STATUS_OK;
    const struct format *format = format_recognise(feed->bytes.items, length);
    if (format)
        return take_format(feed, format, error);
    return error_set(error, STATUS_INPUT, feed->name, 1,
                     "expected a history in a format that can be followed (--format names one), "
                     "found `%.60s`",
                     feed->bytes.items);
}

/* So many bytes of whole lines have been taken. */
static void note_tail(struct feed *feed, size_t whole)
{
    size_t added = whole < FEED_TAIL ? whole : FEED_TAIL;
    size_t left = feed->tail_length < FEED_TAIL - added ? feed->tail_length : FEED_TAIL - added;
    memmove(feed->tail, feed->tail + feed->tail_length - left, left);
    memcpy(feed->tail + left, feed->bytes.items + whole - added, added);
    feed->tail_length = left + added;
    feed->taken += whole;
}

static enum status take_whole_lines(struct feed *feed, struct error *error)
{
    struct bytes *bytes = &feed->bytes;
    const char *last = bytes->length ? memrchr(bytes->items, '\n', bytes->length) : NULL;
    if (!last)
        return STATUS_OK;
    size_t whole = (size_t)(last - bytes->items) + 1, from = 0;
    memset(bytes->items + bytes->length, 0, BEHIND);
    if (feed->lines == 0 && bytes->length >= 3 && memcmp(bytes->items, "\xef\xbb\xbf", 3) == 0)
        memcpy(bytes->items, "   ", 3); /* a byte order mark */
    TRY(find_format(feed, whole, error));
    while (from < whole) {
        const char *newline = memchr(bytes->items + from, '\n', whole - from);
        size_t end = (size_t)(newline - bytes->items) + 1;
        TRY(take_whole_line(feed, from, end, error));
        from = end;
    }
    note_tail(feed, whole);
    bytes->length -= whole;
    memmove(bytes->items, bytes->items + whole, bytes->length);
    return STATUS_OK;
}

static enum status take_lines(struct feed *feed, struct error *error)
{
    struct value_pool *before = stream_begin_values(feed->stream);
    enum status status = take_whole_lines(feed, error);
    value_pool_short_lived(before);
    return status;
}

enum status feed_bytes(struct feed *feed, const void *bytes, size_t length, struct error *error)
{
    if (length == 0)
        return STATUS_OK;
    if (!vector_reserve(&feed->bytes, feed->bytes.length + length + BEHIND + 1))
        return refused(feed, error);
    memcpy(feed->bytes.items + feed->bytes.length, bytes, length);
    feed->bytes.length += length;
    return take_lines(feed, error);
}

enum status feed_end(struct feed *feed, struct error *error)
{
    if (feed->bytes.length == 0)
        return STATUS_OK;
    return feed_bytes(feed, "\n", 1, error);
}

/* ---- checkpoints ---- */

/* The name of the format, if it is known; that of a file is not believed. */
static void archive_format(struct feed *feed, struct archive *archive)
{
    value name = VALUE_NIL;
    if (!archive_reads(archive) && feed->format)
        name =
            value_text(archive->pool, KIND_STRING, feed->format->name, strlen(feed->format->name));
    if (name == VALUE_REFUSED)
        archive_fail(archive, STATUS_LIMIT);
    archive_value(archive, &name);
    const char *letters = value_get_text(name, NULL);
    if (!archive_reads(archive) || !letters || feed->format)
        return;
    const struct format *format;
    enum status status = format_named(letters, &format, archive->error);
    if (status == STATUS_OK)
        status = take_format(feed, format, archive->error);
    if (status != STATUS_OK)
        archive_fail(archive, status);
}

void feed_archive(struct feed *feed, struct archive *archive)
{
    ARCHIVE(archive, feed->lines);
    ARCHIVE(archive, feed->taken);
    ARCHIVE_BELOW(archive, feed->tail_length, FEED_TAIL + 1);
    archive_bytes(archive, feed->tail, feed->tail_length);
    archive_format(feed, archive);
}
