/* Writing a history as a TLA+ sequence of records. */
#include <inttypes.h>
#include <string.h>

#include "history/tla.h"
#include "history/writing.h"

#define NOT_SAID "a value that is a real number, or a map whose keys are no names"

static bool say_value(struct text *text, value v, unsigned depth);

static bool is_name(const char *letters, size_t length)
{
    struct tla_lexer lexer = {.at = letters, .end = letters + length, .line = 1};
    struct tla_token token = tla_lex(&lexer);
    return token.kind == TLA_NAME && token.length == length;
}

static bool is_field_name(value v)
{
    size_t length;
    const char *letters = value_get_text(v, &length);
    return letters && is_name(letters, length);
}

static bool say_items(struct text *text, value v, unsigned depth)
{
    enum value_kind kind = value_kind_of(v);
    size_t length;
    const value *items = value_get_items(v, &length);
    text_append(text, kind == KIND_LIST ? "<<" : kind == KIND_SET ? "{" : "[");
    for (size_t i = 0; i < length; i++) {
        if (kind == KIND_MAP && i % 2 == 0) {
            if (!is_field_name(items[i]))
                return false;
            text_append(text, i ? ", " : "");
            text_append(text, value_get_text(items[i], NULL));
            text_append(text, " |-> ");
            continue;
        }
        text_append(text, kind != KIND_MAP && i ? ", " : "");
        if (!say_value(text, items[i], depth))
            return false;
    }
    text_append(text, kind == KIND_LIST ? ">>" : kind == KIND_SET ? "}" : "]");
    return true;
}

static void say_letters(struct text *text, const char *letters, size_t length)
{
    text_append_char(text, '"');
    for (size_t i = 0; i < length; i++) {
        static const char names[] = "\"\\tnfr", bytes[] = "\"\\\t\n\f\r";
        const char *escaped = letters[i] ? strchr(bytes, letters[i]) : NULL;
        if (escaped)
            text_append_char(text, '\\');
        text_append_char(text, escaped ? names[escaped - bytes] : letters[i]);
    }
    text_append_char(text, '"');
}

/* False for what TLA+ has no word for: real numbers, maps whose keys are no names. */
static bool say_value(struct text *text, value v, unsigned depth)
{
    int64_t integer;
    switch (value_kind_of(v)) {
    case KIND_NIL:
        text_append(text, "NULL");
        return true;
    case KIND_BOOLEAN:
        text_append(text, v == VALUE_TRUE ? "TRUE" : "FALSE");
        return true;
    case KIND_INTEGER:
        value_get_integer(v, &integer);
        text_format(text, "%" PRId64, integer);
        return true;
    case KIND_REAL:
        return false;
    case KIND_SYMBOL:
        if (is_field_name(v) && !value_text_is(v, "TRUE") && !value_text_is(v, "FALSE") &&
            !value_text_is(v, "NULL")) {
            text_append(text, value_get_text(v, NULL));
            return true;
        }
        break;
    case KIND_STRING:
    case KIND_KEYWORD:
        break;
    default:
        return depth < TLA_MAX_DEPTH && say_items(text, v, depth + 1);
    }
    size_t length;
    const char *letters = value_get_text(v, &length);
    say_letters(text, letters, length);
    return true;
}

/* The event's op; false for the name of an operation that would read as something else. */
static bool say_op(const struct history *history, const struct operation *operation, bool response,
                   struct text *text)
{
    static const char *const taken[] = {"Ok", "Fail", "Info", "E", "D", "W", "R"};
    static const char *const completions[] = {
        [OUTCOME_OK] = "Ok", [OUTCOME_FAIL] = "Fail", [OUTCOME_UNKNOWN] = "Info"};
    value function = history->functions.items[operation->function];
    size_t length;
    const char *letters = value_get_text(function, &length);
    for (size_t i = 0; i < ARRAY_LENGTH(taken); i++)
        if (value_text_is(function, taken[i]))
            return false;
    const char *word = response                             ? completions[operation->outcome]
                       : value_text_is(function, "enqueue") ? "E"
                       : value_text_is(function, "dequeue") ? "D"
                                                            : NULL;
    say_letters(text, word ? word : letters, word ? strlen(word) : length);
    return true;
}

/* One event as a record. */
static const char *say_event(const struct event_writing *writing, const struct history *history,
                             const struct written_event *event, struct text *text)
{
    (void)writing;
    const struct operation *operation = &history->operations.items[event->operation];
    text_append(text, "[op |-> ");
    if (!say_op(history, operation, event->response, text))
        return "an operation of that name";
    value v = event->response ? operation->result : operation->argument;
    bool has_value = event->response ? operation->result_recorded : v != VALUE_NIL;
    if (has_value) {
        text_append(text, ", val |-> ");
        if (!say_value(text, v, 0))
            return NOT_SAID;
    }
    if (!event->response && operation->has_key) {
        text_append(text, ", key |-> ");
        if (!say_value(text, operation->key, 0))
            return NOT_SAID;
    }
    if (!event->response && operation->object != NO_OBJECT) {
        text_append(text, ", object |-> ");
        (void)say_value(text, history->objects.items[operation->object], 0);
    }
    text_append(text, ", proc |-> ");
    if (!say_value(text, history->processes.items[operation->process], 0))
        return NOT_SAID;
    text_append(text, "]");
    return NULL;
}

/* What the history's definition was called, behind FILE#, if that is a name. */
static const char *name_of(const struct history *history)
{
    const char *name = strrchr(history->name, '#');
    return name && is_name(name + 1, strlen(name + 1)) ? name + 1 : "H";
}

enum status tla_write(const struct history *history, FILE *out, struct error *error)
{
    struct text before = TEXT_EMPTY;
    text_format(&before, "%s ==\n  <<", name_of(history));
    const struct event_writing writing = {.format = "tla",
                                          .before = text_string(&before),
                                          .between = ",\n    ",
                                          .after = " >>\n",
                                          .say = say_event};
    enum status status = writing_texts(history, "tla", error);
    if (status == STATUS_OK)
        status = writing_events(history, &writing, out, error);
    text_release(&before);
    return status;
}
