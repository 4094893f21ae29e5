/* The scenario that is shown of a violation is the smallest one of the full product: fewest
 * operations, then fewest steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "property/linear_normal.h"
#include "space/graph.h"
#include "support/lin_fixture.h"
#include "support/lin_random.h"
#include "support/seeds.h"
#include "verify/lin_instance_open.h"
#include "verify/lin_smallest.h"

#define MOST_PAIRS 4000

/* Operations and steps as one number: first the operations. */
typedef uint64_t cost;

#define OPERATION ((cost)1 << 32)
#define STEP      ((cost)1)
#define NO_COST   UINT64_MAX

/* ---- by definition ---- */

struct pair {
    state_id state;
    normal_id normal;
    cost least;
    bool waits; /* for its steps to be looked at (again) */
};

/* The product of the model, nothing fused, with the specification: its pairs, each with the least
 * cost of a run to it, until none gets less. */
struct small_product {
    struct lin_instance *instance;
    struct graph graph;
    struct linear_normal normal;
    VECTOR(struct pair) pairs;
    cost violation;
    bool given_up;
    struct error *error;
};

static void reach(struct small_product *product, state_id state, normal_id normal, cost costs)
{
    for (size_t i = 0; i < product->pairs.length; i++) {
        struct pair *pair = &product->pairs.items[i];
        if (pair->state != state || pair->normal != normal)
            continue;
        if (costs < pair->least) {
            pair->least = costs;
            pair->waits = true;
        }
        return;
    }
    assert_true(vector_push(&product->pairs, ((struct pair){state, normal, costs, true})));
}

static void violate(struct small_product *product, cost costs)
{
    if (costs < product->violation)
        product->violation = costs;
}

static bool is_call(const struct small_product *product, label l)
{
    return labels_kind(product->graph.model->labels, l) == LABEL_INVOKE;
}

/* Whether the condition of a `never` holds there. */
static bool condition_holds(struct small_product *product, state_id state)
{
    int64_t holds = 0;
    if (product->instance->assertion->property != LIN_NEVER)
        return false;
    if (worker_evaluate(product->graph.own.worker, product->instance->condition,
                        graph_state(&product->graph, state), &holds, product->error) != STATUS_OK)
        product->given_up = true;
    return holds;
}

static void look_at(struct small_product *product, size_t index)
{
    struct pair here = product->pairs.items[index];
    bool compares = product->instance->assertion->property == LIN_LINEARIZES;
    const struct edge *edges;
    uint32_t count;
    product->pairs.items[index].waits = false;
    if (condition_holds(product, here.state))
        violate(product, here.least);
    if (graph_edges(&product->graph, here.state, &edges, &count, product->error) != STATUS_OK)
        product->given_up = true;
    for (uint32_t i = 0; i < count && !product->given_up; i++) {
        struct normal *normal = &product->normal.base.normal;
        normal_id next = here.normal;
        label l = edges[i].label;
        cost costs = here.least + STEP + (is_call(product, l) ? OPERATION : 0);
        if (l != LABEL_TAU && compares)
            assert_int_equal(normal->class->step(normal, here.normal, l, &next, product->error),
                             STATUS_OK);
        if (next == NORMAL_NONE)
            violate(product, costs);
        else
            reach(product, edges[i].target, next, costs);
    }
}

static void search(struct small_product *product)
{
    normal_id first = 0;
    struct normal *normal = &product->normal.base.normal;
    if (product->instance->assertion->property == LIN_LINEARIZES)
        assert_int_equal(normal->class->initial(normal, &first, product->error), STATUS_OK);
    for (size_t i = 0; i < product->graph.initial.length; i++)
        reach(product, product->graph.initial.items[i], first, 0);
    for (bool again = true; again && !product->given_up;) {
        again = false;
        for (size_t i = 0; i < product->pairs.length && !product->given_up; i++) {
            if (!product->pairs.items[i].waits)
                continue;
            again = true;
            look_at(product, i);
            product->given_up |= product->pairs.length > MOST_PAIRS;
        }
    }
}

/* NO_COST if there is no violation, or if the product is too large to be sure. */
static cost least_by_definition(struct lin_fixture *fixture, size_t number)
{
    const struct lin_options nothing = {0};
    struct lin_instance instance;
    struct labels *labels = labels_create(&fixture->budget);
    struct small_product product = {
        .instance = &instance, .violation = NO_COST, .error = &fixture->error};
    assert_int_equal(lin_instance_open(&instance, &fixture->module,
                                       &fixture->module.assertions.items[number], &nothing, labels,
                                       fixture->pool, &fixture->limits, &fixture->error),
                     STATUS_OK);
    vector_init(&product.pairs, &fixture->budget);
    linear_normal_init(&product.normal, instance.spec, labels, false, &fixture->budget);
    assert_int_equal(graph_create(&instance.model.model, NULL, &product.graph, &fixture->error),
                     STATUS_OK);
    search(&product);
    graph_release(&product.graph);
    linear_normal_release(&product.normal);
    vector_release(&product.pairs);
    lin_instance_close(&instance);
    labels_destroy(labels);
    return product.given_up ? NO_COST : product.violation;
}

