/* The formula of an assertion becomes an automaton for its negation, its atoms numbers; then
 * property/liveness.c looks for a run that the automaton accepts. */
#include "verify/temporal.h"

#include <string.h>

#include "logic/buchi_translate.h"
#include "logic/ltl_formula.h"

void temporal_init(struct temporal *temporal, struct labels *labels, struct budget *budget)
{
    temporal->is_lin = false;
    temporal->formula = NULL;
    temporal->labels = labels;
    temporal->budget = budget;
    temporal->count = 0;
    arena_init(&temporal->arena, budget);
}

void temporal_release(struct temporal *temporal)
{
    arena_release(&temporal->arena);
}

bool temporal_number(struct temporal *temporal, const char *name, const struct liveness_atom *atom,
                     unsigned *number)
{
    unsigned found = 0;
    while (found < temporal->count && (strcmp(temporal->names[found], name) != 0 ||
                                       !temporal->atoms[found].event != !atom->event))
        found++;
    if (found == LTL_MAX_ATOMS)
        return false;
    if (found == temporal->count) {
        temporal->atoms[found] = *atom;
        temporal->names[temporal->count++] = name;
    }
    *number = found;
    return true;
}

size_t temporal_conditions(const struct temporal *temporal, uint32_t *conditions)
{
    size_t count = 0;
    for (unsigned i = 0; i < temporal->count; i++)
        if (!temporal->atoms[i].event)
            conditions[count++] = temporal->atoms[i].condition;
    return count;
}

/* The automaton of the runs that violate the formula. */
static enum status translate(const struct temporal *temporal, const struct limits *limits,
                             struct buchi *automaton, struct error *error)
{
    struct ltl ltl;
    TRY_MEMORY(ltl_init(&ltl, limits->budget));
    ltl_id formula = ltl_from_formula(&ltl, temporal->formula, LTL_WEAK_SPELLED);
    enum status status = buchi_translate(&ltl, ltl_not(formula), limits, automaton, error);
    ltl_release(&ltl);
    return status;
}

/* Where a formula holds because an event never comes, that may be a slip of the pen. Said only if
 * every state was looked at: the automaton need not have asked for all. */
static void tell_unmet(const struct temporal *temporal, const struct graph *graph,
                       const struct liveness *found, struct text *reason)
{
    for (uint32_t state = 0; state < graph_count(graph); state++)
        if (!graph_is_expanded(graph, state))
            return;
    for (unsigned i = 0; i < temporal->count; i++)
        if (temporal->atoms[i].event && !(found->met >> i & 1))
            text_format(reason, "%s`%s`", reason->length ? ", " : "no run has the event ",
                        temporal->names[i]);
}

enum status temporal_decide(const struct temporal *temporal, struct graph *graph,
                            enum fairness fairness, struct limits *limits, struct liveness *found,
                            struct assertion_result *result, struct error *error)
{
    struct buchi automaton;
    buchi_init(&automaton, limits->budget);
    result->is_temporal = true;
    result->fairness = fairness;
    error->message[0] = 0;
    enum status status = translate(temporal, limits, &automaton, error);
    if (status == STATUS_OK) {
        const struct liveness_options search = {.automaton = &automaton,
                                                .atoms = temporal->atoms,
                                                .atom_count = temporal->count,
                                                .fairness = fairness,
                                                .limits = limits};
        status = liveness_search(graph, &search, found, error);
    }
    buchi_release(&automaton);
    if (status == STATUS_LIMIT && limits_reached(limits) == LIMIT_NONE &&
        !atomic_load(&limits->budget->refused)) { /* the formula's own size */
        result->answer = UNDECIDED;
        text_append(&result->reason, error->message);
        return STATUS_OK;
    }
    result->answer = found->answer;
    result->limit = found->limit;
    result->states = found->states;
    result->transitions = found->transitions;
    if (status != STATUS_OK)
        return status;
    if (found->too_many)
        text_append(&result->reason, "fairness of processes is decided for at most 63 of them");
    else if (found->answer == UNDECIDED)
        assertion_undecided(result, &(struct search_extent){.depth = found->depth});
    else if (found->answer == HOLDS)
        tell_unmet(temporal, graph, found, &result->reason);
    else
        return temporal_tell(temporal, found, fairness, &result->reason, error);
    return STATUS_OK;
}
