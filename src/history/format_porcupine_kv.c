/* Porcupine's key-value logs: Jepsen's shape in EDN, an event a line, with the key beside the value
 * and nothing but strings in both:
 *
 *     {:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}
 *
 * The object is a map, and a key that is not there reads "". That is what tells these logs from
 * other EDN with keys: see recognise. */
#include <string.h>

#include "base/utf8.h"
#include "history/edn_events.h"
#include "history/format.h"
#include "history/recognise.h"
#include "history/writing.h"
#include "value/print.h"

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

static enum status kv_read(struct read_context *context, struct error *error)
{
    static const struct line_format lines = {
        .name = "porcupine-kv", .state_size = sizeof(struct scan_names), .parse = parse_line};
    TRY(lines_read(context, &lines, error));
    struct history *history = context->histories->items.items[context->histories->items.length - 1];
    forget_echoes(history);
    history->specification = "map";
    history->initial_known = true;
    history->initial = value_text(context->pool, KIND_STRING, "", 0);
    return history->initial == VALUE_REFUSED ? reading_stopped(context, error) : STATUS_OK;
}

/* Whether `word` stands in the line, outside of strings. */
static bool has_word(const char *line, size_t length, const char *word)
{
    size_t word_length = strlen(word);
    bool string = false;
    for (size_t i = 0; i + word_length <= length; i++) {
        if (string && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            string = !string;
        else if (!string && memcmp(line + i, word, word_length) == 0)
            return true;
    }
    return false;
}

/* Whether one line is such an event: its only fields are process, type, f, key and value, f is get,
 * put or append, and the value a string, or nil where a get does not say what it found. */
static bool is_event(const char *line, size_t length)
{
    bool get = has_word(line, length, ":f :get");
    if (*line != '{' || !recognise_has(line, length, ":key \"") ||
        has_word(line, length, ":time ") || has_word(line, length, ":index "))
        return false;
    if (!get && !has_word(line, length, ":f :put") && !has_word(line, length, ":f :append"))
        return false;
    return recognise_has(line, length, ":value \"") ||
           (get && !has_word(line, length, ":type :ok") && has_word(line, length, ":value nil"));
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
