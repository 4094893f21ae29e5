/* Test programs of real code: built in a folder of their own, which goes with them. */
#include "api/program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/require.h"
#include "scenario/build.h"

static enum status make_folder(lp_program *program, struct error *error)
{
    const char *temporary = getenv("TMPDIR");
    text_format(&program->folder, "%s/linchpin-XXXXXX",
                temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp((char *)text_string(&program->folder)))
        return STATUS_OK;
    enum status status = error_set(error, STATUS_USAGE, NULL, 0, "no folder %s can be made",
                                   text_string(&program->folder));
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

static enum status build(lp_program *program, const lp_program_options *options,
                         struct error *error)
{
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
    REQUIRE_NOT_NULL(options);
    REQUIRE_NOT_NULL(options->runtime);
    REQUIRE_NOT_NULL(program);
    struct error fault = {0};
    enum status status = STATUS_LIMIT;
    lp_program *made = memory_zeroed(&context->budget, sizeof *made);
    *program = NULL;
    if (made) {
        made->magic = PROGRAM_MAGIC;
        made->context = context;
        vector_init(&made->tests.items, &context->budget);
        status = build(made, options, &fault);
    }
    if (status == STATUS_LIMIT)
        error_set(&fault, status, NULL, 0, "the memory limit is reached");
    if (status == STATUS_OK)
        *program = made;
    else
        lp_program_destroy(made);
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
