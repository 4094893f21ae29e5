/* gcc and clang put what stands in an asm statement between #APP and #NO_APP. */
#include "scenario/unseen.h"

#include <stdlib.h>
#include <string.h>

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

static const char *line_after(const char *line)
{
    line += line_length(line);
    return *line ? line + 1 : line;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Whether a line between #APP and #NO_APP does nothing: a comment, its place, or what makes a loop
 * wait. */
static bool does_nothing(const char *line)
{
    static const char *const waits[] = {"pause", "rep; nop", "rep;nop", "rep nop", "nop"};
    size_t length = (size_t)(strcspn(skip_blanks(line), "\n"));
    const char *text = skip_blanks(line);
    while (length && strchr(" \t;", text[length - 1]))
        length--;
    if (length == 0 || *text == '#' || strncmp(text, ".loc", 4) == 0)
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(waits); i++)
        if (length == strlen(waits[i]) && memcmp(text, waits[i], length) == 0)
            return true;
    return false;
}

static enum status refuse(const char *source, unsigned long line, const char *text,
                          struct error *error)
{
    const char *shown = skip_blanks(text);
    return error_set(error, STATUS_INPUT, source, (uint32_t)line,
                     "inline assembly cannot be tested yet, only `pause`; found `%.*s`",
                     (int)strcspn(shown, "\n"), shown);
}

enum status unseen_check_assembly(const char *source, const char *assembly, struct error *error)
{
    bool within = false;
    unsigned long number = 0;
    for (const char *line = assembly; *line; line = line_after(line)) {
        const char *text = skip_blanks(line);
        if (strncmp(text, ".loc", 4) == 0 && !within) {
            char *end;
            strtoul(text + 4, &end, 10); /* the file's number */
            number = strtoul(end, NULL, 10);
        } else if (strncmp(text, "#APP", 4) == 0) {
            within = true;
        } else if (strncmp(text, "#NO_APP", 7) == 0) {
            within = false;
        } else if (within && *text == '#' && strtoul(text + 1, NULL, 10) > 0) {
            number = strtoul(text + 1, NULL, 10); /* of gcc: # LINE FILE */
        } else if (within && !does_nothing(line)) {
            return refuse(source, number, line, error);
        }
    }
    return STATUS_OK;
}

/* Whether a disassembled line has an instruction that is atomic, or orders memory. */
static bool is_atomic(const char *instruction, size_t length)
{
    static const char *const starts[] = {"lock ",   "mfence", "sfence", "lfence",
                                         "cmpxchg", "xadd",   "xbegin"};
    for (size_t i = 0; i < ARRAY_LENGTH(starts); i++)
        if (strncmp(instruction, starts[i], strlen(starts[i])) == 0)
            return true;
    return strncmp(instruction, "xchg", 4) == 0 && memchr(instruction, '(', length);
}

enum status unseen_check_object(const char *source, const char *object, struct budget *budget,
                                struct error *error)
{
    struct words words;
    struct text output = TEXT_EMPTY;
    words_init(&words, budget);
    enum status status = STATUS_LIMIT;
    if (words_add(&words, "objdump", "-d", "--no-show-raw-insn", object, NULL))
        status = command_need(&words, &output, error);
    for (const char *line = text_string(&output); status == STATUS_OK && *line;
         line = line_after(line)) {
        const char *tab = memchr(line, '\t', line_length(line));
        size_t length = tab ? line_length(tab + 1) : 0;
        if (tab && is_atomic(tab + 1, length))
            status = error_set(error, STATUS_INPUT, source, 0,
                               "there is an instruction that acts on memory in a way that is not "
                               "instrumented: `%.*s`",
                               (int)length, tab + 1);
    }
    text_release(&output);
    words_release(&words);
    return status;
}
