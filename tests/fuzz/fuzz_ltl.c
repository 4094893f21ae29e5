/* Any bytes, read as a formula of linear temporal logic: as `.lin` has them, and as CSP# has them.
 *
 * Whatever the text is, reading it must end with a formula or a message that has a place; a formula
 * must be translated or meet a limit, and of every word exactly one of its automaton and that of
 * its negation accepts it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csp/parser.h"
#include "lin/parser_formula.h"
#include "logic/buchi_translate.h"
#include "logic/ltl_formula.h"
#include "support/ltl_words.h"

#define MEMORY      ((size_t)32 << 20)
#define SECONDS     2
#define LONGEST     2000
#define MOST_STATES 500 /* for words: the product is walked by recursion */
#define WORDS       8

static void must(bool condition, const char *what, const char *detail)
{
    if (condition)
        return;
    fprintf(stderr, "fuzz_ltl: %s: %s\n", what, detail);
    abort();
}

static void compare(const struct buchi *automaton, const struct buchi *negation)
{
    struct random random;
    random_seed(&random, 1);
    for (unsigned i = 0; i < WORDS; i++) {
        struct lasso word;
        lasso_random(&random, 8, &word);
        must(buchi_accepts(automaton, &word) != buchi_accepts(negation, &word), "a word",
             "is accepted by both automata, or by none");
    }
}

static void translate(struct ltl *ltl, ltl_id formula, const struct limits *limits)
{
    struct buchi automaton, negation;
    enum status first = buchi_translate(ltl, formula, limits, &automaton, NULL);
    enum status second = buchi_translate(ltl, ltl_not(formula), limits, &negation, NULL);
    must((first == STATUS_OK || first == STATUS_LIMIT) &&
             (second == STATUS_OK || second == STATUS_LIMIT),
         "a translation", "ends neither with an automaton nor with a limit");
    if (first == STATUS_OK && second == STATUS_OK && automaton.state_count < MOST_STATES &&
        negation.state_count < MOST_STATES)
        compare(&automaton, &negation);
    buchi_release(&automaton);
    buchi_release(&negation);
}

/* Different places are different atoms, as far as there are numbers. */
static enum status number_atom(void *context, const struct formula *atom, unsigned *number,
                               struct error *error)
{
    (void)context;
    (void)error;
    *number = atom->at % LTL_MAX_ATOMS;
    return STATUS_OK;
}

static enum status make(struct formula *formula, struct ltl *ltl, ltl_id *made, struct error *error)
{
    TRY(formula_number_atoms(formula, number_atom, NULL, error));
    *made = ltl_from_formula(ltl, formula, LTL_WEAK_RELEASE);
    return STATUS_OK;
}

static enum status read_lin(const char *text, struct arena *arena, struct ltl *ltl, ltl_id *made,
                            struct error *error)
{
    struct script script;
    struct formula *formula;
    TRY(script_from_text("formula", text, strlen(text), arena, &script, error));
    TRY(lin_formula_from_text(&script, arena, &formula, error));
    return make(formula, ltl, made, error);
}

static enum status read_csp(const char *text, struct arena *arena, struct ltl *ltl, ltl_id *made,
                            struct error *error)
{
    struct script script;
    struct csp_module module;
    struct text whole = TEXT_EMPTY;
    text_format(&whole, "#assert P() |= %s;", text);
    enum status status =
        script_from_text("model", text_string(&whole), whole.length, arena, &script, error);
    text_release(&whole);
    TRY(status);
    status = csp_parse(&script, arena, &module, error);
    if (status == STATUS_OK && module.assertions.length && module.assertions.items[0].formula)
        status = make(module.assertions.items[0].formula, ltl, made, error);
    csp_module_release(&module);
    return status;
}

typedef enum status read_formula(const char *text, struct arena *arena, struct ltl *ltl,
                                 ltl_id *made, struct error *error);

static void try(const char *text, read_formula *read)
{
    struct budget budget;
    struct limits limits;
    struct arena arena;
    struct ltl ltl;
    struct error error = {0};
    ltl_id formula = LTL_TRUE;
    budget_init(&budget, NULL, MEMORY);
    limits_init(&limits, &budget);
    limits.deadline = clock_nanoseconds() + SECONDS * UINT64_C(1000000000);
    arena_init(&arena, &budget);
    must(ltl_init(&ltl, &budget), "memory", "is refused");
    enum status status = read(text, &arena, &ltl, &formula, &error);
    must(status != STATUS_INPUT || (error.line > 0 && error.message[0]), "refused",
         "without a message that has a place");
    if (status == STATUS_OK)
        translate(&ltl, formula, &limits);
    ltl_release(&ltl);
    arena_release(&arena);
    must(budget.used == 0, "memory", "is left");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[LONGEST + 1];
    if (size > LONGEST)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    try(text, read_lin);
    try(text, read_csp);
    return 0;
}
