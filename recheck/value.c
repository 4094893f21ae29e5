/* Values, each stored once, and what yajl reads as such. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "recheck.h"

#define DEEPEST 200

const struct value value_nil = {.kind = NIL, .text = "", .number = &(size_t){0}};

/* ---- storing ---- */

static struct {
    value *slots;
    size_t room, used;
} table;

static uint64_t hash_of(value v)
{
    const unsigned char *bytes = v->items ? (const void *)v->items : (const void *)v->text;
    size_t length = v->items ? v->length * sizeof *v->items : v->length;
    uint64_t hash = 0xcbf29ce484222325 ^ v->kind;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3;
    return hash ^ hash >> 29;
}

static bool same(value one, value other)
{
    size_t size = one->items ? sizeof *one->items : 1;
    const void *a = one->items ? (const void *)one->items : (const void *)one->text;
    const void *b = other->items ? (const void *)other->items : (const void *)other->text;
    return one->kind == other->kind && one->length == other->length &&
           (one->length == 0 || memcmp(a, b, one->length * size) == 0);
}

static value *find_slot(value v)
{
    size_t i = hash_of(v) & (table.room - 1);
    while (table.slots[i] && !same(table.slots[i], v))
        i = (i + 1) & (table.room - 1);
    return &table.slots[i];
}

static value store(struct value v)
{
    if (2 * (table.used + 1) > table.room) {
        value *old = table.slots;
        size_t count = table.room;
        table.room = count ? 2 * count : 1024;
        table.slots = room(NULL, table.room, sizeof *table.slots);
        memset(table.slots, 0, table.room * sizeof *table.slots);
        for (size_t i = 0; i < count; i++)
            if (old[i])
                *find_slot(old[i]) = old[i];
    }
    value *slot = find_slot(&v);
    if (*slot)
        return *slot;
    struct value *made = room(NULL, 1, sizeof *made);
    *made = v;
    made->number = room(NULL, 1, sizeof *made->number);
    *made->number = 0;
    if (v.items) {
        made->items = room(NULL, v.length + 1, sizeof *made->items);
        memcpy(made->items, v.items, v.length * sizeof *made->items);
    } else {
        char *text = room(NULL, v.length + 1, 1);
        memcpy(text, v.text, v.length);
        text[v.length] = 0;
        made->text = text;
    }
    table.used++;
    return *slot = made;
}

value value_text(enum kind kind, const char *text, size_t length)
{
    return store((struct value){.kind = kind, .text = text, .length = length});
}

value value_items(enum kind kind, const value *items, size_t length)
{
    static value none;
    value *all = length ? (value *)(uintptr_t)items : &none;
    return store((struct value){.kind = kind, .items = all, .length = length});
}

value value_integer(int64_t integer)
{
    char digits[24];
    return value_text(INTEGER, digits, (size_t)sprintf(digits, "%" PRId64, integer));
}

value value_boolean(bool boolean)
{
    return value_text(BOOLEAN, boolean ? "true" : "false", boolean ? 4 : 5);
}

bool value_is(value v, const char *text)
{
    return v && v->kind == STRING && v->length == strlen(text) &&
           memcmp(v->text, text, v->length) == 0;
}

bool get_integer(value v, int64_t *integer)
{
    char *end;
    errno = 0;
    if (!v || v->kind != INTEGER)
        return false;
    *integer = strtoll(v->text, &end, 10);
    return errno == 0 && *end == 0;
}

value get_field(value map, const char *key)
{
    for (size_t i = 0; map && map->kind == MAP && i < map->length; i += 2)
        if (value_is(map->items[i], key))
            return map->items[i + 1];
    return NULL;
}

bool is_pair(value v)
{
    return v->kind == LIST && v->length == 2;
}

int compare_addresses(const void *one, const void *other)
{
    uintptr_t a = (uintptr_t) * (const value *)one, b = (uintptr_t) * (const value *)other;
    return (a > b) - (a < b);
}

/* ---- reading: a stack of collections whose ends have not been read ---- */

struct reading {
    const char *path;
    size_t line;
    value *items; /* of all open collections, one behind the other */
    size_t count, room;
    size_t begin[DEEPEST];
    unsigned depth;
};

static int add(struct reading *reading, value v)
{
    if (reading->count == reading->room)
        reading->items = room(reading->items, reading->room = 2 * reading->room + 16, sizeof v);
    reading->items[reading->count++] = v;
    return 1;
}

static int on_null(void *reading)
{
    return add(reading, VALUE_NIL);
}

static int on_boolean(void *reading, int boolean)
{
    return add(reading, value_boolean(boolean));
}

/* A real is the nearest double. Beyond the range of doubles it is what it says: a whole number that
 * does not end with 0, and a power of ten. */
static value read_real(const struct reading *reading, const char *text, size_t length)
{
    double real = strtod(text, NULL) + 0.0;
    char *written = room(NULL, length + 32, 1), *digits = written + (*text == '-');
    size_t count = 0, i = *text == '-';
    int64_t power = 0;
    *written = '-';
    for (bool fraction = false; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
        fraction |= text[i] == '.';
        if (text[i] == '.')
            continue;
        power -= fraction;
        if (count || text[i] != '0')
            digits[count++] = text[i];
    }
    for (; count && digits[count - 1] == '0'; count--)
        power++;
    if (i < length) {
        bool negative = text[i + 1] == '-';
        i += 1 + strspn(text + i + 1, "+-");
        i += strspn(text + i, "0");
        if (length > i + 17)
            unreadable(reading->path, reading->line, "expected an exponent of at most 17 digits");
        power += (negative ? -1 : 1) * strtoll(text + i, NULL, 10);
    }
    if (isfinite(real) && (real != 0 || !count))
        sprintf(written, "%.17g", real);
    else if (count > 800)
        unreadable(reading->path, reading->line, "expected a number of at most 800 digits");
    else
        sprintf(digits + count, "e%" PRId64, power);
    value v = value_text(REAL, written, strlen(written));
    free(written);
    return v;
}

