#include "stream/feed.h"

#include <string.h>

#include "base/source.h"
#include "stream/forget.h"
#include "value/forget.h"

#define BEHIND     32 /* readable bytes behind the text, for scanners */
#define LINES_MOST (UINT32_MAX - 1)

static enum status refused(const struct feed *feed, struct error *error)
{
    return error_set(error, STATUS_LIMIT, feed->name, 0, "the memory limit is reached");
}

static enum status take_format(struct feed *feed, const struct format *format, bool recognised,
                               struct error *error)
{
    if (!format->lines)
        return error_set(error, STATUS_USAGE, feed->name, 0,
                         "a history in the format %s cannot be followed: its events are known only "
                         "when all of it is read%s",
                         format->name, recognised ? " (--format names another)" : "");
    feed->ahead.format = format;
    feed->stream->history->format = format->name;
    return STATUS_OK;
}

enum status feed_open(struct feed *feed, struct stream *stream, const char *name,
                      const char *format, struct event_sink sink, struct value_pool *pool,
                      struct limits *limits, struct error *error)
{
    *feed = (struct feed){.stream = stream, .sink = sink, .name = name};
    vector_init(&feed->bytes, limits->budget);
    feed->options = (struct read_options){.threads = 1, .limits = limits};
    feed->context =
        (struct read_context){.pool = pool, .budget = limits->budget, .options = &feed->options};
    ahead_init(&feed->ahead, name, &feed->context);
    TRY(source_open_memory(name, "", 0, limits->budget, &feed->source, error));
    feed->context.source = feed->source;
    if (!format)
        return STATUS_OK;
    const struct format *found;
    TRY(format_named(format, &found, error));
    return take_format(feed, found, false, error);
}

void feed_close(struct feed *feed)
{
    ahead_release(&feed->ahead);
    vector_release(&feed->bytes);
    if (feed->source)
        source_close(feed->source);
    feed->source = NULL;
}

/* ---- lines ---- */

/* What a parser says of the line behind those that were taken. */
static enum status fault(const struct feed *feed, enum status status, const struct error *found,
                         struct error *error)
{
    if (error) {
        *error = *found;
        error->line += status == STATUS_INPUT ? feed->lines + 1 : 0;
    }
    return status;
}

static enum status too_many_lines(struct feed *feed, struct error *error)
{
    feed->lines = LINES_MOST;
    return error_set(error, STATUS_INPUT, feed->name, feed->lines,
                     "expected at most %u lines, found more", LINES_MOST);
}

static enum status take_piece(struct feed *feed, const struct ahead_piece *piece,
                              struct error *error)
{
    const uint32_t lines = feed->lines, most = LINES_MOST - lines;
    for (size_t i = 0; i < piece->events.length; i++) {
        struct event event = piece->events.items[i];
        if (event.line >= most)
            return too_many_lines(feed, error);
        feed->lines = lines + event.line;
        event.line = feed->lines + 1;
        enum status status = sink_take(&feed->sink, &event, error);
        feed->intact = status == STATUS_INPUT && feed->stream->intact &&
                       feed->sink.user == feed->stream; /* others know of the event */
        if (status != STATUS_OK)
            return status;
    }
    if (piece->lines > most || (piece->lines == most && piece->status != STATUS_OK))
        return too_many_lines(feed, error);
    feed->lines = lines + piece->lines;
    if (piece->status == STATUS_OK)
        return STATUS_OK;
    enum status status = fault(feed, piece->status, &piece->error, error);
    feed->stream->intact = true;
    status = stream_refuse(feed->stream, status, error);
    feed->intact = status == STATUS_INPUT && feed->stream->intact;
    return status;
}

/* Bytes of so many lines. */
static size_t length_of_lines(const char *text, uint32_t lines)
{
    size_t length = 0;
    while (lines > 0)
        lines -= text[length++] == '\n';
    return length;
}

/* Takes whole lines, of those from `*from` up to `end` of the bytes the first or all, and moves
 * `*from` behind them; behind the line that is refused if one is. */
static enum status take_some_lines(struct feed *feed, size_t *from, size_t end, struct error *error)
{
    const struct format *format = feed->ahead.format;
    feed->stream->fed = true;
    size_t taken = ahead_begin(&feed->ahead, feed->stream->options.threads,
                               feed->bytes.items + *from, end - *from);
    if (taken == 0)
        return refused(feed, error);
    const uint32_t lines = feed->lines;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < feed->ahead.count && status == STATUS_OK; i++)
        status = take_piece(feed, ahead_piece(&feed->ahead, i), error);
    ahead_end(&feed->ahead);
    if (status != STATUS_OK && feed->intact)
        taken = length_of_lines(feed->bytes.items + *from, ++feed->lines - lines);
    *from += taken;
    if ((status == STATUS_OK || feed->intact) && stream_is_due(feed->stream) &&
        format->lines->forget) {
        ahead_forget(&feed->ahead);
        stream_forget(feed->stream);
    }
    return status;
}

static uint32_t count_lines(const char *bytes, size_t length)
{
    uint32_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += bytes[i] == '\n';
    return count;
}

