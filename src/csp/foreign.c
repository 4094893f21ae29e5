/* Signs of a language are looked for in the text of the model, outside of its comments: only in a
 * text that was refused already, since arrays of CSP# may have any of these names. */
#include "csp/foreign.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/attributes.h"
#include "lang/faults.h"

#define RTS  "PAT's module for real-time systems (RTS)"
#define PCSP "PAT's module for probabilistic systems (PCSP)"
#define FDR  "machine-readable CSP, which FDR reads"

enum where {
    ANYWHERE,
    AS_WORD,  /* no letter before it */
    ON_ARRAY, /* a word, then a bracket; unless an array or channel has that name */
    AT_START, /* of a line */
};

static const struct sign {
    const char *letters, *language;
    enum where where;
} signs[] = {
    {"Wait", RTS, ON_ARRAY},      {"timeout", RTS, ON_ARRAY},   {"deadline", RTS, ON_ARRAY},
    {"within", RTS, ON_ARRAY},    {"waituntil", RTS, ON_ARRAY}, {"->>", RTS, ANYWHERE},
    {"refines<T>", RTS, AS_WORD}, {"pcase", PCSP, AS_WORD},     {"[prob", PCSP, ANYWHERE},
    {"with prob", PCSP, AS_WORD}, {"with pmin", PCSP, AS_WORD}, {"with pmax", PCSP, AS_WORD},
    {"--", FDR, AT_START},        {"{-", FDR, AT_START},        {"datatype ", FDR, AT_START},
    {"nametype ", FDR, AT_START}, {"assert ", FDR, AT_START},   {"[T=", FDR, ANYWHERE},
    {"[F=", FDR, ANYWHERE},       {"[FD=", FDR, ANYWHERE},      {"|~|", FDR, ANYWHERE},
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool starts_with(const char *text, const char *letters)
{
    return strncmp(text, letters, strlen(letters)) == 0;
}

/* Whether `var NAME` or `channel NAME` is declared somewhere. */
static bool is_declared(const char *text, const char *name)
{
    for (const char *at = text; (at = strchr(at, *name)) != NULL; at++) {
        const char *before = at;
        if (!starts_with(at, name))
            continue;
        while (before > text && isspace((unsigned char)before[-1]))
            before--;
        size_t ahead = (size_t)(before - text);
        if (before < at && !is_letter(at[strlen(name)]) &&
            ((ahead >= 3 && starts_with(before - 3, "var")) ||
             (ahead >= 7 && starts_with(before - 7, "channel"))))
            return true;
    }
    return false;
}

/* Whether the sign stands at text + at, of words on arrays if no array has that name. */
static bool stands(const struct sign *sign, const char *text, size_t at)
{
    if (text[at] != *sign->letters || !starts_with(text + at, sign->letters))
        return false;
    const char *behind = text + at + strlen(sign->letters);
    if (sign->where == ANYWHERE)
        return true;
    if (sign->where != AT_START && at > 0 && is_letter(text[at - 1]))
        return false;
    if (sign->where == AT_START) {
        while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
            at--;
        return at == 0 || text[at - 1] == '\n';
    }
    return !is_letter(*behind) && (sign->where == AS_WORD || *behind == '[');
}

/* Behind a comment that starts here, or `at`. *unclosed: there is no end of one further on, which
 * is looked for once: a text may consist of beginnings. */
static size_t skip_comment(const char *text, size_t at, bool *unclosed)
{
    if (starts_with(text + at, "//"))
        return at + strcspn(text + at, "\n");
    if (*unclosed || !starts_with(text + at, "/*"))
        return at;
    const char *end = strstr(text + at + 2, "*/");
    *unclosed = !end;
    return end ? (size_t)(end + 2 - text) : at;
}

bool csp_foreign(const struct script *script, struct error *error)
{
    const struct script_part *part = &script->parts[script->main];
    const char *text = script->text + part->start;
    bool begins[UCHAR_MAX + 1] = {['/'] = true}, array[ARRAY_LENGTH(signs)] = {false};
    bool unclosed = false;
    for (size_t i = 0; i < ARRAY_LENGTH(signs); i++)
        begins[(unsigned char)*signs[i].letters] = true;
    for (size_t at = 0; text[at]; at++) {
        if (!begins[(unsigned char)text[at]])
            continue;
        at = skip_comment(text, at, &unclosed);
        for (size_t i = 0; text[at] && i < ARRAY_LENGTH(signs); i++) {
            if (array[i] || !stands(&signs[i], text, at))
                continue;
            /* Once, for its letters may stand very often. */
            array[i] = signs[i].where == ON_ARRAY && is_declared(text, signs[i].letters);
            if (array[i])
                continue;
            size_t length = strlen(signs[i].letters);
            (void)script_error(
                script, part->start + (place)at, error,
                "expected a model of PAT's module for CSP, found `%.*s%s`: this is a file of %s, a "
                "language of its own that is not supported",
                (int)(length - (signs[i].letters[length - 1] == ' ')), signs[i].letters,
                signs[i].where == ON_ARRAY ? "[" : "", signs[i].language);
            faults_replace(script, error);
            return true;
        }
        if (!text[at])
            break;
    }
    return false;
}
