#include "lin/method.h"

#include <string.h>

#include "spec/builtin.h"

struct lin_subject lin_find_subject(const struct lin_module *module, const char *name)
{
    struct lin_subject subject = {.name = name, .own = lin_find_object(module, name, true)};
    if (!subject.own)
        subject.built_in = spec_class_find(name, strlen(name));
    return subject;
}

/* How many values an operation takes; UINT32_MAX: there is none of that name. */
static uint32_t count_parameters(const struct lin_subject *subject, const char *name)
{
    const struct lin_object *own = subject->own;
    for (uint32_t i = 0; own && i < own->operation_count; i++)
        if (strcmp(own->operations[i]->name, name) == 0)
            return own->operations[i]->parameter_count;
    int at = subject->built_in ? spec_operation_find(subject->built_in, name, strlen(name)) : -1;
    return at >= 0 ? subject->built_in->operations[at].argument[0] != 0 : UINT32_MAX;
}

enum status lin_check_operation(const struct lin_module *module, const struct lin_subject *subject,
                                const struct lin_method *method, struct error *error)
{
    uint32_t parameters = count_parameters(subject, method->operation);
    if (parameters == UINT32_MAX)
        return script_error(module->script, method->operation_at, error,
                            "expected an operation of `%s`, found `%s`, which it does not have",
                            subject->name, method->operation);
    if (parameters > 1)
        return script_error(module->script, method->operation_at, error,
                            "expected an operation with one parameter or none, found `%s`",
                            method->operation);
    if (parameters != method->takes_value)
        return script_error(module->script, method->operation_at, error,
                            "expected `%s(%s)`, as in `%s`, found `%s`", method->operation,
                            parameters ? "value" : "", subject->name,
                            parameters ? "()" : "(value)");
    return STATUS_OK;
}
