#include "lang/lin_steps.h"

#include <string.h>

#include "base/memory.h"
#include "lang/lin_check.h"
#include "lang/lin_lexer.h"
#include "lang/lin_step_liveness.h"
#include "lang/lin_step_places.h"
#include "lang/lin_step_shared.h"

static enum status compile_value(struct lin_step_compiler *compiler,
                                 const struct lin_expression *expression);

static enum status compile_operand(struct lin_step_compiler *compiler,
                                   const struct lin_expression *expression)
{
    bool root = compiler->root;
    compiler->root = false;
    TRY(compile_value(compiler, expression));
    compiler->root = root;
    return STATUS_OK;
}

static struct lin_step_place *place_of_name(const struct lin_step_compiler *compiler,
                                            const struct lin_expression *name,
                                            struct lin_step_place *shared)
{
    if (name->meaning == LIN_MEANS_LOCAL)
        return &compiler->body->places[name->variable->number];
    const struct lin_layout_of_shared *layout = &compiler->steps->shared[name->variable->number];
    *shared =
        (struct lin_step_place){layout->variable, layout->first, layout->length, layout->words};
    return shared;
}

/* The variable or field that an INDEX chain indexes. */
static const struct lin_expression *indexed(const struct lin_expression *expression)
{
    while (expression->kind == LIN_EXPRESSION_INDEX)
        expression = expression->items[0];
    return expression;
}

static enum status compile_operand_as(struct lin_step_compiler *compiler,
                                      const struct lin_expression *expression,
                                      enum lin_type_kind kind);

/* The flat index of `a[i][j]` on the stack, then AT. */
static enum status compile_at(struct lin_step_compiler *compiler,
                              const struct lin_expression *expression)
{
    const struct lin_expression *base = indexed(expression);
    const struct lin_variable *variable = base->kind == LIN_EXPRESSION_FIELD
                                              ? base->items[0]->type.of->fields[base->number]
                                              : base->variable;
    const struct lin_expression *index = expression;
    int64_t stride = 1;
    for (uint32_t dimension = variable->length_count; dimension-- > 0; index = index->items[0]) {
        int64_t length;
        uint32_t range;
        TRY(lin_step_constant(compiler, variable->lengths[dimension], "a length", &length));
        TRY(lin_step_add_range(compiler, (struct lin_step_range){0, (int32_t)length - 1}, &range));
        TRY(compile_operand_as(compiler, index->items[1], LIN_TYPE_INT));
        TRY(lin_step_emit(compiler, index->items[1]->at, LIN_DO_RANGE, 1, 0, range));
        if (dimension + 1 < variable->length_count) {
            TRY(lin_step_emit(compiler, index->at, LIN_DO_PUSH, 0, 0, (uint32_t)stride));
            TRY(lin_step_emit(compiler, index->at, LIN_DO_CALCULATE, LIN_STAR, 0, 0));
            TRY(lin_step_emit(compiler, index->at, LIN_DO_CALCULATE, LIN_PLUS, 0, 0));
        }
        stride *= length;
    }
    return lin_step_emit(compiler, expression->at, LIN_DO_AT, 0, lin_step_words_of(&variable->type),
                         (uint32_t)stride);
}

static enum status compile_address(struct lin_step_compiler *compiler,
                                   const struct lin_expression *expression)
{
    uint32_t offset;
    struct lin_step_place room;
    const struct lin_step_place *found;
    const struct lin_expression *base = expression->count > 0 ? expression->items[0] : NULL;
    switch (expression->kind) {
    case LIN_EXPRESSION_NAME:
        found = place_of_name(compiler, expression, &room);
        if (expression->meaning == LIN_MEANS_LOCAL)
            return lin_step_emit(compiler, expression->at, LIN_DO_ADDRESS_LOCAL, 0,
                                 found->length * found->words, found->first);
        return lin_step_emit(compiler, expression->at, LIN_DO_ADDRESS, 0, 0, found->first);
    case LIN_EXPRESSION_INDEX:
        TRY(compile_address(compiler, indexed(expression)));
        return compile_at(compiler, expression);
    case LIN_EXPRESSION_FIELD:
        TRY(lin_step_offset_of(compiler, base->type.of, expression->number, &offset));
        if (base->type.kind == LIN_TYPE_STRUCT) {
            TRY(compile_operand(compiler, base));
            return lin_step_emit(compiler, expression->at, LIN_DO_DEREFERENCE, 0, offset + 1,
                                 lin_step_pool_of(compiler, base->type.of));
        }
        TRY(compile_address(compiler, base));
        return offset ? lin_step_emit(compiler, expression->at, LIN_DO_OFFSET, 0, 0, offset)
                      : STATUS_OK;
    default:
        return lin_step_complain(compiler, expression->at, "expected a variable");
    }
}

static bool is_plain_name(const struct lin_expression *expression)
{
    return expression->kind == LIN_EXPRESSION_NAME &&
           (expression->meaning == LIN_MEANS_LOCAL || expression->meaning == LIN_MEANS_SHARED);
}

/* Loads or stores a variable that is neither indexed nor a field. */
static enum status compile_name(struct lin_step_compiler *compiler,
                                const struct lin_expression *expression, bool store)
{
    struct lin_step_place room;
    const struct lin_step_place *found = place_of_name(compiler, expression, &room);
    bool local = expression->meaning == LIN_MEANS_LOCAL;
    return lin_step_emit(compiler, expression->at,
                         local ? (store ? LIN_DO_STORE_LOCAL : LIN_DO_LOAD_LOCAL)
                               : (store ? LIN_DO_STORE_SHARED : LIN_DO_LOAD_SHARED),
                         0, found->words, found->first);
}

static enum status compile_location(struct lin_step_compiler *compiler,
                                    const struct lin_expression *expression)
{
    uint32_t offset;
    if (is_plain_name(expression))
        return compile_name(compiler, expression, false);
    const struct lin_expression *base = expression->items[0];
    if (expression->kind == LIN_EXPRESSION_FIELD && base->type.kind == LIN_TYPE_RECORD &&
        base->kind == LIN_EXPRESSION_CALL) { /* a record that is nowhere */
        TRY(lin_step_offset_of(compiler, base->type.of, expression->number, &offset));
        TRY(compile_operand(compiler, base));
        return lin_step_emit(compiler, expression->at, LIN_DO_PICK, lin_step_words_of(&base->type),
                             lin_step_words_of(&expression->type), offset);
    }
    TRY(compile_address(compiler, expression));
    return lin_step_emit(compiler, expression->at, LIN_DO_LOAD, 0,
                         lin_step_words_of(&expression->type), 0);
}

/* What must hold of the integer on top before it goes into a place of this type. */
static enum status compile_range(struct lin_step_compiler *compiler, place at,
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
    return lin_step_emit(compiler, at, LIN_DO_RANGE, 0, 0, number);
}

/* Whether the code is a program's own. */
static bool is_program(const struct lin_step_compiler *compiler)
{
    return compiler->steps->setting.words && compiler->body && !compiler->body->is_called &&
           !compiler->body->operation->is_function && compiler->entry != UINT32_MAX;
}

/* What an operation answered becomes an int or bool, if it is one. */
static enum status convert(struct lin_step_compiler *compiler,
                           const struct lin_expression *expression, enum lin_type_kind kind)
{
    if (expression->type.kind != LIN_TYPE_ANSWER || (kind != LIN_TYPE_INT && kind != LIN_TYPE_BOOL))
        return STATUS_OK;
    return lin_step_emit(compiler, expression->at,
                         kind == LIN_TYPE_INT ? LIN_DO_AS_INT : LIN_DO_AS_BOOL, 0, 0, 0);
}

static enum status compile_operand_as(struct lin_step_compiler *compiler,
                                      const struct lin_expression *expression,
                                      enum lin_type_kind kind)
{
    TRY(compile_operand(compiler, expression));
    return convert(compiler, expression, kind);
}

