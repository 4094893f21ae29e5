/* An expression's type follows from those of its parts; what its name means, from the scopes around
 * it. Each function here fills in `meaning`, `type` and what goes with them, or complains. */
#include "lin/check_expression.h"

#include <string.h>

#include "base/text.h"
#include "lang/references.h"
#include "lin/check_constants.h"
#include "lin/check_types.h"
#include "lin/lexer.h"

/* Checks an expression that must be of a kind. */
enum status checker_check_kind(struct checker *checker, struct lin_expression *expression,
                               enum lin_type_kind kind)
{
    TRY(checker_check_expression(checker, expression));
    return checker_expect_kind(checker, kind, expression);
}

/* Notes what a name means. */
static void note(const struct checker *checker, place at, const char *name, place declared,
                 enum reference_kind kind)
{
    references_add(checker->module->script, at, name, declared, kind);
}

enum status checker_resolve_type(struct checker *checker, struct lin_type *type)
{
    if (type->low) {
        TRY(checker_check_kind(checker, type->low, LIN_TYPE_INT));
        TRY(checker_check_kind(checker, type->high, LIN_TYPE_INT));
    }
    if (checker->object->is_program && type->kind == LIN_TYPE_VALUE)
        type->kind = LIN_TYPE_ANSWER;
    else if (checker->object->is_program && type->kind != LIN_TYPE_INT &&
             type->kind != LIN_TYPE_BOOL && type->kind != LIN_TYPE_STRUCT)
        return complain(checker, type->at, "expected int, bool or value in a program, found `%s`",
                        type->name);
    if (type->kind != LIN_TYPE_STRUCT)
        return STATUS_OK;
    const struct lin_enum *named = checker_find_enum(checker->module, type->name);
    type->of = checker_find_struct(checker->object, type->name);
    if (named && !type->of) {
        note(checker, type->name_at, type->name, named->at, REFERENCE_TYPE);
        type->kind = LIN_TYPE_INT;
        type->low = named->low;
        type->high = named->high;
        return STATUS_OK;
    }
    if (type->of && type->says_enum)
        return complain(checker, type->at, "expected an enum, found `%s`", type->name);
    if (!type->of)
        return checker_undeclared_type(checker, type->at, type->name);
    note(checker, type->name_at, type->name, type->of->at, REFERENCE_TYPE);
    type->kind = type->of->is_record ? LIN_TYPE_RECORD : LIN_TYPE_STRUCT;
    return STATUS_OK;
}

/* Types, lengths and the initial value of a variable or field. */
enum status checker_check_variable(struct checker *checker, struct lin_variable *variable)
{
    TRY(checker_resolve_type(checker, &variable->type));
    if (variable->type.kind == LIN_TYPE_VOID)
        return complain(checker, variable->at, "expected a variable with a type, found `void %s`",
                        variable->name);
    for (uint32_t i = 0; i < variable->length_count; i++)
        TRY(checker_check_kind(checker, variable->lengths[i], LIN_TYPE_INT));
    if (!variable->initial)
        return STATUS_OK;
    if (!checker->object->is_spec && variable->length_count > 0 &&
        variable->initial->kind == LIN_EXPRESSION_LIST)
        return complain(checker, variable->initial->at,
                        "expected the value of all elements, found a list (`init` can give each "
                        "one of its own)");
    TRY(checker_check_expression(checker, variable->initial));
    if (variable->length_count > 0 && lin_is_kind(variable->initial, LIN_TYPE_LIST))
        return STATUS_OK; /* a list of the items' values */
    return checker_expect_fit(checker, &variable->type, variable->initial);
}

static bool is_parameter(const struct checker *checker, const struct lin_variable *variable)
{
    bool found = false;
    const struct lin_operation *operation = checker->operation;
    for (uint32_t i = 0; operation && i < operation->parameter_count; i++)
        found |= operation->parameters[i] == variable;
    return found;
}

static void take_variable(struct lin_expression *expression, const struct lin_variable *variable,
                          enum lin_meaning meaning)
{
    expression->meaning = (uint8_t)meaning;
    expression->variable = variable;
    expression->type = variable->type;
    expression->type.dimensions = (uint8_t)variable->length_count;
}

