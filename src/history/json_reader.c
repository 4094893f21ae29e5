/* yajl calls back for every token; values under construction are on a stack, an event is taken
 * together field by field as it is read. Nothing is made of fields that we do not know. */
#include <stdlib.h>

#include "history/jepsen.h"
#include "history/json_events.h"
#include "history/json_feed.h"
#include "value/edn.h"
#include "value/json.h"
#include "value/print.h"

/* A collection being read: its values are on the stack from `start`. */
struct open {
    size_t start;
    bool map;
};

struct json_reader {
    struct json_feed feed;
    VECTOR(value) items;
    struct open open[VALUE_MAX_DEPTH + 1]; /* the event is the outermost */
    unsigned depth;                        /* 1: in the event itself */
    struct jepsen_event jepsen;
    enum jepsen_field field;      /* whose value is being read */
    struct event event;           /* line mode: what was read */
    unsigned events;              /* line mode: how many */
    struct line_reading *reading; /* array mode: where events go */
    bool in_array;
};

static int unexpected_value(struct json_reader *reader, const char *expected, value v)
{
    struct text text = TEXT_EMPTY;
    value_print_json(v, &text);
    int result = json_feed_unexpected(&reader->feed, json_feed_line(&reader->feed), expected,
                                      text_string(&text));
    text_release(&text);
    return result;
}

#define EVENT "an event such as {\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}"

static int add_value(struct json_reader *reader, value v)
{
    json_feed_called(&reader->feed);
    if (v == VALUE_REFUSED)
        return json_feed_refused(&reader->feed);
    if (reader->depth == 0)
        return unexpected_value(reader, EVENT, v);
    if (reader->field == FIELD_OTHER)
        return 1;
    if (reader->depth > 1)
        return vector_push(&reader->items, v) ? 1 : json_feed_refused(&reader->feed);
    const char *expected = jepsen_take(&reader->jepsen, reader->field, v);
    return expected ? unexpected_value(reader, expected, v) : 1;
}

static int end_event(struct json_reader *reader)
{
    const char *missing = jepsen_end(&reader->jepsen, true);
    if (missing)
        return json_feed_unexpected(&reader->feed, reader->jepsen.event.line, missing,
                                    "an event without");
    reader->event = reader->jepsen.event;
    reader->events++;
    if (!reader->reading)
        return 1;
    enum status status = lines_event(reader->reading, &reader->event, reader->feed.error);
    return status == STATUS_OK ? 1 : json_feed_stop(&reader->feed, status);
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
    return json_feed_number(&reader->feed, letters, length, &number) &&
           add_value(reader, number_value(&number, reader->feed.context->pool));
}

static int on_string(void *context, const unsigned char *letters, size_t length)
{
    struct json_reader *reader = context;
    if (!json_feed_text(&reader->feed, letters, length))
        return 0;
    if (reader->field == FIELD_OTHER && reader->depth > 0)
        return 1;
    return add_value(
        reader, value_text(reader->feed.context->pool, KIND_STRING, (const char *)letters, length));
}

static int on_key(void *context, const unsigned char *letters, size_t length)
{
    struct json_reader *reader = context;
    if (reader->depth > 1)
        return on_string(context, letters, length);
    reader->field = jepsen_field((const char *)letters, length);
    return json_feed_text(&reader->feed, letters, length);
}

static int open_collection(struct json_reader *reader, bool map)
{
    json_feed_called(&reader->feed);
    if (reader->depth == VALUE_MAX_DEPTH + 1)
        return json_feed_unexpected(&reader->feed, json_feed_line(&reader->feed),
                                    "at most 200 collections within one another", "more");
    reader->open[reader->depth++] = (struct open){reader->items.length, map};
    return 1;
}

static int on_object(void *context)
{
    struct json_reader *reader = context;
    if (reader->depth == 0)
        jepsen_begin(&reader->jepsen, json_feed_line(&reader->feed));
    return open_collection(reader, true);
}

static int on_array(void *context)
{
    struct json_reader *reader = context;
    if (reader->depth > 0)
        return open_collection(reader, false);
    if (!reader->reading || reader->in_array)
        return json_feed_unexpected(&reader->feed, json_feed_line(&reader->feed), EVENT,
                                    "an array");
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
    value v = open.map ? value_json_object(reader->feed.context->pool, items, length)
                       : value_list(reader->feed.context->pool, items, length);
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
    vector_init(&reader->items, context->budget);
    if (json_feed_open(&reader->feed, context, &callbacks, reader))
        return reader;
    memory_release(context->budget, reader, sizeof *reader);
    return NULL;
}

void json_reader_destroy(struct json_reader *reader)
{
    if (!reader)
        return;
    struct budget *budget = reader->feed.context->budget;
    json_feed_close(&reader->feed);
    vector_release(&reader->items);
    memory_release(budget, reader, sizeof *reader);
}

enum status json_read_line(struct json_reader *reader, const char *line, size_t length,
                           uint32_t number, struct event *event, struct error *error)
{
    yajl_config(reader->feed.yajl, yajl_allow_multiple_values, 1);
    reader->feed.line = number;
    reader->events = 0;
    TRY(json_feed(&reader->feed, (const unsigned char *)line, length + 1, error));
    if (reader->depth > 0 || reader->events != 1)
        json_feed_unexpected(&reader->feed, number, "one event on a line",
                             reader->depth > 0 ? "a line that ends within it" : "several");
    *event = reader->event;
    return reader->feed.status;
}

enum status json_read_array(struct json_reader *reader, struct line_reading *reading,
                            struct error *error)
{
    reader->reading = reading;
    return json_feed_source(&reader->feed, error);
}
