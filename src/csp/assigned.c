/* An assignment to a name counts for the global of that name even where a local has it: the answer
 * errs towards variables that change. */
#include "csp/assigned.h"

static void in_expressions(struct csp_program *program, struct csp_expression *const *nodes,
                           uint32_t count);

static void assigned(struct csp_program *program, const struct csp_expression *target)
{
    const struct csp_expression *base =
        target->kind == EXPRESSION_INDEX ? target->operands[0] : target;
    struct symbol symbol = base->name ? csp_symbol(program, base->name) : (struct symbol){0};
    if (symbol.kind == SYMBOL_VARIABLE)
        program->variables.items[symbol.index].constant = false;
}

static void in_ranges(struct csp_program *program, const struct csp_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        in_expressions(program, ranges[i].values, ranges[i].value_count);
}

static void in_expression(struct csp_program *program, const struct csp_expression *node)
{
    if (!node)
        return;
    if (node->kind == EXPRESSION_ASSIGN || node->kind == EXPRESSION_STEP)
        assigned(program, node->operands[0]);
    in_expressions(program, node->operands, node->count);
    in_ranges(program, node->ranges, node->range_count);
}

static void in_expressions(struct csp_program *program, struct csp_expression *const *nodes,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        in_expression(program, nodes[i]);
}

static void in_statement(struct csp_program *program, const struct csp_statement *node)
{
    if (!node)
        return;
    in_expression(program, node->condition);
    in_expressions(program, node->sizes, node->size_count);
    for (uint32_t i = 0; i < node->count; i++)
        in_statement(program, node->children[i]);
}

static void in_event(struct csp_program *program, const struct csp_event *event)
{
    in_expressions(program, event->components, event->component_count);
    in_expression(program, event->index);
}

static void in_process(struct csp_program *program, const struct csp_process *node)
{
    if (!node)
        return;
    in_event(program, &node->event);
    in_statement(program, node->program);
    in_expression(program, node->index);
    in_expression(program, node->condition);
    in_expressions(program, node->arguments, node->argument_count);
    in_ranges(program, node->ranges, node->range_count);
    for (uint32_t i = 0; i < node->hidden_count; i++) {
        in_event(program, &node->hidden[i].event);
        in_ranges(program, node->hidden[i].ranges, node->hidden[i].range_count);
    }
    for (uint32_t i = 0; i < node->count; i++) {
        if (node->conditions)
            in_expression(program, node->conditions[i]);
        in_process(program, node->children[i]);
    }
}

void csp_find_constants(struct csp_program *program)
{
    const struct csp_module *module = program->module;
    for (size_t i = 0; i < program->variables.length; i++) {
        struct variable_info *info = &program->variables.items[i];
        info->constant = !info->collection && !info->hidden && !info->wild;
    }
    for (size_t i = 0; i < module->macros.length; i++) {
        in_expression(program, module->macros.items[i].expression);
        in_statement(program, module->macros.items[i].block);
    }
    for (size_t i = 0; i < module->definitions.length; i++)
        in_process(program, module->definitions.items[i].body);
    for (size_t i = 0; i < module->assertions.length; i++) {
        const struct csp_assertion *assertion = &module->assertions.items[i];
        in_process(program, assertion->process);
        in_process(program, assertion->specification);
        in_expression(program, assertion->extreme);
    }
}
