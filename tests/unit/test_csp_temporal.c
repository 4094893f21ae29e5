/* Temporal formulas about random CSP# models, with each kind of fairness, against the definition;
 * and every run that is said to violate one, replayed and looked at by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/csp_model_test.h"
#include "support/csp_oracle_temporal.h"
#include "support/csp_random.h"
#include "support/seeds.h"

/* ---- models that go on for ever ---- */

#define PICK(random, ...)                                                                          \
    pick(random, (const char *const[]){__VA_ARGS__},                                               \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char *pick(struct random *random, const char *const *items, size_t count)
{
    return items[random_below(random, (uint32_t)count)];
}

static void append_branch(struct random *random, unsigned thread, unsigned phases, bool faults,
                          struct text *text)
{
    if (random_chance(random, 1, 2))
        text_format(text, "[%s] ", PICK(random, "x == 0", "x == 1", "y == 0", "x != y"));
    const char *change =
        faults && random_chance(random, 1, 6)
            ? PICK(random, "{y = 1 / x;}", "{y = x + (x == 1);}")
            : PICK(random, "", "", "{x = 1 - x;}", "{y = x;}", "{y = 1 - y;}", "{x = 0;}");
    switch (random_below(random, 8)) {
    case 0:
        text_format(text, "(if (%s) { ", PICK(random, "x == 0", "x == y"));
        text_format(text, "T%u_%u() } else { T%u_%u() })", thread, random_below(random, phases),
                    thread, random_below(random, phases));
        return;
    case 1:
        text_format(text, "%s -> ", PICK(random, "c!1", "c?1", "s!1", "s?1"));
        break;
    case 2:
        text_format(text, "tau%s -> ", change);
        break;
    default:
        text_format(text, "%s%s -> ", PICK(random, "a", "b", "a.1", "e"), change);
    }
    if (random_chance(random, 1, 12))
        text_append(text, PICK(random, "Skip", "Stop", "(a -> Skip ||| b -> Skip)"));
    else
        text_format(text, "T%u_%u()", thread, random_below(random, phases));
}

/* Up to three threads of a few phases each, that share variables, channels and perhaps events. With
 * `faults` some of them, and of the propositions, may be wrong in some state. */
static void append_model(struct random *random, bool faults, struct text *text)
{
    unsigned threads = 1 + random_below(random, 3);
    text_append(text, "var x = 0;\nvar y = 0;\nchannel c 1;\nchannel s 0;\n");
    text_format(text, "#define goal %s;\n#define same %s;\n",
                faults ? PICK(random, "x == 1", "x", "x = 1", "x == 1 && y") : "x == 1",
                faults ? PICK(random, "x == y", "x / y == 1", "x == y || y") : "x == y");
    for (unsigned thread = 0; thread < threads; thread++) {
        unsigned phases = 1 + random_below(random, 2);
        for (unsigned phase = 0; phase < phases; phase++) {
            text_format(text, "T%u_%u() = ", thread, phase);
            for (unsigned branch = random_below(random, 3) + 1; branch > 0; branch--) {
                append_branch(random, thread, phases, faults, text);
                text_append(text, branch > 1 ? PICK(random, " [] ", " [] ", " <> ") : ";\n");
            }
        }
    }
    const char *between = PICK(random, " ||| ", " ||| ", " || ");
    text_append(text, "Main() = (");
    for (unsigned thread = 0; thread < threads; thread++)
        text_format(text, "%sT%u_0()", thread ? between : "", thread);
    if (random_chance(random, 1, 4))
        text_append(text, " ||| ||| {2} @ (T0_0())");
    text_append(text, random_chance(random, 1, 4) ? ") \\ {e, b};\n" : ");\n");
}

/* ---- questions ---- */

#define ATOMS 5

struct figures {
    unsigned asked[FAIRNESS_KINDS], violated[FAIRNESS_KINDS], lassos, ends, left_out, faulty;
};

/* The texts that atoms p0, p1, ... have in a model. */
static const char *const loop_atoms[ATOMS] = {"a", "goal", "b", "same", "\"s.1\""};
static const char *const other_atoms[ATOMS] = {"a", "goal", "e.1", "init", "\"c!1\""};

static void append_formula(const struct tree *tree, const char *const *atoms, struct text *text)
{
    struct text plain = TEXT_EMPTY;
    tree_print(tree, &plain);
    for (const char *at = text_string(&plain); *at; at++) {
        if (*at == 'p')
            text_append(text, atoms[*++at - '0']);
        else
            text_append_char(text, *at);
    }
    text_release(&plain);
}

static const struct csp_expression *condition_of(const struct csp_module *module, const char *name)
{
    for (size_t i = 0; i < module->macros.length; i++)
        if (strcmp(module->macros.items[i].name, name) == 0)
            return module->macros.items[i].expression;
    return NULL;
}

static void fill_atoms(const struct csp_module *module, const char *const *names,
                       struct oracle_atom *atoms)
{
    static const char *const channels[] = {"s.1", "c!1"};
    for (unsigned i = 0; i < ATOMS; i++) {
        const struct csp_expression *condition = condition_of(module, names[i]);
        atoms[i] =
            (struct oracle_atom){.event = condition ? NULL : names[i], .condition = condition};
        for (size_t j = 0; j < 2; j++)
            if (names[i][0] == '"' && strstr(names[i], channels[j]))
                atoms[i].event = channels[j];
    }
}

struct asking {
    struct csp_model_test *test;
    const struct tree *formula;
    const struct oracle_atom *atoms;
    const char *text;
    struct figures *figures;
};

static struct tree *make(enum tree_kind kind, unsigned atom, struct tree *left, struct tree *right)
{
    struct tree *tree = memory_small(sizeof *tree);
    *tree = (struct tree){.kind = kind, .atom = atom, .left = left, .right = right};
    return tree;
}

/* Half of the formulas are of the kinds that fairness is made for: `[] <> a`, `<> [] ! a`, `[] (a
 * ->
 * <> b)`, `<> a`. */
static struct tree *make_formula(struct random *random)
{
    if (random_chance(random, 1, 2))
        return tree_random(random, 1 + random_below(random, 7), ATOMS, TREE_WEAK_UNTIL);
    struct tree *goal = make(TREE_ATOM, random_below(random, ATOMS), NULL, NULL);
    if (random_chance(random, 1, 4))
        goal = make(TREE_NOT, 0, goal, NULL);
    switch (random_below(random, 4)) {
    case 0:
        return make(TREE_EVENTUALLY, 0, make(TREE_ALWAYS, 0, goal, NULL), NULL);
    case 1:
        return make(TREE_EVENTUALLY, 0, goal, NULL);
    case 2:
        return make(TREE_ALWAYS, 0, make(TREE_EVENTUALLY, 0, goal, NULL), NULL);
    default:
        return make(TREE_ALWAYS, 0,
                    make(TREE_IMPLIES, 0, tree_random(random, 2, ATOMS, TREE_WEAK_UNTIL),
                         make(TREE_EVENTUALLY, 0, goal, NULL)),
                    NULL);
    }
}

/* What is wrong with the engine's answer; null: nothing. Where there is a fault a violation may be
 * found first, but it must not be said that the formula holds. */
static const char *compare(const struct oracle_question *question, enum oracle_verdict verdict,
                           enum status status, const struct assertion_result *result)
{
    if (status != STATUS_OK)
        return verdict == ORACLE_FAULTS ? NULL : "a fault";
    if (result->answer == UNDECIDED)
        return "undecided";
    if (result->answer == VIOLATED && verdict != ORACLE_ALL_RUNS)
        return oracle_temporal_replay(question, &result->trace);
    if (result->answer == HOLDS && verdict == ORACLE_ALL_RUNS)
        return NULL;
    return result->answer == VIOLATED ? "violated" : "holds";
}

static void count(struct figures *figures, enum fairness kind, enum oracle_verdict verdict,
                  const struct assertion_result *result)
{
    bool violated = result->answer == VIOLATED;
    if (verdict == ORACLE_FAULTS) {
        figures->faulty++;
        return;
    }
    figures->asked[kind]++;
    figures->violated[kind] += violated;
    figures->lassos += violated && result->trace.is_lasso;
    figures->ends += violated && !result->trace.is_lasso;
}

/* Asks both, with one kind of fairness. */
static bool ask(const struct asking *asking, enum fairness kind)
{
    struct csp_model_test *test = asking->test;
    size_t last = test->module.assertions.length - 1;
    struct oracle *oracle = oracle_create(&test->module, 60);
    struct oracle_question question = {.oracle = oracle,
                                       .process = test->module.assertions.items[last].process,
                                       .atoms = asking->atoms,
                                       .atom_count = ATOMS,
                                       .formula = asking->formula,
                                       .fairness = kind};
    if (kind != FAIRNESS_NONE)
        oracle_keep_apart(oracle);
    enum oracle_verdict verdict = oracle_temporal_decide(&question);
    bool violated = false;
    if (verdict == ORACLE_NO_ANSWER) {
        asking->figures->left_out++;
    } else {
        struct assertion_result result;
        assertion_result_init(&result, &test->budget);
        const struct assertion_options options = {
            .reductions = REDUCE_DEFAULT, .fairness = kind, .limits = &test->limits};
        enum status status =
            csp_assertion_decide(&test->program, &test->module.assertions.items[last], test->pool,
                                 &options, &result, &test->error);
        const char *wrong = compare(&question, verdict, status, &result);
        if (wrong)
            fail_msg("%s: %s (%s%s)\n%s", fairness_name(kind), wrong, text_string(&result.reason),
                     status == STATUS_OK ? "" : test->error.message, asking->text);
        violated = status == STATUS_OK && result.answer == VIOLATED;
        count(asking->figures, kind, verdict, &result);
        assertion_result_release(&result);
    }
    oracle_destroy(oracle);
    return violated;
}

/* Each kind of fairness; what a stronger one violates the weaker ones do. */
static void ask_all(const struct asking *asking)
{
    bool violated[FAIRNESS_KINDS];
    unsigned unanswered = asking->figures->left_out + asking->figures->faulty;
    for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++)
        violated[kind] = ask(asking, kind);
    if (asking->figures->left_out + asking->figures->faulty > unanswered)
        return;
    assert_true(!violated[FAIRNESS_GLOBAL] || violated[FAIRNESS_EVENT_STRONG]);
    assert_true(!violated[FAIRNESS_GLOBAL] || violated[FAIRNESS_PROCESS_STRONG]);
    assert_true(!violated[FAIRNESS_EVENT_STRONG] || violated[FAIRNESS_EVENT_WEAK]);
    assert_true(!violated[FAIRNESS_PROCESS_STRONG] || violated[FAIRNESS_PROCESS_WEAK]);
    assert_true(!violated[FAIRNESS_EVENT_WEAK] || violated[FAIRNESS_NONE]);
    assert_true(!violated[FAIRNESS_PROCESS_WEAK] || violated[FAIRNESS_NONE]);
}

