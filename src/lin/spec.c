/* Each thread that steps a specification borrows a machine; those not in use are kept for the next.
 * A fault at run time (an index, an overflow) belongs to no state: it is remembered, the step is
 * refused, and whoever asked for the verdict asks for the fault (class->fault). */
#include "lin/spec.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "lin/arguments.h"
#include "lin/check.h"
#include "lin/check_constants.h"
#include "lin/opaque.h"
#include "lin/parser.h"
#include "lin/rules.h"
#include "lin/spec_sets.h"
#include "spec/rule_set_spec.h"

static bool lin_step(const struct spec *spec, const uint64_t *words, size_t length,
                     const struct call *call, struct outcomes *outcomes)
{
    const struct lin_spec *lin = lin_spec_of(spec);
    if (lin->class.together_count && !lin_spec_join_sets(spec, words, length, call, outcomes))
        return false;
    if (lin->class.is_open || (lin->class.together_count && words[0]))
        return true; /* one alone is a set, or a set has begun */
    return lin_spec_step_alone(spec, words + lin_spec_variables_at(lin, words), call, outcomes);
}

static bool lin_rename(const struct spec *spec, const struct renaming *renaming, uint64_t *words,
                       size_t length)
{
    (void)length;
    const struct lin_spec *lin = lin_spec_of(spec);
    return lin_spec_rename_sets(lin, renaming, words) &&
           lin_rename_state(&lin->program, renaming, words + lin_spec_variables_at(lin, words));
}

static void lin_find_state_values(const struct spec *spec, const uint64_t *words, size_t length,
                                  bool *values)
{
    const struct lin_spec *lin = lin_spec_of(spec);
    size_t at = lin_spec_variables_at(lin, words);
    for (size_t i = 0; i < length; i++)
        values[i] = false;
    lin_find_values(&lin->program, words + at, values + at);
}

static bool lin_init(const struct spec *spec, value key, struct outcomes *state)
{
    (void)key;
    const struct lin_spec *lin = lin_spec_of(spec);
    return lin_spec_add_whole(lin, lin->initial, lin->initial_length, VALUE_NIL,
                              state->items.length, state);
}

static void lin_print(const struct spec *spec, const uint64_t *words, size_t length,
                      struct text *text)
{
    const struct lin_spec *lin = lin_spec_of(spec);
    const uint32_t gathered = spec_gathered(spec, words, length);
    lin_print_state(&lin->program, words + lin_spec_variables_at(lin, words), text);
    if (gathered)
        text_format(text, " (%u of a set)", gathered);
    if (lin->class.is_open && words[1])
        text_format(text, " (%llu open)", (unsigned long long)words[1]);
}

static enum status lin_bind(const struct spec *spec, uint16_t operation,
                            const struct recorded *recorded, struct call *call,
                            struct text *complaint)
{
    return lin_shape_bind(&lin_spec_of(spec)->shapes[operation], recorded, call, complaint);
}

/* ---- creation ---- */

static enum status describe_client(struct lin_spec *lin)
{
    const struct lin_object *object = lin->program.object;
    uint16_t *client = arena_allocate(&lin->arena, (object->client_count + 1) * sizeof *client);
    if (!client)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < object->client_count; i++) {
        const char *name = object->client[i];
        client[i] = (uint16_t)spec_operation_find(&lin->class, name, strlen(name));
    }
    lin->class.client = client;
    lin->class.client_count = object->client_count;
    lin->class.client_ends = object->order_count > 1 ? object->client_ends : NULL;
    return STATUS_OK;
}

static enum status describe(struct lin_spec *lin, struct error *error)
{
    const struct lin_object *object = lin->program.object;
    uint32_t count = object->operation_count;
    struct spec_operation *rows = arena_allocate(&lin->arena, count * sizeof *rows);
    lin->shapes = arena_allocate(&lin->arena, count * sizeof *lin->shapes);
    if (!rows || !lin->shapes)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < count; i++)
        TRY(lin_shape_find(&lin->program, object->operations[i], &lin->arena, &lin->shapes[i],
                           &rows[i], error));
    lin->class.operations = rows;
    lin->class.operation_count = count;
    TRY(describe_client(lin));
    return lin_spec_describe_sets(lin);
}

static void lin_release(struct lin_spec *lin)
{
    for (size_t i = 0; i < lin->idle.length; i++)
        lin_machine_destroy(lin->idle.items[i]);
    vector_release(&lin->idle);
    lin_program_release(&lin->program);
    lin_module_release(&lin->module);
    arena_release(&lin->arena);
    pthread_mutex_destroy(&lin->lock);
    memory_release(lin->budget, lin, sizeof *lin);
}

static void lin_destroy(struct spec *spec)
{
    lin_release(lin_spec_of(spec));
}

