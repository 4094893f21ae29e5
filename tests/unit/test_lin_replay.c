/* Executions of random implementations that move references to nodes about: a node keeps its name
 * from the first step to the last, so that each statement can be carried out on the names that the
 * steps before have shown; and the model can take every step again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"
#include "support/seeds.h"

/* ---- programs ---- */

#define THREADS 2
#define MOST    8 /* bytes of a name: "null", "node12" */

static const char *const shared[] = {"p", "q", "s"};

#define SHARED (sizeof shared / sizeof *shared)

static const char *any_shared(struct random *random)
{
    return shared[random_below(random, SHARED)];
}

static void append_statement(struct random *random, struct text *text)
{
    switch (random_below(random, 7)) {
    case 0:
        text_format(text, "        %s = null;\n", any_shared(random));
        return;
    case 1:
        text_append(text, "        x = new node;\n");
        return;
    case 2:
    case 3:
        text_format(text, "        %s = x;\n", any_shared(random));
        return;
    case 4:
        text_format(text, "        x = %s;\n", any_shared(random));
        return;
    default:
        text_format(text, "        x = swap(%s, x);\n", any_shared(random));
    }
}

static void append_assertion(struct random *random, struct text *text)
{
    static const char *const properties[] = {
        "satisfies <> [] (p == null)", "satisfies [] <> (p == q && q == s && s == null)",
        "satisfies [] <> (p == q)",    "satisfies [] !(p == s && p != null)",
        "satisfies X X X X (p == q)",  "satisfies [] (call.f -> X X X (p != null))",
        "never (p == q && p != null)", "never (p == null && s != null)",
    };
    static const char *const fairness[] = {"", "", ", fairness = weak", ", fairness = strong"};
    const char *property = properties[random_below(random, sizeof properties / sizeof *properties)];
    bool is_temporal = strncmp(property, "sat", 3) == 0;
    text_format(text, "assert moves %s with threads = %u, ops = %s, nodes = 6%s;\n", property,
                1 + random_below(random, THREADS), random_chance(random, 1, 2) ? "any" : "2",
                is_temporal ? fairness[random_below(random, 4)] : "");
}

static void append_program(struct random *random, struct text *text)
{
    text_append(text, "impl moves {\n    struct node { bool b; }\n    shared node p;\n"
                      "    shared node q;\n    shared node s;\n"
                      "    init { p = new node; q = new node; q.b = true; }\n");
    for (unsigned operation = 0; operation < 2; operation++) {
        text_format(text, "    op %c() {\n        node x = %s;\n", 'f' + (int)operation,
                    any_shared(random));
        for (unsigned left = 1 + random_below(random, 3); left > 0; left--)
            append_statement(random, text);
        text_append(text, "        return ok;\n    }\n");
    }
    text_append(text, "}\n");
    append_assertion(random, text);
}

/* ---- what the steps say, carried out ---- */

struct names {
    char shared[SHARED][MOST], local[THREADS][MOST];
};

static char *named(struct names *names, uint32_t process, const char *variable)
{
    for (size_t i = 0; i < SHARED; i++)
        if (variable[0] == shared[i][0])
            return names->shared[i];
    return names->local[process];
}

/* What only a local variable names may never be read again, and is then as good as new. */
static bool is_in_use(const struct names *names, const char *node)
{
    bool used = false;
    for (size_t i = 0; i < SHARED; i++)
        used |= strcmp(names->shared[i], node) == 0;
    return used;
}

static const char *change_of(const lp_step *step, const char *variable)
{
    for (size_t i = 0; i < step->change_count; i++)
        if (strcmp(step->changes[i].name, variable) == 0)
            return step->changes[i].value;
    return NULL;
}

/* Where a new node's name can be seen: "node3 = {b = false}". */
static const char *new_node(const lp_step *step)
{
    for (size_t i = 0; i < step->change_count; i++)
        if (strncmp(step->changes[i].name, "node", 4) == 0)
            return step->changes[i].name;
    return NULL;
}

/* Carries out "12: x = swap(p, x)". False: a new node has the name of one that is in use. */
static bool carry_out(struct names *names, const lp_step *step)
{
    const char *at = strstr(step->event, ": ");
    char old[MOST];
    if (!at) { /* a call or an answer */
        strcpy(names->local[step->process], "null");
        return true;
    }
    at += 2;
    if (strncmp(at, "node ", 5) == 0)
        at += 5;
    char *left = named(names, step->process, at);
    const char *right = strstr(at, " = ");
    if (!right)
        return true; /* return ok */
    right += 3;
    if (strncmp(right, "swap(", 5) == 0) {
        char *cell = named(names, step->process, right + 5);
        strcpy(old, cell);
        strcpy(cell, left);
        strcpy(left, old);
    } else if (strncmp(right, "new", 3) == 0) {
        const char *made = new_node(step);
        strcpy(left, "null");
        if (made && is_in_use(names, made))
            return false;
        strcpy(left, made ? made : "null"); /* nobody reads it */
    } else {
        strcpy(old, strncmp(right, "null", 4) == 0 ? "null" : named(names, step->process, right));
        strcpy(left, old);
    }
    return true;
}

