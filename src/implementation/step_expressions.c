#include "implementation/step_expressions.h"

#include "implementation/step_places.h"
#include "implementation/step_shared.h"
#include "lin/check.h"
#include "lin/check_types.h"
#include "lin/lexer.h"

enum status lin_step_compile_operand(struct lin_step_compiler *compiler,
                                     const struct lin_expression *expression)
{
    bool root = compiler->root;
    compiler->root = false;
    TRY(lin_step_compile_value(compiler, expression));
    compiler->root = root;
    return STATUS_OK;
}

static struct lin_step_place *place_of_name(const struct lin_step_compiler *compiler,
                                            const struct lin_expression *name,
                                            struct lin_step_place *shared)
{
    if (name->meaning == LIN_MEANS_LOCAL)
        return &compiler->body->places[name->variable->number];
    if (name->meaning == LIN_MEANS_SLOT) {
        *shared = (struct lin_step_place){.first = name->number, .length = 1, .words = 1};
        return shared;
    }
    const struct lin_layout_of_shared *layout = &compiler->steps->shared[name->variable->number];
    *shared = lin_step_place_of(layout);
    return shared;
}

/* The variable or field that an INDEX chain indexes. */
static const struct lin_expression *indexed(const struct lin_expression *expression)
{
    while (expression->kind == LIN_EXPRESSION_INDEX)
        expression = expression->items[0];
    return expression;
}

/* The flat index of `a[i][j]` on the stack: i * length + j, from left to right. */
static enum status compile_flat_index(struct lin_step_compiler *compiler,
                                      const struct lin_variable *variable,
                                      const struct lin_expression *index, uint32_t dimension,
                                      int64_t *stride)
{
    int64_t length;
    uint32_t range;
    TRY(lin_step_constant(compiler, variable->lengths[dimension], "a length", &length));
    if (dimension > 0) {
        TRY(compile_flat_index(compiler, variable, index->items[0], dimension - 1, stride));
        TRY(lin_step_push(compiler, index->at, (uint32_t)length));
        TRY(lin_step_emit(compiler, index->at, OP_MULTIPLY, 0, 0, 0));
    }
    TRY(lin_step_add_range(compiler, (struct lin_step_range){0, (int32_t)length - 1}, &range));
    TRY(lin_step_compile_operand_as(compiler, index->items[1], LIN_TYPE_INT));
    TRY(lin_step_emit(compiler, index->items[1]->at, OP_CHECK_RANGE, 1, 0, range));
    *stride *= length;
    return dimension > 0 ? lin_step_emit(compiler, index->at, OP_ADD, 0, 0, 0) : STATUS_OK;
}

/* The flat index, then AT. */
static enum status compile_at(struct lin_step_compiler *compiler,
                              const struct lin_expression *expression)
{
    const struct lin_expression *base = indexed(expression);
    const struct lin_variable *variable = base->kind == LIN_EXPRESSION_FIELD
                                              ? base->items[0]->type.of->fields[base->number]
                                              : base->variable;
    int64_t stride = 1;
    TRY(compile_flat_index(compiler, variable, expression, variable->length_count - 1, &stride));
    return lin_step_emit(compiler, expression->at, OP_AT, 0, lin_step_words_of(&variable->type),
                         (uint32_t)stride);
}

/* Whether a name is one of the thread's own. */
static bool is_own(const struct lin_expression *name)
{
    return name->meaning == LIN_MEANS_LOCAL || name->meaning == LIN_MEANS_SLOT;
}

const struct lin_expression *lin_step_location(const struct lin_step_compiler *compiler,
                                               const struct lin_expression *expression)
{
    if (expression->kind != LIN_EXPRESSION_UNARY || expression->sign != LIN_STAR)
        return expression;
    return compiler->body->places[expression->items[0]->variable->number].location;
}

