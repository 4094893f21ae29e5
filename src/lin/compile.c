#include "lin/compile.h"

#include <string.h>

#include "lin/arguments.h"
#include "lin/check.h"
#include "lin/lexer.h"

/* An index of what is stored to, and the local that holds it. */
struct found_index {
    const struct lin_expression *index;
    uint32_t local;
};

struct compiler {
    struct lin_program *program;
    const struct lin_module *module;
    struct listing listing;
    struct lin_flow flow;
    VECTOR(struct lin_layout) locals; /* of the operation, by variable->number */
    uint32_t local_slots;
    VECTOR(struct found_index) indices; /* of the assignment that is compiled */
    struct error *error;
};

#define complain(compiler, at, ...)                                                                \
    script_error((compiler)->module->script, (at), (compiler)->error, __VA_ARGS__)

static enum status constant_integer(struct compiler *compiler,
                                    const struct lin_expression *expression, const char *what,
                                    int64_t *integer)
{
    value found;
    if (lin_constant(expression, compiler->program->parameters, compiler->program->pool, &found) ==
            STATUS_OK &&
        value_get_integer(found, integer))
        return STATUS_OK;
    return complain(compiler, expression->at, "expected %s made of constants and parameters", what);
}

/* ---- emitting ---- */

static enum status emit(struct compiler *compiler, place at, enum opcode op, unsigned small,
                        uint32_t wide, uint32_t operand)
{
    return lin_emit(&compiler->listing, at, op, small, wide, operand);
}

static enum status emit_constant(struct compiler *compiler, place at, value constant)
{
    struct lin_program *program = compiler->program;
    uint32_t number = 0;
    if (constant == VALUE_REFUSED)
        return STATUS_LIMIT;
    if (datum_is_immediate(constant))
        return listing_push(&compiler->listing, at, constant);
    while (number < program->constants.length && program->constants.items[number] != constant)
        number++;
    if (number == program->constants.length && !vector_push(&program->constants, constant))
        return STATUS_LIMIT;
    return emit(compiler, at, OP_PUSH_CONSTANT, 0, 0, number);
}

static value symbol_of(const struct lin_program *program, const char *name)
{
    if (strcmp(name, "empty") == 0)
        return VALUE_NIL;
    return value_text(program->pool, KIND_SYMBOL, name, strlen(name));
}

static enum status range_of(struct compiler *compiler, const struct lin_type *type,
                            struct range_limit *range)
{
    *range = (struct range_limit){.low = INT32_MIN, .high = INT32_MAX};
    if (!type->low)
        return STATUS_OK;
    TRY(constant_integer(compiler, type->low, "a bound", &range->low));
    TRY(constant_integer(compiler, type->high, "a bound", &range->high));
    if (range->low <= range->high)
        return STATUS_OK;
    return complain(compiler, type->at, "expected a range from low to high, found %lld..%lld",
                    (long long)range->low, (long long)range->high);
}

static enum status emit_range(struct compiler *compiler, place at, const struct lin_type *type)
{
    struct range_limit range;
    TRY(range_of(compiler, type, &range));
    if (!vector_push(&compiler->program->ranges, range))
        return STATUS_LIMIT;
    return emit(compiler, at, OP_CHECK_RANGE, 0, 0, (uint32_t)compiler->program->ranges.length - 1);
}

static enum value_kind kind_of(enum lin_type_kind kind)
{
    switch (kind) {
    case LIN_TYPE_INT:
        return KIND_INTEGER;
    case LIN_TYPE_BOOL:
        return KIND_BOOLEAN;
    case LIN_TYPE_LIST:
        return KIND_LIST;
    case LIN_TYPE_SET:
        return KIND_SET;
    default:
        assert(kind == LIN_TYPE_MAP);
        return KIND_MAP;
    }
}

/* What must hold of a value that goes into a place of this type. */
static enum status emit_conversion(struct compiler *compiler, place at,
                                   const struct lin_type *target, const struct lin_type *source)
{
    if (target->kind != LIN_TYPE_VALUE && source->kind == LIN_TYPE_VALUE)
        TRY(emit(compiler, at, OP_CHECK, kind_of(target->kind), 0, 0));
    return target->kind == LIN_TYPE_INT && target->low ? emit_range(compiler, at, target)
                                                       : STATUS_OK;
}

