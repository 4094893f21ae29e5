#include "lin/arguments.h"

#include <string.h>

#include "base/text.h"
#include "lin/flow.h"
#include "lin/lexer.h"

enum status lin_constant(const struct lin_expression *expression, const value *parameters,
                         struct value_pool *pool, value *result)
{
    value items[2] = {VALUE_NIL, VALUE_NIL};
    int64_t numbers[2] = {0, 0};
    switch (expression->kind) {
    case LIN_EXPRESSION_INTEGER:
        *result = value_small(expression->integer);
        return STATUS_OK;
    case LIN_EXPRESSION_BOOLEAN:
        *result = value_boolean(expression->integer != 0);
        return STATUS_OK;
    case LIN_EXPRESSION_NULL:
        *result = VALUE_NIL;
        return STATUS_OK;
    case LIN_EXPRESSION_STRING:
        *result = value_text(pool, KIND_STRING, expression->name, strlen(expression->name));
        return *result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
    case LIN_EXPRESSION_NAME:
        if (expression->meaning == LIN_MEANS_PARAMETER && parameters) {
            *result = parameters[expression->number];
            return STATUS_OK;
        }
        if (expression->meaning == LIN_MEANS_SYMBOL && strcmp(expression->name, "empty") == 0) {
            *result = VALUE_NIL;
            return STATUS_OK;
        }
        return STATUS_INPUT;
    case LIN_EXPRESSION_UNARY:
    case LIN_EXPRESSION_BINARY:
        for (uint32_t i = 0; i < expression->count; i++) {
            TRY(lin_constant(expression->items[i], parameters, pool, &items[i]));
            if (!value_is_small(items[i]))
                return STATUS_INPUT;
            numbers[i] = value_small_get(items[i]);
        }
        if (expression->kind == LIN_EXPRESSION_UNARY) {
            if (expression->sign != LIN_MINUS)
                return STATUS_INPUT;
            numbers[0] = -numbers[0];
        } else {
            TRY(lin_calculate(expression->sign, numbers[0], numbers[1], &numbers[0]));
        }
        if (numbers[0] < INT32_MIN || numbers[0] > INT32_MAX)
            return STATUS_INPUT;
        *result = value_small(numbers[0]);
        return STATUS_OK;
    default:
        return STATUS_INPUT;
    }
}

enum status lin_constant_value(const struct lin_expression *expression, struct value_pool *pool,
                               value *result)
{
    const enum lin_expression_kind kind = (enum lin_expression_kind)expression->kind;
    if (kind != LIN_EXPRESSION_LIST && kind != LIN_EXPRESSION_SET && kind != LIN_EXPRESSION_MAP)
        return lin_constant(expression, NULL, pool, result);
    struct budget *budget = value_pool_budget(pool);
    const size_t size = (expression->count + (size_t)1) * sizeof(value);
    value *items = memory_allocate(budget, size);
    enum status status = items ? STATUS_OK : STATUS_LIMIT;
    for (uint32_t i = 0; status == STATUS_OK && i < expression->count; i++)
        status = lin_constant_value(expression->items[i], pool, &items[i]);
    if (status == STATUS_OK) {
        *result = kind == LIN_EXPRESSION_LIST  ? value_list(pool, items, expression->count)
                  : kind == LIN_EXPRESSION_SET ? value_set(pool, items, expression->count)
                                               : value_map(pool, items, expression->count);
        status = *result == VALUE_REFUSED ? STATUS_LIMIT : STATUS_OK;
    }
    memory_release(budget, items, size);
    return status;
}

static enum status wrong_arguments(const struct lin_object *object, const char *found,
                                   struct error *error)
{
    struct text expected = TEXT_EMPTY;
    text_append(&expected, object->name);
    for (uint32_t i = 0; i < object->parameter_count; i++)
        text_format(&expected, "%s%s%s", i == 0 ? "(" : ", ", object->parameters[i].name,
                    object->parameters[i].initial ? " = ..." : "");
    text_append(&expected, object->parameter_count > 0 ? ")" : "");
    error_set(error, STATUS_USAGE, NULL, 0, "expected %s, found %s", text_string(&expected), found);
    text_release(&expected);
    return STATUS_USAGE;
}

/* The number of the parameter that an argument is for; -1 if there is none. */
static int parameter_of(const struct lin_object *object, const struct lin_argument *argument,
                        uint32_t position)
{
    if (!argument->name)
        return position < object->parameter_count ? (int)position : -1;
    for (uint32_t i = 0; i < object->parameter_count; i++)
        if (strcmp(object->parameters[i].name, argument->name) == 0)
            return (int)i;
    return -1;
}

static enum status take_arguments(const struct lin_object *object,
                                  const struct lin_reference *reference, struct value_pool *pool,
                                  value *values, bool *given, struct error *error)
{
    for (uint32_t i = 0; i < reference->argument_count; i++) {
        const struct lin_argument *argument = &reference->arguments[i];
        int parameter = parameter_of(object, argument, i);
        if (parameter < 0)
            return wrong_arguments(object, argument->name ? argument->name : "more arguments",
                                   error);
        if (given[parameter])
            return wrong_arguments(object, "one argument twice", error);
        if (lin_constant(argument->expression, NULL, pool, &values[parameter]) != STATUS_OK)
            return wrong_arguments(object, "an argument that is no constant", error);
        given[parameter] = true;
    }
    return STATUS_OK;
}

enum status lin_arguments(const struct lin_module *module, const struct lin_object *object,
                          const struct lin_reference *reference, const value *initial,
                          struct value_pool *pool, value **arguments, struct error *error)
{
    uint32_t count = object->parameter_count;
    value *values = *arguments = arena_allocate(module->arena, count * sizeof *values);
    bool *given = arena_allocate(module->arena, count * sizeof *given);
    if (!values || !given)
        return STATUS_LIMIT;
    memset(given, 0, count * sizeof *given);
    if (reference)
        TRY(take_arguments(object, reference, pool, values, given, error));
    bool placed = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct lin_parameter *parameter = &object->parameters[i];
        if (initial && strcmp(parameter->name, "initial") == 0) {
            values[i] = *initial;
            placed = given[i] = true;
        } else if (!given[i] && parameter->initial &&
                   lin_constant(parameter->initial, values, pool, &values[i]) == STATUS_OK) {
            given[i] = true;
        }
        if (!given[i])
            return wrong_arguments(object, "too few arguments", error);
    }
    if (initial && !placed)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "initial value of %s: expected a parameter called `initial` in its "
                         "declaration, found none",
                         object->name);
    return STATUS_OK;
}
