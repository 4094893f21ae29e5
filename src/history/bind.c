#include "history/bind.h"

#include <string.h>

#include "history/keyed_results.h"
#include "spec/map.h"
#include "value/print.h"

#define FUNCTION_UNKNOWN   (-1)
#define FUNCTION_NOT_ASKED (-2)

static const char *object_name(const struct history *history, size_t object)
{
    return value_get_text(history->objects.items[object], NULL);
}

static void list_objects(const struct history *history, struct text *text)
{
    for (size_t i = 0; i < history->objects.length; i++)
        text_format(text, "%s%s", i > 0 ? ", " : "", object_name(history, i));
}

static enum status wrong_objects(const struct history *history, const char *what, const char *which,
                                 struct error *error)
{
    struct text objects = TEXT_EMPTY;
    list_objects(history, &objects);
    error_set(error, STATUS_USAGE, history->name, 0,
              "%s%s: the history's objects are %s, each needs a specification (OBJECT=NAME)", what,
              which, text_string(&objects));
    text_release(&objects);
    return STATUS_USAGE;
}

/* The slot of a binding, -1 for one that belongs nowhere. */
static ptrdiff_t slot_of(const struct history *history, const struct bind_options *options,
                         const struct binding *binding)
{
    size_t objects = history->objects.length;
    if (!binding->object)
        return objects == 1 && options->binding_count == 1 ? 0 : (ptrdiff_t)objects;
    for (size_t i = 0; i < objects; i++)
        if (strcmp(object_name(history, i), binding->object) == 0)
            return (ptrdiff_t)i;
    return -1;
}

static enum status assign_specs(struct binder *binder, struct error *error)
{
    const struct history *history = binder->history;
    const struct bind_options *options = binder->options;
    if (history->operations.length == 0)
        return STATUS_OK; /* whatever it is a history of */
    for (size_t i = 0; i < options->binding_count; i++) {
        const struct binding *binding = &options->bindings[i];
        ptrdiff_t slot = slot_of(history, options, binding);
        if (slot < 0 && history->objects.length == 0)
            return error_set(error, STATUS_USAGE, history->name, 0,
                             "a specification for the object %s: the history's operations name "
                             "no object",
                             binding->object);
        if (slot < 0)
            return wrong_objects(history, "no operation is of the object ", binding->object, error);
        if (binder->objects[slot].spec && history->objects.length == 0)
            return error_set(error, STATUS_USAGE, history->name, 0,
                             "two specifications for one object: the history's operations name no "
                             "object");
        if (binder->objects[slot].spec)
            return wrong_objects(history, "two specifications for ",
                                 binding->object ? binding->object : "one object", error);
        binder->objects[slot].spec = binding->spec;
    }
    for (size_t i = 0; i < history->objects.length; i++)
        if (!binder->objects[i].spec)
            return wrong_objects(history, "no specification for the object ",
                                 object_name(history, i), error);
    return STATUS_OK;
}

/* Decides for each map how the answers of its gets are read. */
static enum status read_results(struct binder *binder, struct error *error)
{
    enum results_reading reading = binder->options->results;
    bool any = binder->history->operations.length == 0;
    for (size_t i = 0; i < binder->object_count; i++) {
        struct object_binding *object = &binder->objects[i];
        if (!object->spec || object->spec->class != &map_class)
            continue;
        any = true;
        object->keyed_results = reading == RESULTS_KEYED;
        if (reading == RESULTS_INFERRED)
            TRY(keyed_results_infer(binder, object, error));
    }
    if (!any && reading != RESULTS_INFERRED)
        return error_set(error, STATUS_USAGE, binder->history->name, 0,
                         "how results are read can be said of the specification map only");
    return STATUS_OK;
}

enum status binder_create(const struct history *history, const struct bind_options *options,
                          struct binder *binder, struct error *error)
{
    size_t objects = history->objects.length + 1, functions = history->functions.length;
    *binder = (struct binder){.history = history,
                              .options = options,
                              .object_count = objects,
                              .function_count = functions};
    binder->objects = memory_zeroed(history->budget, objects * sizeof *binder->objects);
    binder->functions =
        memory_allocate(history->budget, objects * functions * sizeof *binder->functions);
    enum status status = STATUS_OK;
    if (!binder->objects || !binder->functions)
        status = error_set(error, STATUS_LIMIT, history->name, 0, "the memory limit is reached");
    for (size_t i = 0; status == STATUS_OK && i < objects * functions; i++)
        binder->functions[i] = FUNCTION_NOT_ASKED;
    if (status == STATUS_OK)
        status = assign_specs(binder, error);
    if (status == STATUS_OK)
        status = read_results(binder, error);
    if (status != STATUS_OK)
        binder_release(binder);
    return status;
}

