/* Jepsen's EDN histories: a map for every event, one behind the other, or all in one vector or
 * list; on a line each, or over several. The fast road is a line that is one event; everything else
 * goes through `rest`, which sees the text in order. */
#include <stdlib.h>

#include "history/edn_events.h"
#include "history/format.h"
#include "history/jepsen_write.h"
#include "history/recognise.h"
#include "value/print.h"

/* A line that is one event, or only a comment. Whatever else it is, `rest` finds out. */
static enum status parse_line(struct line_parser *parser, const char *line, size_t length)
{
    struct value_pool *pool = parser->context->pool;
    struct event event;
    if (LIKELY(edn_scan_line(parser->state, pool, line, length, parser->line, &event)))
        return lines_push(parser, &event);
    struct edn_cursor cursor;
    edn_open(&cursor, pool, line, length, parser->file, parser->line, parser->error);
    bool found = false;
    enum status status = edn_space(&cursor);
    if (status == STATUS_OK && cursor.at < cursor.end) {
        status = edn_event(&cursor, &event);
        found = status == STATUS_OK;
        if (found)
            status = edn_space(&cursor);
    }
    parser->stopped = status == STATUS_INPUT || cursor.at < cursor.end;
    edn_close(&cursor);
    if (status == STATUS_LIMIT)
        return status;
    return found && !parser->stopped ? lines_push(parser, &event) : STATUS_OK;
}

/* How the events are enclosed. */
struct layout {
    char opening; /* [ or (, 0: none */
    uint32_t line;
};

/* One step at the cursor, where no event has begun: a bracket around all, or an event. */
static enum status take_step(struct edn_cursor *cursor, struct line_reading *reading,
                             struct rest_text *rest)
{
    struct layout *layout = rest->state;
    if (rest->ended)
        return edn_fault(cursor, "nothing behind the bracket around all events");
    TRY(edn_metadata(cursor));
    char c = *cursor->at;
    if ((c == '[' || c == '(') && !layout->opening && reading->reading.records == 0) {
        *layout = (struct layout){c, cursor->line};
        cursor->at++;
        return STATUS_OK;
    }
    if ((c == ']' && layout->opening == '[') || (c == ')' && layout->opening == '(')) {
        rest->ended = true;
        cursor->at++;
        return STATUS_OK;
    }
    struct event event;
    TRY(edn_event(cursor, &event));
    return lines_event(reading, &event, cursor->error);
}

/* Takes all that is whole of the text. */
static enum status take_steps(struct edn_cursor *cursor, struct line_reading *reading,
                              struct rest_text *rest)
{
    enum status status = STATUS_OK;
    while (status == STATUS_OK && cursor->at < cursor->end) {
        rest->used = (size_t)(cursor->at - rest->text);
        status = edn_space(cursor);
        if (status != STATUS_OK || cursor->at == cursor->end)
            continue;
        uint32_t line = cursor->line;
        status = take_step(cursor, reading, rest);
        if (status == STATUS_INPUT && cursor->ended)
            cursor->error->line = line; /* where the event began that has no end */
    }
    if (status == STATUS_OK)
        rest->used = rest->length;
    return status;
}

static enum status read_rest(struct line_reading *reading, struct rest_text *rest,
                             struct error *error)
{
    const struct layout *layout = rest->state;
    const struct read_context *context = reading->reading.context;
    const char *file = source_name(context->source);
    struct error found = {0};
    struct edn_cursor cursor;
    edn_open(&cursor, context->pool, rest->text, rest->length, file, rest->line, &found);
    enum status status = take_steps(&cursor, reading, rest);
    edn_close(&cursor);
    if (status == STATUS_INPUT && cursor.ended && !rest->last)
        return STATUS_OK; /* there is more to come */
    if (status != STATUS_OK && error)
        *error = found;
    if (status == STATUS_OK && rest->last && layout->opening && !rest->ended)
        return error_set(error, STATUS_INPUT, file, layout->line,
                         "expected %s at the end of the events, found the end of the file",
                         layout->opening == '[' ? "]" : ")");
    return status;
}