/* ---- expressions ---- */

static enum status compile_expression(struct compiler *compiler,
                                      const struct lin_expression *expression);

/* An expression whose value goes into a place of type `target`. */
static enum status compile_into(struct compiler *compiler, const struct lin_expression *expression,
                                const struct lin_type *target)
{
    if (target->kind == LIN_TYPE_MAP && expression->kind == LIN_EXPRESSION_SET)
        return emit(compiler, expression->at, OP_MAP, 0, 0, 0);
    TRY(compile_expression(compiler, expression));
    return emit_conversion(compiler, expression->at, target, &expression->type);
}

/* An expression that must be of a kind. */
static enum status compile_kind(struct compiler *compiler, const struct lin_expression *expression,
                                enum lin_type_kind kind)
{
    TRY(compile_expression(compiler, expression));
    if (expression->type.kind == kind)
        return STATUS_OK;
    return emit(compiler, expression->at, OP_CHECK, kind_of(kind), 0, 0);
}

static const struct lin_layout *layout_of(const struct compiler *compiler,
                                          const struct lin_expression *name)
{
    return name->meaning == LIN_MEANS_SHARED ? &compiler->program->layouts[name->variable->number]
                                             : &compiler->locals.items[name->variable->number];
}

/* The array that an INDEX chain goes down to, or null if it is a collection that is indexed. */
static const struct lin_expression *array_of(const struct lin_expression *expression)
{
    while (expression->kind == LIN_EXPRESSION_INDEX && expression->items[0]->type.dimensions > 0)
        expression = expression->items[0];
    return expression->type.dimensions > 0 || expression->kind == LIN_EXPRESSION_NAME ? expression
                                                                                      : NULL;
}

/* The local that holds an index which was evaluated before the value that is stored; UINT32_MAX:
 * none does. */
static uint32_t found_before(const struct compiler *compiler, const struct lin_expression *index)
{
    for (size_t i = 0; i < compiler->indices.length; i++)
        if (compiler->indices.items[i].index == index)
            return compiler->indices.items[i].local;
    return UINT32_MAX;
}

/* Pushes an index, of an array or a collection. */
static enum status compile_new_index(struct compiler *compiler, const struct lin_expression *index,
                                     bool array)
{
    return array ? compile_kind(compiler, index, LIN_TYPE_INT)
                 : compile_expression(compiler, index);
}

/* The same; `stores`: it may be known. */
static enum status compile_index_of(struct compiler *compiler, const struct lin_expression *index,
                                    bool array, bool stores)
{
    const uint32_t local = stores ? found_before(compiler, index) : UINT32_MAX;
    return local == UINT32_MAX ? compile_new_index(compiler, index, array)
                               : emit(compiler, index->at, OP_LOAD_LOCAL, 0, 0, local);
}

/* Pushes the flat index of `a[i][j]`: i * length + j, from left to right. */
static enum status compile_flat_index(struct compiler *compiler, const struct lin_expression *index,
                                      uint32_t dimension, bool stores)
{
    const struct lin_variable *variable = array_of(index)->variable;
    int64_t length;
    TRY(constant_integer(compiler, variable->lengths[dimension], "a length", &length));
    if (dimension > 0) {
        TRY(compile_flat_index(compiler, index->items[0], dimension - 1, stores));
        TRY(emit_constant(compiler, index->at, value_small(length)));
        TRY(emit(compiler, index->at, OP_MULTIPLY, 0, 0, 0));
    }
    const struct range_limit range = {.high = length - 1};
    if (!vector_push(&compiler->program->ranges, range))
        return STATUS_LIMIT;
    const uint32_t number = (uint32_t)compiler->program->ranges.length - 1;
    TRY(compile_index_of(compiler, index->items[1], true, stores));
    TRY(emit(compiler, index->items[1]->at, OP_CHECK_RANGE, 1, 0, number));
    return dimension > 0 ? emit(compiler, index->at, OP_ADD, 0, 0, 0) : STATUS_OK;
}

