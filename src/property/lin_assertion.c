#include "property/lin_assertion.h"

#include <string.h>

#include "lang/lin_check.h"
#include "lang/lin_code.h"
#include "lang/lin_spec.h"
#include "model/lin_model.h"
#include "property/lin_unfold.h"
#include "property/linear_normal.h"

#define MOST_THREADS 64

struct decision {
    const struct lin_module *module;
    const struct lin_assertion *assertion;
    const struct assertion_options *options;
    struct assertion_result *result;
    struct value_pool *pool;
    struct arena arena; /* of what is compiled */
    struct labels *labels;
    struct spec *spec;
    struct lin_setting setting;
    struct lin_steps steps;
    struct lin_model model, plain_model; /* with fused steps; each statement a step */
    struct graph graph, plain;
    bool has_steps, has_model, has_graph, has_plain_model, has_plain;
    struct error *error;
};

#define FAIL(decision, at, ...)                                                                    \
    script_error((decision)->module->script, (at), (decision)->error, __VA_ARGS__)

/* ---- what is asked ---- */

/* A positive integer, or `any`: -1. */
static enum status number_option(struct decision *decision, const struct lin_option *option,
                                 int64_t most, int32_t *number)
{
    value found = VALUE_NIL;
    int64_t integer = 0;
    if (option->word && strcmp(option->word, "any") == 0) {
        *number = -1;
        return STATUS_OK;
    }
    if (option->expression &&
        lin_constant(option->expression, decision->pool, &found) == STATUS_OK &&
        value_get_integer(found, &integer) && integer >= 1 && integer <= most) {
        *number = (int32_t)integer;
        return STATUS_OK;
    }
    return FAIL(decision, option->at, "expected `%s =` and a number from 1 to %lld", option->name,
                (long long)most);
}

static enum status read_options(struct decision *decision)
{
    const struct lin_assertion *assertion = decision->assertion;
    struct lin_setting *setting = &decision->setting;
    int32_t threads = 2, operations = 2, values = 2;
    setting->nodes = -1;
    for (uint32_t i = 0; i < assertion->option_count; i++) {
        const struct lin_option *option = &assertion->options[i];
        if (strcmp(option->name, "threads") == 0)
            TRY(number_option(decision, option, MOST_THREADS, &threads));
        else if (strcmp(option->name, "ops") == 0)
            TRY(number_option(decision, option, INT32_MAX, &operations));
        else if (strcmp(option->name, "values") == 0)
            TRY(number_option(decision, option, 1000, &values));
        else if (strcmp(option->name, "nodes") == 0)
            TRY(number_option(decision, option, 10000, &setting->nodes));
        else
            return FAIL(decision, option->at, "expected threads, ops, values or nodes, found `%s`",
                        option->name);
    }
    if (threads < 0)
        return FAIL(decision, assertion->at,
                    "any number of threads is not decided by this version");
    if (values < 0)
        return FAIL(decision, assertion->at, "expected a number of values, found `any`");
    setting->threads = (uint32_t)threads;
    setting->operations = operations;
    setting->values = (uint32_t)values;
    return STATUS_OK;
}

/* The clients call acquire and release in turn where the specification says so. */
static enum status find_client(struct decision *decision)
{
    static const char *const locks[] = {"acquire", "release"};
    const struct lin_reference *reference = &decision->assertion->specification;
    const struct lin_object *own = lin_find_object(decision->module, reference->name, true);
    struct lin_setting *setting = &decision->setting;
    if (own) {
        setting->client = own->client;
        setting->client_count = own->client_count;
    } else if (strcmp(reference->name, "mutex") == 0 || strcmp(reference->name, "semaphore") == 0) {
        setting->client = locks;
        setting->client_count = ARRAY_LENGTH(locks);
    }
    return STATUS_OK;
}

/* The script's text of a reference: `register(initial = 3)`. */
static char *reference_text(struct decision *decision, const struct lin_reference *reference)
{
    const char *text = decision->module->script->text + reference->at;
    size_t length = strlen(reference->name);
    size_t open = length + strspn(text + length, " \t\r\n");
    unsigned depth = 0;
    if (text[open] == '(') {
        for (length = open; text[length]; length++) {
            depth += text[length] == '(';
            depth -= text[length] == ')';
            if (depth == 0)
                break;
        }
        length++;
    }
    return arena_copy_text(&decision->arena, text, length);
}

/* A built-in specification; its arguments are integers, or `initial = V`. */
static enum status make_built_in(struct decision *decision, const struct lin_reference *reference)
{
    struct spec_request request = {0};
    struct text name = TEXT_EMPTY;
    enum status status = STATUS_OK;
    text_append(&name, reference->name);
    for (uint32_t i = 0, given = 0; status == STATUS_OK && i < reference->argument_count; i++) {
        const struct lin_argument *argument = &reference->arguments[i];
        value constant = VALUE_NIL;
        int64_t integer = 0;
        bool known = lin_constant(argument->expression, decision->pool, &constant) == STATUS_OK;
        if (known && argument->name && strcmp(argument->name, "initial") == 0) {
            request.initial = constant;
            request.has_initial = true;
        } else if (known && !argument->name && value_get_integer(constant, &integer)) {
            text_format(&name, "%s%lld", given++ == 0 ? "(" : ", ", (long long)integer);
        } else {
            status = FAIL(decision, reference->at,
                          "expected arguments of `%s` that are integers, "
                          "or initial = V",
                          reference->name);
        }
        if (i + 1 == reference->argument_count && given > 0)
            text_append_char(&name, ')');
    }
    request.name = text_string(&name);
    if (status == STATUS_OK)
        status = spec_create(&request, decision->pool, decision->options->limits->budget,
                             &decision->spec, decision->error);
    text_release(&name);
    return status;
}

