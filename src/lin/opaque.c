#include "lin/opaque.h"

#include <string.h>

#include "lin/check.h"
#include "lin/lexer.h"

struct look {
    const value *parameters;
    const struct lin_operation *operation; /* whose body is looked at */
};

static bool looks_right(const struct look *look, const struct lin_expression *expression);

/* ---- what an expression may be ---- */

/* Of a parameter that is one, or a collection, in which there may be numbers. */
static bool is_parameter_number(const struct look *look, const struct lin_expression *expression)
{
    if (expression->meaning != LIN_MEANS_PARAMETER)
        return false;
    enum value_kind kind = value_kind_of(look->parameters[expression->number]);
    return kind == KIND_INTEGER || kind == KIND_LIST || kind == KIND_SET || kind == KIND_MAP;
}

static bool is_number(const struct look *look, const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_CONDITIONAL)
        return is_number(look, expression->items[1]) || is_number(look, expression->items[2]);
    return expression->type.kind == LIN_TYPE_INT || is_parameter_number(look, expression);
}

static bool is_collection_type(const struct lin_type *type)
{
    return type->kind == LIN_TYPE_LIST || type->kind == LIN_TYPE_SET || type->kind == LIN_TYPE_MAP;
}

static bool may_be_value_type(const struct lin_type *type)
{
    return type->kind == LIN_TYPE_VALUE || is_collection_type(type);
}

static bool may_be_value(const struct look *look, const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_CONDITIONAL)
        return may_be_value(look, expression->items[1]) || may_be_value(look, expression->items[2]);
    return expression->meaning != LIN_MEANS_PARAMETER && may_be_value_type(&expression->type);
}

static bool meet(const struct look *look, const struct lin_expression *one,
                 const struct lin_expression *other)
{
    return (is_number(look, one) && may_be_value(look, other)) ||
           (may_be_value(look, one) && is_number(look, other));
}

static bool fits(const struct look *look, const struct lin_type *type,
                 const struct lin_expression *source)
{
    if (type->kind == LIN_TYPE_INT)
        return !may_be_value(look, source);
    return !may_be_value_type(type) || !is_number(look, source);
}

/* ---- expressions ---- */

static bool is_opaque_sum(const struct look *look, const struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    return !meet(look, left, right) &&
           (is_collection_type(&left->type) || is_collection_type(&right->type));
}

static bool is_opaque_binary(const struct look *look, const struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    bool values = may_be_value(look, left) || may_be_value(look, right);
    switch (expression->sign) {
    case LIN_EQUAL:
    case LIN_NOT_EQUAL:
    case LIN_IN:
        return !meet(look, left, right);
    case LIN_AND_AND:
    case LIN_BAR_BAR:
        return true; /* what is no bool is a fault, whichever value it is */
    case LIN_PLUS:
    case LIN_MINUS:
        return !values || is_opaque_sum(look, expression);
    default:
        return !values;
    }
}

static bool is_opaque_assignment(const struct look *look, const struct lin_expression *expression)
{
    const struct lin_expression *target = expression->items[0], *source = expression->items[1];
    if (expression->sign == LIN_ASSIGN)
        return fits(look, &target->type, source);
    if (expression->sign == LIN_PLUS || expression->sign == LIN_MINUS)
        return is_opaque_sum(look, expression) ||
               (!may_be_value(look, target) && !may_be_value(look, source));
    return !may_be_value(look, target) && !may_be_value(look, source);
}

static bool is_opaque_index(const struct look *look, const struct lin_expression *expression)
{
    const struct lin_expression *base = expression->items[0], *index = expression->items[1];
    if (base->type.dimensions > 0 || base->type.kind == LIN_TYPE_LIST)
        return !may_be_value(look, index);
    return base->type.kind == LIN_TYPE_MAP && !is_number(look, index);
}