static void forget_names(void *state)
{
    *(struct scan_names *)state = (struct scan_names){0};
}

static const struct line_format lines = {.name = "edn",
                                         .state_size = sizeof(struct scan_names),
                                         .parse = parse_line,
                                         .forget = forget_names,
                                         .rest_size = sizeof(struct layout),
                                         .rest = read_rest};

static enum status read_edn(struct read_context *context, struct error *error)
{
    return lines_read(context, &lines, error);
}

/* Behind a map, a vector, a string or a word. */
static const char *pass_form(const char *at, const char *end)
{
    unsigned depth = 0;
    bool string = false;
    for (; at < end; at++) {
        if (string && *at == '\\' && at + 1 < end) {
            at++;
        } else if (*at == '"') {
            string = !string;
            if (!string && depth == 0)
                return at + 1;
        } else if (!string && strchr("{[(", *at)) {
            if (depth++ == 0 && at[-1] != '^' && at[-1] > ' ')
                return at; /* the form behind a word */
        } else if (!string && strchr("}])", *at)) {
            if (depth <= 1)
                return at + 1;
            depth--;
        } else if (!string && depth == 0 && (*at == ' ' || *at == '\n' || *at == ','))
            return at;
    }
    return end;
}

/* What may stand in front of a form: white space, comments, metadata. */
static const char *pass_before(const char *at, const char *end)
{
    at = recognise_skip(at, end, ';');
    while (end - at > 2 && (at[0] == '^' || (at[0] == '#' && at[1] == '^')))
        at = recognise_skip(pass_form(at + (at[0] == '#' ? 2 : 1), end), end, ';');
    return at;
}

/* Behind white space, comments, metadata and a bracket: a map whose keys are keywords, or a record;
 * or brackets around nothing. */
static int recognise_edn(const char *head, size_t length, bool whole)
{
    const char *end = head + length, *at = pass_before(head, end);
    if (at < end && (*at == '[' || *at == '(')) {
        char closing = *at == '[' ? ']' : ')';
        at = pass_before(at + 1, end);
        if (whole && at < end && *at == closing)
            return recognise_skip(at + 1, end, ';') == end ? 1 : 0;
    }
    if (at < end && *at == '#')
        while (at < end && *at != '{' && *at != '\n' && *at != '"')
            at++;
    if (at == end || *at != '{')
        return 0;
    at = pass_before(at + 1, end);
    bool discarded = end - at >= 2 && at[0] == '#' && at[1] == '_';
    if (at == end || (*at != ':' && !discarded))
        return 0;
    return recognise_has(head, length, ":process") && recognise_has(head, length, ":type") ? 2 : 1;
}

static void say_name(value name, struct text *text)
{
    if (!edn_print_name(name, text))
        value_print_edn(name, text);
}

static const char *say_event(const struct event *event, struct text *text)
{
    text_append(text, "{:process ");
    value_print_edn(event->process, text);
    text_format(text, ", :type :%s, :f ", jepsen_type_name(event->type));
    say_name(event->function, text);
    if (event->has_value) {
        text_append(text, ", :value ");
        value_print_edn(event->value, text);
    }
    if (event->has_key) {
        text_append(text, ", :key ");
        value_print_edn(event->key, text);
    }
    if (event->has_object) {
        text_append(text, ", :object ");
        say_name(event->object, text);
    }
    if (event->time != TIME_NONE)
        text_format(text, ", :time %lld", (long long)event->time);
    text_append(text, "}\n");
    return NULL;
}

static enum status write_edn(const struct history *history, FILE *out, struct error *error)
{
    return jepsen_write(history, "edn", say_event, false, out, error);
}

const struct format format_edn = {
    .name = "edn",
    .description =
        "Jepsen's EDN: {:process 0, :type :invoke, :f :read, :value nil}, one behind the "
        "other or in one vector or list",
    .recognise = recognise_edn,
    .read = read_edn,
    .write = write_edn,
    .lines = &lines,
    .writes_invocations = true,
    .writes_times = true,
};