enum status lin_step_compile_address(struct lin_step_compiler *compiler,
                                     const struct lin_expression *expression)
{
    uint32_t offset;
    struct lin_step_place room;
    const struct lin_step_place *found;
    const struct lin_expression *base = expression->count > 0 ? expression->items[0] : NULL;
    switch (expression->kind) {
    case LIN_EXPRESSION_NAME:
        found = place_of_name(compiler, expression, &room);
        if (is_own(expression))
            return lin_step_emit(compiler, expression->at, OP_ADDRESS_OWN, 0,
                                 found->length * found->words, found->first);
        return lin_step_emit(compiler, expression->at, OP_ADDRESS, 0, 0, found->first);
    case LIN_EXPRESSION_INDEX:
        TRY(lin_step_compile_address(compiler, indexed(expression)));
        return compile_at(compiler, expression);
    case LIN_EXPRESSION_FIELD:
        TRY(lin_step_offset_of(compiler, base->type.of, expression->number, &offset));
        if (base->type.kind == LIN_TYPE_STRUCT) {
            TRY(lin_step_compile_operand(compiler, base));
            return lin_step_emit(compiler, expression->at, OP_DEREFERENCE, 0, offset + 1,
                                 lin_step_pool_of(compiler, base->type.of));
        }
        TRY(lin_step_compile_address(compiler, base));
        return offset ? lin_step_emit(compiler, expression->at, OP_OFFSET, 0, 0, offset)
                      : STATUS_OK;
    case LIN_EXPRESSION_UNARY:
        if (expression->sign == LIN_STAR)
            return lin_step_compile_address(compiler, lin_step_location(compiler, expression));
        break;
    default:
        break;
    }
    return lin_step_complain(compiler, expression->at, "expected a variable");
}

static bool is_plain_name(const struct lin_expression *expression)
{
    return expression->kind == LIN_EXPRESSION_NAME &&
           (is_own(expression) || expression->meaning == LIN_MEANS_SHARED);
}

/* Loads or stores a variable that is neither indexed nor a field. */
static enum status compile_name(struct lin_step_compiler *compiler,
                                const struct lin_expression *expression, bool store)
{
    struct lin_step_place room;
    const struct lin_step_place *found = place_of_name(compiler, expression, &room);
    bool local = is_own(expression);
    return lin_step_emit(compiler, expression->at,
                         local ? (store ? OP_STORE_OWN : OP_LOAD_OWN)
                               : (store ? OP_STORE_SHARED : OP_LOAD_SHARED),
                         0, found->words, found->first);
}

static enum status compile_location(struct lin_step_compiler *compiler,
                                    const struct lin_expression *expression)
{
    uint32_t offset;
    expression = lin_step_location(compiler, expression);
    if (is_plain_name(expression))
        return compile_name(compiler, expression, false);
    const struct lin_expression *base = expression->items[0];
    if (expression->kind == LIN_EXPRESSION_FIELD && base->type.kind == LIN_TYPE_RECORD &&
        base->kind == LIN_EXPRESSION_CALL) { /* a record that is nowhere */
        TRY(lin_step_offset_of(compiler, base->type.of, expression->number, &offset));
        TRY(lin_step_compile_operand(compiler, base));
        return lin_step_emit(compiler, expression->at, OP_PICK, lin_step_words_of(&base->type),
                             lin_step_words_of(&expression->type), offset);
    }
    TRY(lin_step_compile_address(compiler, expression));
    return lin_step_emit(compiler, expression->at, OP_LOAD, 0, lin_step_words_of(&expression->type),
                         0);
}

enum status lin_step_compile_range(struct lin_step_compiler *compiler, place at,
                                   const struct lin_type *type, const struct lin_expression *source)
{
    struct lin_step_range range;
    int64_t known;
    uint32_t number;
    if (type->kind != LIN_TYPE_INT || !type->low)
        return STATUS_OK;
    TRY(lin_step_range_of(compiler, type, &range));
    if (source && lin_step_constant_of(compiler, source, &known) == STATUS_OK &&
        known >= range.low && known <= range.high)
        return STATUS_OK;
    TRY(lin_step_add_range(compiler, range, &number));
    return lin_step_emit(compiler, at, OP_CHECK_RANGE, 0, 0, number);
}

/* Whether the code is a program's own. */
static bool is_program(const struct lin_step_compiler *compiler)
{
    return compiler->steps->setting.words && compiler->body && !compiler->body->is_called &&
           !compiler->body->operation->is_function && compiler->entry != UINT32_MAX;
}

enum status lin_step_convert(struct lin_step_compiler *compiler,
                             const struct lin_expression *expression, enum lin_type_kind kind)
{
    if (expression->type.kind != LIN_TYPE_ANSWER || (kind != LIN_TYPE_INT && kind != LIN_TYPE_BOOL))
        return STATUS_OK;
    return lin_step_emit(compiler, expression->at, kind == LIN_TYPE_INT ? OP_AS_INT : OP_AS_BOOL, 0,
                         0, 0);
}

