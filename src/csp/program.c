/* Symbols are found by the address of their interned name. */
#include "csp/program.h"

#include "base/hash.h"

struct symbol csp_symbol(const struct csp_program *program, const char *name)
{
    struct table_search search = table_search(&program->symbol_numbers, hash_word((uintptr_t)name));
    while (table_next(&search))
        if (program->symbols.items[search.number].name == name)
            return program->symbols.items[search.number];
    return (struct symbol){0};
}

struct machine csp_machine(const struct csp_program *program)
{
    return (struct machine){.codes = program->codes,
                            .objects = program->objects,
                            .ranges = program->ranges.items,
                            .constants = program->initial,
                            .crossed = program->crossed,
                            .capacities = program->capacities};
}

void csp_program_release(struct csp_program *program)
{
    vector_release(&program->symbols);
    table_release(&program->symbol_numbers);
    vectors_release(&program->variables, &program->channels, &program->counts, &program->ranges,
                    &program->growing);
    codes_destroy(program->codes);
    object_pool_destroy(program->objects);
    arena_release(&program->arena);
    pthread_mutex_destroy(&program->lock);
    *program = (struct csp_program){0};
}
