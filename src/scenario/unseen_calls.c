/* A function is told like this; of a statement its place may stand in front:
 *
 *     ;; Function f (f, funcdef_no=0, ...)
 *
 *     int f (struct pair * p, struct pair q)
 *     {
 *       struct pair own;
 *
 *       <bb 2> :
 *       [FILE:3:12] gimple_call <get, _1, [FILE:3:16] *p_2(D), own, q>
 *       [FILE:4:12] gimple_call <make, own> [return slot optimization]
 *
 * Behind what is called stands where the result goes (NULL: nowhere), then the arguments. */
#include "scenario/unseen_calls.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/compiler.h"
#include "scenario/folder.h"

#define CALL "gimple_call <"

static const char *const endings[] = {".calls", ".calls0"}; /* optimised, and not */

bool unseen_calls_ask(const char *assembly, struct unseen_calls_flags *flags, struct words *words)
{
    text_format(&flags->optimised, "-fdump-tree-tsan-raw-lineno=%s%s", assembly, endings[0]);
    text_format(&flags->plain, "-fdump-tree-tsan0-raw-lineno=%s%s", assembly, endings[1]);
    return words_add(words, text_string(&flags->optimised), text_string(&flags->plain), NULL);
}

void unseen_calls_release(struct unseen_calls_flags *flags)
{
    text_release(&flags->optimised);
    text_release(&flags->plain);
}

/* ---- operands ---- */

struct function {
    const char *told;        /* all functions */
    const char *assembly;    /* likewise */
    const char *head, *body; /* its arguments and variables stand between */
};

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || strchr("_.$#", c);
}

static size_t name_length(const char *text, const char *end)
{
    size_t length = 0;
    while (text + length < end && text[length] && is_name(text[length]))
        length++;
    return length;
}

static const char *skip_places(const char *text, const char *end)
{
    const char *close;
    while (*text == '[' && (close = memchr(text, ']', (size_t)(end - text))) && close[1] == ' ')
        text = close + 2;
    return text;
}

/* Declared by the function, and not static. */
static bool is_own(const struct function *function, const char *name, size_t length)
{
    const char *line = function->head;
    for (const char *at = line; at < function->body; at++) {
        if (at[-1] == '\n')
            line = at;
        if (!is_name(at[-1]) && strncmp(at, name, length) == 0 && strchr(";,)[ ", at[length]) &&
            strncmp(line, "  static ", strlen("  static ")) != 0 &&
            strncmp(line, "  extern ", strlen("  extern ")) != 0)
            return true;
    }
    return false;
}

/* `x_12`, `_3`, `p_2(D)`: no memory. */
static bool is_value(const char *name, size_t length)
{
    size_t digits = 0;
    if (name[length] == '[' || name[length] == '.')
        return false;
    while (digits < length && isdigit((unsigned char)name[length - 1 - digits]))
        digits++;
    return digits > 0 && digits < length && name[length - 1 - digits] == '_';
}

/* Whether a name of the source is that of a variable outside of functions, or static in one, and
 * no function: the assembly gives it room. */
static bool is_variable(const struct function *function, const char *name, size_t length)
{
    static const char *const marks[] = {"\t.type\t", "\t.comm\t"};
    static const char object[] = ", @object";
    for (const char *line = function->assembly; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        bool is_type = strncmp(line, marks[0], strlen(marks[0])) == 0;
        if (!is_type && strncmp(line, marks[1], strlen(marks[1])) != 0)
            continue;
        const char *symbol = line + strlen(marks[0]), *end = symbol + strcspn(symbol, ",\n");
        const char *found = memmem(symbol, (size_t)(end - symbol), name, length);
        bool fits = found && (strncmp(symbol, "_Z", 2) == 0 ||
                              (found == symbol && strchr(".,", found[length])));
        if (fits && (!is_type || strncmp(end, object, strlen(object)) == 0))
            return true;
    }
    return false;
}

/* Whether an operand is memory that is not the function's own, nor a constant. */
static bool is_memory(const struct function *function, const char *text, const char *end,
                      bool is_stored)
{
    text = skip_places(text, end);
    size_t size = (size_t)(end - text), length = name_length(text, end);
    if (strncmp(text, "MEM", 3) == 0 && size > 3 && strchr(" [", text[3])) {
        const char *of = memchr(text, '&', size);
        while (of && of + 1 < end && !is_name(of[1])) /* of a type */
            of = memchr(of + 1, '&', (size_t)(end - of - 1));
        return !of || !is_own(function, of + 1, name_length(of + 1, end));
    }
    if (*text == '*')
        return strncmp(text, "*.LC", 4) != 0;
    if (length == 0 || isdigit((unsigned char)*text) || strncmp(text, "C.", 2) == 0)
        return false;
    if (memmem(text, size, "->", 2))
        return true;
    if (length == 4 && strncmp(text, "NULL", length) == 0)
        return false;
    const char *dot = memchr(text, '.', length); /* of a member; D.12 is a name itself */
    if (dot && !(dot == text + 1 && *text == 'D') && !isdigit((unsigned char)dot[1]))
        length = (size_t)(dot - text);
    return !is_value(text, length) && !is_own(function, text, length) &&
           (is_stored || is_variable(function, text, length));
}

