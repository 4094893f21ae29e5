/* Histories as TLA+ writes them (Hochstein, "Reading the Herlihy & Wing Linearizability paper with
 * TLA+"): sequences of records,
 *
 *     H1 == << [op|->"E", val|->"x", proc|->"A"],
 *              [op|->"Ok", proc|->"A"] >>
 *
 * alone or inside a module. We read definitions whose body is such a sequence and pass over
 * everything else a module holds; what we do pass over is lexed as TLA+ (comments nest), not
 * parsed. A history that continues behind its `>>` (H \o <<...>>) is refused, not cut short. */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "history/reading.h"
#include "history/tla.h"
#include "value/print.h"

struct definition {
    const char *name; /* null: the file is the sequence alone */
    size_t name_length;
    struct tla_lexer body; /* behind << */
};

struct reader {
    struct read_context *context;
    const char *file;
    struct tla_lexer lexer;
    struct tla_token token; /* the next one */
    VECTOR(struct definition) definitions;
    VECTOR(value) items; /* of the collections being read, innermost last */
    bool other_names;    /* some operation is neither E nor D */
    struct error *error;
};

/* Whether the sequence whose << was just taken is one of records, or empty. */
static bool holds_records(struct tla_lexer lexer)
{
    struct tla_token first = tla_lex(&lexer);
    if (first.kind == TLA_CLOSE)
        return true;
    return tla_is_sign(&first, '[') && tla_lex(&lexer).kind == TLA_NAME &&
           tla_lex(&lexer).kind == TLA_MAPS;
}

/* Finds `NAME == << [field |->`, and a file that begins with the sequence itself. */
static enum status find_definitions(struct reader *reader)
{
    struct tla_lexer *lexer = &reader->lexer;
    struct tla_token name = {.kind = TLA_OTHER}, define = name;
    for (bool first = true;; first = false) {
        struct tla_token token = tla_lex(lexer);
        if (token.kind == TLA_BROKEN_COMMENT)
            return error_set(reader->error, STATUS_INPUT, reader->file, token.line,
                             "expected *) at the end of the comment, found the end of the file");
        if (token.kind == TLA_END)
            return STATUS_OK;
        bool defined = name.kind == TLA_NAME && define.kind == TLA_DEFINE;
        if (token.kind == TLA_OPEN && (first || defined) && holds_records(*lexer)) {
            struct definition definition = {.body = *lexer};
            if (defined) {
                definition.name = name.start;
                definition.name_length = name.length;
            }
            TRY_MEMORY(vector_push(&reader->definitions, definition));
        }
        name = define;
        define = token;
    }
}

static void advance(struct reader *reader)
{
    reader->token = tla_lex(&reader->lexer);
}

static enum status unexpected(const struct reader *reader, const char *expected)
{
    const struct tla_token *token = &reader->token;
    int shown = token->length > 40 ? 40 : (int)token->length;
    const char *file = reader->file;
    switch (token->kind) {
    case TLA_END:
        return error_set(reader->error, STATUS_INPUT, file, token->line,
                         "expected %s, found the end of the file", expected);
    case TLA_BROKEN_COMMENT:
        return error_set(reader->error, STATUS_INPUT, file, token->line,
                         "expected *) at the end of the comment, found the end of the file");
    case TLA_BROKEN_TEXT:
        return error_set(reader->error, STATUS_INPUT, file, token->line,
                         "expected \" at the end of the string, found the end of the line");
    default:
        return error_set(reader->error, STATUS_INPUT, file, token->line, "expected %s, found %.*s",
                         expected, shown, token->start);
    }
}

static enum status take_sign(struct reader *reader, char sign, const char *expected)
{
    if (!tla_is_sign(&reader->token, sign))
        return unexpected(reader, expected);
    advance(reader);
    return STATUS_OK;
}

static enum status refusable(value v)
{
    return v == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
}