static enum status compile_into(struct lin_step_compiler *compiler,
                                const struct lin_expression *expression,
                                const struct lin_type *target)
{
    TRY(compile_value(compiler, expression));
    TRY(convert(compiler, expression, (enum lin_type_kind)target->kind));
    return compile_range(compiler, expression->at, target, expression);
}

static enum status compile_logic(struct lin_step_compiler *compiler,
                                 const struct lin_expression *expression)
{
    bool is_or = expression->sign == LIN_BAR_BAR;
    TRY(compile_value(compiler, expression->items[0]));
    TRY(convert(compiler, expression->items[0], LIN_TYPE_BOOL));
    uint32_t jump = lin_step_here(compiler);
    TRY(lin_step_emit(compiler, expression->at, is_or ? LIN_DO_JUMP_IF_TRUE : LIN_DO_JUMP_IF_FALSE,
                      0, 0, 0));
    TRY(compile_operand_as(compiler, expression->items[1], LIN_TYPE_BOOL));
    uint32_t end = lin_step_here(compiler);
    TRY(lin_step_emit(compiler, expression->at, LIN_DO_JUMP, 0, 0, 0));
    lin_step_land(compiler, jump);
    TRY(lin_step_emit(compiler, expression->at, LIN_DO_PUSH, 0, 0, is_or));
    lin_step_land(compiler, end);
    return STATUS_OK;
}

static enum status compile_binary(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression)
{
    const struct lin_expression *left = expression->items[0], *right = expression->items[1];
    if (expression->sign == LIN_AND_AND || expression->sign == LIN_BAR_BAR)
        return compile_logic(compiler, expression);
    bool compares = expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL;
    enum lin_type_kind kind = compares ? LIN_TYPE_ANSWER : LIN_TYPE_INT;
    TRY(compile_operand_as(compiler, left, kind));
    TRY(compile_operand_as(compiler, right, kind));
    if (compares)
        return lin_step_emit(compiler, expression->at, LIN_DO_SAME,
                             expression->sign == LIN_NOT_EQUAL, lin_step_words_of(&left->type), 0);
    return lin_step_emit(compiler, expression->at, LIN_DO_CALCULATE, expression->sign, 0, 0);
}

static enum status compile_conditional(struct lin_step_compiler *compiler,
                                       const struct lin_expression *expression)
{
    enum lin_type_kind kind = (enum lin_type_kind)expression->type.kind;
    TRY(compile_value(compiler, expression->items[0]));
    TRY(convert(compiler, expression->items[0], LIN_TYPE_BOOL));
    uint32_t jump = lin_step_here(compiler);
    TRY(lin_step_emit(compiler, expression->at, LIN_DO_JUMP_IF_FALSE, 0, 0, 0));
    TRY(compile_operand_as(compiler, expression->items[1], kind));
    uint32_t end = lin_step_here(compiler);
    TRY(lin_step_emit(compiler, expression->at, LIN_DO_JUMP, 0, 0, 0));
    lin_step_land(compiler, jump);
    TRY(compile_operand_as(compiler, expression->items[2], kind));
    lin_step_land(compiler, end);
    return STATUS_OK;
}

static enum status open_body(struct lin_step_compiler *compiler,
                             const struct lin_operation *operation, struct lin_step_body *body)
{
    *body = (struct lin_step_body){.outer = compiler->body, .operation = operation};
    vector_init(&body->ends, compiler->steps->arena->budget);
    body->places =
        arena_allocate(compiler->steps->arena, operation->local_count * sizeof *body->places);
    compiler->body = body;
    return body->places ? STATUS_OK : STATUS_LIMIT;
}

static void close_body(struct lin_step_compiler *compiler, struct lin_step_body *body)
{
    compiler->body = body->outer;
    vector_release(&body->ends);
}

static enum status compile_statement(struct lin_step_compiler *compiler,
                                     const struct lin_statement *statement);

/* Arguments are computed by the caller, then stored as the function's locals. */
static enum status inline_function(struct lin_step_compiler *compiler, struct lin_step_body *body,
                                   const struct lin_expression *call)
{
    const struct lin_operation *function = call->operation;
    uint32_t count = function->parameter_count;
    struct lin_step_body *caller = body->outer;
    for (uint32_t i = 0; i < count; i++)
        TRY(lin_step_declare(compiler, function->parameters[i]));
    bool root = compiler->root;
    compiler->body = caller;
    compiler->root = false;
    for (uint32_t i = 0; i < count; i++)
        TRY(compile_into(compiler, call->items[i], &function->parameters[i]->type));
    compiler->body = body;
    compiler->root = root;
    for (uint32_t i = count; i-- > 0;)
        TRY(lin_step_emit(compiler, call->at, LIN_DO_STORE_LOCAL, 0, body->places[i].words,
                          body->places[i].first));
    if (function->type.kind != LIN_TYPE_VOID) {
        const struct lin_variable result = {.type = function->type};
        TRY(lin_step_take_locals(compiler, call->at, lin_step_words_of(&function->type),
                                 &body->result));
        TRY(lin_step_note_references(compiler, &result, body->result, 1, &compiler->references));
        TRY(lin_step_note_values(compiler, &result, body->result, 1));
    }
    TRY(compile_statement(compiler, function->body));
    for (size_t i = 0; i < body->ends.length; i++)
        lin_step_land(compiler, body->ends.items[i]);
    if (function->type.kind == LIN_TYPE_VOID)
        return lin_step_emit(compiler, call->at, LIN_DO_PUSH, 0, 0, 0);
    return lin_step_emit(compiler, call->at, LIN_DO_LOAD_LOCAL, 0,
                         lin_step_words_of(&function->type), body->result);
}

static enum status compile_function(struct lin_step_compiler *compiler,
                                    const struct lin_expression *call)
{
    if (!compiler->root && !lin_step_has_begun(compiler) &&
        lin_step_statement_is_shared(compiler, call->operation->body))
        return lin_step_complain(
            compiler, call->at,
            "expected a call that stands alone, for `%s` takes several steps: store "
            "what it answers in a local variable first",
            call->name);
    struct lin_step_body body;
    bool root = compiler->root;
    enum status status = open_body(compiler, call->operation, &body);
    if (status == STATUS_OK)
        status = inline_function(compiler, &body, call);
    close_body(compiler, &body);
    compiler->root = root;
    return status;
}

/* ll and sc name shared variables; nodes may move. */
static enum status expect_variable(struct lin_step_compiler *compiler,
                                   const struct lin_expression *location)
{
    const struct lin_expression *base = location;
    while (base->kind == LIN_EXPRESSION_INDEX ||
           (base->kind == LIN_EXPRESSION_FIELD && base->items[0]->type.kind == LIN_TYPE_RECORD))
        base = base->items[0];
    if (base->kind == LIN_EXPRESSION_NAME && base->meaning == LIN_MEANS_SHARED)
        return STATUS_OK;
    return lin_step_complain(compiler, location->at,
                             "expected a shared variable, found another location");
}

