/* gcc and clang put what stands in an asm statement between #APP and #NO_APP. */
#include "scenario/unseen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INLINED "inlined by "

struct line_of_source {
    const char *file; /* null: the source itself */
    size_t file_length;
    uint32_t number; /* 0: not known */
};

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

static enum status name_file(const struct line_of_source *place, struct error *error)
{
    char *file = place->file_length ? strndup(place->file, place->file_length) : NULL;
    if (file)
        error_set_file(error, file);
    free(file);
    return STATUS_INPUT;
}

static enum status refuse(const char *source, const struct line_of_source *place, const char *text,
                          struct error *error)
{
    const char *shown = skip_blanks(text);
    error_set(error, STATUS_INPUT, source, place->number,
              "inline assembly cannot be tested yet, only `pause`; found `%.*s`: use the atomic "
              "functions of the compiler in its place, for which many libraries have an option",
              (int)strcspn(shown, "\n"), shown);
    return name_file(place, error);
}

/* `# 12 "FILE" 1` of gcc, in front of what stands in an asm statement. */
static void read_mark(const char *line, struct line_of_source *place)
{
    char *end;
    unsigned long number = strtoul(line + 1, &end, 10);
    if (number == 0)
        return;
    *place = (struct line_of_source){.number = (uint32_t)number};
    if (end[0] == ' ' && end[1] == '"') {
        place->file = end + 2;
        place->file_length = strcspn(place->file, "\"\n");
    }
}

/* `.loc 3 12 5`: line 12 of the third file, as `.file 3 "folder" "name"` has named it. */
static void read_location(const char *assembly, const char *loc, struct line_of_source *place)
{
    char *end, mark[32];
    unsigned long file = strtoul(loc + strlen(".loc"), &end, 10);
    *place = (struct line_of_source){.number = (uint32_t)strtoul(end, NULL, 10)};
    snprintf(mark, sizeof mark, ".file\t%lu ", file);
    const char *named = strstr(assembly, mark);
    if (!named)
        return;
    const char *line_end = named + line_length(named), *open = NULL, *close = NULL;
    for (const char *at = named; at < line_end && *at != '#'; at++)
        if (*at == '"') { /* the last quoted word: behind it clang has sums */
            open = close;
            close = at;
        }
    if (open && close) {
        place->file = open + 1;
        place->file_length = (size_t)(close - open - 1);
    }
}

enum status unseen_check_assembly(const char *source, const char *assembly, struct error *error)
{
    bool within = false;
    const char *location = NULL;
    struct line_of_source place = {0};
    for (const char *line = assembly; *line; line = line_after(line)) {
        const char *text = skip_blanks(line);
        if (strncmp(text, ".loc", 4) == 0 && !within) {
            location = text;
        } else if (strncmp(text, "#APP", 4) == 0) {
            within = true;
            place = (struct line_of_source){0};
        } else if (strncmp(text, "#NO_APP", 7) == 0) {
            within = false;
        } else if (within && *text == '#') {
            read_mark(text, &place);
        } else if (within && !does_nothing(line)) {
            if (place.number == 0 && location)
                read_location(assembly, location, &place);
            return refuse(source, &place, line, error);
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

/* Disassembles; with the places of the instructions, if asked to, which takes longer. */
static enum status disassemble(const char *object, bool with_places, struct budget *budget,
                               struct text *output, struct error *error)
{
    struct words words;
    enum status status = STATUS_LIMIT;
    words_init(&words, budget);
    if (words_add(&words, "objdump", "-d", "--no-show-raw-insn", object, NULL) &&
        (!with_places || words_add(&words, "-l", "--inlines", NULL)))
        status = command_need(&words, output, error);
    words_release(&words);
    return status;
}

/* "/home/ada/ring.c:12 (discriminator 3)", and where that is inlined, "inlined by ...", which is
 * better if it is not in a header of the system. */
static bool read_place(const char *line, struct line_of_source *place)
{
    size_t length = line_length(line), colon = length;
    while (colon > 0 && line[colon] != ':')
        colon--;
    unsigned long number = colon ? strtoul(line + colon + 1, NULL, 10) : 0;
    bool outer = strncmp(line, INLINED, strlen(INLINED)) == 0;
    if (number == 0 || memchr(line, '\t', length) ||
        (outer && strncmp(place->file, "/usr/", strlen("/usr/")) != 0))
        return false;
    if (outer) {
        line += strlen(INLINED);
        colon -= strlen(INLINED);
    }
    *place = (struct line_of_source){line, colon, (uint32_t)number};
    return true;
}

/* The first atomic instruction; null: there is none. `place`: as far as it is known. */
static const char *find_atomic(const struct text *listing, struct line_of_source *place,
                               size_t *length)
{
    *place = (struct line_of_source){0};
    for (const char *line = text_string(listing); *line; line = line_after(line)) {
        const char *tab = memchr(line, '\t', line_length(line));
        *length = tab ? line_length(tab + 1) : 0;
        if (tab && is_atomic(tab + 1, *length))
            return tab + 1;
        (void)read_place(line, place);
    }
    return NULL;
}

static enum status refuse_instruction(const char *source, const struct line_of_source *place,
                                      const char *instruction, size_t length, struct error *error)
{
    error_set(error, STATUS_INPUT, source, place->number,
              "there is an instruction that acts on memory in a way that is not instrumented: "
              "`%.*s`; use atomic functions of C or C++ in place of intrinsics",
              (int)length, instruction);
    return name_file(place, error);
}

enum status unseen_check_object(const char *source, const char *object, struct budget *budget,
                                struct error *error)
{
    struct text listing = TEXT_EMPTY;
    struct line_of_source place;
    size_t length;
    enum status status = disassemble(object, false, budget, &listing, error);
    if (status == STATUS_OK && find_atomic(&listing, &place, &length)) {
        text_clear(&listing);
        status = disassemble(object, true, budget, &listing, error);
    }
    const char *found = status == STATUS_OK ? find_atomic(&listing, &place, &length) : NULL;
    if (found)
        status = refuse_instruction(source, &place, found, length, error);
    text_release(&listing);
    return status;
}