/* Whether what the step says that it changed is what its statement does. */
static bool is_as_told(const struct names *before, const struct names *after, const lp_step *step)
{
    for (size_t i = 0; i < SHARED; i++) {
        const char *change = change_of(step, shared[i]);
        bool changed = strcmp(before->shared[i], after->shared[i]) != 0;
        if (changed != (change != NULL) || (change && strcmp(change, after->shared[i]) != 0))
            return false;
    }
    const char *local = change_of(step, "x");
    return !local || strcmp(local, after->local[step->process]) == 0;
}

static void check_names(const lp_execution *execution, const char *text)
{
    struct names names = {0}, before;
    for (size_t i = 0; i < execution->start_count; i++)
        if (strlen(execution->start[i].name) == 1)
            strcpy(named(&names, 0, execution->start[i].name), execution->start[i].value);
    for (size_t i = 0; i < THREADS; i++)
        strcpy(names.local[i], "null");
    for (size_t i = 0; i < execution->length; i++) {
        before = names;
        if (!carry_out(&names, &execution->steps[i]) ||
            !is_as_told(&before, &names, &execution->steps[i]))
            fail_msg("step %zu, %s\n%s", i + 1, execution->steps[i].event, text);
    }
}

/* ---- the tests ---- */

static struct seeds seeds = {.first = 1, .count = 1500};

struct figures {
    unsigned violated, lassos;
};

static lp_model *parse(lp_context *context, const char *text)
{
    lp_model *model = NULL;
    lp_error error = {0};
    if (lp_model_parse(context, "moves.lin", text, strlen(text), &model, &error) != LP_OK)
        fail_msg("%s\n%s", error.message, text);
    return model;
}

static void check_replay(lp_context *context, const lp_model *model, const lp_execution *execution,
                         const char *text)
{
    lp_walk *walk = NULL;
    lp_error error = {0};
    size_t followed = 0;
    if (lp_walk_create(context, model, NULL, &walk, &error) != LP_OK ||
        lp_walk_along(walk, execution, &followed, &error) != LP_OK)
        fail_msg("%s\n%s", error.message, text);
    if (followed != execution->length)
        fail_msg("step %zu cannot be taken\n%s", followed + 1, text);
    lp_walk_destroy(walk);
}

static void check(const char *text, struct figures *figures)
{
    lp_context *context = lp_context_create(0);
    lp_model *model = parse(context, text);
    lp_verification *result = NULL;
    lp_error error = {0};
    if (lp_verify(context, model, 0, NULL, &result, &error) != LP_OK)
        fail_msg("%s\n%s", error.message, text);
    if (result->answer == LP_VIOLATED) {
        check_names(&result->execution, text);
        check_replay(context, model, &result->execution, text);
        figures->violated++;
        figures->lassos += result->execution.is_lasso;
    }
    lp_verification_destroy(result);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static void nodes_keep_their_names(void **unused)
{
    (void)unused;
    struct figures figures = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text text = TEXT_EMPTY;
        random_seed(&random, seed);
        append_program(&random, &text);
        check(text_string(&text), &figures);
        text_release(&text);
    }
    print_message("%u of %u are violated, %u by a loop\n", figures.violated, seeds.count,
                  figures.lassos);
    assert_true(figures.violated > seeds.count / 3 && figures.lassos > seeds.count / 20);
}

/* Two references that are exchanged over and over: each node has the contents that it began with.
 */
static void an_exchange_moves_no_contents(void **unused)
{
    (void)unused;
    struct figures figures = {0};
    check("impl moves { struct node { bool b; } shared node p; shared node q;\n"
          "init { p = new node; q = new node; q.b = true; }\n"
          "op f() {\nnode x = p;\nx = swap(q, x);\np = x;\nreturn ok; } }\n"
          "assert moves satisfies [] <> (p == null) with threads = 1;\n",
          &figures);
    assert_int_equal(figures.violated, 1);
}

/* test_lin_replay [FIRST_SEED [PROGRAMS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_exchange_moves_no_contents),
        cmocka_unit_test(nodes_keep_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