/* ---- what is shown ---- */

static cost cost_of(const struct trace *trace)
{
    cost costs = 0;
    for (size_t i = 0; i < trace->steps.length; i++)
        costs += STEP + (strncmp(trace->steps.items[i].event, "inv.", 4) == 0 ? OPERATION : 0);
    return costs;
}

/* NO_COST if it is not violated. */
static cost least_shown(struct lin_fixture *fixture, size_t number, reductions used, cost *first)
{
    struct limits limits;
    struct assertion_result result, smaller;
    bool is_smaller = false;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_PAIRS * 4;
    const struct assertion_options options = {.reductions = used, .limits = &limits};
    const struct lin_assertion *assertion = &fixture->module.assertions.items[number];
    assertion_result_init(&result, &fixture->budget);
    assertion_result_init(&smaller, &fixture->budget);
    cost costs = NO_COST;
    if (lin_assertion_decide(&fixture->module, assertion, fixture->pool, &options, &result,
                             &fixture->error) == STATUS_OK &&
        result.answer == VIOLATED) {
        assert_int_equal(lin_assertion_smallest(&fixture->module, assertion, fixture->pool,
                                                &options, &result, UINT64_MAX, &smaller,
                                                &is_smaller, &fixture->error),
                         STATUS_OK);
        *first = cost_of(&result.trace);
        costs = is_smaller ? cost_of(&smaller.trace) : *first;
    }
    assertion_result_release(&result);
    assertion_result_release(&smaller);
    return costs;
}

/* ---- the comparison ---- */

static struct seeds seeds = {.first = 1, .count = 600};
static unsigned compared, made_smaller;

static void check_assertion(struct lin_fixture *fixture, size_t number, uint64_t seed,
                            const char *text)
{
    static const reductions sets[] = {REDUCE_DEFAULT, REDUCE_NONE};
    uint8_t property = fixture->module.assertions.items[number].property;
    if (property != LIN_LINEARIZES && property != LIN_NEVER)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
        cost first = 0, shown = least_shown(fixture, number, sets[i], &first);
        cost least = shown == NO_COST ? NO_COST : least_by_definition(fixture, number);
        if (least == NO_COST)
            return;
        compared++;
        made_smaller += shown < first;
        if (shown != least)
            fail_msg("seed %llu: with reductions %x %llu operations and %llu steps are shown, "
                     "%llu and %llu are enough\n%s",
                     (unsigned long long)seed, sets[i], (unsigned long long)(shown / OPERATION),
                     (unsigned long long)(shown % OPERATION),
                     (unsigned long long)(least / OPERATION),
                     (unsigned long long)(least % OPERATION), text);
    }
}

static void the_smallest_scenario_is_shown(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        struct lin_fixture fixture;
        lin_random_print(seed, &text);
        if (!lin_fixture_open(&fixture, text_string(&text)))
            fail_msg("%u: %s\n%s", fixture.error.line, fixture.error.message, text_string(&text));
        for (size_t i = 0; i < fixture.module.assertions.length; i++)
            check_assertion(&fixture, i, seed, text_string(&text));
        lin_fixture_close(&fixture);
        assert_int_equal(fixture.budget.used, 0);
        text_release(&text);
    }
    print_message("%u scenarios compared, %u made smaller\n", compared, made_smaller);
    assert_true(compared > seeds.count / 8);
    assert_true(made_smaller > 0);
}

/* Two quick operations go wrong in fewer steps than a slow one alone. */
static void few_operations_come_before_few_steps(void **unused)
{
    static const reductions sets[] = {REDUCE_DEFAULT, REDUCE_NONE, REDUCE_SYMMETRY};
    struct lin_fixture fixture;
    (void)unused;
    if (!lin_fixture_open(&fixture,
                          "spec s { op slow() { return ok; } op quick() { return ok; } }"
                          "impl i { shared int n; shared bool b; op slow() { int k = 0; while (k < "
                          "9) { b = true; k++; }"
                          " assert (false); return ok; }"
                          " op quick() { int k = fetch_add(n, 1); assert (k < 1); return ok; } }"
                          "assert i linearizes s with threads = 2, ops = any;"
                          "assert i never (n == 2) with threads = 2, ops = any;"))
        fail_msg("%s", fixture.error.message);
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++)
        for (size_t j = 0; j < 2; j++) {
            cost first = 0, shown = least_shown(&fixture, j, sets[i], &first);
            assert_int_equal(first / OPERATION, 2);
            assert_int_equal(shown / OPERATION, 1);
        }
    lin_fixture_close(&fixture);
    assert_int_equal(fixture.budget.used, 0);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_operations_come_before_few_steps),
        cmocka_unit_test(the_smallest_scenario_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