static enum status compile_builtin(struct lin_step_compiler *compiler,
                                   const struct lin_expression *call)
{
    struct lin_expression *const *items = call->items;
    if (call->number == LIN_BUILTIN_RUNNING) {
        TRY(compile_operand(compiler, items[0]));
        return lin_step_emit(compiler, call->at, LIN_DO_RUNNING, 0,
                             call->count == 2 ? items[1]->number + 1 : 0, 0);
    }
    uint32_t words = lin_step_words_of(&items[0]->type), range = UINT32_MAX;
    enum lin_builtin builtin = (enum lin_builtin)call->number;
    if (builtin == LIN_BUILTIN_FREE) {
        TRY(compile_operand(compiler, items[0]));
        TRY(lin_step_emit(compiler, call->at, LIN_DO_FREE, 0, 0,
                          lin_step_pool_of(compiler, items[0]->type.of)));
        return lin_step_emit(compiler, call->at, LIN_DO_PUSH, 0, 0, 0);
    }
    if (builtin == LIN_BUILTIN_LL || builtin == LIN_BUILTIN_SC)
        TRY(expect_variable(compiler, items[0]));
    TRY(compile_address(compiler, items[0]));
    bool root = compiler->root;
    compiler->root = false;
    for (uint32_t i = 1; i < call->count; i++)
        TRY(builtin == LIN_BUILTIN_FETCH_ADD ? compile_value(compiler, items[i])
                                             : compile_into(compiler, items[i], &items[0]->type));
    compiler->root = root;
    switch (builtin) {
    case LIN_BUILTIN_CAS:
        return lin_step_emit(compiler, call->at, LIN_DO_CAS, 0, words, 0);
    case LIN_BUILTIN_SWAP:
        return lin_step_emit(compiler, call->at, LIN_DO_SWAP, 0, words, 0);
    case LIN_BUILTIN_FETCH_ADD:
        if (items[0]->type.low) {
            struct lin_step_range bounds;
            TRY(lin_step_range_of(compiler, &items[0]->type, &bounds));
            TRY(lin_step_add_range(compiler, bounds, &range));
        }
        return lin_step_emit(compiler, call->at, LIN_DO_FETCH_ADD, 0, 1, range);
    case LIN_BUILTIN_LL:
        return lin_step_emit(compiler, call->at, LIN_DO_LL, 0, words, 0);
    case LIN_BUILTIN_SC:
        return lin_step_emit(compiler, call->at, LIN_DO_SC, 0, words, 0);
    case LIN_BUILTIN_LOCK:
    case LIN_BUILTIN_UNLOCK:
        TRY(lin_step_emit(compiler, call->at,
                          builtin == LIN_BUILTIN_LOCK ? LIN_DO_LOCK : LIN_DO_UNLOCK, 0, 1, 0));
        return lin_step_emit(compiler, call->at, LIN_DO_PUSH, 0, 0, 0);
    default:
        return lin_step_complain(compiler, call->at, "`%s` is for specifications only", call->name);
    }
}

static enum status compile_assignment(struct lin_step_compiler *compiler,
                                      const struct lin_expression *expression)
{
    const struct lin_expression *target = expression->items[0];
    bool plain = is_plain_name(target),
         computed = expression->kind == LIN_EXPRESSION_STEP || expression->sign != LIN_ASSIGN;
    if (!plain) {
        TRY(compile_address(compiler, target));
        compiler->root = false;
    }
    if (computed) {
        TRY(compile_location(compiler, target));
        if (expression->kind == LIN_EXPRESSION_STEP)
            TRY(lin_step_emit(compiler, expression->at, LIN_DO_PUSH, 0, 0, 1));
        else
            TRY(compile_operand_as(compiler, expression->items[1], LIN_TYPE_INT));
        TRY(lin_step_emit(compiler, expression->at, LIN_DO_CALCULATE, expression->sign, 0, 0));
        TRY(compile_range(compiler, expression->at, &target->type, NULL));
    } else {
        TRY(compile_into(compiler, expression->items[1], &target->type));
    }
    if (plain)
        return compile_name(compiler, target, true);
    return lin_step_emit(compiler, expression->at, LIN_DO_STORE, 0,
                         lin_step_words_of(&target->type), 0);
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
    return known ? lin_step_emit(compiler, expression->at, LIN_DO_PUSH, 0, 0, word) : STATUS_LIMIT;
}

static enum status expect_arguments(struct lin_step_compiler *compiler,
                                    const struct lin_expression *call, uint32_t count)
{
    if (call->count == count)
        return STATUS_OK;
    return lin_step_complain(compiler, call->at, "expected %u argument%s of `%s`, found %u", count,
                             count == 1 ? "" : "s", call->name, call->count);
}

/* The arguments as the parameters' types want them, in the operation's locals. */
static enum status pass_arguments(struct lin_step_compiler *compiler, struct lin_step_body *body,
                                  const struct lin_expression *call)
{
    struct lin_variable *const *parameters = body->operation->parameters;
    for (uint32_t i = 0; i < call->count; i++)
        TRY(lin_step_declare(compiler, parameters[i]));
    compiler->body = body->outer;
    for (uint32_t i = 0; i < call->count; i++) {
        const struct lin_expression *argument = call->items[i];
        enum lin_type_kind want = (enum lin_type_kind)parameters[i]->type.kind,
                           have = (enum lin_type_kind)argument->type.kind;
        bool fits = want == LIN_TYPE_VALUE ? have != LIN_TYPE_BOOL
                                           : (want == LIN_TYPE_INT || want == LIN_TYPE_BOOL) &&
                                                 (have == want || have == LIN_TYPE_ANSWER);
        if (!fits)
            return lin_step_complain(compiler, argument->at,
                                     "expected %s as `%s` of `%s`, found %s",
                                     lin_type_name(&parameters[i]->type), parameters[i]->name,
                                     call->name, lin_type_name(&argument->type));
        TRY(compile_operand_as(compiler, argument, want));
        TRY(compile_range(compiler, argument->at, &parameters[i]->type, argument));
        if (want == LIN_TYPE_VALUE)
            TRY(lin_step_emit(compiler, argument->at, LIN_DO_AS_VALUE, 0, 0, 0));
    }
    compiler->body = body;
    for (uint32_t i = call->count; i-- > 0;)
        TRY(lin_step_emit(compiler, call->at, LIN_DO_STORE_LOCAL, 0, 1, body->places[i].first));
    return STATUS_OK;
}

/* Whether what the operation answers is not looked at: `ok` agrees with anything. */
static bool has_no_answer(const struct lin_step_compiler *compiler,
                          const struct lin_expression *call)
{
    const struct spec *spec = compiler->steps->setting.answers;
    int found = spec ? spec_operation_find(spec->class, call->name, strlen(call->name)) : -1;
    return found >= 0 && spec->class->operations[found].result[0] == 0;
}

/* An implementation's operation, put where it is called. */
static enum status inline_operation(struct lin_step_compiler *compiler, struct lin_step_body *body,
                                    const struct lin_expression *call)
{
    const struct lin_operation *operation = body->operation;
    int64_t only = 0;
    TRY(expect_arguments(compiler, call, operation->parameter_count));
    if (operation->only_thread) {
        TRY(lin_step_constant(compiler, operation->only_thread, "a thread's number", &only));
        if (only != compiler->entry)
            return lin_step_complain(compiler, call->at,
                                     "expected a call of `%s` in thread %lld only", call->name,
                                     (long long)only);
    }
    TRY(pass_arguments(compiler, body, call));
    TRY(lin_step_take_locals(compiler, call->at, 1, &body->result));
    TRY(compile_statement(compiler, operation->body));
    TRY(lin_step_emit(compiler, operation->at, LIN_DO_PUSH, 0, 0, LIN_WORD_NULL));
    TRY(lin_step_emit(compiler, operation->at, LIN_DO_STORE_LOCAL, 0, 1, body->result));
    for (size_t i = 0; i < body->ends.length; i++)
        lin_step_land(compiler, body->ends.items[i]);
    if (has_no_answer(compiler, call))
        return lin_step_emit(compiler, call->at, LIN_DO_PUSH, 0, 0, LIN_WORD_NULL);
    return lin_step_emit(compiler, call->at, LIN_DO_LOAD_LOCAL, 0, 1, body->result);
}

