/* Reading models, and what they say of themselves. */
#include "api/model.h"

#include <stdlib.h>
#include <string.h>

#include "api/names.h"
#include "base/hash.h"
#include "base/require.h"
#include "csp/parser.h"
#include "csp/resolve.h"
#include "lang/faults.h"
#include "lin/check.h"
#include "lin/parser.h"

/* ---- instances ---- */

static void model_copy_init(struct model_copy *instance, struct budget *budget)
{
    *instance = (struct model_copy){0};
    arena_init(&instance->arena, budget);
}

/* From the script to the program. */
static enum status model_copy_read(struct model_copy *instance, struct error *error)
{
    const char *name = instance->script.name;
    size_t length = strlen(name);
    instance->is_lin = length >= 4 && strcmp(name + length - 4, ".lin") == 0;
    instance->parsed = true;
    if (instance->is_lin) {
        TRY(lin_parse(&instance->script, &instance->arena, &instance->lin, error));
        return lin_check(&instance->lin, error);
    }
    TRY(csp_parse(&instance->script, &instance->arena, &instance->module, error));
    instance->resolved = true;
    return csp_program_create(&instance->module, instance->arena.budget, &instance->program, error);
}

enum status model_copy_extend(struct model_copy *instance, const lp_model *model, const char *more,
                              struct budget *budget, struct error *error)
{
    model_copy_init(instance, budget);
    TRY(script_extend(&model->instance.script, more, &instance->arena, &instance->script, error));
    return model_copy_read(instance, error);
}

enum status model_copy_open(struct model_copy *instance, const lp_model *model,
                            struct budget *budget, struct error *error)
{
    return model_copy_extend(instance, model, "", budget, error);
}

void model_copy_release(struct model_copy *instance)
{
    if (instance->resolved)
        csp_program_release(&instance->program);
    if (instance->parsed && instance->is_lin)
        lin_module_release(&instance->lin);
    else if (instance->parsed)
        csp_module_release(&instance->module);
    arena_release(&instance->arena);
}

/* ---- models ---- */

/* The script between two places, white space made single spaces. */
static const char *excerpt(lp_model *model, place from, place to)
{
    struct text text = TEXT_EMPTY;
    const char *script = model->instance.script.text;
    for (place at = from; at < to; at++) {
        bool space = strchr(" \t\r\n\f", script[at]) != NULL;
        if (!space)
            text_append_char(&text, script[at]);
        else if (text.length && text.bytes[text.length - 1] != ' ')
            text_append_char(&text, ' ');
    }
    const char *kept = arena_copy_text(&model->instance.arena, text_string(&text), text.length);
    text_release(&text);
    return kept;
}

/* Of `// expect: TEXT` behind an assertion that ends at `end`, the TEXT, or else null; false: no
 * memory. */
static bool find_expected(lp_model *model, place end, const char **expected)
{
    static const char blanks[] = " \t\r\f", mark[] = "expect:";
    const char *text = model->instance.script.text + end;
    *expected = NULL;
    text += strspn(text, " \t\r\f\n");
    if (*text != ';')
        return true;
    text += 1 + strspn(text + 1, blanks);
    if (strncmp(text, "//", 2) != 0)
        return true;
    text += 2 + strspn(text + 2, blanks);
    if (strncmp(text, mark, sizeof mark - 1) != 0)
        return true;
    text += sizeof mark - 1;
    text += strspn(text, blanks);
    size_t length = strcspn(text, "\n");
    while (length && strchr(blanks, text[length - 1]))
        length--;
    *expected = arena_copy_text(&model->instance.arena, text, length);
    return *expected != NULL;
}

/* Where an assertion's text stands, and in it what names the model to be walked. */
struct described {
    place at, end;
    place process, process_end;
};

static struct described described_at(const struct model_copy *instance, size_t i)
{
    if (instance->is_lin) {
        const struct lin_assertion *assertion = &instance->lin.assertions.items[i];
        return (struct described){assertion->at, assertion->end,
                                  assertion->property == LIN_REFINES ? assertion->program.at
                                                                     : assertion->implementation.at,
                                  assertion->end};
    }
    const struct csp_assertion *assertion = &instance->module.assertions.items[i];
    return (struct described){assertion->at, assertion->end, assertion->at, assertion->process_end};
}

size_t model_copy_assertions(const struct model_copy *instance)
{
    return instance->is_lin ? instance->lin.assertions.length : instance->module.assertions.length;
}

