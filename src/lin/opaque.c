/* Each question is one test, asked of every expression by lin/walk.h. */
#include "lin/opaque.h"

#include <string.h>

#include "lin/lexer.h"
#include "lin/walk.h"

struct look {
    const value *parameters;
    const struct lin_operation *operation; /* whose body is looked at */
    place at; /* of the first that uses a value as a number, or a number as a value */
};

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

static bool is_opaque(const struct look *look, const struct lin_expression *expression)
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

/* Whether it uses a value as a number, or a number as a value. */
static bool is_transparent(void *context, const struct lin_expression *expression)
{
    struct look *look = context;
    const bool transparent = !is_opaque(look, expression);
    if (transparent)
        look->at = expression->at;
    return transparent;
}

/* ---- statements ---- */

static bool is_opaque_variable(struct look *look, const struct lin_variable *variable)
{
    look->at = variable->at;
    for (uint32_t i = 0; i < variable->length_count; i++)
        if (may_be_value(look, variable->lengths[i]))
            return false;
    return !variable->initial || (!lin_some_part(variable->initial, is_transparent, look) &&
                                  fits(look, &variable->type, variable->initial));
}

/* Whether a switch compares a value with a number. */
static bool is_transparent_switch(const struct look *look, const struct lin_statement *statement)
{
    bool transparent = false;
    for (uint32_t i = 0; statement->kind == LIN_STATEMENT_SWITCH && i < statement->count; i++) {
        const struct lin_expression *label = statement->items[i]->expression;
        transparent |= label && meet(look, statement->expression, label);
    }
    return transparent;
}

static bool is_transparent_statement(void *context, const struct lin_statement *statement)
{
    struct look *look = context;
    const struct lin_expression *answer = statement->expression;
    look->at = statement->at;
    if (is_transparent_switch(look, statement))
        return true;
    if (lin_some_part(statement->expression, is_transparent, look) ||
        lin_some_part(statement->step, is_transparent, look) ||
        (statement->variable && !is_opaque_variable(look, statement->variable)))
        return true;
    if (statement->kind != LIN_STATEMENT_RETURN || !answer)
        return false;
    look->at = statement->at;
    return look->operation->is_function
               ? !fits(look, &look->operation->type, answer)
               : is_number(look, answer) && answer->type.kind != LIN_TYPE_INT;
}

static bool is_opaque_operation(struct look *look, const struct lin_operation *operation)
{
    look->operation = operation;
    return !lin_some_statement(operation->body, is_transparent_statement, look);
}

