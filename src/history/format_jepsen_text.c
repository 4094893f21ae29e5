/* Jepsen's text: `3 <tab> :invoke <tab> :write <tab> 2`, a line for each event, as history.txt has
 * it; and the same behind what a log puts in front,
 *
 *     INFO  jepsen.util - 3 <tab> :invoke <tab> :write <tab> 2
 *     INFO [2019-04-01 11:25:23,722] jepsen worker 3 - jepsen.util 3 <tab> :invoke <tab> ...
 *     2024-01-31 10:20:30,400{GMT} <tab> INFO <tab> [jepsen worker 3] jepsen.util: 3 <tab> ...
 *
 * A file that begins with an event is a history.txt: every line is an event, or a log's. Any other
 * is a log, where lines that are no events are passed over and counted: of other parts of the
 * program, stack traces, maps printed over several lines. But what has the shape of an event must
 * be one: a damaged line is never passed over.
 *
 * What stands behind the value (an error) is for people, unless a second event begins there: then
 * two lines have run together. */
#include <ctype.h>

#include "history/edn_events.h"
#include "history/format.h"
#include "history/jepsen_write.h"
#include "history/recognise.h"
#include "value/print.h"

#define LOGGER "jepsen.util"

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Behind the name of the logger, and what separates it from its message. */
static const char *message_start(const char *at, const char *end)
{
    at = skip_space(at, end);
    if (at < end && (*at == '-' || *at == ':') && at + 1 < end && (at[1] == ' ' || at[1] == '\t'))
        at = skip_space(at + 1, end);
    return at;
}

/* Whether a line is a log's: it begins with a level, or with a date and has one. */
static bool is_log_line(const char *line, size_t length)
{
    static const char *const levels[] = {"INFO", "WARN", "ERROR", "DEBUG", "TRACE", "FATAL"};
    const char *at = memchr(line, '{', length < 40 ? length : 40); /* {GMT} */
    bool dated = length > 10 && isdigit((unsigned char)*line) && line[4] == '-' && line[7] == '-';
    for (size_t i = 0; i < ARRAY_LENGTH(levels); i++) {
        size_t size = strlen(levels[i]);
        if (length > size && memcmp(line, levels[i], size) == 0 &&
            isspace((unsigned char)line[size]))
            return true;
        if (dated && memmem(line, length < 60 ? length : 60, levels[i], size))
            return true;
    }
    return dated && at;
}

static bool starts_process(char c)
{
    return isdigit((unsigned char)c) || c == ':' || c == '-';
}

static const char *token_end(const char *at, const char *end)
{
    while (at < end && *at != '\t' && *at != ' ')
        at++;
    return at;
}

/* Whether an event's first two fields stand here: a process (in front of a tab, any word), white
 * space, `:invoke` or so. */
static bool starts_event(const char *at, const char *end)
{
    const char *stop = token_end(at, end);
    const char *type = skip_space(stop, end);
    if (stop == at || type == end || *type != ':' || (*stop != '\t' && !starts_process(*at)))
        return false;
    for (stop = ++type; stop < end && isalpha((unsigned char)*stop); stop++)
        ;
    return jepsen_type(type, (size_t)(stop - type)) >= 0;
}

static bool is_integer(const char *at, const char *end)
{
    at += at < end && *at == '-';
    for (const char *digit = at; digit < end; digit++)
        if (!isdigit((unsigned char)*digit))
            return false;
    return at < end;
}

/* Whether a line, from its first letter on, has the shape of an event, be it a damaged one: a word
 * and a tab in front of a keyword, or three fields with blanks between them, as tabs become on
 * their way through terminals and web pages. Where keywords may begin a line of a map that is
 * printed over several, a process with a name needs a type behind it. */
static bool has_shape(const char *at, const char *end)
{
    const char *stop = token_end(at, end), *type = skip_space(stop, end);
    if (stop == at || type == end || *type != ':')
        return false;
    if (*stop == '\t')
        return true;
    const char *third = skip_space(token_end(type, end), end);
    if (third == end || *third != ':')
        return false;
    return is_integer(at, stop) || (*at == ':' && starts_event(at, end));
}

