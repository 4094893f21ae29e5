#include "implementation/step_statements.h"

#include "implementation/step_answers.h"
#include "implementation/step_expressions.h"
#include "implementation/step_places.h"
#include "implementation/step_shared.h"
#include "lin/check_types.h"

/* A step of its own, behind the call whose answer it may print. */
static enum status compile_print(struct lin_step_compiler *compiler,
                                 const struct lin_statement *statement)
{
    const struct lin_expression *expression = statement->expression;
    uint32_t printed;
    compiler->root = true;
    TRY(lin_step_take_locals(compiler, statement->at, 1, &printed));
    TRY(lin_step_compile_value(compiler, expression));
    TRY(lin_step_emit(compiler, statement->at, OP_STORE_OWN, 0, 1, printed));
    TRY(lin_step_emit(compiler, statement->at, OP_STEP, 0, 0, 0));
    TRY(lin_step_emit(compiler, statement->at, OP_LOAD_OWN, 0, 1, printed));
    return lin_step_emit(compiler, statement->at, OP_PRINT, 0, 0, 0);
}

static bool is_always_true(const struct lin_step_compiler *compiler,
                           const struct lin_expression *condition)
{
    int64_t known;
    return !condition || (lin_step_constant_of(compiler, condition, &known) == STATUS_OK && known);
}

static enum status compile_effect(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression)
{
    TRY(lin_step_begin(compiler, expression, expression->at, false));
    TRY(lin_step_compile_value(compiler, expression));
    if (expression->kind == LIN_EXPRESSION_CALL)
        return lin_step_emit(compiler, expression->at, OP_POP, 0, 0,
                             lin_step_words_of(&expression->type));
    return STATUS_OK;
}

static enum status compile_default(struct lin_step_compiler *compiler,
                                   const struct lin_variable *variable)
{
    const struct lin_type *type = &variable->type;
    struct lin_step_range range;
    if (type->kind == LIN_TYPE_RECORD) {
        for (uint32_t i = 0; i < type->of->field_count; i++)
            for (uint32_t j = 0; j < type->of->fields[i]->items; j++)
                TRY(compile_default(compiler, type->of->fields[i]));
        return STATUS_OK;
    }
    if (type->kind != LIN_TYPE_INT)
        return lin_step_push(compiler, variable->at,
                             type->kind == LIN_TYPE_ANSWER ? LIN_WORD_NULL : 0);
    TRY(lin_step_range_of(compiler, type, &range));
    return lin_step_push(compiler, variable->at,
                         range.low <= 0 && range.high >= 0 ? 0 : (uint32_t)range.low);
}

enum status lin_step_compile_initial(struct lin_step_compiler *compiler,
                                     const struct lin_step_place *room, bool shared)
{
    const struct lin_variable *variable = room->variable;
    const struct lin_expression *initial = variable->initial;
    bool listed = variable->length_count > 0 && initial && initial->kind == LIN_EXPRESSION_LIST;
    if (listed && initial->count != room->length)
        return lin_step_complain(compiler, initial->at, "expected %u values, found %u",
                                 room->length, initial->count);
    for (uint32_t i = 0; i < room->length; i++) {
        if (initial)
            TRY(lin_step_compile_into(compiler, listed ? initial->items[i] : initial,
                                      &variable->type));
        else
            TRY(compile_default(compiler, variable));
        TRY(lin_step_emit(compiler, variable->at, shared ? OP_STORE_SHARED : OP_STORE_OWN, 0,
                          room->words, room->first + i * room->words));
    }
    return STATUS_OK;
}

static enum status compile_declaration(struct lin_step_compiler *compiler,
                                       const struct lin_variable *variable)
{
    TRY(lin_step_declare(compiler, variable));
    const struct lin_step_place *room = &compiler->body->places[variable->number];
    TRY(lin_step_begin(compiler, variable->initial, variable->at, false));
    if (room->length > 1 && variable->initial && lin_step_is_shared(variable->initial))
        return lin_step_complain(compiler, variable->at,
                                 "expected an initial value without a shared location, found one");
    return lin_step_compile_initial(compiler, room, false);
}

/* Where control can wait, a step begins, be what is waited for shared or not. */
static enum status compile_wait(struct lin_step_compiler *compiler,
                                const struct lin_statement *statement)
{
    TRY(lin_step_begin(compiler, statement->expression, statement->at, true));
    TRY(lin_step_compile_value(compiler, statement->expression));
    TRY(lin_step_convert(compiler, statement->expression, LIN_TYPE_BOOL));
    return lin_step_emit(compiler, statement->at, OP_AWAIT, 0, 0, 0);
}

static enum status compile_items(struct lin_step_compiler *compiler,
                                 const struct lin_statement *statement)
{
    for (uint32_t i = 0; i < statement->count; i++)
        TRY(lin_step_compile_statement(compiler, statement->items[i]));
    return STATUS_OK;
}

