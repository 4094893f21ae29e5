/* Looks at every statement and expression that is reachable from an operation, into functions once,
 * and complains of the first that the class does not have. */
#include "lin/class.h"

#include <string.h>

#include "lin/check.h"
#include "lin/check_types.h"
#include "lin/lexer.h"
#include "lin/owners.h"

struct look {
    const struct lin_module *module;
    const struct lin_object *object;
    const struct spec_operation *specified; /* of the operation that is looked at; null: none */
    bool in_operation;                      /* no `init`, no condition */
    uint32_t *compared; /* of a condition: values that are compared with others; null: none may */
    bool *seen;         /* by function: its body has been looked at */
    bool is_answer;     /* `return` is the operation's, not a function's */
    enum lin_class_of class;
    struct lin_owners owners; /* with any number of threads; else there are none */
    struct lin_class *found;
    struct error *error;
};

/* What asks for it: "with any number of threads". */
static const char *asked(const struct look *look)
{
    return look->class == LIN_CLASS_COPIES ? "for violation automata"
                                           : "with any number of threads";
}

#define ONLY_COPIED ": %s values may only be copied and compared with null"

#define OFFENCE(look, at, ...)                                                                     \
    script_error((look)->module->script, (at), (look)->error, __VA_ARGS__)

static enum status look_at_statement(struct look *look, const struct lin_statement *statement);
static enum status look_at_expression(struct look *look, const struct lin_expression *expression);

/* ---- expressions ---- */

/* How many values something of a type holds. */
static uint32_t values_in(const struct lin_type *type)
{
    uint32_t count = 0;
    if (type->kind != LIN_TYPE_RECORD)
        return type->kind == LIN_TYPE_VALUE;
    for (uint32_t i = 0; i < type->of->field_count; i++)
        count += type->of->fields[i]->items * values_in(&type->of->fields[i]->type);
    return count;
}

/* Whether all values that an expression is made of are written as null. */
static bool is_null(const struct lin_expression *expression)
{
    const bool is_part = expression->kind == LIN_EXPRESSION_LIST; /* an array in a record */
    if (values_in(&expression->type) == 0 && !is_part)
        return true;
    if (expression->meaning != LIN_MEANS_RECORD && !is_part)
        return false;
    for (uint32_t i = 0; i < expression->count; i++)
        if (!is_null(expression->items[i]))
            return false;
    return true;
}

static enum status look_at_comparison(const struct look *look,
                                      const struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    if (lin_names_a_value(left, right) || lin_names_a_value(right, left))
        return OFFENCE(look, expression->at,
                       "expected a comparison with null, found one of a value with a constant, "
                       "which tells it apart from all others" ONLY_COPIED,
                       asked(look));
    if (is_null(left) || is_null(right))
        return STATUS_OK;
    if (look->compared) {
        *look->compared += 2 * values_in(&left->type);
        return STATUS_OK;
    }
    return OFFENCE(look, expression->at,
                   "expected a comparison with null, found one of two values" ONLY_COPIED,
                   asked(look));
}

static enum status look_at_builtin(const struct look *look, const struct lin_expression *expression)
{
    switch ((enum lin_builtin)expression->number) {
    case LIN_BUILTIN_RUNNING:
        return OFFENCE(look, expression->at,
                       "expected a condition over the shared variables, found `running`: with any "
                       "number of threads none has a number (a shared variable that is set while "
                       "an operation runs says the same)");
    case LIN_BUILTIN_CAS:
        if (is_null(expression->items[1]))
            return STATUS_OK;
        return OFFENCE(look, expression->items[1]->at,
                       "expected null as what `cas` compares with, found a value" ONLY_COPIED,
                       asked(look));
    case LIN_BUILTIN_LL:
    case LIN_BUILTIN_SC:
        if (look->class == LIN_CLASS_COPIES)
            return STATUS_OK;
        return OFFENCE(look, expression->at,
                       "expected no `%s` with any number of threads: what one thread writes would "
                       "change what all others know; `cas` of a record with a counter does the "
                       "same",
                       expression->name);
    default:
        return STATUS_OK;
    }
}

static enum status look_at_function(struct look *look, const struct lin_operation *function)
{
    uint32_t number = 0;
    while (look->object->functions[number] != function)
        number++;
    if (look->seen[number])
        return STATUS_OK;
    look->seen[number] = true;
    bool is_answer = look->is_answer;
    uint32_t *compared = look->compared;
    look->is_answer = false;
    look->compared = NULL;
    TRY(look_at_statement(look, function->body));
    look->is_answer = is_answer;
    look->compared = compared;
    return STATUS_OK;
}

