#include "scenario/compiler.h"

#include <stdlib.h>
#include <string.h>

enum language language_of(const char *source)
{
    static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".C", ".c++"};
    const char *dot = strrchr(source, '.');
    if (dot && strcmp(dot, ".c") == 0)
        return LANGUAGE_C;
    for (size_t i = 0; dot && i < ARRAY_LENGTH(suffixes); i++)
        if (strcmp(dot, suffixes[i]) == 0)
            return LANGUAGE_CXX;
    return LANGUAGE_NONE;
}

/* ---- the command ---- */

bool compiler_add(const struct compiler *compiler, struct words *words)
{
    const char *word = compiler->words, *end = word + strlen(compiler->command);
    for (; word < end; word += strlen(word) + 1)
        if (*word && !words_add(words, word, NULL))
            return false;
    return true;
}

enum status compiler_find(const char *command, struct budget *budget, struct compiler *compiler,
                          struct error *error)
{
    struct words words;
    struct text output = TEXT_EMPTY;
    enum status status = STATUS_LIMIT;
    *compiler = (struct compiler){.command = strdup(command), .words = strdup(command)};
    words_init(&words, budget);
    for (char *at = compiler->words; at && *at; at++)
        if (*at == ' ')
            *at = '\0';
    if (compiler->command && compiler->words && compiler_add(compiler, &words) &&
        words_add(&words, "--version", NULL))
        status = command_need(&words, &output, error);
    compiler->is_clang = strstr(text_string(&output), "clang") != NULL;
    text_release(&output);
    words_release(&words);
    return status;
}

void compiler_release(struct compiler *compiler)
{
    free(compiler->command);
    free(compiler->words);
    *compiler = (struct compiler){0};
}

/* ---- flags ---- */

/* What compilers expand in place once the instrumentation is done: it must stay a call. */
static bool add_calls(const struct compiler *compiler, const char *header, struct words *words)
{
    static const char *const kept[] = {
        "-fno-builtin-memcmp",  "-fno-builtin-bcmp",    "-fno-builtin-memcpy",
        "-fno-builtin-memmove", "-fno-builtin-memset",  "-fno-builtin-mempcpy",
        "-fno-builtin-bzero",   "-fno-builtin-bcopy",   "-fno-builtin-memchr",
        "-fno-builtin-strlen",  "-fno-builtin-strnlen", "-fno-builtin-strcmp",
        "-fno-builtin-strncmp", "-fno-builtin-strcpy",  "-fno-builtin-strncpy",
        "-fno-builtin-stpcpy",  "-fno-builtin-strcat",  "-fno-builtin-strncat",
        "-fno-builtin-strchr",  "-fno-builtin-strrchr",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(kept); i++)
        if (!words_add(words, kept[i], NULL))
            return false;
    return words_add(words, "-include", header, NULL) &&
           (compiler->is_clang || words_add(words, "-fno-tree-loop-distribute-patterns", NULL));
}

/* Of DWARF 5, addr2line (binutils 2.40) puts lines of headers into the source (gcc), and knows not
 * always what is inlined into what (clang). Clang leaves out the members of classes that a library
 * has, unless the description is to stand alone.
 *
 * A function that ends in an atomic access would end in a jump to its callback, which then is
 * called from where the function is: from another line. Clang leaves an access out that has an
 * order which it may not have, and only warns of it; gcc hands it over
 * (runtime/callbacks_atomic.c). Clang instruments last, but no access of more than 16 bytes, and
 * none that is masked or gathered: its vectors have such. */
bool compiler_add_instrumentation(const struct compiler *compiler, const char *header,
                                  struct words *words)
{
    if (!words_add(words, "-gdwarf-4", "-fsanitize=thread", "-fno-pie",
                   "-fno-optimize-sibling-calls", NULL) ||
        (header && !add_calls(compiler, header, words)))
        return false;
    if (compiler->is_clang)
        return words_add(words, "-fstandalone-debug", "-Werror=atomic-memory-ordering",
                         "-fverbose-asm", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm",
                         "-tsan-distinguish-volatile", "-mllvm",
                         "-tsan-instrument-func-entry-exit=0", NULL);
    return words_add(words, "-fno-common", "--param=tsan-distinguish-volatile=1",
                     "--param=tsan-instrument-func-entry-exit=0", NULL);
}

bool compiler_add_linking(const struct compiler *compiler, struct words *words)
{
    /* What only weak references ask for, which take nothing out of an archive: those of the runtime
     * (C has no library of C++), to which references of the code are bound, and gcc's in tables of
     * virtual functions. */
    static const char *const wanted[] = {
        "-Wl,-u,__cxa_throw",
        "-Wl,-u,__cxa_rethrow",
        "-Wl,-u,_ZSt13set_terminatePFvvE",
        "-Wl,-u,_ZSt20__throw_system_errori",
        "-Wl,-u,__cxa_pure_virtual",
        "-Wl,-u,__cxa_deleted_virtual",
    };
    /* See runtime/bound_exceptions.c. */
    bool added = words_add(words, "-static-libstdc++", NULL);
    bool is_cpp = strstr(compiler->command, "++") != NULL; /* else the library may not be there */
    for (size_t i = 0; added && is_cpp && i < ARRAY_LENGTH(wanted); i++)
        added = words_add(words, wanted[i], NULL);
    return added;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool flags_optimise(const char *const *flags, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (begins_with(flags[i], "-O"))
            return true;
    return false;
}

enum status flag_check(const char *flag, struct error *error)
{
    static const struct {
        const char *start, *why;
    } refused[] = {
        {"-flto", "link-time optimisation moves accesses behind the instrumentation"},
        {"-m32", "only 64-bit x86 is modelled"},
        {"-mx32", "only 64-bit x86 is modelled"},
        {"-fsanitize", "other sanitizers cannot be used at the same time"},
        {"-masm=intel", "what the compiler makes is read in the other syntax"},
        {"-fno-sanitize", "the instrumentation is needed"},
        {"-shared", "a test is a program; link the objects into it, or an archive of them"},
        {"-static", "a test is linked dynamically"},
    };
    for (size_t k = 0; k < ARRAY_LENGTH(refused); k++)
        if (begins_with(flag, refused[k].start) && !begins_with(flag, "-static-lib"))
            return error_set(error, STATUS_USAGE, NULL, 0, "%s is not taken: %s", flag,
                             refused[k].why);
    return STATUS_OK;
}