static bool is_white(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

/* Behind the blank lines that these whole lines begin with. */
static size_t pass_blank_lines(const char *bytes, size_t length)
{
    size_t from = 0;
    for (size_t i = 0; i < length && is_white(bytes[i]); i++)
        if (bytes[i] == '\n')
            from = i + 1;
    return from;
}

/* Finds out the format from the whole lines from `*from` up to `end`, once there is one that is not
 * blank, and moves `*from` behind the blank ones, or the line that is refused. */
static enum status find_format(struct feed *feed, size_t *from, size_t end, struct error *error)
{
    if (feed->ahead.format)
        return STATUS_OK;
    const char *bytes = feed->bytes.items + *from;
    const size_t length = end - *from, blank = pass_blank_lines(bytes, length);
    const struct format *format = blank < length ? format_recognise(bytes, length) : NULL;
    if (format)
        return take_format(feed, format, true, error);
    feed->lines += count_lines(bytes, blank);
    *from += blank;
    if (blank == length)
        return STATUS_OK;
    const char *found = bytes + blank;
    *from += length_of_lines(found, 1);
    feed->lines++;
    feed->intact = true;
    return error_set(error, STATUS_INPUT, feed->name, feed->lines,
                     "expected a history in a format that can be followed (--format names one), "
                     "found `%.60s`",
                     found);
}

/* The bytes up to `end` have been taken, whole lines. */
static void note_taken(struct feed *feed, size_t end)
{
    const size_t whole = end - feed->passed;
    size_t added = whole < FEED_TAIL ? whole : FEED_TAIL;
    size_t left = feed->tail_length < FEED_TAIL - added ? feed->tail_length : FEED_TAIL - added;
    memmove(feed->tail, feed->tail + feed->tail_length - left, left);
    memcpy(feed->tail + left, feed->bytes.items + end - added, added);
    feed->tail_length = left + added;
    feed->taken += whole;
    feed->passed = end;
}

/* Moves what is left to the front; while lines wait only now and then, so that each byte is moved
 * seldom, however many lines are refused. */
static void drop_passed(struct feed *feed)
{
    struct bytes *bytes = &feed->bytes;
    if (feed->behind && feed->passed < bytes->length / 2)
        return;
    bytes->length -= feed->passed;
    memmove(bytes->items, bytes->items + feed->passed, bytes->length);
    feed->passed = 0;
}

/* Takes the lines up to `end`, as far as none is refused. */
static enum status take_whole(struct feed *feed, size_t end, size_t *from, struct error *error)
{
    TRY(find_format(feed, from, end, error));
    while (feed->ahead.format && *from < end)
        TRY(take_some_lines(feed, from, end, error));
    return STATUS_OK;
}

/* Only the last `added` bytes are new: unless there are lines behind one that was refused, what
 * ended a line before them has been taken. */
static enum status take_whole_lines(struct feed *feed, size_t added, struct error *error)
{
    struct bytes *bytes = &feed->bytes;
    const size_t old = feed->behind ? feed->passed : bytes->length - added;
    const char *last = memrchr(bytes->items + old, '\n', bytes->length - old);
    if (!last)
        return STATUS_OK;
    size_t end = (size_t)(last - bytes->items) + 1, from = feed->passed;
    memset(bytes->items + bytes->length, 0, BEHIND);
    if (feed->lines == 0 && bytes->length >= 3 && memcmp(bytes->items, "\xef\xbb\xbf", 3) == 0)
        memcpy(bytes->items, "   ", 3); /* a byte order mark */
    enum status status = take_whole(feed, end, &from, error);
    if (status != STATUS_OK && !feed->intact)
        return status;
    feed->behind = from < end;
    note_taken(feed, from);
    drop_passed(feed);
    return status;
}

static enum status take_lines(struct feed *feed, size_t added, struct error *error)
{
    struct value_pool *before = stream_begin_values(feed->stream);
    enum status status = take_whole_lines(feed, added, error);
    value_pool_short_lived(before);
    return status;
}

enum status feed_bytes(struct feed *feed, const void *bytes, size_t length, struct error *error)
{
    feed->intact = false;
    if (length == 0 && !feed->behind)
        return STATUS_OK;
    if (!vector_reserve(&feed->bytes, feed->bytes.length + length + BEHIND + 1))
        return refused(feed, error);
    if (length)
        memcpy(feed->bytes.items + feed->bytes.length, bytes, length);
    feed->bytes.length += length;
    return take_lines(feed, length, error);
}

enum status feed_end(struct feed *feed, struct error *error)
{
    const struct bytes *bytes = &feed->bytes;
    if (bytes->length == 0)
        return STATUS_OK;
    return feed_bytes(feed, "\n", bytes->items[bytes->length - 1] != '\n', error);
}

/* ---- checkpoints ---- */

/* The name of the format, if it is known; that of a file is not believed. */
static void archive_format(struct feed *feed, struct archive *archive)
{
    value name = VALUE_NIL;
    if (!archive_reads(archive) && feed->ahead.format)
        name = value_text(archive->pool, KIND_STRING, feed->ahead.format->name,
                          strlen(feed->ahead.format->name));
    if (name == VALUE_REFUSED) {
        archive_fail(archive, STATUS_LIMIT);
        return;
    }
    archive_known_value(archive, &name);
    const char *letters = value_get_text(name, NULL);
    if (!archive_reads(archive) || !letters || feed->ahead.format)
        return;
    const struct format *format;
    enum status status = format_named(letters, &format, archive->error);
    if (status == STATUS_OK)
        status = take_format(feed, format, false, archive->error);
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
