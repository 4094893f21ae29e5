#include "scenario/wrapper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenario/binding.h"
#include "scenario/dead_registers.h"
#include "scenario/driver_line.h"
#include "scenario/folder.h"
#include "scenario/inspection.h"
#include "scenario/unseen.h"
#include "scenario/unseen_calls.h"
#include "scenario/unseen_sizes.h"

struct wrapper {
    const struct wrapper_settings *settings;
    struct driver_line line;
    struct compiler compiler;
    struct text folder, include, header;
    VECTOR(char *) owned; /* texts that words of commands point to */
    VECTOR(char *)
    objects; /* by the number of the word: what became of a source; null; owned too */
    int exit_status;
    struct error unseen; /* of the source that was compiled last: accesses of odd sizes */
};

static char *keep(struct wrapper *wrapper, struct text *text)
{
    char *kept = text_take(text);
    if (kept && !vector_push(&wrapper->owned, kept)) {
        free(kept);
        return NULL;
    }
    return kept;
}

/* A file in our folder. */
static char *path_of(struct wrapper *wrapper, size_t number, const char *suffix)
{
    struct text path = TEXT_EMPTY;
    text_format(&path, "%s/%zu%s", text_string(&wrapper->folder), number, suffix);
    return keep(wrapper, &path);
}

/* Runs a command; *done: the exit status was 0. */
static enum status pass(struct wrapper *wrapper, struct words *words, bool *done,
                        struct error *error)
{
    TRY(command_pass(words, &wrapper->exit_status, error));
    *done = wrapper->exit_status == 0;
    return STATUS_OK;
}

/* ---- what an object says of itself ---- */

