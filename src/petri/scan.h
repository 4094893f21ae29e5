/* Scans the net formats: words, numbers and signs, one at a time. */
#ifndef PETRI_SCAN_H
#define PETRI_SCAN_H

#include <stdbool.h>

#include "lang/script.h"

struct scan {
    const struct script *script;
    place at;        /* of the word that is looked at */
    uint32_t length; /* of it; 0 at the end of the text */
    uint32_t line;   /* of it, 1-based */
};

/* Stands at the first word. White space and what follows a # up to the line's end is skipped.
 * A word is a name or number (letters, digits, _), one of the signs -> +> ~> >= <=, or one other
 * character. */
void scan_begin(const struct script *script, struct scan *scan);
void scan_next(struct scan *scan);

bool scan_is(const struct scan *scan, const char *word);

/* Whether it is a name: begins with a letter or _. */
bool scan_is_name(const struct scan *scan);

/* Reads a number up to `most` and goes on; `what` says what was expected. */
enum status scan_number(struct scan *scan, const char *what, uint32_t most, uint32_t *number,
                        struct error *error) MUST_CHECK;

/* Goes on if that is the word. */
enum status scan_expect(struct scan *scan, const char *word, struct error *error) MUST_CHECK;

/* "expected WHAT, found ..." at the word. */
enum status scan_complain(const struct scan *scan, const char *what, struct error *error);

#endif
