#include "verify/lin_instance_open.h"

#include <string.h>

#include "base/suggestion.h"
#include "implementation/init_nodes.h"
#include "implementation/step_compile.h"
#include "lin/arguments.h"
#include "lin/check.h"
#include "lin/opaque.h"
#include "lin/rules.h"
#include "lin/spec.h"
#include "lin/spec_shape.h"
#include "spec/builtin.h"
#include "spec/rule_object.h"
#include "verify/lin_alike.h"
#include "verify/lin_any_setting.h"
#include "verify/lin_client_order.h"
#include "verify/lin_temporal.h"

/* How many names of the file are looked at for what was meant. */
#define MOST_SUGGESTED 64

#define FAIL(instance, at, ...)                                                                    \
    script_error((instance)->module->script, (at), (instance)->error, __VA_ARGS__)

/* ---- what is asked ---- */

/* A positive integer, or `any`: -1. */
static enum status number_option(struct lin_instance *instance, const struct lin_option *option,
                                 int64_t most, int32_t *number)
{
    value found = VALUE_NIL;
    int64_t integer = 0;
    if (option->word && strcmp(option->word, "any") == 0) {
        *number = -1;
        return STATUS_OK;
    }
    if (option->expression &&
        lin_constant(option->expression, NULL, instance->pool, &found) == STATUS_OK &&
        value_get_integer(found, &integer) && integer >= 1 && integer <= most) {
        *number = (int32_t)integer;
        return STATUS_OK;
    }
    const bool may_be_any = strcmp(option->name, "values") != 0;
    if (option->word)
        return FAIL(instance, option->word_at,
                    "expected `%s =` and a number from 1 to %lld%s, found `%s`", option->name,
                    (long long)most, may_be_any ? ", or `any`" : "", option->word);
    if (value_get_integer(found, &integer))
        return FAIL(instance, option->at,
                    "expected `%s =` and a number from 1 to %lld%s, found %lld", option->name,
                    (long long)most, may_be_any ? ", or `any`" : "", (long long)integer);
    return FAIL(instance, option->at, "expected `%s =` and a number from 1 to %lld%s", option->name,
                (long long)most, may_be_any ? ", or `any`" : "");
}

/* Which of two would count is nothing to guess. */
static enum status refuse_again(struct lin_instance *instance, uint32_t number)
{
    const struct lin_option *options = instance->assertion->options;
    for (uint32_t i = 0; i < number; i++)
        if (strcmp(options[i].name, options[number].name) == 0)
            return FAIL(instance, options[number].at, "expected `%s` once, found it again",
                        options[number].name);
    return STATUS_OK;
}

/* `spec = S`, for its client order: only where no specification is compared with. */
static enum status spec_option(struct lin_instance *instance, const struct lin_option *option)
{
    if (instance->assertion->property == LIN_LINEARIZES)
        return FAIL(instance, option->at,
                    "expected no `spec =` beside `linearizes`, which names a specification");
    return option->word ? STATUS_OK
                        : FAIL(instance, option->at,
                               "expected `spec =` and the name of a specification, no arguments");
}

/* Of the value of an option, which may be a word. */
static enum status fail_word(struct lin_instance *instance, const struct lin_option *option,
                             const char *expected)
{
    return option->word
               ? FAIL(instance, option->word_at, "expected %s, found `%s`", expected, option->word)
               : FAIL(instance, option->at, "expected %s", expected);
}

/* `points`, `points = complete` */
static enum status points_option(struct lin_instance *instance, const struct lin_option *option)
{
    bool complete = option->word && strcmp(option->word, "complete") == 0;
    if (instance->assertion->property != LIN_LINEARIZES)
        return FAIL(instance, option->at, "expected `linearizes` before `points`");
    if (option->expression || (option->word && !complete))
        return fail_word(instance, option, "`points` or `points = complete`");
    instance->setting.points = true;
    instance->points_complete = complete;
    return STATUS_OK;
}

