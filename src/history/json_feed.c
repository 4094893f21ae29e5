#include "history/json_feed.h"

#include <string.h>

#include "base/faults.h"
#include "base/text.h"
#include "base/utf8.h"

#define BLOCK ((size_t)SIZE_OR_SMALL(64 << 10, 128))

bool json_feed_open(struct json_feed *feed, struct read_context *context,
                    const yajl_callbacks *callbacks, void *reader)
{
    *feed = (struct json_feed){.context = context, .line = 1};
    feed->yajl = yajl_alloc(callbacks, NULL, reader);
    return feed->yajl != NULL;
}

void json_feed_close(struct json_feed *feed)
{
    yajl_free(feed->yajl);
    budget_refund(feed->context->budget, feed->held);
}

uint32_t json_feed_line(struct json_feed *feed)
{
    size_t end = feed->block ? yajl_get_bytes_consumed(feed->yajl) : 0;
    while (feed->counted < end) {
        const unsigned char *from = feed->block + feed->counted;
        const unsigned char *newline = memchr(from, '\n', end - feed->counted);
        feed->counted = newline ? (size_t)(newline - feed->block) + 1 : end;
        feed->line += newline != NULL;
    }
    return feed->line;
}

int json_feed_stop(struct json_feed *feed, enum status status)
{
    feed->status = status;
    return 0;
}

int json_feed_refused(struct json_feed *feed)
{
    return json_feed_stop(feed, reading_stopped(feed->context, feed->error));
}

int json_feed_unexpected(struct json_feed *feed, uint32_t line, const char *expected,
                         const char *found)
{
    return json_feed_stop(feed,
                          error_set(feed->error, STATUS_INPUT, source_name(feed->context->source),
                                    line, "expected %s, found %.100s", expected, found));
}

int json_feed_text(struct json_feed *feed, const unsigned char *letters, size_t length)
{
    json_feed_called(feed);
    if (utf8_is_valid((const char *)letters, length))
        return 1;
    return json_feed_unexpected(feed, json_feed_line(feed), "UTF-8", "a string with other bytes");
}

int json_feed_number(struct json_feed *feed, const char *letters, size_t length,
                     struct number *number)
{
    number_read(letters, length, number);
    if (number->kind != NUMBER_BAD)
        return 1;
    char found[64];
    snprintf(found, sizeof found, "%.*s", (int)length, letters);
    return json_feed_unexpected(feed, json_feed_line(feed), "a number of fewer digits", found);
}

/* One more byte of a \u escape, or of what must follow one. False: half a pair. Outside of strings
 * there are no backslashes, so the automaton need not know strings. */
static bool escape_step(struct json_escape *escape, unsigned char c)
{
    unsigned at = escape->letters;
    if (at == 0 || (at == 1 && c != 'u')) {
        escape->letters = at == 0 && c == '\\';
        return !escape->high || escape->letters;
    }
    if (at == 1) {
        escape->letters = 2;
        escape->code = 0;
        return true;
    }
    unsigned digit = c <= '9' ? (unsigned)c - '0' : (c | 0x20u) - 'a' + 10;
    escape->code = escape->code * 16 + (digit & 15); /* yajl finds out what is no digit */
    escape->letters++;
    if (escape->letters < 6)
        return true;
    escape->letters = 0;
    bool low = escape->code >> 10 == 0xdc00 >> 10;
    bool paired = low == escape->high;
    escape->high = escape->code >> 10 == 0xd800 >> 10;
    return paired;
}

static enum status check_escapes(struct json_feed *feed, const unsigned char *bytes, size_t length)
{
    if (!feed->escape.letters && !feed->escape.high && !memchr(bytes, '\\', length))
        return STATUS_OK;
    uint32_t line = feed->line;
    for (size_t i = 0; i < length; i++) {
        line += feed->block && bytes[i] == '\n';
        if (!escape_step(&feed->escape, bytes[i])) {
            json_feed_unexpected(feed, line, "a pair of escaped surrogates", "one alone");
            return feed->status;
        }
    }
    return STATUS_OK;
}

static bool is_shown(unsigned char byte)
{
    return byte >= ' ' && byte < 0x7f;
}

/* What yajl says is "lexical error: invalid char in json text.\n"; we show the place too. */
static enum status not_json(struct json_feed *feed, const unsigned char *bytes, size_t length)
{
    uint32_t line = json_feed_line(feed);
    size_t at = length ? yajl_get_bytes_consumed(feed->yajl) : 0, start = at, end = at;
    while (start > 0 && at - start < 20 && is_shown(bytes[start - 1]))
        start--;
    while (end < length && end - at < 5 && is_shown(bytes[end]))
        end++;
    unsigned char *said = yajl_get_error(feed->yajl, 0, NULL, 0);
    char found[200];
    snprintf(found, sizeof found, end > start ? "%.*s near `%.*s`" : "%.*s",
             said ? (int)strcspn((char *)said, ".\n") : 0, said ? (char *)said : "",
             (int)(end - start), bytes + start);
    if (said)
        yajl_free_error(feed->yajl, said);
    json_feed_unexpected(feed, line, "JSON", found);
    return feed->status;
}

/* Of a token that goes on behind the piece yajl keeps the letters, in a buffer of at most twice the
 * size; yajl cannot bear a refusal, so that is charged here. */
enum status json_feed(struct json_feed *feed, const unsigned char *bytes, size_t length,
                      struct error *error)
{
    struct budget *budget = feed->context->budget;
    feed->error = error;
    if (feed->status != STATUS_OK)
        return feed->status;
    TRY(check_escapes(feed, bytes, length));
    if (!budget_charge(budget, 2 * length)) {
        json_feed_refused(feed);
        return feed->status;
    }
    feed->called = false;
    yajl_status status = yajl_parse(feed->yajl, bytes, length);
    if (feed->called) {
        budget_refund(budget, feed->held);
        feed->held = 0;
    }
    feed->held += 2 * length;
    return status == yajl_status_error ? not_json(feed, bytes, length) : feed->status;
}

static bool is_blank(const unsigned char *block, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!memchr(" \t\r\n", block[i], 4))
            return false;
    return true;
}

static enum status feed_blocks(struct json_feed *feed, unsigned char *block, struct error *error)
{
    bool blank = true; /* so far; to yajl no value at all is an error, to us there is just none */
    for (;;) {
        size_t got;
        if (limits_reached(feed->context->options->limits) != LIMIT_NONE)
            return reading_stopped(feed->context, error);
        TRY(source_read(feed->context->source, block, BLOCK, &got, error));
        if (got == 0)
            break;
        blank = blank && is_blank(block, got);
        feed->block = block;
        feed->counted = 0;
        TRY(json_feed(feed, block, got, error));
        (void)json_feed_line(feed);
        feed->block = NULL;
    }
    if (!blank && yajl_complete_parse(feed->yajl) == yajl_status_error)
        return not_json(feed, (const unsigned char *)"", 0);
    return feed->status;
}

enum status json_feed_source(struct json_feed *feed, struct error *error)
{
    struct budget *budget = feed->context->budget;
    unsigned char *block = memory_allocate(budget, BLOCK);
    feed->error = error;
    if (!block)
        return reading_stopped(feed->context, error);
    enum status status = feed_blocks(feed, block, error);
    memory_release(budget, block, BLOCK);
    return status;
}
