#include "scenario/driver_line.h"

#include <string.h>

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}

#define IS_ONE_OF(WORD, LIST) is_one_of((WORD), (LIST), ARRAY_LENGTH(LIST))

static bool begins_with(const char *word, const char *start)
{
    return strncmp(word, start, strlen(start)) == 0;
}

/* ---- flags ---- */

/* Those whose argument is the next word. */
static bool takes_argument(const char *flag)
{
    static const char *const flags[] = {
        "-o",
        "-x",
        "-I",
        "-D",
        "-U",
        "-L",
        "-l",
        "-include",
        "-imacros",
        "-isystem",
        "-idirafter",
        "-iprefix",
        "-iwithprefix",
        "-iquote",
        "-isysroot",
        "-MF",
        "-MT",
        "-MQ",
        "-Xlinker",
        "-Xclang",
        "-Xassembler",
        "-Xpreprocessor",
        "-mllvm",
        "-T",
        "-u",
        "-z",
        "-e",
        "-A",
        "--param",
        "-arch",
        "-target",
        "-B",
        "-wrapper",
        "-dumpdir",
        "-dumpbase",
        "-aux-info",
        "-iwithprefixbefore",
    };
    return IS_ONE_OF(flag, flags);
}

static bool is_for_linking(const char *flag)
{
    static const char *const flags[] = {"-rdynamic", "-pie",    "-no-pie", "-nostdlib",  "-Xlinker",
                                        "-z",        "-T",      "-u",      "-e",         "-L",
                                        "-static",   "-shared", "-s",      "-static-pie"};
    static const char *const starts[] = {
        "-Wl,", "-L", "-fuse-ld=", "-nostartfiles", "-nodefaultlibs", "-static-lib"};
    if (IS_ONE_OF(flag, flags))
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(starts); i++)
        if (begins_with(flag, starts[i]))
            return true;
    return false;
}

/* Those after which the driver makes neither an object nor a program. */
static bool is_passed(const char *flag)
{
    static const char *const flags[] = {
        "-E",       "-S",     "-M",         "-MM",          "-fsyntax-only", "-###",
        "-r",       "--help", "-dumpspecs", "-dumpversion", "-dumpmachine",  "-dumpfullversion",
        "--version"};
    return IS_ONE_OF(flag, flags) || begins_with(flag, "-print-") ||
           begins_with(flag, "--print-") || begins_with(flag, "--help=");
}

static enum status read_flag(struct driver_line *line, const char *flag, bool *passed,
                             enum driver_role *role, struct error *error)
{
    *role = ROLE_FLAG;
    if (strcmp(flag, "-c") == 0) {
        line->step = DRIVER_COMPILE;
        *role = ROLE_STEP;
    } else if (is_passed(flag)) {
        *passed = true;
    } else if (strcmp(flag, "-MD") == 0 || strcmp(flag, "-MMD") == 0) {
        line->writes_dependencies = true;
    } else if (begins_with(flag, "-MF")) {
        line->names_dependency_file = true;
    } else if (begins_with(flag, "-MT") || begins_with(flag, "-MQ")) {
        line->names_target = true;
    } else if (strcmp(flag, "-shared") == 0 || begins_with(flag, "-static")) {
        /* what objects are compiled with may stand beside them: it is for the linker */
        *role = ROLE_LINKING;
        if (!begins_with(flag, "-static-lib"))
            line->linker_only = flag;
    } else if (begins_with(flag, "-l")) {
        *role = ROLE_LIBRARY;
    } else if (is_for_linking(flag)) {
        *role = ROLE_LINKING;
    } else {
        return flag_check(flag, error);
    }
    return STATUS_OK;
}

/* ---- files ---- */

static enum driver_role role_of_file(const char *file, const char *language)
{
    static const char *const languages[] = {"c", "c++", "cpp-output", "c++-cpp-output"};
    static const char *const made[] = {".i", ".ii", ".cp", ".CPP"};
    static const char *const others[] = {".s", ".S",  ".sx", ".f", ".f90", ".F90",
                                         ".m", ".mm", ".go", ".d", ".h",   ".hpp"};
    const char *dot = strrchr(file, '.');
    if (language)
        return IS_ONE_OF(language, languages) ? ROLE_SOURCE : ROLE_OTHER;
    if (language_of(file) != LANGUAGE_NONE || (dot && IS_ONE_OF(dot, made)))
        return ROLE_SOURCE;
    return dot && IS_ONE_OF(dot, others) ? ROLE_OTHER : ROLE_FILE;
}

/* ---- the line ---- */

static enum status read_words(struct driver_line *line, const char *const *words, size_t count,
                              bool *passed, struct error *error)
{
    const char *language = NULL;
    for (size_t i = 0; i < count; i++) {
        struct driver_word word = {.text = words[i]};
        bool more = takes_argument(words[i]) && i + 1 < count;
        if (words[i][0] == '@')
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "%s is not taken: files of arguments are not read", words[i]);
        if (words[i][0] != '-' || !words[i][1]) {
            word.role = role_of_file(words[i], language);
            word.language = language;
            line->sources += word.role == ROLE_SOURCE || word.role == ROLE_OTHER;
        } else if (begins_with(words[i], "-o") && !begins_with(words[i], "-openmp")) {
            word.role = ROLE_STEP;
            line->output = more ? words[i + 1] : words[i] + 2;
        } else if (begins_with(words[i], "-x")) {
            word.role = ROLE_STEP;
            language = more ? words[i + 1] : words[i] + 2;
            if (strcmp(language, "none") == 0)
                language = NULL;
        } else {
            TRY(read_flag(line, words[i], passed, &word.role, error));
        }
        TRY_MEMORY(vector_push(&line->words, word));
        if (more) {
            word.text = words[++i]; /* which has the role of its flag */
            TRY_MEMORY(vector_push(&line->words, word));
        }
    }
    return STATUS_OK;
}

enum status driver_line_read(const char *const *words, size_t count, struct budget *budget,
                             struct driver_line *line, struct error *error)
{
    bool passed = false;
    *line = (struct driver_line){.step = DRIVER_LINK};
    vector_init(&line->words, budget);
    TRY(read_words(line, words, count, &passed, error));
    bool has_file = line->sources > 0;
    for (size_t i = 0; i < line->words.length; i++)
        has_file |= line->words.items[i].role == ROLE_FILE;
    if (passed || !has_file)
        line->step = DRIVER_PASS;
    return STATUS_OK;
}

void driver_line_release(struct driver_line *line)
{
    vector_release(&line->words);
}
