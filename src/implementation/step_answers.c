#include "implementation/step_answers.h"

#include <string.h>

#include "implementation/step_expressions.h"
#include "implementation/step_places.h"
#include "implementation/step_shared.h"
#include "lin/check_types.h"
#include "lin/owners.h"
#include "lin/walk.h"
#include "model/labels.h"

typedef enum status compile_end(struct lin_step_compiler *compiler,
                                const struct lin_expression *expression, place at);

/* `c ? ok : full`: symbols are no words, so that each has an end of its own. */
static bool is_choice_of_symbols(const struct lin_expression *expression)
{
    return expression && expression->kind == LIN_EXPRESSION_CONDITIONAL &&
           expression->type.kind == LIN_TYPE_SYMBOL;
}

static enum status compile_choice(struct lin_step_compiler *compiler,
                                  const struct lin_expression *expression, place at,
                                  compile_end *end)
{
    TRY(lin_step_compile_condition(compiler, expression->items[0], at));
    uint32_t jump;
    TRY(lin_step_jump(compiler, at, OP_JUMP_IF_FALSE, &jump));
    TRY(end(compiler, expression->items[1], at));
    lin_step_land(compiler, jump);
    return end(compiler, expression->items[2], at);
}

/* ---- lists ---- */

static enum status add_part(struct lin_step_compiler *compiler, place at, enum lin_type_kind kind,
                            struct lin_list_shape *shape)
{
    const bool fits = kind == LIN_TYPE_VALUE || kind == LIN_TYPE_INT || kind == LIN_TYPE_BOOL;
    if (!fits)
        return lin_step_complain(compiler, at,
                                 "expected values, bools and ints in what is answered, found "
                                 "another part");
    if (shape->count == LIN_MOST_PARTS)
        return lin_step_complain(compiler, at,
                                 "expected a list of at most %d words to answer, "
                                 "found more",
                                 LIN_MOST_PARTS);
    shape->kinds[shape->count++] = (uint8_t)kind;
    return STATUS_OK;
}

static enum status add_parts(struct lin_step_compiler *compiler, place at,
                             const struct lin_type *type, uint32_t items,
                             struct lin_list_shape *shape)
{
    for (uint32_t i = 0; i < items; i++) {
        if (type->kind != LIN_TYPE_RECORD)
            TRY(add_part(compiler, at, (enum lin_type_kind)type->kind, shape));
        for (uint32_t j = 0; type->kind == LIN_TYPE_RECORD && j < type->of->field_count; j++)
            TRY(add_parts(compiler, at, &type->of->fields[j]->type, type->of->fields[j]->items,
                          shape));
    }
    return STATUS_OK;
}

/* What the words of a list are. */
static enum status find_shape(struct lin_step_compiler *compiler,
                              const struct lin_expression *answer, struct lin_list_shape *shape)
{
    uint32_t items = 1;
    *shape = (struct lin_list_shape){0};
    for (uint32_t i = 0; answer->kind == LIN_EXPRESSION_LIST && i < answer->count; i++) {
        enum lin_type_kind kind = (enum lin_type_kind)answer->items[i]->type.kind;
        TRY(add_part(compiler, answer->at, kind == LIN_TYPE_NULL ? LIN_TYPE_VALUE : kind, shape));
    }
    if (answer->type.dimensions > 0)
        TRY(lin_step_length_of(compiler, answer->variable, &items));
    if (answer->kind != LIN_EXPRESSION_LIST)
        TRY(add_parts(compiler, answer->at, &answer->type, items, shape));
    if (shape->count > 1)
        return STATUS_OK;
    return lin_step_complain(compiler, answer->at,
                             "expected a list of two words or more to answer, found %u",
                             shape->count);
}

struct sizing {
    struct lin_step_compiler *compiler;
    enum status status;
};

/* Makes room for one answer; holds where something is wrong. */
static bool outgrows(void *context, const struct lin_expression *answer)
{
    struct sizing *sizing = context;
    struct lin_steps *steps = sizing->compiler->steps;
    struct lin_list_shape shape;
    if (!lin_is_tuple(answer))
        return false;
    sizing->status = find_shape(sizing->compiler, answer, &shape);
    if (shape.count > steps->result_words)
        steps->result_words = shape.count;
    return sizing->status != STATUS_OK;
}

