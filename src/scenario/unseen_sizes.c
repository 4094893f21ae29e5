/* A function is told like this:
 *
 *     define dso_local void @f(%struct.S* %0) #0 !dbg !7 {
 *       %2 = alloca i24, align 4
 *       %3 = load i24, i24* %2, align 4, !dbg !12
 *       store i24 %3, i24* getelementptr inbounds (...), align 1, !dbg !13
 *     }
 *     !13 = !DILocation(line: 4, column: 9, scope: !7)
 *     !7 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 3, ...)
 *     !1 = !DIFile(filename: "FILE", directory: "FOLDER")
 *
 * Of later versions pointers are `ptr`. */
#include "scenario/unseen_sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "scenario/folder.h"

#define MOST_INSTRUMENTED 128 /* bits; wider ones are found in the assembly */
#define DEEPEST           16  /* addresses that are made of addresses */
#define WORD_MOST         200

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- types and operands ---- */

/* The size of what can be loaded and stored at once, and where its type ends; 0: it is something
 * else. */
static unsigned long bits_of(const char *type, const char **end)
{
    static const struct {
        const char *name;
        unsigned long bits;
    } floats[] = {{"x86_fp80", 80}, {"half", 16}, {"float", 32}, {"double", 64}};
    char *behind;
    if (*type == '<' || *type == '[') {
        unsigned long count = strtoul(type + 1, &behind, 10);
        unsigned long each = starts(behind, " x ") ? bits_of(behind + strlen(" x "), end) : 0;
        *end += each > 0;
        return count * each;
    }
    if (*type == 'i' && isdigit((unsigned char)type[1])) {
        unsigned long bits = strtoul(type + 1, &behind, 10);
        *end = behind;
        return bits;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(floats); i++)
        if (starts(type, floats[i].name)) {
            *end = type + strlen(floats[i].name);
            return floats[i].bits;
        }
    return 0;
}

/* The same of an access; 0 as well of one to a pointer, to such a thing or to a function. */
static unsigned long bits_accessed(const char *type)
{
    const char *end = type;
    unsigned long bits = bits_of(type, &end);
    return *end == ',' || (*end == ' ' && end[1] != '(') ? bits : 0;
}

static bool is_instrumented(unsigned long bits)
{
    unsigned long bytes = (bits + 7) / 8;
    return bytes == 0 || bytes * 8 > MOST_INSTRUMENTED || (bytes & (bytes - 1)) == 0;
}

/* The comma that ends an operand, or the end of the line. */
static const char *operand_end(const char *text)
{
    unsigned depth = 0;
    for (; *text && *text != '\n'; text++) {
        if (strchr("<([{", *text))
            depth++;
        else if (strchr(">)]}", *text) && depth > 0)
            depth--;
        else if (*text == ',' && depth == 0)
            break;
    }
    return text;
}

/* The last word of an operand that begins with `sign` (`%` or `@`); 0 if there is none. */
static size_t last_name(const char *text, const char *end, char sign, char *name)
{
    const char *at = end;
    while (at > text && *at != sign)
        at--;
    size_t length = 0;
    if (*at == sign && at < end)
        while (at + length < end &&
               (length == 0 || isalnum((unsigned char)at[length]) || strchr("._$-\"", at[length])))
            length++;
    if (length < 2 || length >= WORD_MOST)
        return 0;
    memcpy(name, at, length);
    name[length] = 0;
    return length;
}

/* What stands behind `NAME = ` at the beginning of a line, indented by `indent`; null: nothing. */
static const char *definition_of(const char *text, const char *end, const char *indent,
                                 const char *name)
{
    char wanted[WORD_MOST + 8];
    int length = snprintf(wanted, sizeof wanted, "\n%s%s = ", indent, name);
    const char *found = memmem(text, (size_t)(end - text), wanted, (size_t)length);
    return found ? found + length : NULL;
}

/* Whether an address lies within a variable of the function. */
static bool is_own(const char *function, const char *end, const char *operand,
                   const char *operand_at_end, unsigned depth)
{
    char name[WORD_MOST];
    if (operand_at_end == operand || operand_at_end[-1] == ')' || depth == DEEPEST ||
        !last_name(operand, operand_at_end, '%', name))
        return false;
    const char *made = definition_of(function, end, "  ", name);
    if (!made || starts(made, "alloca "))
        return made != NULL;
    if (starts(made, "bitcast ")) {
        const char *line_end = made + strcspn(made, "\n");
        const char *to = memmem(made, (size_t)(line_end - made), " to ", strlen(" to "));
        return to && is_own(function, end, made, to, depth + 1);
    }
    if (!starts(made, "getelementptr "))
        return false;
    const char *from = operand_end(made);
    return *from == ',' && is_own(function, end, from + 2, operand_end(from + 2), depth + 1);
}

