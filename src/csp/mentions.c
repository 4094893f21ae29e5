/* Both questions compare names, which are interned: by their addresses. */
#include "csp/mentions.h"

#include "csp/walk.h"

struct mention {
    const char *name;
    bool found;
};

static bool visit(void *context, const struct csp_expression *node)
{
    struct mention *mention = context;
    mention->found |= node->name == mention->name;
    return !mention->found;
}

/* A name that the process binds anew counts as mentioned too: one more value in a closure's key
 * never makes two different things equal. */
bool csp_mentions(const struct csp_process *process, const char *name)
{
    struct mention mention = {.name = name};
    const struct csp_visitor visitor = {.expression = visit, .context = &mention};
    csp_walk_process(&visitor, process);
    return mention.found;
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
