/* yajl calls back for every token; values under construction are on a stack, an event is taken
 * together field by field as it is read. Nothing is made of fields that we do not know.
 *
 * Where yajl is lenient we are not: a string must be UTF-8 to the letter, and escaped surrogates
 * must come in pairs (yajl makes `?` of half a pair, and so one value of two). */
#include <stdlib.h>

#include <yajl/yajl_parse.h>

#include "history/jepsen.h"
#include "history/json_events.h"
#include "value/edn.h"
#include "value/number.h"
#include "value/print.h"

#define BLOCK ((size_t)64 << 10)

/* A collection being read: its values are on the stack from `start`. */
struct open {
    size_t start;
    bool map;
};

/* Where a \u escape stands. */
struct escape {
    unsigned letters; /* of `\uXXXX` seen; 0: outside of one */
    uint32_t code;
    bool high; /* half a pair has been seen, the other half must follow at once */
};

struct json_reader {
    struct read_context *context;
    yajl_handle yajl;
    VECTOR(value) items;
    struct open open[VALUE_MAX_DEPTH + 1]; /* the event is the outermost */
    unsigned depth;                        /* 1: in the event itself */
    struct jepsen_event jepsen;
    enum jepsen_field field;      /* whose value is being read */
    struct event event;           /* line mode: what was read */
    unsigned events;              /* line mode: how many */
    struct line_reading *reading; /* array mode: where events go */
    bool in_array;
    struct escape escape;
    const unsigned char *block; /* array mode: what yajl was given */
    size_t counted;             /* bytes of it whose newlines are in `line` */
    size_t held;                /* charged for what yajl keeps of an unfinished token */
    bool called;                /* yajl has finished a token since */
    uint32_t line;
    enum status status; /* why a callback cancelled, and of all that follows */
    struct error *error;
};

/* Array mode: brings `line` up to where yajl is. */
static void count_lines(struct json_reader *reader)
{
    size_t end = reader->block ? yajl_get_bytes_consumed(reader->yajl) : 0;
    for (; reader->counted < end; reader->counted++)
        reader->line += reader->block[reader->counted] == '\n';
}

static int stop(struct json_reader *reader, enum status status)
{
    reader->status = status;
    return 0;
}

static int refused(struct json_reader *reader)
{
    return stop(reader, reading_stopped(reader->context, reader->error));
}

static int unexpected(struct json_reader *reader, uint32_t line, const char *expected,
                      const char *found)
{
    return stop(reader, error_set(reader->error, STATUS_INPUT, source_name(reader->context->source),
                                  line, "expected %s, found %.100s", expected, found));
}

static int unexpected_value(struct json_reader *reader, const char *expected, value v)
{
    struct text text = TEXT_EMPTY;
    value_print_json(v, &text);
    count_lines(reader);
    int result = unexpected(reader, reader->line, expected, text_string(&text));
    text_release(&text);
    return result;
}

#define EVENT "an event such as {\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}"

static int add_value(struct json_reader *reader, value v)
{
    reader->called = true;
    if (v == VALUE_REFUSED)
        return refused(reader);
    if (reader->depth == 0)
        return unexpected_value(reader, EVENT, v);
    if (reader->field == FIELD_OTHER)
        return 1;
    if (reader->depth > 1)
        return vector_push(&reader->items, v) ? 1 : refused(reader);
    const char *expected = jepsen_take(&reader->jepsen, reader->field, v);
    return expected ? unexpected_value(reader, expected, v) : 1;
}

static int end_event(struct json_reader *reader)
{
    const char *missing = jepsen_end(&reader->jepsen);
    if (missing)
        return unexpected(reader, reader->jepsen.event.line, missing, "an event without");
    reader->event = reader->jepsen.event;
    reader->events++;
    if (!reader->reading)
        return 1;
    enum status status = lines_event(reader->reading, &reader->event, reader->error);
    return status == STATUS_OK ? 1 : stop(reader, status);
}

static int on_null(void *reader)
{
    return add_value(reader, VALUE_NIL);
}

