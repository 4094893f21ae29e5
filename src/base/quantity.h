/* Quantities for people. */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdint.h>

#include "base/text.h"

/* 12,345,678 */
void text_append_count(struct text *text, uint64_t count);

/* The same as an argument of printf: count_text(n).digits */
struct count_text {
    char digits[28];
};
struct count_text count_text(uint64_t count);

/* 300 bytes, 1.5 MiB, 4 GiB */
void text_append_size(struct text *text, uint64_t bytes);

#endif