enum status lin_step_size_answers(struct lin_step_compiler *compiler)
{
    struct lin_steps *steps = compiler->steps;
    struct sizing sizing = {compiler, STATUS_OK};
    steps->result_words = 1;
    for (uint32_t i = 0; i < steps->object->operation_count; i++)
        if (lin_some_return(steps->object->operations[i]->body, outgrows, &sizing))
            return sizing.status;
    steps->locals = steps->result_words;
    return STATUS_OK;
}

/* ---- the ends of operations and functions ---- */

enum status lin_step_compile_called_return(struct lin_step_compiler *compiler,
                                           const struct lin_expression *expression, place at)
{
    struct lin_step_body *body = compiler->body;
    enum lin_type_kind kind = expression ? expression->type.kind : LIN_TYPE_NULL;
    uint32_t word = LIN_WORD_NULL;
    if (lin_is_tuple(expression))
        return lin_step_complain(
            compiler, expression->at,
            "expected one word as what `%s` answers to a program, found a list",
            body->operation->name);
    if (is_choice_of_symbols(expression))
        return compile_choice(compiler, expression, at, lin_step_compile_called_return);
    if (kind == LIN_TYPE_SYMBOL &&
        !lin_word_of_text(compiler->steps->setting.words, expression->name, &word))
        return STATUS_LIMIT;
    if (kind == LIN_TYPE_SYMBOL || kind == LIN_TYPE_NULL) {
        TRY(lin_step_push(compiler, at, word));
    } else {
        TRY(lin_step_begin(compiler, expression, at, false));
        TRY(lin_step_compile_value(compiler, expression));
        if (kind == LIN_TYPE_VALUE)
            TRY(lin_step_emit(compiler, at, OP_AS_ANSWER, 0, 0, 0));
    }
    TRY(lin_step_emit(compiler, at, OP_STORE_OWN, 0, 1, body->result));
    return listing_jump_with(&compiler->steps->listing, at, &body->ends);
}

static enum status symbol_number(struct lin_step_compiler *compiler, const char *name,
                                 uint32_t *number)
{
    struct lin_steps *steps = compiler->steps;
    for (*number = 0; *number < steps->symbols.length; (*number)++)
        if (strcmp(steps->symbols.items[*number], name) == 0)
            return STATUS_OK;
    return granted(vector_push(&steps->symbols, name));
}

enum status lin_step_compile_function_return(struct lin_step_compiler *compiler,
                                             const struct lin_statement *statement)
{
    struct lin_step_body *body = compiler->body;
    if (statement->expression) {
        const struct lin_type *type = &body->operation->type;
        TRY(lin_step_begin(compiler, statement->expression, statement->at, false));
        TRY(lin_step_compile_into(compiler, statement->expression, type));
        TRY(lin_step_emit(compiler, statement->at, OP_STORE_OWN, 0, lin_step_words_of(type),
                          body->result));
    }
    return listing_jump_with(&compiler->steps->listing, statement->at, &body->ends);
}

static void note_answer_of(struct lin_entry *entry, enum lin_type_kind kind)
{
    entry->answers_values |= kind == LIN_TYPE_VALUE;
    entry->answers_numbers |= kind == LIN_TYPE_INT;
}

/* A kind of answer of the operation; `of_others`: of every one, for a thread may run any. */
static void note_answer(struct lin_step_compiler *compiler, bool of_others, enum lin_type_kind kind)
{
    struct lin_steps *steps = compiler->steps;
    for (uint32_t i = 0; of_others && i < steps->object->operation_count; i++)
        note_answer_of(&steps->entries[i], kind);
    note_answer_of(&steps->entries[compiler->entry], kind);
}

/* The kind of an answer and, of a symbol, its number; null is one: "empty". No expression: "ok". */
static enum status find_answer(struct lin_step_compiler *compiler,
                               const struct lin_expression *expression, enum lin_type_kind *kind,
                               uint32_t *symbol)
{
    *kind = expression ? (enum lin_type_kind)expression->type.kind : LIN_TYPE_SYMBOL;
    *symbol = 0;
    if (*kind == LIN_TYPE_SYMBOL)
        return symbol_number(compiler, expression ? expression->name : "ok", symbol);
    if (*kind != LIN_TYPE_NULL)
        return STATUS_OK;
    *kind = LIN_TYPE_SYMBOL;
    return symbol_number(compiler, "empty", symbol);
}

