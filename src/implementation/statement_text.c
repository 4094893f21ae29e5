#include "implementation/statement_text.h"

#include <string.h>

static bool is_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && strchr(" \t\r\n(", text[length]);
}

/* Behind the parenthesis that closes the first one. */
static const char *behind_condition(const char *text)
{
    size_t open = 0;
    for (text += strcspn(text, "(;{}"); *text; text++) {
        open += *text == '(';
        open -= *text == ')' && open;
        if (!open)
            return *text == ')' ? text + 1 : NULL;
    }
    return NULL;
}

/* The first parenthesis of `from` .. `to` that closes one that was opened before, as the last part
 * of a `for` ends; `to`: there is none. */
static const char *closing(const char *from, const char *to)
{
    size_t open = 0;
    for (; from < to; from++) {
        if (*from == ')' && open-- == 0)
            return from;
        open += *from == '(';
    }
    return to;
}

void lin_find_statement(const struct script *script, place where, const char **start,
                        const char **end)
{
    const char *text = script->text, *at = text + where;
    const char *from = at, *to = at, *behind;
    while (from > text && !strchr(";{}\n", from[-1]))
        from--;
    from += strspn(from, " \t");
    while ((behind = closing(from, at)) < at)
        from = behind + 1 + strspn(behind + 1, " \t");
    if (is_word(from, "else"))
        from += 4 + strspn(from + 4, " \t");
    while (!strchr(";{}\r\n", *to) && strncmp(to, "//", 2) != 0 && strncmp(to, "/*", 2) != 0)
        to++; /* strchr finds the text's end, too */
    while ((is_word(from, "if") || is_word(from, "while")) && (behind = behind_condition(from))) {
        if (behind > at) {
            to = behind < to ? behind : to;
            break;
        }
        from = behind + strspn(behind, " \t");
    }
    to = closing(from, to);
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *start = from;
    *end = to;
}
