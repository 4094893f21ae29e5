/* EDN (github.com/edn-format/edn) as Clojure prints it: recursive descent over a text in memory.
 *
 * Read alike on purpose: vectors and lists; a character and the string of it; a tagged form and the
 * form (records, #inst, #object); a regular expression and its string. Kept apart: what
 * value/number.h says of numbers, and the three kinds of text. A discarded form (#_), metadata (^)
 * and whatever a history's reader has no use for is passed over without making values. */
#include "value/edn.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "value/edn_names.h"
#include "value/number.h"
#include "value/print.h"

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == ',';
}

void edn_open(struct edn_cursor *cursor, struct value_pool *pool, const char *text, size_t length,
              const char *file, uint32_t line, struct error *error)
{
    *cursor = (struct edn_cursor){
        .at = text, .end = text + length, .line = line, .file = file, .pool = pool, .error = error};
    vector_init(&cursor->items, value_pool_budget(pool));
}

void edn_close(struct edn_cursor *cursor)
{
    vector_release(&cursor->items);
    text_release(&cursor->letters);
}

enum status edn_fault(struct edn_cursor *cursor, const char *expected)
{
    if (cursor->at == cursor->end) {
        cursor->ended = true;
        return error_set(cursor->error, STATUS_INPUT, cursor->file, cursor->line,
                         "expected %s, found the end", expected);
    }
    size_t length = edn_token_length(cursor->at, cursor->end);
    length = length == 0 ? 1 : length > 40 ? 40 : length;
    return error_set(cursor->error, STATUS_INPUT, cursor->file, cursor->line,
                     "expected %s, found `%.*s`", expected, (int)length, cursor->at);
}

static enum status refused(struct edn_cursor *cursor)
{
    return error_set(cursor->error, STATUS_LIMIT, cursor->file, cursor->line,
                     "the memory limit is reached");
}

static enum status made(struct edn_cursor *cursor, value v, value *result)
{
    *result = v;
    return v == VALUE_REFUSED ? refused(cursor) : STATUS_OK;
}

/* Before whatever recurses: a collection, a tagged form, a discarded form. */
static enum status enter(struct edn_cursor *cursor)
{
    if (cursor->depth == VALUE_MAX_DEPTH)
        return error_set(cursor->error, STATUS_INPUT, cursor->file, cursor->line,
                         "expected at most %d forms within one another, found more",
                         VALUE_MAX_DEPTH);
    cursor->depth++;
    return STATUS_OK;
}

/* #_ and the form behind it. If the text ends there, the line to look at is that of the #_. */
static enum status discard(struct edn_cursor *cursor)
{
    uint32_t line = cursor->line;
    cursor->at += 2;
    enum status status = edn_skip(cursor);
    if (status == STATUS_INPUT && cursor->ended && cursor->error)
        cursor->error->line = line;
    return status;
}

enum status edn_space(struct edn_cursor *cursor)
{
    while (cursor->at < cursor->end) {
        char c = *cursor->at;
        if (is_space(c)) {
            cursor->line += c == '\n';
            cursor->at++;
        } else if (c == ';') {
            const char *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
            cursor->at = newline ? newline : cursor->end;
        } else if (c == '#' && cursor->at + 1 < cursor->end && cursor->at[1] == '_') {
            TRY(discard(cursor));
        } else {
            break;
        }
    }
    return STATUS_OK;
}

enum status edn_skip(struct edn_cursor *cursor)
{
    value ignored;
    TRY(enter(cursor));
    cursor->ignoring++;
    enum status status = edn_value(cursor, &ignored);
    cursor->ignoring--;
    cursor->depth--;
    return status;
}

/* `count` digits of base 8 or 16 at the cursor; -1 if they are not there. */
static int32_t read_code(const char *at, const char *end, int count, int base)
{
    int32_t code = 0;
    if (end - at < count)
        return -1;
    for (; count > 0; count--, at++) {
        int digit = *at >= '0' && *at <= '9'   ? *at - '0'
                    : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10
                    : *at >= 'A' && *at <= 'F' ? *at - 'A' + 10
                                               : base;
        if (digit >= base)
            return -1;
        code = code * base + digit;
    }
    return code;
}

static bool is_surrogate(int32_t code)
{
    return code >= 0xd800 && code < 0xe000;
}