/* Loads a variable or an item of an array; or stores there what the local `*from` holds. */
static enum status compile_access(struct compiler *compiler,
                                  const struct lin_expression *expression, const uint32_t *from)
{
    const struct lin_expression *name = array_of(expression);
    const struct lin_layout *layout = layout_of(compiler, name);
    bool local = name->meaning == LIN_MEANS_LOCAL, array = expression != name;
    if (array)
        TRY(compile_flat_index(compiler, expression, name->variable->length_count - 1, from));
    if (from)
        TRY(emit(compiler, expression->at, OP_LOAD_LOCAL, 0, 0, *from));
    enum opcode op = local ? (from ? OP_STORE_LOCAL : OP_LOAD_LOCAL)
                           : (from ? OP_STORE_VARIABLE : OP_LOAD_VARIABLE);
    if (array)
        op = local ? (from ? OP_STORE_LOCAL_AT : OP_LOAD_LOCAL_AT)
                   : (from ? OP_STORE_VARIABLE_AT : OP_LOAD_VARIABLE_AT);
    return emit(compiler, expression->at, op, 0, array ? layout->length : 0, layout->first);
}

static enum status compile_index(struct compiler *compiler, const struct lin_expression *expression)
{
    if (expression->items[0]->type.dimensions > 0)
        return compile_access(compiler, expression, NULL);
    TRY(compile_expression(compiler, expression->items[0]));
    TRY(compile_expression(compiler, expression->items[1]));
    return emit(compiler, expression->at, OP_INDEX, 0, 0, 0);
}

static enum status compile_items(struct compiler *compiler, const struct lin_expression *expression)
{
    for (uint32_t i = 0; i < expression->count; i++)
        TRY(compile_expression(compiler, expression->items[i]));
    return STATUS_OK;
}

static enum status compile_function_call(struct compiler *compiler,
                                         const struct lin_expression *expression)
{
    const struct lin_object *object = compiler->program->object;
    uint32_t number = 0;
    while (object->functions[number] != expression->operation)
        number++;
    for (uint32_t i = 0; i < expression->count; i++)
        TRY(compile_into(compiler, expression->items[i],
                         &expression->operation->parameters[i]->type));
    const struct lin_expression *depth = expression->operation->depth;
    return emit(compiler, expression->at, OP_CALL, depth ? (unsigned)depth->integer : 0, 0, number);
}

static uint32_t new_local(struct compiler *compiler)
{
    return compiler->local_slots++;
}

/* Stores what local `from` holds into `target`, which may be an item of a collection. */
static enum status store_from(struct compiler *compiler, const struct lin_expression *target,
                              uint32_t from)
{
    if (target->kind == LIN_EXPRESSION_INDEX && target->items[0]->type.dimensions == 0) {
        uint32_t whole = new_local(compiler);
        TRY(compile_expression(compiler, target->items[0]));
        TRY(compile_index_of(compiler, target->items[1], false, true));
        TRY(emit(compiler, target->at, OP_LOAD_LOCAL, 0, 0, from));
        TRY(emit(compiler, target->at, OP_WITH_ITEM, 0, 0, 0));
        TRY(emit(compiler, target->at, OP_STORE_LOCAL, 0, 0, whole));
        return store_from(compiler, target->items[0], whole);
    }
    return compile_access(compiler, target, &from);
}

static bool has_call(const struct lin_expression *expression)
{
    if (expression->kind == LIN_EXPRESSION_CALL)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (has_call(expression->items[i]))
            return true;
    return false;
}

/* Evaluates the indices of what is stored to, which come before the value. */
static enum status compile_indices(struct compiler *compiler, const struct lin_expression *target)
{
    if (target->kind != LIN_EXPRESSION_INDEX)
        return STATUS_OK;
    TRY(compile_indices(compiler, target->items[0]));
    const struct lin_expression *index = target->items[1];
    const struct found_index found = {.index = index, .local = new_local(compiler)};
    TRY(compile_new_index(compiler, index, target->items[0]->type.dimensions > 0));
    TRY(emit(compiler, index->at, OP_STORE_LOCAL, 0, 0, found.local));
    return vector_push(&compiler->indices, found) ? STATUS_OK : STATUS_LIMIT;
}

