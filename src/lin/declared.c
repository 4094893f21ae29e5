/* One walk over the declarations. An object that an assertion names and the file does not declare
 * is built in, or the checker complains. */
#include "lin/declared.h"

#include <string.h>

#include "lang/references.h"
#include "spec/builtin.h"

static void declare(const struct lin_module *module, place at, const char *name,
                    enum reference_kind kind)
{
    references_add(module->script, at, name, at, kind);
}

static void declare_variables(const struct lin_module *module,
                              struct lin_variable *const *variables, uint32_t count,
                              enum reference_kind kind)
{
    for (uint32_t i = 0; i < count; i++)
        declare(module, variables[i]->at, variables[i]->name, kind);
}

static void declare_locals(const struct lin_module *module, const struct lin_statement *statement)
{
    if (!statement)
        return;
    if (statement->kind == LIN_STATEMENT_DECLARE)
        declare(module, statement->variable->at, statement->variable->name, REFERENCE_LOCAL);
    for (uint32_t i = 0; i < statement->count; i++)
        declare_locals(module, statement->items[i]);
}

static void declare_operation(const struct lin_module *module,
                              const struct lin_operation *operation)
{
    if (operation->is_function)
        declare(module, operation->at, operation->name, REFERENCE_FUNCTION);
    declare_variables(module, operation->parameters, operation->parameter_count,
                      REFERENCE_PARAMETER);
    declare_locals(module, operation->body);
}

static void declare_object(const struct lin_module *module, const struct lin_object *object)
{
    declare(module, object->at, object->name,
            object->is_program ? REFERENCE_PROGRAM
            : object->is_spec  ? REFERENCE_SPECIFICATION
                               : REFERENCE_IMPLEMENTATION);
    for (uint32_t i = 0; i < object->parameter_count; i++)
        declare(module, object->parameters[i].at, object->parameters[i].name, REFERENCE_PARAMETER);
    declare_variables(module, object->variables, object->variable_count, REFERENCE_VARIABLE);
    for (uint32_t i = 0; i < object->struct_count; i++) {
        declare(module, object->structs[i]->at, object->structs[i]->name, REFERENCE_TYPE);
        declare_variables(module, object->structs[i]->fields, object->structs[i]->field_count,
                          REFERENCE_FIELD);
    }
    for (uint32_t i = 0; i < object->operation_count; i++)
        declare_operation(module, object->operations[i]);
    for (uint32_t i = 0; i < object->together_count; i++)
        declare_operation(module, &object->togethers[i]->body);
    for (uint32_t i = 0; i < object->function_count; i++)
        declare_operation(module, object->functions[i]);
    if (object->initially)
        declare_operation(module, object->initially);
}

/* A specification that the file does not declare. */
static void note_builtin(const struct lin_module *module, place at, const char *name)
{
    if (name && spec_class_find(name, strlen(name)))
        references_add_builtin(module->script, at, name, REFERENCE_SPECIFICATION);
}

/* `stack`, `register(initial = 3)`: the object, and its parameters that are named. */
static void note_reference(const struct lin_module *module, const struct lin_reference *reference,
                           bool is_spec)
{
    const struct lin_object *object =
        reference->name ? lin_find_object(module, reference->name, is_spec) : NULL;
    if (!object && is_spec)
        note_builtin(module, reference->at, reference->name);
    if (!object)
        return;
    references_add(module->script, reference->at, reference->name, object->at,
                   is_spec ? REFERENCE_SPECIFICATION : REFERENCE_IMPLEMENTATION);
    for (uint32_t i = 0; i < reference->argument_count; i++)
        for (uint32_t j = 0; j < object->parameter_count; j++)
            if (reference->arguments[i].name == object->parameters[j].name)
                references_add(module->script, reference->arguments[i].at,
                               reference->arguments[i].name, object->parameters[j].at,
                               REFERENCE_PARAMETER);
}

static void note_program(const struct lin_module *module, const struct lin_reference *reference)
{
    const struct lin_object *program =
        reference->name ? lin_find_program(module, reference->name) : NULL;
    if (program)
        references_add(module->script, reference->at, reference->name, program->at,
                       REFERENCE_PROGRAM);
}

/* What a program uses is an implementation or else a specification. */
static void note_used(const struct lin_module *module, const struct lin_reference *reference)
{
    note_reference(module, reference,
                   reference->name && !lin_find_object(module, reference->name, false));
}

static void note_assertion(const struct lin_module *module, const struct lin_assertion *assertion)
{
    if (assertion->property == LIN_REFINES) {
        note_program(module, &assertion->program);
        note_program(module, &assertion->specification_program);
        note_used(module, &assertion->implementation);
        note_used(module, &assertion->specification);
        return;
    }
    note_reference(module, &assertion->implementation, false);
    note_reference(module, &assertion->specification, true);
    for (uint32_t i = 0; i < assertion->option_count; i++) { /* `spec = S` */
        const struct lin_option *option = &assertion->options[i];
        const struct lin_object *object =
            option->word ? lin_find_object(module, option->word, true) : NULL;
        if (!object)
            note_builtin(module, option->word_at, option->word);
        if (object)
            references_add(module->script, option->word_at, option->word, object->at,
                           REFERENCE_SPECIFICATION);
    }
}

void lin_note_declared(const struct lin_module *module)
{
    if (!module->script->references)
        return;
    for (size_t i = 0; i < module->constants.length; i++)
        if (module->constants.items[i]->name)
            declare(module, module->constants.items[i]->at, module->constants.items[i]->name,
                    REFERENCE_CONSTANT);
    for (size_t i = 0; i < module->enums.length; i++)
        declare(module, module->enums.items[i]->at, module->enums.items[i]->name, REFERENCE_TYPE);
    for (size_t i = 0; i < module->objects.length; i++)
        declare_object(module, module->objects.items[i]);
    for (size_t i = 0; i < module->programs.length; i++)
        declare_object(module, module->programs.items[i]);
    for (size_t i = 0; i < module->rules.length; i++)
        note_reference(module, &module->rules.items[i]->subject, true);
    for (size_t i = 0; i < module->automata.length; i++)
        note_reference(module, &module->automata.items[i]->subject, true);
    for (size_t i = 0; i < module->assertions.length; i++)
        note_assertion(module, &module->assertions.items[i]);
}
