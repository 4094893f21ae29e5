/* CSP# is read as PAT reads it: every trap of its grammar, and a message for what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "csp/ast.h"
#include "csp/lexer.h"
#include "csp/parser.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct script script;
    struct csp_module module;
    struct error error;
};

static enum status parse(struct fixture *fixture, const char *text)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    assert_int_equal(script_from_text("test.csp", text, strlen(text), &fixture->arena,
                                      &fixture->script, &fixture->error),
                     STATUS_OK);
    return csp_parse(&fixture->script, &fixture->arena, &fixture->module, &fixture->error);
}

static void release(struct fixture *fixture)
{
    csp_module_release(&fixture->module);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

static const struct csp_process *body(struct fixture *fixture, const char *text)
{
    if (parse(fixture, text) != STATUS_OK)
        fail_msg("%s: %s", text, fixture->error.message);
    return fixture->module.definitions.items[0].body;
}

static void semicolon_ends_a_definition_or_goes_on(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process =
        body(&fixture, "P = a -> Skip; Q; b -> Stop; Q = c -> Skip; R(x) = Stop; var v = 1;");
    assert_int_equal(fixture.module.definitions.length, 3);
    assert_int_equal(process->kind, PROCESS_SEQUENCE);
    assert_int_equal(process->count, 3);
    release(&fixture);
    process = body(&fixture, "P = a -> Skip; Q(1)\n; #assert P deadlockfree; Q(x) = Stop;");
    assert_int_equal(process->count, 2);
    assert_int_equal(fixture.module.assertions.length, 1);
    release(&fixture);
}

static void a_bracket_opens_a_guard_or_is_a_choice(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process =
        body(&fixture, "P = [x > 0] a -> P [] [y]b -> P [*] [z[1] == 2] c -> P;");
    assert_int_equal(process->kind, PROCESS_CHOICE);
    assert_int_equal(process->children[0]->kind, PROCESS_GUARD);
    process = process->children[1];
    assert_int_equal(process->kind, PROCESS_EXTERNAL);
    assert_int_equal(process->children[0]->kind, PROCESS_GUARD);
    assert_int_equal(process->children[1]->kind, PROCESS_GUARD);
    release(&fixture);
}

static void what_looks_like_a_definition_ends_one(void **unused)
{
    (void)unused;
    static const char *const next[] = {
        "Q(x:{0..2}, y) = Stop;", "Q = Stop;", "Q() = Stop;",
        "#define N 1;",           "var x;",    "hvar x;",
        "channel c 0;",           "enum {x};", "#assert P deadlockfree;",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(next); i++) {
        struct fixture fixture;
        char text[100];
        snprintf(text, sizeof text, "P = a -> Skip; R(1); b -> Stop;\r\n%s", next[i]);
        assert_int_equal(body(&fixture, text)->count, 3);
        release(&fixture);
    }
}

static void prefix_binds_tightest(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = a -> Q; R;");
    assert_int_equal(process->kind, PROCESS_SEQUENCE);
    assert_int_equal(process->children[0]->kind, PROCESS_EVENT);
    release(&fixture);
    process = body(&fixture, "P = a -> Q [] b -> R;");
    assert_int_equal(process->kind, PROCESS_CHOICE);
    release(&fixture);
    process = body(&fixture, "P = a -> (Q ||| R);");
    assert_int_equal(process->kind, PROCESS_EVENT);
    assert_int_equal(process->children[0]->kind, PROCESS_INTERLEAVE);
    release(&fixture);
    process = body(&fixture, "P = a -> if (x == 1) { Skip } else { Stop };");
    assert_int_equal(process->children[0]->kind, PROCESS_IF);
    release(&fixture);
}

static void operators_have_their_levels(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process =
        body(&fixture, "P = A [] B <> C [*] D interrupt E || F ||| G;");
    assert_int_equal(process->kind, PROCESS_INTERLEAVE);
    process = process->children[0];
    assert_int_equal(process->kind, PROCESS_PARALLEL);
    process = process->children[0];
    assert_int_equal(process->kind, PROCESS_CHOICE);
    process = process->children[1];
    assert_int_equal(process->kind, PROCESS_INTERNAL);
    process = process->children[1];
    assert_int_equal(process->kind, PROCESS_EXTERNAL);
    process = process->children[1];
    assert_int_equal(process->kind, PROCESS_INTERRUPT);
    release(&fixture);
}

static void a_guard_takes_one_process(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = [x > 0] A; B;");
    assert_int_equal(process->kind, PROCESS_SEQUENCE);
    assert_int_equal(process->children[0]->kind, PROCESS_GUARD);
    release(&fixture);
}

static void hiding_stays_with_its_process(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = A \\{a, e.1, x:{0..2}@f.x} ||| B;");
    assert_int_equal(process->kind, PROCESS_INTERLEAVE);
    assert_int_equal(process->children[0]->kind, PROCESS_HIDE);
    assert_int_equal(process->children[0]->hidden_count, 3);
    release(&fixture);
}

static void indexed_forms_take_all_that_follows(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = ||| x:{0..2}@ A(x) ||| B;");
    assert_int_equal(process->kind, PROCESS_INDEXED);
    assert_int_equal(process->operator, PROCESS_INTERLEAVE);
    assert_int_equal(process->children[0]->kind, PROCESS_INTERLEAVE);
    release(&fixture);
    process = body(&fixture, "P = |||{3}@ A;");
    assert_int_equal(process->kind, PROCESS_COPIES);
    assert_non_null(process->condition);
    release(&fixture);
    process = body(&fixture, "P = |||{..}@ A;");
    assert_null(process->condition);
    release(&fixture);
}

static void a_bracket_is_an_index_only_when_attached(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = c[1]!2.3 -> Skip;");
    assert_int_equal(process->kind, PROCESS_OUTPUT);
    assert_non_null(process->index);
    assert_int_equal(process->argument_count, 2);
    release(&fixture);
    process = body(&fixture, "P = c?[x > 1]x.2 -> Skip;");
    assert_int_equal(process->kind, PROCESS_INPUT);
    assert_non_null(process->condition);
    release(&fixture);
}

static void components_are_sums(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = get.i+1.(i+1)%N{x = 1;} -> Skip;");
    assert_int_equal(process->event.component_count, 2);
    assert_int_equal(process->event.components[0]->kind, EXPRESSION_BINARY);
    assert_non_null(process->program);
    release(&fixture);
}

static void bit_operators_bind_looser_than_equality(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(parse(&fixture, "#define g a & b == c;"), STATUS_OK);
    const struct csp_expression *expression = fixture.module.macros.items[0].expression;
    assert_int_equal(expression->operator, CSP_AND);
    assert_int_equal(expression->operands[1]->operator, CSP_EQUAL);
    release(&fixture);
}

static void formulas_have_pats_precedence(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(parse(&fixture, "P = Stop; #assert P |= [] a -> <> b && X \"c!3\";"),
                     STATUS_OK);
    const struct formula *formula = fixture.module.assertions.items[0].formula;
    assert_int_equal(formula->kind, FORMULA_AND); /* one level, from the left */
    assert_int_equal(formula->left->kind, FORMULA_IMPLIES);
    assert_int_equal(formula->left->left->kind, FORMULA_ALWAYS);
    assert_int_equal(formula->right->kind, FORMULA_NEXT);
    release(&fixture);
}

