#include "history/edn_events.h"

#include "value/print.h"

#define SCAN_DEPTH 4  /* vectors within vectors that the scanner follows */
#define SCAN_ITEMS 32 /* items of one vector */

static enum status complain(struct edn_cursor *cursor, uint32_t line, const char *expected,
                            const value *found)
{
    struct text text = TEXT_EMPTY;
    if (found)
        value_print_edn(*found, &text);
    enum status status =
        error_set(cursor->error, STATUS_INPUT, cursor->file, line, "expected %s, found %.100s",
                  expected, found ? text_string(&text) : "an event without");
    text_release(&text);
    return status;
}

static enum status read_field(struct edn_cursor *cursor, struct jepsen_event *jepsen)
{
    value name, v;
    size_t length;
    TRY(edn_value(cursor, &name));
    const char *letters = value_get_text(name, &length);
    enum jepsen_field field = letters ? jepsen_field(letters, length) : FIELD_OTHER;
    if (field == FIELD_OTHER)
        return edn_skip(cursor);
    TRY(edn_value(cursor, &v));
    const char *expected = jepsen_take(jepsen, field, v);
    return expected ? complain(cursor, cursor->line, expected, &v) : STATUS_OK;
}

/* The name of a record, #jepsen.history.Op, or a namespace around all keys of the event, #:name */
static void pass_tag(struct edn_cursor *cursor)
{
    const char *at = cursor->at;
    if (at == cursor->end || *at != '#')
        return;
    for (at++; at < cursor->end && (unsigned char)*at > ' ' && !strchr("()[]{}\";,#\\", *at); at++)
        ;
    if (at > cursor->at + 1)
        cursor->at = at;
}

enum status edn_event(struct edn_cursor *cursor, struct event *event)
{
    struct jepsen_event jepsen;
    jepsen_begin(&jepsen, cursor->line);
    cursor->ended = false;
    TRY(edn_metadata(cursor));
    pass_tag(cursor);
    TRY(edn_space(cursor));
    TRY(edn_metadata(cursor));
    if (cursor->at == cursor->end || *cursor->at != '{')
        return edn_fault(cursor, "an event such as {:process 0, :type :invoke, :f :read}");
    cursor->at++;
    for (;;) {
        TRY(edn_space(cursor));
        if (cursor->at < cursor->end && *cursor->at == '}')
            break;
        TRY(read_field(cursor, &jepsen));
    }
    cursor->at++;
    const char *missing = jepsen_end(&jepsen, false);
    if (missing)
        return complain(cursor, jepsen.event.line, missing, NULL);
    *event = jepsen.event;
    return STATUS_OK;
}

/* Letters of plain names. Others occur, and are left to the general reader. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || (c >= 'A' && c <= 'Z') ||
           c == '_' || c == '.' || c == '/' || c == '?' || c == '!' || c == '*' || c == '+';
}

static bool ends_token(char c)
{
    return c == ' ' || c == ',' || c == '}' || c == ']' || c == '\n' || c == '\r' || c == '\t';
}

struct scan {
    struct scan_names *names;
    struct value_pool *pool;
    bool ignoring; /* what is scanned is not wanted as a value */
};

static const char *scan_text(struct scan *scan, enum value_kind kind, const char *at, size_t length,
                             value *result)
{
    *result = scan->ignoring ? VALUE_NIL : scan_name(scan->names, scan->pool, kind, at, length);
    return *result == VALUE_REFUSED ? NULL : at + length;
}

static const char *scan_keyword(struct scan *scan, const char *at, value *result)
{
    const char *stop = ++at;
    while (is_plain(*stop))
        stop++;
    if (stop == at || !ends_token(*stop))
        return NULL;
    return scan_text(scan, KIND_KEYWORD, at, (size_t)(stop - at), result);
}

static const char *scan_string(struct scan *scan, const char *at, value *result)
{
    const char *stop = ++at;
    while (*stop >= ' ' && *stop != '"' && *stop != '\\') /* bytes from 0x80 are negative */
        stop++;
    if (*stop != '"' || !scan_text(scan, KIND_STRING, at, (size_t)(stop - at), result))
        return NULL;
    return stop + 1;
}

static const char *scan_value(struct scan *scan, const char *at, unsigned depth, value *result);

static const char *scan_vector(struct scan *scan, const char *at, unsigned depth, value *result)
{
    value items[SCAN_ITEMS];
    size_t count = 0;
    if (depth == SCAN_DEPTH)
        return NULL;
    for (at++;;) {
        while (*at == ' ' || *at == ',')
            at++;
        if (*at == ']')
            break;
        if (count == SCAN_ITEMS)
            return NULL;
        at = scan_value(scan, at, depth + 1, &items[count++]);
        if (!at)
            return NULL;
    }
    *result = scan->ignoring ? VALUE_NIL : value_list(scan->pool, items, count);
    return *result == VALUE_REFUSED ? NULL : at + 1;
}

