/* Numbers as EDN and JSON write them. */
#ifndef VALUE_NUMBER_H
#define VALUE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "value/value.h"

enum {
    NUMBER_DIGITS = 800 /* of a real beyond a double's range, at most */
};

enum number_kind {
    NUMBER_BAD,     /* no number, or a real that is too long */
    NUMBER_INTEGER, /* fits 64 bits */
    NUMBER_REAL,
    NUMBER_LETTERS, /* no 64-bit form keeps it apart from its neighbours: a symbol of its letters */
};

struct number {
    enum number_kind kind;
    int64_t integer;
    double real;
    const char *letters; /* canonical; inside the token or `buffer` */
    size_t length;
    char buffer[NUMBER_DIGITS + 32];
};

/* Whether a token is to be read as a number: a digit, perhaps behind a sign. */
static inline bool number_starts(const char *token, size_t length)
{
    size_t at = length > 1 && (*token == '-' || *token == '+');
    return at < length && token[at] >= '0' && token[at] <= '9';
}

/* Reads a whole token: 7, -7, +7, 7N, 7/2, 7.5, 7e3, 7.5M, 0x1f. Reals are rounded to the nearest
 * double. Those beyond a double's range are D.DDDeN, one text for each number: of them and of
 * integers beyond 64 bits, ratios and decimals (M) of more than 15 digits no two different ones
 * become one. Too long are an exponent of more than 17 digits, and more than NUMBER_DIGITS
 * beyond a double's range. */
void number_read(const char *token, size_t length, struct number *number);

/* The number as a value; VALUE_REFUSED when the budget refuses. Not for NUMBER_BAD. */
value number_value(const struct number *number, struct value_pool *pool);

#endif
