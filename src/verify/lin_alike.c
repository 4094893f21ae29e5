#include "verify/lin_alike.h"

#include <string.h>

#include "lin/arguments.h"
#include "lin/check.h"
#include "lin/opaque.h"
#include "spec/builtin.h"

/* Whether an operation of the implementation takes values where the specification does, and answers
 * values only where that does: then renaming values on both sides renames the same. */
static bool agrees_on_values(const struct lin_instance *instance, const struct lin_object *own,
                             const struct lin_entry *entry)
{
    const struct lin_operation *operation = entry->operation, *specified = NULL;
    const struct spec_class *class = instance->spec->class;
    for (uint32_t i = 0; own && i < own->operation_count; i++)
        if (strcmp(own->operations[i]->name, operation->name) == 0)
            specified = own->operations[i];
    for (uint32_t i = 0; i < operation->parameter_count; i++) {
        enum lin_type_kind kind = (enum lin_type_kind)operation->parameters[i]->type.kind;
        bool same = specified ? specified->parameters[i]->type.kind == kind : kind != LIN_TYPE_BOOL;
        if (!same || kind == LIN_TYPE_INT) /* a number could be taken for a value */
            return false;
    }
    int number = spec_operation_find(class, operation->name, strlen(operation->name));
    bool values = specified ? !lin_answers(own, specified, LIN_TYPE_BOOL)
                            : class->operations[number].result[0] == 'v';
    return !entry->answers_numbers && (!entry->answers_values || values) &&
           (!specified || !lin_answers(own, specified, LIN_TYPE_INT));
}

bool lin_treats_values_alike(const struct lin_instance *instance)
{
    const struct spec *spec = instance->spec;
    const struct lin_object *own = instance->own;
    if (!spec) /* the assertion speaks of the implementation alone */
        return true;
    bool opaque = spec->class->rename && (own || !spec->has_initial);
    for (uint32_t i = 0; opaque && i < instance->steps.object->operation_count; i++)
        opaque = agrees_on_values(instance, own, &instance->steps.entries[i]);
    return opaque;
}

/* The first operation of the implementation that does not agree with the specification, or null. */
static const struct lin_operation *find_disagreeing(const struct lin_instance *instance)
{
    for (uint32_t i = 0; i < instance->steps.object->operation_count; i++)
        if (!agrees_on_values(instance, instance->own, &instance->steps.entries[i]))
            return instance->steps.entries[i].operation;
    return NULL;
}

enum status lin_refuse_unlike(const struct lin_instance *instance, const char *asked,
                              struct error *error)
{
    const struct lin_object *own = instance->own;
    const struct script *script = instance->module->script;
    value *parameters;
    place at;
    if (!own)
        return STATUS_OK;
    if (lin_names_thread(own, &at))
        return script_error(script, at, error,
                            "expected a specification that treats threads alike, %s, found "
                            "`thread` in `%s`",
                            asked, own->name);
    TRY(lin_arguments(instance->module, own, &instance->assertion->specification, NULL,
                      instance->pool, &parameters, error));
    if (!lin_leaves_values_opaque(own, parameters, &at))
        return script_error(script, at, error,
                            "expected a specification that only keeps, compares and answers "
                            "values, %s, found that `%s` takes a value for a number here",
                            asked, own->name);
    const struct lin_operation *operation = find_disagreeing(instance);
    return script_error(script, operation ? operation->at : instance->assertion->specification.at,
                        error,
                        "expected operations that take and answer values where `%s` does, %s, and "
                        "no numbers or booleans%s%s%s",
                        own->name, asked, operation ? ", found `" : "",
                        operation ? operation->name : "", operation ? "`" : "");
}