enum status lin_step_compile_operand_as(struct lin_step_compiler *compiler,
                                        const struct lin_expression *expression,
                                        enum lin_type_kind kind)
{
    TRY(lin_step_compile_operand(compiler, expression));
    return lin_step_convert(compiler, expression, kind);
}

enum status lin_step_compile_into(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression,
                                  const struct lin_type *target)
{
    TRY(lin_step_compile_value(compiler, expression));
    TRY(lin_step_convert(compiler, expression, (enum lin_type_kind)target->kind));
    return lin_step_compile_range(compiler, expression->at, target, expression);
}

enum status lin_step_compile_value_name(struct lin_step_compiler *compiler,
                                        const struct lin_expression *constant)
{
    struct lin_steps *steps = compiler->steps;
    int64_t number;
    TRY(lin_step_constant(compiler, constant, "a value", &number));
    if (number < 1)
        return lin_step_complain(compiler, constant->at,
                                 "expected a value that clients pass, 1 or more, found %lld: what "
                                 "no value was put into is `null`",
                                 (long long)number);
    if (number <= 32)
        steps->named_values |= UINT32_C(1) << (number - 1);
    if (number > steps->greatest_named) {
        steps->greatest_named = (uint32_t)number;
        steps->named_at = constant->at;
    }
    return lin_step_push(compiler, constant->at, (uint32_t)number);
}

/* One side of a comparison: the constant that a value is compared with, or anything. */
static enum status compile_side(struct lin_step_compiler *compiler,
                                const struct lin_expression *side,
                                const struct lin_expression *other, enum lin_type_kind kind)
{
    return lin_names_a_value(other, side) ? lin_step_compile_value_name(compiler, side)
                                          : lin_step_compile_operand_as(compiler, side, kind);
}

static enum status compile_binary(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    if (expression->sign == LIN_AND_AND || expression->sign == LIN_BAR_BAR)
        return lin_flow_logic(&compiler->flow, expression);
    bool compares = expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL;
    enum lin_type_kind kind = compares ? LIN_TYPE_ANSWER : LIN_TYPE_INT;
    TRY(compile_side(compiler, left, right, kind));
    TRY(compile_side(compiler, right, left, kind));
    if (compares && lin_step_words_of(&left->type) > 1)
        return lin_step_emit(compiler, expression->at, OP_SAME, expression->sign == LIN_NOT_EQUAL,
                             lin_step_words_of(&left->type), 0);
    return lin_step_emit(compiler, expression->at, lin_operator(expression->sign), 0, 0, 0);
}

static enum status compile_assignment(struct lin_step_compiler *compiler,
                                      const struct lin_expression *expression)
{
    const struct lin_expression *target = lin_step_location(compiler, expression->items[0]);
    bool plain = is_plain_name(target),
         computed = expression->kind == LIN_EXPRESSION_STEP || expression->sign != LIN_ASSIGN;
    if (!plain) {
        TRY(lin_step_compile_address(compiler, target));
        compiler->root = false;
    }
    if (computed) {
        TRY(compile_location(compiler, target));
        if (expression->kind == LIN_EXPRESSION_STEP)
            TRY(lin_step_push(compiler, expression->at, 1));
        else
            TRY(lin_step_compile_operand_as(compiler, expression->items[1], LIN_TYPE_INT));
        TRY(lin_step_emit(compiler, expression->at, lin_operator(expression->sign), 0, 0, 0));
        TRY(lin_step_compile_range(compiler, expression->at, &target->type, NULL));
    } else {
        TRY(lin_step_compile_into(compiler, expression->items[1], &target->type));
    }
    if (plain)
        return compile_name(compiler, target, true);
    return lin_step_emit(compiler, expression->at, OP_STORE, 0, lin_step_words_of(&target->type),
                         0);
}

/* A symbol, a string or null in a program. */
static enum status compile_text(struct lin_step_compiler *compiler,
                                const struct lin_expression *expression)
{
    uint32_t word = LIN_WORD_NULL;
    struct text quoted = TEXT_EMPTY;
    const char *name = expression->name;
    if (expression->kind == LIN_EXPRESSION_STRING) {
        text_format(&quoted, "\"%s\"", name);
        name = text_string(&quoted);
    }
    bool known = expression->kind == LIN_EXPRESSION_NULL ||
                 lin_word_of_text(compiler->steps->setting.words, name, &word);
    text_release(&quoted);
    return known ? lin_step_push(compiler, expression->at, word) : STATUS_LIMIT;
}

