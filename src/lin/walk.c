/* Depth first; the first that the test holds of ends it. */
#include "lin/walk.h"

bool lin_some_part(const struct lin_expression *expression, lin_expression_test *test,
                   void *context)
{
    if (!expression)
        return false;
    if (test(context, expression))
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (lin_some_part(expression->items[i], test, context))
            return true;
    return false;
}

bool lin_some_branch(const struct lin_expression *answer, lin_expression_test *test, void *context)
{
    if (!answer || answer->kind != LIN_EXPRESSION_CONDITIONAL)
        return test(context, answer);
    return lin_some_branch(answer->items[1], test, context) ||
           lin_some_branch(answer->items[2], test, context);
}

bool lin_some_statement(const struct lin_statement *statement, lin_statement_test *test,
                        void *context)
{
    if (!statement)
        return false;
    if (test(context, statement))
        return true;
    for (uint32_t i = 0; i < statement->count; i++)
        if (lin_some_statement(statement->items[i], test, context))
            return true;
    return false;
}

struct test {
    lin_expression_test *holds;
    void *context;
};

static bool test_expressions(void *context, const struct lin_statement *statement)
{
    const struct test *test = context;
    const struct lin_variable *variable = statement->variable;
    return lin_some_part(statement->expression, test->holds, test->context) ||
           lin_some_part(statement->step, test->holds, test->context) ||
           (variable && lin_some_part(variable->initial, test->holds, test->context));
}

bool lin_some_expression(const struct lin_statement *statement, lin_expression_test *test,
                         void *context)
{
    return lin_some_statement(statement, test_expressions, &(struct test){test, context});
}

static bool test_return(void *context, const struct lin_statement *statement)
{
    const struct test *test = context;
    return statement->kind == LIN_STATEMENT_RETURN &&
           test->holds(test->context, statement->expression);
}

bool lin_some_return(const struct lin_statement *statement, lin_expression_test *test,
                     void *context)
{
    return lin_some_statement(statement, test_return, &(struct test){test, context});
}
