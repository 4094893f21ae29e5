#include "rules/automaton.h"

#include <stdio.h>
#include <string.h>

uint32_t violation_automaton_find_method(const struct violation_automaton *automaton,
                                         const char *name, size_t length)
{
    uint32_t method = 0;
    while (method < automaton->method_count &&
           (strlen(automaton->methods[method]) != length ||
            memcmp(automaton->methods[method], name, length) != 0))
        method++;
    return method;
}

uint32_t violation_automaton_marked(const struct violation_automaton *automaton, uint32_t method)
{
    uint32_t copy = 0;
    while (copy < automaton->method_count &&
           (copy == method || automaton->unmarked[copy] != method))
        copy++;
    return copy;
}

/* A method is a marked copy if its name is that of another one with M behind it. There are no
 * copies of copies. */
static void find_copies(struct violation_automaton *automaton)
{
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        size_t length = strlen(automaton->methods[m]);
        uint32_t original = automaton->method_count;
        if (automaton->methods[m][length - 1] == 'M')
            original =
                violation_automaton_find_method(automaton, automaton->methods[m], length - 1);
        automaton->unmarked[m] = original < automaton->method_count ? original : m;
    }
    for (uint32_t m = 0; m < automaton->method_count; m++) {
        uint32_t original = automaton->unmarked[m];
        if (automaton->unmarked[original] != original)
            automaton->unmarked[m] = m;
    }
}

bool violation_automaton_set_methods(struct violation_automaton *automaton,
                                     const char *const *methods, uint32_t count,
                                     struct arena *arena)
{
    automaton->methods = arena_allocate(arena, count * sizeof *automaton->methods);
    automaton->unmarked = arena_allocate(arena, count * sizeof *automaton->unmarked);
    if (!automaton->methods || !automaton->unmarked)
        return false;
    memcpy(automaton->methods, methods, count * sizeof *methods);
    automaton->method_count = count;
    find_copies(automaton);
    return true;
}

bool violation_automaton_set_states(struct violation_automaton *automaton, uint32_t count,
                                    struct arena *arena)
{
    automaton->state_count = count;
    automaton->accepting = arena_allocate(arena, count * sizeof *automaton->accepting);
    automaton->complete = arena_allocate(arena, count * sizeof *automaton->complete);
    automaton->state_names = arena_allocate(arena, count * sizeof *automaton->state_names);
    if (!automaton->accepting || !automaton->complete || !automaton->state_names)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        char digits[16];
        int length = snprintf(digits, sizeof digits, "%u", i);
        automaton->accepting[i] = automaton->complete[i] = false;
        automaton->state_names[i] = arena_copy_text(arena, digits, (size_t)length);
        if (!automaton->state_names[i])
            return false;
    }
    return true;
}

bool violation_automaton_make_table(struct violation_automaton *automaton, struct arena *arena)
{
    size_t letters = (size_t)2 * automaton->method_count * VIOLATION_COLOURS;
    size_t count = automaton->state_count * letters;
    automaton->next = arena_allocate(arena, count * sizeof *automaton->next);
    for (size_t i = 0; automaton->next && i < count; i++)
        automaton->next[i] = VIOLATION_DEAD;
    return automaton->next != NULL;
}

void violation_table_trim(uint32_t *next, uint32_t states, size_t letters, const bool *accepting,
                          bool *useful)
{
    memcpy(useful, accepting, states * sizeof *useful);
    for (bool grows = true; grows;) {
        grows = false;
        for (uint32_t s = 0; s < states; s++)
            for (size_t l = 0; l < letters && !useful[s]; l++) {
                uint32_t to = next[s * letters + l];
                useful[s] = to != VIOLATION_DEAD && useful[to];
                grows = grows || useful[s];
            }
    }
    for (size_t i = 0; i < states * letters; i++)
        if (next[i] != VIOLATION_DEAD && !useful[next[i]])
            next[i] = VIOLATION_DEAD;
}