static enum status compile_assignment(struct compiler *compiler,
                                      const struct lin_expression *expression)
{
    const struct lin_expression *target = expression->items[0];
    compiler->indices.length = 0;
    if (has_call(expression)) /* else the order makes no difference */
        TRY(compile_indices(compiler, target));
    if (expression->kind == LIN_EXPRESSION_STEP || expression->sign != LIN_ASSIGN) {
        TRY(compile_expression(compiler, target));
        if (expression->kind == LIN_EXPRESSION_STEP)
            TRY(emit_constant(compiler, expression->at, value_small(1)));
        else
            TRY(compile_expression(compiler, expression->items[1]));
        TRY(emit(compiler, expression->at, lin_operator(expression->sign), 0, 0, 0));
        if (target->type.kind == LIN_TYPE_INT && target->type.low)
            TRY(emit_range(compiler, expression->at, &target->type));
    } else {
        TRY(compile_into(compiler, expression->items[1], &target->type));
    }
    uint32_t from = new_local(compiler);
    TRY(emit(compiler, expression->at, OP_STORE_LOCAL, 0, 0, from));
    return store_from(compiler, target, from);
}

/* `== "read"` holds of a string, keyword or symbol of these letters: JSON knows strings alone. */
static bool compares_text(const struct lin_expression *expression)
{
    return (expression->sign == LIN_EQUAL || expression->sign == LIN_NOT_EQUAL) &&
           (expression->items[0]->kind == LIN_EXPRESSION_STRING ||
            expression->items[1]->kind == LIN_EXPRESSION_STRING);
}

static enum status compile_expression(struct compiler *compiler,
                                      const struct lin_expression *expression)
{
    place at = expression->at;
    value constant;
    enum status folded =
        lin_constant(expression, compiler->program->parameters, compiler->program->pool, &constant);
    if (folded == STATUS_OK)
        return emit_constant(compiler, at, constant);
    switch ((enum lin_expression_kind)expression->kind) {
    case LIN_EXPRESSION_NAME:
        if (expression->meaning == LIN_MEANS_THREAD) {
            compiler->program->tells_callers = true;
            return emit(compiler, at, OP_THREAD, 0, 0, 0);
        }
        if (expression->meaning == LIN_MEANS_SYMBOL)
            return emit_constant(compiler, at, symbol_of(compiler->program, expression->name));
        return compile_access(compiler, expression, NULL);
    case LIN_EXPRESSION_CALL:
        if (expression->meaning == LIN_MEANS_FUNCTION)
            return compile_function_call(compiler, expression);
        TRY(compile_items(compiler, expression));
        return emit(compiler, at, OP_BUILTIN, expression->number, 0, 0);
    case LIN_EXPRESSION_INDEX:
        return compile_index(compiler, expression);
    case LIN_EXPRESSION_UNARY:
        TRY(compile_expression(compiler, expression->items[0]));
        return emit(compiler, at, expression->sign == LIN_BANG ? OP_NOT : OP_NEGATE, 0, 0, 0);
    case LIN_EXPRESSION_BINARY:
        if (expression->sign == LIN_AND_AND || expression->sign == LIN_BAR_BAR)
            return lin_flow_logic(&compiler->flow, expression);
        TRY(compile_items(compiler, expression));
        if (compares_text(expression))
            return emit(compiler, at, OP_SAME_LETTERS, expression->sign == LIN_NOT_EQUAL, 0, 0);
        return emit(compiler, at, lin_operator(expression->sign), 0, 0, 0);
    case LIN_EXPRESSION_CONDITIONAL:
        return lin_flow_conditional(&compiler->flow, expression);
    case LIN_EXPRESSION_LIST:
    case LIN_EXPRESSION_SET:
    case LIN_EXPRESSION_MAP:
        TRY(compile_items(compiler, expression));
        return emit(compiler, at,
                    expression->kind == LIN_EXPRESSION_LIST  ? OP_LIST
                    : expression->kind == LIN_EXPRESSION_SET ? OP_SET
                                                             : OP_MAP,
                    0, 0, expression->count);
    case LIN_EXPRESSION_CHOOSE:
        TRY(compile_items(compiler, expression));
        return emit(compiler, at, expression->count == 2 ? OP_CHOOSE : OP_CHOOSE_ITEM, 0, 0, 0);
    case LIN_EXPRESSION_ASSIGN:
    case LIN_EXPRESSION_STEP:
        return compile_assignment(compiler, expression);
    default: /* a constant that does not fit, or what the checker keeps to implementations */
        return complain(compiler, at, "expected an expression of a specification");
    }
}