/* `fairness = weak` */
static enum status fairness_option(struct lin_instance *instance, const struct lin_option *option)
{
    static const struct {
        const char *word;
        enum fairness kind;
    } shorter[] = {{"weak", FAIRNESS_PROCESS_WEAK}, {"strong", FAIRNESS_PROCESS_STRONG}};
    if (instance->assertion->property != LIN_SATISFIES)
        return FAIL(instance, option->at, "expected `satisfies` before `fairness`");
    instance->has_fairness = true;
    for (size_t i = 0; i < ARRAY_LENGTH(shorter); i++) {
        instance->fairness = shorter[i].kind;
        if (option->word && strcmp(option->word, shorter[i].word) == 0)
            return STATUS_OK;
    }
    if (option->word && fairness_parse(option->word, &instance->fairness))
        return STATUS_OK;
    return fail_word(instance, option,
                     "`fairness =` and none, weak, strong, event_weak, event_strong, process_weak, "
                     "process_strong or global");
}

static enum status unknown_option(struct lin_instance *instance, const struct lin_option *option)
{
    static const char *const names[] = {"threads", "ops",    "values",  "nodes",
                                        "spec",    "points", "fairness"};
    size_t nearest =
        suggestion_find(option->name, strlen(option->name), names, ARRAY_LENGTH(names));
    bool has = nearest < ARRAY_LENGTH(names);
    return FAIL(instance, option->at,
                "expected threads, ops, values, nodes, spec, points or fairness, found `%s`%s%s%s",
                option->name, has ? "; did you mean `" : "", has ? names[nearest] : "",
                has ? "`?" : "");
}

static enum status read_options(struct lin_instance *instance, const struct lin_bounds *bounds)
{
    const struct lin_assertion *assertion = instance->assertion;
    struct lin_setting *setting = &instance->setting;
    int32_t threads = 2, operations = 2, values = 2;
    setting->nodes = -1;
    for (uint32_t i = 0; i < assertion->option_count; i++) {
        const struct lin_option *option = &assertion->options[i];
        TRY(refuse_again(instance, i));
        if (strcmp(option->name, "threads") == 0)
            TRY(number_option(instance, option, LIN_MOST_THREADS, &threads));
        else if (strcmp(option->name, "ops") == 0)
            TRY(number_option(instance, option, INT32_MAX, &operations));
        else if (strcmp(option->name, "values") == 0)
            TRY(number_option(instance, option, LIN_MOST_VALUES, &values));
        else if (strcmp(option->name, "nodes") == 0)
            TRY(number_option(instance, option, 10000, &setting->nodes));
        else if (strcmp(option->name, "spec") == 0)
            TRY(spec_option(instance, option));
        else if (strcmp(option->name, "points") == 0)
            TRY(points_option(instance, option));
        else if (strcmp(option->name, "fairness") == 0)
            TRY(fairness_option(instance, option));
        else
            return unknown_option(instance, option);
    }
    if (threads < 0)
        return any_setting_read(instance, bounds);
    if (values < 0)
        return FAIL(instance, assertion->at, "expected a number of values, found `any`");
    setting->threads = (uint32_t)threads;
    setting->operations = operations;
    setting->values = bounds && bounds->values ? bounds->values : (uint32_t)values;
    return STATUS_OK;
}

/* Whether a built-in object has a value for each key: `{}` is the map of none then. */
static bool is_keyed(const char *name)
{
    return strcmp(name, "map") == 0 || strcmp(name, "multi_register") == 0;
}

/* What `initial` of a built-in specification is. */
static enum status initial_value(struct lin_instance *instance,
                                 const struct lin_reference *reference,
                                 const struct lin_argument *argument, value *initial)
{
    const struct lin_expression *expression = argument->expression;
    if (is_keyed(reference->name) && expression->kind == LIN_EXPRESSION_SET &&
        expression->count == 0) {
        *initial = value_map(instance->pool, NULL, 0);
        return *initial == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
    }
    return lin_constant_value(expression, instance->pool, initial);
}