/* A specification's operation: one step. */
static enum status compile_invoke(struct lin_step_compiler *compiler,
                                  const struct lin_expression *call)
{
    const struct spec *spec = compiler->steps->setting.spec;
    int operation = spec_operation_find(spec->class, call->name, strlen(call->name));
    if (operation < 0)
        return lin_step_complain(compiler, call->at, "expected an operation of `%s`, found `%s`",
                                 spec->class->name, call->name);
    const char *shape = spec->class->operations[operation].argument;
    uint32_t count = *shape != 0;
    for (; *shape; shape++)
        count += *shape == ' ';
    TRY(expect_arguments(compiler, call, count));
    TRY(lin_step_emit(compiler, call->at, LIN_DO_STEP, 0, 0, 0));
    for (uint32_t i = 0; i < call->count; i++) {
        TRY(compile_operand(compiler, call->items[i]));
        if (call->items[i]->type.kind != LIN_TYPE_BOOL)
            continue;
        TRY(lin_step_emit(compiler, call->at, LIN_DO_PUSH, 0, 0, LIN_WORD_FALSE));
        TRY(lin_step_emit(compiler, call->at, LIN_DO_CALCULATE, LIN_PLUS, 0, 0));
    }
    return lin_step_emit(compiler, call->at, LIN_DO_INVOKE, 0, call->count, (uint32_t)operation);
}

static enum status compile_call(struct lin_step_compiler *compiler,
                                const struct lin_expression *call)
{
    const struct lin_object *callee = compiler->steps->setting.callee;
    if (!compiler->root)
        return lin_step_complain(
            compiler, call->at,
            "expected a call that stands alone, for `%s` takes steps: store what it "
            "answers in a local variable first",
            call->name);
    if (!callee)
        return compile_invoke(compiler, call);
    const struct lin_operation *operation = NULL;
    for (uint32_t i = 0; i < callee->operation_count; i++)
        if (callee->operations[i]->name == call->name)
            operation = callee->operations[i];
    if (!operation)
        return lin_step_complain(compiler, call->at, "expected an operation of `%s`, found `%s`",
                                 callee->name, call->name);
    struct lin_step_body body;
    enum status status = open_body(compiler, operation, &body);
    body.is_called = true;
    if (status == STATUS_OK)
        status = inline_operation(compiler, &body, call);
    close_body(compiler, &body);
    return status;
}

typedef enum status compile_end(struct lin_step_compiler *compiler,
                                const struct lin_expression *expression, place at);

/* `c ? ok : full`: symbols are no words, so that each has an end of its own. */
static bool is_choice_of_symbols(const struct lin_expression *expression)
{
    return expression && expression->kind == LIN_EXPRESSION_CONDITIONAL &&
           expression->type.kind == LIN_TYPE_SYMBOL;
}

static enum status compile_condition(struct lin_step_compiler *compiler,
                                     const struct lin_expression *expression, place at);

static enum status compile_choice(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression, place at,
                                  compile_end *end)
{
    TRY(compile_condition(compiler, expression->items[0], at));
    uint32_t jump = lin_step_here(compiler);
    TRY(lin_step_emit(compiler, at, LIN_DO_JUMP_IF_FALSE, 0, 0, 0));
    TRY(end(compiler, expression->items[1], at));
    lin_step_land(compiler, jump);
    return end(compiler, expression->items[2], at);
}

/* The answer of a called operation, as the program sees it. */
static enum status compile_called_return(struct lin_step_compiler *compiler,
                                         const struct lin_expression *expression, place at)
{
    struct lin_step_body *body = compiler->body;
    enum lin_type_kind kind = expression ? expression->type.kind : LIN_TYPE_NULL;
    uint32_t word = LIN_WORD_NULL;
    if (is_choice_of_symbols(expression))
        return compile_choice(compiler, expression, at, compile_called_return);
    if (kind == LIN_TYPE_SYMBOL &&
        !lin_word_of_text(compiler->steps->setting.words, expression->name, &word))
        return STATUS_LIMIT;
    if (kind == LIN_TYPE_SYMBOL || kind == LIN_TYPE_NULL) {
        TRY(lin_step_emit(compiler, at, LIN_DO_PUSH, 0, 0, word));
    } else {
        TRY(lin_step_begin(compiler, expression, at, false));
        TRY(compile_value(compiler, expression));
        if (kind == LIN_TYPE_VALUE)
            TRY(lin_step_emit(compiler, at, LIN_DO_AS_ANSWER, 0, 0, 0));
    }
    TRY(lin_step_emit(compiler, at, LIN_DO_STORE_LOCAL, 0, 1, body->result));
    return vector_push(&body->ends, lin_step_here(compiler))
               ? lin_step_emit(compiler, at, LIN_DO_JUMP, 0, 0, 0)
               : STATUS_LIMIT;
}

/* A step of its own, behind the call whose answer it may print. */
static enum status compile_print(struct lin_step_compiler *compiler,
                                 const struct lin_statement *statement)
{
    const struct lin_expression *expression = statement->expression;
    uint32_t printed;
    compiler->root = true;
    TRY(lin_step_take_locals(compiler, statement->at, 1, &printed));
    TRY(compile_value(compiler, expression));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_STORE_LOCAL, 0, 1, printed));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_STEP, 0, 0, 0));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_LOAD_LOCAL, 0, 1, printed));
    return lin_step_emit(compiler, statement->at, LIN_DO_PRINT, 0, 0, 0);
}

static enum status compile_value(struct lin_step_compiler *compiler,
                                 const struct lin_expression *expression)
{
    place at = expression->at;
    int64_t known;
    if (expression->kind == LIN_EXPRESSION_STRING ||
        (is_program(compiler) &&
         (expression->kind == LIN_EXPRESSION_NULL || expression->meaning == LIN_MEANS_SYMBOL)))
        return compile_text(compiler, expression);
    if (lin_step_constant_of(compiler, expression, &known) == STATUS_OK)
        return lin_step_emit(compiler, at, LIN_DO_PUSH, 0, 0, (uint32_t)(int32_t)known);
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_NAME:
        if (expression->meaning == LIN_MEANS_THREAD)
            return lin_step_emit(compiler, at, LIN_DO_WHO, 0, 0, 0);
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
        if (expression->meaning == LIN_MEANS_FUNCTION)
            return compile_function(compiler, expression);
        if (expression->meaning == LIN_MEANS_CALL)
            return compile_call(compiler, expression);
        if (expression->meaning == LIN_MEANS_BUILTIN)
            return compile_builtin(compiler, expression);
        for (uint32_t i = 0; i < expression->count; i++) {
            TRY(compile_operand(compiler, expression->items[i]));
            TRY(compile_range(compiler, expression->items[i]->at,
                              &expression->type.of->fields[i]->type, expression->items[i]));
        }
        return STATUS_OK;
    case LIN_EXPRESSION_UNARY:
        TRY(compile_value(compiler, expression->items[0]));
        TRY(convert(compiler, expression->items[0],
                    expression->sign == LIN_BANG ? LIN_TYPE_BOOL : LIN_TYPE_INT));
        return lin_step_emit(compiler, at,
                             expression->sign == LIN_BANG ? LIN_DO_NOT : LIN_DO_NEGATE, 0, 0, 0);
    case LIN_EXPRESSION_BINARY:
        return compile_binary(compiler, expression);
    case LIN_EXPRESSION_CONDITIONAL:
        return compile_conditional(compiler, expression);
    case LIN_EXPRESSION_ASSIGN:
    case LIN_EXPRESSION_STEP:
        return compile_assignment(compiler, expression);
    case LIN_EXPRESSION_NEW:
        return lin_step_emit(compiler, at, LIN_DO_NEW, 0, 0,
                             lin_step_pool_of(compiler, expression->type.of));
    case LIN_EXPRESSION_CHOOSE:
        if (expression->count != 2)
            break;
        TRY(compile_operand_as(compiler, expression->items[0], LIN_TYPE_INT));
        TRY(compile_operand_as(compiler, expression->items[1], LIN_TYPE_INT));
        return lin_step_emit(compiler, at, LIN_DO_CHOICE, 0, 0, 0);
    default:
        break;
    }
    return lin_step_complain(compiler, at, "expected an expression of an implementation");
}