bool lin_leaves_values_opaque(const struct lin_object *spec, const value *parameters, place *at)
{
    struct look look = {.parameters = parameters};
    bool opaque = !spec->initially || is_opaque_operation(&look, spec->initially);
    for (uint32_t i = 0; i < spec->variable_count && opaque; i++)
        opaque = is_opaque_variable(&look, spec->variables[i]);
    for (uint32_t i = 0; i < spec->operation_count && opaque; i++)
        opaque = is_opaque_operation(&look, spec->operations[i]);
    for (uint32_t i = 0; i < spec->together_count && opaque; i++)
        opaque = is_opaque_operation(&look, &spec->togethers[i]->body);
    for (uint32_t i = 0; i < spec->function_count && opaque; i++)
        opaque = is_opaque_operation(&look, spec->functions[i]);
    if (at)
        *at = look.at;
    return opaque;
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

/* Whether it does more with a value than to copy it and to compare it with null. Notes where. */
static bool compares(void *at, const struct lin_expression *expression)
{
    *(place *)at = expression->at;
    if (is_set_or_map(&expression->type) || expression->sign == LIN_IN)
        return true;
    if (expression->kind != LIN_EXPRESSION_BINARY)
        return false;
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    bool values = may_be_value_type(&left->type) && may_be_value_type(&right->type);
    bool equates = expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL;
    if (expression->sign == LIN_MINUS)
        return values;
    return equates && values && !holds_nothing(left) && !holds_nothing(right);
}

static bool copies_variable(const struct lin_variable *variable, place *at)
{
    *at = variable->at;
    return !is_set_or_map(&variable->type) && !lin_some_part(variable->initial, compares, at);
}

/* By a declaration, or by a switch that has labels besides null. */
static bool says_comparing(void *at, const struct lin_statement *statement)
{
    bool equates = false;
    *(place *)at = statement->at;
    for (uint32_t i = 0; statement->kind == LIN_STATEMENT_SWITCH && i < statement->count; i++) {
        const struct lin_expression *label = statement->items[i]->expression;
        equates |= label && may_be_value_type(&statement->expression->type) &&
                   label->kind != LIN_EXPRESSION_NULL;
    }
    return equates || (statement->variable && !copies_variable(statement->variable, at));
}

static bool copies(const struct lin_operation *operation, place *at)
{
    return !lin_some_expression(operation->body, compares, at) &&
           !lin_some_statement(operation->body, says_comparing, at);
}

bool lin_copies_values(const struct lin_object *spec, place *at)
{
    place ignored;
    place *const where = at ? at : &ignored;
    bool all = !spec->initially || copies(spec->initially, where);
    for (uint32_t i = 0; i < spec->variable_count && all; i++)
        all = copies_variable(spec->variables[i], where);
    for (uint32_t i = 0; i < spec->operation_count && all; i++)
        all = copies(spec->operations[i], where);
    for (uint32_t i = 0; i < spec->together_count && all; i++)
        all = copies(&spec->togethers[i]->body, where);
    for (uint32_t i = 0; i < spec->function_count && all; i++)
        all = copies(spec->functions[i], where);
    return all;
}

/* ---- choices ---- */

static bool is_choice(void *at, const struct lin_expression *expression)
{
    *(place *)at = expression->at;
    return expression->kind == LIN_EXPRESSION_CHOOSE;
}

static bool is_either(void *at, const struct lin_statement *statement)
{
    *(place *)at = statement->at;
    return statement->kind == LIN_STATEMENT_EITHER;
}

static bool chooses(const struct lin_operation *operation, place *at)
{
    return lin_some_statement(operation->body, is_either, at) ||
           lin_some_expression(operation->body, is_choice, at);
}

bool lin_chooses(const struct lin_object *spec, place *at)
{
    bool some = false;
    for (uint32_t i = 0; i < spec->operation_count && !some; i++)
        some = chooses(spec->operations[i], at);
    for (uint32_t i = 0; i < spec->function_count && !some; i++)
        some = chooses(spec->functions[i], at);
    return some;
}

/* ---- answers ---- */

static bool is_of_kind(void *kind, const struct lin_expression *answer)
{
    return answer && answer->type.kind == *(const enum lin_type_kind *)kind;
}

static bool may_be_of_kind(void *kind, const struct lin_expression *answer)
{
    bool may = lin_some_branch(answer, is_of_kind, kind);
    if (answer && answer->kind == LIN_EXPRESSION_LIST && answer->sign == LIN_COMMA)
        for (uint32_t i = 0; i < answer->count && !may; i++)
            may = lin_some_branch(answer->items[i], is_of_kind, kind);
    return may;
}

bool lin_answers(const struct lin_object *spec, const struct lin_operation *operation,
                 enum lin_type_kind kind)
{
    bool answers = lin_some_return(operation->body, may_be_of_kind, &kind);
    for (uint32_t i = 0; i < spec->together_count && !answers; i++)
        answers = lin_some_return(spec->togethers[i]->body.body, may_be_of_kind, &kind);
    return answers;
}

static bool is_symbol(void *context, const struct lin_expression *answer)
{
    (void)context;
    return answer && answer->meaning == LIN_MEANS_SYMBOL && strcmp(answer->name, "ok") != 0 &&
           strcmp(answer->name, "empty") != 0;
}

static bool may_be_symbol(void *context, const struct lin_expression *answer)
{
    return lin_some_branch(answer, is_symbol, context);
}

bool lin_answers_symbol(const struct lin_operation *operation)
{
    return lin_some_return(operation->body, may_be_symbol, NULL);
}