/* The string's content, its escapes undone. */
static enum status read_text(struct reader *reader, value *result)
{
    struct tla_token token = reader->token;
    struct text text = TEXT_EMPTY;
    if (!utf8_is_valid(token.start, token.length))
        return error_set(reader->error, STATUS_INPUT, reader->file, token.line,
                         "expected UTF-8, found a string with other bytes");
    for (size_t i = 1; i + 1 < token.length; i++) {
        char byte = token.start[i];
        if (byte == '\\') {
            static const char names[] = "tnfr", bytes[] = "\t\n\f\r";
            byte = token.start[++i];
            const char *escape = strchr(names, byte);
            if (escape)
                byte = bytes[escape - names];
        }
        text_append_char(&text, byte);
    }
    *result = value_text(reader->context->pool, KIND_STRING, text_string(&text), text.length);
    text_release(&text);
    advance(reader);
    return refusable(*result);
}

static enum status read_number(struct reader *reader, bool negative, value *result)
{
    struct tla_token token = reader->token;
    uint64_t number = 0;
    for (size_t i = 0; i < token.length; i++) {
        unsigned digit = (unsigned)(token.start[i] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return unexpected(reader, "an integer of at most 64 bits");
        number = number * 10 + digit;
    }
    if (number > (uint64_t)INT64_MAX + negative)
        return unexpected(reader, "an integer of at most 64 bits");
    *result =
        value_integer(reader->context->pool, negative ? (int64_t)(0 - number) : (int64_t)number);
    advance(reader);
    return refusable(*result);
}

static enum status read_name(struct reader *reader, value *result)
{
    struct tla_token token = reader->token;
    if (tla_is_word(&token, "TRUE") || tla_is_word(&token, "FALSE"))
        *result = value_boolean(tla_is_word(&token, "TRUE"));
    else if (tla_is_word(&token, "NULL"))
        *result = VALUE_NIL;
    else
        *result = value_text(reader->context->pool, KIND_SYMBOL, token.start, token.length);
    advance(reader);
    return refusable(*result);
}

static enum status read_value(struct reader *reader, unsigned depth, value *result);

/* One `name |-> value`; the name goes to `items`, the value too. */
static enum status read_entry(struct reader *reader, unsigned depth)
{
    struct tla_token name = reader->token;
    if (name.kind != TLA_NAME)
        return unexpected(reader, "the name of a field");
    advance(reader);
    if (reader->token.kind != TLA_MAPS)
        return unexpected(reader, "|->");
    advance(reader);
    value key = value_text(reader->context->pool, KIND_STRING, name.start, name.length), mapped;
    TRY_MEMORY(key != VALUE_REFUSED && vector_push(&reader->items, key));
    TRY(read_value(reader, depth, &mapped));
    return granted(vector_push(&reader->items, mapped));
}

static bool at_close(const struct reader *reader, enum value_kind kind)
{
    switch (kind) {
    case KIND_LIST:
        return reader->token.kind == TLA_CLOSE;
    case KIND_SET:
        return tla_is_sign(&reader->token, '}');
    default:
        return tla_is_sign(&reader->token, ']');
    }
}

/* The rest of <<...>>, {...} or [...], whose opening was taken. */
static enum status read_collection(struct reader *reader, enum value_kind kind, unsigned depth,
                                   value *result)
{
    size_t base = reader->items.length;
    while (!at_close(reader, kind)) {
        if (kind == KIND_MAP) {
            TRY(read_entry(reader, depth));
        } else {
            value item;
            TRY(read_value(reader, depth, &item));
            TRY_MEMORY(vector_push(&reader->items, item));
        }
        if (at_close(reader, kind))
            break;
        TRY(take_sign(reader, ',',
                      kind == KIND_LIST  ? "a comma or >>"
                      : kind == KIND_SET ? "a comma or }"
                                         : "a comma or ]"));
    }
    advance(reader);
    struct value_pool *pool = reader->context->pool;
    size_t length = reader->items.length - base;
    const value *items = length ? reader->items.items + base : NULL;
    *result = kind == KIND_LIST  ? value_list(pool, items, length)
              : kind == KIND_SET ? value_set(pool, items, length)
                                 : value_map(pool, items, length);
    reader->items.length = base;
    return refusable(*result);
}

static enum status read_value(struct reader *reader, unsigned depth, value *result)
{
    struct tla_token token = reader->token;
    if (depth == TLA_MAX_DEPTH)
        return unexpected(reader, "a value nested less deep");
    if (token.kind == TLA_TEXT)
        return read_text(reader, result);
    if (token.kind == TLA_NUMBER)
        return read_number(reader, false, result);
    if (token.kind == TLA_NAME)
        return read_name(reader, result);
    bool open = token.kind == TLA_OPEN, set = tla_is_sign(&token, '{'),
         map = tla_is_sign(&token, '[');
    if (!open && !set && !map && !tla_is_sign(&token, '-'))
        return unexpected(reader, "a value");
    advance(reader);
    if (open || set || map)
        return read_collection(reader,
                               open  ? KIND_LIST
                               : set ? KIND_SET
                                     : KIND_MAP,
                               depth + 1, result);
    if (reader->token.kind != TLA_NUMBER)
        return unexpected(reader, "a number behind -");
    return read_number(reader, true, result);
}

/* Ok, Fail and Info complete what the process runs; any other name invokes. E and D are the
 * enqueue and dequeue of Herlihy and Wing's paper, W and R its write and read. */
static enum status set_operation(struct reader *reader, struct event *event, value op)
{
    static const struct {
        const char *name;
        enum event_type type;
        const char *function;
    } names[] = {
        {"Ok", EVENT_OK, NULL},         {"Fail", EVENT_FAIL, NULL},
        {"Info", EVENT_INFO, NULL},     {"E", EVENT_INVOKE, "enqueue"},
        {"D", EVENT_INVOKE, "dequeue"}, {"W", EVENT_INVOKE, "write"},
        {"R", EVENT_INVOKE, "read"},
    };
    event->type = EVENT_INVOKE;
    event->function = op;
    const char *function = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        if (!value_text_is(op, names[i].name))
            continue;
        event->type = (uint8_t)names[i].type;
        function = names[i].function;
        if (function)
            event->function =
                value_text(reader->context->pool, KIND_STRING, function, strlen(function));
        else
            event->function = VALUE_NIL;
    }
    if (event->type == EVENT_INVOKE && !value_text_is(op, "E") && !value_text_is(op, "D"))
        reader->other_names = true;
    return refusable(event->function);
}

