#include "csp/copies.h"

struct search {
    const struct csp_program *program;
    uint8_t *seen; /* by definition */
};

static const struct csp_process *find(const struct search *search,
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
        return find(search, search->program->module->definitions.items[symbol.index].body);
    }
    const struct csp_process *found = NULL;
    for (uint32_t i = 0; !found && i < process->count; i++)
        found = find(search, process->children[i]);
    return found;
}

enum status csp_find_any_copies(const struct csp_program *program,
                                const struct csp_process *process, const struct csp_process **found)
{
    size_t size = program->module->definitions.length + 1;
    struct search search = {program, memory_zeroed(program->budget, size)};
    TRY_MEMORY(search.seen);
    *found = find(&search, process);
    memory_release(program->budget, search.seen, size);
    return STATUS_OK;
}