static enum status look_at_itself(struct look *look, const struct lin_expression *expression)
{
    bool any = look->class == LIN_CLASS_ANY_THREADS;
    if (any && expression->meaning == LIN_MEANS_THREAD)
        return OFFENCE(look, expression->at,
                       "expected no `thread` with any number of threads: they are all alike (an "
                       "operation that is `only thread 0` is one thread's)");
    if (any && lin_is_owner(&look->owners, expression))
        return OFFENCE(look, expression->at,
                       "expected the number of a thread to be kept for `linearize T: e;` alone, "
                       "with any number of threads: they are all alike");
    if (any && expression->meaning == LIN_MEANS_THREADS)
        return OFFENCE(look, expression->at,
                       "expected no `threads` with any number of threads: what is shared has one "
                       "size");
    if (expression->meaning == LIN_MEANS_BUILTIN)
        return look_at_builtin(look, expression);
    if (expression->meaning == LIN_MEANS_FUNCTION)
        return look_at_function(look, expression->operation);
    bool compares = expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL;
    if (expression->kind == LIN_EXPRESSION_BINARY && compares)
        return look_at_comparison(look, expression);
    if (expression->kind == LIN_EXPRESSION_NEW && look->in_operation && !look->found->makes_nodes)
        *look->found = (struct lin_class){.makes_nodes = true, .makes_at = expression->at};
    return STATUS_OK;
}

/* Of an owner, or `thread`, where it may stand: what it is a field of. */
static enum status look_at_owner(struct look *look, const struct lin_expression *owner)
{
    if (owner->kind == LIN_EXPRESSION_FIELD)
        return look_at_expression(look, owner->items[0]);
    return STATUS_OK;
}

static enum status look_at_expression(struct look *look, const struct lin_expression *expression)
{
    if (!expression)
        return STATUS_OK;
    if (expression->kind == LIN_EXPRESSION_ASSIGN && expression->sign == LIN_ASSIGN &&
        lin_is_owner(&look->owners, expression->items[0]) &&
        lin_is_owner_or_thread(&look->owners, expression->items[1])) {
        TRY(look_at_owner(look, expression->items[0]));
        return look_at_owner(look, expression->items[1]);
    }
    for (uint32_t i = 0; i < expression->count; i++)
        TRY(look_at_expression(look, expression->items[i]));
    return look_at_itself(look, expression);
}

/* ---- statements ---- */

/* A number among the answers could be taken for a value. */
static enum status look_at_answer(const struct look *look, const struct lin_expression *answer)
{
    bool answers = look->specified && look->specified->result[0];
    if (look->is_answer && lin_is_tuple(answer))
        return OFFENCE(look, answer->at,
                       "expected a value, null or a symbol as the answer %s, found a list",
                       asked(look));
    if (!answer || !look->is_answer || !answers)
        return STATUS_OK;
    if (answer->kind == LIN_EXPRESSION_CONDITIONAL) {
        TRY(look_at_answer(look, answer->items[1]));
        return look_at_answer(look, answer->items[2]);
    }
    if (answer->type.kind != LIN_TYPE_INT)
        return STATUS_OK;
    return OFFENCE(look, answer->at,
                   "expected a value, null or a symbol as the answer of `%s` %s, found an int",
                   look->specified->name, asked(look));
}

static bool declares_owner(const struct look *look, const struct lin_variable *variable)
{
    return variable->initial && lin_is_owner_or_thread(&look->owners, variable->initial) &&
           look->class == LIN_CLASS_ANY_THREADS;
}

static enum status look_at_variable(struct look *look, const struct lin_variable *variable)
{
    for (uint32_t i = 0; i < variable->length_count; i++)
        TRY(look_at_expression(look, variable->lengths[i]));
    TRY(look_at_expression(look, variable->type.low));
    TRY(look_at_expression(look, variable->type.high));
    if (declares_owner(look, variable))
        return look_at_owner(look, variable->initial);
    return look_at_expression(look, variable->initial);
}

static enum status look_at_switch(const struct look *look, const struct lin_statement *statement)
{
    for (uint32_t i = 0; i < statement->count; i++) {
        const struct lin_expression *label = statement->items[i]->expression;
        if (label && lin_names_a_value(statement->expression, label))
            return OFFENCE(look, label->at,
                           "expected null as the label of a value, found a constant, which tells "
                           "it apart from all others" ONLY_COPIED,
                           asked(look));
    }
    return STATUS_OK;
}

