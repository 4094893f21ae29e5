/* gcc and clang put what stands in an asm statement between #APP and #NO_APP. What stands outside
 * of functions clang puts between comments, for which it is asked (-fverbose-asm). */
#include "scenario/unseen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#define INLINED    "inlined by "
#define FILE_BEGIN "# Start of file scope inline assembly"
#define FILE_END   "# End of file scope inline assembly"

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

static bool starts(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
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

/* Where asm statements begin and end; `within`: whether the line stands in one. */
static bool is_border(const char *text, bool *within)
{
    static const struct {
        const char *mark;
        bool begins;
    } borders[] = {{"#APP", true}, {"#NO_APP", false}, {FILE_BEGIN, true}, {FILE_END, false}};
    for (size_t i = 0; i < ARRAY_LENGTH(borders); i++)
        if (strncmp(text, borders[i].mark, strlen(borders[i].mark)) == 0) {
            *within = borders[i].begins;
            return true;
        }
    return false;
}

/* Whether a line may be where a jump leads; labels that only descriptions for debuggers need are
 * not. */
static bool is_target(const char *line)
{
    return !strchr(" \t#\n", *line) && !starts(line, ".Ltmp") && !starts(line, ".LVL");
}

/* Of a call: what is called. Null: it is none, or not of a name. */
static const char *called(const char *text)
{
    if (!starts(text, "call"))
        return NULL;
    text = skip_blanks(text + strcspn(text, " \t\n"));
    return *text == '*' ? NULL : text;
}

static bool is_called(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    return strncmp(name, wanted, length) == 0 && strchr("@ \t\n", name[length]);
}

/* What the first argument is behind an instruction: a number that is in the text, or NOT_KNOWN. */
enum {
    NOT_KNOWN = -1
};

static long first_argument(const char *text, long known)
{
    size_t length = line_length(text);
    char *end;
    if (starts(text, "movl\t$") || starts(text, "movq\t$")) {
        long number = strtol(text + strlen("movl\t$"), &end, 0);
        if (starts(end, ", %edi") || starts(end, ", %rdi"))
            return number;
    }
    bool mentions = memmem(text, length, "%edi", 4) || memmem(text, length, "%rdi", 4);
    return called(text) || mentions ? NOT_KNOWN : known;
}

/* The system itself does what the runtime does not see. (Where the number is not in the text, the
 * runtime finds it: runtime/bound_conditions.c.) */
static enum status refuse_system_call(const char *source, const struct line_of_source *place,
                                      long number, struct error *error)
{
    error_set(error, STATUS_INPUT, source, place->number,
              "the code uses syscall: system calls other than futex (%d) cannot be tested yet, "
              "found number %ld",
              SYS_futex, number);
    return name_file(place, error);
}

/* Whether an instruction accesses more than 16 bytes of memory at once, that of a frame and
 * constants left out. */
static bool is_wide(const char *text)
{
    const char *end = text + line_length(text), *from = memchr(text, '(', (size_t)(end - text));
    return *text != '#' && *text != '.' && from &&
           (memmem(text, (size_t)(end - text), "%ymm", 4) ||
            memmem(text, (size_t)(end - text), "%zmm", 4)) &&
           !starts(from, "(%rsp") && !starts(from, "(%rbp") &&
           !memmem(text, (size_t)(end - text), ".LCPI", 5) && !starts(text, "lea");
}

static enum status refuse_wide(const char *source, const struct line_of_source *place,
                               const char *text, struct error *error)
{
    size_t length = line_length(text), word = strcspn(text, " \t\n");
    size_t blanks = strspn(text + word, " \t");
    error_set(
        error, STATUS_INPUT, source, place->number,
        "there is an instruction, `%.*s %.*s`, that clang does not instrument, for it accesses "
        "more than 16 bytes at once: compile without vectors of that size",
        (int)word, text, (int)(length - word - blanks), text + word + blanks);
    return name_file(place, error);
}

enum status unseen_check_assembly(const char *source, const char *assembly, bool is_clang,
                                  struct error *error)
{
    bool within = false;
    const char *location = NULL;
    struct line_of_source place = {0};
    long argument = NOT_KNOWN;
    for (const char *line = assembly; *line; line = line_after(line)) {
        const char *text = skip_blanks(line);
        const char *name = within ? NULL : called(text);
        if (starts(text, ".loc") && !within) {
            location = text;
        } else if (is_border(text, &within)) {
            place = (struct line_of_source){0};
        } else if (within && *text == '#') {
            read_mark(text, &place);
        } else if (within && !does_nothing(line)) {
            if (place.number == 0 && location)
                read_location(assembly, location, &place);
            return refuse(source, &place, line, error);
        } else if (name && is_called(name, "syscall") && argument != NOT_KNOWN &&
                   argument != SYS_futex) {
            if (location)
                read_location(assembly, location, &place);
            return refuse_system_call(source, &place, argument, error);
        } else if (is_clang && !within && is_wide(text)) {
            if (location)
                read_location(assembly, location, &place);
            return refuse_wide(source, &place, text, error);
        }
        argument = is_target(line) ? NOT_KNOWN : first_argument(text, argument);
    }
    return STATUS_OK;
}

void unseen_drop_leftovers(char *assembly)
{
    bool behind_load = false;
    for (char *line = assembly; *line;
         line += line_length(line) + (line[line_length(line)] == '\n')) {
        char *text = line + strspn(line, " \t");
        const char *name = called(text);
        if (name)
            behind_load = is_called(name, "__tsan_atomic128_load");
        else if (is_target(line) || *text == 'j')
            behind_load = false;
        else if (behind_load && starts(text, "lock") &&
                 starts(skip_blanks(text + strlen("lock")), "cmpxchg16b"))
            *text = '#';
    }
}

/* What nobody is told of a disassembled instruction, and what to do; null: nothing. */
static const char *unseen_of(const char *instruction, size_t length)
{
    static const char atomics[] = "acts on memory in a way that is not instrumented: use atomic "
                                  "functions of C or C++ in place of intrinsics";
    static const char parts[] = "accesses memory in a way that is not instrumented: write what the "
                                "intrinsic does in C, or compile without the vectors that have it";
    static const char chance[] = "gives something else in each run, so that no execution could be "
                                 "run again: put a function in its place";
    static const struct {
        const char *start, *what;
    } kinds[] = {
        {"lock ", atomics},    {"mfence", atomics}, {"sfence", atomics}, {"lfence", atomics},
        {"cmpxchg", atomics},  {"xadd", atomics},   {"xbegin", atomics}, {"movnt", parts},
        {"vmovnt", parts},     {"maskmov", parts},  {"vmaskmov", parts}, {"vpmaskmov", parts},
        {"vgather", parts},    {"vpgather", parts}, {"vscatter", parts}, {"vpscatter", parts},
        {"movdir", parts},     {"lddqu", parts},    {"vlddqu", parts},   {"vcompress", parts},
        {"vpcompress", parts}, {"vexpand", parts},  {"vpexpand", parts}, {"rdtsc", chance},
        {"rdrand", chance},    {"rdseed", chance},  {"rdpmc", chance},   {"rdpid", chance},
        {"fxsave", parts},     {"fxrstor", parts},  {"xsave", parts},    {"xrstor", parts},
        {"enqcmd", parts},
    };
    bool has_memory =
        memchr(instruction, '(', length) || memmem(instruction, length, "maskmovdqu", 10);
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (starts(instruction, kinds[i].start) && (kinds[i].what != parts || has_memory))
            return kinds[i].what;
    if (starts(instruction, "xchg") && has_memory)
        return atomics;
    return has_memory && memmem(instruction, length, "{%k", 3) ? parts : NULL;
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

/* The first instruction that is not seen; null: there is none. `place`: as far as it is known. */
static const char *find_unseen(const struct text *listing, struct line_of_source *place,
                               size_t *length)
{
    *place = (struct line_of_source){0};
    for (const char *line = text_string(listing); *line; line = line_after(line)) {
        const char *tab = memchr(line, '\t', line_length(line));
        *length = tab ? line_length(tab + 1) : 0;
        if (tab && unseen_of(tab + 1, *length))
            return tab + 1;
        (void)read_place(line, place);
    }
    return NULL;
}

static enum status refuse_instruction(const char *source, const struct line_of_source *place,
                                      const char *instruction, size_t length, struct error *error)
{
    size_t shown = 0; /* without the remark behind it */
    while (shown < length && instruction[shown] != '#')
        shown++;
    while (shown > 0 && instruction[shown - 1] == ' ')
        shown--;
    error_set(error, STATUS_INPUT, source, place->number,
              "there is an instruction, `%.*s`, that %s", (int)shown, instruction,
              unseen_of(instruction, length));
    return name_file(place, error);
}

enum status unseen_check_object(const char *source, const char *object, struct budget *budget,
                                struct error *error)
{
    struct text listing = TEXT_EMPTY;
    struct line_of_source place;
    size_t length;
    enum status status = disassemble(object, false, budget, &listing, error);
    if (status == STATUS_OK && find_unseen(&listing, &place, &length)) {
        text_clear(&listing);
        status = disassemble(object, true, budget, &listing, error);
    }
    const char *found = status == STATUS_OK ? find_unseen(&listing, &place, &length) : NULL;
    if (found)
        status = refuse_instruction(source, &place, found, length, error);
    text_release(&listing);
    return status;
}