static bool tells_of_code(const char *flag)
{
    static const char *const starts[] = {"-O", "-D", "-U", "-std=", "-f", "-m"};
    for (size_t i = 0; i < ARRAY_LENGTH(starts); i++)
        if (strncmp(flag, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void append_section(const char *name, const struct text *content, struct text *assembly)
{
    text_format(assembly, "\n\t.section %s,\"\",@progbits\n\t.ascii \"", name);
    for (const char *at = text_string(content); *at; at++) {
        if (*at == '"' || *at == '\\')
            text_append_char(assembly, '\\');
        if (*at == '\n')
            text_append(assembly, "\\n");
        else
            text_append_char(assembly, *at);
    }
    text_append(assembly, "\"\n");
}

static void append_flags(const struct wrapper *wrapper, struct text *assembly)
{
    struct text flags = TEXT_EMPTY;
    text_append(&flags, wrapper->compiler.command);
    for (size_t i = 0; i < wrapper->line.words.length; i++) {
        const struct driver_word *word = &wrapper->line.words.items[i];
        if (word->role == ROLE_FLAG && tells_of_code(word->text))
            text_format(&flags, " %s", word->text);
    }
    text_append(&flags, "\n");
    append_section(SECTION_FLAGS, &flags, assembly);
    text_release(&flags);
}

static void append_error(const struct error *error, struct text *text)
{
    if (error->file[0])
        text_append(text, error->file);
    if (error->file[0] && error->line)
        text_format(text, ":%u", (unsigned)error->line);
    text_format(text, "%s%s\n", error->file[0] ? ": " : "", error->message);
}

/* What cannot be tested does not keep a build from going on: it is refused where it becomes part of
 * a test program. */
static enum status mark_assembly(struct wrapper *wrapper, const char *source, const char *path,
                                 struct error *error)
{
    struct text read = TEXT_EMPTY, assembly = TEXT_EMPTY, unseen = TEXT_EMPTY;
    struct error found = wrapper->unseen;
    TRY(file_read(path, &read, error));
    char *made = text_take(&read);
    if (!made)
        return STATUS_LIMIT;
    bool sees_all =
        !found.message[0] &&
        unseen_check_assembly(source, made, wrapper->compiler.is_clang, &found) == STATUS_OK &&
        (wrapper->compiler.is_clang || unseen_calls_check(source, path, made, &found) == STATUS_OK);
    unseen_drop_leftovers(made);
    enum status status = dead_registers_clear(made, wrapper->settings->budget, &assembly);
    if (!sees_all) {
        append_error(&found, &unseen);
        append_section(SECTION_UNSEEN, &unseen, &assembly);
    }
    append_flags(wrapper, &assembly);
    if (status == STATUS_OK)
        status = file_write(path, &assembly, error);
    free(made);
    text_release(&assembly);
    text_release(&unseen);
    return status;
}

static enum status mark_object(struct wrapper *wrapper, const char *source, const char *object,
                               struct error *error)
{
    struct error found = {0};
    struct words words;
    struct text unseen = TEXT_EMPTY, path = TEXT_EMPTY, option = TEXT_EMPTY;
    enum status status = unseen_check_object(source, object, wrapper->settings->budget, &found);
    if (status == STATUS_OK)
        return STATUS_OK;
    append_error(&found, &unseen);
    text_format(&path, "%s/unseen", text_string(&wrapper->folder));
    text_format(&option, "%s=%s", SECTION_UNSEEN, text_string(&path));
    status = file_write(text_string(&path), &unseen, error);
    words_init(&words, wrapper->settings->budget);
    /* An object with such a section already says enough: objcopy does not add a second one. */
    if (status == STATUS_OK && !words_add(&words, "objcopy", "--remove-section=" SECTION_UNSEEN,
                                          "--add-section", text_string(&option), object, NULL))
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = command_need(&words, NULL, error);
    words_release(&words);
    text_release(&unseen);
    text_release(&path);
    text_release(&option);
    return status;
}

/* ---- one source ---- */

static bool add_flags(const struct wrapper *wrapper, struct words *words)
{
    bool added = true;
    for (size_t i = 0; added && i < wrapper->line.words.length; i++)
        if (wrapper->line.words.items[i].role == ROLE_FLAG)
            added = words_add(words, wrapper->line.words.items[i].text, NULL);
    return added;
}

/* The driver names the file of dependencies, and what depends, by the output, which is another one
 * for us. */
static bool add_dependencies(struct wrapper *wrapper, const char *object, struct words *words)
{
    const struct driver_line *line = &wrapper->line;
    bool added = true;
    if (!line->writes_dependencies)
        return true;
    if (!line->names_dependency_file) {
        struct text file = TEXT_EMPTY;
        const char *slash = strrchr(object, '/'), *dot = strrchr(object, '.');
        size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - object) : strlen(object);
        text_format(&file, "%.*s.d", (int)stem, object);
        added = words_add(words, "-MF", keep(wrapper, &file), NULL);
    }
    return added && (line->names_target || words_add(words, "-MQ", object, NULL));
}

static enum status compile(struct wrapper *wrapper, const struct driver_word *source,
                           const char *assembly, const char *object, bool *done,
                           struct error *error)
{
    struct words words;
    struct unseen_calls_flags flags = {TEXT_EMPTY, TEXT_EMPTY};
    enum status status = STATUS_LIMIT;
    words_init(&words, wrapper->settings->budget);
    if (compiler_add(&wrapper->compiler, &words) && add_flags(wrapper, &words) &&
        compiler_add_instrumentation(&wrapper->compiler, text_string(&wrapper->header), &words) &&
        (wrapper->compiler.is_clang || unseen_calls_ask(assembly, &flags, &words)) &&
        add_dependencies(wrapper, object, &words) &&
        words_add(&words, "-I", text_string(&wrapper->include), NULL) &&
        (!source->language || words_add(&words, "-x", source->language, NULL)) &&
        words_add(&words, "-S", "-o", assembly, source->text, NULL))
        status = pass(wrapper, &words, done, error);
    wrapper->unseen = (struct error){0};
    if (status == STATUS_OK && *done && wrapper->compiler.is_clang) {
        status = unseen_sizes_check(source->text, assembly, &words, &wrapper->unseen);
        if (status == STATUS_INPUT)
            status = STATUS_OK;
        else if (status != STATUS_OK)
            *error = wrapper->unseen;
    }
    words_release(&words);
    unseen_calls_release(&flags);
    return status;
}

static enum status assemble(struct wrapper *wrapper, const char *assembly, const char *object,
                            bool *done, struct error *error)
{
    struct words words;
    enum status status = STATUS_LIMIT;
    words_init(&words, wrapper->settings->budget);
    bool added = compiler_add(&wrapper->compiler, &words);
    for (size_t i = 0; added && i < wrapper->line.words.length; i++)
        if (strncmp(wrapper->line.words.items[i].text, "-Wa,", 4) == 0)
            added = words_add(&words, wrapper->line.words.items[i].text, NULL);
    /* what goes before has chosen the language already */
    if (added && words_add(&words, "-x", "assembler", "-c", "-o", object, assembly, NULL))
        status = pass(wrapper, &words, done, error);
    words_release(&words);
    return status;
}

/* Of another language: as it is. */
static enum status compile_other(struct wrapper *wrapper, const struct driver_word *source,
                                 const char *object, bool *done, struct error *error)
{
    struct words words;
    enum status status = STATUS_LIMIT;
    words_init(&words, wrapper->settings->budget);
    if (compiler_add(&wrapper->compiler, &words) && add_flags(wrapper, &words) &&
        (!source->language || words_add(&words, "-x", source->language, NULL)) &&
        words_add(&words, "-c", "-o", object, source->text, NULL))
        status = pass(wrapper, &words, done, error);
    words_release(&words);
    return status;
}

static enum status make_object(struct wrapper *wrapper, size_t number, char *object, bool *done,
                               struct error *error)
{
    const struct driver_word *source = &wrapper->line.words.items[number];
    char *assembly = path_of(wrapper, number, ".s");
    if (!assembly || !object)
        return STATUS_LIMIT;
    wrapper->objects.items[number] = object;
    if (source->role == ROLE_OTHER)
        return compile_other(wrapper, source, object, done, error);
    TRY(compile(wrapper, source, assembly, object, done, error));
    if (*done)
        TRY(mark_assembly(wrapper, source->text, assembly, error));
    if (*done)
        TRY(assemble(wrapper, assembly, object, done, error));
    return *done ? mark_object(wrapper, source->text, object, error) : STATUS_OK;
}

/* `NAME.o` here, of a source anywhere, unless -o names another one. */
static char *object_of(struct wrapper *wrapper, const char *source)
{
    struct text object = TEXT_EMPTY;
    const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    if (wrapper->line.output)
        text_append(&object, wrapper->line.output);
    else
        text_format(&object, "%.*s.o", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    return keep(wrapper, &object);
}

static enum status make_objects(struct wrapper *wrapper, bool *done, struct error *error)
{
    const struct driver_line *line = &wrapper->line;
    bool ours = line->step == DRIVER_LINK;
    *done = true;
    if (!ours && line->output && line->sources > 1)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "-o names one file, but several sources are compiled");
    for (size_t i = 0; i < line->words.length; i++) {
        const struct driver_word *word = &line->words.items[i];
        bool made = true;
        if (word->role != ROLE_SOURCE && word->role != ROLE_OTHER)
            continue;
        TRY(make_object(wrapper, i,
                        ours ? path_of(wrapper, i, ".o") : object_of(wrapper, word->text), &made,
                        error));
        *done &= made;
        if (!made)
            return STATUS_OK;
    }
    return STATUS_OK;
}

/* ---- a program without tests ---- */

static enum status link_plainly(struct wrapper *wrapper, struct error *error)
{
    struct words words;
    struct text plain = TEXT_EMPTY;
    bool done;
    enum status status = STATUS_LIMIT;
    words_init(&words, wrapper->settings->budget);
    text_format(&plain, "%s/plain.o", wrapper->settings->runtime);
    bool added = compiler_add(&wrapper->compiler, &words);
    for (size_t i = 0; added && i < wrapper->line.words.length; i++) {
        const struct driver_word *word = &wrapper->line.words.items[i];
        const char *object = wrapper->objects.items[i];
        if (strcmp(word->text, "-x") == 0) /* it is about sources, of which none is left */
            i++;
        else if (strncmp(word->text, "-x", 2) != 0)
            added = words_add(&words, object ? object : word->text, NULL);
    }
    if (added && words_add(&words, text_string(&plain), "-no-pie", "-lpthread", NULL))
        status = pass(wrapper, &words, &done, error);
    words_release(&words);
    text_release(&plain);
    return status;
}

/* ---- a program with tests ---- */

/* An archive that -lNAME stands for, in a folder of -L, if it is ours; null: it is none. */
static char *find_library(struct wrapper *wrapper, const char *name)
{
    const struct driver_line *line = &wrapper->line;
    for (size_t i = 0; i < line->words.length; i++) {
        const char *folder = line->words.items[i].text;
        if (line->words.items[i].role != ROLE_LINKING || strncmp(folder, "-L", 2) != 0)
            continue;
        folder =
            folder[2] || i + 1 == line->words.length ? folder + 2 : line->words.items[i + 1].text;
        struct text path = TEXT_EMPTY;
        text_format(&path, "%s/lib%s.so", folder, name);
        if (access(text_string(&path), R_OK) == 0) { /* preferred by the linker */
            text_release(&path);
            return NULL;
        }
        text_clear(&path);
        text_format(&path, "%s/lib%s.a", folder, name);
        if (access(text_string(&path), R_OK) == 0)
            return keep(wrapper, &path);
        text_release(&path);
    }
    return NULL;
}

/* The file that a word stands for, which is joined with the others if it is ours; null: none is. */
static const char *file_of(struct wrapper *wrapper, size_t number)
{
    const struct driver_word *word = &wrapper->line.words.items[number];
    if (wrapper->objects.items[number])
        return wrapper->objects.items[number];
    if (word->role == ROLE_FILE)
        return word->text;
    if (word->role == ROLE_LIBRARY && word->text[2])
        return find_library(wrapper, word->text + 2);
    return NULL;
}

static enum status check_made(const char *path, const struct inspection *inspection,
                              struct error *error)
{
    if (inspection->kind == INSPECTED_OBJECT && inspection->made == 0)
        return error_set(
            error, STATUS_INPUT, path, 0,
            "is not made by linchpin cc or linchpin c++: nobody would see what it does "
            "to memory");
    if (inspection->kind == INSPECTED_ARCHIVE && inspection->made > 0 &&
        inspection->made < inspection->objects)
        return error_set(error, STATUS_INPUT, path, 0,
                         "%zu of its %zu objects are not made by linchpin cc or linchpin c++: "
                         "nobody would see what they do to memory",
                         inspection->objects - inspection->made, inspection->objects);
    return STATUS_OK;
}

/* Whether a word's file is ours; *has_main: of an object. */
static enum status look_at(struct wrapper *wrapper, size_t number, bool *ours, bool *has_tests,
                           bool refuses, struct error *error)
{
    const char *path = file_of(wrapper, number);
    struct inspection inspection = {0};
    enum status status = STATUS_OK;
    *ours = false;
    if (!path)
        return STATUS_OK;
    inspection_read(path, &inspection);
    if (refuses)
        status = check_made(path, &inspection, error);
    *ours = inspection.made > 0 && inspection.kind != INSPECTED_LINKED;
    *has_tests |= inspection.kind == INSPECTED_OBJECT && inspection.has_tests;
    inspection_release(&inspection);
    return status;
}

static enum status join(struct wrapper *wrapper, const char *joined, bool *done,
                        struct error *error)
{
    struct words words;
    bool added, ours, unused = false;
    words_init(&words, wrapper->settings->budget);
    added = compiler_add(&wrapper->compiler, &words) &&
            words_add(&words, "-r", "-nostdlib", "-o", joined, NULL);
    enum status status = added ? STATUS_OK : STATUS_LIMIT;
    for (size_t i = 0; status == STATUS_OK && i < wrapper->line.words.length; i++) {
        status = look_at(wrapper, i, &ours, &unused, true, error);
        if (status == STATUS_OK && ours && !words_add(&words, file_of(wrapper, i), NULL))
            status = STATUS_LIMIT;
    }
    if (status == STATUS_OK)
        status = pass(wrapper, &words, done, error);
    words_release(&words);
    return status;
}

/* Refuses what the objects say of themselves that cannot be tested. */
static enum status check_joined(const char *joined, struct error *error)
{
    struct inspection inspection;
    enum status status = STATUS_OK;
    inspection_read(joined, &inspection);
    const char *unseen = text_string(&inspection.unseen);
    if (*unseen)
        status =
            error_set(error, STATUS_INPUT, NULL, 0, "%.*s", (int)strcspn(unseen, "\n"), unseen);
    if (inspection.has_main)
        fputs("linchpin: note: the program has tests, so that its own main is not called\n",
              stderr);
    inspection_release(&inspection);
    return status;
}

static enum status link_tests(struct wrapper *wrapper, const char *joined, const char *runtime,
                              struct error *error)
{
    struct words words;
    bool done, added;
    enum status status = STATUS_OK;
    words_init(&words, wrapper->settings->budget);
    added = compiler_add(&wrapper->compiler, &words) && words_add(&words, joined, runtime, NULL);
    for (size_t i = 0; added && status == STATUS_OK && i < wrapper->line.words.length; i++) {
        const struct driver_word *word = &wrapper->line.words.items[i];
        bool ours, unused = false;
        if (word->role == ROLE_STEP || strcmp(word->text, "-s") == 0)
            continue;
        status = look_at(wrapper, i, &ours, &unused, false, error);
        if (!ours)
            added = words_add(&words, word->text, NULL);
    }
    /* Functions are found at the start: see scenario/build.c. */
    if (wrapper->line.output)
        added = added && words_add(&words, "-o", wrapper->line.output, NULL);
    added = added && compiler_add_linking(&wrapper->compiler, &words) &&
            words_add(&words, "-no-pie", "-Wl,-z,now", "-lpthread", NULL);
    if (status == STATUS_OK)
        status = added ? pass(wrapper, &words, &done, error) : STATUS_LIMIT;
    words_release(&words);
    return status;
}

static enum status make_tests(struct wrapper *wrapper, struct error *error)
{
    struct text runtime = TEXT_EMPTY;
    bool done = false;
    char *joined = path_of(wrapper, wrapper->line.words.length, ".o");
    if (!joined)
        return STATUS_LIMIT;
    if (wrapper->line.linker_only)
        TRY(flag_check(wrapper->line.linker_only, error));
    TRY(join(wrapper, joined, &done, error));
    if (!done)
        return STATUS_OK;
    TRY(check_joined(joined, error));
    text_format(&runtime, "%s/runtime.o", wrapper->settings->runtime);
    const char *const objects[] = {joined};
    enum status status =
        binding_apply(text_string(&runtime), objects, 1, text_string(&wrapper->folder),
                      wrapper->settings->budget, error);
    if (status == STATUS_OK)
        status = link_tests(wrapper, joined, text_string(&runtime), error);
    text_release(&runtime);
    return status;
}

/* ---- all ---- */

static enum status link_program(struct wrapper *wrapper, struct error *error)
{
    bool has_tests = false, ours;
    if (wrapper->line.linker_only && strcmp(wrapper->line.linker_only, "-shared") == 0)
        TRY(flag_check("-shared", error));
    for (size_t i = 0; i < wrapper->line.words.length; i++)
        TRY(look_at(wrapper, i, &ours, &has_tests, false, error));
    return has_tests ? make_tests(wrapper, error) : link_plainly(wrapper, error);
}

/* As it is, but with linchpin/test.h. */
static enum status pass_on(struct wrapper *wrapper, struct error *error)
{
    struct words words;
    bool done, added;
    words_init(&words, wrapper->settings->budget);
    added = compiler_add(&wrapper->compiler, &words);
    for (size_t i = 0; added && i < wrapper->line.words.length; i++)
        added = words_add(&words, wrapper->line.words.items[i].text, NULL);
    if (added && wrapper->line.sources > 0)
        added = words_add(&words, "-I", text_string(&wrapper->include), NULL);
    enum status status = added ? pass(wrapper, &words, &done, error) : STATUS_LIMIT;
    words_release(&words);
    return status;
}

static enum status run(struct wrapper *wrapper, struct error *error)
{
    const struct wrapper_settings *settings = wrapper->settings;
    bool done = false;
    TRY(driver_line_read(settings->arguments, settings->argument_count, settings->budget,
                         &wrapper->line, error));
    TRY(compiler_find(settings->compiler, settings->budget, &wrapper->compiler, error));
    if (wrapper->line.step == DRIVER_PASS)
        return pass_on(wrapper, error);
    TRY(folder_make(&wrapper->folder, error));
    for (size_t i = 0; i < wrapper->line.words.length; i++)
        TRY_MEMORY(vector_push(&wrapper->objects, NULL));
    TRY(make_objects(wrapper, &done, error));
    return done && wrapper->line.step == DRIVER_LINK ? link_program(wrapper, error) : STATUS_OK;
}

enum status wrapper_run(const struct wrapper_settings *settings, int *exit_status,
                        struct error *error)
{
    struct wrapper wrapper = {.settings = settings};
    vector_init(&wrapper.owned, settings->budget);
    vector_init(&wrapper.objects, settings->budget);
    text_format(&wrapper.include, "%s/include", settings->runtime);
    text_format(&wrapper.header, "%s/instrumented.h", settings->runtime);
    enum status status = run(&wrapper, error);
    *exit_status = wrapper.exit_status;
    folder_remove(text_string(&wrapper.folder));
    for (size_t i = 0; i < wrapper.owned.length; i++)
        free(wrapper.owned.items[i]);
    vector_release(&wrapper.owned);
    vector_release(&wrapper.objects);
    driver_line_release(&wrapper.line);
    compiler_release(&wrapper.compiler);
    text_release(&wrapper.folder);
    text_release(&wrapper.include);
    text_release(&wrapper.header);
    return status;
}