/* What is answered: leaves a value on the stack, or finds the number of a symbol. */
static enum status compile_answered(struct lin_step_compiler *compiler,
                                    const struct lin_expression *expression, place at,
                                    enum lin_type_kind *kind, uint32_t *symbol)
{
    TRY(find_answer(compiler, expression, kind, symbol));
    if (*kind == LIN_TYPE_SYMBOL)
        return STATUS_OK;
    TRY(lin_step_begin(compiler, expression, at, false));
    return lin_step_compile_value(compiler, expression);
}

/* A number in a list is none of those by which events say what is no number. */
static enum status check_number(struct lin_step_compiler *compiler, place at, uint32_t local)
{
    uint32_t range;
    TRY(lin_step_add_range(
        compiler, (struct lin_step_range){(int32_t)COMPONENT_NULL + 1, INT32_MAX}, &range));
    TRY(lin_step_emit(compiler, at, OP_LOAD_OWN, 0, 1, local));
    TRY(lin_step_emit(compiler, at, OP_CHECK_RANGE, LIN_RANGE_NUMBER, 0, range));
    return lin_step_emit(compiler, at, OP_POP, 0, 0, 1);
}

/* The words of a list, then what they are. */
static enum status compile_list(struct lin_step_compiler *compiler,
                                const struct lin_expression *answer, place at)
{
    struct lin_steps *steps = compiler->steps;
    struct lin_list_shape shape;
    TRY(find_shape(compiler, answer, &shape));
    TRY(lin_step_begin(compiler, answer, at, false));
    for (uint32_t i = 0; answer->kind == LIN_EXPRESSION_LIST && i < answer->count; i++)
        TRY(lin_step_compile_operand(compiler, answer->items[i]));
    if (answer->type.dimensions > 0)
        TRY(lin_step_emit(compiler, at, OP_LOAD_OWN, 0, shape.count,
                          compiler->body->places[answer->variable->number].first));
    else if (answer->kind != LIN_EXPRESSION_LIST)
        TRY(lin_step_compile_value(compiler, answer));
    for (uint32_t i = 0; i < shape.count; i++)
        note_answer(compiler, false, (enum lin_type_kind)shape.kinds[i]);
    TRY_MEMORY(vector_push(&steps->shapes, shape));
    TRY(lin_step_emit(compiler, at, OP_STORE_OWN, 0, shape.count, steps->result));
    for (uint32_t i = 0; i < shape.count; i++)
        if (shape.kinds[i] == LIN_TYPE_INT)
            TRY(check_number(compiler, at, steps->result + i));
    return lin_step_emit(compiler, at, OP_ANSWER, LIN_TYPE_LIST, compiler->entry,
                         (uint32_t)steps->shapes.length - 1);
}

enum status lin_step_compile_answer(struct lin_step_compiler *compiler,
                                    const struct lin_expression *expression, place at)
{
    enum lin_type_kind kind;
    uint32_t symbol;
    if (compiler->entry == UINT32_MAX)
        return lin_step_emit(compiler, at, OP_END, 0, 0, 0);
    if (is_choice_of_symbols(expression))
        return compile_choice(compiler, expression, at, lin_step_compile_answer);
    if (lin_is_tuple(expression))
        return compile_list(compiler, expression, at);
    TRY(compile_answered(compiler, expression, at, &kind, &symbol));
    if (kind != LIN_TYPE_SYMBOL)
        TRY(lin_step_emit(compiler, at, OP_STORE_OWN, 0, 1, compiler->steps->result));
    note_answer(compiler, false, kind);
    return lin_step_emit(compiler, at, OP_ANSWER, kind, compiler->entry, symbol);
}

/* The number of the thread `owner`, below the answer, which is no symbol where it is one step with
 * it. */
static enum status compile_owner(struct lin_step_compiler *compiler,
                                 const struct lin_expression *owner,
                                 const struct lin_expression *answer, place at)
{
    struct lin_expression *parts[] = {(struct lin_expression *)owner,
                                      (struct lin_expression *)answer};
    const struct lin_expression both = {
        .kind = LIN_EXPRESSION_LIST, .at = at, .items = parts, .count = answer ? 2 : 1};
    TRY(lin_step_begin(compiler, &both, at, false));
    TRY(lin_step_compile_value(compiler, owner));
    compiler->root = false;
    return answer ? lin_step_compile_value(compiler, answer) : STATUS_OK;
}