static bool has_point(const struct lin_statement *statement)
{
    bool found = statement->kind == LIN_STATEMENT_LINEARIZE;
    for (uint32_t i = 0; !found && i < statement->count; i++)
        found = statement->items[i] && has_point(statement->items[i]);
    return found;
}

static enum status compile_atomic(struct lin_step_compiler *compiler,
                                  const struct lin_statement *statement)
{
    bool shared = lin_step_statement_is_shared(compiler, statement) ||
                  (compiler->steps->setting.points && has_point(statement));
    if (compiler->atomic == 0 && compiler->entry != UINT32_MAX && shared)
        TRY(lin_step_emit(compiler, statement->at, OP_STEP, 0, 0, 0));
    compiler->atomic++;
    TRY(compile_items(compiler, statement));
    compiler->atomic--;
    return STATUS_OK;
}

enum status lin_step_compile_statement(struct lin_step_compiler *compiler,
                                       const struct lin_statement *statement)
{
    switch ((enum lin_statement_kind)statement->kind) {
    case LIN_STATEMENT_BLOCK:
        return compile_items(compiler, statement);
    case LIN_STATEMENT_DECLARE:
        return compile_declaration(compiler, statement->variable);
    case LIN_STATEMENT_EXPRESSION:
    case LIN_STATEMENT_IF:
    case LIN_STATEMENT_FOR:
    case LIN_STATEMENT_WHILE:
    case LIN_STATEMENT_DO:
    case LIN_STATEMENT_BREAK:
    case LIN_STATEMENT_CONTINUE:
    case LIN_STATEMENT_EITHER:
    case LIN_STATEMENT_SWITCH:
        return lin_flow_statement(&compiler->flow, statement);
    case LIN_STATEMENT_RETURN:
        if (compiler->body->operation->is_function)
            return lin_step_compile_function_return(compiler, statement);
        if (compiler->body->is_called)
            return lin_step_compile_called_return(compiler, statement->expression, statement->at);
        return lin_step_compile_answer(compiler, statement->expression, statement->at);
    case LIN_STATEMENT_ATOMIC:
        return compile_atomic(compiler, statement);
    case LIN_STATEMENT_AWAIT:
    case LIN_STATEMENT_ASSUME:
        return compile_wait(compiler, statement);
    case LIN_STATEMENT_ASSERT:
        TRY(lin_step_compile_condition(compiler, statement->expression, statement->at));
        return lin_step_emit(compiler, statement->at, OP_ASSERT, 0, 0, 0);
    case LIN_STATEMENT_LINEARIZE:
        return lin_step_compile_linearize(compiler, statement);
    case LIN_STATEMENT_PRINT:
        return compile_print(compiler, statement);
    default:
        return lin_step_complain(compiler, statement->at,
                                 "expected a statement of an implementation");
    }
}

static enum status flow_condition(void *compiler, const struct lin_expression *condition, place at)
{
    return lin_step_compile_condition(compiler, condition, at);
}

static bool flow_is_endless(const void *compiler, const struct lin_expression *condition)
{
    return is_always_true(compiler, condition);
}

static enum status flow_statement(void *compiler, const struct lin_statement *statement)
{
    return lin_step_compile_statement(compiler, statement);
}

static enum status flow_effect(void *compiler, const struct lin_expression *expression)
{
    return compile_effect(compiler, expression);
}

static enum status flow_truth(void *compiler, const struct lin_expression *expression, bool first)
{
    if (!first)
        return lin_step_compile_operand_as(compiler, expression, LIN_TYPE_BOOL);
    TRY(lin_step_compile_value(compiler, expression));
    return lin_step_convert(compiler, expression, LIN_TYPE_BOOL);
}

static enum status flow_branch(void *compiler, const struct lin_expression *expression,
                               enum lin_type_kind kind)
{
    return lin_step_compile_operand_as(compiler, expression, kind);
}

static enum status flow_subject(void *compiler, const struct lin_expression *subject, place at)
{
    TRY(lin_step_begin(compiler, subject, at, false));
    return lin_step_compile_value(compiler, subject);
}

static enum status flow_label(void *compiler, const struct lin_expression *label,
                              const struct lin_expression *subject)
{
    return lin_names_a_value(subject, label) ? lin_step_compile_value_name(compiler, label)
                                             : lin_step_compile_operand(compiler, label);
}

static enum status flow_new_local(void *compiler, place at, enum lin_type_kind kind,
                                  uint32_t *local)
{
    struct lin_step_compiler *steps = compiler;
    TRY(lin_step_take_locals(compiler, at, 1, local));
    return granted(kind != LIN_TYPE_VALUE || vector_push(&steps->values, *local));
}

const struct lin_flow_class lin_step_flow_class = {
    .condition = flow_condition,
    .is_endless = flow_is_endless,
    .statement = flow_statement,
    .effect = flow_effect,
    .truth = flow_truth,
    .branch = flow_branch,
    .subject = flow_subject,
    .label = flow_label,
    .new_local = flow_new_local,
    .load = {.op = OP_LOAD_OWN, .wide = 1},
    .store = {.op = OP_STORE_OWN, .wide = 1},
};