static bool is_opaque_call(const struct look *look, const struct lin_expression *expression)
{
    if (expression->meaning == LIN_MEANS_BUILTIN)
        return expression->number != LIN_BUILTIN_MIN && expression->number != LIN_BUILTIN_MAX;
    if (expression->meaning != LIN_MEANS_FUNCTION)
        return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (!fits(look, &expression->operation->parameters[i]->type, expression->items[i]))
            return false;
    return true;
}

static bool holds_numbers(const struct look *look, const struct lin_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        if (is_number(look, expression->items[i]))
            return true;
    return false;
}

static bool looks_right_itself(const struct look *look, const struct lin_expression *expression)
{
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_INTEGER:
    case LIN_EXPRESSION_BOOLEAN:
    case LIN_EXPRESSION_NULL:
    case LIN_EXPRESSION_STRING:
    case LIN_EXPRESSION_NAME:
    case LIN_EXPRESSION_FIELD:
    case LIN_EXPRESSION_NEW:
        return true;
    case LIN_EXPRESSION_CALL:
        return is_opaque_call(look, expression);
    case LIN_EXPRESSION_INDEX:
        return is_opaque_index(look, expression);
    case LIN_EXPRESSION_UNARY:
        return expression->sign == LIN_BANG || !may_be_value(look, expression->items[0]);
    case LIN_EXPRESSION_BINARY:
        return is_opaque_binary(look, expression);
    case LIN_EXPRESSION_CONDITIONAL:
        return !meet(look, expression->items[1], expression->items[2]);
    case LIN_EXPRESSION_ASSIGN:
        return is_opaque_assignment(look, expression);
    case LIN_EXPRESSION_STEP:
        return !may_be_value(look, expression->items[0]);
    case LIN_EXPRESSION_LIST:
    case LIN_EXPRESSION_SET:
    case LIN_EXPRESSION_MAP:
        return !holds_numbers(look, expression);
    case LIN_EXPRESSION_CHOOSE:
        return expression->count == 1 || (!may_be_value(look, expression->items[0]) &&
                                          !may_be_value(look, expression->items[1]));
    }
    return false;
}

static bool looks_right(const struct look *look, const struct lin_expression *expression)
{
    if (!expression)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (!looks_right(look, expression->items[i]))
            return false;
    return looks_right_itself(look, expression);
}

/* ---- statements ---- */

static bool variable_looks_right(const struct look *look, const struct lin_variable *variable)
{
    for (uint32_t i = 0; i < variable->length_count; i++)
        if (may_be_value(look, variable->lengths[i]))
            return false;
    return !variable->initial ||
           (looks_right(look, variable->initial) && fits(look, &variable->type, variable->initial));
}

static bool statement_looks_right(const struct look *look, const struct lin_statement *statement)
{
    if (!statement)
        return true;
    if (!looks_right(look, statement->expression) || !looks_right(look, statement->step) ||
        (statement->variable && !variable_looks_right(look, statement->variable)))
        return false;
    const struct lin_expression *answer = statement->expression;
    if (statement->kind == LIN_STATEMENT_RETURN && answer) {
        if (look->operation->is_function
                ? !fits(look, &look->operation->type, answer)
                : is_number(look, answer) && answer->type.kind != LIN_TYPE_INT)
            return false;
    }
    for (uint32_t i = 0; i < statement->count; i++)
        if (!statement_looks_right(look, statement->items[i]))
            return false;
    return true;
}

static bool operation_looks_right(const value *parameters, const struct lin_operation *operation)
{
    const struct look look = {parameters, operation};
    return statement_looks_right(&look, operation->body);
}

bool lin_leaves_values_opaque(const struct lin_object *spec, const value *parameters)
{
    const struct look look = {.parameters = parameters};
    bool right = !spec->initially || operation_looks_right(parameters, spec->initially);
    for (uint32_t i = 0; i < spec->variable_count && right; i++)
        right = variable_looks_right(&look, spec->variables[i]);
    for (uint32_t i = 0; i < spec->operation_count && right; i++)
        right = operation_looks_right(parameters, spec->operations[i]);
    for (uint32_t i = 0; i < spec->function_count && right; i++)
        right = operation_looks_right(parameters, spec->functions[i]);
    return right;
}