/* The initial state: one, and found without a fault. */
static enum status find_initial(struct lin_spec *lin, struct error *error)
{
    struct lin_machine *machine = lin_spec_borrow(lin, NULL);
    if (!machine)
        return STATUS_LIMIT;
    value result;
    lin_machine_restart(machine);
    enum ran ran = lin_machine_run(machine, &lin->program.initially, NULL, NULL, 0, &result, error);
    enum status status = ran == RAN_WELL         ? STATUS_OK
                         : ran == RAN_INTO_FAULT ? STATUS_INPUT
                                                 : STATUS_LIMIT;
    const struct lin_object *object = lin->program.object;
    if (ran == RAN_BLOCKED || (ran == RAN_WELL && lin_machine_advance(machine)))
        status = script_error(&lin->script, object->at, error,
                              "expected one initial state of `%s`, found %s", object->name,
                              ran == RAN_BLOCKED ? "none" : "several");
    const uint64_t *words = NULL;
    if (status == STATUS_OK) {
        words = lin_machine_state(machine, &lin->initial_length);
        lin->initial = arena_allocate(&lin->arena, (lin->initial_length + 1) * sizeof *words);
        status = words && lin->initial ? STATUS_OK : STATUS_LIMIT;
    }
    if (status == STATUS_OK && lin->initial_length)
        memcpy(lin->initial, words, lin->initial_length * sizeof *words);
    lin_spec_give_back(lin, machine);
    return status;
}

/* What a name can mean: a specification, or rules, unless a specification has their name. */
struct candidate {
    const struct lin_object *object;
    const struct lin_rules *rules;
    const char *name;
    bool included;
};

/* The candidate with number `i`, specifications first; false: it is none, or no specification. */
static bool candidate_at(const struct lin_spec *lin, size_t i, struct candidate *candidate)
{
    const struct lin_module *module = &lin->module;
    *candidate = (struct candidate){0};
    place at;
    if (i < module->objects.length) {
        candidate->object = module->objects.items[i];
        candidate->name = candidate->object->name;
        at = candidate->object->at;
        if (!candidate->object->is_spec)
            return false;
    } else {
        candidate->rules = module->rules.items[i - module->objects.length];
        candidate->name = candidate->rules->name;
        at = candidate->rules->at;
        if (lin_find_object(module, candidate->name, true))
            return false;
    }
    candidate->included = script_part_at(&lin->script, at) != lin->script.main;
    return true;
}

static size_t candidate_count(const struct lin_spec *lin)
{
    return lin->module.objects.length + lin->module.rules.length;
}

/* Whether the file itself has a specification. */
static bool has_own(const struct lin_spec *lin)
{
    struct candidate candidate;
    for (size_t i = 0; i < candidate_count(lin); i++)
        if (candidate_at(lin, i, &candidate) && !candidate.included)
            return true;
    return false;
}

/* The specification that `reference` names; the only one if it names none. */
static enum status choose(const struct lin_spec *lin, const struct lin_reference *reference,
                          struct candidate *chosen, struct error *error)
{
    struct text names = TEXT_EMPTY;
    struct candidate candidate;
    size_t count = 0;
    *chosen = (struct candidate){0};
    bool own = has_own(lin);
    for (size_t i = 0; i < candidate_count(lin); i++) {
        if (!candidate_at(lin, i, &candidate) || (own && !reference && candidate.included))
            continue;
        text_format(&names, "%s%s", count++ > 0 ? ", " : "", candidate.name);
        if (!reference || strcmp(reference->name, candidate.name) == 0)
            *chosen = candidate;
    }
    enum status status = STATUS_OK;
    if (count == 0)
        status = error_set(error, STATUS_INPUT, lin->script.name, 1,
                           "expected a specification (`spec NAME { ... }`), found none");
    else if (!reference && count > 1)
        status = error_set(error, STATUS_USAGE, NULL, 0,
                           "expected %s:NAME with one of its specifications (%s), found no name",
                           lin->script.name, text_string(&names));
    else if (!chosen->name)
        status =
            error_set(error, STATUS_USAGE, NULL, 0, "expected a specification of %s (%s), found %s",
                      lin->script.name, text_string(&names), reference->name);
    else if (chosen->rules && reference && reference->argument_count > 0)
        status = error_set(error, STATUS_USAGE, NULL, 0,
                           "%s is given by rules: it takes no arguments", chosen->name);
    text_release(&names);
    return status;
}

static enum status create_program(struct lin_spec *lin, const struct lin_object *object,
                                  const struct lin_reference *reference,
                                  const struct spec_request *request, struct value_pool *pool,
                                  struct error *error)
{
    TRY(lin_arguments(&lin->module, object, reference,
                      request->has_initial ? &request->initial : NULL, pool, &lin->parameters,
                      error));
    TRY(lin_compile(&lin->module, object, lin->parameters, pool, &lin->program, error));
    TRY(describe(lin, error));
    lin->class.tells_callers = lin->program.tells_callers;
    if (lin_leaves_values_opaque(object, lin->parameters, NULL))
        lin->class.rename = lin_rename;
    lin->class.name = arena_copy_text(&lin->arena, object->name, strlen(object->name));
    return lin->class.name ? find_initial(lin, error) : STATUS_LIMIT;
}

