/* Specifications: the built-in ones, and the table of them. */
#include <linchpin/spec.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/objects.h"
#include "base/memory.h"
#include "base/require.h"
#include "history/infer.h"
#include "lin/spec.h"
#include "spec/builtin.h"

/* A map as other languages write it, {x: 7} or {"x": 7}: EDN takes `x:` for a name, or for nothing.
 */
static bool has_colons(const char *text, value initial, bool is_read)
{
    size_t count, length;
    const value *items = value_get_items(initial, &count);
    if (!is_read)
        return *text == '{' && strstr(text, "\":");
    for (size_t i = 0; value_kind_of(initial) == KIND_MAP && i + 1 < count; i += 2) {
        const char *key = value_get_text(items[i], &length);
        if (key && length > 1 && key[length - 1] == ':')
            return true;
    }
    return false;
}

static enum status make_request(lp_context *context, const char *name,
                                const lp_spec_options *options, struct spec_request *request,
                                struct error *error)
{
    *request = (struct spec_request){.name = name};
    request->owned = options->owned;
    request->nil_reads = options->nil_reads;
    if (!options->initial)
        return STATUS_OK;
    request->has_initial = true;
    enum status status = parse_value(context, options->initial, &request->initial, error);
    if ((status == STATUS_OK || status == STATUS_INPUT) &&
        has_colons(options->initial, request->initial, status == STATUS_OK))
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "initial value: expected a map without colons, {x 7, y 8}, found %.200s",
                         options->initial);
    if (status != STATUS_INPUT)
        return status;
    char message[ERROR_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", error->message);
    return error_set(error, STATUS_USAGE, NULL, 0, "initial value: %.900s", message);
}

/* "semaphore(3)", or what the user called one in a file */
static char *name_of(const struct spec *spec, const char *given)
{
    struct text text = TEXT_EMPTY;
    text_append(&text, given ? given : spec->class->name);
    if (given)
        return text_take(&text);
    for (size_t i = 0; i < spec->parameter_count; i++)
        text_format(&text, "%s%lld", i == 0 ? "(" : ", ", (long long)spec->parameters[i]);
    if (spec->parameter_count > 0)
        text_append_char(&text, ')');
    return text_take(&text);
}

enum status spec_wrap(lp_context *context, struct spec *inner, const char *name,
                      struct custom_spec *custom, lp_spec **spec, struct error *error)
{
    lp_spec *wrapped = memory_allocate(&context->budget, sizeof *wrapped);
    if (!wrapped) {
        spec_destroy(inner);
        return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    }
    *wrapped = (lp_spec){.magic = SPEC_MAGIC,
                         .context = context,
                         .spec = inner,
                         .name = name_of(inner, name),
                         .custom = custom};
    *spec = wrapped;
    return STATUS_OK;
}

lp_status lp_spec_create(lp_context *context, const char *name, const lp_spec_options *options,
                         lp_spec **spec, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE_NOT_NULL(spec);
    lp_spec_options own;
    REQUIRE_SIZED(&own, options, nil_reads);
    struct error fault;
    struct spec_request request;
    struct spec *inner;
    enum status status = make_request(context, name, &own, &request, &fault);
    if (status == STATUS_OK && lin_spec_is_named(name))
        status = lin_spec_open(name, &request, context->pool, &context->budget, &inner, &fault);
    else if (status == STATUS_OK)
        status = spec_create(&request, context->pool, &context->budget, &inner, &fault);
    if (status == STATUS_OK)
        status =
            spec_wrap(context, inner, lin_spec_is_named(name) ? name : NULL, NULL, spec, &fault);
    return report_status(status, &fault, error);
}

/* The number of the object of that name; NO_OBJECT for null. */
static enum status find_object(const struct history *history, const char *name, uint16_t *object,
                               struct error *error)
{
    *object = NO_OBJECT;
    for (uint16_t i = 0; name && i < history->objects.length; i++)
        if (value_text_is(history->objects.items[i], name))
            *object = i;
    if (name && *object == NO_OBJECT)
        return error_set(error, STATUS_USAGE, history->name, 0,
                         "expected the name of an object of the history, found %s", name);
    return STATUS_OK;
}

lp_status lp_spec_infer(lp_context *context, const lp_history *history, const char *object,
                        const lp_spec_options *options, lp_spec **spec, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_ALIVE(history, HISTORY_MAGIC);
    REQUIRE(!history->builder, "the history is not closed");
    REQUIRE_NOT_NULL(spec);
    lp_spec_options own;
    REQUIRE_SIZED(&own, options, nil_reads);
    struct error fault;
    uint16_t number;
    const char *name;
    struct spec_request request;
    struct spec *inner;
    enum status status = find_object(history->history, object, &number, &fault);
    if (status == STATUS_OK)
        status = history_infer(history->history, number, &name, &fault);
    if (status == STATUS_OK)
        status = make_request(context, name, &own, &request, &fault);
    if (status == STATUS_OK && lin_spec_is_named(name))
        status = lin_spec_open(name, &request, context->pool, &context->budget, &inner, &fault);
    else if (status == STATUS_OK)
        status = spec_create(&request, context->pool, &context->budget, &inner, &fault);
    if (status == STATUS_OK)
        status = spec_wrap(context, inner, NULL, NULL, spec, &fault);
    return report_status(status, &fault, error);
}

struct spec *spec_for_history(const lp_spec *spec, const struct history *history)
{
    bool built_in = spec_class_is_builtin(spec->spec->class);
    if (!history->initial_known || spec->spec->has_initial || !built_in)
        return NULL;
    struct spec_request request = {.name = spec->name,
                                   .initial = history->initial,
                                   .has_initial = true,
                                   .owned = spec->spec->owned,
                                   .nil_reads = spec->spec->nil_reads};
    struct spec *adapted;
    enum status status =
        spec_create(&request, spec->context->pool, &spec->context->budget, &adapted, NULL);
    return status == STATUS_OK ? adapted : NULL;
}

void lp_spec_destroy(lp_spec *spec)
{
    if (!spec)
        return;
    REQUIRE_ALIVE(spec, SPEC_MAGIC);
    spec->magic = 0;
    spec_destroy(spec->spec);
    custom_spec_release(spec->custom);
    free(spec->name);
    memory_release(&spec->context->budget, spec, sizeof *spec);
}

const char *lp_spec_name(const lp_spec *spec)
{
    REQUIRE_ALIVE(spec, SPEC_MAGIC);
    return spec->name;
}

bool lp_spec_at(size_t index, lp_spec_entry *entry)
{
    REQUIRE_NOT_NULL(entry);
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    if (index >= count)
        return false;
    *entry = (lp_spec_entry){.name = classes[index]->name,
                             .parameters = classes[index]->parameters,
                             .summary = classes[index]->summary,
                             .operations = classes[index]->operation_count};
    return true;
}

bool lp_spec_operation_at(size_t index, size_t operation, lp_spec_operation_entry *entry)
{
    REQUIRE_NOT_NULL(entry);
    size_t count;
    const struct spec_class *const *classes = spec_classes(&count);
    if (index >= count || operation >= classes[index]->operation_count)
        return false;
    const struct spec_operation *found = &classes[index]->operations[operation];
    *entry = (lp_spec_operation_entry){.name = found->name,
                                       .argument = found->argument,
                                       .result = found->result,
                                       .aliases = found->aliases};
    return true;
}
