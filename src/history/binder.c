#include "history/binder.h"

#include <string.h>

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
        if (slot < 0 && options->grows)
            continue;
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

enum status binder_complain_of_pair(const struct binder *binder, const struct operation *operation,
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
        return binder_complain_of_pair(binder, operation, false, error);
    bound->independent = items[0];
    bound->has_independent = true;
    bound->keyed_results = true;
    recorded->argument = items[1];
    if (!recorded->completed || !recorded->result_recorded)
        return STATUS_OK;
    items = value_get_items(recorded->result, &length);
    if (value_kind_of(recorded->result) != KIND_LIST || length != 2 ||
        items[0] != bound->independent)
        return binder_complain_of_pair(binder, operation, true, error);
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

enum status binder_check_all_used(const struct binder *binder, struct error *error)
{
    const struct object_binding *without = &binder->objects[binder->object_count - 1];
    if (without->spec && !without->met && binder->object_count > 1)
        return wrong_objects(binder->history, "a specification for no object", "", error);
    return STATUS_OK;
}