/* A point of the answer `expression`, for the running operation of thread `owner`. Null: the answer
 * is left open; the operation is the one whose code this is. */
static enum status compile_point(struct lin_step_compiler *compiler,
                                 const struct lin_expression *owner,
                                 const struct lin_expression *expression, place at)
{
    enum lin_type_kind kind = LIN_TYPE_SYMBOL;
    uint32_t symbol = UINT32_MAX;
    if (is_choice_of_symbols(expression)) {
        TRY(lin_step_compile_condition(compiler, expression->items[0], at));
        uint32_t jump, end;
        TRY(lin_step_jump(compiler, at, OP_JUMP_IF_FALSE, &jump));
        TRY(compile_point(compiler, owner, expression->items[1], at));
        TRY(lin_step_jump(compiler, at, OP_JUMP, &end));
        lin_step_land(compiler, jump);
        TRY(compile_point(compiler, owner, expression->items[2], at));
        lin_step_land(compiler, end);
        return STATUS_OK;
    }
    if (expression && owner)
        TRY(find_answer(compiler, expression, &kind, &symbol));
    else if (expression)
        TRY(compile_answered(compiler, expression, at, &kind, &symbol));
    if (owner)
        TRY(compile_owner(compiler, owner, kind == LIN_TYPE_SYMBOL ? NULL : expression, at));
    note_answer(compiler, owner != NULL, kind);
    compiler->steps->helps |= owner != NULL;
    return listing_emit(&compiler->steps->listing, at,
                        (struct instruction){.op = owner ? OP_LINEARIZE_OF : OP_LINEARIZE,
                                             .small = kind,
                                             .range = kind != LIN_TYPE_SYMBOL,
                                             .wide = compiler->entry,
                                             .operand = (int32_t)symbol});
}

/* The only value in a node, or null. */
static const struct lin_variable *value_of(const struct lin_struct *node, uint32_t *number)
{
    const struct lin_variable *found = NULL;
    for (uint32_t i = 0; i < node->field_count; i++)
        if (node->fields[i]->type.kind == LIN_TYPE_VALUE && node->fields[i]->type.dimensions == 0) {
            if (found)
                return NULL;
            found = node->fields[i];
            *number = i;
        }
    return found;
}

/* A point of another thread's operation: the value that this was called with is in the node of
 * which the thread's number is read. Where there is no such node it is left out. */
static enum status note_point_of(struct lin_step_compiler *compiler,
                                 const struct lin_expression *owner, place at)
{
    const struct lin_expression *node = lin_owned_node(owner);
    uint32_t number = 0;
    const struct lin_variable *item = node ? value_of(node->type.of, &number) : NULL;
    if (!item) {
        compiler->steps->helps = true;
        return STATUS_OK;
    }
    struct lin_expression *items[] = {(struct lin_expression *)node};
    const struct lin_expression brought = {.kind = LIN_EXPRESSION_FIELD,
                                           .height = (uint16_t)(node->height + 1),
                                           .at = at,
                                           .name_at = at,
                                           .count = 1,
                                           .number = number,
                                           .name = item->name,
                                           .items = items,
                                           .type = item->type};
    compiler->steps->notes_helps = true;
    compiler->root = false;
    TRY(lin_step_compile_value(compiler, &brought));
    return lin_step_emit(compiler, at, OP_LINEARIZE_OF, LIN_TYPE_SYMBOL, compiler->entry,
                         UINT32_MAX);
}

static enum status note_point(struct lin_step_compiler *compiler,
                              const struct lin_statement *statement)
{
    if (statement->step)
        return note_point_of(compiler, statement->step, statement->at);
    return lin_step_emit(compiler, statement->at, OP_LINEARIZE, LIN_TYPE_SYMBOL, compiler->entry,
                         UINT32_MAX);
}

enum status lin_step_compile_linearize(struct lin_step_compiler *compiler,
                                       const struct lin_statement *statement)
{
    if (compiler->entry == UINT32_MAX)
        return lin_step_complain(compiler, statement->at,
                                 "expected `linearize` in an operation, found it in `init`");
    if (compiler->steps->setting.notes_points)
        return note_point(compiler, statement);
    if (!compiler->steps->setting.points)
        return STATUS_OK;
    return compile_point(compiler, statement->step, statement->expression, statement->at);
}