static void ask_model(const char *model, const char *const *names, struct random *random,
                      struct figures *figures)
{
    struct csp_model_test test;
    struct oracle_atom atoms[ATOMS];
    struct text text = TEXT_EMPTY;
    struct tree *formula = make_formula(random);
    text_append(&text, model);
    text_append(&text, "#assert Main() |= ");
    append_formula(formula, names, &text);
    text_append(&text, ";\n");
    if (csp_model_test_try(&test, text_string(&text)) == STATUS_OK) {
        fill_atoms(&test.module, names, atoms);
        const struct asking asking = {&test, formula, atoms, text_string(&text), figures};
        ask_all(&asking);
    } else if (names == loop_atoms) {
        fail_msg("%s\n%s", test.error.message, text_string(&text));
    }
    csp_model_test_close(&test);
    tree_release(formula);
    text_release(&text);
}

static struct seeds seeds = {.first = 1, .count = 160};

static void print_figures(const char *what, const struct figures *figures)
{
    print_message("seeds %llu to %llu, %s:", (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1), what);
    for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++)
        print_message(" %s %u/%u", fairness_name(kind), figures->violated[kind],
                      figures->asked[kind]);
    print_message(" violated, by %u lassos and %u runs that end; %u at fault, %u left out\n",
                  figures->lassos, figures->ends, figures->faulty, figures->left_out);
}

