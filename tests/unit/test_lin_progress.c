/* The progress of random implementations in `.lin`, against the definitions taken literally. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "support/lin_fixture.h"
#include "support/lin_random.h"
#include "support/progress_oracle.h"
#include "support/seeds.h"
#include "verify/lin_assertion.h"
#include "verify/lin_instance_open.h"

#define MOST_STATES 2000

static const char *const properties[] = {"lock_free", "wait_free", "obstruction_free",
                                         "deadlock_free", "starvation_free"};

static unsigned excused; /* assertions that hold only because the specification waits as well */

static const char *const verdict_names[] = {"holds", "violated", "unknown", "faulty", "too large"};

static struct tally {
    unsigned verdicts[ARRAY_LENGTH(properties)][PROGRESS_TOO_LARGE + 1];
    unsigned several_values; /* programs with a graph that is whole, and values to exchange */
} tally;

/* The answer of the engine to assertion `number`. */
static enum progress_verdict decide(struct lin_fixture *fixture, size_t number, reductions used)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    struct assertion_options options = {.reductions = used, .limits = &limits};
    assertion_result_init(&result, &fixture->budget);
    enum status status =
        lin_assertion_decide(&fixture->module, &fixture->module.assertions.items[number],
                             fixture->pool, &options, &result, &fixture->error);
    enum progress_verdict verdict = PROGRESS_FAULTY;
    if (status == STATUS_OK && result.limit == LIMIT_NONE)
        verdict = result.answer == HOLDS      ? PROGRESS_HOLDS
                  : result.answer == VIOLATED ? PROGRESS_VIOLATED
                                              : PROGRESS_UNKNOWN;
    if (verdict == PROGRESS_UNKNOWN) /* the run is told */
        assert_non_null(result.trace.start);
    assertion_result_release(&result);
    return verdict;
}

/* The engine agrees with the definitions on assertion `number`; `graph` is that of the program. */
static void check_assertion(struct lin_fixture *fixture, size_t number,
                            const struct progress_graph *graph, uint64_t seed, const char *text)
{
    enum lin_property asserted =
        (enum lin_property)fixture->module.assertions.items[number].property;
    size_t property = (size_t)asserted - LIN_LOCK_FREE;
    enum progress_verdict defined = graph->verdict;
    if (defined == PROGRESS_HOLDS)
        defined = progress_by_definition(graph, asserted);
    tally.verdicts[property][defined]++;
    if (defined == PROGRESS_FAULTY || defined == PROGRESS_TOO_LARGE)
        return;
    static const reductions sets[] = {REDUCE_NONE, REDUCE_DEFAULT};
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
        enum progress_verdict found = decide(fixture, number, sets[i]);
        if (found != defined)
            fail_msg("seed %llu: %s by definition %s, with reductions %x found %s: %s\n%s",
                     (unsigned long long)seed, properties[property], verdict_names[defined],
                     sets[i], verdict_names[found], fixture->error.message, text);
    }
}

static void check_program(uint64_t seed, bool waits)
{
    struct progress_specification specification;
    const struct lin_options nothing = {0};
    struct text text = TEXT_EMPTY;
    struct lin_fixture fixture;
    struct lin_instance instance;
    struct progress_graph graph;
    if (waits)
        lin_random_waiting_print(seed, &specification, &text);
    else
        lin_random_progress_print(seed, &text);
    if (!lin_fixture_open(&fixture, text_string(&text)))
        fail_msg("%u: %s\n%s", fixture.error.line, fixture.error.message, text_string(&text));
    struct labels *labels = labels_create(&fixture.budget);
    if (lin_instance_open(&instance, &fixture.module, &fixture.module.assertions.items[1], &nothing,
                          labels, fixture.pool, &fixture.limits, &fixture.error) != STATUS_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, fixture.error.message);
    progress_graph_init(&graph, &instance.model, waits ? &specification : NULL, MOST_STATES);
    tally.several_values += graph.verdict == PROGRESS_HOLDS && instance.steps.setting.values > 1;
    for (size_t i = 1; i < fixture.module.assertions.length; i++) {
        check_assertion(&fixture, i, &graph, seed, text_string(&text));
        if (waits && graph.verdict == PROGRESS_HOLDS) {
            enum lin_property asserted =
                (enum lin_property)fixture.module.assertions.items[i].property;
            enum progress_verdict with = progress_by_definition(&graph, asserted);
            graph.specification = NULL;
            excused += with != progress_by_definition(&graph, asserted);
            graph.specification = &specification;
        }
    }
    progress_graph_release(&graph);
    lin_instance_close(&instance);
    labels_destroy(labels);
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
    text_release(&text);
}