static int on_boolean(void *reader, int boolean)
{
    return add_value(reader, value_boolean(boolean));
}

static int on_number(void *context, const char *letters, size_t length)
{
    struct json_reader *reader = context;
    struct number number;
    if (reader->field == FIELD_OTHER && reader->depth > 0)
        return 1;
    number_read(letters, length, &number);
    return add_value(reader, number_value(&number, reader->context->pool));
}

static int check_text(struct json_reader *reader, const char *letters, size_t length)
{
    reader->called = true;
    if (text_is_utf8(letters, length))
        return 1;
    count_lines(reader);
    return unexpected(reader, reader->line, "UTF-8", "a string with other bytes");
}

static int on_string(void *context, const unsigned char *letters, size_t length)
{
    struct json_reader *reader = context;
    if (!check_text(reader, (const char *)letters, length))
        return 0;
    if (reader->field == FIELD_OTHER && reader->depth > 0)
        return 1;
    return add_value(reader,
                     value_text(reader->context->pool, KIND_STRING, (const char *)letters, length));
}

static int on_key(void *context, const unsigned char *letters, size_t length)
{
    struct json_reader *reader = context;
    if (reader->depth > 1)
        return on_string(context, letters, length);
    reader->field = jepsen_field((const char *)letters, length);
    return check_text(reader, (const char *)letters, length);
}

static int open_collection(struct json_reader *reader, bool map)
{
    reader->called = true;
    if (reader->depth == VALUE_MAX_DEPTH + 1) {
        count_lines(reader);
        return unexpected(reader, reader->line, "at most 200 collections within one another",
                          "more");
    }
    reader->open[reader->depth++] = (struct open){reader->items.length, map};
    return 1;
}

static int on_object(void *context)
{
    struct json_reader *reader = context;
    if (reader->depth == 0) {
        count_lines(reader);
        jepsen_begin(&reader->jepsen, reader->line);
    }
    return open_collection(reader, true);
}

static int on_array(void *context)
{
    struct json_reader *reader = context;
    if (reader->depth > 0)
        return open_collection(reader, false);
    count_lines(reader);
    if (!reader->reading || reader->in_array)
        return unexpected(reader, reader->line, EVENT, "an array");
    reader->in_array = true;
    return 1;
}

static int on_end(void *context)
{
    struct json_reader *reader = context;
    if (reader->depth == 0) {
        reader->in_array = false; /* and yajl allows nothing behind it */
        return 1;
    }
    struct open open = reader->open[--reader->depth];
    if (reader->depth == 0)
        return end_event(reader);
    if (reader->field == FIELD_OTHER)
        return 1;
    const value *items = reader->items.items + open.start;
    size_t length = reader->items.length - open.start;
    value v = open.map ? value_map(reader->context->pool, items, length)
                       : value_list(reader->context->pool, items, length);
    reader->items.length = open.start;
    return add_value(reader, v);
}

struct json_reader *json_reader_create(struct read_context *context)
{
    static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_string,
                                             .yajl_start_map = on_object,
                                             .yajl_map_key = on_key,
                                             .yajl_end_map = on_end,
                                             .yajl_start_array = on_array,
                                             .yajl_end_array = on_end};
    struct json_reader *reader = memory_zeroed(context->budget, sizeof *reader);
    if (!reader)
        return NULL;
    reader->context = context;
    reader->line = 1;
    vector_init(&reader->items, context->budget);
    reader->yajl = yajl_alloc(&callbacks, NULL, reader);
    if (reader->yajl)
        return reader;
    json_reader_destroy(reader);
    return NULL;
}

void json_reader_destroy(struct json_reader *reader)
{
    if (!reader)
        return;
    struct budget *budget = reader->context->budget;
    if (reader->yajl)
        yajl_free(reader->yajl);
    budget_refund(budget, reader->held);
    vector_release(&reader->items);
    memory_release(budget, reader, sizeof *reader);
}

/* One more byte of a \u escape, or of what must follow one. False: half a pair. Outside of strings
 * there are no backslashes, so the automaton need not know strings. */
static bool escape_step(struct escape *escape, unsigned char c)
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