/* The end of an operand: a comma, or the > of the call. */
static const char *operand_end(const char *text)
{
    unsigned depth = 0;
    bool quoted = false;
    for (; *text && *text != '\n'; text++) {
        if (*text == '\\' && quoted && text[1])
            text++;
        else if (*text == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (strchr("([{", *text))
            depth++;
        else if (strchr(")]}", *text) && depth > 0)
            depth--;
        else if (depth == 0 && (strncmp(text, ", ", 2) == 0 ||
                                (*text == '>' && text[-1] != '-' && strchr("\n ", text[1]))))
            break;
    }
    return text;
}

/* ---- the text ---- */

static enum status refuse(const char *source, const char *line, bool stores, struct error *error)
{
    char *file = NULL;
    uint32_t number = 0;
    const char *place = line + strspn(line, " "), *close = strpbrk(place, "]\n");
    if (*place == '[' && close && *close == ']') {
        const char *column = close, *colon;
        while (column > place && *column != ':')
            column--;
        for (colon = column - 1; colon > place && *colon != ':';)
            colon--;
        if (colon > place) {
            number = (uint32_t)strtoul(colon + 1, NULL, 10);
            file = strndup(place + 1, (size_t)(colon - place - 1));
        }
    }
    error_set(error, STATUS_INPUT, source, number,
              "gcc does not instrument %s: %s, or compile with clang",
              stores ? "the store of a structure that a function returns"
                     : "the load of a structure that is passed by value",
              stores ? "have it returned into a variable of the function, and copy that"
                     : "copy it into a variable of the function, and pass that");
    if (file)
        error_set_file(error, file);
    free(file);
    return STATUS_INPUT;
}

/* Whether a function of this name, of which namespaces, classes and templates are not told where it
 * is called, writes its result as if that were a variable of its own: a structure that is copied
 * without a constructor. */
static bool writes_result(const struct function *function, const char *name, size_t length)
{
    static const char begin[] = "\n;; Function ", written[] = "gimple_return <<retval>>";
    for (const char *at = strstr(function->told, begin), *next; at; at = next) {
        const char *full = at + strlen(begin), *end = full + strcspn(full, " <(\n");
        const bool is_named = (size_t)(end - full) >= length &&
                              strncmp(end - length, name, length) == 0 &&
                              !is_name(*(end - length - 1));
        next = strstr(full, begin);
        if (is_named &&
            memmem(full, next ? (size_t)(next - full) : strlen(full), written, strlen(written)))
            return true;
    }
    return false;
}

static enum status check_call(const char *source, const struct function *function, const char *line,
                              const char *call, struct error *error)
{
    const char *called = call + strlen(CALL);
    const char *text = operand_end(called); /* behind what is called */
    const size_t length = name_length(called, text);
    for (size_t i = 0; strncmp(text, ", ", 2) == 0; i++) {
        const char *operand = text + 2;
        text = operand_end(operand);
        if (!is_memory(function, operand, text, i == 0))
            continue;
        /* What is given its place does what it does there itself, if it has a constructor. */
        bool in_place = i == 0 && language_of(source) != LANGUAGE_C &&
                        strncmp(line + strcspn(line, "\n") - 1, "]", 1) == 0;
        if (!in_place || (length > 0 && writes_result(function, called, length)))
            return refuse(source, line, i == 0, error);
    }
    return STATUS_OK;
}

static const char *line_behind(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

static bool is_of_system(const char *line)
{
    line += strspn(line, " ");
    return strncmp(line, "[/usr/", strlen("[/usr/")) == 0;
}

static enum status check_text(const char *source, const char *told, const char *assembly,
                              struct error *error)
{
    struct function function = {.told = told, .assembly = assembly};
    bool in_head = false;
    for (const char *line = told; *line; line = line_behind(line)) {
        const char *next = line_behind(line);
        if (*next == '{' && *line != ' ') {
            function.head = line + 1;
            function.body = NULL;
            in_head = true;
        } else if (in_head && (*line == '\n' || strncmp(line, "  <bb", strlen("  <bb")) == 0)) {
            function.body = line;
            in_head = false;
        }
        const char *call = memmem(line, (size_t)(next - line), CALL, strlen(CALL));
        if (call && function.body && !is_of_system(line))
            TRY(check_call(source, &function, line, call, error));
    }
    return STATUS_OK;
}

enum status unseen_calls_check(const char *source, const char *path, const char *assembly,
                               struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < ARRAY_LENGTH(endings); i++) {
        struct text file = TEXT_EMPTY, told = TEXT_EMPTY;
        text_format(&file, "%s%s", path, endings[i]);
        if (access(text_string(&file), R_OK) == 0)
            status = file_read(text_string(&file), &told, error);
        if (status == STATUS_OK)
            status = check_text(source, text_string(&told), assembly, error);
        text_release(&file);
        text_release(&told);
    }
    return status;
}
