#include "petri/scan.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/attributes.h"

#define LONGEST_SHOWN 40

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static uint32_t word_length(const char *text)
{
    static const char *const signs[] = {"->", "+>", "~>", ">=", "<="};
    uint32_t length = 0;
    while (is_letter(text[length]))
        length++;
    if (length || !*text)
        return length;
    for (size_t i = 0; i < ARRAY_LENGTH(signs); i++)
        if (strncmp(text, signs[i], 2) == 0)
            return 2;
    return 1;
}

static void settle(struct scan *scan)
{
    const char *text = scan->script->text;
    for (;;) {
        for (; isspace((unsigned char)text[scan->at]); scan->at++)
            scan->line += text[scan->at] == '\n';
        if (text[scan->at] != '#')
            break;
        scan->at += (place)strcspn(text + scan->at, "\n");
    }
    scan->length = word_length(text + scan->at);
}

void scan_begin(const struct script *script, struct scan *scan)
{
    *scan = (struct scan){.script = script, .line = 1};
    settle(scan);
}

void scan_next(struct scan *scan)
{
    assert(scan->at + scan->length <= scan->script->length);
    scan->at += scan->length;
    settle(scan);
}

bool scan_is(const struct scan *scan, const char *word)
{
    size_t length = strlen(word);
    return length == scan->length && memcmp(scan->script->text + scan->at, word, length) == 0;
}

bool scan_is_name(const struct scan *scan)
{
    char first = scan->script->text[scan->at];
    return scan->length && is_letter(first) && !isdigit((unsigned char)first);
}

enum status scan_complain(const struct scan *scan, const char *what, struct error *error)
{
    const char *word = scan->script->text + scan->at;
    int length = scan->length < LONGEST_SHOWN ? (int)scan->length : LONGEST_SHOWN;
    if (!scan->length)
        return script_error(scan->script, scan->at, error, "expected %s, found the end of the file",
                            what);
    if ((unsigned char)*word < 0x20 || (unsigned char)*word >= 0x7f)
        return script_error(scan->script, scan->at, error, "expected %s, found byte 0x%02x", what,
                            (unsigned char)*word);
    return script_error(scan->script, scan->at, error, "expected %s, found '%.*s'", what, length,
                        word);
}

enum status scan_number(struct scan *scan, const char *what, uint32_t most, uint32_t *number,
                        struct error *error)
{
    uint64_t value = 0;
    const char *word = scan->script->text + scan->at;
    if (!isdigit((unsigned char)*word))
        return scan_complain(scan, what, error);
    for (uint32_t i = 0; i < scan->length; i++) {
        if (!isdigit((unsigned char)word[i]))
            return scan_complain(scan, what, error);
        value = value * 10 + (uint64_t)(word[i] - '0');
        if (value > most)
            return script_error(scan->script, scan->at, error,
                                "expected %s, at most %u, found a larger number", what, most);
    }
    *number = (uint32_t)value;
    scan_next(scan);
    return STATUS_OK;
}

enum status scan_expect(struct scan *scan, const char *word, struct error *error)
{
    char what[16];
    if (scan_is(scan, word)) {
        scan_next(scan);
        return STATUS_OK;
    }
    snprintf(what, sizeof what, "'%s'", word);
    return scan_complain(scan, what, error);
}
