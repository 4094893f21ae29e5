#include "rules/shipped.h"

#include <string.h>

#include "rules/object.h"

const char *violation_automata_specifications(void)
{
    return rule_object_names();
}

enum status violation_automata_of(const char *specification, struct arena *arena,
                                  struct violation_automata *automata, struct error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < shipped_automaton_count; i++)
        count += strcmp(shipped_automata[i].object, specification) == 0;
    *automata = (struct violation_automata){0};
    if (!count)
        return STATUS_OK;
    automata->items = arena_allocate(arena, count * sizeof *automata->items);
    if (!automata->items)
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    for (size_t i = 0; i < shipped_automaton_count; i++) {
        const struct shipped_automaton *shipped = &shipped_automata[i];
        struct script *script = arena_allocate(arena, sizeof *script);
        if (strcmp(shipped->object, specification) != 0)
            continue;
        if (!script)
            return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
        TRY(script_from_text(shipped->name, shipped->text, strlen(shipped->text), arena, script,
                             error));
        TRY(violation_automaton_read(script, arena, &automata->items[automata->count++], error));
    }
    return STATUS_OK;
}