static enum status look_at_statement(struct look *look, const struct lin_statement *statement)
{
    if (statement->kind == LIN_STATEMENT_SWITCH)
        TRY(look_at_switch(look, statement));
    if (statement->kind == LIN_STATEMENT_LINEARIZE) /* left out: points are not compared with */
        return STATUS_OK;
    if (statement->variable)
        TRY(look_at_variable(look, statement->variable));
    TRY(look_at_expression(look, statement->expression));
    if (statement->kind == LIN_STATEMENT_RETURN)
        TRY(look_at_answer(look, statement->expression));
    TRY(look_at_expression(look, statement->step));
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            TRY(look_at_statement(look, statement->items[i]));
    return STATUS_OK;
}

/* ---- what is shared ---- */

/* A type of something shared: a range for each int in it. `at`: of the variable. */
static enum status expect_bounded(const struct look *look, const struct lin_type *type, place at)
{
    if (look->class == LIN_CLASS_ANY_THREADS && type->kind == LIN_TYPE_INT && !type->low)
        return OFFENCE(look, at,
                       "expected a range, as in `int(0..3)`, found an `int` without one: with any "
                       "number of threads what is shared must be bounded");
    for (uint32_t i = 0; type->kind == LIN_TYPE_RECORD && i < type->of->field_count; i++)
        TRY(expect_bounded(look, &type->of->fields[i]->type, type->of->fields[i]->at));
    return STATUS_OK;
}

static enum status look_at_shared(struct look *look, struct lin_variable *const *variables,
                                  uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        TRY(expect_bounded(look, &variables[i]->type, variables[i]->at));
        TRY(look_at_variable(look, variables[i]));
    }
    return STATUS_OK;
}

/* ---- operations ---- */

static enum status look_at_operation(struct look *look, const struct lin_operation *operation,
                                     const struct spec_class *spec)
{
    int number = spec ? spec_operation_find(spec, operation->name, strlen(operation->name)) : -1;
    look->specified = spec ? &spec->operations[number] : NULL;
    look->is_answer = look->in_operation = true;
    for (uint32_t i = 0; spec && i < operation->parameter_count; i++) {
        const struct lin_variable *parameter = operation->parameters[i];
        if (i > 0 || parameter->type.kind != LIN_TYPE_VALUE)
            return OFFENCE(look, parameter->at,
                           "expected at most one parameter, of type `value`, %s, found %s",
                           asked(look), i > 0 ? "another" : lin_type_name(&parameter->type));
    }
    TRY(look_at_expression(look, operation->only_thread));
    return look_at_statement(look, operation->body);
}

static enum status look_at_all(struct look *look, const struct spec_class *spec)
{
    const struct lin_object *object = look->object;
    TRY(look_at_shared(look, object->variables, object->variable_count));
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (!object->structs[i]->is_record) /* of records those that are shared count */
            TRY(look_at_shared(look, object->structs[i]->fields, object->structs[i]->field_count));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(look_at_operation(look, object->operations[i], spec));
    look->specified = NULL;
    look->in_operation = false;
    return object->initially ? look_at_statement(look, object->initially->body) : STATUS_OK;
}

/* STATUS_LIMIT. */
static enum status begin(struct look *look)
{
    size_t bytes = look->object->function_count * sizeof *look->seen;
    look->seen = arena_allocate(look->module->arena, bytes);
    TRY_MEMORY(look->seen);
    memset(look->seen, 0, bytes);
    return look->class == LIN_CLASS_ANY_THREADS
               ? lin_owners_find(&look->owners, look->object, look->module->arena->budget)
               : STATUS_OK;
}

enum status lin_class_check(const struct lin_module *module, const struct lin_object *object,
                            const struct spec_class *spec, enum lin_class_of class,
                            struct lin_class *found, struct error *error)
{
    *found = (struct lin_class){0};
    struct look look = {
        .module = module, .object = object, .class = class, .found = found, .error = error};
    enum status status = begin(&look);
    if (status == STATUS_OK)
        status = look_at_all(&look, spec);
    lin_owners_release(&look.owners);
    return status;
}

enum status lin_class_check_condition(const struct lin_module *module,
                                      const struct lin_object *object,
                                      const struct lin_expression *condition, uint32_t *values,
                                      struct error *error)
{
    struct lin_class found = {0};
    struct look look = {.module = module,
                        .object = object,
                        .compared = values,
                        .class = LIN_CLASS_ANY_THREADS,
                        .found = &found,
                        .error = error};
    *values = 0;
    enum status status = begin(&look);
    if (status == STATUS_OK)
        status = look_at_expression(&look, condition);
    lin_owners_release(&look.owners);
    return status;
}