static enum status make_spec(struct decision *decision)
{
    const struct lin_reference *reference = &decision->assertion->specification;
    const struct script *script = decision->module->script;
    struct spec_request request = {0};
    enum status status;
    if (lin_find_object(decision->module, reference->name, true)) {
        const char *text = reference_text(decision, reference);
        if (!text)
            return STATUS_LIMIT;
        status =
            lin_spec_from_text(script->name, script->text, text, &request, decision->pool,
                               decision->options->limits->budget, &decision->spec, decision->error);
    } else {
        status = make_built_in(decision, reference);
    }
    if (status != STATUS_USAGE)
        return status;
    struct error copy = *decision->error;
    return FAIL(decision, reference->at, "%s", copy.message);
}

enum status lin_assertion_spec(const struct lin_module *module,
                               const struct lin_assertion *assertion, struct value_pool *pool,
                               struct budget *budget, struct spec **spec, struct error *error)
{
    struct limits limits;
    limits_init(&limits, budget);
    const struct assertion_options options = {.limits = &limits};
    struct decision decision = {.module = module,
                                .assertion = assertion,
                                .options = &options,
                                .pool = pool,
                                .error = error};
    arena_init(&decision.arena, budget);
    enum status status = make_spec(&decision);
    arena_release(&decision.arena);
    *spec = decision.spec;
    return status;
}

/* Every operation of the implementation is one of the specification, with as many parameters. */
static enum status check_operations(struct decision *decision, const struct lin_object *object)
{
    for (uint32_t i = 0; i < object->operation_count; i++) {
        const struct lin_operation *operation = object->operations[i];
        int found =
            spec_operation_find(decision->spec->class, operation->name, strlen(operation->name));
        if (found < 0)
            return FAIL(decision, operation->at,
                        "expected an operation of `%s`, found `%s`, which it does not have",
                        decision->assertion->specification.name, operation->name);
        const char *shape = decision->spec->class->operations[found].argument;
        uint32_t count = *shape != 0;
        for (; *shape; shape++)
            count += *shape == ' ';
        if (count != operation->parameter_count)
            return FAIL(decision, operation->at,
                        "expected %u parameter%s of `%s`, as in the specification, found %u", count,
                        count == 1 ? "" : "s", operation->name, operation->parameter_count);
    }
    return STATUS_OK;
}

/* ---- the model ---- */

static enum status compile(struct decision *decision, const struct lin_object *object)
{
    const struct lin_reference *reference = &decision->assertion->implementation;
    value *values;
    enum status status = lin_arguments(decision->module, object, reference, NULL, decision->pool,
                                       &values, decision->error);
    if (status == STATUS_USAGE) {
        struct error copy = *decision->error;
        return FAIL(decision, reference->at, "%s", copy.message);
    }
    TRY(status);
    int32_t *parameters =
        arena_allocate(&decision->arena, object->parameter_count * sizeof *parameters);
    if (!parameters)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < object->parameter_count; i++) {
        int64_t integer = 0;
        if (!value_get_integer(values[i], &integer) || integer < INT32_MIN || integer > INT32_MAX)
            return FAIL(decision, reference->at, "expected an int as `%s`",
                        object->parameters[i].name);
        parameters[i] = (int32_t)integer;
    }
    decision->has_steps = true;
    return lin_steps_compile(decision->module, object, parameters, &decision->setting,
                             &decision->arena, &decision->steps, decision->error);
}

static enum status prepare(struct decision *decision)
{
    const struct lin_reference *reference = &decision->assertion->implementation;
    const struct lin_object *object = lin_find_object(decision->module, reference->name, false);
    if (decision->assertion->property != LIN_LINEARIZES)
        return FAIL(decision, decision->assertion->at,
                    "only `linearizes` is decided by this version");
    if (!object)
        return FAIL(decision, reference->at, "expected an implementation, found `%s`",
                    reference->name);
    TRY(read_options(decision));
    TRY(find_client(decision));
    TRY(make_spec(decision));
    TRY(check_operations(decision, object));
    TRY(compile(decision, object));
    const struct lin_fusion fusion = {
        .intervals = (decision->options->reductions & REDUCE_INTERVALS) != 0,
        .local = (decision->options->reductions & REDUCE_PARTIAL_ORDER) != 0,
        .forget = (decision->options->reductions & REDUCE_SLICE) != 0,
    };
    decision->result->reductions =
        decision->options->reductions & (REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER | REDUCE_SLICE);
    decision->has_model = true;
    TRY(lin_model_create(&decision->steps, &fusion, decision->labels,
                         decision->options->limits->budget, &decision->model, decision->error));
    decision->has_graph = true;
    return graph_create(&decision->model.model, &decision->graph, decision->error);
}

