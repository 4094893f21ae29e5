#include "rules/shipped.h"

#include <stdlib.h>
#include <string.h>

#include "rules/semaphore.h"
#include "spec/rule_object.h"

const char *violation_automata_specifications(void)
{
    return rule_object_names();
}

/* The name without parameters: what comes with the program for semaphore(2) is that of all. */
static bool same_object(const char *left, const char *right)
{
    size_t length = strcspn(left, "(");
    return strcspn(right, "(") == length && memcmp(left, right, length) == 0;
}

static enum status read_shipped(const struct shipped_automaton *shipped, const char *specification,
                                struct arena *arena, struct violation_automaton *automaton,
                                struct error *error)
{
    struct script *script = arena_allocate(arena, sizeof *script);
    if (!script)
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    TRY(script_from_text(shipped->name, shipped->text, strlen(shipped->text), arena, script,
                         error));
    TRY(violation_automaton_read(script, arena, automaton, error));
    if (strcmp(automaton->object, specification) == 0)
        return STATUS_OK;
    const char *object = arena_copy_text(arena, specification, strlen(specification));
    uint32_t permits = (uint32_t)strtoul(strchr(specification, '(') + 1, NULL, 10);
    const char *rule = automaton->rule;
    automaton->object = object;
    if (!object ||
        (strcmp(automaton->name, "semaphore_inside") == 0 &&
         !semaphore_inside(object, permits, arena, automaton)) ||
        (strcmp(automaton->name, "semaphore_covered") == 0 &&
         !semaphore_covered(object, permits, arena, automaton)))
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    automaton->rule = rule;
    return STATUS_OK;
}

enum status violation_automata_of(const char *specification, struct arena *arena,
                                  struct violation_automata *automata, struct error *error)
{
    const struct rule_object *object = rule_object_find(specification);
    size_t count = 0;
    *automata = (struct violation_automata){0};
    if (!object)
        return STATUS_OK;
    automata->object = object;
    for (size_t i = 0; i < shipped_automaton_count; i++)
        count += same_object(shipped_automata[i].object, specification);
    automata->items = arena_allocate(arena, count * sizeof *automata->items);
    if (!automata->items)
        return error_set(error, STATUS_LIMIT, NULL, 0, "memory");
    for (size_t i = 0; i < shipped_automaton_count; i++)
        if (same_object(shipped_automata[i].object, specification))
            TRY(read_shipped(&shipped_automata[i], specification, arena,
                             &automata->items[automata->count++], error));
    return STATUS_OK;
}
