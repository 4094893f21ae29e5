/* Porcupine's key-value logs: Jepsen's shape in EDN, an event a line, with the key beside the value
 * and nothing but strings in both:
 *
 *     {:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}
 *
 * The object is a map, and a key that is not there reads "". That is what tells these logs from
 * other EDN with keys, and every line must tell it, not only those from which the format is
 * recognised: a line far behind them may be a get that found nil, or a delete. So a file of which
 * nobody said its format is read as EDN, and is such a log if in the end all lines were its
 * events. */
#include <stdatomic.h>
#include <string.h>

#include "base/utf8.h"
#include "history/edn_events.h"
#include "history/format.h"
#include "history/recognise.h"
#include "history/writing.h"
#include "value/print.h"

/* ---- which lines are its events ---- */

enum {
    SAYS_PROCESS = 1,
    SAYS_GET = 2,
    SAYS_WRITE = 4,
    SAYS_KEY = 8,
    SAYS_TEXT = 16,
    SAYS_NIL = 32,
    SAYS_OK = 64,
    SAYS_MORE = 128, /* than such an event does */
};

#define BEGINS(at, end, word)                                                                      \
    ((size_t)((end) - (at)) >= sizeof(word) && memcmp(at, word, sizeof(word) - 1) == 0)

/* Whether the word that begins at `at` is this one, and something is behind it. */
#define IS_WORD(at, end, word) (BEGINS(at, end, word) && strchr(" ,}", (at)[sizeof(word) - 1]))

/* What the field that begins at `at`, with its colon, says. */
static unsigned field_says(const char *at, const char *end)
{
    switch (end - at > 1 ? at[1] : 0) {
    case 'p':
        return BEGINS(at, end, ":process ") && (at[9] == '-' || (at[9] >= '0' && at[9] <= '9'))
                   ? SAYS_PROCESS
                   : 0;
    case 'f':
        return IS_WORD(at, end, ":f :get")                                     ? SAYS_GET
               : IS_WORD(at, end, ":f :put") || IS_WORD(at, end, ":f :append") ? SAYS_WRITE
                                                                               : 0;
    case 'k':
        return BEGINS(at, end, ":key \"") ? SAYS_KEY : 0;
    case 'v':
        return BEGINS(at, end, ":value \"")     ? SAYS_TEXT
               : IS_WORD(at, end, ":value nil") ? SAYS_NIL
                                                : 0;
    case 't':
        return IS_WORD(at, end, ":type :ok") ? SAYS_OK : BEGINS(at, end, ":time ") ? SAYS_MORE : 0;
    case 'i':
        return BEGINS(at, end, ":index ") ? SAYS_MORE : 0;
    default:
        return 0;
    }
}

/* Behind the string that begins at `at`. */
static const char *pass_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

/* What the fields of the map say that begins the line. */
static unsigned line_says(const char *line, size_t length)
{
    static const unsigned char marks[256] = {
        [':'] = 1, ['"'] = 1, ['{'] = 1, ['}'] = 1, ['['] = 1, [']'] = 1, ['('] = 1, [')'] = 1};
    const char *end = line + length, *at = line;
    unsigned says = 0, depth = 0;
    do {
        if (*at == '"') {
            at = pass_string(at, end) - 1;
        } else if (*at == ':') {
            says |= depth == 1 ? field_says(at, end) : 0;
        } else {
            depth += *at == '{' || *at == '[' || *at == '(';
            depth -= *at == '}' || *at == ']' || *at == ')';
        }
        for (at++; at < end && !marks[(unsigned char)*at]; at++)
            ;
    } while (at < end && depth > 0);
    return says;
}

/* Whether one line is such an event: of the fields that mean something it has process, type, f, key
 * and value alone, f is get, put or append, and the value a string, or nil where a get does not say
 * what it found. */