static enum status compile_condition(struct lin_step_compiler *compiler,
                                     const struct lin_expression *expression, place at)
{
    TRY(lin_step_begin(compiler, expression, at, false));
    TRY(compile_value(compiler, expression));
    return convert(compiler, expression, LIN_TYPE_BOOL);
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
    TRY(compile_value(compiler, expression));
    if (expression->kind == LIN_EXPRESSION_CALL)
        return lin_step_emit(compiler, expression->at, LIN_DO_POP, 0, 0,
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
            TRY(compile_default(compiler, type->of->fields[i]));
        return STATUS_OK;
    }
    if (type->kind != LIN_TYPE_INT)
        return lin_step_emit(compiler, variable->at, LIN_DO_PUSH, 0, 0,
                             type->kind == LIN_TYPE_ANSWER ? LIN_WORD_NULL : 0);
    TRY(lin_step_range_of(compiler, type, &range));
    return lin_step_emit(compiler, variable->at, LIN_DO_PUSH, 0, 0,
                         range.low <= 0 && range.high >= 0 ? 0 : (uint32_t)range.low);
}

/* Sets every item of a variable. */
static enum status compile_initial(struct lin_step_compiler *compiler,
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
            TRY(compile_into(compiler, listed ? initial->items[i] : initial, &variable->type));
        else
            TRY(compile_default(compiler, variable));
        TRY(lin_step_emit(compiler, variable->at, shared ? LIN_DO_STORE_SHARED : LIN_DO_STORE_LOCAL,
                          0, room->words, room->first + i * room->words));
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
    return compile_initial(compiler, room, false);
}

static enum status compile_either(struct lin_step_compiler *compiler,
                                  const struct lin_statement *statement)
{
    uint32_t chosen;
    uint32_t *ends = arena_allocate(compiler->steps->arena, statement->count * sizeof *ends);
    if (!ends)
        return STATUS_LIMIT;
    TRY(lin_step_take_locals(compiler, statement->at, 1, &chosen));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_PUSH, 0, 0, 0));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_PUSH, 0, 0, statement->count - 1));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_CHOICE, 0, 0, 0));
    TRY(lin_step_emit(compiler, statement->at, LIN_DO_STORE_LOCAL, 0, 1, chosen));
    for (uint32_t i = 0; i < statement->count; i++) {
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_LOAD_LOCAL, 0, 1, chosen));
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_PUSH, 0, 0, i));
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_SAME, 0, 1, 0));
        uint32_t next = lin_step_here(compiler);
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_JUMP_IF_FALSE, 0, 0, 0));
        TRY(compile_statement(compiler, statement->items[i]));
        ends[i] = lin_step_here(compiler);
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_JUMP, 0, 0, 0));
        lin_step_land(compiler, next);
    }
    for (uint32_t i = 0; i < statement->count; i++)
        lin_step_land(compiler, ends[i]);
    return STATUS_OK;
}

static enum status symbol_number(struct lin_step_compiler *compiler, const char *name,
                                 uint32_t *number)
{
    struct lin_steps *steps = compiler->steps;
    for (*number = 0; *number < steps->symbols.length; (*number)++)
        if (strcmp(steps->symbols.items[*number], name) == 0)
            return STATUS_OK;
    return vector_push(&steps->symbols, name) ? STATUS_OK : STATUS_LIMIT;
}

static enum status compile_function_return(struct lin_step_compiler *compiler,
                                           const struct lin_statement *statement)
{
    struct lin_step_body *body = compiler->body;
    if (statement->expression) {
        const struct lin_type *type = &body->operation->type;
        TRY(lin_step_begin(compiler, statement->expression, statement->at, false));
        TRY(compile_into(compiler, statement->expression, type));
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_STORE_LOCAL, 0, lin_step_words_of(type),
                          body->result));
    }
    return vector_push(&body->ends, lin_step_here(compiler))
               ? lin_step_emit(compiler, statement->at, LIN_DO_JUMP, 0, 0, 0)
               : STATUS_LIMIT;
}

static void note_answer(struct lin_step_compiler *compiler, enum lin_type_kind kind)
{
    struct lin_entry *entry = &compiler->steps->entries[compiler->entry];
    entry->answers_values |= kind == LIN_TYPE_VALUE;
    entry->answers_numbers |= kind == LIN_TYPE_INT;
}

/* The end of an operation: a RETURN that the thread stands at until it has answered. */
static enum status compile_answer(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression, place at)
{
    enum lin_type_kind kind = expression ? expression->type.kind : LIN_TYPE_SYMBOL;
    uint32_t symbol = 0;
    if (compiler->entry == UINT32_MAX)
        return lin_step_emit(compiler, at, LIN_DO_END, 0, 0, 0);
    if (is_choice_of_symbols(expression))
        return compile_choice(compiler, expression, at, compile_answer);
    if (kind == LIN_TYPE_SYMBOL) {
        TRY(symbol_number(compiler, expression ? expression->name : "ok", &symbol));
    } else if (kind == LIN_TYPE_NULL) {
        kind = LIN_TYPE_SYMBOL;
        TRY(symbol_number(compiler, "empty", &symbol));
    } else {
        TRY(lin_step_begin(compiler, expression, at, false));
        TRY(compile_value(compiler, expression));
        TRY(lin_step_emit(compiler, at, LIN_DO_STORE_LOCAL, 0, 1, compiler->steps->result));
    }
    note_answer(compiler, kind);
    return lin_step_emit(compiler, at, LIN_DO_RETURN, kind, compiler->entry, symbol);
}

/* A point of the answer `expression`; null: it is left open. */
static enum status compile_point(struct lin_step_compiler *compiler,
                                 const struct lin_expression *expression, place at)
{
    enum lin_type_kind kind = expression ? expression->type.kind : LIN_TYPE_SYMBOL;
    uint32_t symbol = 0;
    if (!expression) {
        symbol = UINT32_MAX;
    } else if (expression->kind == LIN_EXPRESSION_CONDITIONAL && kind == LIN_TYPE_SYMBOL) {
        TRY(compile_condition(compiler, expression->items[0], at));
        uint32_t jump = lin_step_here(compiler);
        TRY(lin_step_emit(compiler, at, LIN_DO_JUMP_IF_FALSE, 0, 0, 0));
        TRY(compile_point(compiler, expression->items[1], at));
        uint32_t end = lin_step_here(compiler);
        TRY(lin_step_emit(compiler, at, LIN_DO_JUMP, 0, 0, 0));
        lin_step_land(compiler, jump);
        TRY(compile_point(compiler, expression->items[2], at));
        lin_step_land(compiler, end);
        return STATUS_OK;
    } else if (kind == LIN_TYPE_SYMBOL) {
        TRY(symbol_number(compiler, expression->name, &symbol));
    } else if (kind == LIN_TYPE_NULL) {
        kind = LIN_TYPE_SYMBOL;
        TRY(symbol_number(compiler, "empty", &symbol));
    } else {
        TRY(lin_step_begin(compiler, expression, at, false));
        TRY(compile_value(compiler, expression));
    }
    note_answer(compiler, kind);
    return lin_step_emit(compiler, at, LIN_DO_LINEARIZE, kind, compiler->entry, symbol);
}

/* Local computation as a rule, so that a point belongs to the step before it. */
static enum status compile_linearize(struct lin_step_compiler *compiler,
                                     const struct lin_statement *statement)
{
    if (compiler->entry == UINT32_MAX)
        return lin_step_complain(compiler, statement->at,
                                 "expected `linearize` in an operation, found it in `init`");
    if (!compiler->steps->setting.points)
        return STATUS_OK;
    return compile_point(compiler, statement->expression, statement->at);
}