/* ---- statements ---- */

static enum status compile_statement(struct compiler *compiler,
                                     const struct lin_statement *statement);

/* Pushes what a variable of this type holds when nothing was said. */
static enum status compile_default(struct compiler *compiler, const struct lin_variable *variable)
{
    struct range_limit range;
    place at = variable->at;
    switch ((enum lin_type_kind)variable->type.kind) {
    case LIN_TYPE_INT:
        TRY(range_of(compiler, &variable->type, &range));
        return emit_constant(compiler, at,
                             value_small(range.low <= 0 && range.high >= 0 ? 0 : range.low));
    case LIN_TYPE_BOOL:
        return emit_constant(compiler, at, VALUE_FALSE);
    case LIN_TYPE_LIST:
        return emit(compiler, at, OP_LIST, 0, 0, 0);
    case LIN_TYPE_SET:
        return emit(compiler, at, OP_SET, 0, 0, 0);
    case LIN_TYPE_MAP:
        return emit(compiler, at, OP_MAP, 0, 0, 0);
    default:
        return emit_constant(compiler, at, VALUE_NIL);
    }
}

/* Sets every slot of a variable to its initial value. */
static enum status compile_initial(struct compiler *compiler, const struct lin_variable *variable,
                                   const struct lin_layout *layout)
{
    enum opcode store = variable->shared ? OP_STORE_VARIABLE : OP_STORE_LOCAL;
    const struct lin_expression *initial = variable->initial;
    bool listed = variable->length_count > 0 && initial && initial->kind == LIN_EXPRESSION_LIST;
    if (listed && initial->count != layout->length)
        return complain(compiler, initial->at, "expected %u values, found %u", layout->length,
                        initial->count);
    for (uint32_t i = 0; i < layout->length; i++) {
        if (initial)
            TRY(compile_into(compiler, listed ? initial->items[i] : initial, &variable->type));
        else
            TRY(compile_default(compiler, variable));
        TRY(emit(compiler, variable->at, store, 0, 0, layout->first + i));
    }
    return STATUS_OK;
}

#define MOST_ITEMS 65535

static enum status lay_out(struct compiler *compiler, const struct lin_variable *variable,
                           uint32_t *slots, struct lin_layout *layout)
{
    int64_t length = 1;
    for (uint32_t i = 0; i < variable->length_count; i++) {
        int64_t factor;
        TRY(constant_integer(compiler, variable->lengths[i], "a length", &factor));
        if (factor < 1 || factor > MOST_ITEMS || length * factor > MOST_ITEMS)
            return complain(compiler, variable->lengths[i]->at,
                            "expected an array of 1 to %d items, found a length of %lld",
                            MOST_ITEMS, (long long)factor);
        length *= factor;
    }
    *layout = (struct lin_layout){variable, *slots, (uint32_t)length};
    *slots += (uint32_t)length;
    return STATUS_OK;
}

static enum status declare(struct compiler *compiler, const struct lin_variable *variable)
{
    struct lin_layout layout;
    TRY(lay_out(compiler, variable, &compiler->local_slots, &layout));
    while (compiler->locals.length <= variable->number)
        if (!vector_push(&compiler->locals, layout))
            return STATUS_LIMIT;
    compiler->locals.items[variable->number] = layout;
    return STATUS_OK;
}

static enum status compile_effect(struct compiler *compiler,
                                  const struct lin_expression *expression)
{
    TRY(compile_expression(compiler, expression));
    if (expression->kind == LIN_EXPRESSION_CALL)
        return emit(compiler, expression->at, OP_POP, 0, 0, 1);
    return STATUS_OK;
}

