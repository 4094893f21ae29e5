/* Test programs of real code: built in a folder of their own, which goes with them. */
#include "api/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/require.h"
#include "scenario/build.h"
#include "scenario/inspection.h"
#include "scenario/wrapper.h"

static enum status make_folder(lp_program *program, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    text_format(&program->folder, "%s/linchpin-XXXXXX",
                temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp((char *)text_string(&program->folder)))
        return STATUS_OK;
    enum status status = error_set(error, STATUS_USAGE, NULL, 0, "no folder %s can be made: %s",
                                   text_string(&program->folder), strerror(errno));
    text_clear(&program->folder);
    return status;
}

static void remove_folder(lp_program *program)
{
    struct words words;
    bool succeeded;
    struct error error;
    if (!program->folder.length)
        return;
    words_init(&words, &program->context->budget);
    if (words_add(&words, "rm", "-rf", "--", text_string(&program->folder), NULL) &&
        command_run(&words, NULL, NULL, &succeeded, &error) != STATUS_OK)
        rmdir(text_string(&program->folder));
    words_release(&words);
}

/* ---- a program that is there already ---- */

/* "gcc -O2\ngcc -O2\ng++ -O1\n": each once. */
static void append_flags(const char *flags, struct text *compilers)
{
    const char *line_end;
    for (const char *line = flags; (line_end = strchr(line, '\n')); line = line_end + 1) {
        size_t length = (size_t)(line_end - line) + 1;
        const char *first = flags;
        while (strncmp(first, line, length) != 0) /* this one at the latest */
            first = strchr(first, '\n') + 1;
        if (first == line)
            text_format(compilers, "%s%.*s", compilers->length ? ", " : "", (int)length - 1, line);
    }
}

static enum status check_runtime(const char *path, const char *folder,
                                 const struct inspection *made, struct error *error)
{
    struct text object = TEXT_EMPTY;
    struct inspection ours;
    text_format(&object, "%s/runtime.o", folder);
    inspection_read(text_string(&object), &ours);
    bool same = strcmp(text_string(&ours.runtime), text_string(&made->runtime)) == 0;
    inspection_release(&ours);
    text_release(&object);
    return same ? STATUS_OK
                : error_set(error, STATUS_INPUT, path, 0,
                            "was linked by another version of linchpin: link it again");
}

/* *is: the path is that of a program, not of a source. */
static enum status open_program(lp_program *program, const lp_program_options *options, bool *is,
                                struct error *error)
{
    const char *path = options->sources[0];
    struct inspection made;
    inspection_read(path, &made);
    *is = made.kind == INSPECTED_LINKED;
    enum status status = STATUS_OK;
    if (*is && options->source_count > 1)
        status =
            error_set(error, STATUS_USAGE, path, 0,
                      "is a program: expected nothing beside it, found %s", options->sources[1]);
    else if (*is && options->flag_count > 0)
        status = error_set(error, STATUS_USAGE, path, 0,
                           "is a program, compiled already: expected no flags, found %s",
                           options->flags[0]);
    else if (*is && !made.runtime.length)
        status = error_set(error, STATUS_INPUT, path, 0,
                           made.made ? "has no tests: LP_TEST or LP_CLASS of linchpin/test.h"
                                     : "is not a program made by linchpin cc or linchpin c++: "
                                       "build it with CC='linchpin cc' CXX='linchpin c++'");
    else if (*is)
        status = check_runtime(path, options->runtime, &made, error);
    if (*is && status == STATUS_OK) {
        text_append(&program->path, path);
        append_flags(text_string(&made.flags), &program->compilers);
    }
    inspection_release(&made);
    return status;
}

static enum status build(lp_program *program, const lp_program_options *options,
                         struct error *error)
{
    bool is_program = false;
    if (options->source_count > 0)
        TRY(open_program(program, options, &is_program, error));
    if (is_program)
        return conversation_list(text_string(&program->path), &program->tests, error);
    TRY(make_folder(program, error));
    const struct build_settings settings = {.sources = options->sources,
                                            .source_count = options->source_count,
                                            .flags = options->flags,
                                            .flag_count = options->flag_count,
                                            .runtime = options->runtime,
                                            .folder = text_string(&program->folder),
                                            .budget = &program->context->budget};
    TRY(build_program(&settings, &program->path, &program->compilers, error));
    return conversation_list(text_string(&program->path), &program->tests, error);
}

lp_status lp_program_build(lp_context *context, const lp_program_options *options,
                           lp_program **program, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    lp_program_options own;
    REQUIRE_NOT_NULL(options);
    REQUIRE_SIZED(&own, options, runtime);
    REQUIRE_NOT_NULL(own.runtime);
    REQUIRE_NOT_NULL(program);
    struct error fault = {0};
    enum status status = STATUS_LIMIT;
    lp_program *made = memory_zeroed(&context->budget, sizeof *made);
    *program = NULL;
    if (made) {
        made->magic = PROGRAM_MAGIC;
        made->context = context;
        vector_init(&made->tests.items, &context->budget);
        status = build(made, &own, &fault);
    }
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    if (status == STATUS_OK)
        *program = made;
    else
        lp_program_destroy(made);
    return report_status(status, &fault, error);
}

lp_status lp_compile(lp_context *context, const lp_compile_options *options, int *exit_status,
                     lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    lp_compile_options own;
    REQUIRE_NOT_NULL(options);
    REQUIRE_SIZED(&own, options, runtime);
    REQUIRE_NOT_NULL(own.runtime);
    REQUIRE_NOT_NULL(exit_status);
    options = &own;
    struct error fault = {0};
    const char *usual = options->cxx ? "g++" : "gcc";
    const struct wrapper_settings settings = {.compiler =
                                                  options->compiler ? options->compiler : usual,
                                              .arguments = options->arguments,
                                              .argument_count = options->argument_count,
                                              .runtime = options->runtime,
                                              .budget = &context->budget};
    *exit_status = 0;
    enum status status = wrapper_run(&settings, exit_status, &fault);
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    return report_status(status, &fault, error);
}

void lp_program_destroy(lp_program *program)
{
    if (!program)
        return;
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    program->magic = 0;
    remove_folder(program);
    text_release(&program->folder);
    text_release(&program->path);
    text_release(&program->compilers);
    vector_release(&program->tests.items);
    memory_release(&program->context->budget, program, sizeof *program);
}

size_t lp_program_tests(const lp_program *program)
{
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    return program->tests.items.length;
}

const char *lp_program_test_name(const lp_program *program, size_t test)
{
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    return test < program->tests.items.length ? program->tests.items.items[test].name : NULL;
}

const char *lp_program_test_spec(const lp_program *program, size_t test)
{
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    const char *spec =
        test < program->tests.items.length ? program->tests.items.items[test].spec : "";
    return *spec ? spec : NULL;
}

const char *lp_program_compilers(const lp_program *program)
{
    REQUIRE_ALIVE(program, PROGRAM_MAGIC);
    return text_string(&program->compilers);
}