static const char *scan_value(struct scan *scan, const char *at, unsigned depth, value *result)
{
    int64_t integer;
    switch (*at) {
    case ':':
        return scan_keyword(scan, at, result);
    case '"':
        return scan_string(scan, at, result);
    case '[':
        return scan_vector(scan, at, depth, result);
    case 'n':
        *result = VALUE_NIL;
        return scan_is(at, "nil") && ends_token(at[3]) ? at + 3 : NULL;
    case 't':
        *result = VALUE_TRUE;
        return scan_is(at, "true") && ends_token(at[4]) ? at + 4 : NULL;
    case 'f':
        *result = VALUE_FALSE;
        return scan_is(at, "false") && ends_token(at[5]) ? at + 5 : NULL;
    default:
        at = scan_integer(at, &integer);
        if (!at || !ends_token(*at))
            return NULL;
        *result = scan->ignoring ? VALUE_NIL : value_integer(scan->pool, integer);
        return *result == VALUE_REFUSED ? NULL : at;
    }
}

const char *edn_scan_value(struct scan_names *names, struct value_pool *pool, const char *at,
                           value *result)
{
    struct scan scan = {names, pool, false};
    return scan_value(&scan, at, 0, result);
}

/* The field whose name is at `at`, behind its colon; what is not one of ours is FIELD_OTHER. */
static enum jepsen_field scan_field(const char *at, size_t length)
{
    switch (length) {
    case 1:
        return *at == 'f' ? FIELD_FUNCTION : FIELD_OTHER;
    case 3:
        return scan_is(at, "key") ? FIELD_KEY : FIELD_OTHER;
    case 4:
        return scan_is(at, "type") ? FIELD_TYPE : scan_is(at, "time") ? FIELD_TIME : FIELD_OTHER;
    case 5:
        return scan_is(at, "value") ? FIELD_VALUE : FIELD_OTHER;
    case 6:
        return scan_is(at, "object") ? FIELD_OBJECT : FIELD_OTHER;
    case 7:
        return scan_is(at, "process") ? FIELD_PROCESS : FIELD_OTHER;
    default:
        return FIELD_OTHER;
    }
}

static const char *scan_type(const char *at, struct jepsen_event *jepsen)
{
    static const char names[][8] = {
        [EVENT_INVOKE] = "invoke", [EVENT_OK] = "ok", [EVENT_FAIL] = "fail", [EVENT_INFO] = "info"};
    static const unsigned char lengths[] = {6, 2, 4, 4};
    unsigned type = at[1] == 'o'   ? EVENT_OK
                    : at[1] == 'f' ? EVENT_FAIL
                    : at[3] == 'v' ? EVENT_INVOKE
                                   : EVENT_INFO;
    if (*at != ':' || memcmp(at + 1, names[type], lengths[type]) != 0 ||
        !ends_token(at[1 + lengths[type]]) || jepsen->seen & 1u << FIELD_TYPE)
        return NULL;
    jepsen->seen |= 1u << FIELD_TYPE;
    jepsen->event.type = (uint8_t)type;
    return at + 1 + lengths[type];
}

static const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == ',')
        at++;
    return at;
}

bool edn_scan_line(struct scan_names *names, struct value_pool *pool, const char *line,
                   size_t length, uint32_t number, struct event *event)
{
    struct scan scan = {names, pool, false};
    struct jepsen_event jepsen;
    const char *at = skip_space(line);
    jepsen_begin(&jepsen, number);
    if (*at++ != '{')
        return false;
    for (at = skip_space(at); *at != '}'; at = skip_space(at)) {
        if (*at++ != ':')
            return false;
        const char *name = at;
        while (is_plain(*at))
            at++;
        if (at == name || *at != ' ')
            return false;
        enum jepsen_field field = scan_field(name, (size_t)(at - name));
        at = skip_space(at);
        value v;
        scan.ignoring = field == FIELD_OTHER;
        at = field == FIELD_TYPE ? scan_type(at, &jepsen) : scan_value(&scan, at, 0, &v);
        if (!at || (field != FIELD_TYPE && jepsen_take(&jepsen, field, v)))
            return false;
    }
    if (at + 1 != line + length || jepsen_end(&jepsen, false))
        return false;
    *event = jepsen.event;
    return true;
}

bool edn_print_name(value name, struct text *text)
{
    size_t length;
    const char *letters = value_get_text(name, &length);
    if (!letters || !edn_is_keyword(letters, length))
        return false;
    text_append_char(text, ':');
    text_append_bytes(text, letters, length);
    return true;
}
