#include "base/quantity.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct count_text count_text(uint64_t count)
{
    struct count_text text = {0};
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
    for (int i = 0, at = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text.digits[at++] = ',';
        text.digits[at++] = digits[i];
    }
    return text;
}

void text_append_count(struct text *text, uint64_t count)
{
    text_append(text, count_text(count).digits);
}

void text_append_size(struct text *text, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (bytes < 1024) {
        text_format(text, "%" PRIu64 " bytes", bytes);
        return;
    }
    double amount = (double)bytes / 1024;
    size_t unit = 0;
    while (amount >= 1023.95 && unit + 1 < ARRAY_LENGTH(units)) {
        amount /= 1024;
        unit++;
    }
    char number[32];
    snprintf(number, sizeof number, "%.1f", amount);
    size_t length = strlen(number);
    if (number[length - 1] == '0')
        length -= 2; /* 4.0 is 4 */
    text_append_bytes(text, number, length);
    text_format(text, " %s", units[unit]);
}