/* Where control can wait, a step begins, be what is waited for shared or not. */
static enum status compile_wait(struct lin_step_compiler *compiler,
                                const struct lin_statement *statement)
{
    TRY(lin_step_begin(compiler, statement->expression, statement->at, true));
    TRY(compile_value(compiler, statement->expression));
    TRY(convert(compiler, statement->expression, LIN_TYPE_BOOL));
    return lin_step_emit(compiler, statement->at, LIN_DO_WAIT_FOR, 0, 0, 0);
}

static enum status compile_items(struct lin_step_compiler *compiler,
                                 const struct lin_statement *statement)
{
    for (uint32_t i = 0; i < statement->count; i++)
        TRY(compile_statement(compiler, statement->items[i]));
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
        TRY(lin_step_emit(compiler, statement->at, LIN_DO_STEP, 0, 0, 0));
    compiler->atomic++;
    TRY(compile_items(compiler, statement));
    compiler->atomic--;
    return STATUS_OK;
}

static enum status compile_statement(struct lin_step_compiler *compiler,
                                     const struct lin_statement *statement)
{
    switch ((enum lin_statement_kind)statement->kind) {
    case LIN_STATEMENT_BLOCK:
        return compile_items(compiler, statement);
    case LIN_STATEMENT_DECLARE:
        return compile_declaration(compiler, statement->variable);
    case LIN_STATEMENT_EXPRESSION:
        return compile_effect(compiler, statement->expression);
    case LIN_STATEMENT_IF:
        return lin_flow_if(&compiler->flow, statement);
    case LIN_STATEMENT_FOR:
        if (statement->items[0])
            TRY(compile_statement(compiler, statement->items[0]));
        return lin_flow_loop(&compiler->flow, statement);
    case LIN_STATEMENT_WHILE:
    case LIN_STATEMENT_DO:
        return lin_flow_loop(&compiler->flow, statement);
    case LIN_STATEMENT_RETURN:
        if (compiler->body->operation->is_function)
            return compile_function_return(compiler, statement);
        if (compiler->body->is_called)
            return compile_called_return(compiler, statement->expression, statement->at);
        return compile_answer(compiler, statement->expression, statement->at);
    case LIN_STATEMENT_BREAK:
    case LIN_STATEMENT_CONTINUE:
        return lin_flow_jump(&compiler->flow, statement);
    case LIN_STATEMENT_ATOMIC:
        return compile_atomic(compiler, statement);
    case LIN_STATEMENT_AWAIT:
    case LIN_STATEMENT_ASSUME:
        return compile_wait(compiler, statement);
    case LIN_STATEMENT_ASSERT:
        TRY(compile_condition(compiler, statement->expression, statement->at));
        return lin_step_emit(compiler, statement->at, LIN_DO_CLAIM, 0, 0, 0);
    case LIN_STATEMENT_LINEARIZE:
        return compile_linearize(compiler, statement);
    case LIN_STATEMENT_EITHER:
        return compile_either(compiler, statement);
    case LIN_STATEMENT_PRINT:
        return compile_print(compiler, statement);
    default:
        return lin_step_complain(compiler, statement->at,
                                 "expected a statement of an implementation");
    }
}

static enum status flow_condition(void *compiler, const struct lin_expression *condition, place at)
{
    return compile_condition(compiler, condition, at);
}

static bool flow_is_endless(const void *compiler, const struct lin_expression *condition)
{
    return is_always_true(compiler, condition);
}

static enum status flow_statement(void *compiler, const struct lin_statement *statement)
{
    return compile_statement(compiler, statement);
}

static enum status flow_effect(void *compiler, const struct lin_expression *expression)
{
    return compile_effect(compiler, expression);
}

static const struct lin_flow_class flow_class = {
    .jump = LIN_DO_JUMP,
    .jump_if_false = LIN_DO_JUMP_IF_FALSE,
    .jump_if_true = LIN_DO_JUMP_IF_TRUE,
    .condition = flow_condition,
    .is_endless = flow_is_endless,
    .statement = flow_statement,
    .effect = flow_effect,
};

static enum status describe_pool(struct lin_step_compiler *compiler, struct lin_pool *pool)
{
    struct lin_steps *steps = compiler->steps;
    VECTOR(struct lin_reference_slot) references;
    vector_init(&references, steps->arena->budget);
    pool->lengths = arena_allocate(steps->arena, pool->of->field_count * sizeof *pool->lengths);
    enum status status = pool->lengths ? STATUS_OK : STATUS_LIMIT;
    pool->words = 1;
    for (uint32_t i = 0; status == STATUS_OK && i < pool->of->field_count; i++) {
        const struct lin_variable *field = pool->of->fields[i];
        uint32_t length = 0;
        status = lin_step_length_of(compiler, field, &length);
        if (status == STATUS_OK)
            status = lin_step_note_references(compiler, field, pool->words, length, &references);
        if (status == STATUS_OK)
            status = lin_step_note_values(compiler, field, pool->words, length);
        pool->lengths[i] = length;
        pool->words += length * lin_step_words_of(&field->type);
        if (status == STATUS_OK && pool->words > LIN_MOST_SLOTS)
            status = lin_step_complain(compiler, field->at,
                                       "expected a node of at most %d words, found more",
                                       LIN_MOST_SLOTS);
    }
    pool->reference_count = (uint32_t)references.length;
    pool->references = arena_allocate(steps->arena, references.length * sizeof *references.items);
    if (status == STATUS_OK && !pool->references)
        status = STATUS_LIMIT;
    if (status == STATUS_OK && references.length)
        memcpy(pool->references, references.items, references.length * sizeof *references.items);
    vector_release(&references);
    return status == STATUS_OK ? lin_step_take_values(compiler, &pool->values) : status;
}

/* The least value of a range without 0, and 0 of all else; a word for each part of a record. */
static enum status default_words(struct lin_step_compiler *compiler, const struct lin_type *type,
                                 int32_t *words)
{
    struct lin_step_range range = {0, 0};
    if (type->kind == LIN_TYPE_RECORD) {
        for (uint32_t i = 0; i < type->of->field_count; i++) {
            const struct lin_type *part = &type->of->fields[i]->type;
            TRY(default_words(compiler, part, words));
            words += lin_step_words_of(part);
        }
        return STATUS_OK;
    }
    if (type->kind == LIN_TYPE_INT)
        TRY(lin_step_range_of(compiler, type, &range));
    *words = range.low <= 0 && range.high >= 0 ? 0 : range.low;
    return STATUS_OK;
}

static enum status initial_of_field(struct lin_step_compiler *compiler,
                                    const struct lin_variable *field, int64_t *known)
{
    struct lin_step_range range;
    TRY(lin_step_constant(compiler, field->initial, "the initial value of a field", known));
    if (field->type.kind != LIN_TYPE_INT)
        return STATUS_OK;
    TRY(lin_step_range_of(compiler, &field->type, &range));
    if (*known >= range.low && *known <= range.high)
        return STATUS_OK;
    return lin_step_complain(compiler, field->initial->at,
                             "expected an int from %d to %d, found %lld", range.low, range.high,
                             (long long)*known);
}

/* The words of a new node, found as constants. */
static enum status describe_new_node(struct lin_step_compiler *compiler, struct lin_pool *pool)
{
    uint32_t at = 1;
    pool->initial = arena_allocate(compiler->steps->arena, pool->words * sizeof *pool->initial);
    if (!pool->initial)
        return STATUS_LIMIT;
    pool->initial[0] = LIN_NODE_LIVE;
    for (uint32_t i = 0; i < pool->of->field_count; i++) {
        const struct lin_variable *field = pool->of->fields[i];
        uint32_t words = lin_step_words_of(&field->type);
        int64_t known = 0;
        if (field->initial)
            TRY(initial_of_field(compiler, field, &known));
        for (uint32_t j = 0; j < pool->lengths[i]; j++, at += words) {
            if (field->initial)
                pool->initial[at] = (int32_t)known;
            else
                TRY(default_words(compiler, &field->type, pool->initial + at));
        }
    }
    return STATUS_OK;
}

