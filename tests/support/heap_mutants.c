#include "support/heap_mutants.h"

#include <string.h>

static const char *const words[] = {"h",    "t", "x", "n", "head", "tail", "top",
                                    "null", "p", "c", "y", "true", "false"};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || c == '_';
}

/* Appends the text with something else in place of what is between two of its bytes. */
static bool replace(const char *text, size_t from, size_t to, const char *by, struct text *mutant)
{
    text_append_bytes(mutant, text, from);
    text_append(mutant, by);
    text_append(mutant, text + to);
    return true;
}

static size_t line_before(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

/* The end of the statement that begins a line; 0: there is none. */
static size_t end_of_statement(const char *text, size_t line)
{
    const size_t end = line + strcspn(text + line, ";{}\n");
    return text[end] == ';' ? end + 1 : 0;
}

/* Where a text is found next, from a byte on or else from the beginning; SIZE_MAX: nowhere. */
static size_t find(const char *text, size_t at, const char *what)
{
    const char *found = strstr(text + at, what);
    if (!found)
        found = strstr(text, what);
    return found ? (size_t)(found - text) : SIZE_MAX;
}

/* ---- mistakes: false if there is nothing here to be mistaken about ---- */

static bool leave_out(const char *text, size_t at, struct random *random, struct text *mutant)
{
    const size_t line = line_before(text, at), end = end_of_statement(text, line);
    (void)random;
    return end && replace(text, line, end, "", mutant);
}

static bool exchange(const char *text, size_t at, struct random *random, struct text *mutant)
{
    const size_t line = line_before(text, at), end = end_of_statement(text, line);
    (void)random;
    if (!end || text[end] != '\n')
        return false;
    const size_t next_end = end_of_statement(text, end + 1);
    if (!next_end)
        return false;
    text_append_bytes(mutant, text, line);
    text_append_bytes(mutant, text + end + 1, next_end - end - 1);
    text_append(mutant, "\n");
    text_append_bytes(mutant, text + line, end - line);
    text_append(mutant, text + next_end);
    return true;
}

static bool take_another(const char *text, size_t at, struct random *random, struct text *mutant)
{
    size_t end = at;
    bool known = false;
    while (at > 0 && is_word(text[at - 1]))
        at--;
    while (is_word(text[end]))
        end++;
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        known |= strlen(words[i]) == end - at && strncmp(words[i], text + at, end - at) == 0;
    return known && (at == 0 || text[at - 1] != '.') &&
           replace(text, at, end, words[random_below(random, ARRAY_LENGTH(words))], mutant);
}

static bool compare_otherwise(const char *text, size_t at, struct random *random,
                              struct text *mutant)
{
    static const char *const ways[][2] = {{" == ", " != "}, {" != ", " == "}, {" < ", " <= "}};
    const size_t way = random_below(random, ARRAY_LENGTH(ways));
    const size_t found = find(text, at, ways[way][0]);
    return found != SIZE_MAX &&
           replace(text, found, found + strlen(ways[way][0]), ways[way][1], mutant);
}

/* `cas(a, b, c)` becomes `(swap(a, c) == b)` or `cas(a, b, b)`. */
static bool spoil_cas(const char *text, size_t at, struct random *random, struct text *mutant)
{
    const size_t found = find(text, at, "cas(");
    if (found == SIZE_MAX)
        return false;
    const char *where = text + found + strlen("cas(");
    const size_t first = strcspn(where, ",)"),
                 second = first + 1 + strcspn(where + first + 1, ",)"),
                 third = second + 1 + strcspn(where + second + 1, ",)");
    if (where[first] != ',' || where[second] != ',' || where[third] != ')')
        return false;
    text_append_bytes(mutant, text, found);
    if (random_below(random, 2))
        text_format(mutant, "(swap(%.*s,%.*s) ==%.*s)", (int)first, where,
                    (int)(third - second - 1), where + second + 1, (int)(second - first - 1),
                    where + first + 1);
    else
        text_format(mutant, "cas(%.*s,%.*s,%.*s)", (int)first, where, (int)(second - first - 1),
                    where + first + 1, (int)(second - first - 1), where + first + 1);
    text_append(mutant, where + third + 1);
    return true;
}

static bool try_once(const char *text, size_t at, struct random *random, struct text *mutant)
{
    const size_t found = find(text, at, "while (true)");
    (void)random;
    return found != SIZE_MAX &&
           replace(text, found, found + strlen("while (true)"), "if (true)", mutant);
}

void heap_mutate(struct random *random, const char *text, struct text *mutant)
{
    static bool (*const mistakes[])(const char *text, size_t at, struct random *random,
                                    struct text *mutant) = {
        leave_out,    leave_out,         exchange,  take_another,
        take_another, compare_otherwise, spoil_cas, try_once};
    const size_t length = strlen(text);
    bool made = false;
    while (!made)
        made = mistakes[random_below(random, ARRAY_LENGTH(mistakes))](
            text, random_below(random, (uint32_t)length), random, mutant);
}