static void formulas_of_threads_follow_from_the_definition(void **unused)
{
    (void)unused;
    struct figures figures = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text model = TEXT_EMPTY;
        random_seed(&random, seed);
        append_model(&random, false, &model);
        ask_model(text_string(&model), loop_atoms, &random, &figures);
        text_release(&model);
    }
    print_figures("threads", &figures);
    for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++) {
        assert_true(figures.violated[kind] > seeds.count / 10);
        assert_true(figures.asked[kind] - figures.violated[kind] > seeds.count / 10);
    }
    assert_true(figures.lassos > figures.ends / 4 && figures.ends > figures.lassos / 40);
}

/* A fault that some run comes to is told whatever the formula says of the runs before it. */
static void formulas_do_not_hold_where_a_fault_is_reachable(void **unused)
{
    (void)unused;
    struct figures figures = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text model = TEXT_EMPTY;
        random_seed(&random, seed);
        append_model(&random, true, &model);
        ask_model(text_string(&model), loop_atoms, &random, &figures);
        text_release(&model);
    }
    print_figures("threads with faults", &figures);
    assert_true(figures.faulty > seeds.count / 2);
}

static void formulas_of_all_operators_follow_from_the_definition(void **unused)
{
    (void)unused;
    struct figures figures = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct csp_random *model = csp_random_create(CSP_RANDOM_OPERATORS, seed);
        struct random random;
        random_seed(&random, seed);
        ask_model(csp_random_text(model), other_atoms, &random, &figures);
        csp_random_destroy(model);
    }
    print_figures("all operators", &figures);
    assert_true(figures.violated[FAIRNESS_NONE] > seeds.count / 10);
}