static void names_that_look_like_keywords_are_names(void **unused)
{
    (void)unused;
    struct fixture fixture;
    const struct csp_process *process = body(&fixture, "P = in -> X -> U -> Skipper;");
    assert_string_equal(process->event.name, "in");
    release(&fixture);
}

static void byte_order_marks_and_carriage_returns_are_blank(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(parse(&fixture, "\xef\xbb\xbf//@@Model@@\r\nP = a -> Skip;\r\n/* x\r\n */"),
                     STATUS_OK);
    release(&fixture);
}

static void assertions_keep_their_text(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "P() deadlockfree",
        "P nonterminating",
        "P(1, 2) divergencefree",
        "P deterministic",
        "P reaches goal with min(x + 1)",
        "P refines<F> Q(3)",
        "P refines <FD> Q",
        "P linearizes priority-queue(initial = [1]) with points = complete",
        "P |= [] <> \"c!3\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[200];
        struct fixture fixture;
        snprintf(text, sizeof text, "# assert  %s ;", texts[i]);
        if (parse(&fixture, text) != STATUS_OK)
            fail_msg("%s: %s", text, fixture.error.message);
        const struct csp_assertion *assertion = &fixture.module.assertions.items[0];
        assert_memory_equal(fixture.script.text + assertion->at, texts[i], strlen(texts[i]));
        assert_int_equal(assertion->end - assertion->at, strlen(texts[i]));
        release(&fixture);
    }
}