/* A built-in specification; its arguments are integers, or `initial = V`. */
static enum status make_built_in(struct lin_instance *instance,
                                 const struct lin_reference *reference)
{
    struct spec_request request = {0};
    struct text name = TEXT_EMPTY;
    enum status status = STATUS_OK;
    text_append(&name, reference->name);
    for (uint32_t i = 0, given = 0; status == STATUS_OK && i < reference->argument_count; i++) {
        const struct lin_argument *argument = &reference->arguments[i];
        value constant = VALUE_NIL;
        int64_t integer = 0;
        const bool initial = argument->name && strcmp(argument->name, "initial") == 0;
        status = initial ? initial_value(instance, reference, argument, &constant)
                         : lin_constant(argument->expression, NULL, instance->pool, &constant);
        if (status == STATUS_OK && initial) {
            request.initial = constant;
            request.has_initial = true;
        } else if (status == STATUS_OK && !argument->name &&
                   value_get_integer(constant, &integer)) {
            text_format(&name, "%s%lld", given++ == 0 ? "(" : ", ", (long long)integer);
        } else if (status != STATUS_LIMIT) {
            status = FAIL(instance, reference->at,
                          "expected arguments of `%s` that are integers, or initial = V, which is "
                          "made of integers, texts, true, false and null: one of them, or a list, "
                          "set or map%s",
                          reference->name,
                          is_keyed(reference->name) ? " (a map: that of each key, anything else: "
                                                      "that of every key)"
                                                    : "");
        }
        if (i + 1 == reference->argument_count && given > 0)
            text_append_char(&name, ')');
    }
    request.name = text_string(&name);
    instance->name = arena_copy_text(&instance->arena, request.name, name.length);
    if (status == STATUS_OK && !instance->name)
        status = STATUS_LIMIT;
    if (status == STATUS_OK)
        status = spec_create(&request, instance->pool, instance->budget, &instance->spec,
                             instance->error);
    text_release(&name);
    return status;
}

/* The text of a reference without white space. */
static const char *spell(struct lin_instance *instance, const struct lin_reference *reference)
{
    const char *text = instance->module->script->text;
    char *spelt = arena_allocate(&instance->arena, reference->end - reference->at + 1);
    size_t length = 0;
    for (place at = reference->at; spelt && at < reference->end; at++)
        if (!strchr(" \t\r\n\f", text[at]))
            spelt[length++] = text[at];
    if (spelt)
        spelt[length] = 0;
    return spelt;
}

/* Whether a name is that of a specification in the file: a built-in object is what it is called,
 * whatever rules of it the file has. */
static bool is_specified(const struct lin_module *module, const char *name)
{
    return lin_find_object(module, name, true) ||
           (!spec_class_find(name, strlen(name)) && lin_find_rules(module, name));
}

/* The specification or implementation of the file whose name is nearest to one that nobody knows;
 * null: none is near. */
static const char *nearest_object(const struct lin_module *module, const char *name, bool is_spec)
{
    const char *names[MOST_SUGGESTED] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < module->objects.length && count < MOST_SUGGESTED; i++)
        if (module->objects.items[i]->is_spec == is_spec)
            names[count++] = module->objects.items[i]->name;
    size_t nearest = suggestion_find(name, strlen(name), names, count);
    return nearest < count ? names[nearest] : NULL;
}

static enum status make_spec(struct lin_instance *instance, const struct lin_reference *reference)
{
    const struct script *script = instance->module->script;
    const char *nearest = NULL;
    struct spec_request request = {0};
    enum status status;
    if (is_specified(instance->module, reference->name)) {
        const bool is_name = reference->at == reference->end;
        const char *text = is_name ? reference->name
                                   : arena_copy_text(&instance->arena, script->text + reference->at,
                                                     reference->end - reference->at);
        instance->name = is_name ? reference->name : spell(instance, reference);
        TRY_MEMORY(text && instance->name);
        status = lin_spec_from_script(script, text, &request, instance->pool, instance->budget,
                                      &instance->spec, instance->error);
    } else {
        status = make_built_in(instance, reference);
        if (!spec_class_find(reference->name, strlen(reference->name)))
            nearest = nearest_object(instance->module, reference->name, true);
    }
    if (status != STATUS_USAGE)
        return status;
    if (nearest)
        return FAIL(instance, reference->at,
                    "expected a specification of this file or a built-in one, found `%s`; did you "
                    "mean `%s`?",
                    reference->name, nearest);
    struct error copy = *instance->error;
    return FAIL(instance, reference->at, "%s", copy.message);
}

