/* The fast road for JSON lines (docs/decisions/0002-json-fast-path.md): integers of up to 18
 * digits, strings without escapes, literals, and arrays of those, in one pass over the bytes.
 * Anything else makes it give up, and the line is read again by the general parser: it never
 * decides that a line is wrong, and what it takes must be JSON to the letter. */
#include "base/text.h"
#include "base/utf8.h"
#include "history/jepsen.h"
#include "history/json_events.h"

#define SCAN_DEPTH 4  /* arrays within arrays that the scanner follows */
#define SCAN_ITEMS 32 /* items of one array */

struct scan {
    struct scan_names *names;
    struct value_pool *pool;
    bool ignoring; /* what is scanned is not wanted as a value */
};

static inline const char *skip_space(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/* The bytes of a word that are 0 have their upper bit set, and no byte in front of the first of
 * them has. */
static inline uint64_t zero_bytes(uint64_t word)
{
    return (word - UINT64_C(0x0101010101010101)) & ~word & UINT64_C(0x8080808080808080);
}

/* Behind the letters that a string begins with and that are plain: no quote, backslash or control
 * character, and of ASCII. Eight bytes at a time, of which the first is the lowest. */
static inline const char *skip_plain(const char *at)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (;; at += 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        const uint64_t control = (word - UINT64_C(0x2020202020202020)) & ~word;
        const uint64_t stops = zero_bytes(word ^ UINT64_C(0x2222222222222222)) |
                               zero_bytes(word ^ UINT64_C(0x5c5c5c5c5c5c5c5c)) |
                               ((control | word) & UINT64_C(0x8080808080808080));
        if (stops)
            return at + __builtin_ctzll(stops) / 8;
    }
#else
    while (*at >= ' ' && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    return at;
#endif
}

/* The place of the quote that closes the string whose content begins at `at`, or null. */
static inline const char *string_end(const char *at)
{
    const char *start = at;
    at = skip_plain(at);
    if (LIKELY(*at == '"'))
        return at;
    unsigned char c;
    while ((c = (unsigned char)*at) >= ' ' && c != '"' && c != '\\')
        at++;
    return c == '"' && utf8_is_valid(start, (size_t)(at - start)) ? at : NULL;
}

static inline const char *scan_string(struct scan *scan, const char *at, value *result)
{
    const char *end = string_end(++at);
    if (!end)
        return NULL;
    *result = scan->ignoring
                  ? VALUE_NIL
                  : scan_name(scan->names, scan->pool, KIND_STRING, at, (size_t)(end - at));
    return *result == VALUE_REFUSED ? NULL : end + 1;
}

static const char *scan_value(struct scan *scan, const char *at, unsigned depth, value *result);

static const char *scan_array(struct scan *scan, const char *at, unsigned depth, value *result)
{
    value items[SCAN_ITEMS];
    size_t count = 0;
    if (depth == SCAN_DEPTH)
        return NULL;
    at = skip_space(at + 1);
    while (*at != ']' || count > 0) {
        if (count == SCAN_ITEMS)
            return NULL;
        at = scan_value(scan, at, depth + 1, &items[count++]);
        if (!at)
            return NULL;
        at = skip_space(at);
        if (*at == ']')
            break;
        if (*at != ',')
            return NULL;
        at = skip_space(at + 1);
    }
    *result = scan->ignoring ? VALUE_NIL : value_list(scan->pool, items, count);
    return *result == VALUE_REFUSED ? NULL : at + 1;
}

/* The caller finds , ] or } behind the value, or gives up: that also ends numbers and literals. */
static const char *scan_value(struct scan *scan, const char *at, unsigned depth, value *result)
{
    int64_t integer;
    switch (*at) {
    case '"':
        return scan_string(scan, at, result);
    case '[':
        return scan_array(scan, at, depth, result);
    case 'n':
        *result = VALUE_NIL;
        return scan_is(at, "null") ? at + 4 : NULL;
    case 't':
        *result = VALUE_TRUE;
        return scan_is(at, "true") ? at + 4 : NULL;
    case 'f':
        *result = VALUE_FALSE;
        return scan_is(at, "false") ? at + 5 : NULL;
    default:
        at = scan_integer(at, &integer);
        if (!at)
            return NULL;
        *result = scan->ignoring ? VALUE_NIL : value_integer(scan->pool, integer);
        return *result == VALUE_REFUSED ? NULL : at;
    }
}

/* The field whose name, with its closing quote, is at `at`; the place behind it, or null. */
static inline const char *scan_field(const char *at, enum jepsen_field *field)
{
    switch (*at) {
    case 'p':
        *field = FIELD_PROCESS;
        if (scan_is(at, "process\""))
            return at + 8;
        break;
    case 't':
        *field = at[1] == 'y' ? FIELD_TYPE : FIELD_TIME;
        if (scan_is(at, "type\"") || scan_is(at, "time\""))
            return at + 5;
        break;
    case 'f':
        *field = FIELD_FUNCTION;
        if (at[1] == '"')
            return at + 2;
        break;
    case 'v':
        *field = FIELD_VALUE;
        if (scan_is(at, "value\""))
            return at + 6;
        break;
    case 'k':
        *field = FIELD_KEY;
        if (scan_is(at, "key\""))
            return at + 4;
        break;
    case 'o':
        *field = FIELD_OBJECT;
        if (scan_is(at, "object\""))
            return at + 7;
        break;
    default:
        break;
    }
    *field = FIELD_OTHER;
    at = string_end(at);
    return at ? at + 1 : NULL;
}

static inline const char *scan_type(const char *at, struct event *event)
{
    if (*at++ != '"')
        return NULL;
    event->type = EVENT_INVOKE;
    if (scan_is(at, "invoke\""))
        return at + 7;
    event->type = EVENT_OK;
    if (scan_is(at, "ok\""))
        return at + 3;
    event->type = *at == 'f' ? EVENT_FAIL : EVENT_INFO;
    return scan_is(at, "fail\"") || scan_is(at, "info\"") ? at + 5 : NULL;
}

/* The value of a field, taken into the event; the place behind it, or null. */
static inline const char *take_field(struct scan *scan, const char *at, enum jepsen_field field,
                                     struct jepsen_event *jepsen)
{
    struct event *event = &jepsen->event;
    unsigned bit = 1u << field;
    if (field != FIELD_OTHER && jepsen->seen & bit)
        return NULL;
    if (field == FIELD_TYPE) {
        jepsen->seen |= bit;
        return scan_type(at, event);
    }
    value v;
    scan->ignoring = field == FIELD_OTHER;
    at = *at == '"' ? scan_string(scan, at, &v) : scan_value(scan, at, 0, &v);
    jepsen->seen |= bit;
    return at && jepsen_put(event, field, v) ? at : NULL;
}

/* ---- what stands between values ---- */

/* From the end of a value, or the beginning of the line, to the next value: its place, or null. */
static const char *scan_gap(const char *at, bool first, enum jepsen_field *field)
{
    if (*at != (first ? '{' : ','))
        return NULL;
    at = skip_space(at + 1);
    if (*at++ != '"' || !(at = scan_field(at, field)))
        return NULL;
    at = skip_space(at);
    return *at == ':' ? skip_space(at + 1) : NULL;
}

static inline bool is_gap(const struct json_gap *gap, const char *at)
{
    uint64_t letters[JSON_GAP / 8];
    memcpy(letters, at, sizeof letters);
    return gap->length && !(((letters[0] ^ gap->letters[0]) & gap->mask[0]) |
                            ((letters[1] ^ gap->letters[1]) & gap->mask[1]));
}

static void know_gap(struct json_gap *gap, const char *at, size_t length, enum jepsen_field field)
{
    if (length > JSON_GAP)
        return;
    *gap = (struct json_gap){.length = (uint8_t)length, .field = (uint8_t)field};
    memcpy(gap->letters, at, length);
    memset(gap->mask, 0xff, length);
}

/* The same, for the value of that number, from what is known. */
static inline const char *pass_gap(struct json_scanner *scanner, const char *at, unsigned number,
                                   enum jepsen_field *field)
{
    struct json_gap *gap = &scanner->gaps[number % JSON_GAPS];
    const bool first = number == 0;
    if (LIKELY(is_gap(gap, at)) && (*at == '{') == first) {
        *field = (enum jepsen_field)gap->field;
        return skip_space(at + gap->length);
    }
    const char *begin = at;
    at = scan_gap(at, first, field);
    if (at)
        know_gap(gap, begin, (size_t)(at - begin), *field);
    return at;
}

bool json_scan_line(struct json_scanner *scanner, struct value_pool *pool, const char *line,
                    size_t length, uint32_t number, struct event *event)
{
    struct scan scan = {&scanner->names, pool, false};
    struct jepsen_event jepsen;
    jepsen_begin(&jepsen, number);
    const char *at = skip_space(line);
    unsigned fields = 0;
    do {
        enum jepsen_field field;
        at = pass_gap(scanner, at, fields++, &field);
        if (!at || !(at = take_field(&scan, at, field, &jepsen)))
            return false;
        at = skip_space(at);
    } while (*at != '}');
    if (at + 1 != line + length || jepsen_end(&jepsen, true))
        return false;
    *event = jepsen.event;
    return true;
}
