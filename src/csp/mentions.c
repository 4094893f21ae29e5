/* Names are interned: they are compared by their addresses. */
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

/* ---- copies ---- */

struct copies_search {
    const struct csp_program *program;
    uint8_t *seen; /* by definition */
};

static const struct csp_process *find_copies(const struct copies_search *search,
                                             const struct csp_process *process)
{
    if (!process)
        return NULL;
    if (process->kind == PROCESS_COPIES && !process->condition)
        return process;
    if (process->kind == PROCESS_REFERENCE) {
        struct symbol symbol = csp_symbol(search->program, process->name);
        if (symbol.kind != SYMBOL_DEFINITION || search->seen[symbol.index])
            return NULL;
        search->seen[symbol.index] = 1;
        return find_copies(search, search->program->module->definitions.items[symbol.index].body);
    }
    const struct csp_process *found = NULL;
    for (uint32_t i = 0; !found && i < process->count; i++)
        found = find_copies(search, process->children[i]);
    return found;
}

enum status csp_find_any_copies(const struct csp_program *program,
                                const struct csp_process *process, const struct csp_process **found)
{
    size_t size = program->module->definitions.length + 1;
    struct copies_search search = {program, memory_zeroed(program->budget, size)};
    TRY_MEMORY(search.seen);
    *found = find_copies(&search, process);
    memory_release(program->budget, search.seen, size);
    return STATUS_OK;
}