/* The escape behind a backslash, which has been passed. */
static enum status read_escape(struct edn_cursor *cursor)
{
    static const char names[] = "tnrbf\"\\'", meant[] = "\t\n\r\b\f\"\\'";
    char c = *cursor->at;
    const char *known = c ? strchr(names, c) : NULL;
    if (known) {
        text_append_char(&cursor->letters, meant[known - names]);
        cursor->at++;
        return STATUS_OK;
    }
    if (c == 'u') {
        int32_t code = read_code(cursor->at + 1, cursor->end, 4, 16);
        if (code < 0)
            return edn_fault(cursor, "four hexadecimal digits behind \\u");
        cursor->at += 5;
        if (is_surrogate(code)) {
            int32_t low =
                cursor->end - cursor->at >= 6 && cursor->at[0] == '\\' && cursor->at[1] == 'u'
                    ? read_code(cursor->at + 2, cursor->end, 4, 16)
                    : -1;
            if (code >= 0xdc00 || low < 0xdc00 || low > 0xdfff)
                return edn_fault(cursor, "a pair of surrogates");
            cursor->at += 6;
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        text_append_code(&cursor->letters, (uint32_t)code);
        return STATUS_OK;
    }
    return edn_fault(cursor, "an escape such as \\n, \\\" or \\u0041");
}

static enum status read_string(struct edn_cursor *cursor, value *result)
{
    const char *opening = cursor->at;
    uint32_t line = cursor->line;
    text_clear(&cursor->letters);
    cursor->at++;
    for (;;) {
        const char *run = cursor->at;
        while (cursor->at < cursor->end && *cursor->at != '"' && *cursor->at != '\\') {
            cursor->line += *cursor->at == '\n';
            cursor->at++;
        }
        text_append_bytes(&cursor->letters, run, (size_t)(cursor->at - run));
        bool closed = cursor->at < cursor->end && *cursor->at == '"';
        if (!closed && cursor->end - cursor->at < 2) {
            cursor->at = cursor->end;
            cursor->line = line;
            return edn_fault(cursor, "a closing \" of the string");
        }
        cursor->at++;
        if (closed)
            break;
        TRY(read_escape(cursor));
    }
    if (!utf8_is_valid(text_string(&cursor->letters), cursor->letters.length)) {
        cursor->at = opening;
        cursor->line = line;
        return error_set(cursor->error, STATUS_INPUT, cursor->file, line,
                         "expected UTF-8, found a string with other bytes");
    }
    if (cursor->ignoring)
        return STATUS_OK;
    value string = value_text(cursor->pool, KIND_STRING, text_string(&cursor->letters),
                              cursor->letters.length);
    return made(cursor, string, result);
}

static enum status read_character(struct edn_cursor *cursor, value *result)
{
    static const struct {
        const char *name;
        char character;
    } named[] = {{"newline", '\n'}, {"space", ' '},     {"tab", '\t'},
                 {"return", '\r'},  {"formfeed", '\f'}, {"backspace", '\b'}};
    const char *start = cursor->at + 1;
    if (start == cursor->end) {
        cursor->at = cursor->end;
        return edn_fault(cursor, "a character behind \\");
    }
    size_t length = 1 + edn_token_length(start + 1, cursor->end);
    int32_t code = -1;
    if (length == 1) {
        code = (unsigned char)*start < 0x80 ? *start : -1;
    } else if ((*start == 'u' && length == 5) || (*start == 'o' && length <= 4)) {
        code = read_code(start + 1, cursor->end, (int)length - 1, *start == 'u' ? 16 : 8);
        code = is_surrogate(code) ? -1 : code;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(named); i++)
        if (edn_token_is(start, length, named[i].name))
            code = named[i].character;
    text_clear(&cursor->letters);
    if (code >= 0)
        text_append_code(&cursor->letters, (uint32_t)code);
    else if ((unsigned char)*start >= 0xc2 && utf8_is_valid(start, length) &&
             length == (size_t)((unsigned char)*start < 0xe0   ? 2
                                : (unsigned char)*start < 0xf0 ? 3
                                                               : 4))
        text_append_bytes(&cursor->letters, start, length);
    else
        return edn_fault(cursor, "a character such as \\a or \\newline");
    cursor->line += *start == '\n' && length == 1;
    cursor->at = start + length;
    if (cursor->ignoring)
        return STATUS_OK;
    value string = value_text(cursor->pool, KIND_STRING, text_string(&cursor->letters),
                              cursor->letters.length);
    return made(cursor, string, result);
}

/* The forms up to `closing`, which is passed; they are on cursor->items from the length it had. */
static enum status read_items(struct edn_cursor *cursor, char closing)
{
    const char expected[] = {'a', ' ', 'v', 'a', 'l', 'u', 'e', ' ', 'o', 'r', ' ', closing, 0};
    TRY(enter(cursor));
    for (;;) {
        TRY(edn_space(cursor));
        if (cursor->at == cursor->end || strchr(")]}", *cursor->at))
            break;
        value item = VALUE_NIL;
        TRY(edn_value(cursor, &item));
        if (!cursor->ignoring && !vector_push(&cursor->items, item))
            return refused(cursor);
    }
    if (cursor->at == cursor->end || *cursor->at != closing)
        return edn_fault(cursor, expected);
    cursor->at++;
    cursor->depth--;
    return STATUS_OK;
}

/* Makes a collection of the items from `start` on; the map's line is that of its beginning. */
static enum status make_collection(struct edn_cursor *cursor, size_t start, uint32_t line,
                                   enum value_kind kind, value *result)
{
    const value *items = cursor->items.items + start;
    size_t length = cursor->items.length - start;
    if (kind == KIND_MAP && length % 2)
        return error_set(cursor->error, STATUS_INPUT, cursor->file, line,
                         "expected a map of keys and values in turn, found %zu forms", length);
    value collection = kind == KIND_MAP   ? value_map(cursor->pool, items, length)
                       : kind == KIND_SET ? value_set(cursor->pool, items, length)
                                          : value_list(cursor->pool, items, length);
    cursor->items.length = start;
    return made(cursor, collection, result);
}

static enum status read_collection(struct edn_cursor *cursor, char closing, enum value_kind kind,
                                   value *result)
{
    size_t start = cursor->items.length;
    uint32_t line = cursor->line;
    cursor->at++;
    TRY(read_items(cursor, closing));
    return cursor->ignoring ? STATUS_OK : make_collection(cursor, start, line, kind, result);
}

/* #:name{:a 1} is {:name/a 1}. The namespace of #::{...} is that of the program that reads, so that
 * here its keys have none; #::name{...} names an alias, which is taken for the namespace. */
static enum status read_namespaced(struct edn_cursor *cursor, value *result)
{
    size_t start = cursor->items.length;
    uint32_t line = cursor->line;
    const char *name = cursor->at + 2;
    bool resolved = name < cursor->end && *name == ':';
    name += resolved;
    size_t length = edn_token_length(name, cursor->end);
    bool named = edn_is_keyword(name, length) && !memchr(name, '/', length);
    if (!named && !(resolved && length == 0))
        return edn_fault(cursor, "a namespaced map such as #:name{:key 1}");
    cursor->at = name + length;
    TRY(edn_space(cursor));
    if (cursor->at == cursor->end || *cursor->at != '{')
        return edn_fault(cursor, "the map behind its namespace");
    cursor->at++;
    TRY(read_items(cursor, '}'));
    if (cursor->ignoring)
        return STATUS_OK;
    for (size_t i = start; i < cursor->items.length; i += 2) {
        value *key = &cursor->items.items[i];
        TRY(made(cursor, edn_qualify(cursor->pool, name, length, *key), key));
    }
    return make_collection(cursor, start, line, KIND_MAP, result);
}

/* ##Inf, ##-Inf, ##NaN */
static enum status read_symbolic(struct edn_cursor *cursor, value *result)
{
    const char *name = cursor->at + 2;
    size_t length = edn_token_length(name, cursor->end);
    double real = edn_token_is(name, length, "Inf")    ? INFINITY
                  : edn_token_is(name, length, "-Inf") ? -INFINITY
                                                       : NAN;
    if (isnan(real) && !edn_token_is(name, length, "NaN"))
        return edn_fault(cursor, "##Inf, ##-Inf or ##NaN");
    cursor->at = name + length;
    return cursor->ignoring ? STATUS_OK : made(cursor, value_real(cursor->pool, real), result);
}

/* #tag form: the form, but for our own tags, which make a name out of a string. */
static enum status read_tagged(struct edn_cursor *cursor, value *result)
{
    const char *tag = cursor->at + 1;
    size_t length = edn_token_length(tag, cursor->end);
    if (!edn_is_token(tag, length) || *tag == '#')
        return edn_fault(cursor, "a tag, a set or a discarded form");
    TRY(enter(cursor));
    cursor->at = tag + length;
    TRY(edn_value(cursor, result));
    cursor->depth--;
    bool symbol = edn_token_is(tag, length, EDN_SYMBOL_TAG);
    if (cursor->ignoring || (!symbol && !edn_token_is(tag, length, EDN_KEYWORD_TAG)))
        return STATUS_OK;
    size_t size;
    const char *letters = value_get_text(*result, &size);
    if (!letters)
        return edn_fault(cursor, "a string behind the tag");
    enum value_kind kind = symbol ? KIND_SYMBOL : KIND_KEYWORD;
    return made(cursor, value_text(cursor->pool, kind, letters, size), result);
}

static enum status read_dispatched(struct edn_cursor *cursor, value *result)
{
    char next = cursor->at + 1 < cursor->end ? cursor->at[1] : 0;
    if (next == 0) {
        cursor->at = cursor->end;
        return edn_fault(cursor, "a tag, a set or a discarded form");
    }
    if (next == '{') {
        cursor->at++;
        return read_collection(cursor, '}', KIND_SET, result);
    }
    if (next == '"') {
        cursor->at++;
        return read_string(cursor, result);
    }
    if (next == ':')
        return read_namespaced(cursor, result);
    return next == '#' ? read_symbolic(cursor, result) : read_tagged(cursor, result);
}

static enum status read_number(struct edn_cursor *cursor, size_t length, value *result)
{
    struct number number;
    number_read(cursor->at, length, &number);
    if (number.kind == NUMBER_BAD && !cursor->ignoring)
        return edn_fault(cursor, "a number");
    cursor->at += length;
    if (cursor->ignoring)
        return STATUS_OK;
    return made(cursor, number_value(&number, cursor->pool), result);
}

static enum status read_name(struct edn_cursor *cursor, value *result)
{
    size_t length = edn_token_length(cursor->at, cursor->end);
    if (number_starts(cursor->at, length))
        return read_number(cursor, length, result);
    const char *letters = cursor->at;
    bool keyword = *letters == ':';
    if (keyword ? !edn_is_keyword(letters + 1, length - 1)
                : !edn_starts_name(*letters) || !edn_is_token(letters, length))
        return edn_fault(cursor, keyword ? "a keyword" : "a value");
    cursor->at += length;
    if (cursor->ignoring)
        return STATUS_OK;
    if (edn_token_is(letters, length, "nil"))
        return made(cursor, VALUE_NIL, result);
    if (edn_token_is(letters, length, "true"))
        return made(cursor, VALUE_TRUE, result);
    if (edn_token_is(letters, length, "false"))
        return made(cursor, VALUE_FALSE, result);
    enum value_kind kind = keyword ? KIND_KEYWORD : KIND_SYMBOL;
    return made(cursor, value_text(cursor->pool, kind, letters + keyword, length - keyword),
                result);
}

/* Whether metadata begins here: ^, or #^ as it was written once. */
static bool at_metadata(const struct edn_cursor *cursor)
{
    const char *at = cursor->at;
    at += at < cursor->end && *at == '#';
    return at < cursor->end && *at == '^';
}

enum status edn_metadata(struct edn_cursor *cursor)
{
    while (at_metadata(cursor)) {
        cursor->at += *cursor->at == '#' ? 2 : 1;
        TRY(edn_space(cursor));
        char c = cursor->at < cursor->end ? *cursor->at : 0;
        if (!c || !(strchr("{[\":^", c) || at_metadata(cursor) || edn_starts_name(c)) ||
            number_starts(cursor->at, edn_token_length(cursor->at, cursor->end)))
            return edn_fault(cursor, "a map, keyword, symbol, string or vector as metadata");
        TRY(edn_skip(cursor));
        TRY(edn_space(cursor));
        if (cursor->at == cursor->end || strchr(")]}", *cursor->at))
            return edn_fault(cursor, "a value behind its metadata");
    }
    return STATUS_OK;
}

enum status edn_value(struct edn_cursor *cursor, value *result)
{
    *result = VALUE_NIL;
    cursor->ended = false;
    TRY(edn_space(cursor));
    TRY(edn_metadata(cursor));
    if (cursor->at == cursor->end)
        return edn_fault(cursor, "a value");
    switch (*cursor->at) {
    case '"':
        return read_string(cursor, result);
    case '\\':
        return read_character(cursor, result);
    case '#':
        return read_dispatched(cursor, result);
    case '(':
        return read_collection(cursor, ')', KIND_LIST, result);
    case '[':
        return read_collection(cursor, ']', KIND_LIST, result);
    case '{':
        return read_collection(cursor, '}', KIND_MAP, result);
    default:
        return read_name(cursor, result);
    }
}

enum status value_parse_edn(struct value_pool *pool, const char *text, size_t length, size_t *used,
                            const char *file, uint32_t line, value *result, struct error *error)
{
    struct edn_cursor cursor;
    edn_open(&cursor, pool, text, length, file, line, error);
    enum status status = edn_value(&cursor, result);
    *used = (size_t)(cursor.at - text);
    edn_close(&cursor);
    return status;
}