static uint32_t count_new_in(const struct lin_steps *steps, const struct lin_expression *expression,
                             const struct lin_struct *of);

static uint32_t count_new(const struct lin_steps *steps, const struct lin_statement *statement,
                          const struct lin_struct *of)
{
    uint32_t count =
        count_new_in(steps, statement->expression, of) + count_new_in(steps, statement->step, of) +
        (statement->variable ? count_new_in(steps, statement->variable->initial, of) : 0);
    bool loops = statement->kind == LIN_STATEMENT_WHILE || statement->kind == LIN_STATEMENT_DO ||
                 statement->kind == LIN_STATEMENT_FOR;
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i])
            count += count_new(steps, statement->items[i], of);
    return loops && steps->setting.words ? 4 * count : count;
}

static uint32_t count_new_in(const struct lin_steps *steps, const struct lin_expression *expression,
                             const struct lin_struct *of)
{
    if (!expression)
        return 0;
    uint32_t count = expression->kind == LIN_EXPRESSION_NEW && expression->type.of == of;
    if (expression->meaning == LIN_MEANS_FUNCTION)
        count += count_new(steps, expression->operation->body, of);
    const struct lin_object *callee = steps->setting.callee;
    for (uint32_t i = 0; expression->meaning == LIN_MEANS_CALL && i < callee->operation_count; i++)
        if (callee->operations[i]->name == expression->name)
            count += count_new(steps, callee->operations[i]->body, of);
    for (uint32_t i = 0; i < expression->count; i++)
        count += count_new_in(steps, expression->items[i], of);
    return count;
}

/* What no run of the clients can exhaust, unless an operation makes nodes in a loop. */
static uint32_t default_nodes(const struct lin_steps *steps, const struct lin_struct *of)
{
    const struct lin_object *object = steps->object;
    uint32_t first = object->initially ? count_new(steps, object->initially->body, of) : 0,
             most = 0;
    for (uint32_t i = 0; i < object->operation_count; i++) {
        uint32_t count = count_new(steps, object->operations[i]->body, of);
        most = count > most ? count : most;
    }
    uint32_t operations = steps->setting.operations < 0 ? 4 : (uint32_t)steps->setting.operations;
    return first + steps->setting.threads * operations * most;
}

static enum status note_lengths(struct lin_step_compiler *compiler,
                                const struct lin_variable *variable, uint32_t **lengths)
{
    *lengths = arena_allocate(compiler->steps->arena, variable->length_count * sizeof **lengths);
    if (!*lengths)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < variable->length_count; i++) {
        int64_t length = 0;
        TRY(lin_step_constant(compiler, variable->lengths[i], "a length", &length));
        (*lengths)[i] = (uint32_t)length;
    }
    return STATUS_OK;
}

static enum status lay_out(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    const struct lin_object *object = steps->object;
    uint32_t next = 0;
    for (uint32_t i = 0; i < object->variable_count; i++) {
        struct lin_layout_of_shared *layout = &steps->shared[i];
        layout->variable = object->variables[i];
        layout->words = lin_step_words_of(&layout->variable->type);
        layout->first = next;
        TRY(lin_step_length_of(compiler, layout->variable, &layout->length));
        TRY(note_lengths(compiler, layout->variable, &layout->lengths));
        TRY(lin_step_note_references(compiler, layout->variable, next, layout->length,
                                     &steps->shared_references));
        TRY(lin_step_note_values(compiler, layout->variable, next, layout->length));
        next += layout->length * layout->words;
        if (next > LIN_MOST_SLOTS)
            return lin_step_complain(compiler, object->at,
                                     "expected at most %d words of shared variables",
                                     LIN_MOST_SLOTS);
    }
    TRY(lin_step_take_values(compiler, &steps->shared_values));
    if (steps->setting.spec)
        steps->spec_slot = next++;
    if (steps->setting.fresh)
        steps->last_slot = next++;
    steps->heap_first = next;
    for (uint32_t i = 0; i < steps->pool_count; i++) {
        struct lin_pool *pool = &steps->pools[i];
        TRY(describe_pool(compiler, pool));
        TRY(describe_new_node(compiler, pool));
        pool->is_default = steps->setting.nodes < 0;
        pool->nodes =
            pool->is_default ? default_nodes(steps, pool->of) : (uint32_t)steps->setting.nodes;
        pool->first = next;
        if (pool->nodes > LIN_MOST_SLOTS ||
            next + (uint64_t)pool->nodes * pool->words > LIN_MOST_SLOTS)
            return lin_step_complain(compiler, pool->of->at, "expected fewer than %u nodes of `%s`",
                                     pool->nodes, pool->of->name);
        next += pool->nodes * pool->words;
    }
    steps->thread_first = next;
    return STATUS_OK;
}

static enum status compile_initially(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    const struct lin_object *object = steps->object;
    static const struct lin_operation nothing;
    const struct lin_operation *initially = object->initially ? object->initially : &nothing;
    struct lin_step_body body;
    compiler->entry = UINT32_MAX;
    compiler->locals = 0;
    steps->initially = lin_step_here(compiler);
    enum status status = open_body(compiler, initially, &body);
    for (uint32_t i = 0; status == STATUS_OK && i < object->variable_count; i++) {
        const struct lin_layout_of_shared *layout = &steps->shared[i];
        struct lin_step_place room = {layout->variable, layout->first, layout->length,
                                      layout->words};
        status = compile_initial(compiler, &room, true);
    }
    if (status == STATUS_OK && initially->body)
        status = compile_statement(compiler, initially->body);
    if (status == STATUS_OK)
        status = lin_step_emit(compiler, object->at, LIN_DO_END, 0, 0, 0);
    close_body(compiler, &body);
    return status;
}

/* What arguments clients pass. */
static enum status describe_parameters(struct lin_step_compiler *compiler, struct lin_entry *entry)
{
    const struct lin_operation *operation = entry->operation;
    entry->parameters = arena_allocate(compiler->steps->arena,
                                       operation->parameter_count * sizeof *entry->parameters);
    if (!entry->parameters)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < operation->parameter_count; i++) {
        const struct lin_variable *parameter = operation->parameters[i];
        struct lin_step_range *range = &entry->parameters[i];
        if (parameter->type.kind == LIN_TYPE_BOOL)
            *range = (struct lin_step_range){0, 1};
        else if (parameter->type.kind == LIN_TYPE_VALUE)
            *range = (struct lin_step_range){1, (int32_t)compiler->steps->setting.values};
        else if (parameter->type.kind == LIN_TYPE_INT && parameter->type.low)
            TRY(lin_step_range_of(compiler, &parameter->type, range));
        else
            return lin_step_complain(compiler, parameter->at,
                                     "expected an argument that clients can choose (value, bool or "
                                     "int(low..high)), found %s",
                                     lin_type_name(&parameter->type));
    }
    return STATUS_OK;
}

enum reached {
    REACHED_NOT,
    REACHED,
    REACHED_AND_LEFT,
};

static void reach(uint8_t *reached, uint32_t at)
{
    if (reached[at] == REACHED_NOT)
        reached[at] = REACHED;
}

/* Whether a point is reached from an instruction on before a step begins. */
static bool reaches_point(const struct lin_steps *steps, uint32_t start, uint8_t *reached)
{
    uint32_t end = lin_here(&steps->listing);
    reached[start] = REACHED;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t at = start; at < end; at++) {
            const struct lin_instruction *instruction = &steps->listing.code.items[at];
            enum lin_step_op op = (enum lin_step_op)instruction->op;
            if (reached[at] != REACHED)
                continue;
            changed = true;
            reached[at] = REACHED_AND_LEFT;
            if (op == LIN_DO_LINEARIZE)
                return true;
            if (op == LIN_DO_JUMP || op == LIN_DO_JUMP_IF_FALSE || op == LIN_DO_JUMP_IF_TRUE)
                reach(reached, (uint32_t)instruction->operand);
            if (op != LIN_DO_JUMP && op != LIN_DO_STEP && op != LIN_DO_RETURN)
                reach(reached, at + 1);
        }
    }
    return false;
}

