#include "scenario/build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/binding.h"
#include "scenario/compiler.h"
#include "scenario/dead_registers.h"
#include "scenario/folder.h"
#include "scenario/unseen.h"
#include "scenario/unseen_calls.h"
#include "scenario/unseen_sizes.h"

struct building {
    const struct build_settings *settings;
    struct text runtime, include, header;
    VECTOR(char *) objects; /* owned */
    struct compiler compilers[LANGUAGE_NONE];
    bool used[LANGUAGE_NONE];
};

/* ---- flags and compilers ---- */

/* What is only for the linker. */
static bool flag_is_for_linking(const char *flag)
{
    static const char *const starts[] = {"-l", "-L", "-Wl,"};
    for (size_t i = 0; i < ARRAY_LENGTH(starts); i++)
        if (strncmp(flag, starts[i], strlen(starts[i])) == 0)
            return true;
    return flag[0] != '-';
}

static enum status check_flags(const struct build_settings *settings, struct error *error)
{
    for (size_t i = 0; i < settings->flag_count; i++) {
        if (strcmp(settings->flags[i], "-pie") == 0)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "-pie is not taken: a test program is at fixed addresses");
        TRY(flag_check(settings->flags[i], error));
    }
    return STATUS_OK;
}

/* -O2 stays unless the user says how far to optimise. */
static bool lacks_optimisation(const struct build_settings *settings)
{
    return !flags_optimise(settings->flags, settings->flag_count);
}

static bool add_flags(const struct build_settings *settings, bool linking, struct words *words)
{
    bool added = !lacks_optimisation(settings) || words_add(words, "-O2", NULL);
    for (size_t i = 0; added && i < settings->flag_count; i++)
        if (linking || !flag_is_for_linking(settings->flags[i]))
            added = words_add(words, settings->flags[i], NULL);
    return added;
}

static bool names_standard(const struct build_settings *settings)
{
    for (size_t i = 0; i < settings->flag_count; i++)
        if (strncmp(settings->flags[i], "-std=", 5) == 0)
            return true;
    return false;
}

static enum status find_compiler(struct building *building, enum language language,
                                 struct error *error)
{
    const char *named = getenv(language == LANGUAGE_C ? "CC" : "CXX");
    building->used[language] = true;
    if (building->compilers[language].command)
        return STATUS_OK;
    if (!named || !*named)
        named = language == LANGUAGE_C ? "gcc" : "g++";
    return compiler_find(named, building->settings->budget, &building->compilers[language], error);
}

/* ---- one source ---- */

static char *path_of(const struct building *building, size_t number, const char *suffix)
{
    struct text path = TEXT_EMPTY;
    text_format(&path, "%s/%zu%s", building->settings->folder, number, suffix);
    return text_take(&path);
}

static enum status compile(struct building *building, const char *source, enum language language,
                           const char *assembly, struct error *error)
{
    const struct build_settings *settings = building->settings;
    const struct compiler *compiler = &building->compilers[language];
    struct words words;
    struct unseen_calls_flags flags = {TEXT_EMPTY, TEXT_EMPTY};
    enum status status = STATUS_LIMIT;
    words_init(&words, settings->budget);
    if (compiler_add(compiler, &words) &&
        (language == LANGUAGE_C || names_standard(settings) ||
         words_add(&words, "-std=gnu++17", NULL)) &&
        add_flags(settings, false, &words) &&
        (settings->kind == BUILD_PLAIN ||
         compiler_add_instrumentation(
             compiler, settings->kind == BUILD_EXPLORED ? text_string(&building->header) : NULL,
             &words)) &&
        (settings->kind != BUILD_EXPLORED || compiler->is_clang ||
         unseen_calls_ask(assembly, &flags, &words)) &&
        words_add(&words, "-I", text_string(&building->include), "-S", "-o", assembly, source,
                  NULL))
        status = command_need(&words, NULL, error);
    if (status == STATUS_OK && settings->kind == BUILD_EXPLORED && compiler->is_clang)
        status = unseen_sizes_check(source, assembly, &words, error);
    words_release(&words);
    unseen_calls_release(&flags);
    return status;
}

static enum status assemble(struct building *building, enum language language, const char *assembly,
                            const char *object, struct error *error)
{
    struct words words;
    enum status status = STATUS_LIMIT;
    words_init(&words, building->settings->budget);
    if (compiler_add(&building->compilers[language], &words) &&
        words_add(&words, "-c", "-o", object, assembly, NULL))
        status = command_need(&words, NULL, error);
    words_release(&words);
    return status;
}