enum status lin_assertion_spec(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec, struct error *error)
{
    struct lin_instance instance = {
        .module = module, .assertion = assertion, .pool = pool, .budget = budget, .error = error};
    arena_init(&instance.arena, budget);
    enum status status = make_spec(&instance, &assertion->specification);
    arena_release(&instance.arena);
    *spec = instance.spec;
    return status;
}

static enum status refuse_operation(struct lin_instance *instance,
                                    const struct lin_operation *operation)
{
    const struct spec_class *class = instance->spec->class;
    struct text has = TEXT_EMPTY;
    for (size_t i = 0; i < class->operation_count; i++) {
        text_append(&has, i > 0 ? ", " : "");
        for (const char *c = class->operations[i].name; *c; c++)
            text_format(&has, "%c", *c == '-' ? '_' : *c);
    }
    enum status status = FAIL(instance, operation->at,
                              "expected an operation of `%s` (%s), found `%s`, which it does not "
                              "have",
                              instance->name, text_string(&has), operation->name);
    text_release(&has);
    return status;
}

/* Every operation of the implementation is one of the specification, with as many parameters. */
static enum status check_operations(struct lin_instance *instance, const struct lin_object *object)
{
    for (uint32_t i = 0; i < object->operation_count; i++) {
        const struct lin_operation *operation = object->operations[i];
        int found =
            spec_operation_find(instance->spec->class, operation->name, strlen(operation->name));
        if (found < 0)
            return refuse_operation(instance, operation);
        const char *shape = instance->spec->class->operations[found].argument;
        uint32_t count = *shape != 0;
        for (; *shape; shape++)
            count += *shape == ' ';
        if (count != operation->parameter_count)
            return FAIL(instance, operation->at,
                        "expected %u parameter%s of `%s`, as in the specification, found %u", count,
                        count == 1 ? "" : "s", operation->name, operation->parameter_count);
    }
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status compile_with(struct lin_instance *instance, const struct lin_object *object,
                                const int32_t *parameters)
{
    struct lin_setting *setting = &instance->setting;
    /* A number that was given for so many threads includes the nodes of `init`. */
    if (setting->nodes < 0 || instance->is_any)
        TRY(lin_init_nodes(instance->module, object, parameters, setting, instance->labels,
                           instance->limits, &instance->arena, &setting->made, instance->error));
    instance->has_steps = true;
    return lin_steps_compile(instance->module, object, parameters, setting, &instance->arena,
                             &instance->steps, instance->error);
}

static enum status compile(struct lin_instance *instance, const struct lin_object *object,
                           const struct lin_reference *reference)
{
    value *values;
    enum status status = lin_arguments(instance->module, object, reference, NULL, instance->pool,
                                       &values, instance->error);
    if (status == STATUS_USAGE) {
        struct error copy = *instance->error;
        return FAIL(instance, reference->at, "%s", copy.message);
    }
    TRY(status);
    int32_t *parameters =
        arena_allocate(&instance->arena, object->parameter_count * sizeof *parameters);
    TRY_MEMORY(parameters);
    for (uint32_t i = 0; i < object->parameter_count; i++) {
        int64_t integer = 0;
        if (!value_get_integer(values[i], &integer) || integer < INT32_MIN || integer > INT32_MAX)
            return FAIL(instance, reference->at, "expected an int as `%s`",
                        object->parameters[i].name);
        parameters[i] = (int32_t)integer;
    }
    return compile_with(instance, object, parameters);
}

/* What is asked of single states: of `satisfies` all conditions of the formula, and one that is
 * false, so that only what the algorithm must not do makes it true. */
static enum status add_conditions(struct lin_instance *instance)
{
    const struct lin_assertion *assertion = instance->assertion;
    struct lin_expression never = {
        .kind = LIN_EXPRESSION_BOOLEAN, .at = assertion->at, .type = {.kind = LIN_TYPE_BOOL}};
    if (assertion->property == LIN_SATISFIES)
        TRY(lin_temporal_number(&instance->steps, instance->pool, assertion->formula,
                                &instance->temporal, instance->error));
    if (assertion->property != LIN_SATISFIES && assertion->property != LIN_NEVER)
        return STATUS_OK;
    return lin_steps_condition(&instance->steps,
                               assertion->property == LIN_NEVER ? assertion->condition : &never,
                               &instance->condition, instance->error);
}

/* Each `only thread` is one of the threads. */
static enum status check_threads(struct lin_instance *instance)
{
    const struct lin_steps *steps = &instance->steps;
    const uint32_t threads = instance->setting.threads;
    for (uint32_t i = 0; !instance->is_any && i < steps->object->operation_count; i++) {
        const struct lin_operation *operation = steps->entries[i].operation;
        if (steps->entries[i].only >= (int32_t)threads)
            return FAIL(instance, operation->only_thread->at,
                        "expected the number of a thread, 0 to %u, found %d: with threads = %u "
                        "nobody could call `%s`",
                        threads - 1, steps->entries[i].only, threads, operation->name);
    }
    return STATUS_OK;
}

/* Each value that is compared with a constant is one that clients pass: else nobody would come to
 * what the code does with it. */
static enum status check_named_values(struct lin_instance *instance,
                                      const struct lin_bounds *bounds)
{
    const struct lin_steps *steps = &instance->steps;
    if ((bounds && bounds->values) || steps->greatest_named <= instance->setting.values)
        return STATUS_OK;
    return FAIL(instance, steps->named_at,
                "expected a value that clients pass, 1 to %u, found %u (`with values = %u` lets "
                "them)",
                instance->setting.values, steps->greatest_named, steps->greatest_named);
}

static enum status make_model(struct lin_instance *instance, const struct lin_options *options)
{
    struct lin_model *model = &instance->model;
    TRY(lin_model_create(&instance->steps, options, instance->labels, instance->budget, model,
                         instance->error));
    instance->reduced = &model->model;
    if (lin_is_arranged(&model->options)) {
        symmetry_create(&model->model, &model->model, true, false, &instance->symmetry);
        instance->reduced = &instance->symmetry.decorator.model;
    }
    return STATUS_OK;
}

/* What operations that take effect together cannot be asked for. */
static enum status check_together(struct lin_instance *instance)
{
    const char *beside = instance->is_any           ? "threads = any"
                         : instance->setting.points ? "points"
                         : instance->setting.words  ? "programs"
                                                    : NULL;
    if (!beside || !instance->spec || instance->spec->class->together_count == 0)
        return STATUS_OK;
    return FAIL(instance, instance->assertion->at,
                "expected a specification without `%s` beside `%s`, found `%s`",
                instance->spec->class->is_open ? "op open" : "together", beside, instance->name);
}

static bool is_progress(const struct lin_assertion *assertion)
{
    return assertion->property >= LIN_LOCK_FREE && assertion->property <= LIN_STARVATION_FREE;
}

/* Where operations of the specification wait, progress is not asked of those of the implementation:
 * then it goes along. */
static enum status prepare_waiting(struct lin_instance *instance, const struct lin_object *object)
{
    const struct lin_assertion *assertion = instance->assertion;
    struct lin_reference reference;
    if (!lin_ordering_specification(instance->module, assertion, &reference) || !reference.name)
        return STATUS_OK;
    const struct lin_object *own = lin_find_object(instance->module, reference.name, true);
    for (uint32_t i = 0; own && i < own->operation_count; i++)
        instance->waits |= lin_waits(own, own->operations[i]);
    if (!instance->waits)
        return STATUS_OK;
    if (assertion->property == LIN_WAIT_FREE || assertion->property == LIN_STARVATION_FREE)
        return FAIL(instance, assertion->at,
                    "expected lock_free, obstruction_free or deadlock_free of an object whose "
                    "specification waits, as `%s` does with `await`, found %s",
                    own->name,
                    assertion->property == LIN_WAIT_FREE ? "wait_free" : "starvation_free");
    instance->own = own;
    TRY(make_spec(instance, &reference));
    return check_operations(instance, object);
}

/* A specification that orders the calls must be there: without one threads would call in any. */
static enum status check_ordering(struct lin_instance *instance)
{
    struct lin_reference reference;
    if (!lin_ordering_specification(instance->module, instance->assertion, &reference) ||
        is_specified(instance->module, reference.name) ||
        spec_class_find(reference.name, strlen(reference.name)))
        return STATUS_OK;
    return make_spec(instance, &reference);
}

static enum status prepare(struct lin_instance *instance, const struct lin_options *options,
                           const struct lin_bounds *bounds)
{
    const struct lin_reference *reference = &instance->assertion->implementation;
    const struct lin_object *object = lin_find_object(instance->module, reference->name, false);
    if (!object) {
        const char *nearest = nearest_object(instance->module, reference->name, false);
        return FAIL(instance, reference->at, "expected an implementation, found `%s`%s%s%s",
                    reference->name, nearest ? "; did you mean `" : "", nearest ? nearest : "",
                    nearest ? "`?" : "");
    }
    TRY(read_options(instance, bounds));
    TRY(check_ordering(instance));
    if (options->refuted)
        instance->setting.supposed = ~*options->refuted;
    instance->setting.shares = options->forget;
    const struct lin_client_order order =
        lin_client_order_of(instance->module, instance->assertion);
    instance->setting.client = order.names;
    instance->setting.client_count = order.count;
    instance->setting.client_ends = order.ends;
    if (instance->assertion->property == LIN_LINEARIZES) {
        instance->own =
            lin_find_object(instance->module, instance->assertion->specification.name, true);
        TRY(make_spec(instance, &instance->assertion->specification));
        TRY(check_together(instance));
        TRY(check_operations(instance, object));
    }
    if (is_progress(instance->assertion))
        TRY(prepare_waiting(instance, object));
    if (instance->is_any) {
        TRY(any_setting_check(instance, object, bounds));
        instance->setting.answers = instance->spec;
    }
    TRY(compile(instance, object, reference));
    TRY(check_threads(instance));
    TRY(add_conditions(instance));
    TRY(check_named_values(instance, bounds));
    instance->has_model = true;
    const struct lin_object *own = instance->own;
    struct lin_options sound = *options;
    const bool alike = !own || !lin_names_thread(own, NULL),
               opaque = lin_treats_values_alike(instance);
    instance->treats_alike = alike && opaque;
    if (instance->is_any && !instance->by_specification && !instance->treats_alike)
        TRY(lin_refuse_unlike(instance, "with any number of threads", instance->error));
    sound.symmetry &= alike;
    sound.values &= opaque && !instance->setting.fresh;
    return make_model(instance, &sound);
}

/* ---- programs ---- */

/* Which of the two a name means; null: the specification. */
static const struct lin_object *used_implementation(const struct lin_instance *instance,
                                                    const struct lin_reference *used)
{
    const struct lin_module *module = instance->module;
    bool specified =
        is_specified(module, used->name) || spec_class_find(used->name, strlen(used->name));
    if (used == &instance->assertion->specification && specified)
        return NULL;
    return lin_find_object(module, used->name, false);
}

/* The specification that is used, or what is to be compared with: of it is known what has no
 * answer. */
static enum status make_used_spec(struct lin_instance *instance, const struct lin_reference *used)
{
    const struct lin_assertion *assertion = instance->assertion;
    const struct lin_reference *other =
        used == &assertion->specification ? &assertion->implementation : &assertion->specification;
    if (!used_implementation(instance, used))
        return make_spec(instance, used);
    return used_implementation(instance, other) ? STATUS_OK : make_spec(instance, other);
}

static enum status read_program_options(struct lin_instance *instance, uint32_t threads)
{
    const struct lin_assertion *assertion = instance->assertion;
    instance->setting = (struct lin_setting){
        .threads = threads, .operations = 1, .nodes = -1, .words = instance->words};
    for (uint32_t i = 0; i < assertion->option_count; i++) {
        const struct lin_option *option = &assertion->options[i];
        if (strcmp(option->name, "nodes") != 0)
            return FAIL(instance, option->at,
                        "expected `nodes`, found `%s`: a program says itself "
                        "what it calls",
                        option->name);
        TRY(refuse_again(instance, i));
        TRY(number_option(instance, option, 10000, &instance->setting.nodes));
    }
    if (threads <= LIN_MOST_THREADS)
        return STATUS_OK;
    return FAIL(instance, assertion->at, "expected a program of at most %d threads, found %u",
                LIN_MOST_THREADS, threads);
}

/* The program's threads in place of the implementation's operations. */
static enum status prepare_program(struct lin_instance *instance,
                                   const struct lin_reference *reference,
                                   const struct lin_reference *used,
                                   const struct lin_options *options)
{
    const struct lin_object *program = lin_find_program(instance->module, reference->name);
    const struct lin_object *callee = used_implementation(instance, used);
    if (!program || reference->argument_count)
        return FAIL(instance, reference->at, "expected the name of a program, found `%s`",
                    reference->name);
    TRY(read_program_options(instance, program->operation_count));
    TRY(make_used_spec(instance, used));
    TRY(check_together(instance));
    word_arrays_init(&instance->objects, instance->budget);
    struct lin_object *whole = arena_allocate(&instance->arena, sizeof *whole);
    TRY_MEMORY(whole);
    *whole = callee ? *callee : (struct lin_object){.name = program->name, .at = program->at};
    whole->operations = program->operations;
    whole->operation_count = program->operation_count;
    instance->setting.shares = options->forget;
    instance->setting.callee = callee;
    instance->setting.spec = callee ? NULL : instance->spec;
    instance->setting.objects = &instance->objects;
    instance->setting.answers = instance->spec;
    static const int32_t none;
    TRY(callee ? compile(instance, whole, used) : compile_with(instance, whole, &none));
    instance->has_model = true;
    const struct lin_options sound = {.local = options->local,
                                      .write_once = options->write_once,
                                      .pure = options->pure,
                                      .stale = options->stale,
                                      .decided = options->decided,
                                      .forget = options->forget,
                                      .fields = options->fields,
                                      .names = options->names,
                                      .ignores_faults = options->ignores_faults};
    return make_model(instance, &sound);
}

enum status
lin_instance_open_bounded(struct lin_instance *instance, const struct lin_module *module,
                          const struct lin_assertion *assertion, const struct lin_bounds *bounds,
                          const struct lin_options *options, struct labels *labels,
                          struct value_pool *pool, const struct limits *limits, struct error *error)
{
    *instance = (struct lin_instance){.module = module,
                                      .assertion = assertion,
                                      .labels = labels,
                                      .pool = pool,
                                      .limits = limits,
                                      .budget = limits->budget,
                                      .error = error};
    arena_init(&instance->arena, instance->budget);
    temporal_init(&instance->temporal, labels, instance->budget);
    if (assertion->property != LIN_REFINES)
        return prepare(instance, options, bounds);
    lin_words_init(&instance->own_words, &instance->arena);
    instance->words = &instance->own_words;
    return prepare_program(instance, &assertion->program, &assertion->implementation, options);
}

enum status lin_instance_open(struct lin_instance *instance, const struct lin_module *module,
                              const struct lin_assertion *assertion,
                              const struct lin_options *options, struct labels *labels,
                              struct value_pool *pool, const struct limits *limits,
                              struct error *error)
{
    return lin_instance_open_bounded(instance, module, assertion, NULL, options, labels, pool,
                                     limits, error);
}

enum status lin_instance_open_specification(struct lin_instance *instance,
                                            struct lin_instance *implementation,
                                            const struct lin_options *options)
{
    *instance = (struct lin_instance){.module = implementation->module,
                                      .assertion = implementation->assertion,
                                      .labels = implementation->labels,
                                      .pool = implementation->pool,
                                      .limits = implementation->limits,
                                      .budget = implementation->budget,
                                      .words = implementation->words,
                                      .error = implementation->error};
    arena_init(&instance->arena, instance->budget);
    temporal_init(&instance->temporal, instance->labels, instance->budget);
    const struct lin_assertion *assertion = instance->assertion;
    struct lin_options sound = *options;
    sound.ignores_faults = true;
    return prepare_program(instance, &assertion->specification_program, &assertion->specification,
                           &sound);
}

void lin_instance_close(struct lin_instance *instance)
{
    if (instance->has_model)
        lin_model_release(&instance->model);
    if (instance->has_steps)
        lin_steps_release(&instance->steps);
    if (instance->setting.objects)
        word_arrays_release(&instance->objects);
    if (instance->words == &instance->own_words)
        lin_words_release(&instance->own_words);
    spec_destroy(instance->spec);
    temporal_release(&instance->temporal);
    arena_release(&instance->arena);
}