static struct seeds seeds = {.first = 1, .count = 300};

static void progress_is_asked_where_the_specification_does_not_wait(void **unused)
{
    (void)unused;
    tally = (struct tally){0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        check_program(seed, true);
    for (size_t i = 0; i < ARRAY_LENGTH(properties); i++) {
        const unsigned *found = tally.verdicts[i];
        print_message("%s: %u hold, %u violated, %u unknown, %u faulty, %u too large\n",
                      properties[i], found[PROGRESS_HOLDS], found[PROGRESS_VIOLATED],
                      found[PROGRESS_UNKNOWN], found[PROGRESS_FAULTY], found[PROGRESS_TOO_LARGE]);
    }
    print_message("%u hold because the specification waits\n", excused);
    assert_true(excused > seeds.count / 10);
}

static void progress_is_what_its_definition_says(void **unused)
{
    (void)unused;
    tally = (struct tally){0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        check_program(seed, false);
    for (size_t i = 0; i < ARRAY_LENGTH(properties); i++) {
        const unsigned *found = tally.verdicts[i];
        print_message("%s: %u hold, %u violated, %u unknown, %u faulty, %u too large\n",
                      properties[i], found[PROGRESS_HOLDS], found[PROGRESS_VIOLATED],
                      found[PROGRESS_UNKNOWN], found[PROGRESS_FAULTY], found[PROGRESS_TOO_LARGE]);
        assert_true(found[PROGRESS_HOLDS] > seeds.count / 20);
        assert_true(found[PROGRESS_VIOLATED] > seeds.count / 20);
        assert_true(found[PROGRESS_UNKNOWN] > seeds.count / 100);
    }
    assert_true(tally.several_values > seeds.count / 5);
}

/* A put and a take, each of which waits for the other in the specification, take effect together:
 * both may wait for others of their kind, but not both for one another. */
#define MEETING                                                                                    \
    "spec meeting {"                                                                               \
    "    op put(value v) { await (false); return ok; }"                                            \
    "    op take() { await (false); return empty; }"                                               \
    "    together put(value v), take() { return ok, v; }"                                          \
    "}"

static void expect_meeting(const char *implementation, enum progress_verdict expected)
{
    struct lin_fixture fixture;
    struct text text = TEXT_EMPTY;
    text_format(&text,
                MEETING "impl cell { %s } assert cell linearizes meeting with threads = 2, ops = 1;"
                        "assert cell deadlock_free with threads = 2, ops = 1;",
                implementation);
    if (!lin_fixture_open(&fixture, text_string(&text)))
        fail_msg("%s:\n%s", fixture.error.message, text_string(&text));
    assert_int_equal(decide(&fixture, 0, REDUCE_DEFAULT), PROGRESS_HOLDS);
    assert_int_equal(decide(&fixture, 1, REDUCE_DEFAULT), expected);
    assert_int_equal(decide(&fixture, 1, REDUCE_NONE), expected);
    lin_fixture_close(&fixture);
    text_release(&text);
}

static void operations_that_take_effect_together_need_not_wait(void **unused)
{
    (void)unused;
    expect_meeting("shared bool never;"
                   "op put(value v) { await (never); return ok; }"
                   "op take() { await (never); return empty; }",
                   PROGRESS_VIOLATED);
    expect_meeting("struct place { value item; bool taken; } shared place slot;"
                   "op put(value v) {"
                   "    place mine = new place; mine.item = v;"
                   "    await (cas(slot, null, mine)); await (mine.taken); return ok;"
                   "}"
                   "op take() {"
                   "    while (true) {"
                   "        place p = slot;"
                   "        if (p != null) {"
                   "            value v = p.item;"
                   "            if (cas(slot, p, null)) { p.taken = true; return v; }"
                   "        }"
                   "    }"
                   "}",
                   PROGRESS_HOLDS);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_that_take_effect_together_need_not_wait),
        cmocka_unit_test(progress_is_what_its_definition_says),
        cmocka_unit_test(progress_is_asked_where_the_specification_does_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
