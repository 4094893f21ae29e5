#include "unbounded/removed_value.h"

#include "base/attributes.h"

enum {
    BEFORE,
    CALLED, /* the operation that adds it */
    ADDED,  /* that has returned, */
    TAKEN,  /* the one that takes it, */
    OVER,   /* both */
    STATES,
};

/* Where the events of colour 1 lead. */
static const struct {
    uint32_t from;
    enum violation_event event;
    enum method_role role;
    uint32_t to;
} marked[] = {
    {BEFORE, VIOLATION_CALL, METHOD_ADDS, CALLED},
    {CALLED, VIOLATION_RETURN, METHOD_ADDS, ADDED},
    {TAKEN, VIOLATION_RETURN, METHOD_ADDS, OVER},
    {CALLED, VIOLATION_RETURN, METHOD_ANSWERS, TAKEN},
    {ADDED, VIOLATION_RETURN, METHOD_ANSWERS, OVER},
};

static uint32_t *next_of(struct violation_automaton *automaton, uint32_t state,
                         enum violation_event event, uint32_t method, unsigned colour)
{
    return &automaton->next[violation_automaton_at(automaton, state, event, method, colour)];
}

/* All events leave the state but those of colour 1, which is added once. */
static void fill_table(const struct rule_object *object, struct violation_automaton *automaton)
{
    for (uint32_t s = 0; s < STATES; s++)
        for (uint32_t m = 0; m < automaton->method_count; m++)
            for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++) {
                enum method_role role = object->methods[m].role;
                bool counts = colour == 1 && role != METHOD_EMPTY;
                if (!counts || role == METHOD_ANSWERS)
                    *next_of(automaton, s, VIOLATION_CALL, m, colour) = s;
                if (!counts)
                    *next_of(automaton, s, VIOLATION_RETURN, m, colour) = s;
            }
    for (size_t i = 0; i < ARRAY_LENGTH(marked); i++)
        for (uint32_t m = 0; m < automaton->method_count; m++)
            if (object->methods[m].role == marked[i].role)
                *next_of(automaton, marked[i].from, marked[i].event, m, 1) = marked[i].to;
}

enum status removed_value_automaton(const struct rule_object *object, struct arena *arena,
                                    struct violation_automaton *automaton)
{
    const char *names[VIOLATION_MOST_METHODS];
    for (uint32_t m = 0; m < object->method_count; m++)
        names[m] = object->methods[m].name;
    *automaton = (struct violation_automaton){
        .name = "leftover", .object = object->name, .rule = "", .initial = BEFORE};
    TRY_MEMORY(violation_automaton_set_methods(automaton, names, object->method_count, arena) &&
               violation_automaton_set_states(automaton, STATES, arena) &&
               violation_automaton_make_table(automaton, arena));
    automaton->accepting[OVER] = true;
    fill_table(object, automaton);
    return STATUS_OK;
}
