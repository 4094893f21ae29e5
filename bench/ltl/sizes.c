/* Sizes of automata: for each line of standard input, a formula, one line: states and edges of the
 * generalised automaton, its acceptance sets, states and edges with one set of edges and with one
 * set of states, and the microseconds that all of it took. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/parser_formula.h"
#include "logic/buchi_degeneralise.h"
#include "logic/buchi_translate.h"
#include "logic/ltl_formula.h"

struct atoms {
    const struct script *script;
    unsigned count;
    char names[LTL_MAX_ATOMS][64];
};

static enum status number_atom(void *context, const struct formula *atom, unsigned *number,
                               struct error *error)
{
    struct atoms *atoms = context;
    char name[64];
    (void)error;
    snprintf(name, sizeof name, "%.*s", (int)(atom->end - atom->at),
             atoms->script->text + atom->at);
    for (*number = 0; *number < atoms->count; ++*number)
        if (strcmp(atoms->names[*number], name) == 0)
            return STATUS_OK;
    strcpy(atoms->names[atoms->count++], name);
    return STATUS_OK;
}

static enum status measure(const char *line, struct arena *arena, struct ltl *ltl,
                           struct error *error)
{
    struct limits limits;
    struct script script;
    struct formula *formula;
    struct atoms atoms = {.script = &script};
    struct buchi general, by_edge, by_state;
    limits_init(&limits, arena->budget);
    uint64_t start = clock_nanoseconds();
    TRY(script_from_text("formula", line, strlen(line), arena, &script, error));
    TRY(lin_formula_from_text(&script, arena, &formula, error));
    TRY(formula_number_atoms(formula, number_atom, &atoms, error));
    ltl_id made = ltl_from_formula(ltl, formula, LTL_WEAK_RELEASE);
    TRY(buchi_translate(ltl, made, &limits, &general, error));
    TRY(buchi_degeneralise(&general, BUCHI_BY_EDGE, &limits, &by_edge, error));
    TRY(buchi_degeneralise(&general, BUCHI_BY_STATE, &limits, &by_state, error));
    printf("%u %zu %u %u %zu %u %zu %" PRIu64 "\n", general.state_count, general.edges.length,
           general.acceptance_count, by_edge.state_count, by_edge.edges.length,
           by_state.state_count, by_state.edges.length, (clock_nanoseconds() - start) / 1000);
    buchi_release(&general);
    buchi_release(&by_edge);
    buchi_release(&by_state);
    return STATUS_OK;
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        struct budget budget;
        struct arena arena;
        struct ltl ltl;
        struct error error;
        budget_init(&budget, NULL, 0);
        arena_init(&arena, &budget);
        if (!ltl_init(&ltl, &budget))
            return EXIT_FAILURE;
        if (measure(line, &arena, &ltl, &error) != STATUS_OK) {
            fprintf(stderr, "%s", error.message);
            return EXIT_FAILURE;
        }
        ltl_release(&ltl);
        arena_release(&arena);
    }
    return EXIT_SUCCESS;
}
