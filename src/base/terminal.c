#include "base/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/columns.h"

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static unsigned columns_of(int descriptor)
{
    struct winsize size;
    unsigned columns = TERMINAL_COLUMNS;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col)
        columns = size.ws_col;
    else if (is_set("COLUMNS")) {
        long given = strtol(getenv("COLUMNS"), NULL, 10);
        if (given > 0 && given < 100000)
            columns = (unsigned)given;
    }
    return columns < TERMINAL_LEAST_COLUMNS ? TERMINAL_LEAST_COLUMNS : columns;
}

struct terminal terminal_detect(int descriptor, enum colour_choice choice)
{
    struct terminal terminal = {.interactive = isatty(descriptor) == 1};
    const char *kind = getenv("TERM");
    bool able = terminal.interactive && kind && *kind && strcmp(kind, "dumb") != 0;
    terminal.colour =
        choice == COLOUR_ALWAYS || (choice == COLOUR_AUTO && able && !is_set("NO_COLOR"));
    terminal.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    terminal.columns = columns_of(descriptor);
    return terminal;
}

void terminal_style(const struct terminal *terminal, enum style style, struct text *text)
{
    static const char *const codes[] = {
        [STYLE_PLAIN] = "\033[0m",      [STYLE_GOOD] = "\033[32m", [STYLE_BAD] = "\033[1;31m",
        [STYLE_UNKNOWN] = "\033[1;33m", [STYLE_DIM] = "\033[2m",   [STYLE_STRONG] = "\033[1m",
        [STYLE_NOTE] = "\033[33m",
    };
    if (terminal->colour)
        text_append(text, codes[style]);
}

void terminal_append(const struct terminal *terminal, enum style style, const char *string,
                     struct text *text)
{
    if (style != STYLE_PLAIN)
        terminal_style(terminal, style, text);
    text_append(text, string);
    if (style != STYLE_PLAIN)
        terminal_style(terminal, STYLE_PLAIN, text);
}

void terminal_wrap(const struct terminal *terminal, const char *string, unsigned indent,
                   unsigned column, struct text *text)
{
    bool begun = false; /* a word stands in this line */
    while (*string) {
        size_t word = strcspn(string, " ");
        size_t columns = utf8_columns(string, word);
        if (begun && column + 1 + columns > terminal->columns) {
            text_append_char(text, '\n');
            column = 0;
            begun = false;
        }
        if (begun) {
            text_append_char(text, ' ');
            column++;
        }
        while (!begun && column < indent) {
            text_append_char(text, ' ');
            column++;
        }
        text_append_bytes(text, string, word);
        column += (unsigned)columns;
        begun = true;
        string += word;
        string += strspn(string, " ");
    }
    text_append_char(text, '\n');
}
