/* Names of a module are compared by their letters here: a caller may have them from elsewhere. */
#include "lin/ast.h"

#include <string.h>

void lin_module_release(struct lin_module *module)
{
    vectors_release(&module->constants, &module->enums, &module->objects, &module->programs,
                    &module->rules, &module->automata, &module->assertions);
}

const struct lin_object *lin_find_object(const struct lin_module *module, const char *name,
                                         bool is_spec)
{
    for (size_t i = 0; i < module->objects.length; i++)
        if (module->objects.items[i]->is_spec == is_spec &&
            strcmp(module->objects.items[i]->name, name) == 0)
            return module->objects.items[i];
    return NULL;
}

const struct lin_object *lin_find_program(const struct lin_module *module, const char *name)
{
    for (size_t i = 0; i < module->programs.length; i++)
        if (strcmp(module->programs.items[i]->name, name) == 0)
            return module->programs.items[i];
    return NULL;
}

const char *lin_type_name(const struct lin_type *type)
{
    if (type->dimensions > 0)
        return "an array";
    switch ((enum lin_type_kind)type->kind) {
    case LIN_TYPE_VOID:
        return "nothing";
    case LIN_TYPE_INT:
        return "an int";
    case LIN_TYPE_BOOL:
        return "a bool";
    case LIN_TYPE_VALUE:
    case LIN_TYPE_ANSWER:
        return "a value";
    case LIN_TYPE_SYMBOL:
        return "a symbol";
    case LIN_TYPE_NULL:
        return "null";
    case LIN_TYPE_LIST:
        return "a list";
    case LIN_TYPE_SET:
        return "a set";
    case LIN_TYPE_MAP:
        return "a map";
    case LIN_TYPE_STRUCT:
        return "a reference to a node";
    case LIN_TYPE_RECORD:
        return "a record";
    }
    return "";
}