/* ---- deciding ---- */

/* A default pool that ran out is a limit, not the algorithm's doing. */
static void mention_pool(struct decision *decision)
{
    struct assertion_result *result = decision->result;
    if (!decision->model.exhausted || result->answer != HOLDS)
        return;
    result->answer = UNDECIDED;
    text_append(&result->reason, "some operation needs more nodes than were expected: "
                                 "`nodes = M` says how many there are");
}

/* Takes the fused steps of a violation apart, and finds again where the specification could not
 * follow. */
static enum status unfold(struct decision *decision, struct normal *normal,
                          struct refinement *found)
{
    const struct lin_fusion fusion = {.forget = decision->model.fusion.forget};
    normal_id at;
    decision->has_plain_model = true;
    TRY(lin_model_create(&decision->steps, &fusion, decision->labels,
                         decision->options->limits->budget, &decision->plain_model,
                         decision->error));
    decision->has_plain = true;
    TRY(graph_create(&decision->plain_model.model, &decision->plain, decision->error));
    TRY(lin_unfold(&decision->graph, &decision->plain, decision->model.fault, &found->execution,
                   decision->error));
    TRY(normal->class->initial(normal, &at, decision->error));
    for (size_t i = 0; i < found->execution.labels.length && at != NORMAL_NONE; i++) {
        found->before = at;
        if (found->execution.labels.items[i] != LABEL_TAU)
            TRY(normal->class->step(normal, at, found->execution.labels.items[i], &at,
                                    decision->error));
    }
    if (at == NORMAL_NONE)
        return STATUS_OK;
    return error_set(decision->error, STATUS_INTERNAL, NULL, 0,
                     "the specification can follow an unfolded violation");
}

/* In `result`, with the trace in single steps. */
static enum status take(struct decision *decision, struct normal *normal, struct refinement *found,
                        enum status status)
{
    bool fused = decision->model.fusion.intervals || decision->model.fusion.local;
    struct graph *graph = &decision->graph;
    if (status == STATUS_OK && found->answer == VIOLATED && fused) {
        TRY(unfold(decision, normal, found));
        graph = &decision->plain;
    }
    TRY(assertion_take_refinement(decision->result, graph, normal, found, status, decision->error));
    size_t length = found->execution.labels.length;
    if (decision->result->answer != VIOLATED || length == 0 ||
        found->execution.labels.items[length - 1] != decision->model.fault)
        return STATUS_OK;
    text_clear(&decision->result->reason); /* a fault of the algorithm: the last one that was met */
    text_append(&decision->result->reason,
                fused ? decision->plain_model.reason : decision->model.reason);
    return STATUS_OK;
}

static enum status linearizes(struct decision *decision)
{
    struct linear_normal normal;
    struct refinement found;
    struct budget *budget = decision->options->limits->budget;
    struct refinement_options options = {
        .antichain = (decision->options->reductions & REDUCE_ANTICHAIN) != 0,
        .depth_first = decision->options->depth_first,
        .limits = decision->options->limits};
    if (options.antichain)
        decision->result->reductions |= REDUCE_ANTICHAIN;
    linear_normal_init(&normal, decision->spec, decision->labels, false, budget);
    refinement_init(&found, budget);
    enum status status =
        refine(&decision->graph, &normal.normal, &options, &found, decision->error);
    status = take(decision, &normal.normal, &found, status);
    if (status == STATUS_OK)
        mention_pool(decision);
    refinement_release(&found);
    linear_normal_release(&normal);
    if (status == STATUS_OK && decision->spec->class->fault)
        status = decision->spec->class->fault(decision->spec, decision->error);
    return status;
}

enum status lin_assertion_decide(const struct lin_module *module,
                                 const struct lin_assertion *assertion, struct value_pool *pool,
                                 const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error)
{
    struct decision decision = {.module = module,
                                .assertion = assertion,
                                .options = options,
                                .result = result,
                                .pool = pool,
                                .error = error};
    result->method = "linearizability";
    arena_init(&decision.arena, options->limits->budget);
    decision.labels = labels_create(options->limits->budget);
    enum status status = decision.labels ? prepare(&decision) : STATUS_LIMIT;
    if (status == STATUS_OK)
        status = linearizes(&decision);
    if (status == STATUS_LIMIT) {
        assertion_refused(result, options->limits);
        status = STATUS_OK;
    }
    if (decision.has_graph)
        graph_release(&decision.graph);
    if (decision.has_plain)
        graph_release(&decision.plain);
    if (decision.has_plain_model)
        lin_model_release(&decision.plain_model);
    if (decision.has_model)
        lin_model_release(&decision.model);
    if (decision.has_steps)
        lin_steps_release(&decision.steps);
    spec_destroy(decision.spec);
    labels_destroy(decision.labels);
    arena_release(&decision.arena);
    return status;
}