enum field {
    FIELD_OP,
    FIELD_VAL,
    FIELD_PROC,
    FIELD_KEY,
    FIELD_OBJECT,
    FIELDS
};

/* The field's name and its |->. */
static enum status read_field(struct reader *reader, unsigned *seen, enum field *field)
{
    static const char *const names[FIELDS] = {"op", "val", "proc", "key", "object"};
    *field = FIELD_OP;
    while (*field < FIELDS && !tla_is_word(&reader->token, names[*field]))
        (*field)++;
    if (*field == FIELDS)
        return unexpected(reader, "one of the fields op, val, proc, key, object");
    if (*seen & 1u << *field)
        return unexpected(reader, "each field only once");
    *seen |= 1u << *field;
    advance(reader);
    if (reader->token.kind != TLA_MAPS)
        return unexpected(reader, "|->");
    advance(reader);
    if (*field == FIELD_OP && reader->token.kind != TLA_TEXT)
        return unexpected(reader, "the operation's name as a string");
    return STATUS_OK;
}

static enum status set_field(struct reader *reader, struct event *event, enum field field, value v)
{
    switch (field) {
    case FIELD_OP:
        return set_operation(reader, event, v);
    case FIELD_VAL:
        event->has_value = true;
        event->value = v;
        break;
    case FIELD_PROC:
        event->process = v;
        break;
    case FIELD_KEY:
        event->has_key = true;
        event->key = v;
        break;
    default:
        event->has_object = true;
        event->object = v;
    }
    return STATUS_OK;
}

