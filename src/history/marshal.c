/* The format is that of CPython's Python/marshal.c: a byte says what follows, numbers are
 * little-endian. `i` and 4 bytes; `l`, a number of digits (below 0: of a negative number) and
 * digits of 15 bits in 2 bytes each, least first; `u`, a length and UTF-8; `(` or `[`, a length and
 * items; `g` and a double; `N`, `T`, `F`. */
#include "history/marshal.h"

#include <math.h>
#include <string.h>

#include "base/attributes.h"
#include "base/utf8.h"
#include "value/value.h"

#define MOST_DIGITS 5 /* 15 bits each: more are beyond 64 bits */
#define MOST_DEPTH  32
#define MOST_ITEMS  256 /* of a list in a list; longer ones are left to others */

/* ---- pieces ---- */

static bool take_byte(struct marshal *marshal, uint8_t *byte)
{
    if (marshal->at == marshal->end)
        return false;
    *byte = *marshal->at++;
    return true;
}

static bool take_int(struct marshal *marshal, int32_t *number)
{
    const uint8_t *at = marshal->at;
    if (marshal->end - at < 4)
        return false;
    *number = (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                        (uint32_t)at[3] << 24);
    marshal->at += 4;
    return true;
}

static bool take_length(struct marshal *marshal, size_t *length)
{
    int32_t number;
    if (!take_int(marshal, &number) || number < 0)
        return false;
    *length = (size_t)number;
    return true;
}

/* The digits behind an `l`. */
static bool take_digits(struct marshal *marshal, int64_t *number)
{
    int32_t count;
    uint64_t magnitude = 0;
    if (!take_int(marshal, &count) || count < -MOST_DIGITS || count > MOST_DIGITS)
        return false;
    size_t digits = (size_t)(count < 0 ? -count : count);
    if ((size_t)(marshal->end - marshal->at) < 2 * digits)
        return false;
    for (size_t i = digits; i-- > 0;) {
        uint64_t digit = (uint64_t)marshal->at[2 * i] | (uint64_t)marshal->at[2 * i + 1] << 8;
        if (digit > 0x7fff || magnitude >> (63 - 15))
            return false; /* beyond 63 bits: the least number of 64 is left to others, too */
        magnitude = magnitude << 15 | digit;
    }
    marshal->at += 2 * digits;
    *number = count < 0 ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

static bool take_integer(struct marshal *marshal, int64_t *number)
{
    uint8_t kind;
    int32_t small;
    if (!take_byte(marshal, &kind))
        return false;
    if (kind == 'l')
        return take_digits(marshal, number);
    if (kind != 'i' || !take_int(marshal, &small))
        return false;
    *number = small;
    return true;
}

/* The letters behind a `u`. */
static bool take_letters(struct marshal *marshal, const char **letters, size_t *length)
{
    if (!take_length(marshal, length) || *length > (size_t)(marshal->end - marshal->at))
        return false;
    *letters = (const char *)marshal->at;
    marshal->at += *length;
    return true;
}

/* ---- values ---- */

static bool take_value(struct marshal *marshal, unsigned depth, value *v);

static bool take_items(struct marshal *marshal, unsigned depth, value *v)
{
    size_t count;
    value items[MOST_ITEMS];
    if (depth == MOST_DEPTH || !take_length(marshal, &count) || count > MOST_ITEMS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!take_value(marshal, depth + 1, &items[i]))
            return false;
    *v = value_list(marshal->pool, items, count);
    return true;
}

/* Numbers that are whole are integers, as elsewhere in Python's package. */
static bool take_real(struct marshal *marshal, value *v)
{
    double real;
    if (marshal->end - marshal->at < 8)
        return false;
    memcpy(&real, marshal->at, sizeof real);
    marshal->at += sizeof real;
    if (isnan(real))
        return false;
    bool is_whole = real >= -0x1p63 && real < 0x1p63 && (double)(int64_t)real == real;
    *v = is_whole ? value_integer(marshal->pool, (int64_t)real) : value_real(marshal->pool, real);
    return true;
}

static bool take_text(struct marshal *marshal, value *v)
{
    size_t length;
    const char *letters;
    if (!take_letters(marshal, &letters, &length) || !utf8_is_valid(letters, length))
        return false;
    *v = value_text(marshal->pool, KIND_STRING, letters, length);
    return true;
}

static bool take_value(struct marshal *marshal, unsigned depth, value *v)
{
    uint8_t kind;
    int64_t integer;
    int32_t small;
    bool taken = take_byte(marshal, &kind);
    if (!taken)
        return false;
    switch (kind) {
    case 'i':
        taken = take_int(marshal, &small);
        *v = value_small(taken ? small : 0);
        break;
    case 'N':
        *v = VALUE_NIL;
        break;
    case 'l':
        taken = take_digits(marshal, &integer);
        if (taken)
            *v = value_integer(marshal->pool, integer);
        break;
    case 'u':
        taken = take_text(marshal, v);
        break;
    case '(':
    case '[':
        taken = take_items(marshal, depth, v);
        break;
    case 'g':
        taken = take_real(marshal, v);
        break;
    case 'T':
    case 'F':
        *v = value_boolean(kind == 'T');
        break;
    default:
        taken = false;
    }
    return taken && *v != VALUE_REFUSED;
}

/* ---- rows ---- */

/* The name of an operation: one of the last few in most rows. */
static bool take_name(struct marshal *marshal, value *name)
{
    uint8_t kind;
    size_t length, known;
    const char *letters;
    if (!take_byte(marshal, &kind) || kind != 'u' || !take_letters(marshal, &letters, &length))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(marshal->names); i++) {
        const char *other = value_get_text(marshal->names[i], &known);
        if (other && known == length && memcmp(other, letters, length) == 0) {
            *name = marshal->names[i];
            return true;
        }
    }
    if (!utf8_is_valid(letters, length) || memchr(letters, 0, length))
        return false;
    *name = value_text(marshal->pool, KIND_STRING, letters, length);
    marshal->names[marshal->next_name] = *name == VALUE_REFUSED ? VALUE_NIL : *name;
    marshal->next_name = (marshal->next_name + 1) % ARRAY_LENGTH(marshal->names);
    return *name != VALUE_REFUSED;
}