/* ---- models by hand ---- */

static enum holds decide(const char *text, enum fairness kind, size_t extra, struct text *reason)
{
    struct csp_model_test test;
    struct assertion_result result;
    csp_model_test_open(&test, text);
    assertion_result_init(&result, &test.budget);
    test.budget.limit = extra ? test.budget.used + extra : 0;
    const struct assertion_options options = {
        .reductions = REDUCE_DEFAULT, .fairness = kind, .limits = &test.limits};
    assert_int_equal(csp_assertion_decide(&test.program, &test.module.assertions.items[0],
                                          test.pool, &options, &result, &test.error),
                     STATUS_OK);
    enum holds answer = result.answer;
    if (answer == UNDECIDED && extra)
        assert_int_equal(result.limit, LIMIT_MEMORY);
    if (reason)
        text_append(reason, text_string(&result.reason));
    assertion_result_release(&result);
    csp_model_test_close(&test);
    return answer;
}

/* With a little more memory each time: no answer, and at last the right one. */
static void memory_may_be_refused_at_any_time(void **unused)
{
    (void)unused;
    static const char text[] =
        "var x;\n#define zero x == 0;\nP(i) = a.i{x = (x + 1) % 3} -> P(i) [] b.i -> Q(i);\n"
        "Q(i) = [x == i]c.i -> P(i);\nMain() = ||| i:{0..2} @ P(i);\n"
        "#assert Main() |= [] (b.0 -> <> c.0);";
    static const enum holds expected[FAIRNESS_KINDS] = {
        [FAIRNESS_NONE] = VIOLATED,           [FAIRNESS_EVENT_WEAK] = VIOLATED,
        [FAIRNESS_EVENT_STRONG] = HOLDS,      [FAIRNESS_PROCESS_WEAK] = VIOLATED,
        [FAIRNESS_PROCESS_STRONG] = VIOLATED, [FAIRNESS_GLOBAL] = HOLDS,
    };
    for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++) {
        unsigned refused = 0;
        for (size_t extra = 1000;; extra += 499) {
            enum holds answer = decide(text, kind, extra, NULL);
            if (answer == expected[kind])
                break;
            assert_int_equal(answer, UNDECIDED);
            refused++;
        }
        assert_true(refused > 20);
    }
}

/* Without fairness for every number of copies, with fairness as far as a few show it. */
static void copies_without_a_number(void **unused)
{
    (void)unused;
    static const char lock[] = "var free = true;\nvar in:{0..1};\n#define two in == 2;\n"
                               "P = [free]take{free = false; in = in + 1} -> "
                               "give{free = true; in = in - 1} -> P;\nMain() = ||| {..} @ P;\n";
    struct text text = TEXT_EMPTY, reason = TEXT_EMPTY;
    text_format(&text, "%s#assert Main() |= [] (take -> X give) && [] !two;", lock);
    assert_int_equal(decide(text_string(&text), FAIRNESS_NONE, 0, &reason), HOLDS);
    assert_string_equal(text_string(&reason), "for any number of copies, counted up to 1");
    assert_int_equal(decide(text_string(&text), FAIRNESS_PROCESS_WEAK, 0, NULL), UNDECIDED);
    text_clear(&text);
    text_clear(&reason);
    text_format(&text, "%s#assert Main() |= <> [] !take;", lock);
    assert_int_equal(decide(text_string(&text), FAIRNESS_PROCESS_STRONG, 0, &reason), VIOLATED);
    assert_non_null(strstr(text_string(&reason), "with 1 copy for `..`"));
    text_release(&text);
    text_release(&reason);
}