/* The same behind the logger's name, where no map is printed: a process, and either nothing, for
 * the line was cut, or a keyword. */
static bool has_shape_behind_logger(const char *at, const char *end)
{
    const char *stop = token_end(at, end), *type = skip_space(stop, end);
    if (stop == at || !(is_integer(at, stop) || *at == ':'))
        return stop > at && stop < end && *stop == '\t' && type < end && *type == ':';
    return type == end || *type == ':';
}

/* Where in a line an event begins that the logger wrote, or null. */
static const char *find_logged(const char *line, const char *end)
{
    for (const char *at = line; at < end; at++) {
        at = memmem(at, (size_t)(end - at), LOGGER, strlen(LOGGER));
        if (!at)
            return NULL;
        const char *behind = at + strlen(LOGGER);
        if (behind < end && !strchr(" \t-:", *behind))
            continue;
        const char *message = message_start(behind, end);
        if (has_shape_behind_logger(message, end))
            return message;
    }
    return NULL;
}

/* Where in a line something stands that has the shape of an event, or null. */
static const char *find_event(const char *line, const char *end)
{
    const char *at = skip_space(line, end);
    return has_shape(at, end) ? at : find_logged(at, end);
}

/* Whether an event's type stands here, with white space and a keyword behind it. */
static bool is_second_field(const char *at, const char *end)
{
    const char *stop = token_end(at, end), *next = skip_space(stop, end);
    return *at == ':' && jepsen_type(at + 1, (size_t)(stop - at - 1)) >= 0 && next < end &&
           *next == ':';
}

/* Where in the fields from `at` on a second event begins, its process perhaps run together with
 * what stands in front of it; or null. An error has no tabs; where blanks separate, only a digit in
 * front of the type tells a process from a word of the error. `line` <= `at` is the line's start.
 */
static const char *find_second(const char *line, const char *at, const char *end)
{
    for (const char *field = at; field < end; field++) {
        char before = field > line ? field[-1] : 0;
        if ((before != ' ' && before != '\t') || !is_second_field(field, end))
            continue;
        const char *process = field;
        while (process > line && (process[-1] == ' ' || process[-1] == '\t'))
            process--;
        bool tabs = before == '\t' && *token_end(field, end) == '\t';
        if (process > line && (tabs || isdigit((unsigned char)process[-1]))) {
            while (process > line && process[-1] != ' ' && process[-1] != '\t')
                process--;
            return process;
        }
    }
    return find_logged(at, end);
}

/* One field at `*at`, as EDN. */
static enum status read_field(struct line_parser *parser, const char **at, const char *end,
                              value *v)
{
    struct value_pool *pool = parser->context->pool;
    const char *behind = edn_scan_value(parser->state, pool, *at, v);
    if (LIKELY(behind)) {
        *at = behind;
        return STATUS_OK;
    }
    size_t used;
    TRY(value_parse_edn(pool, *at, (size_t)(end - *at), &used, parser->file, parser->line, v,
                        parser->error));
    *at += used;
    return STATUS_OK;
}

static enum status found(struct line_parser *parser, const char *expected, const char *at,
                         const char *end)
{
    return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                     "expected %s, found `%.*s`", expected, end - at > 40 ? 40 : (int)(end - at),
                     at);
}

static enum status read_event(struct line_parser *parser, const char *at, const char *end)
{
    static const enum jepsen_field order[] = {FIELD_PROCESS, FIELD_TYPE, FIELD_FUNCTION,
                                              FIELD_VALUE};
    struct jepsen_event jepsen;
    const char *start = at, *rest = end;
    jepsen_begin(&jepsen, parser->line);
    for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
        value v;
        at = skip_space(at, end);
        if (at == end && order[i] == FIELD_VALUE)
            break;
        const char *field = at;
        TRY(read_field(parser, &at, end, &v));
        /* A value of several words may have anything in it. */
        rest = order[i] != FIELD_VALUE || token_end(field, end) < at ? at : field;
        const char *expected = jepsen_take(&jepsen, order[i], v);
        if (expected)
            return found(parser, expected, field, at);
        if (at < end && *at != '\t' && *at != ' ')
            return found(parser, "white space between fields", at, end);
    }
    const char *missing = jepsen_end(&jepsen, false);
    if (missing)
        return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                         "expected %s, found an event without", missing);
    const char *second = find_second(start, rest, end);
    if (second)
        return found(parser, "one event on a line", second, end);
    return lines_push(parser, &jepsen.event);
}

