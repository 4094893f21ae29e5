/* For recognising formats from the first bytes of a file. */
#ifndef HISTORY_RECOGNISE_H
#define HISTORY_RECOGNISE_H

#include <stdbool.h>
#include <string.h>

/* Passes a byte order mark, white space, commas, and comments from `comment` (0: there are none) to
 * the end of the line. */
static inline const char *recognise_skip(const char *at, const char *end, char comment)
{
    if (end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (; at < end; at++) {
        if (comment && *at == comment) {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at)
                return end;
        } else if (*at != ' ' && *at != ',' && !(*at >= '\t' && *at <= '\r')) {
            return at;
        }
    }
    return end;
}

static inline bool recognise_has(const char *head, size_t length, const char *word)
{
    return memmem(head, length, word, strlen(word)) != NULL;
}

#endif
