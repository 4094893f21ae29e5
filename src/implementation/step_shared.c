#include "implementation/step_shared.h"

#include "lin/lexer.h"

/* Whether it reads its target before it writes it: `n += 1`, `n++`. */
static bool updates(const struct lin_expression *expression)
{
    return expression->kind == LIN_EXPRESSION_STEP ||
           (expression->kind == LIN_EXPRESSION_ASSIGN && expression->sign != LIN_ASSIGN);
}

/* Counts the shared locations that an expression touches, functions left out; `*second` is where
 * the second one is. */
static uint32_t count_shared(const struct lin_expression *expression, place *second)
{
    uint32_t count = 0;
    if (expression->kind == LIN_EXPRESSION_UNARY && expression->sign == LIN_AND)
        return 0; /* what leads to the location is local */
    if (expression->kind == LIN_EXPRESSION_UNARY && expression->sign == LIN_STAR) {
        *second = expression->at;
        return 1;
    }
    bool dereference = expression->kind == LIN_EXPRESSION_FIELD &&
                       expression->items[0]->type.kind == LIN_TYPE_STRUCT;
    if (dereference ||
        (expression->kind == LIN_EXPRESSION_NAME && expression->meaning == LIN_MEANS_SHARED)) {
        count = 1;
        *second = expression->at;
    }
    for (uint32_t i = 0; i < expression->count; i++) {
        place inner = 0;
        uint32_t more = count_shared(expression->items[i], &inner);
        if (more > 0 && (count == 0 || !dereference))
            *second = inner;
        count += updates(expression) && i == 0 ? 2 * more : more;
    }
    return count;
}

bool lin_step_is_shared(const struct lin_expression *expression)
{
    place ignored;
    if (!expression)
        return false;
    if (count_shared(expression, &ignored) > 0 || expression->kind == LIN_EXPRESSION_NEW)
        return true;
    if (expression->kind == LIN_EXPRESSION_UNARY && expression->sign == LIN_AND)
        return false;
    if (expression->kind == LIN_EXPRESSION_CALL && expression->meaning == LIN_MEANS_BUILTIN)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (lin_step_is_shared(expression->items[i]))
            return true;
    return false;
}

/* A function that is looked into. */
struct lin_step_visit {
    struct lin_step_visit *outer;
    const struct lin_operation *function;
};

/* Whether a function has steps; one that is being looked into has those that are found there. */
static bool has_steps(struct lin_step_compiler *compiler, const struct lin_operation *function)
{
    struct lin_step_visit here = {compiler->visits, function};
    for (const struct lin_step_visit *i = compiler->visits; i; i = i->outer)
        if (i->function == function)
            return false;
    compiler->visits = &here;
    bool steps = lin_step_statement_is_shared(compiler, function->body);
    compiler->visits = here.outer;
    return steps;
}

static bool calls_shared(struct lin_step_compiler *compiler,
                         const struct lin_expression *expression)
{
    if (!expression)
        return false;
    if (expression->meaning == LIN_MEANS_FUNCTION && has_steps(compiler, expression->operation))
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (calls_shared(compiler, expression->items[i]))
            return true;
    return false;
}

bool lin_step_statement_is_shared(struct lin_step_compiler *compiler,
                                  const struct lin_statement *statement)
{
    if (statement->kind == LIN_STATEMENT_LINEARIZE && !compiler->steps->setting.points)
        return false; /* what it would answer is not worked out */
    if (statement->kind == LIN_STATEMENT_AWAIT || statement->kind == LIN_STATEMENT_ASSUME ||
        lin_step_is_shared(statement->expression) || lin_step_is_shared(statement->step) ||
        calls_shared(compiler, statement->expression) || calls_shared(compiler, statement->step) ||
        (statement->variable && (lin_step_is_shared(statement->variable->initial) ||
                                 calls_shared(compiler, statement->variable->initial))))
        return true;
    for (uint32_t i = 0; i < statement->count; i++)
        if (statement->items[i] && lin_step_statement_is_shared(compiler, statement->items[i]))
            return true;
    return false;
}

enum status lin_step_begin(struct lin_step_compiler *compiler,
                           const struct lin_expression *expression, place at, bool waits)
{
    place second = at;
    compiler->root = true;
    if (lin_step_has_begun(compiler))
        return STATUS_OK;
    if (expression && count_shared(expression, &second) > 1)
        return lin_step_complain(
            compiler, second,
            "expected at most one shared location in one step, found a second: read "
            "one into a local variable first, or write atomic { ... }");
    if (!waits && !lin_step_is_shared(expression))
        return STATUS_OK;
    compiler->root = false; /* the steps of a function would be part of this one */
    return lin_step_emit(compiler, at, OP_STEP, 0, 0, 0);
}