/* A part of a record, or an item of an array among its parts. */
static enum status compile_part(struct lin_step_compiler *compiler,
                                const struct lin_expression *part, const struct lin_type *type)
{
    TRY(lin_step_compile_operand(compiler, part));
    return lin_step_compile_range(compiler, part->at, type, part);
}

/* The parts one after the other. */
static enum status compile_record(struct lin_step_compiler *compiler,
                                  const struct lin_expression *record)
{
    for (uint32_t i = 0; i < record->count; i++) {
        const struct lin_variable *field = record->type.of->fields[i];
        const struct lin_expression *part = record->items[i];
        if (field->length_count == 0)
            TRY(compile_part(compiler, part, &field->type));
        for (uint32_t j = 0; field->length_count > 0 && j < part->count; j++)
            TRY(compile_part(compiler, part->items[j], &field->type));
    }
    return STATUS_OK;
}

enum status lin_step_compile_value(struct lin_step_compiler *compiler,
                                   const struct lin_expression *expression)
{
    place at = expression->at;
    int64_t known;
    if (expression->kind == LIN_EXPRESSION_STRING ||
        (is_program(compiler) &&
         (expression->kind == LIN_EXPRESSION_NULL || expression->meaning == LIN_MEANS_SYMBOL)))
        return compile_text(compiler, expression);
    if (lin_step_constant_of(compiler, expression, &known) == STATUS_OK)
        return lin_step_push(compiler, at, (uint32_t)(int32_t)known);
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_NAME:
        if (expression->meaning == LIN_MEANS_THREAD)
            return lin_step_emit(compiler, at, OP_THREAD, 0, 0, 0);
        if (expression->meaning == LIN_MEANS_SYMBOL)
            return lin_step_complain(compiler, at,
                                     "expected a value, found the symbol `%s`: symbols can "
                                     "only be returned",
                                     expression->name);
        return compile_location(compiler, expression);
    case LIN_EXPRESSION_INDEX:
    case LIN_EXPRESSION_FIELD:
        return compile_location(compiler, expression);
    case LIN_EXPRESSION_CALL:
        if (expression->meaning == LIN_MEANS_FUNCTION || expression->meaning == LIN_MEANS_CALL ||
            expression->meaning == LIN_MEANS_BUILTIN)
            return compiler->call(compiler, expression);
        return compile_record(compiler, expression);
    case LIN_EXPRESSION_UNARY:
        if (expression->sign == LIN_STAR)
            return compile_location(compiler, expression);
        TRY(lin_step_compile_value(compiler, expression->items[0]));
        TRY(lin_step_convert(compiler, expression->items[0],
                             expression->sign == LIN_BANG ? LIN_TYPE_BOOL : LIN_TYPE_INT));
        return lin_step_emit(compiler, at, expression->sign == LIN_BANG ? OP_NOT : OP_NEGATE, 0, 0,
                             0);
    case LIN_EXPRESSION_BINARY:
        return compile_binary(compiler, expression);
    case LIN_EXPRESSION_CONDITIONAL:
        return lin_flow_conditional(&compiler->flow, expression);
    case LIN_EXPRESSION_ASSIGN:
    case LIN_EXPRESSION_STEP:
        return compile_assignment(compiler, expression);
    case LIN_EXPRESSION_NEW:
        return lin_step_emit(compiler, at, OP_NEW, 0, 0,
                             lin_step_pool_of(compiler, expression->type.of));
    case LIN_EXPRESSION_CHOOSE:
        if (expression->count != 2)
            break;
        TRY(lin_step_compile_operand_as(compiler, expression->items[0], LIN_TYPE_INT));
        TRY(lin_step_compile_operand_as(compiler, expression->items[1], LIN_TYPE_INT));
        return lin_step_emit(compiler, at, OP_CHOOSE, 0, 0, 0);
    default:
        break;
    }
    return lin_step_complain(compiler, at, "expected an expression of an implementation");
}

enum status lin_step_compile_condition(struct lin_step_compiler *compiler,
                                       const struct lin_expression *expression, place at)
{
    TRY(lin_step_begin(compiler, expression, at, false));
    TRY(lin_step_compile_value(compiler, expression));
    return lin_step_convert(compiler, expression, LIN_TYPE_BOOL);
}
