#include "rules/lin_automata.h"

#include <string.h>

struct making {
    const struct lin_automaton *automaton;
    struct violation_automaton *made;
};

/* ---- methods ---- */

/* Those of the object, and behind them the copies. */
static bool make_methods(const struct making *making, struct arena *arena)
{
    const struct rule_object *object = making->automaton->object;
    const char *names[2 * OBJECT_MOST_METHODS];
    uint32_t count = object->method_count;
    for (uint32_t m = 0; m < object->method_count; m++) {
        names[m] = object->methods[m].name;
        if (!(making->automaton->marked >> m & 1))
            continue;
        size_t length = strlen(names[m]);
        char *copy = arena_allocate(arena, length + 2);
        if (!copy)
            return false;
        memcpy(copy, names[m], length);
        memcpy(copy + length, "M", 2);
        names[count++] = copy;
    }
    return violation_automaton_set_methods(making->made, names, count, arena);
}

/* ---- states ---- */

/* Whether a letter of the table was said, with its own name; `next` is where it leads. */
static bool find_letter(const struct making *making, const struct lin_automaton_state *state,
                        enum violation_event event, uint32_t method, unsigned colour,
                        uint32_t *next)
{
    const struct violation_automaton *made = making->made;
    bool marked = made->unmarked[method] != method;
    for (uint32_t t = 0; t < state->transition_count; t++)
        for (uint32_t l = 0; l < state->transitions[t]->letter_count; l++) {
            const struct lin_letter *letter = state->transitions[t]->letters[l];
            *next = state->transitions[t]->to;
            if (!letter->others && letter->marked == marked &&
                letter->number == made->unmarked[method] && (letter->colours >> colour & 1) &&
                (event == VIOLATION_CALL ? letter->calls : letter->returns))
                return true;
        }
    return false;
}

/* Where the letters lead that a state says nothing of. */
static uint32_t find_others(const struct lin_automaton_state *state, bool marked)
{
    for (uint32_t t = 0; t < state->transition_count; t++)
        for (uint32_t l = 0; l < state->transitions[t]->letter_count; l++) {
            const struct lin_letter *letter = state->transitions[t]->letters[l];
            if (letter->others && letter->marked == marked)
                return state->transitions[t]->to;
        }
    return VIOLATION_DEAD;
}

static void make_row(const struct making *making, uint32_t number)
{
    const struct lin_automaton_state *state = making->automaton->states[number];
    struct violation_automaton *made = making->made;
    made->state_names[number] = state->name;
    made->accepting[number] = state->accepting;
    made->complete[number] = state->complete;
    for (unsigned event = VIOLATION_CALL; event <= VIOLATION_RETURN; event++)
        for (uint32_t method = 0; method < made->method_count; method++)
            for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++) {
                uint32_t next;
                enum violation_event which = (enum violation_event)event;
                if (!find_letter(making, state, which, method, colour, &next))
                    next = find_others(state, made->unmarked[method] != method);
                made->next[violation_automaton_at(made, number, which, method, colour)] = next;
            }
}

bool lin_automaton_make(const struct lin_automaton *automaton, struct arena *arena,
                        struct violation_automaton *made)
{
    const struct making making = {automaton, made};
    *made = (struct violation_automaton){.name = automaton->name,
                                         .object = automaton->specification,
                                         .rule = automaton->rule ? automaton->rule : "",
                                         .violates = automaton->violates,
                                         .for_histories = !automaton->not_for_histories,
                                         .for_prefixes = !automaton->not_for_prefixes,
                                         .single = automaton->single,
                                         .initial = automaton->initial};
    if (!make_methods(&making, arena) ||
        !violation_automaton_set_states(made, automaton->state_count, arena) ||
        !violation_automaton_make_table(made, arena))
        return false;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        make_row(&making, s);
    return true;
}

/* ---- of a specification ---- */

static bool is_of(const struct lin_automaton *automaton, const char *specification)
{
    size_t length = strcspn(specification, "(");
    const char *named = automaton->specification;
    return strcmp(named, specification) == 0 ||
           (strlen(named) == length && memcmp(named, specification, length) == 0);
}

enum status lin_automata_of(const struct lin_module *module, const char *specification,
                            struct arena *arena, struct violation_automata *automata)
{
    size_t count = 0;
    *automata = (struct violation_automata){0};
    for (size_t i = 0; i < module->automata.length; i++)
        count += is_of(module->automata.items[i], specification);
    if (!count)
        return STATUS_OK;
    automata->items = arena_allocate(arena, count * sizeof *automata->items);
    TRY_MEMORY(automata->items);
    for (size_t i = 0; i < module->automata.length; i++) {
        const struct lin_automaton *automaton = module->automata.items[i];
        if (!is_of(automaton, specification))
            continue;
        automata->object = automaton->object;
        TRY_MEMORY(lin_automaton_make(automaton, arena, &automata->items[automata->count++]));
    }
    return STATUS_OK;
}
