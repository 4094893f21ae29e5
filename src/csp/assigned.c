/* An assignment to a name counts for the global of that name even where a local has it: the answer
 * errs towards variables that change. */
#include "csp/assigned.h"

#include "csp/walk.h"

/* Whatever is assigned is no constant. */
static bool visit(void *context, const struct csp_expression *node)
{
    struct csp_program *program = context;
    if (node->kind != EXPRESSION_ASSIGN && node->kind != EXPRESSION_STEP)
        return true;
    const struct csp_expression *target = node->operands[0];
    const struct csp_expression *base =
        target->kind == EXPRESSION_INDEX ? target->operands[0] : target;
    struct symbol symbol = base->name ? csp_symbol(program, base->name) : (struct symbol){0};
    if (symbol.kind == SYMBOL_VARIABLE)
        program->variables.items[symbol.index].constant = false;
    return true;
}

void csp_find_constants(struct csp_program *program)
{
    for (size_t i = 0; i < program->variables.length; i++) {
        struct variable_info *info = &program->variables.items[i];
        info->constant = !info->collection && !info->hidden && !info->wild;
    }
    const struct csp_visitor visitor = {.expression = visit, .context = program};
    csp_walk_module(&visitor, program->module);
}
