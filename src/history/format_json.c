/* The native format: JSON lines in Jepsen's shape, an event on each; or one array of such events.
 * Lines take the fast road where they can (json_scan.c), else the general one (json_reader.c). */
#include "history/format.h"
#include "history/jepsen_write.h"
#include "history/json_events.h"
#include "history/labels.h"
#include "history/recognise.h"
#include "history/writing.h"
#include "value/json.h"
#include "value/print.h"

struct line_state {
    struct json_scanner scanner;
    struct json_reader *reader; /* made when the first line needs it */
};

static enum status parse_line(struct line_parser *parser, const char *line, size_t length)
{
    struct line_state *state = parser->state;
    struct event event;
    if (LIKELY(json_scan_line(&state->scanner, parser->context->pool, line, length, parser->line,
                              &event)))
        return lines_push(parser, &event);
    if (!state->reader)
        state->reader = json_reader_create(parser->context);
    if (!state->reader)
        return reading_stopped(parser->context, parser->error);
    enum status status =
        json_read_line(state->reader, line, length, parser->line, &event, parser->error);
    if (status == STATUS_OK)
        return lines_push(parser, &event);
    json_reader_destroy(state->reader); /* behind a fault it reads nothing */
    state->reader = NULL;
    return status;
}

static void close_state(void *state)
{
    json_reader_destroy(((struct line_state *)state)->reader);
}

static void forget_names(void *state)
{
    ((struct line_state *)state)->scanner.names = (struct scan_names){0};
}

static enum status read_array(struct read_context *context, struct error *error)
{
    struct line_reading reading = {0};
    TRY(reading_open(context, source_name(context->source), "json", &reading.reading, error));
    struct json_reader *reader = json_reader_create(context);
    enum status status =
        reader ? json_read_array(reader, &reading, error) : reading_stopped(context, error);
    json_reader_destroy(reader);
    return lines_close(&reading, status, error);
}

static const struct line_format lines = {.name = "json",
                                         .state_size = sizeof(struct line_state),
                                         .parse = parse_line,
                                         .close = close_state,
                                         .forget = forget_names};

static enum status read_json(struct read_context *context, struct error *error)
{
    const char *head;
    size_t length;
    TRY(source_peek(context->source, &head, &length, 4096, error));
    const char *at = recognise_skip(head, head + length, 0);
    if (at < head + length && *at == '[')
        return read_array(context, error);
    return lines_read(context, &lines, error);
}

/* An object, or an array of objects, whose keys are strings. */
static int recognise_json(const char *head, size_t length, bool whole)
{
    const char *end = head + length, *at = recognise_skip(head, end, 0);
    bool array = at < end && *at == '[';
    if (array)
        at = recognise_skip(at + 1, end, 0);
    if (array && whole && at < end && *at == ']')
        return recognise_skip(at + 1, end, 0) == end ? 2 : 0;
    if (at == end || *at != '{')
        return 0;
    at = recognise_skip(at + 1, end, 0);
    if (at == end || *at != '"')
        return 0;
    return recognise_has(head, length, "\"process\"") && recognise_has(head, length, "\"type\"")
               ? 2
               : 1;
}

static const char *say_event(const struct event *event, struct text *text)
{
    const char *complaint = NULL;
    text_append(text, "{\"process\": ");
    value_print_json(event->process, text);
    text_format(text, ", \"type\": \"%s\", \"f\": ", jepsen_type_name(event->type));
    value_print_json(event->function, text);
    if (event->has_value) {
        text_append(text, ", \"value\": ");
        complaint = value_print_json_exactly(event->value, text);
    }
    if (event->has_key) {
        text_append(text, ", \"key\": ");
        complaint = complaint ? complaint : value_print_json_exactly(event->key, text);
    }
    if (event->has_object) {
        text_append(text, ", \"object\": ");
        value_print_json(event->object, text);
    }
    if (event->time != TIME_NONE)
        text_format(text, ", \"time\": %lld", (long long)event->time);
    text_append(text, "}\n");
    return complaint;
}

static enum status complain(const struct history *history, value process, const char *what,
                            struct error *error)
{
    struct text text = TEXT_EMPTY;
    value_print_edn(process, &text);
    enum status status =
        error_set(error, STATUS_INPUT, history->name, 0, "the format json cannot say %s: %.100s",
                  what, text_string(&text));
    text_release(&text);
    return status;
}

/* The process as JSON has it: texts of all kinds are strings. */
static enum status find_name(const struct history *history, value process, struct labels *names,
                             value *name, uint32_t *number, struct error *error)
{
    size_t length;
    const char *letters = value_get_text(process, &length);
    *name = letters ? value_text(history->pool, KIND_STRING, letters, length) : process;
    if (*name == VALUE_REFUSED)
        return error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit is reached");
    *number = labels_find(names, *name);
    return STATUS_OK;
}

/* Processes that differ must differ as JSON, also from those of annotations. */
static enum status check_names(const struct history *history, struct labels *names,
                               struct error *error)
{
    value name;
    uint32_t number;
    int64_t integer;
    for (size_t i = 0; i < history->processes.length; i++) {
        value process = history->processes.items[i];
        if (value_get_integer(process, &integer))
            continue;
        if (!value_get_text(process, NULL))
            return complain(history, process, "a process that is neither a number nor a text",
                            error);
        TRY(find_name(history, process, names, &name, &number, error));
        if (number != LABEL_NONE)
            return complain(history, process, "apart two processes of one name", error);
        if (!labels_add(names, name, (uint32_t)i))
            return error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit is reached");
    }
    for (size_t i = 0; i < history->annotations.length; i++) {
        value process = history->annotations.items[i].process;
        TRY(find_name(history, process, names, &name, &number, error));
        if (number != LABEL_NONE)
            return complain(history, process, "apart a client and an annotation of one name",
                            error);
    }
    return STATUS_OK;
}

static enum status write_json(const struct history *history, FILE *out, struct error *error)
{
    TRY(writing_texts(history, "json", error));
    struct labels names;
    labels_init(&names, history->budget);
    enum status status = check_names(history, &names, error);
    labels_release(&names);
    if (status != STATUS_OK)
        return status;
    return jepsen_write(history, "json", say_event, true, out, error);
}

const struct format format_json = {
    .name = "json",
    .description = "JSON lines, {\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}, or one "
                   "array of such events",
    .recognise = recognise_json,
    .read = read_json,
    .write = write_json,
    .lines = &lines,
    .writes_times = true,
};