static enum status check_name(struct checker *checker, struct lin_expression *expression)
{
    const char *name = expression->name;
    for (size_t i = checker->scope.length; i-- > 0;) {
        if (checker->scope.items[i].variable->name == name) {
            const struct lin_variable *local = checker->scope.items[i].variable;
            take_variable(expression, local, LIN_MEANS_LOCAL);
            note(checker, expression->at, name, local->at,
                 is_parameter(checker, local) ? REFERENCE_PARAMETER : REFERENCE_LOCAL);
            return STATUS_OK;
        }
    }
    const struct lin_object *object = checker->object;
    const struct lin_variable *variable =
        checker_find_variable(object->variables, object->variable_count, name);
    if (variable) {
        take_variable(expression, variable, LIN_MEANS_SHARED);
        note(checker, expression->at, name, variable->at, REFERENCE_VARIABLE);
        return STATUS_OK;
    }
    int parameter = checker_find_parameter(object, name);
    if (parameter >= 0) {
        expression->meaning = LIN_MEANS_PARAMETER;
        expression->number = (uint32_t)parameter;
        note(checker, expression->at, name, object->parameters[parameter].at, REFERENCE_PARAMETER);
        expression->type = lin_type_of(object->is_spec ? LIN_TYPE_VALUE : LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (checker_take_constant(checker->module, expression))
        return STATUS_OK;
    if (strcmp(name, "thread") == 0 && !checker->in_condition) {
        expression->meaning = LIN_MEANS_THREAD;
        expression->type = lin_type_of(LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (strcmp(name, "threads") == 0 && !object->is_spec) {
        expression->meaning = LIN_MEANS_THREADS;
        expression->type = lin_type_of(LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (!checker_is_symbol(checker, name))
        return checker_undeclared_name(checker, expression->at, name);
    expression->meaning = LIN_MEANS_SYMBOL;
    expression->type = lin_type_of(LIN_TYPE_SYMBOL);
    return STATUS_OK;
}

static enum status check_items(struct checker *checker, struct lin_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        TRY(checker_check_expression(checker, expression->items[i]));
    return STATUS_OK;
}

/* `running(t)`, `running(t, OP)` */
static enum status check_running(struct checker *checker, struct lin_expression *expression)
{
    expression->meaning = LIN_MEANS_BUILTIN;
    expression->number = LIN_BUILTIN_RUNNING;
    expression->type = lin_type_of(LIN_TYPE_BOOL);
    if (expression->count != 1 && expression->count != 2)
        return complain(checker, expression->at,
                        "expected `running(thread)` or `running(thread, operation)`");
    TRY(checker_check_kind(checker, expression->items[0], LIN_TYPE_INT));
    if (expression->count == 1)
        return STATUS_OK;
    struct lin_expression *name = expression->items[1];
    return checker_find_operation(checker, name->kind == LIN_EXPRESSION_NAME ? name->name : NULL,
                                  name->at, &name->number);
}

static enum status check_function_call(struct checker *checker, struct lin_expression *expression,
                                       const struct lin_operation *function)
{
    expression->meaning = LIN_MEANS_FUNCTION;
    expression->operation = function;
    expression->type = function->type;
    note(checker, expression->at, expression->name, function->at, REFERENCE_FUNCTION);
    if (checker->in_point)
        return complain(checker, expression->at,
                        "expected an answer, found a call of `%s`: store what it answers in a "
                        "local variable first",
                        expression->name);
    TRY(checker_expect_count(checker, expression, function->parameter_count));
    for (uint32_t i = 0; i < expression->count; i++) {
        const struct lin_type *type = &function->parameters[i]->type;
        checker->wants_address = type->is_address;
        TRY(checker_check_expression(checker, expression->items[i]));
        TRY(checker_expect_fit(checker, type, expression->items[i]));
    }
    return STATUS_OK;
}

/* An array among the parts is written `[a, b]`: its items one after the other. */
static enum status check_items_of_part(struct checker *checker, struct lin_expression *list,
                                       const struct lin_variable *field)
{
    if (list->kind != LIN_EXPRESSION_LIST || list->count != field->items)
        return complain(checker, list->at, "expected the %u items of `%s`, as in `[a, b]`",
                        field->items, field->name);
    for (uint32_t i = 0; i < list->count; i++) {
        TRY(checker_check_expression(checker, list->items[i]));
        TRY(checker_expect_fit(checker, &field->type, list->items[i]));
    }
    list->type = lin_type_of(LIN_TYPE_LIST);
    return STATUS_OK;
}

static enum status check_record(struct checker *checker, struct lin_expression *expression,
                                const struct lin_struct *record)
{
    expression->meaning = LIN_MEANS_RECORD;
    expression->type = lin_type_of(LIN_TYPE_RECORD);
    expression->type.of = record;
    note(checker, expression->at, expression->name, record->at, REFERENCE_TYPE);
    TRY(checker_expect_count(checker, expression, record->field_count));
    for (uint32_t i = 0; i < expression->count; i++) {
        struct lin_expression *part = expression->items[i];
        if (record->fields[i]->length_count > 0) {
            TRY(check_items_of_part(checker, part, record->fields[i]));
            continue;
        }
        TRY(checker_check_expression(checker, part));
        TRY(checker_expect_fit(checker, &record->fields[i]->type, part));
    }
    return STATUS_OK;
}

static enum status check_call(struct checker *checker, struct lin_expression *expression)
{
    if (checker->in_condition && strcmp(expression->name, "running") == 0)
        return check_running(checker, expression);
    if (checker->object->is_program) { /* which operation, what it is used with tells */
        TRY(check_items(checker, expression));
        expression->meaning = LIN_MEANS_CALL;
        references_add_shared(checker->module->script, expression->at, expression->name,
                              REFERENCE_OPERATION);
        expression->type = lin_type_of(LIN_TYPE_ANSWER);
        return STATUS_OK;
    }
    const struct lin_operation *function = checker_find_function(checker->object, expression->name);
    const struct lin_struct *record = checker_find_struct(checker->object, expression->name);
    const struct builtin *builtin = lin_find_builtin(expression->name);
    if (!function && !(record && record->is_record) && !builtin)
        return checker_undeclared_function(checker, expression);
    if (function)
        return check_function_call(checker, expression, function);
    if (record && record->is_record)
        return check_record(checker, expression, record);
    TRY(check_items(checker, expression));
    return checker_check_builtin(checker, expression, builtin);
}

static enum status check_index(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    const struct lin_expression *base = expression->items[0];
    if (base->type.dimensions > 0) {
        expression->type = base->type;
        expression->type.dimensions--;
        return checker_expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
    }
    expression->type = lin_type_of(LIN_TYPE_VALUE);
    if (lin_is_kind(base, LIN_TYPE_LIST))
        return checker_expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
    if (lin_is_kind(base, LIN_TYPE_MAP) || checker_is_dynamic(checker, base))
        return STATUS_OK;
    return complain(checker, expression->at, "expected an array, list or map before `[`, found %s",
                    lin_type_name(&base->type));
}

static enum status check_field(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    const struct lin_expression *base = expression->items[0];
    if (!lin_is_kind(base, LIN_TYPE_STRUCT) && !lin_is_kind(base, LIN_TYPE_RECORD))
        return complain(checker, expression->at, "expected a node or record before `.`, found %s",
                        lin_type_name(&base->type));
    const struct lin_struct *of = base->type.of;
    const struct lin_variable *field =
        checker_find_variable(of->fields, of->field_count, expression->name);
    if (!field) {
        struct text fields = TEXT_EMPTY;
        for (uint32_t i = 0; i < of->field_count; i++)
            text_format(&fields, "%s%s", i > 0 ? ", " : "", of->fields[i]->name);
        enum status status =
            complain(checker, expression->at, "expected a field of `%s` (%s), found `%s`", of->name,
                     text_string(&fields), expression->name);
        text_release(&fields);
        return status;
    }
    expression->number = field->number;
    note(checker, expression->name_at, expression->name, field->at, REFERENCE_FIELD);
    expression->type = field->type;
    expression->type.dimensions = (uint8_t)field->length_count;
    return STATUS_OK;
}

static enum status check_comparison(struct checker *checker, struct lin_expression *expression)
{
    expression->type = lin_type_of(LIN_TYPE_BOOL);
    return checker_expect_comparable(checker, expression->at, expression->items[0],
                                     expression->items[1]);
}

/* + and - on collections: concatenation, union; without some items. */
static enum status check_collection_sum(struct checker *checker, struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    bool dynamic = checker_is_dynamic(checker, left) || checker_is_dynamic(checker, right);
    expression->type = checker_is_dynamic(checker, left) ? right->type : left->type;
    if (dynamic && (lin_is_kind(left, LIN_TYPE_INT) || lin_is_kind(right, LIN_TYPE_INT))) {
        expression->type = lin_type_of(LIN_TYPE_INT);
        return STATUS_OK;
    }
    if (dynamic || left->type.kind == right->type.kind)
        return STATUS_OK;
    if (lin_is_kind(left, LIN_TYPE_MAP) && lin_is_kind(right, LIN_TYPE_SET) &&
        (expression->sign == LIN_MINUS || right->count == 0))
        return STATUS_OK;
    return complain(checker, expression->at, "expected two of one type, found %s and %s",
                    lin_type_name(&left->type), lin_type_name(&right->type));
}

static enum status check_binary(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    switch (expression->sign) {
    case LIN_EQUAL:
    case LIN_NOT_EQUAL:
        return check_comparison(checker, expression);
    case LIN_AND_AND:
    case LIN_BAR_BAR:
        expression->type = lin_type_of(LIN_TYPE_BOOL);
        TRY(checker_expect_kind(checker, LIN_TYPE_BOOL, left));
        return checker_expect_kind(checker, LIN_TYPE_BOOL, right);
    case LIN_IN:
        expression->type = lin_type_of(LIN_TYPE_BOOL);
        return checker_expect_collection(checker, right, false);
    case LIN_PLUS:
    case LIN_MINUS:
        if (checker_may_be_collection(checker, left) || checker_may_be_collection(checker, right))
            return check_collection_sum(checker, expression);
        break;
    default:
        break;
    }
    bool order = expression->sign == LIN_LESS || expression->sign == LIN_LESS_EQUAL ||
                 expression->sign == LIN_GREATER || expression->sign == LIN_GREATER_EQUAL;
    expression->type = lin_type_of(order ? LIN_TYPE_BOOL : LIN_TYPE_INT);
    TRY(checker_expect_kind(checker, LIN_TYPE_INT, left));
    return checker_expect_kind(checker, LIN_TYPE_INT, right);
}

static enum status check_conditional(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    TRY(checker_expect_kind(checker, LIN_TYPE_BOOL, expression->items[0]));
    const struct lin_expression *yes = expression->items[1], *no = expression->items[2];
    expression->type = yes->type.kind == LIN_TYPE_NULL ? no->type : yes->type;
    if (checker_fits(checker, &expression->type, yes) &&
        checker_fits(checker, &expression->type, no))
        return STATUS_OK;
    struct type_words words;
    lin_tell_types(&yes->type, &no->type, &words);
    return complain(checker, expression->at,
                    "expected two of one type to choose from, found %s and %s", words.one,
                    words.other);
}

static enum status check_assignment(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    struct lin_expression *target = expression->items[0];
    TRY(checker_expect_location(checker, target));
    expression->type = target->type;
    if (expression->kind == LIN_EXPRESSION_STEP)
        return checker_expect_kind(checker, LIN_TYPE_INT, target);
    struct lin_expression *source = expression->items[1];
    bool sum = expression->sign == LIN_PLUS || expression->sign == LIN_MINUS;
    if (expression->sign != LIN_ASSIGN && !(sum && checker_may_be_collection(checker, target))) {
        TRY(checker_expect_kind(checker, LIN_TYPE_INT, target));
        return checker_expect_kind(checker, LIN_TYPE_INT, source);
    }
    return checker_expect_fit(checker, &target->type, source);
}

static enum status check_choose(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_items(checker, expression));
    if (checker->in_point)
        return complain(checker, expression->at,
                        "expected an answer, found `choose`: store what it chooses in a local "
                        "variable first");
    if (expression->count == 1) {
        expression->type = lin_type_of(LIN_TYPE_VALUE);
        return checker_expect_collection(checker, expression->items[0], false);
    }
    expression->type = lin_type_of(LIN_TYPE_INT);
    TRY(checker_expect_kind(checker, LIN_TYPE_INT, expression->items[0]));
    return checker_expect_kind(checker, LIN_TYPE_INT, expression->items[1]);
}

/* In implementations there are no collections. */
static enum status check_literal(struct checker *checker, struct lin_expression *expression,
                                 enum lin_type_kind kind)
{
    expression->type = lin_type_of(kind);
    return check_items(checker, expression);
}

/* `*p` */
static enum status check_dereference(struct checker *checker, struct lin_expression *expression)
{
    struct lin_expression *name = expression->items[0];
    checker->wants_address = true;
    TRY(checker_check_expression(checker, name));
    if (name->kind != LIN_EXPRESSION_NAME || !name->type.is_address)
        return complain(checker, expression->at,
                        "expected a parameter that holds an address, as in `int *p`, behind `*`");
    expression->type = name->type;
    expression->type.is_address = false;
    return STATUS_OK;
}

/* Whether a location is shared: a shared variable, a node's field or what is in one of them. */
static bool is_shared_location(const struct lin_expression *location)
{
    switch (location->kind) {
    case LIN_EXPRESSION_NAME:
        return location->meaning == LIN_MEANS_SHARED;
    case LIN_EXPRESSION_UNARY:
        return location->sign == LIN_STAR;
    case LIN_EXPRESSION_FIELD:
        return location->items[0]->type.kind == LIN_TYPE_STRUCT ||
               is_shared_location(location->items[0]);
    case LIN_EXPRESSION_INDEX:
        return is_shared_location(location->items[0]);
    default:
        return false;
    }
}

/* `&x`, where a parameter wants one */
static enum status check_address(struct checker *checker, struct lin_expression *expression,
                                 bool wanted)
{
    struct lin_expression *location = expression->items[0];
    if (!wanted)
        return complain(checker, expression->at,
                        "expected a location, which is written without `&` (an address is passed "
                        "where a function has a parameter like `int *p`)");
    TRY(checker_check_expression(checker, location));
    TRY(checker_expect_location(checker, location));
    if (!is_shared_location(location))
        return complain(checker, location->at,
                        "expected something shared behind `&`, a variable or a node's field, found "
                        "a local variable");
    expression->type = location->type;
    expression->type.is_address = true;
    return STATUS_OK;
}

static enum status check_inner(struct checker *checker, struct lin_expression *expression)
{
    const bool wanted = checker->wants_address;
    checker->wants_address = false;
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_INTEGER:
        return check_literal(checker, expression, LIN_TYPE_INT);
    case LIN_EXPRESSION_BOOLEAN:
        return check_literal(checker, expression, LIN_TYPE_BOOL);
    case LIN_EXPRESSION_NULL:
        return check_literal(checker, expression, LIN_TYPE_NULL);
    case LIN_EXPRESSION_STRING:
        if (checker->object->is_spec)
            return check_literal(checker, expression, LIN_TYPE_VALUE);
        if (checker->object->is_program)
            return check_literal(checker, expression, LIN_TYPE_ANSWER);
        return complain(checker, expression->at, "expected a value, found a string");
    case LIN_EXPRESSION_NAME:
        TRY(check_name(checker, expression));
        if (!expression->type.is_address || wanted)
            return STATUS_OK;
        return complain(checker, expression->at, "expected `*%s`, for `%s` is an address",
                        expression->name, expression->name);
    case LIN_EXPRESSION_CALL:
        return check_call(checker, expression);
    case LIN_EXPRESSION_INDEX:
        return check_index(checker, expression);
    case LIN_EXPRESSION_FIELD:
        return check_field(checker, expression);
    case LIN_EXPRESSION_UNARY:
        if (expression->sign == LIN_STAR)
            return check_dereference(checker, expression);
        if (expression->sign == LIN_AND)
            return check_address(checker, expression, wanted);
        TRY(checker_check_kind(checker, expression->items[0],
                               expression->sign == LIN_BANG ? LIN_TYPE_BOOL : LIN_TYPE_INT));
        expression->type = lin_type_of(expression->sign == LIN_BANG ? LIN_TYPE_BOOL : LIN_TYPE_INT);
        return STATUS_OK;
    case LIN_EXPRESSION_BINARY:
        return check_binary(checker, expression);
    case LIN_EXPRESSION_CONDITIONAL:
        return check_conditional(checker, expression);
    case LIN_EXPRESSION_ASSIGN:
    case LIN_EXPRESSION_STEP:
        return check_assignment(checker, expression);
    case LIN_EXPRESSION_NEW:
        if (checker->in_condition || checker->in_point)
            return complain(checker, expression->at,
                            "expected %s, found `new`, which changes the state",
                            checker->in_point ? "an answer" : "a condition");
        expression->type = (struct lin_type){.kind = LIN_TYPE_STRUCT,
                                             .at = expression->at,
                                             .name_at = expression->name_at,
                                             .name = expression->name};
        TRY(checker_resolve_type(checker, &expression->type));
        if (expression->type.kind == LIN_TYPE_STRUCT)
            return STATUS_OK;
        return complain(checker, expression->at, "expected a struct after `new`, found a record");
    case LIN_EXPRESSION_LIST:
        return check_literal(checker, expression, LIN_TYPE_LIST);
    case LIN_EXPRESSION_SET:
        return check_literal(checker, expression, LIN_TYPE_SET);
    case LIN_EXPRESSION_MAP:
        return check_literal(checker, expression, LIN_TYPE_MAP);
    case LIN_EXPRESSION_CHOOSE:
        return check_choose(checker, expression);
    }
    return STATUS_OK;
}

enum status checker_check_expression(struct checker *checker, struct lin_expression *expression)
{
    TRY(check_inner(checker, expression));
    if (checker->object->is_spec || !checker_may_be_collection(checker, expression))
        return STATUS_OK;
    return complain(checker, expression->at,
                    "%s is for specifications only (an implementation has arrays and nodes)",
                    lin_type_name(&expression->type));
}