/* Creates what `text` names. Rules have been copied then, and need no `lin`. */
static enum status create(struct lin_spec *lin, const char *text,
                          const struct spec_request *request, struct value_pool *pool,
                          struct spec **spec, struct error *error)
{
    TRY(lin_parse(&lin->script, &lin->arena, &lin->module, error));
    TRY(lin_check(&lin->module, error));
    struct lin_reference reference;
    if (text)
        TRY(lin_parse_reference(text, &lin->arena, &reference, error));
    if (text)
        checker_take_constants_of(&lin->module, &reference);
    struct candidate chosen;
    TRY(choose(lin, text ? &reference : NULL, &chosen, error));
    struct spec_request inner = {.initial = request->initial, .has_initial = request->has_initial};
    if (chosen.rules)
        return rule_set_spec_create(chosen.rules->set, &inner, pool, lin->budget, spec, error);
    TRY(create_program(lin, chosen.object, text ? &reference : NULL, request, pool, error));
    TRY(spec_create_class(&lin->class, &inner, lin, pool, lin->budget, spec, error));
    (*spec)->digest = hash_bytes(lin->script.text, lin->script.length, 0);
    return STATUS_OK;
}

static struct lin_spec *lin_create(struct budget *budget)
{
    struct lin_spec *lin = memory_zeroed(budget, sizeof *lin);
    if (!lin)
        return NULL;
    lin->budget = budget;
    arena_init(&lin->arena, budget);
    vector_init(&lin->idle, budget);
    pthread_mutex_init(&lin->lock, NULL);
    lin->class = (struct spec_class){.summary = "a specification in .lin",
                                     .destroy = lin_destroy,
                                     .bind = lin_bind,
                                     .init = lin_init,
                                     .step = lin_step,
                                     .gathered = lin_spec_gathered,
                                     .step_together = lin_spec_step_together,
                                     .find_values = lin_find_state_values,
                                     .print_state = lin_print,
                                     .fault = lin_spec_find_fault};
    return lin;
}

/* Takes over `lin`, whose script has been read with this status. */
static enum status finish(struct lin_spec *lin, enum status status, const char *reference,
                          const struct spec_request *request, struct value_pool *pool,
                          struct spec **spec, struct error *error)
{
    if (status == STATUS_OK)
        status = create(lin, reference, request, pool, spec, error);
    if (status == STATUS_LIMIT)
        bind_refused(error);
    if (status == STATUS_OK && (*spec)->data == lin)
        return STATUS_OK;
    lin_release(lin);
    return status;
}

enum status lin_spec_from_script(const struct script *script, const char *reference,
                                 const struct spec_request *request, struct value_pool *pool,
                                 struct budget *budget, struct spec **spec, struct error *error)
{
    *spec = NULL;
    struct lin_spec *lin = lin_create(budget);
    if (!lin)
        return bind_refused(error);
    enum status status = script_extend(script, "", &lin->arena, &lin->script, error);
    return finish(lin, status, reference, request, pool, spec, error);
}

enum status lin_spec_from_text(const char *file, const char *text, const char *reference,
                               const struct spec_request *request, struct value_pool *pool,
                               struct budget *budget, struct spec **spec, struct error *error)
{
    *spec = NULL;
    struct lin_spec *lin = lin_create(budget);
    if (!lin)
        return bind_refused(error);
    enum status status =
        script_from_text(file, text, strlen(text), &lin->arena, &lin->script, error);
    return finish(lin, status, reference, request, pool, spec, error);
}

/* Where the file's name ends: behind `.lin`, at the end or before a colon. */
static const char *file_end(const char *name)
{
    for (const char *at = name; (at = strstr(at, ".lin")); at += 4)
        if (at[4] == 0 || at[4] == ':')
            return at + 4;
    return NULL;
}

bool lin_spec_is_named(const char *name)
{
    return file_end(name) != NULL;
}

enum status lin_spec_open(const char *name, const struct spec_request *request,
                          struct value_pool *pool, struct budget *budget, struct spec **spec,
                          struct error *error)
{
    *spec = NULL;
    struct lin_spec *lin = lin_create(budget);
    if (!lin)
        return bind_refused(error);
    const char *end = file_end(name);
    char *path = arena_copy_text(&lin->arena, name, (size_t)(end - name));
    enum status status =
        path ? script_read(path, &lin->arena, NULL, &lin->script, error) : STATUS_LIMIT;
    return finish(lin, status, *end ? end + 1 : NULL, request, pool, spec, error);
}