/* The outcome that is said; `known` false: None. */
static bool take_outcome(struct marshal *marshal, bool *known, uint8_t *outcome)
{
    static const struct {
        const char *name;
        uint8_t outcome;
    } outcomes[] = {{"ok", OUTCOME_OK}, {"fail", OUTCOME_FAIL}, {"info", OUTCOME_UNKNOWN}};
    uint8_t kind;
    size_t length;
    const char *letters;
    *known = false;
    if (!take_byte(marshal, &kind))
        return false;
    if (kind == 'N')
        return true;
    if (kind != 'u' || !take_letters(marshal, &letters, &length))
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(outcomes) && !*known; i++)
        if (strlen(outcomes[i].name) == length && memcmp(outcomes[i].name, letters, length) == 0) {
            *outcome = outcomes[i].outcome;
            *known = true;
        }
    return *known;
}

/* The time of the return (None: there is none), and what became of the operation. */
static bool take_end(struct marshal *marshal, size_t width, struct timed_operation *operation)
{
    bool is_pending = marshal->at < marshal->end && *marshal->at == 'N', said = false;
    marshal->at += is_pending;
    operation->return_time = 0;
    if (!is_pending && !take_integer(marshal, &operation->return_time))
        return false;
    if (width == 7 && !take_outcome(marshal, &said, &operation->outcome))
        return false;
    if (!said)
        operation->outcome = is_pending ? OUTCOME_UNKNOWN : OUTCOME_OK;
    return !is_pending || operation->outcome == OUTCOME_UNKNOWN;
}

bool marshal_row(struct marshal *marshal, size_t width, struct timed_operation *operation)
{
    uint8_t kind;
    size_t length;
    struct event *event = &operation->event;
    *operation = (struct timed_operation){.result_recorded = true};
    event->type = EVENT_INVOKE;
    event->has_value = true;
    if (!marshal->rows || !take_byte(marshal, &kind) || (kind != '(' && kind != '[') ||
        !take_length(marshal, &length) || length != width)
        return false;
    marshal->rows--;
    return take_value(marshal, 0, &event->process) && event->process != VALUE_NIL &&
           take_name(marshal, &event->function) && take_value(marshal, 0, &event->value) &&
           take_value(marshal, 0, &operation->result) && take_integer(marshal, &event->time) &&
           take_end(marshal, width, operation);
}

bool marshal_open(struct marshal *marshal, struct value_pool *pool, const void *bytes,
                  size_t length)
{
    uint8_t kind;
    const uint8_t *at = bytes;
    *marshal = (struct marshal){.pool = pool, .at = at, .end = at + length};
    return take_byte(marshal, &kind) && kind == '[' && take_length(marshal, &marshal->rows);
}

bool marshal_is_at_end(const struct marshal *marshal)
{
    return !marshal->rows && marshal->at == marshal->end;
}
