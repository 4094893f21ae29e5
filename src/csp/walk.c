/* One function for each sort of node. */
#include "csp/walk.h"

static void bind(const struct csp_visitor *visitor, const char *name)
{
    if (visitor->bound && name)
        visitor->bound(visitor->context, name);
}

static void walk_ranges(const struct csp_visitor *visitor, const struct csp_range *ranges,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bind(visitor, ranges[i].name);
        csp_walk_expressions(visitor, ranges[i].values, ranges[i].value_count);
    }
}

void csp_walk_expression(const struct csp_visitor *visitor, const struct csp_expression *node)
{
    if (!node || !visitor->expression(visitor->context, node))
        return;
    walk_ranges(visitor, node->ranges, node->range_count);
    csp_walk_expressions(visitor, node->operands, node->count);
}

void csp_walk_expressions(const struct csp_visitor *visitor, struct csp_expression *const *nodes,
                          uint32_t count)
{
    for (uint32_t i = 0; nodes && i < count; i++)
        csp_walk_expression(visitor, nodes[i]);
}

static void walk_statement(const struct csp_visitor *visitor, const struct csp_statement *node)
{
    if (!node)
        return;
    if (node->kind == STATEMENT_LOCAL)
        bind(visitor, node->name);
    csp_walk_expression(visitor, node->condition);
    csp_walk_expressions(visitor, node->sizes, node->size_count);
    for (uint32_t i = 0; i < node->count; i++)
        walk_statement(visitor, node->children[i]);
}

static void walk_event(const struct csp_visitor *visitor, const struct csp_event *event)
{
    csp_walk_expressions(visitor, event->components, event->component_count);
    csp_walk_expression(visitor, event->index);
}

void csp_walk_process(const struct csp_visitor *visitor, const struct csp_process *node)
{
    if (!node)
        return;
    walk_event(visitor, &node->event);
    walk_statement(visitor, node->program);
    csp_walk_expression(visitor, node->index);
    csp_walk_expression(visitor, node->condition);
    csp_walk_expressions(visitor, node->arguments, node->argument_count);
    walk_ranges(visitor, node->ranges, node->range_count);
    for (uint32_t i = 0; i < node->hidden_count; i++) {
        walk_ranges(visitor, node->hidden[i].ranges, node->hidden[i].range_count);
        walk_event(visitor, &node->hidden[i].event);
    }
    csp_walk_expressions(visitor, node->conditions, node->count);
    for (uint32_t i = 0; i < node->count; i++)
        csp_walk_process(visitor, node->children[i]);
}

void csp_walk_module(const struct csp_visitor *visitor, const struct csp_module *module)
{
    for (size_t i = 0; i < module->macros.length; i++) {
        const struct csp_macro *macro = &module->macros.items[i];
        for (uint32_t k = 0; k < macro->parameter_count; k++)
            bind(visitor, macro->parameters[k]);
        csp_walk_expression(visitor, macro->expression);
        walk_statement(visitor, macro->block);
    }
    for (size_t i = 0; i < module->definitions.length; i++) {
        const struct csp_definition *definition = &module->definitions.items[i];
        for (uint32_t k = 0; k < definition->parameter_count; k++)
            bind(visitor, definition->parameters[k].name);
        csp_walk_process(visitor, definition->body);
    }
    for (size_t i = 0; i < module->assertions.length; i++) {
        csp_walk_process(visitor, module->assertions.items[i].process);
        csp_walk_process(visitor, module->assertions.items[i].specification);
        csp_walk_expression(visitor, module->assertions.items[i].extreme);
    }
}
