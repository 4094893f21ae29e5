#include "support/code_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scenario/interface.h"

bool code_has_compiler(const char *name)
{
    struct budget budget;
    struct words words;
    bool succeeded = false;
    struct error error;
    budget_init(&budget, NULL, 0);
    words_init(&words, &budget);
    bool there = words_add(&words, name, "--version", NULL) &&
                 command_run(&words, NULL, NULL, &succeeded, &error) == STATUS_OK && succeeded;
    words_release(&words);
    return there;
}

static void open_folder(struct code_fixture *code)
{
    memset(code, 0, sizeof *code);
    budget_init(&code->budget, NULL, 0);
    vector_init(&code->tests.items, &code->budget);
    strcpy(code->folder, "/tmp/linchpin-code-XXXXXX");
    assert_non_null(mkdtemp(code->folder));
}

static enum status build(struct code_fixture *code, const char *const *sources, size_t source_count,
                         const char *const *flags, size_t flag_count, struct error *error)
{
    const struct build_settings settings = {.sources = sources,
                                            .source_count = source_count,
                                            .flags = flags,
                                            .flag_count = flag_count,
                                            .runtime = RUNTIME_FOLDER,
                                            .folder = code->folder,
                                            .budget = &code->budget};
    return build_program(&settings, &code->program, &code->compilers, error);
}

void code_build(struct code_fixture *code, const char *const *sources, size_t source_count,
                const char *const *flags, size_t flag_count)
{
    struct error error = {0};
    open_folder(code);
    if (build(code, sources, source_count, flags, flag_count, &error) != STATUS_OK ||
        conversation_list(text_string(&code->program), &code->tests, &error) != STATUS_OK)
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
}

static void write_source(struct code_fixture *code, const char *text, const char *suffix,
                         char *path, size_t size)
{
    snprintf(path, size, "%s/source%s", code->folder, suffix);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

void code_build_text(struct code_fixture *code, const char *source_text, const char *suffix,
                     const char *flag)
{
    char path[128];
    const char *source = path;
    struct error error = {0};
    open_folder(code);
    write_source(code, source_text, suffix, path, sizeof path);
    if (build(code, &source, 1, &flag, flag ? 1 : 0, &error) != STATUS_OK ||
        conversation_list(text_string(&code->program), &code->tests, &error) != STATUS_OK)
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
}

void code_build_refused(const char *source_text, const char *suffix, const char *flag,
                        struct error *error)
{
    struct code_fixture code;
    char path[128];
    const char *source = path;
    *error = (struct error){0};
    open_folder(&code);
    write_source(&code, source_text, suffix, path, sizeof path);
    enum status status = build(&code, &source, 1, &flag, flag ? 1 : 0, error);
    code_release(&code);
    assert_true(status == STATUS_INPUT || status == STATUS_USAGE);
}

/* "a | b | c": each operation a thread. */
static void append_all(const struct exchange_test *test, struct text *scenario)
{
    for (uint32_t i = 0; i < test->operation_count; i++)
        text_format(scenario, "%s%s", i ? " | " : "", test->operations[i].name);
}

void code_run(struct code_fixture *code, size_t test, enum memory_model model, const char *scenario,
              struct exchange_result *result)
{
    code_explore(code, test, &(struct exchange_request){.model = model}, scenario, result);
}

static void drop_kept(struct code_fixture *code)
{
    if (code->kept)
        (void)conversation_close(code->kept);
    code->kept = NULL;
}

static void assert_same(const struct exchange_result *a, const struct exchange_result *b)
{
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->finding.kind, b->finding.kind);
    assert_int_equal(a->executions, b->executions);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->blocked, b->blocked);
    assert_int_equal(a->retried, b->retried);
    assert_int_equal(a->hanging, b->hanging);
    assert_int_equal(a->twice, b->twice);
    assert_int_equal(a->repeated, b->repeated);
    assert_int_equal(a->histories, b->histories);
    assert_int_equal(a->most_events, b->most_events);
    if (a->end == END_TOO_LARGE)
        return; /* livelocks were looked for, maybe until there was no more time */
    assert_int_equal(a->graph.event_count, b->graph.event_count);
    assert_true(execution_hash(&a->graph) == execution_hash(&b->graph));
}

/* The same scenario in a process that has explored others of the test, if there is one, or the same
 * one. */
static void explore_again(struct code_fixture *code, const struct exchange_request *request,
                          const struct exchange_result *result)
{
    static struct exchange_result again;
    struct error error = {0};
    const char *program = text_string(&code->program);
    if (code->kept_test != request->test)
        drop_kept(code);
    code->kept_test = request->test;
    for (unsigned times = code->kept ? 1 : 2; times && (times == 2 || code->kept); times--) {
        if (conversation_explore(&code->kept, program, request, NULL, &again, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        if (result->end != END_TIME && again.end != END_TIME) /* which says nothing of the rest */
            assert_same(&again, result);
    }
}

void code_explore(struct code_fixture *code, size_t test, const struct exchange_request *wishes,
                  const char *scenario, struct exchange_result *result)
{
    const struct exchange_test *listed = &code->tests.items.items[test];
    struct test_interface made;
    static struct exchange_request request;
    struct text text = TEXT_EMPTY;
    struct error error = {0};
    if (test_interface_init(&made, listed, &error) != STATUS_OK)
        fail_msg("%s: %s", listed->name, error.message);
    if (scenario)
        text_append(&text, scenario);
    else
        append_all(listed, &text);
    request = *wishes;
    request.version = EXCHANGE_VERSION;
    request.kind = REQUEST_EXPLORE;
    request.test = (uint32_t)test;
    request.repeat_one_in = 100;
    if (scenario_parse(text_string(&text), &made.interface, &request.scenario, &error) !=
            STATUS_OK ||
        conversation_run(text_string(&code->program), &request, NULL, NULL, result, &error) !=
            STATUS_OK)
        fail_msg("%s: %s", text_string(&text), error.message);
    explore_again(code, &request, result);
    text_release(&text);
}

void code_release(struct code_fixture *code)
{
    drop_kept(code);
    struct words words;
    bool succeeded;
    struct error error;
    words_init(&words, &code->budget);
    if (words_add(&words, "rm", "-r", "--", code->folder, NULL))
        assert_int_equal(command_run(&words, NULL, NULL, &succeeded, &error), STATUS_OK);
    words_release(&words);
    text_release(&code->program);
    text_release(&code->compilers);
    vector_release(&code->tests.items);
}