/* Looks through what the compiler made, and changes it. */
static enum status instrument(const struct building *building, const char *source, bool is_clang,
                              const char *assembly, struct error *error)
{
    struct text read = TEXT_EMPTY, cleared = TEXT_EMPTY;
    enum status status = file_read(assembly, &read, error);
    char *made = text_take(&read);
    if (status == STATUS_OK && !made)
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = unseen_check_assembly(source, made, is_clang, error);
    if (status == STATUS_OK && !is_clang)
        status = unseen_calls_check(source, assembly, made, error);
    if (status == STATUS_OK) {
        unseen_drop_leftovers(made);
        status = dead_registers_clear(made, building->settings->budget, &cleared);
    }
    if (status == STATUS_OK)
        status = file_write(assembly, &cleared, error);
    free(made);
    text_release(&cleared);
    return status;
}

static enum status build_object(struct building *building, const char *source, size_t number,
                                struct error *error)
{
    enum language language = language_of(source);
    if (access(source, R_OK) != 0)
        return error_set(error, STATUS_USAGE, source, 0, "cannot be read: %s", strerror(errno));
    if (language == LANGUAGE_NONE)
        return error_set(error, STATUS_USAGE, source, 0,
                         "expected a source of C (.c) or C++ (.cc, .cpp, .cxx, .C, .c++)");
    TRY(find_compiler(building, language, error));
    char *assembly = path_of(building, number, ".s"), *object = path_of(building, number, ".o");
    enum status status = compile(building, source, language, assembly, error);
    bool explored = building->settings->kind == BUILD_EXPLORED;
    if (status == STATUS_OK && explored)
        status =
            instrument(building, source, building->compilers[language].is_clang, assembly, error);
    if (status == STATUS_OK)
        status = assemble(building, language, assembly, object, error);
    if (status == STATUS_OK && explored)
        status = unseen_check_object(source, object, building->settings->budget, error);
    if (status == STATUS_OK && !vector_push(&building->objects, object))
        status = STATUS_LIMIT;
    if (status != STATUS_OK)
        free(object);
    free(assembly);
    return status;
}

/* ---- all of them ---- */

static enum status link_program(struct building *building, const char *program, struct error *error)
{
    enum language language = building->used[LANGUAGE_CXX] ? LANGUAGE_CXX : LANGUAGE_C;
    struct words words;
    words_init(&words, building->settings->budget);
    /* Functions are found at the start: those found at their first call would be found anew in each
     * execution, which sets memory back. */
    bool added = compiler_add(&building->compilers[language], &words) &&
                 words_add(&words, "-no-pie", "-Wl,-z,now", "-o", program, NULL);
    if (building->settings->kind == BUILD_EXPLORED && language == LANGUAGE_CXX)
        added = added && compiler_add_linking(&building->compilers[language], &words);
    for (size_t i = 0; added && i < building->objects.length; i++)
        added = words_add(&words, building->objects.items[i], NULL);
    added = added && words_add(&words, text_string(&building->runtime), NULL) &&
            add_flags(building->settings, true, &words) && words_add(&words, "-lpthread", NULL);
    enum status status = added ? command_need(&words, NULL, error) : STATUS_LIMIT;
    words_release(&words);
    return status;
}

static enum status build(struct building *building, const char *program, struct error *error)
{
    const struct build_settings *settings = building->settings;
    bool explored = settings->kind == BUILD_EXPLORED;
    TRY(check_flags(settings, error));
    for (size_t i = 0; i < settings->source_count; i++)
        TRY(build_object(building, settings->sources[i], i, error));
    TRY(binding_apply(explored ? text_string(&building->runtime) : NULL,
                      (const char *const *)building->objects.items, building->objects.length,
                      settings->folder, settings->budget, error));
    return link_program(building, program, error);
}

static void append_compilers(const struct building *building, struct text *text)
{
    const struct build_settings *settings = building->settings;
    for (unsigned i = 0; i < LANGUAGE_NONE; i++)
        if (building->used[i])
            text_format(text, "%s%s", text->length ? ", " : "", building->compilers[i].command);
    if (lacks_optimisation(settings))
        text_append(text, " -O2");
    for (size_t i = 0; i < settings->flag_count; i++)
        text_format(text, " %s", settings->flags[i]);
}

enum status build_program(const struct build_settings *settings, struct text *program,
                          struct text *compilers, struct error *error)
{
    struct building building = {.settings = settings};
    vector_init(&building.objects, settings->budget);
    text_format(&building.runtime, "%s/%s.o", settings->runtime,
                settings->kind == BUILD_EXPLORED ? "runtime" : "stress");
    text_format(&building.include, "%s/include", settings->runtime);
    text_format(&building.header, "%s/instrumented.h", settings->runtime);
    text_format(program, "%s/program", settings->folder);
    enum status status = build(&building, text_string(program), error);
    if (status == STATUS_OK)
        append_compilers(&building, compilers);
    for (size_t i = 0; i < building.objects.length; i++)
        free(building.objects.items[i]);
    for (unsigned i = 0; i < LANGUAGE_NONE; i++)
        compiler_release(&building.compilers[i]);
    vector_release(&building.objects);
    text_release(&building.runtime);
    text_release(&building.include);
    text_release(&building.header);
    return status;
}