static void faults_have_a_place_and_an_expectation(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message; /* how it begins */
    } cases[] = {
        {"P = a -> ;", 1, "expected a process, found `;`"},
        {"P = a -> Skip", 1, "expected `;` after the definition, found the end of the file"},
        {"\nP = (a -> Skip;", 2, "expected `)` after the process, found `;`"},
        {"P = (a, b) -> Skip;", 1, "expected a process, found a tuple of events"},
        {"var x = ;", 1, "expected an expression, found `;`"},
        {"var x[2] = [[1], [2]];", 1, "expected a number (arrays of several dimensions"},
        {"#define x 3", 1, "expected `;` after `#define`, found the end of the file"},
        {"#assert P shines;", 1, "expected an assertion"},
        {"#assert P reaches 3;", 1, "expected a name (a proposition"},
        {"P = a -> Skip;\n/* never", 2, "expected `*/`, found the end of the file"},
        {"#import \"x", 1, "expected `\"`, found the end of the file"},
        {"var x = 3000000000;", 1, "expected an integer of at most 2147483647"},
        {"P = a ~ b;", 1, "expected a token of CSP#, found the character `~`"},
        {"P = e{1 = 2} -> Skip;", 1, "expected a variable on the left of `=`"},
        {"P = case { };", 1, "expected an expression, found `}`"},
        {"#banana;", 1, "expected define, assert, alphabet, import or include"},
        {"R = Stop;\n#define n #3;", 2, "expected an expression, found `#`"},
        {"P = ifb (x) Skip;", 1, "expected `{` before the process, found `Skip`"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture fixture;
        assert_int_equal(parse(&fixture, cases[i].text), STATUS_INPUT);
        assert_string_equal(fixture.error.file, "test.csp");
        assert_int_equal(fixture.error.line, cases[i].line);
        if (strncmp(fixture.error.message, cases[i].message, strlen(cases[i].message)))
            fail_msg("%s: %s", cases[i].text, fixture.error.message);
        release(&fixture);
    }
}

static void deep_nesting_is_refused(void **unused)
{
    (void)unused;
    enum {
        DEPTH = 100000
    };
    char *text = test_malloc(DEPTH * 2 + 20);
    strcpy(text, "P = ");
    memset(text + 4, '(', DEPTH);
    strcpy(text + 4 + DEPTH, "Skip;");
    struct fixture fixture;
    assert_int_equal(parse(&fixture, text), STATUS_INPUT);
    assert_non_null(strstr(fixture.error.message, "levels of nesting"));
    release(&fixture);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semicolon_ends_a_definition_or_goes_on),
        cmocka_unit_test(a_bracket_opens_a_guard_or_is_a_choice),
        cmocka_unit_test(what_looks_like_a_definition_ends_one),
        cmocka_unit_test(prefix_binds_tightest),
        cmocka_unit_test(operators_have_their_levels),
        cmocka_unit_test(a_guard_takes_one_process),
        cmocka_unit_test(hiding_stays_with_its_process),
        cmocka_unit_test(indexed_forms_take_all_that_follows),
        cmocka_unit_test(a_bracket_is_an_index_only_when_attached),
        cmocka_unit_test(components_are_sums),
        cmocka_unit_test(bit_operators_bind_looser_than_equality),
        cmocka_unit_test(formulas_have_pats_precedence),
        cmocka_unit_test(names_that_look_like_keywords_are_names),
        cmocka_unit_test(byte_order_marks_and_carriage_returns_are_blank),
        cmocka_unit_test(assertions_keep_their_text),
        cmocka_unit_test(faults_have_a_place_and_an_expectation),
        cmocka_unit_test(deep_nesting_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