static enum status describe(lp_model *model)
{
    const struct model_copy *instance = &model->instance;
    size_t count = model_copy_assertions(instance);
    model->assertions = arena_allocate(&model->instance.arena, count * sizeof *model->assertions);
    TRY_MEMORY(model->assertions);
    for (size_t i = 0; i < count; i++) {
        struct described found = described_at(instance, i);
        lp_assertion described = {.text = excerpt(model, found.at, found.end),
                                  .process = excerpt(model, found.process, found.process_end),
                                  .line = script_line(&instance->script, found.at),
                                  .column = script_column(&instance->script, found.at)};
        TRY_MEMORY(described.text && described.process &&
                   find_expected(model, found.end, &described.expected));
        model->assertions[i] = described;
    }
    return STATUS_OK;
}

static void model_free(lp_model *model)
{
    model_copy_release(&model->instance);
    model->magic = 0;
    memory_release(&model->context->budget, model, sizeof *model);
}

static lp_model *model_create(lp_context *context)
{
    lp_model *model = memory_zeroed(&context->budget, sizeof *model);
    if (!model)
        return NULL;
    model->magic = MODEL_MAGIC;
    model->context = context;
    model_copy_init(&model->instance, &context->budget);
    return model;
}

/* Completes a model that has been read, or gives it up. */
static lp_status complete(lp_model *created, enum status status, struct error *fault,
                          lp_model **model, lp_error *error)
{
    *model = NULL;
    if (!created)
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = describe(created);
    if (status == STATUS_OK) {
        const struct script *script = &created->instance.script;
        created->hash = hash_bytes(script->text, script->length, 0);
        /* It was resolved to see that it can be; whoever works on the model resolves a copy. */
        if (created->instance.resolved)
            csp_program_release(&created->instance.program);
        created->instance.resolved = false;
        *model = created;
        return LP_OK;
    }
    if (status == STATUS_LIMIT)
        error_set(fault, status, NULL, 0, "a limit was reached before the model was read");
    report_status(status, fault, error);
    if (created)
        model_free(created);
    return (lp_status)status;
}

/* The same of one whose script has been. */
static lp_status finish(lp_model *created, enum status status, struct error *fault,
                        lp_model **model, lp_error *error)
{
    if (created && status == STATUS_OK)
        status = model_copy_read(&created->instance, fault);
    return complete(created, status, fault, model, error);
}

/* What is read: a file, or a text that stands for it; and whether names are asked for. */
struct given {
    const char *path;
    const struct script_file *files; /* null: the path's */
    size_t file_count;
    struct references *references; /* null: with `names` */
    lp_names **names;
};

#define MOST_REPAIRS 10 /* of a text that is wrong, before its names are given up */

/* Of a text that the parser cannot read the names of what is left once what is wrong is left out:
 * other bytes keep their places. */
static lp_names *find_names(const struct model_copy *broken, const struct error *fault,
                            struct references *references)
{
    struct budget *budget = broken->arena.budget;
    struct model_copy copies[2];
    const struct model_copy *last = broken;
    struct error wrong = *fault;
    lp_names *names = NULL;
    unsigned next = 0;
    for (unsigned i = 0; i < MOST_REPAIRS && !names; i++) {
        struct model_copy *copy = &copies[next];
        struct references found;
        struct error first;
        struct faults faults = {.items = &first, .room = 1};
        references_init(&found, budget);
        model_copy_init(copy, budget);
        bool repaired =
            references_repair(references, &last->script, &copy->arena,
                              *wrong.file ? wrong.file : NULL, wrong.line, &copy->script);
        copy->script.faults = &faults;
        copy->script.references = &found;
        enum status status = repaired ? model_copy_read(copy, &wrong) : STATUS_LIMIT;
        if (found.reached)
            names = names_create(&broken->script, &found);
        if (last != broken)
            model_copy_release(&copies[1 - next]);
        references_release(references);
        *references = found;
        last = copy;
        next = 1 - next;
        if (found.reached || status != STATUS_INPUT)
            break;
    }
    if (last != broken)
        model_copy_release(&copies[1 - next]);
    return names;
}

static enum status read_given(lp_context *context, const struct given *given, lp_model *created,
                              struct faults *faults, struct error *fault)
{
    struct limits limits;
    struct script *script = &created->instance.script;
    limits_for(&limits, context, &context->budget, 0);
    if (given->files)
        TRY(script_read_as(given->files, given->file_count, &created->instance.arena, &limits,
                           script, fault));
    else
        TRY(script_read(given->path, &created->instance.arena, &limits, script, fault));
    script->faults = faults;
    script->limits = &limits;
    script->references = given->references;
    enum status status = model_copy_read(&created->instance, fault);
    script->faults = NULL;
    script->limits = NULL;
    script->references = NULL;
    return status;
}

