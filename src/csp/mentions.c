#include "csp/mentions.h"

static bool in_expression(const struct csp_expression *expression, const char *name)
{
    if (!expression)
        return false;
    if (expression->name == name)
        return true;
    for (uint32_t i = 0; i < expression->count; i++)
        if (in_expression(expression->operands[i], name))
            return true;
    for (uint32_t i = 0; i < expression->range_count; i++)
        for (uint32_t j = 0; j < expression->ranges[i].value_count; j++)
            if (in_expression(expression->ranges[i].values[j], name))
                return true;
    return false;
}

static bool in_expressions(struct csp_expression *const *expressions, uint32_t count,
                           const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (in_expression(expressions[i], name))
            return true;
    return false;
}

static bool in_statement(const struct csp_statement *statement, const char *name)
{
    if (!statement)
        return false;
    if (in_expression(statement->condition, name) ||
        in_expressions(statement->sizes, statement->size_count, name))
        return true;
    for (uint32_t i = 0; i < statement->count; i++)
        if (in_statement(statement->children[i], name))
            return true;
    return false;
}

static bool in_ranges(const struct csp_range *ranges, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (in_expressions(ranges[i].values, ranges[i].value_count, name))
            return true;
    return false;
}

/* A name that the process binds anew counts as mentioned too: one more value in a closure's key
 * never makes two different things equal. */
bool csp_mentions(const struct csp_process *process, const char *name)
{
    if (!process)
        return false;
    if (in_expression(process->index, name) || in_expression(process->condition, name) ||
        in_statement(process->program, name) ||
        in_expressions(process->arguments, process->argument_count, name) ||
        in_expressions(process->event.components, process->event.component_count, name) ||
        in_ranges(process->ranges, process->range_count, name))
        return true;
    for (uint32_t i = 0; i < process->hidden_count; i++)
        if (in_ranges(process->hidden[i].ranges, process->hidden[i].range_count, name) ||
            in_expressions(process->hidden[i].event.components,
                           process->hidden[i].event.component_count, name))
            return true;
    for (uint32_t i = 0; i < process->count; i++)
        if ((process->conditions && in_expression(process->conditions[i], name)) ||
            csp_mentions(process->children[i], name))
            return true;
    return false;
}

bool csp_receives(const struct csp_program *program, const struct csp_expression *argument,
                  const struct scope *scope)
{
    if (argument->kind != EXPRESSION_NAME)
        return false;
    for (; scope; scope = scope->outer)
        if (scope->name == argument->name)
            return false;
    return csp_symbol(program, argument->name).kind == SYMBOL_NONE;
}