void binder_release(struct binder *binder)
{
    size_t objects = binder->object_count;
    if (binder->objects)
        memory_release(binder->history->budget, binder->objects, objects * sizeof *binder->objects);
    if (binder->functions)
        memory_release(binder->history->budget, binder->functions,
                       objects * binder->function_count * sizeof *binder->functions);
    binder->objects = NULL;
    binder->functions = NULL;
}

struct object_binding *binder_object(const struct binder *binder, const struct operation *operation)
{
    bool without = operation->object == NO_OBJECT;
    return &binder->objects[without ? binder->object_count - 1 : operation->object];
}

/* Notes what the first operation of an object looks like. */
static enum status meet_object(const struct binder *binder, const struct operation *operation,
                               struct object_binding *object, struct error *error)
{
    const struct history *history = binder->history;
    if (!object->spec && history->objects.length > 0)
        return wrong_objects(history, "an operation without object has no specification", "",
                             error);
    if (!object->spec)
        return error_set(error, STATUS_USAGE, history->name, 0, "no specification given");
    object->key_fields = operation->has_key && !object->spec->class->join_key;
    object->met = true;
    return STATUS_OK;
}

enum status binder_complain(const struct binder *binder, const struct operation *operation,
                            bool response, const char *message, struct error *error)
{
    const struct history *history = binder->history;
    uint32_t line = response ? operation->response_line : operation->invoke_line;
    if (line == 0)
        return error_set(error, STATUS_INPUT, history->name, 0, "operation %u: %s",
                         operation->record, message);
    return error_set(error, STATUS_INPUT, history->name, line, "%s", message);
}

static enum status unknown_function(const struct binder *binder, const struct operation *operation,
                                    const struct spec *spec, struct error *error)
{
    const struct spec_class *class = spec->class;
    struct text message = TEXT_EMPTY;
    text_format(&message, "expected an operation of %s (", class->name);
    for (size_t i = 0; i < class->operation_count; i++)
        text_format(&message, "%s%s", i > 0 ? ", " : "", class->operations[i].name);
    text_format(&message, "), found %s",
                history_function_name(binder->history, operation->function));
    enum status status = binder_complain(binder, operation, false, text_string(&message), error);
    text_release(&message);
    return status;
}

/* Which operation of its specification a recorded one is. */
static enum status find_operation(struct binder *binder, const struct operation *operation,
                                  const struct object_binding *object, uint16_t *found,
                                  struct error *error)
{
    size_t row = (size_t)(object - binder->objects) * binder->function_count;
    int32_t *known = &binder->functions[row + operation->function];
    if (*known == FUNCTION_NOT_ASKED) {
        const char *name = history_function_name(binder->history, operation->function);
        *known = spec_operation_find(object->spec->class, name, strlen(name));
    }
    if (*known == FUNCTION_UNKNOWN)
        return unknown_function(binder, operation, object->spec, error);
    *found = (uint16_t)*known;
    return STATUS_OK;
}

static enum status bad_pair(const struct binder *binder, const struct operation *operation,
                            bool response, struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_format(&message, "expected [key value]%s, found ",
                response ? " with the key of the invocation" : "");
    value_print_edn(response ? operation->result : operation->argument, &message);
    enum status status = binder_complain(binder, operation, response, text_string(&message), error);
    text_release(&message);
    return status;
}

/* Takes the key of an independent object off the recorded values. */
static enum status split_pair(const struct binder *binder, const struct operation *operation,
                              struct recorded *recorded, struct bound *bound, struct error *error)
{
    size_t length;
    const value *items = value_get_items(recorded->argument, &length);
    if (value_kind_of(recorded->argument) != KIND_LIST || length != 2)
        return bad_pair(binder, operation, false, error);
    bound->independent = items[0];
    bound->has_independent = true;
    bound->keyed_results = true;
    recorded->argument = items[1];
    if (!recorded->completed || !recorded->result_recorded)
        return STATUS_OK;
    items = value_get_items(recorded->result, &length);
    if (value_kind_of(recorded->result) != KIND_LIST || length != 2 ||
        items[0] != bound->independent)
        return bad_pair(binder, operation, true, error);
    recorded->result = items[1];
    return STATUS_OK;
}

/* Finds the key, if values or events carry one, and puts it where it belongs. */
static enum status place_key(const struct binder *binder, const struct operation *operation,
                             uint16_t found, struct recorded *recorded, struct bound *bound,
                             struct error *error)
{
    const struct spec *spec = bound->spec;
    const struct object_binding *object = binder_object(binder, operation);
    bool own_field = spec->class->join_key;
    if (!own_field && operation->has_key != object->key_fields && !binder->options->independent)
        return binder_complain(binder, operation, false,
                               operation->has_key
                                   ? "expected no key field, as in earlier operations, found one"
                                   : "expected a key field, as in earlier operations, found none",
                               error);
    if (operation->has_key && !own_field) {
        bound->independent = operation->key;
        bound->has_independent = true;
        return STATUS_OK;
    }
    if (binder->options->independent)
        TRY(split_pair(binder, operation, recorded, bound, error));
    if (!operation->has_key)
        return STATUS_OK;
    recorded->argument = spec->class->join_key(spec, found, operation->key, recorded->argument);
    if (recorded->argument == VALUE_REFUSED)
        return error_set(error, STATUS_LIMIT, binder->history->name, 0,
                         "the memory limit is reached");
    return STATUS_OK;
}