/* One record of the history, from its [ to its ]. */
static enum status read_record(struct reader *reader, struct event *event)
{
    *event = (struct event){.time = TIME_NONE, .line = reader->token.line};
    unsigned seen = 0;
    TRY(take_sign(reader, '[', "a record [op |-> ..., proc |-> ...]"));
    for (;;) {
        enum field field;
        value v;
        TRY(read_field(reader, &seen, &field));
        TRY(read_value(reader, 0, &v));
        TRY(set_field(reader, event, field, v));
        if (tla_is_sign(&reader->token, ']'))
            break;
        TRY(take_sign(reader, ',', "a comma or ]"));
    }
    bool has_op = seen & 1u << FIELD_OP, has_process = seen & 1u << FIELD_PROC;
    if (!has_op || !has_process)
        return error_set(reader->error, STATUS_INPUT, reader->file, event->line,
                         "expected the field %s in the record, found none", has_op ? "proc" : "op");
    advance(reader);
    return STATUS_OK;
}

static enum status read_records(struct reader *reader, struct reading *reading)
{
    while (reader->token.kind != TLA_CLOSE) {
        struct event event;
        TRY(read_record(reader, &event));
        TRY(reading_event(reading, &event, reader->error));
        if (reader->token.kind == TLA_CLOSE)
            break;
        TRY(take_sign(reader, ',', "a comma or >>"));
        if (reader->token.kind == TLA_CLOSE)
            return unexpected(reader, "a record behind the comma");
    }
    advance(reader);
    if (tla_is_sign(&reader->token, '\\') || tla_is_sign(&reader->token, '['))
        return unexpected(reader, "the end of the history's definition");
    return STATUS_OK;
}

static enum status read_definition(struct reader *reader, const struct definition *definition)
{
    struct text name = TEXT_EMPTY;
    text_append(&name, reader->file);
    if (reader->definitions.length > 1)
        text_format(&name, "#%.*s", (int)definition->name_length, definition->name);
    struct reading reading;
    enum status status =
        reading_open(reader->context, text_string(&name), "tla", &reading, reader->error);
    text_release(&name);
    TRY(status);
    reader->lexer = definition->body;
    reader->other_names = false;
    advance(reader);
    status = read_records(reader, &reading);
    if (status == STATUS_OK && !reader->other_names && reading.records > 0)
        reading.history->specification = "queue";
    return reading_close(&reading, status, reader->error);
}

static enum status read_all(struct reader *reader)
{
    TRY(find_definitions(reader));
    if (reader->definitions.length == 0)
        return error_set(reader->error, STATUS_INPUT, reader->file, 1,
                         "expected a history H == << [op |-> ..., proc |-> ...], ... >>, "
                         "found none");
    for (size_t i = 0; i < reader->definitions.length; i++)
        TRY(read_definition(reader, &reader->definitions.items[i]));
    return STATUS_OK;
}

static enum status tla_read(struct read_context *context, struct error *error)
{
    struct reader reader = {
        .context = context, .file = source_name(context->source), .error = error};
    vectors_init(context->budget, &reader.definitions, &reader.items);
    struct bytes bytes;
    vector_init(&bytes, context->budget);
    enum status status = reading_bytes(context, &bytes, error);
    if (status == STATUS_OK) {
        reader.lexer =
            (struct tla_lexer){.at = bytes.items, .end = bytes.items + bytes.length, .line = 1};
        status = read_all(&reader);
    }
    vectors_release(&reader.definitions, &reader.items, &bytes);
    return status;
}

/* A sequence of records is in no other format; in a module it may stand far behind the beginning,
 * and an empty history is but `H == << >>`. */
static int tla_recognise(const char *head, size_t length, bool whole)
{
    (void)whole;
    struct tla_lexer lexer = {.at = head, .end = head + length, .line = 1};
    struct tla_token before = {.kind = TLA_OTHER}, token = tla_lex(&lexer);
    int sure = memmem(head, length, "---- MODULE", 11) ? 1 : 0;
    for (; token.kind != TLA_END && token.kind != TLA_BROKEN_COMMENT; token = tla_lex(&lexer)) {
        if (token.kind == TLA_MAPS && before.kind == TLA_NAME)
            return 2;
        if (token.kind == TLA_OPEN && before.kind == TLA_DEFINE)
            sure = 1;
        before = token;
    }
    return sure;
}

const struct format format_tla = {
    .name = "tla",
    .description = "TLA+ sequences of records, H == << [op |-> \"E\", val |-> \"x\", ...], ... >>",
    .recognise = tla_recognise,
    .read = tla_read,
    .write = tla_write,
};