/* Nobody writes a constant. */
static bool is_constant(const char *made, const char *operand, const char *operand_at_end)
{
    char name[WORD_MOST];
    if (!last_name(operand, operand_at_end, '@', name))
        return false;
    const char *global = definition_of(made, made + strlen(made), "", name);
    const char *line_end = global ? global + strcspn(global, "\n") : NULL;
    return global &&
           memmem(global, (size_t)(line_end - global), " constant ", strlen(" constant "));
}

/* ---- places ---- */

/* The node `!N` that stands behind `field` in a text that ends at `end`; null: none. */
static const char *node_behind(const char *made, const char *text, const char *end,
                               const char *field)
{
    const char *found = memmem(text, (size_t)(end - text), field, strlen(field));
    if (!found || found[strlen(field)] != '!')
        return NULL;
    char name[32];
    found += strlen(field);
    snprintf(name, sizeof name, "!%lu", strtoul(found + 1, NULL, 10));
    return definition_of(made, made + strlen(made), "", name);
}

static const char *line_end_of(const char *text)
{
    return text + strcspn(text, "\n");
}

/* The text in quotes behind a field, to be freed; null: there is none. */
static char *quoted_behind(const char *text, const char *field)
{
    const char *end = line_end_of(text);
    const char *found = memmem(text, (size_t)(end - text), field, strlen(field));
    const char *from = found ? found + strlen(field) : NULL;
    return from ? strndup(from, strcspn(from, "\"\n")) : NULL;
}

static enum status refuse(const char *source, const char *made, const char *line,
                          unsigned long bits, struct error *error)
{
    const char *place = node_behind(made, line, line_end_of(line), "!dbg "), *scope = NULL;
    const char *file = NULL, *number = NULL;
    if (place && (number = memmem(place, strcspn(place, "\n"), "line: ", strlen("line: "))))
        scope = node_behind(made, place, line_end_of(place), "scope: ");
    if (scope)
        file = node_behind(made, scope, line_end_of(scope), "file: ");
    char *name = file ? quoted_behind(file, "filename: \"") : NULL;
    uint32_t at = number && name ? (uint32_t)strtoul(number + strlen("line: "), NULL, 10) : 0;
    error_set(
        error, STATUS_INPUT, source, at,
        "clang does not instrument an access of %lu bytes at once: have it access parts of 1, "
        "2, 4, 8 or 16 bytes, or compile with gcc",
        (bits + 7) / 8);
    if (name)
        error_set_file(error, name);
    free(name);
    return STATUS_INPUT;
}

/* ---- the text ---- */

static enum status check_line(const char *source, const char *made, const char *function,
                              const char *line, struct error *error)
{
    const char *text = line + strspn(line, " "), *load;
    bool stores = starts(text, "store ");
    if (stores)
        text += strlen("store ");
    else if (*text == '%' && (load = strchr(text, ' ')) && starts(load, " = load "))
        text = load + strlen(" = load ");
    else
        return STATUS_OK;
    if (starts(text, "volatile "))
        text += strlen("volatile ");
    unsigned long bits = bits_accessed(text);
    if (is_instrumented(bits))
        return STATUS_OK;
    const char *comma = operand_end(text);
    if (*comma != ',')
        return STATUS_OK;
    const char *operand = comma + 2, *end = operand_end(operand);
    if (is_own(function, line, operand, end, 0) || is_constant(made, operand, end))
        return STATUS_OK;
    return refuse(source, made, line, bits, error);
}

static enum status check_text(const char *source, const char *made, struct error *error)
{
    const char *function = NULL;
    for (const char *line = made; *line;) {
        const char *end = line_end_of(line);
        if (starts(line, "define "))
            function = line;
        else if (*line == '}')
            function = NULL;
        else if (function)
            TRY(check_line(source, made, function, line, error));
        line = *end ? end + 1 : end;
    }
    return STATUS_OK;
}

enum status unseen_sizes_check(const char *source, const char *assembly, struct words *words,
                               struct error *error)
{
    struct text path = TEXT_EMPTY, made = TEXT_EMPTY, complaints = TEXT_EMPTY;
    bool succeeded = false;
    text_format(&path, "%s.ll", assembly);
    enum status status = STATUS_LIMIT;
    if (words_add(words, "-emit-llvm", "-o", text_string(&path), NULL))
        status = command_run(words, NULL, &complaints, &succeeded, error);
    if (status == STATUS_OK && !succeeded)
        status = error_set(error, STATUS_INPUT, source, 0,
                           "clang does not show what it makes of it: %s", text_string(&complaints));
    if (status == STATUS_OK)
        status = file_read(text_string(&path), &made, error);
    if (status == STATUS_OK)
        status = check_text(source, text_string(&made), error);
    text_release(&path);
    text_release(&made);
    text_release(&complaints);
    return status;
}