static lp_status read_all(lp_context *context, const struct given *given, lp_model **model,
                          lp_error *errors, size_t room, size_t *count)
{
    struct error fault;
    struct faults faults = {.items = memory_small(room * sizeof *faults.items), .room = room};
    lp_model *created = model_create(context);
    enum status status = STATUS_LIMIT;
    if (created)
        status = read_given(context, given, created, &faults, &fault);
    if (given->names)
        *given->names =
            !created ? NULL
            : status == STATUS_INPUT && created->instance.parsed && !given->references->reached
                ? find_names(&created->instance, &fault, given->references)
                : names_create(&created->instance.script, given->references);
    lp_error first = {0};
    bool told = status == STATUS_INPUT && faults.count;
    lp_status result = complete(created, status, &fault, model, &first);
    *count = faults_report(&faults, result, &first, told, errors);
    return result;
}

lp_status lp_model_read(lp_context *context, const char *path, lp_model **model, lp_error *error)
{
    lp_error first;
    size_t count;
    return lp_model_read_all(context, path, model, error ? error : &first, 1, &count);
}

lp_status lp_model_read_all(lp_context *context, const char *path, lp_model **model,
                            lp_error *errors, size_t room, size_t *count)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(path);
    REQUIRE_NOT_NULL(model);
    REQUIRE_NOT_NULL(count);
    REQUIRE(errors && room > 0, "there is no room for errors");
    const struct given given = {.path = path};
    return read_all(context, &given, model, errors, room, count);
}

lp_status lp_model_parse_all(lp_context *context, const lp_file_text *files, size_t file_count,
                             lp_model **model, lp_names **names, lp_error *errors, size_t room,
                             size_t *count)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE(files && file_count > 0, "there is no text");
    REQUIRE_NOT_NULL(model);
    REQUIRE_NOT_NULL(count);
    REQUIRE(errors && room > 0, "there is no room for errors");
    struct references references;
    references_init(&references, &context->budget);
    struct script_file *texts = memory_small(file_count * sizeof *texts);
    for (size_t i = 0; i < file_count; i++) {
        REQUIRE_NOT_NULL(files[i].path);
        REQUIRE(files[i].text || files[i].length == 0, "a text is null");
        texts[i] = (struct script_file){files[i].path, files[i].text ? files[i].text : "",
                                        files[i].length};
    }
    const struct given given = {.path = files->path,
                                .files = texts,
                                .file_count = file_count,
                                .references = names ? &references : NULL,
                                .names = names};
    lp_status status = read_all(context, &given, model, errors, room, count);
    references_release(&references);
    free(texts);
    return status;
}

static_assert(FAULTS_MOST == LP_ERRORS_MOST, "as the header says");

size_t faults_report(struct faults *faults, lp_status status, const lp_error *first, bool told,
                     lp_error *errors)
{
    size_t count = told ? faults->count : status != LP_OK;
    for (size_t i = 0; told && i < faults->room && i < faults->count; i++)
        report_status(STATUS_INPUT, &faults->items[i], &errors[i]);
    if (!told && status != LP_OK)
        errors[0] = *first;
    free(faults->items);
    return count;
}

lp_status lp_model_parse(lp_context *context, const char *name, const char *text, size_t length,
                         lp_model **model, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE(text || length == 0, "text is null");
    REQUIRE_NOT_NULL(model);
    struct error fault;
    lp_model *created = model_create(context);
    enum status status = STATUS_LIMIT;
    if (created)
        status = script_from_text(name, text ? text : "", length, &created->instance.arena,
                                  &created->instance.script, &fault);
    return finish(created, status, &fault, model, error);
}

void lp_model_destroy(lp_model *model)
{
    if (!model)
        return;
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    model_free(model);
}

const char *lp_model_name(const lp_model *model)
{
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    return model->instance.script.name;
}

uint64_t lp_model_hash(const lp_model *model)
{
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    return model->hash;
}

bool lp_model_assertion_at(const lp_model *model, size_t index, lp_assertion *assertion)
{
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    REQUIRE_NOT_NULL(assertion);
    if (index >= model_copy_assertions(&model->instance))
        return false;
    *assertion = model->assertions[index];
    return true;
}

bool lp_model_process_at(const lp_model *model, size_t index, lp_process *process)
{
    REQUIRE_ALIVE(model, MODEL_MAGIC);
    REQUIRE_NOT_NULL(process);
    const struct csp_module *module = &model->instance.module;
    if (model->instance.is_lin || index >= module->definitions.length)
        return false;
    const struct csp_definition *definition = &module->definitions.items[index];
    *process = (lp_process){.name = definition->name,
                            .parameters = definition->parameter_count,
                            .line = script_line(&model->instance.script, definition->at)};
    return true;
}