static enum status compile_statement(struct compiler *compiler,
                                     const struct lin_statement *statement)
{
    switch ((enum lin_statement_kind)statement->kind) {
    case LIN_STATEMENT_DECLARE:
        TRY(declare(compiler, statement->variable));
        return compile_initial(compiler, statement->variable,
                               &compiler->locals.items[statement->variable->number]);
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
        if (statement->expression)
            TRY(compile_expression(compiler, statement->expression));
        else
            TRY(emit_constant(compiler, statement->at, compiler->program->ok));
        return emit(compiler, statement->at, OP_RETURN, 0, 0, 0);
    case LIN_STATEMENT_AWAIT:
    case LIN_STATEMENT_ASSUME:
    case LIN_STATEMENT_ASSERT:
        TRY(compile_kind(compiler, statement->expression, LIN_TYPE_BOOL));
        return emit(compiler, statement->at,
                    statement->kind == LIN_STATEMENT_ASSERT ? OP_ASSERT : OP_ASSUME, 0, 0, 0);
    default: /* a block; what is for implementations only the checker has refused */
        for (uint32_t i = 0; i < statement->count; i++)
            TRY(compile_statement(compiler, statement->items[i]));
        return STATUS_OK;
    }
}

static enum status flow_condition(void *compiler, const struct lin_expression *condition, place at)
{
    (void)at;
    return compile_kind(compiler, condition, LIN_TYPE_BOOL);
}

static bool flow_is_endless(const void *compiler, const struct lin_expression *condition)
{
    (void)compiler;
    return !condition;
}

static enum status flow_statement(void *compiler, const struct lin_statement *statement)
{
    return compile_statement(compiler, statement);
}

static enum status flow_effect(void *compiler, const struct lin_expression *expression)
{
    return compile_effect(compiler, expression);
}

static enum status flow_truth(void *compiler, const struct lin_expression *expression, bool first)
{
    (void)first;
    return compile_kind(compiler, expression, LIN_TYPE_BOOL);
}

static enum status flow_branch(void *compiler, const struct lin_expression *expression,
                               enum lin_type_kind kind)
{
    (void)kind;
    return compile_expression(compiler, expression);
}

static enum status flow_subject(void *compiler, const struct lin_expression *subject, place at)
{
    (void)at;
    return compile_expression(compiler, subject);
}

static enum status flow_label(void *compiler, const struct lin_expression *label,
                              const struct lin_expression *subject)
{
    (void)subject;
    return compile_expression(compiler, label);
}

static enum status flow_new_local(void *compiler, place at, enum lin_type_kind kind,
                                  uint32_t *local)
{
    (void)at;
    (void)kind;
    *local = new_local(compiler);
    return STATUS_OK;
}

static const struct lin_flow_class flow_class = {
    .condition = flow_condition,
    .is_endless = flow_is_endless,
    .statement = flow_statement,
    .effect = flow_effect,
    .truth = flow_truth,
    .branch = flow_branch,
    .subject = flow_subject,
    .label = flow_label,
    .new_local = flow_new_local,
    .load = {.op = OP_LOAD_LOCAL},
    .store = {.op = OP_STORE_LOCAL},
};

/* ---- operations ---- */

static enum status finish(struct compiler *compiler, place at, uint32_t parameters,
                          struct code *code)
{
    TRY(emit_constant(compiler, at, compiler->program->ok));
    TRY(emit(compiler, at, OP_RETURN, 0, 0, 0));
    struct arena *arena = compiler->module->arena;
    size_t size = compiler->listing.code.length * sizeof *compiler->listing.code.items;
    struct instruction *instructions = arena_allocate(arena, size);
    place *places = arena_allocate(arena, compiler->listing.places.length * sizeof *places);
    if (!instructions || !places)
        return STATUS_LIMIT;
    memcpy(instructions, compiler->listing.code.items, size);
    memcpy(places, compiler->listing.places.items,
           compiler->listing.places.length * sizeof *places);
    *code = (struct code){.instructions = instructions,
                          .places = places,
                          .length = (uint32_t)compiler->listing.code.length,
                          .parameters = parameters,
                          .locals = compiler->local_slots};
    return STATUS_OK;
}