static enum status check_escapes(struct json_reader *reader, const unsigned char *bytes,
                                 size_t length)
{
    if (!reader->escape.letters && !reader->escape.high && !memchr(bytes, '\\', length))
        return STATUS_OK;
    uint32_t line = reader->line;
    for (size_t i = 0; i < length; i++) {
        line += reader->block && bytes[i] == '\n';
        if (!escape_step(&reader->escape, bytes[i])) {
            unexpected(reader, line, "a pair of escaped surrogates", "one alone");
            return reader->status;
        }
    }
    return STATUS_OK;
}

static enum status not_json(struct json_reader *reader, const unsigned char *bytes, size_t length)
{
    count_lines(reader);
    size_t at = length ? yajl_get_bytes_consumed(reader->yajl) : 0, end = at;
    size_t start = at > 20 ? at - 20 : 0;
    for (size_t i = start; i < at; i++)
        if (bytes[i] < ' ' || bytes[i] >= 0x7f)
            start = i + 1;
    while (end < length && end - at < 5 && bytes[end] >= ' ' && bytes[end] < 0x7f)
        end++;
    unsigned char *said = yajl_get_error(reader->yajl, 0, NULL, 0);
    char found[200];
    snprintf(found, sizeof found, end > start ? "%.*s near `%.*s`" : "%.*s",
             said ? (int)strcspn((char *)said, ".\n") : 0, said ? (char *)said : "",
             (int)(end - start), bytes + start);
    if (said)
        yajl_free_error(reader->yajl, said);
    unexpected(reader, reader->line, "JSON", found);
    return reader->status;
}

/* Gives yajl a piece. Of a token that goes on behind it yajl keeps the letters, in a buffer of at
 * most twice the size; yajl cannot bear a refusal, so that is charged here. */
static enum status feed(struct json_reader *reader, const unsigned char *bytes, size_t length,
                        struct error *error)
{
    struct budget *budget = reader->context->budget;
    reader->error = error;
    if (reader->status != STATUS_OK)
        return reader->status;
    TRY(check_escapes(reader, bytes, length));
    if (!budget_charge(budget, 2 * length)) {
        refused(reader);
        return reader->status;
    }
    reader->called = false;
    yajl_status status = yajl_parse(reader->yajl, bytes, length);
    if (reader->called) {
        budget_refund(budget, reader->held);
        reader->held = 0;
    }
    reader->held += 2 * length;
    return status == yajl_status_error ? not_json(reader, bytes, length) : reader->status;
}

enum status json_read_line(struct json_reader *reader, const char *line, size_t length,
                           uint32_t number, struct event *event, struct error *error)
{
    yajl_config(reader->yajl, yajl_allow_multiple_values, 1);
    reader->line = number;
    reader->events = 0;
    TRY(feed(reader, (const unsigned char *)line, length + 1, error));
    if (reader->depth > 0 || reader->events != 1)
        unexpected(reader, number, "one event on a line",
                   reader->depth > 0 ? "a line that ends within it" : "several");
    *event = reader->event;
    return reader->status;
}

static enum status read_blocks(struct json_reader *reader, unsigned char *block,
                               struct error *error)
{
    for (;;) {
        size_t got;
        TRY(source_read(reader->context->source, block, BLOCK, &got, error));
        if (got == 0)
            break;
        reader->block = block;
        reader->counted = 0;
        TRY(feed(reader, block, got, error));
        count_lines(reader);
        reader->block = NULL;
    }
    if (yajl_complete_parse(reader->yajl) == yajl_status_error)
        return not_json(reader, (const unsigned char *)" ", 0);
    return reader->status;
}

enum status json_read_array(struct json_reader *reader, struct line_reading *reading,
                            struct error *error)
{
    struct budget *budget = reader->context->budget;
    unsigned char *block = memory_allocate(budget, BLOCK);
    if (!block)
        return reading_stopped(reader->context, error);
    reader->reading = reading;
    reader->error = error;
    enum status status = read_blocks(reader, block, error);
    memory_release(budget, block, BLOCK);
    return status;
}