/* ---- values that are only copied ---- */

static bool is_set_or_map(const struct lin_type *type)
{
    return type->kind == LIN_TYPE_SET || type->kind == LIN_TYPE_MAP;
}

/* `null`, `[]` */
static bool holds_nothing(const struct lin_expression *expression)
{
    return expression->kind == LIN_EXPRESSION_NULL ||
           (expression->kind == LIN_EXPRESSION_LIST && expression->count == 0);
}

static bool expression_copies(const struct lin_expression *expression)
{
    if (!expression)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (!expression_copies(expression->items[i]))
            return false;
    if (is_set_or_map(&expression->type) || expression->sign == LIN_IN)
        return false;
    if (expression->kind != LIN_EXPRESSION_BINARY)
        return true;
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    bool values = may_be_value_type(&left->type) && may_be_value_type(&right->type);
    bool compares = expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL;
    if (expression->sign == LIN_MINUS)
        return !values;
    return !compares || !values || holds_nothing(left) || holds_nothing(right);
}

static bool variable_copies(const struct lin_variable *variable)
{
    return !is_set_or_map(&variable->type) && expression_copies(variable->initial);
}

static bool statement_copies(const struct lin_statement *statement)
{
    if (!statement)
        return true;
    if (!expression_copies(statement->expression) || !expression_copies(statement->step) ||
        (statement->variable && !variable_copies(statement->variable)))
        return false;
    for (uint32_t i = 0; i < statement->count; i++)
        if (!statement_copies(statement->items[i]))
            return false;
    return true;
}

bool lin_copies_values(const struct lin_object *spec)
{
    bool copies = !spec->initially || statement_copies(spec->initially->body);
    for (uint32_t i = 0; i < spec->variable_count && copies; i++)
        copies = variable_copies(spec->variables[i]);
    for (uint32_t i = 0; i < spec->operation_count && copies; i++)
        copies = statement_copies(spec->operations[i]->body);
    for (uint32_t i = 0; i < spec->function_count && copies; i++)
        copies = statement_copies(spec->functions[i]->body);
    return copies;
}

/* ---- answers ---- */

static bool may_be(const struct lin_expression *expression, enum lin_type_kind kind)
{
    if (expression->kind == LIN_EXPRESSION_CONDITIONAL)
        return may_be(expression->items[1], kind) || may_be(expression->items[2], kind);
    return expression->type.kind == kind;
}

static bool statement_answers(const struct lin_statement *statement, enum lin_type_kind kind)
{
    if (!statement)
        return false;
    if (statement->kind == LIN_STATEMENT_RETURN)
        return statement->expression && may_be(statement->expression, kind);
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement_answers(statement->items[i], kind))
            return true;
    return false;
}

bool lin_answers(const struct lin_operation *operation, enum lin_type_kind kind)
{
    return statement_answers(operation->body, kind);
}

static bool may_be_symbol(const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_CONDITIONAL)
        return may_be_symbol(expression->items[1]) || may_be_symbol(expression->items[2]);
    return expression->meaning == LIN_MEANS_SYMBOL && strcmp(expression->name, "ok") != 0 &&
           strcmp(expression->name, "empty") != 0;
}

static bool statement_answers_symbol(const struct lin_statement *statement)
{
    if (!statement)
        return false;
    if (statement->kind == LIN_STATEMENT_RETURN)
        return statement->expression && may_be_symbol(statement->expression);
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement_answers_symbol(statement->items[i]))
            return true;
    return false;
}

bool lin_answers_symbol(const struct lin_operation *operation)
{
    return statement_answers_symbol(operation->body);
}