/* Room for what a point needs, and for a step before the operation's first statement. */
static enum status open_point(struct lin_step_compiler *compiler, struct lin_entry *entry)
{
    const struct lin_operation *operation = entry->operation;
    uint32_t words = 1 + operation->parameter_count;
    TRY(lin_step_take_locals(compiler, operation->at, words, &entry->pointed));
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        if (operation->parameters[i]->type.kind == LIN_TYPE_VALUE &&
            !vector_push(&compiler->values, entry->pointed + 1 + i))
            return STATUS_LIMIT;
    return lin_step_emit(compiler, operation->body->at, LIN_DO_JUMP, 0, 0, entry->start + 1);
}

/* A call is no point: where one comes before the operation's first step, a step begins. */
static enum status part_point_from_call(struct lin_step_compiler *compiler, uint32_t start)
{
    struct lin_steps *steps = compiler->steps;
    uint8_t *reached = memory_zeroed(steps->arena->budget, lin_step_here(compiler));
    if (!reached)
        return STATUS_LIMIT;
    if (reaches_point(steps, start, reached))
        steps->listing.code.items[start].op = LIN_DO_STEP;
    memory_release(steps->arena->budget, reached, lin_step_here(compiler));
    return STATUS_OK;
}

static enum status compile_entry(struct lin_step_compiler *compiler, uint32_t number)
{
    struct lin_steps *steps = compiler->steps;
    struct lin_entry *entry = &steps->entries[number];
    const struct lin_operation *operation = steps->object->operations[number];
    struct lin_step_body body;
    int64_t only = -1;
    *entry = (struct lin_entry){.operation = operation, .start = lin_step_here(compiler)};
    if (operation->only_thread)
        TRY(lin_step_constant(compiler, operation->only_thread, "a thread's number", &only));
    if (operation->only_thread && only < 0)
        return lin_step_complain(compiler, operation->only_thread->at,
                                 "expected a thread's number, from 0, found %lld", (long long)only);
    entry->only = steps->setting.words ? (int32_t)number : (int32_t)only;
    TRY(describe_parameters(compiler, entry));
    compiler->entry = number;
    compiler->locals = 1; /* the result */
    compiler->references.length = 0;
    compiler->values.length = 0;
    compiler->declared.length = 0;
    enum status status = open_body(compiler, operation, &body);
    for (uint32_t i = 0; status == STATUS_OK && i < operation->parameter_count; i++)
        status = lin_step_declare(compiler, operation->parameters[i]);
    if (status == STATUS_OK && steps->setting.points)
        status = open_point(compiler, entry);
    if (status == STATUS_OK)
        status = compile_statement(compiler, operation->body);
    if (status == STATUS_OK)
        status = compile_answer(compiler, NULL, operation->at);
    if (status == STATUS_OK && steps->setting.points)
        status = part_point_from_call(compiler, entry->start);
    close_body(compiler, &body);
    TRY(status);
    entry->reference_count = (uint32_t)compiler->references.length;
    entry->references = arena_allocate(steps->arena, compiler->references.length *
                                                         sizeof *compiler->references.items);
    entry->local_count = (uint32_t)compiler->declared.length;
    entry->locals = arena_allocate(steps->arena, entry->local_count * sizeof *entry->locals);
    if (!entry->references || !entry->locals)
        return STATUS_LIMIT;
    if (entry->local_count)
        memcpy(entry->locals, compiler->declared.items, entry->local_count * sizeof *entry->locals);
    if (entry->reference_count)
        memcpy(entry->references, compiler->references.items,
               compiler->references.length * sizeof *compiler->references.items);
    return lin_step_take_values(compiler, &entry->values);
}

/* The state's words, once it is known how many locals there are. */
static enum status size_state(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    steps->thread_words = LIN_THREAD_HEADER + steps->locals;
    uint64_t slots = steps->thread_first + (uint64_t)steps->setting.threads * steps->thread_words;
    if (slots > LIN_MOST_SLOTS)
        return lin_step_complain(compiler, steps->object->at,
                                 "expected a state of at most %d words, found %llu", LIN_MOST_SLOTS,
                                 (unsigned long long)slots);
    steps->slots = (uint32_t)slots;
    return STATUS_OK;
}

static enum status compile_all(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    const struct lin_object *object = steps->object;
    steps->shared = arena_allocate(steps->arena, object->variable_count * sizeof *steps->shared);
    steps->pools = arena_allocate(steps->arena, object->struct_count * sizeof *steps->pools);
    steps->entries = arena_allocate(steps->arena, object->operation_count * sizeof *steps->entries);
    if (!steps->shared || !steps->pools || !steps->entries)
        return STATUS_LIMIT;
    for (uint32_t i = 0; i < object->struct_count; i++)
        if (!object->structs[i]->is_record)
            steps->pools[steps->pool_count++] = (struct lin_pool){.of = object->structs[i]};
    steps->locals = 1;
    TRY(lay_out(compiler));
    TRY(compile_initially(compiler));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(compile_entry(compiler, i));
    TRY(size_state(compiler));
    return lin_step_find_live(steps);
}

static void begin(struct lin_step_compiler *compiler, struct lin_steps *steps, struct error *error)
{
    *compiler = (struct lin_step_compiler){
        .steps = steps,
        .flow = {.class = &flow_class, .compiler = compiler, .listing = &steps->listing},
        .error = error};
}

enum status lin_steps_compile(const struct lin_module *module, const struct lin_object *object,
                              const int32_t *parameters, const struct lin_setting *setting,
                              struct arena *arena, struct lin_steps *steps, struct error *error)
{
    *steps = (struct lin_steps){.module = module,
                                .object = object,
                                .arena = arena,
                                .setting = *setting,
                                .parameters = parameters};
    lin_listing_init(&steps->listing, arena->budget);
    vector_init(&steps->live, arena->budget);
    vector_init(&steps->ranges, arena->budget);
    vector_init(&steps->symbols, arena->budget);
    vector_init(&steps->shared_references, arena->budget);
    struct lin_step_compiler compiler = {.steps = steps, .error = error};
    compiler.flow =
        (struct lin_flow){.class = &flow_class, .compiler = &compiler, .listing = &steps->listing};
    vector_init(&compiler.references, arena->budget);
    vector_init(&compiler.values, arena->budget);
    vector_init(&compiler.declared, arena->budget);
    enum status status = compile_all(&compiler);
    vector_release(&compiler.references);
    vector_release(&compiler.values);
    vector_release(&compiler.declared);
    return status;
}

enum status lin_steps_condition(struct lin_steps *steps, const struct lin_expression *condition,
                                uint32_t *start, struct error *error)
{
    struct lin_step_compiler compiler;
    begin(&compiler, steps, error);
    compiler.entry = UINT32_MAX;
    *start = lin_step_here(&compiler);
    vector_init(&compiler.references,
                steps->arena->budget); /* of functions: nothing outlives them */
    vector_init(&compiler.values, steps->arena->budget);
    vector_init(&compiler.declared, steps->arena->budget);
    enum status status = compile_value(&compiler, condition);
    vector_release(&compiler.references);
    vector_release(&compiler.values);
    vector_release(&compiler.declared);
    if (status == STATUS_OK)
        status = lin_step_emit(&compiler, condition->at, LIN_DO_END, 0, 0, 0);
    return status == STATUS_OK ? size_state(&compiler) : status;
}

void lin_steps_release(struct lin_steps *steps)
{
    lin_listing_release(&steps->listing);
    vector_release(&steps->live);
    vector_release(&steps->ranges);
    vector_release(&steps->symbols);
    vector_release(&steps->shared_references);
}
