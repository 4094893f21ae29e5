/* What the place where text goes can show: colour, Unicode, how many columns. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

#include "base/text.h"

enum colour_choice {
    COLOUR_AUTO,
    COLOUR_ALWAYS,
    COLOUR_NEVER,
};

struct terminal {
    bool interactive; /* it is a terminal, so someone may be looking */
    bool colour;
    bool unicode;
    unsigned columns; /* at least TERMINAL_LEAST_COLUMNS */
};

#define TERMINAL_LEAST_COLUMNS 40
#define TERMINAL_COLUMNS       80 /* where nothing says how many there are */

/* No terminal: plain ASCII, for what is stored. */
#define TERMINAL_PLAIN ((struct terminal){.columns = TERMINAL_COLUMNS})

/* Looks at a file descriptor, the locale (setlocale must have been called) and the environment.
 * COLOUR_AUTO: on a terminal that is not "dumb", unless NO_COLOR is set to something
 * (https://no-color.org). Columns: the terminal's, else COLUMNS, else TERMINAL_COLUMNS. */
struct terminal terminal_detect(int descriptor, enum colour_choice choice);

enum style {
    STYLE_PLAIN,
    STYLE_GOOD,    /* linearizable */
    STYLE_BAD,     /* a violation, and what is at fault */
    STYLE_UNKNOWN, /* neither */
    STYLE_DIM,     /* context */
    STYLE_STRONG,  /* headings */
    STYLE_NOTE,    /* annotations */
};

/* Appends what switches to a style, and back; nothing where there is no colour. */
void terminal_style(const struct terminal *terminal, enum style style, struct text *text);

/* Appends `string` in a style and returns to plain. */
void terminal_append(const struct terminal *terminal, enum style style, const char *string,
                     struct text *text);

/* Appends `bytes` broken into lines at spaces, none wider than the terminal; each line begins with
 * `indent` spaces, the first one where `column` says that it already is. */
void terminal_wrap(const struct terminal *terminal, const char *string, unsigned indent,
                   unsigned column, struct text *text);

#endif