static enum status expected_event(struct line_parser *parser, const char *line, const char *end)
{
    return found(parser, "an event such as `3 <tab> :invoke <tab> :read <tab> nil`", line, end);
}

static enum status parse_logged(struct line_parser *parser, const char *line, size_t length)
{
    const char *end = line + length, *at = find_event(line, end);
    if (at)
        return read_event(parser, at, end);
    parser->passed_over++;
    return STATUS_OK;
}

static enum status parse_line(struct line_parser *parser, const char *line, size_t length)
{
    const char *end = line + length, *at = skip_space(line, end);
    if (starts_event(at, end))
        return read_event(parser, at, end);
    if (is_log_line(at, (size_t)(end - at)))
        return parse_logged(parser, at, (size_t)(end - at));
    return expected_event(parser, line, end);
}

/* A log, unless its first line is an event. */
static bool is_log(const char *head, size_t length)
{
    const char *end = head + length, *at = recognise_skip(head, end, 0);
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return !starts_event(at, newline ? newline : end);
}

/* A log without events is none of Jepsen's. */
static enum status check_found(const struct read_context *context, struct error *error)
{
    const struct histories *histories = context->histories;
    const struct history *history = histories->items.items[histories->items.length - 1];
    if (history->passed_over == 0 || history->positions > 0 || history->annotations.length > 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, source_name(context->source), 1,
                     "expected events such as `3 <tab> :invoke <tab> :read <tab> nil`, found none "
                     "in %u lines",
                     history->passed_over);
}

static enum status read_text(struct read_context *context, struct error *error)
{
    static const struct line_format lines = {
        .name = "jepsen-text", .state_size = sizeof(struct scan_names), .parse = parse_line};
    static const struct line_format log = {
        .name = "jepsen-text", .state_size = sizeof(struct scan_names), .parse = parse_logged};
    const char *head;
    size_t length;
    TRY(source_peek(context->source, &head, &length, 4096, error));
    TRY(lines_read(context, is_log(head, length) ? &log : &lines, error));
    return check_found(context, error);
}

/* By the first line that is an event. Where no line is, so far, a log of Jepsen's may be setting up
 * its nodes; and what begins like EDN may be that. */
static int recognise_text(const char *head, size_t length, bool whole)
{
    const char *end = head + length, *at = recognise_skip(head, end, 0);
    int sure = at < end && strchr("{[(#^", *at) ? 1 : 2;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        if (!newline && !whole)
            break;
        const char *event = find_event(at, stop);
        if (event && starts_event(event, stop))
            return sure;
        at = recognise_skip(stop, end, 0);
    }
    return !whole && recognise_has(head, length, " jepsen.") ? 1 : 0;
}

static const char *say_event(const struct event *event, struct text *text)
{
    if (event->has_key)
        return "a key";
    if (event->has_object)
        return "an object";
    size_t start = text->length;
    value_print_edn(event->process, text);
    if (memchr(text->bytes + start, ' ', text->length - start))
        return "a process that is more than one word";
    text_format(text, "\t:%s\t", jepsen_type_name(event->type));
    if (!edn_print_name(event->function, text))
        value_print_edn(event->function, text);
    if (event->has_value) {
        text_append_char(text, '\t');
        value_print_edn(event->value, text);
    }
    text_append_char(text, '\n');
    return NULL;
}

static enum status write_text(const struct history *history, FILE *out, struct error *error)
{
    return jepsen_write(history, "jepsen-text", say_event, false, out, error);
}

const struct format format_jepsen_text = {
    .name = "jepsen-text",
    .description = "Jepsen's history.txt, `3 <tab> :invoke <tab> :read <tab> nil`, or its log",
    .recognise = recognise_text,
    .read = read_text,
    .write = write_text,
    .writes_invocations = true,
};