static void begin(struct compiler *compiler)
{
    compiler->listing.code.length = 0;
    compiler->listing.places.length = 0;
    compiler->locals.length = 0;
    compiler->local_slots = 0;
}

static enum status compile_operation(struct compiler *compiler,
                                     const struct lin_operation *operation, struct code *code)
{
    begin(compiler);
    for (uint32_t i = 0; i < operation->parameter_count; i++)
        TRY(declare(compiler, operation->parameters[i]));
    for (uint32_t i = 0; i < operation->parameter_count; i++) {
        const struct lin_variable *parameter = operation->parameters[i];
        if (parameter->type.kind == LIN_TYPE_INT && parameter->type.low) {
            TRY(emit(compiler, parameter->at, OP_LOAD_LOCAL, 0, 0, i));
            TRY(emit_range(compiler, parameter->at, &parameter->type));
            TRY(emit(compiler, parameter->at, OP_POP, 0, 0, 1));
        }
    }
    TRY(compile_statement(compiler, operation->body));
    return finish(compiler, operation->at, operation->parameter_count, code);
}

static enum status compile_initially(struct compiler *compiler)
{
    struct lin_program *program = compiler->program;
    const struct lin_object *object = program->object;
    begin(compiler);
    for (uint32_t i = 0; i < object->variable_count; i++)
        TRY(lay_out(compiler, object->variables[i], &program->slots, &program->layouts[i]));
    for (uint32_t i = 0; i < object->variable_count; i++)
        TRY(compile_initial(compiler, object->variables[i], &program->layouts[i]));
    if (object->initially)
        TRY(compile_statement(compiler, object->initially->body));
    return finish(compiler, object->at, 0, &program->initially);
}

static enum status compile_all(struct compiler *compiler)
{
    struct lin_program *program = compiler->program;
    const struct lin_object *object = program->object;
    struct arena *arena = compiler->module->arena;
    program->ok = symbol_of(program, "ok");
    program->layouts = arena_allocate(arena, object->variable_count * sizeof *program->layouts);
    program->operations =
        arena_allocate(arena, object->operation_count * sizeof *program->operations);
    program->togethers = arena_allocate(arena, object->together_count * sizeof *program->togethers);
    program->functions = arena_allocate(arena, object->function_count * sizeof *program->functions);
    if (program->ok == VALUE_REFUSED || !program->layouts || !program->operations ||
        !program->togethers || !program->functions)
        return STATUS_LIMIT;
    TRY(compile_initially(compiler));
    for (uint32_t i = 0; i < object->function_count; i++)
        TRY(compile_operation(compiler, object->functions[i], &program->functions[i]));
    for (uint32_t i = 0; i < object->operation_count; i++)
        TRY(compile_operation(compiler, object->operations[i], &program->operations[i]));
    for (uint32_t i = 0; i < object->together_count; i++)
        TRY(compile_operation(compiler, &object->togethers[i]->body, &program->togethers[i]));
    return STATUS_OK;
}

enum status lin_bounds(const struct lin_program *program, const struct lin_type *type,
                       struct range_limit *range, struct error *error)
{
    struct compiler compiler = {
        .program = (struct lin_program *)program, .module = program->module, .error = error};
    return range_of(&compiler, type, range);
}

enum status lin_compile(const struct lin_module *module, const struct lin_object *object,
                        const value *arguments, struct value_pool *pool,
                        struct lin_program *program, struct error *error)
{
    struct budget *budget = module->arena->budget;
    *program = (struct lin_program){
        .module = module, .object = object, .pool = pool, .parameters = arguments};
    vector_init(&program->constants, budget);
    vector_init(&program->ranges, budget);
    struct compiler compiler = {.program = program, .module = module, .error = error};
    listing_init(&compiler.listing, budget);
    compiler.flow = (struct lin_flow){
        .class = &flow_class, .compiler = &compiler, .listing = &compiler.listing};
    vectors_init(budget, &compiler.locals, &compiler.indices);
    enum status status = compile_all(&compiler);
    listing_release(&compiler.listing);
    vectors_release(&compiler.locals, &compiler.indices);
    return status;
}

void lin_program_release(struct lin_program *program)
{
    vector_release(&program->constants);
    vector_release(&program->ranges);
}