static int on_number(void *user, const char *text, size_t length)
{
    struct reading *reading = user;
    bool zero = length == 2 && memcmp(text, "-0", 2) == 0, real = false;
    for (size_t i = 0; i < length; i++)
        real |= strchr(".eE", text[i]) != NULL;
    return add(reading, real ? read_real(reading, text, length)
                             : value_text(INTEGER, text + zero, length - zero));
}

/* As RFC 3629 has it: the shortest form, no halves of pairs, no more than 0x10ffff. */
static bool is_utf8(const unsigned char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char lead = text[i], next = i + 1 < length ? text[i + 1] : 0;
        size_t more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        if ((more && lead < 0xc2) || lead > 0xf4 || (lead == 0xe0 && next < 0xa0) ||
            (lead == 0xed && next > 0x9f) || (lead == 0xf0 && next < 0x90) ||
            (lead == 0xf4 && next > 0x8f))
            return false;
        for (i++; more > 0; more--, i++)
            if (i == length || text[i] >> 6 != 2)
                return false;
    }
    return true;
}

/* The upper 6 bits of the escape \uXXXX; 0: there is none here. */
static long escaped_half(const char *text, size_t length)
{
    char digits[5] = {0};
    if (length < 6 || memcmp(text, "\\u", 2) != 0)
        return 0;
    memcpy(digits, text + 2, 4);
    return strtol(digits, NULL, 16) >> 10;
}

/* Whether escaped surrogates come in pairs: yajl makes one value of all halves. */
static bool has_pairs(const char *text, size_t length)
{
    const long high = 0xd800 >> 10, low = 0xdc00 >> 10;
    bool good = true;
    for (size_t i = 0; i < length && good; i++) {
        if (text[i] != '\\')
            continue;
        long half = escaped_half(text + i, length - i);
        if (half == high && length > i + 6)
            good = escaped_half(text + i + 6, length - i - 6) == low;
        else
            good = half != high && half != low;
        i += half == high ? 11 : 1;
    }
    return good;
}

static int on_string(void *user, const unsigned char *text, size_t length)
{
    const struct reading *reading = user;
    if (!is_utf8(text, length))
        unreadable(reading->path, reading->line, "expected UTF-8");
    return add(user, value_text(STRING, (const char *)text, length));
}

/* Linchpin reads sets and maps of all kinds as objects with such a key; they have no certificate.
 */
static int on_key(void *user, const unsigned char *text, size_t length)
{
    const struct reading *reading = user;
    if (length > 1 && memcmp(text, "~#", 2) == 0)
        unreadable(reading->path, reading->line, "expected a plain key, found %.*s", (int)length,
                   (const char *)text);
    return on_string(user, text, length);
}

static int on_begin(void *user)
{
    struct reading *reading = user;
    if (reading->depth == DEEPEST)
        unreadable(reading->path, reading->line, "expected fewer nested collections");
    reading->begin[reading->depth++] = reading->count;
    return 1;
}

static int end_with(struct reading *reading, enum kind kind)
{
    size_t begin = reading->begin[--reading->depth], length = reading->count - begin;
    value *items = reading->items + begin;
    if (kind == MAP && length) {
        qsort(items, length / 2, 2 * sizeof *items, compare_addresses);
        for (size_t i = 2; i < length; i += 2)
            if (items[i] == items[i - 2])
                unreadable(reading->path, reading->line, "expected the key %s once",
                           items[i]->text);
    }
    value v = value_items(kind, items, length);
    reading->count = begin;
    return add(reading, v);
}

static int on_end_map(void *reading)
{
    return end_with(reading, MAP);
}

static int on_end_list(void *reading)
{
    return end_with(reading, LIST);
}

static const yajl_callbacks callbacks = {on_null,    on_boolean, NULL,       NULL,
                                         on_number,  on_string,  on_begin,   on_key,
                                         on_end_map, on_begin,   on_end_list};

value read_json(const char *path, size_t line, const char *text, size_t length)
{
    struct reading reading = {.path = path, .line = line};
    yajl_handle yajl = yajl_alloc(&callbacks, NULL, &reading);
    if (!yajl || yajl_parse(yajl, (const unsigned char *)text, length) != yajl_status_ok ||
        yajl_complete_parse(yajl) != yajl_status_ok || reading.count != 1 ||
        !has_pairs(text, length))
        unreadable(path, line, "expected JSON");
    value v = reading.items[0];
    yajl_free(yajl);
    free(reading.items);
    return v;
}

bool next_line(const struct file *file, size_t *at, size_t *line, const char **text, size_t *length)
{
    if (*at >= file->length)
        return false;
    *text = file->bytes + *at;
    const char *end = memchr(*text, '\n', file->length - *at);
    *length = end ? (size_t)(end - *text) : file->length - *at;
    *at += *length + 1;
    ++*line;
    return true;
}
