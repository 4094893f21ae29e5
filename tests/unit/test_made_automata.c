/* Violation automata made from inductive rules: what they are, that they are those of the files,
 * and that they are right for their rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lin/check.h"
#include "lin/parser.h"
#include "lin/rules.h"
#include "rules/by_rule.h"
#include "rules/shipped.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct limits limits;
    struct lin_module module;
    struct script script;
    struct error error;
};

static const struct rule_set *open_fixture(struct fixture *fixture, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/examples/rules/%s.lin", SOURCE_DIR, name);
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    limits_init(&fixture->limits, &fixture->budget);
    assert_int_equal(script_read(path, &fixture->arena, NULL, &fixture->script, &fixture->error),
                     STATUS_OK);
    assert_int_equal(
        lin_parse(&fixture->script, &fixture->arena, &fixture->module, &fixture->error), STATUS_OK);
    assert_int_equal(lin_check(&fixture->module, &fixture->error), STATUS_OK);
    return fixture->module.rules.items[0]->set;
}

static void close(struct fixture *fixture)
{
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

/* ---- the same language ---- */

#define RUNNING_MOST 12 /* pairs of a method and a colour */

/* Two automata side by side, and which methods run with which colours: of one that runs, several
 * may. All well-formed words of calls and returns are words of this, and more; in a whole one
 * nothing runs at the end. */
struct product {
    const struct violation_automaton *one, *other;
    bool *seen;
    uint32_t *stack;
    size_t depth, pairs;
    uint32_t methods[8]; /* of `other`, by those of `one` */
};

static uint32_t step(const struct violation_automaton *automaton, uint32_t state, unsigned event,
                     uint32_t method, unsigned colour)
{
    return state == automaton->state_count ? state
           : violation_automaton_next(automaton, state, event, method, colour) == VIOLATION_DEAD
               ? automaton->state_count
               : violation_automaton_next(automaton, state, event, method, colour);
}

static void visit(struct product *product, uint32_t one, uint32_t other, uint32_t running)
{
    size_t number =
        ((size_t)one * (product->other->state_count + 1) + other) << RUNNING_MOST | running;
    if (product->seen[number])
        return;
    product->seen[number] = true;
    product->pairs++;
    product->stack[product->depth++] = (uint32_t)number;
}

static void follow(struct product *product, uint32_t one, uint32_t other, uint32_t running)
{
    for (uint32_t m = 0; m < product->one->method_count; m++)
        for (unsigned colour = 1; colour <= 3; colour++)
            for (unsigned event = 0; event < 2; event++) {
                uint32_t bit = UINT32_C(1) << (m * 3 + colour - 1);
                if (event && !(running & bit))
                    continue;
                uint32_t first = step(product->one, one, event, m, colour);
                uint32_t second = step(product->other, other, event, product->methods[m], colour);
                visit(product, first, second, running | bit);
                if (event)
                    visit(product, first, second, running & ~bit);
            }
}

/* That they accept the same well-formed whole words, of any length: by going through the product.
 */
static void assert_same_language(const struct violation_automaton *one,
                                 const struct violation_automaton *other)
{
    struct product product = {.one = one, .other = other};
    size_t states = (size_t)(one->state_count + 1) * (other->state_count + 1) << RUNNING_MOST;
    product.seen = calloc(states, sizeof *product.seen);
    product.stack = malloc(states * sizeof *product.stack);
    assert_true(product.seen && product.stack && one->method_count * 3 <= RUNNING_MOST);
    assert_int_equal(one->method_count, other->method_count);
    for (uint32_t m = 0; m < one->method_count; m++) {
        product.methods[m] =
            violation_automaton_find_method(other, one->methods[m], strlen(one->methods[m]));
        assert_in_range(product.methods[m], 0, other->method_count - 1);
    }
    visit(&product, one->initial, other->initial, 0);
    while (product.depth > 0) {
        uint32_t number = product.stack[--product.depth];
        uint32_t running = number & ((1u << RUNNING_MOST) - 1), pair = number >> RUNNING_MOST;
        uint32_t first = pair / (other->state_count + 1), second = pair % (other->state_count + 1);
        bool accepted = first < one->state_count && one->accepting[first];
        bool also = second < other->state_count && other->accepting[second];
        if (running == 0 && accepted != also)
            fail_msg("%s and %s differ", one->name, other->name);
        follow(&product, first, second, running);
    }
    assert_true(product.pairs > 100);
    free(product.seen);
    free(product.stack);
}