/* Of what never comes only; what came first counts as much as what came last. */
static void events_that_no_run_has_are_told(void **unused)
{
    (void)unused;
    static const char *const rows[][2] = {
        {"[] (c -> <> a)", "no run has the event `c`"},
        {"[] (c -> X d)", "no run has the event `c`, `d`"},
        {"[] (a -> X b) && [] (b -> X e)", ""},
        {"init", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = TEXT_EMPTY, reason = TEXT_EMPTY;
        text_format(&text,
                    "Main() = a -> b -> P();\nP() = e -> e -> P();\nNever() = c -> d -> Skip;\n"
                    "#assert Main() |= %s;",
                    rows[i][0]);
        assert_int_equal(decide(text_string(&text), FAIRNESS_NONE, 0, &reason), HOLDS);
        assert_string_equal(text_string(&reason), rows[i][1]);
        text_release(&text);
        text_release(&reason);
    }
}

/* What a run that ends is about, for ever. */
static void runs_that_end_stay_where_they_are(void **unused)
{
    (void)unused;
    static const struct {
        const char *formula;
        enum holds answer;
    } rows[] = {
        {"[] <> b", HOLDS},       {"<> [] b", HOLDS},          {"[] <> a", VIOLATED},
        {"<> [] one", HOLDS},     {"<> X X X X b", HOLDS},     {"init && X a && X X b", HOLDS},
        {"[] (b -> X b)", HOLDS}, {"[] (a -> X a)", VIOLATED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "var x;\n#define one x == 1;\nMain() = a -> b{x = 1} -> Stop;\n"
                    "#assert Main() |= %s;",
                    rows[i].formula);
        for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++)
            assert_int_equal(decide(text_string(&text), kind, 0, NULL), rows[i].answer);
        text_release(&text);
    }
}

/* What is left of an interleaving is Skip as it is written, or is not, whether its components keep
 * their places or not: no step more or less comes before `d`. */
static void places_change_no_steps(void **unused)
{
    (void)unused;
    static const struct {
        const char *process;
        const char *formula;
    } rows[] = {
        {"(c -> Skip ||| ([] i:{0, 2} @ Skip)); d -> Stop", "X X d"},
        {"(c -> Skip ||| atomic { Skip }); d -> Stop", "X X d"},
        {"atomic { (c -> Skip ||| ([] i:{0, 2} @ Skip)) }; d -> Stop", "X X d"},
        {"(b -> Skip ||| R()); d -> Stop", "X X X d"},
        {"((tau -> Skip ||| Stop) [*] Skip); d -> Stop", "X X d"},
        /* two of them are an interleaving, which is not Skip; and so are copies */
        {"(c -> Skip ||| ([] i:{0, 2} @ Skip) ||| atomic { Skip }); d -> Stop", "X X (!d && X d)"},
        {"(c -> Skip ||| (||| {1} @ ([] i:{0, 2} @ Skip))); d -> Stop", "X X (!d && X d)"},
        {"(||| {2} @ (c -> ([] i:{0, 2} @ Skip) [] b -> Skip)); d -> Stop",
         "(X c || X X c) -> X X X !d"},
        {"(||| {1} @ (atomic { Skip } ||| c -> Skip)); d -> Stop", "X X (!d && X d)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "R() = c -> Skip ||| ([] i:{0, 2} @ Skip);\nMain() = %s;\n"
                    "#assert Main() |= %s;",
                    rows[i].process, rows[i].formula);
        for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++)
            if (decide(text_string(&text), kind, 0, NULL) != HOLDS)
                fail_msg("%s: %s", fairness_name(kind), text_string(&text));
        text_release(&text);
    }
}

/* Why, in words: an event that does not come in a step may come in a later one. */
static void what_fails_is_told_with_its_step(void **unused)
{
    (void)unused;
    struct text reason = TEXT_EMPTY;
    assert_int_equal(
        decide("Main() = tau -> a -> Stop;\n#assert Main() |= X a;", FAIRNESS_NONE, 0, &reason),
        VIOLATED);
    assert_string_equal(text_string(&reason), "`a` does not come in step 1");
    text_clear(&reason);
    /* the memory is enough for the run, not for its square */
    assert_int_equal(decide("var x;\nMain() = [x < 10000]a{x = x + 1} -> Main() [] "
                            "[x == 10000]last -> Stop;\n#assert Main() |= !<> last;",
                            FAIRNESS_NONE, 30000000, &reason),
                     VIOLATED);
    assert_string_equal(text_string(&reason), "`last` comes in step 10001");
    text_release(&reason);
}

/* test_csp_temporal [FIRST_SEED [MODELS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_of_threads_follow_from_the_definition),
        cmocka_unit_test(formulas_do_not_hold_where_a_fault_is_reachable),
        cmocka_unit_test(formulas_of_all_operators_follow_from_the_definition),
        cmocka_unit_test(memory_may_be_refused_at_any_time),
        cmocka_unit_test(copies_without_a_number),
        cmocka_unit_test(events_that_no_run_has_are_told),
        cmocka_unit_test(runs_that_end_stay_where_they_are),
        cmocka_unit_test(places_change_no_steps),
        cmocka_unit_test(what_fails_is_told_with_its_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
