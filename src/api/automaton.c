/* The automaton of a formula that stands alone: its atoms are what is written. */
#include <linchpin/graph.h>

#include <inttypes.h>
#include <string.h>

#include "api/objects.h"
#include "base/log.h"
#include "base/require.h"
#include "lin/parser_formula.h"
#include "logic/buchi_translate.h"
#include "logic/ltl_formula.h"

#define AUTOMATON_MAGIC UINT32_C(0x6c706175)

/* What lp_automaton is the beginning of. */
struct translation {
    lp_automaton visible; /* first: the handle is its address */
    uint32_t magic;
    lp_context *context;
    struct budget budget;
    struct arena arena;
    struct script script;
    struct ltl ltl;
    bool has_ltl;
    struct buchi buchi;
    const char *atoms[LTL_MAX_ATOMS];
};

/* Atoms are the same where their texts are. */
static enum status number_atom(void *context, const struct formula *atom, unsigned *number,
                               struct error *error)
{
    struct translation *translation = context;
    const char *text = translation->script.text + atom->at;
    size_t length = atom->end - atom->at, *count = &translation->visible.atom_count;
    for (*number = 0; *number < *count; ++*number)
        if (strlen(translation->atoms[*number]) == length &&
            memcmp(translation->atoms[*number], text, length) == 0)
            return STATUS_OK;
    if (*count == LTL_MAX_ATOMS)
        return script_error(&translation->script, atom->at, error,
                            "expected at most %d different atoms, found one more", LTL_MAX_ATOMS);
    translation->atoms[*count] = arena_copy_text(&translation->arena, text, length);
    return granted(translation->atoms[(*count)++]);
}

/* What the caller sees of the automaton. */
static enum status show(struct translation *translation)
{
    const struct buchi *buchi = &translation->buchi;
    lp_automaton *visible = &translation->visible;
    lp_automaton_edge *edges =
        arena_allocate(&translation->arena, buchi->edges.length * sizeof *edges);
    TRY_MEMORY(edges);
    for (uint32_t state = 0; state < buchi->state_count; state++) {
        for (uint32_t i = buchi->first.items[state]; i < buchi->first.items[state + 1]; i++) {
            const struct buchi_edge *edge = &buchi->edges.items[i];
            edges[i] = (lp_automaton_edge){.source = state,
                                           .target = edge->target,
                                           .positive = edge->positive,
                                           .negative = edge->negative,
                                           .acceptance = edge->acceptance};
        }
    }
    visible->edges = edges;
    visible->edge_count = buchi->edges.length;
    visible->state_count = buchi->state_count;
    visible->initial = buchi->initial.items;
    visible->initial_count = buchi->initial.length;
    visible->acceptance_count = buchi->acceptance_count;
    return STATUS_OK;
}

static enum status translate(struct translation *translation, const char *text, double timeout,
                             struct error *error)
{
    lp_automaton *visible = &translation->visible;
    struct formula *formula = NULL;
    struct limits limits;
    limits_for(&limits, translation->context, &translation->budget, timeout);
    TRY(script_from_text("formula", text, strlen(text), &translation->arena, &translation->script,
                         error));
    TRY(lin_formula_from_text(&translation->script, &translation->arena, &formula, error));
    translation->has_ltl = ltl_init(&translation->ltl, &translation->budget);
    TRY_MEMORY(translation->has_ltl);
    visible->formula = translation->script.text;
    visible->atoms = translation->atoms;
    TRY(formula_number_atoms(formula, number_atom, translation, error));
    ltl_id made = ltl_from_formula(&translation->ltl, formula, LTL_WEAK_RELEASE);
    TRY(buchi_translate(&translation->ltl, made, &limits, &translation->buchi, error));
    LOG(limits.log, "automaton: %" PRIu32 " states, %zu edges, %" PRIu32 " acceptance sets",
        translation->buchi.state_count, translation->buchi.edges.length,
        translation->buchi.acceptance_count);
    struct text simplified = TEXT_EMPTY;
    ltl_print(&translation->ltl, made, LTL_SYNTAX_OURS, translation->atoms, &simplified);
    visible->simplified =
        arena_copy_text(&translation->arena, text_string(&simplified), simplified.length);
    text_release(&simplified);
    return visible->simplified ? show(translation) : STATUS_LIMIT;
}

lp_status lp_automaton_create(lp_context *context, const char *formula, double timeout,
                              lp_automaton **automaton, lp_error *error)
{
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(formula);
    REQUIRE_NOT_NULL(automaton);
    struct error fault = {.message = "the memory limit is reached"};
    enum status status = STATUS_LIMIT;
    struct translation *translation = memory_zeroed(&context->budget, sizeof *translation);
    *automaton = NULL;
    if (translation) {
        translation->magic = AUTOMATON_MAGIC;
        translation->context = context;
        budget_init(&translation->budget, &context->budget, 0);
        arena_init(&translation->arena, &translation->budget);
        buchi_init(&translation->buchi, &translation->budget);
        status = translate(translation, formula, timeout, &fault);
    }
    report_status(status, &fault, error);
    if (status == STATUS_OK)
        *automaton = &translation->visible;
    else if (translation)
        lp_automaton_destroy(&translation->visible);
    return (lp_status)status;
}

void lp_automaton_destroy(lp_automaton *automaton)
{
    if (!automaton)
        return;
    struct translation *translation = (struct translation *)automaton;
    REQUIRE_ALIVE(translation, AUTOMATON_MAGIC);
    translation->magic = 0;
    buchi_release(&translation->buchi);
    if (translation->has_ltl)
        ltl_release(&translation->ltl);
    arena_release(&translation->arena);
    memory_release(&translation->context->budget, translation, sizeof *translation);
}