enum status binder_place(struct binder *binder, const struct operation *operation,
                         struct recorded *recorded, uint16_t *found, struct bound *bound,
                         struct error *error)
{
    struct object_binding *object = binder_object(binder, operation);
    if (!object->met)
        TRY(meet_object(binder, operation, object, error));
    *bound = (struct bound){.spec = object->spec};
    TRY(find_operation(binder, operation, object, found, error));
    *recorded = (struct recorded){.argument = operation->argument,
                                  .result = operation->result,
                                  .completed = operation->outcome == OUTCOME_OK,
                                  .result_recorded = operation->result_recorded,
                                  .process = operation->process};
    return place_key(binder, operation, *found, recorded, bound, error);
}

bool binder_has_keyed_results(const struct binder *binder)
{
    bool any = false;
    for (size_t i = 0; i < binder->object_count; i++)
        any |= binder->objects[i].keyed_results;
    return any;
}

/* What the specification has to say about values that it refused: whether it is the completion's
 * fault shows when the invocation is bound alone. */
static enum status report(const struct binder *binder, const struct operation *operation,
                          const struct spec *spec, uint16_t found, const struct recorded *recorded,
                          const struct text *complaint, struct error *error)
{
    struct recorded invocation = *recorded;
    struct call call;
    struct text unused = TEXT_EMPTY;
    invocation.completed = false;
    bool response = spec_bind(spec, found, &invocation, &call, &unused) == STATUS_OK;
    text_release(&unused);
    bool split = binder->options->independent && !operation->has_key;
    struct text message = TEXT_EMPTY;
    text_format(&message, "%s%s", text_string(complaint),
                split ? " as the value of a [key value] (--independent)" : "");
    enum status status = binder_complain(binder, operation, response, text_string(&message), error);
    text_release(&message);
    return status;
}

/* Whether an operation without an argument was invoked with [key nil] and answered [key value]: one
 * of several keys that nobody asked to tell apart. Taken as they are, such values agree with no
 * other, and every history of them would be a violation. */
static bool is_forgotten_key(const struct spec *spec, uint16_t found,
                             const struct recorded *recorded)
{
    size_t length, answered;
    const value *pair = value_get_items(recorded->argument, &length);
    if (spec->class->operations[found].argument[0] ||
        value_kind_of(recorded->argument) != KIND_LIST || length != 2 || pair[1] != VALUE_NIL)
        return false;
    const value *answer = value_get_items(recorded->result, &answered);
    return recorded->completed && recorded->result_recorded &&
           value_kind_of(recorded->result) == KIND_LIST && answered == 2 && answer[0] == pair[0];
}

static enum status forgotten_key(const struct binder *binder, const struct operation *operation,
                                 struct error *error)
{
    struct text message = TEXT_EMPTY;
    text_format(&message, "expected no argument of %s, found ",
                history_function_name(binder->history, operation->function));
    value_print_edn(operation->argument, &message);
    text_append(&message, "; if values are [key value], give --independent");
    enum status status = binder_complain(binder, operation, false, text_string(&message), error);
    text_release(&message);
    return status;
}

enum status binder_bind(struct binder *binder, uint32_t index, struct bound *bound,
                        struct error *error)
{
    const struct operation *operation = &binder->history->operations.items[index];
    uint16_t found = 0;
    struct recorded recorded;
    TRY(binder_place(binder, operation, &recorded, &found, bound, error));
    bound->keyed_results |= binder_object(binder, operation)->keyed_results;
    if (binder_object(binder, operation)->keyed_results && !keyed_results_strip(found, &recorded))
        return bad_pair(binder, operation, true, error);
    if (is_forgotten_key(bound->spec, found, &recorded))
        return forgotten_key(binder, operation, error);
    struct text complaint = TEXT_EMPTY;
    enum status status = spec_bind(bound->spec, found, &recorded, &bound->call, &complaint);
    if (status == STATUS_INPUT)
        status = report(binder, operation, bound->spec, found, &recorded, &complaint, error);
    else if (status != STATUS_OK)
        error_set(error, status, binder->history->name, 0, "the memory limit is reached");
    text_release(&complaint);
    return status;
}

enum status binder_check_all_used(const struct binder *binder, struct error *error)
{
    const struct object_binding *without = &binder->objects[binder->object_count - 1];
    if (without->spec && !without->met && binder->object_count > 1)
        return wrong_objects(binder->history, "a specification for no object", "", error);
    return STATUS_OK;
}