static bool is_event(const char *line, size_t length)
{
    unsigned says = length > 0 && *line == '{' ? line_says(line, length) : 0;
    unsigned function = says & (SAYS_GET | SAYS_WRITE), found = says & (SAYS_TEXT | SAYS_NIL);
    return says & SAYS_PROCESS && says & SAYS_KEY && !(says & SAYS_MORE) &&
           (function == SAYS_GET || function == SAYS_WRITE) &&
           (found == SAYS_TEXT || (found == SAYS_NIL && function == SAYS_GET && !(says & SAYS_OK)));
}

/* All whole lines must be such events. */
static int kv_recognise(const char *head, size_t length, bool whole)
{
    const char *end = head + length, *at = recognise_skip(head, end, ';');
    size_t events = 0;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !whole && events > 0)
            break;
        if (!is_event(at, (size_t)((newline ? newline : end) - at)))
            return 0;
        events++;
        at = newline ? recognise_skip(newline, end, ';') : end;
    }
    return events > 0 ? 2 : 0;
}

/* ---- where the format was asked for ---- */

/* Any line of EDN that is one event. */
static enum status parse_slowly(struct line_parser *parser, const char *line, size_t length,
                                struct event *event, bool *found)
{
    struct edn_cursor cursor;
    edn_open(&cursor, parser->context->pool, line, length, parser->file, parser->line,
             parser->error);
    enum status status = edn_space(&cursor);
    *found = status == STATUS_OK && cursor.at < cursor.end;
    if (*found)
        status = edn_event(&cursor, event);
    if (*found && status == STATUS_OK)
        status = edn_space(&cursor);
    if (status == STATUS_OK && cursor.at < cursor.end)
        status = edn_fault(&cursor, "one event a line");
    edn_close(&cursor);
    return status;
}

static enum status parse_line(struct line_parser *parser, const char *line, size_t length)
{
    struct event event;
    bool found = true;
    if (UNLIKELY(!edn_scan_line(parser->state, parser->context->pool, line, length, parser->line,
                                &event)))
        TRY(parse_slowly(parser, line, length, &event, &found));
    if (!found)
        return STATUS_OK;
    if (UNLIKELY(!event.has_key && event.type == EVENT_INVOKE))
        return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                         "expected a `key`, as all operations of these logs have, found `%s` "
                         "without",
                         value_get_text(event.function, NULL));
    if (UNLIKELY(event.type == EVENT_NOTE))
        return error_set(parser->error, STATUS_INPUT, parser->file, parser->line,
                         "expected an integer as `process`, found another value");
    event.time = TIME_NONE; /* if there is one, it is not of this format */
    return lines_push(parser, &event);
}

/* Of what completions say, only what a get found means something. */
static void forget_echoes(struct history *history)
{
    for (size_t i = 0; i < history->operations.length; i++) {
        struct operation *operation = &history->operations.items[i];
        if (operation->outcome == OUTCOME_OK &&
            value_text_is(history->functions.items[operation->function], "get"))
            continue;
        operation->result = VALUE_NIL;
        operation->result_recorded = false;
    }
}

/* ---- where it was recognised ---- */

/* The context that the lines are read in; lines.h passes on the inner one. */
struct kv_context {
    struct read_context context;
    atomic_bool other; /* a line was no event of these logs: it is other EDN */
};

static void note_other(const struct read_context *context)
{
    atomic_store_explicit(&((struct kv_context *)context)->other, true, memory_order_relaxed);
}

static enum status parse_recognised(struct line_parser *parser, const char *line, size_t length)
{
    const char *end = line + length, *at = recognise_skip(line, end, ';');
    if (at < end && !is_event(at, (size_t)(end - at)))
        note_other(parser->context);
    return format_edn.lines->parse(parser, line, length);
}

/* Text that is not of whole events, each in a line. */
static enum status rest_recognised(struct line_reading *reading, struct rest_text *rest,
                                   struct error *error)
{
    if (rest->length > 0)
        note_other(reading->reading.context);
    return format_edn.lines->rest(reading, rest, error);
}

static enum status read_recognised(struct kv_context *kv, struct error *error)
{
    struct line_format lines = *format_edn.lines;
    lines.name = "porcupine-kv";
    lines.parse = parse_recognised;
    lines.rest = rest_recognised;
    return lines_read(&kv->context, &lines, error);
}