static const struct violation_automaton *find_shipped(const struct violation_automata *automata,
                                                      const char *name)
{
    for (size_t i = 0; i < automata->count; i++)
        if (strcmp(automata->items[i].name, name) == 0)
            return &automata->items[i];
    fail_msg("there is no %s", name);
    abort();
}

/* What is made from the rules of a queue and a register is all that comes with the program for
 * them, and what is made of a stack all but stack_order, which is of two rules at once. */
static void made_automata_are_those_of_the_files(void **unused)
{
    (void)unused;
    static const struct {
        const char *object;
        unsigned rule, index;
        const char *name, *shipped;
    } rows[] = {
        {"queue", 2, 0, "REnqDeq_fresh", "queue_fresh"},
        {"queue", 2, 1, "REnqDeq_repeat", "queue_repeat"},
        {"queue", 2, 2, "REnqDeq_order", "queue_order"},
        {"queue", 3, 0, "RDeqEmpty_empty", "queue_empty"},
        {"register", 1, 0, "RWriteRead_fresh", "register_fresh"},
        {"register", 1, 1, "RWriteRead_conflict", "register_conflict"},
        {"register", 2, 0, "RReadInit_init", "register_init"},
        {"stack", 1, 0, "RPushPop_fresh", "stack_fresh"},
        {"stack", 1, 1, "RPushPop_repeat", "stack_repeat"},
        {"stack", 3, 0, "RPopEmpty_empty", "stack_empty"},
        {"mutex", 2, 0, "RLockUnlock_fresh", "mutex_fresh"},
        {"mutex", 2, 1, "RLockUnlock_repeat", "mutex_repeat"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;
        struct made_automata made;
        struct violation_automata shipped;
        const struct rule_set *set = open_fixture(&fixture, rows[i].object);
        assert_true(violation_automata_make(set, rows[i].rule, &fixture.arena, &made));
        assert_in_range(rows[i].index, 0, made.count - 1);
        assert_string_equal(made.items[rows[i].index].name, rows[i].name);
        assert_int_equal(
            violation_automata_of(rows[i].object, &fixture.arena, &shipped, &fixture.error),
            STATUS_OK);
        assert_same_language(&made.items[rows[i].index], find_shipped(&shipped, rows[i].shipped));
        close(&fixture);
    }
}

/* ---- rule by rule ---- */

static void compare(struct fixture *fixture, const struct rule_set *set, unsigned bound,
                    unsigned threads, struct by_rule_finding *finding)
{
    const struct violation_automata none = {0};
    assert_int_equal(rules_check_by_rule(set, &none, bound, threads, &fixture->limits,
                                         &fixture->arena, finding, &fixture->error),
                     STATUS_OK);
}

/* By Lemma 6 the histories that violate some rule are those that are not linearizable; their number
 * was counted elsewhere, by a program that knows no rules. */
static void made_automata_are_right_for_their_rules(void **unused)
{
    (void)unused;
    static const struct {
        const char *object;
        unsigned counts[4]; /* of automata, by rule */
        uint64_t histories, linearizable;
    } rows[] = {{"queue", {0, 0, 3, 1}, 7181, 1141},
                {"stack", {0, 3, 1, 1}, 7181, 1195},
                {"register", {0, 2, 1}, 8235, 1311},
                {"mutex", {0, 1, 3}, 3500, 81}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture fixture;
        static struct by_rule_finding finding;
        const struct rule_set *set = open_fixture(&fixture, rows[i].object);
        compare(&fixture, set, 4, 2, &finding);
        assert_null(finding.not_asked);
        assert_int_equal(finding.histories, rows[i].histories);
        uint64_t first = 0;
        for (unsigned r = 0; r < set->rule_count; r++) {
            const struct compared_rule *rule = &finding.rules[r];
            assert_true(rule->automata.made);
            assert_int_equal(rule->automata.count, rows[i].counts[r]);
            if (rule->missed || rule->false_alarms)
                fail_msg("%s: %s: %d missed, %d false alarms", rows[i].object, set->rules[r].name,
                         (int)rule->missed, (int)rule->false_alarms);
            assert_int_equal(rule->violations > 0, rule->automata.count > 0);
            first += rule->first;
        }
        assert_int_equal(first, rows[i].histories - rows[i].linearizable);
        close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_automata_are_those_of_the_files),
        cmocka_unit_test(made_automata_are_right_for_their_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
