#include "value/number.h"

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_DECIMAL 15 /* significant digits that a double keeps apart (DBL_DIG) */
/* Digits of an exponent: the places of the point can be added to it in 64 bits. */
#define LONGEST_EXPONENT 17

static size_t digits_at(const char *token, size_t length, size_t at)
{
    size_t end = at;
    while (end < length && token[end] >= '0' && token[end] <= '9')
        end++;
    return end - at;
}

/* The digits at token[at..] as a number, with its sign; false if 64 bits do not hold it. */
static bool read_integer(const char *digits, size_t count, bool negative, int64_t *integer)
{
    uint64_t magnitude = 0, most = (uint64_t)INT64_MAX + negative;
    for (size_t i = 0; i < count; i++) {
        uint64_t digit = (uint64_t)(digits[i] - '0');
        if (magnitude > (most - digit) / 10)
            return false;
        magnitude = magnitude * 10 + digit;
    }
    *integer = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

static void keep_letters(struct number *number, const char *token, size_t length)
{
    number->kind = NUMBER_LETTERS;
    number->letters = token + (*token == '+');
    number->length = length - (*token == '+');
}

static void read_hexadecimal(const char *token, size_t length, size_t at, struct number *number)
{
    uint64_t magnitude = 0;
    if (at == length || length - at > 16)
        return;
    for (; at < length; at++) {
        int digit = token[at] >= '0' && token[at] <= '9'   ? token[at] - '0'
                    : token[at] >= 'a' && token[at] <= 'f' ? token[at] - 'a' + 10
                    : token[at] >= 'A' && token[at] <= 'F' ? token[at] - 'A' + 10
                                                           : -1;
        if (digit < 0)
            return;
        magnitude = magnitude * 16 + (uint64_t)digit;
    }
    if (magnitude > INT64_MAX) {
        keep_letters(number, token, length);
        return;
    }
    number->kind = NUMBER_INTEGER;
    number->integer = *token == '-' ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* numerator/denominator in lowest terms: 2/4 and 1/2 are one number. */
static void read_ratio(const char *token, size_t length, size_t start, size_t slash,
                       struct number *number)
{
    bool negative = *token == '-';
    size_t count = digits_at(token, length, slash + 1);
    int64_t numerator, denominator;
    if (count == 0 || slash + 1 + count != length)
        return;
    if (!read_integer(token + start, slash - start, false, &numerator) ||
        !read_integer(token + slash + 1, count, false, &denominator)) {
        keep_letters(number, token, length);
        return;
    }
    if (denominator == 0)
        return;
    int64_t divisor = numerator, rest = denominator;
    while (rest) {
        int64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    numerator /= divisor;
    denominator /= divisor;
    if (denominator == 1) {
        number->kind = NUMBER_INTEGER;
        number->integer = negative ? -numerator : numerator;
        return;
    }
    number->kind = NUMBER_LETTERS;
    number->letters = number->buffer;
    number->length =
        (size_t)snprintf(number->buffer, sizeof number->buffer, "%s%" PRId64 "/%" PRId64,
                         negative ? "-" : "", numerator, denominator);
}

/* Writes the real as [-]D.DDDe[-]N, with no zeros in front of its digits and behind them: one text
 * for one number. No double, and no number in the middle of two, has more than 767 digits; so of
 * those behind NUMBER_DIGITS it is only said that they are not all 0. Gives the number of digits,
 * 0 for zero. */
static size_t write_real(const char *token, size_t length, int64_t exponent, char *written)
{
    size_t digits = 0, zeros = 0;
    bool fraction = false;
    if (*token == '-')
        *written++ = '-';
    for (size_t i = 0; i < length; i++) {
        bool digit = token[i] >= '0' && token[i] <= '9';
        fraction |= token[i] == '.';
        if (!digit)
            continue;
        bool leading = digits + zeros == 0 && token[i] == '0';
        exponent += fraction ? -(leading || digits + zeros == 0) : digits + zeros > 0;
        if (token[i] == '0') {
            zeros += !leading;
            continue;
        }
        for (zeros++; zeros > 0; zeros--, digits++) {
            if (digits == 1)
                *written++ = '.';
            if (digits <= NUMBER_DIGITS)
                *written++ = digits == NUMBER_DIGITS ? '1' : zeros > 1 ? '0' : token[i];
        }
    }
    sprintf(written, digits ? "e%" PRId64 : "0", exponent);
    return digits;
}

/* The letters of a real, and then of its exponent, have been checked; rounds it to a double if it
 * lies within their range. Whatever the program's locale, the decimal point is a point. */
static void read_real(const char *token, size_t length, size_t mantissa, bool decimal,
                      struct number *number)
{
    const char *exponent = token + mantissa + (mantissa < length - decimal);
    size_t count = (size_t)(token + length - decimal - exponent);
    bool negative = count && *exponent == '-';
    int64_t power = 0;
    for (; count && (*exponent < '1' || *exponent > '9'); count--) /* a sign, and zeros */
        exponent++;
    if (count > LONGEST_EXPONENT || !read_integer(exponent, count, negative, &power))
        return;
    size_t digits = write_real(token, mantissa, power, number->buffer);
    double real = strtod_l(number->buffer, NULL, newlocale(LC_ALL_MASK, "C", NULL));
    bool in_range = isfinite(real) && (real != 0 || digits == 0);
    if (decimal && (digits > EXACT_DECIMAL || !in_range)) {
        keep_letters(number, token, length);
    } else if (in_range) {
        number->kind = NUMBER_REAL;
        number->real = real;
    } else if (digits <= NUMBER_DIGITS) {
        keep_letters(number, number->buffer, strlen(number->buffer));
    }
}

void number_read(const char *token, size_t length, struct number *number)
{
    number->kind = NUMBER_BAD;
    if (!number_starts(token, length))
        return;
    bool negative = *token == '-';
    size_t start = *token == '-' || *token == '+';
    size_t count = digits_at(token, length, start), at = start + count;
    if (count == 1 && token[start] == '0' && at < length &&
        (token[at] == 'x' || token[at] == 'X')) {
        read_hexadecimal(token, length, at + 1, number);
        return;
    }
    if (count > 1 && token[start] == '0')
        return;
    if (at == length || (token[at] == 'N' && at + 1 == length)) {
        keep_letters(number, token, at);
        if (read_integer(token + start, count, negative, &number->integer))
            number->kind = NUMBER_INTEGER;
        return;
    }
    if (token[at] == '/') {
        read_ratio(token, length, start, at, number);
        return;
    }
    if (token[at] == '.')
        at += 1 + digits_at(token, length, at + 1);
    size_t mantissa = at;
    if (at < length && (token[at] == 'e' || token[at] == 'E')) {
        at++;
        at += at < length && (token[at] == '-' || token[at] == '+');
        count = digits_at(token, length, at);
        if (count == 0)
            return;
        at += count;
    }
    bool decimal = at < length && token[at] == 'M';
    if (at + decimal == length)
        read_real(token, length, mantissa, decimal, number);
}

value number_value(const struct number *number, struct value_pool *pool)
{
    assert(number->kind != NUMBER_BAD);
    if (number->kind == NUMBER_INTEGER)
        return value_integer(pool, number->integer);
    if (number->kind == NUMBER_REAL)
        return value_real(pool, number->real);
    return value_text(pool, KIND_SYMBOL, number->letters, number->length);
}