static enum status kv_read(struct read_context *context, struct error *error)
{
    static const struct line_format lines = {
        .name = "porcupine-kv", .state_size = sizeof(struct scan_names), .parse = parse_line};
    struct kv_context kv = {.context = *context};
    TRY(context->options->format ? lines_read(context, &lines, error)
                                 : read_recognised(&kv, error));
    struct history *history = context->histories->items.items[context->histories->items.length - 1];
    /* Nor do these logs have annotations, which events are whose process is no integer. */
    if (kv.other || history->annotations.length > 0) {
        history->format = format_edn.name;
        return STATUS_OK;
    }
    forget_echoes(history);
    history->specification = "map";
    history->initial_known = true;
    history->initial = value_text(context->pool, KIND_STRING, "", 0);
    return history->initial == VALUE_REFUSED ? reading_stopped(context, error) : STATUS_OK;
}

/* ---- writing ---- */

/* The operation's key and value, from the `key` field or the argument. Null, or a complaint. */
static const char *take_apart(const struct operation *operation, bool get, value *key,
                              value *written)
{
    size_t length;
    const value *items = value_get_items(operation->argument, &length);
    *key = operation->has_key ? operation->key : get ? operation->argument : VALUE_NIL;
    *written = operation->argument;
    if (!operation->has_key && !get && value_kind_of(operation->argument) == KIND_LIST &&
        length == 2) {
        *key = items[0];
        *written = items[1];
    }
    if (value_kind_of(*key) != KIND_STRING)
        return "a key that is no string";
    if (get && operation->has_key && operation->argument != VALUE_NIL)
        return "an argument beside the key";
    return !get && value_kind_of(*written) != KIND_STRING ? "a value that is no string" : NULL;
}

static const char *say_event(const struct event_writing *writing, const struct history *history,
                             const struct written_event *event, struct text *text)
{
    (void)writing;
    static const char *const types[] = {
        [OUTCOME_OK] = "ok", [OUTCOME_FAIL] = "fail", [OUTCOME_UNKNOWN] = "info"};
    const struct operation *operation = &history->operations.items[event->operation];
    value function = history->functions.items[operation->function];
    bool get = value_text_is(function, "get");
    value key, written, process = history->processes.items[operation->process];
    int64_t number;
    if (!get && !value_text_is(function, "put") && !value_text_is(function, "append"))
        return "an operation other than get, put and append";
    if (operation->object != NO_OBJECT)
        return "an object";
    if (!value_get_integer(process, &number))
        return "a process that is no integer";
    const char *complaint = take_apart(operation, get, &key, &written);
    if (complaint)
        return complaint;
    if (get && event->response && operation->outcome == OUTCOME_OK) {
        written = operation->result;
        if (value_kind_of(written) != KIND_STRING)
            return "a value that is no string";
        if (!history->initial_known && value_text_is(written, ""))
            return "a read of \"\" (of which it says that the key is missing)";
    } else if (get) {
        written = VALUE_NIL;
    }
    text_append(text, "{:process ");
    value_print_edn(process, text);
    text_format(text, ", :type :%s, :f :%s, :key ",
                event->response ? types[operation->outcome] : "invoke",
                value_get_text(function, NULL));
    value_print_edn(key, text);
    text_append(text, ", :value ");
    value_print_edn(written, text);
    text_append(text, "}\n");
    return utf8_is_valid(text->bytes, text->length) ? NULL : "a text that is not UTF-8";
}

static enum status kv_write(const struct history *history, FILE *out, struct error *error)
{
    static const struct event_writing writing = {
        .format = "porcupine-kv", .before = "", .between = "", .after = "", .say = say_event};
    return writing_events(history, &writing, out, error);
}

const struct format format_porcupine_kv = {
    .name = "porcupine-kv",
    .description = "Porcupine's key-value logs: {:process 9, :type :invoke, :f :append, :key "
                   "\"0\", :value \"x\"}",
    .recognise = kv_recognise,
    .read = kv_read,
    .write = kv_write,
};
