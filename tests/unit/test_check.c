/* Deciding whole histories: parts, threads, merged linearizations, limits. The oracle of a history
 * is the oracle of each of its parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "decide/check.h"
#include "decide/merge.h"
#include "spec/builtin.h"
#include "support/generate.h"
#include "support/oracle.h"

struct fixture {
    struct budget budget;
    struct value_pool *pool;
    struct history *history;
    struct history_builder *builder;
    struct limits limits;
    uint32_t lines;
};

static void fixture_open(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    fixture->pool = value_pool_create(&fixture->budget);
    fixture->history = history_create("test", fixture->pool, &fixture->budget);
    fixture->builder = history_builder_create(fixture->history);
    limits_init(&fixture->limits, &fixture->budget);
}

static void fixture_close(struct fixture *fixture)
{
    history_destroy(fixture->history);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

static struct spec *make_spec(struct fixture *fixture, const char *name)
{
    struct spec_request request = {.name = name};
    struct spec *spec;
    struct error error;
    assert_int_equal(spec_create(&request, fixture->pool, &fixture->budget, &spec, &error),
                     STATUS_OK);
    return spec;
}

static void add_event(struct fixture *fixture, uint32_t process, enum event_type type,
                      const char *function, value content, value key)
{
    struct event event = {.process = value_small(process),
                          .function =
                              value_text(fixture->pool, KIND_STRING, function, strlen(function)),
                          .value = content,
                          .key = key,
                          .time = TIME_NONE,
                          .line = ++fixture->lines,
                          .type = (uint8_t)type,
                          .has_value = true,
                          .has_key = key != VALUE_NIL && type == EVENT_INVOKE};
    struct error error;
    if (history_builder_event(fixture->builder, &event, &error) != STATUS_OK)
        fail_msg("%s", error.message);
}

static void finish(struct fixture *fixture)
{
    struct error error;
    assert_int_equal(history_builder_finish(fixture->builder, &error), STATUS_OK);
    fixture->builder = NULL;
}

/* ---- random histories of several registers ---- */

#define PROCESSES 4
#define KEYS      4

/* What a random process is doing. */
struct running {
    bool busy, reads;
    int64_t value;
    uint32_t key;
};

/* A history of up to `operations` operations on KEYS registers, each split off as a part of its
 * own. Reads answer what was written last, or with `noise` percent anything. */
static void random_history(struct fixture *fixture, struct random *random, uint32_t operations,
                           uint32_t noise)
{
    struct running running[PROCESSES] = {0};
    int64_t held[KEYS] = {0};
    for (uint32_t begun = 0, steps = 0; steps < operations * 3; steps++) {
        uint32_t process = random_below(random, PROCESSES);
        struct running *at = &running[process];
        value key = value_small(1 + at->key);
        if (!at->busy && begun < operations) {
            *at = (struct running){.busy = true,
                                   .reads = random_chance(random, 1, 2),
                                   .value = random_below(random, 3),
                                   .key = begun % KEYS};
            key = value_small(1 + at->key);
            add_event(fixture, process, EVENT_INVOKE, at->reads ? "read" : "write",
                      at->reads ? VALUE_NIL : value_small(at->value), key);
            if (!at->reads)
                held[at->key] = at->value;
            begun++;
        } else if (at->busy) {
            int64_t answer = held[at->key];
            if (random_below(random, 100) < noise)
                answer = random_below(random, 3);
            add_event(fixture, process, EVENT_OK, at->reads ? "read" : "write",
                      at->reads ? value_small(answer) : VALUE_NIL, key);
            at->busy = false;
        }
    }
    finish(fixture);
}

static struct check_options options_for(const struct binding *binding, unsigned threads)
{
    return (struct check_options){.bind = {.bindings = binding, .binding_count = 1},
                                  .threads = threads};
}

/* Whether the order holds every completed operation once, keeps the precedence of the whole
 * history, and is legal for each key. */
static void assert_merged(const struct fixture *fixture, const struct check *check)
{
    const struct operation *operations = fixture->history->operations.items;
    size_t count = fixture->history->operations.length, completed = 0;
    bool *seen = calloc(count + 1, sizeof *seen);
    int64_t held[KEYS + 1] = {0};
    for (size_t i = 0; i < check->linearization.length; i++) {
        uint32_t place = check->linearization.items[i];
        const struct operation *operation = &operations[place];
        assert_true(place < count && !seen[place]);
        seen[place] = true;
        completed += operation->outcome == OUTCOME_OK;
        for (size_t j = 0; j < i; j++)
            assert_false(operation->outcome == OUTCOME_OK &&
                         operation->response < operations[check->linearization.items[j]].invoke);
        int64_t *cell = &held[value_small_get(operation->key)];
        if (operation->argument != VALUE_NIL)
            *cell = value_small_get(operation->argument);
        else if (operation->outcome == OUTCOME_OK)
            assert_int_equal(*cell, value_small_get(operation->result));
    }
    for (size_t i = 0; i < count; i++)
        completed -= operations[i].outcome == OUTCOME_OK;
    assert_int_equal(completed, 0);
    free(seen);
}

static bool parts_are_linearizable(const struct fixture *fixture, const struct binding *binding,
                                   uint32_t *violating)
{
    struct bind_options options = {.bindings = binding, .binding_count = 1};
    struct parts parts;
    struct error error;
    bool linearizable = true;
    assert_int_equal(parts_create(fixture->history, &options, &parts, &error), STATUS_OK);
    for (uint32_t i = 0; linearizable && i < parts.items.length; i++) {
        linearizable = oracle_linearizable(&parts.items.items[i]);
        *violating = i;
    }
    parts_release(&parts);
    return linearizable;
}

static void assert_same_answer(const struct check *a, const struct check *b)
{
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->methods, b->methods);
    assert_int_equal(a->parts_decided, b->parts_decided);
    assert_int_equal(a->explored, b->explored);
    assert_string_equal(text_string(&a->reason), text_string(&b->reason));
    assert_int_equal(a->linearization.length, b->linearization.length);
    for (size_t i = 0; i < a->linearization.length; i++)
        assert_int_equal(a->linearization.items[i], b->linearization.items[i]);
    assert_int_equal(a->violations.length, b->violations.length);
    for (size_t i = 0; i < a->violations.length; i++) {
        const struct violation *first = &a->violations.items[i], *second = &b->violations.items[i];
        assert_int_equal(first->part, second->part);
        assert_true(first->key == second->key);
        assert_int_equal(first->core.members.length, second->core.members.length);
        for (size_t j = 0; j < first->core.members.length; j++)
            assert_int_equal(first->core.members.items[j], second->core.members.items[j]);
    }
}

static void check_random_history(struct random *random, unsigned *violations)
{
    struct fixture fixture;
    struct error error;
    fixture_open(&fixture);
    random_history(&fixture, random, 8 + random_below(random, KEYS * ORACLE_MOST - 8),
                   random_below(random, 30));
    struct spec_request request = {
        .name = "register", .initial = value_small(0), .has_initial = true};
    struct spec *spec;
    assert_int_equal(spec_create(&request, fixture.pool, &fixture.budget, &spec, &error),
                     STATUS_OK);
    struct binding binding = {.spec = spec};
    uint32_t violating = 0;
    bool linearizable = parts_are_linearizable(&fixture, &binding, &violating);
    struct check_options one = options_for(&binding, 1), four = options_for(&binding, 4);
    one.all = four.all = random_chance(random, 1, 3);
    struct check alone, together;
    assert_int_equal(check_history(fixture.history, &one, &fixture.limits, &alone, &error),
                     STATUS_OK);
    assert_int_equal(check_history(fixture.history, &four, &fixture.limits, &together, &error),
                     STATUS_OK);
    assert_int_equal(alone.verdict, linearizable ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION);
    assert_same_answer(&alone, &together);
    if (linearizable)
        assert_merged(&fixture, &alone);
    else
        assert_int_equal(alone.violations.items[0].part, violating);
    *violations += !linearizable;
    check_release(&alone);
    check_release(&together);
    spec_destroy(spec);
    fixture_close(&fixture);
}

static void the_number_of_threads_changes_nothing(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 42);
    unsigned violations = 0, rounds = 600;
    for (unsigned i = 0; i < rounds; i++)
        check_random_history(&random, &violations);
    assert_true(violations > rounds / 5 && violations < rounds * 4 / 5);
}

/* ---- merging ---- */

static void merging_keeps_both_orders(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    /* 0: |----------|      key 1, linearized after 2
     * 1:     |--|          key 2
     * 2:   |------------|  key 1
     * 3:              |--| key 2 */
    add_event(&fixture, 0, EVENT_INVOKE, "write", value_small(1), value_small(1));
    add_event(&fixture, 1, EVENT_INVOKE, "write", value_small(1), value_small(2));
    add_event(&fixture, 2, EVENT_INVOKE, "write", value_small(2), value_small(1));
    add_event(&fixture, 1, EVENT_OK, "write", VALUE_NIL, VALUE_NIL);
    add_event(&fixture, 0, EVENT_OK, "write", VALUE_NIL, VALUE_NIL);
    add_event(&fixture, 1, EVENT_INVOKE, "write", value_small(2), value_small(2));
    add_event(&fixture, 2, EVENT_OK, "write", VALUE_NIL, VALUE_NIL);
    add_event(&fixture, 1, EVENT_OK, "write", VALUE_NIL, VALUE_NIL);
    finish(&fixture);
    uint32_t order[] = {2, 0, 1, 3}, lengths[] = {2, 2};
    assert_true(linearizations_merge(fixture.history, order, lengths, 2, &fixture.budget));
    uint32_t expected[] = {1, 2, 0, 3}; /* points: 1 at 1, 2 and 0 at 2, 3 at 5 */
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(order[i], expected[i]);
    fixture_close(&fixture);
}

/* ---- early stop, errors, limits ---- */

/* Key 1 is large and in order, keys 2 and 3 are small and not. */
static void several_violations(struct fixture *fixture)
{
    for (unsigned i = 0; i < 20; i++) {
        add_event(fixture, 0, EVENT_INVOKE, "write", value_small(i), value_small(1));
        add_event(fixture, 0, EVENT_OK, "write", VALUE_NIL, VALUE_NIL);
    }
    for (unsigned key = 2; key <= 3; key++) {
        add_event(fixture, 0, EVENT_INVOKE, "read", VALUE_NIL, value_small(key));
        add_event(fixture, 0, EVENT_OK, "read", value_small(7), VALUE_NIL);
    }
    finish(fixture);
}

static void all_violations_are_found_when_asked_for(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    several_violations(&fixture);
    struct spec *spec = make_spec(&fixture, "register");
    struct binding binding = {.spec = spec};
    struct check_options options = options_for(&binding, 2);
    struct check check;
    struct error error;
    assert_int_equal(check_history(fixture.history, &options, &fixture.limits, &check, &error),
                     STATUS_OK);
    assert_int_equal(check.violations.length, 1);
    assert_true(check.violations.items[0].key == value_small(2));
    assert_int_equal(check.part_count, 3);
    assert_int_equal(check.parts_decided, 2);
    check_release(&check);
    options.all = true;
    assert_int_equal(check_history(fixture.history, &options, &fixture.limits, &check, &error),
                     STATUS_OK);
    assert_int_equal(check.violations.length, 2);
    assert_true(check.violations.items[0].key == value_small(2));
    assert_true(check.violations.items[1].key == value_small(3));
    assert_int_equal(check.parts_decided, 3);
    check_release(&check);
    spec_destroy(spec);
    fixture_close(&fixture);
}

static void an_unbindable_operation_is_an_error(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    several_violations(&fixture);
    struct spec *spec = make_spec(&fixture, "queue");
    struct binding binding = {.spec = spec};
    struct check_options options = options_for(&binding, 1);
    struct check check;
    struct error error;
    assert_int_equal(check_history(fixture.history, &options, &fixture.limits, &check, &error),
                     STATUS_INPUT);
    spec_destroy(spec);
    fixture_close(&fixture);
}

/* Three stacks, of which one is beyond the search's reach: any order of its pushes is possible. */
static void hard_parts(struct fixture *fixture)
{
    for (unsigned i = 0; i < 25; i++)
        add_event(fixture, i, EVENT_INVOKE, "push", value_small(i), value_small(2));
    for (unsigned i = 0; i < 25; i++)
        add_event(fixture, i, EVENT_OK, "push", VALUE_NIL, VALUE_NIL);
    add_event(fixture, 0, EVENT_INVOKE, "pop", VALUE_NIL, value_small(2));
    add_event(fixture, 0, EVENT_OK, "pop", value_small(99), VALUE_NIL);
    for (unsigned key = 1; key <= 3; key += 2) {
        add_event(fixture, 0, EVENT_INVOKE, "push", value_small(7), value_small(key));
        add_event(fixture, 0, EVENT_OK, "push", VALUE_NIL, VALUE_NIL);
    }
    finish(fixture);
}

/* Interrupts the check once two parts are decided. */
static void interrupt_after_two(void *user, const struct check_progress *progress)
{
    if (progress->parts_done == 2)
        atomic_store((atomic_bool *)user, true);
}

static void assert_covered(enum method method, const char *expected)
{
    struct fixture fixture;
    fixture_open(&fixture);
    hard_parts(&fixture);
    struct spec *spec = make_spec(&fixture, "stack");
    struct binding binding = {.spec = spec};
    struct check_options options = options_for(&binding, 1);
    atomic_bool interrupt = false;
    options.method = method;
    options.progress = interrupt_after_two;
    options.progress_user = &interrupt;
    fixture.limits.interrupt = &interrupt;
    struct check check;
    struct error error;
    assert_int_equal(check_history(fixture.history, &options, &fixture.limits, &check, &error),
                     STATUS_OK);
    assert_int_equal(check.verdict, VERDICT_UNKNOWN);
    assert_int_equal(check.limit, LIMIT_INTERRUPT);
    /* The hard one does not keep the others from being decided. */
    assert_non_null(strstr(text_string(&check.reason), "interrupted: 2 of 3 keys decided, "));
    assert_non_null(strstr(text_string(&check.reason), expected));
    check_release(&check);
    spec_destroy(spec);
    fixture_close(&fixture);
}

static void an_unknown_says_what_was_covered(void **unused)
{
    (void)unused;
    assert_covered(METHOD_DEFINITION, " configurations explored");
    assert_covered(METHOD_SEARCH, "; furthest: 25 of 26 operations of key 2");
}

static void assert_searched_since(enum method method, const char *expected)
{
    struct fixture fixture;
    fixture_open(&fixture);
    for (unsigned i = 0; i < 25; i++)
        add_event(&fixture, i, EVENT_INVOKE, "push", value_small((int)i % 24), VALUE_NIL);
    for (unsigned i = 0; i < 25; i++)
        add_event(&fixture, i, EVENT_OK, "push", VALUE_NIL, VALUE_NIL);
    for (unsigned i = 0; i < 2; i++) {
        add_event(&fixture, 0, EVENT_INVOKE, "pop", VALUE_NIL, VALUE_NIL);
        add_event(&fixture, 0, EVENT_OK, "pop", value_small(i == 0 ? 0 : 99), VALUE_NIL);
    }
    finish(&fixture);
    struct spec *spec = make_spec(&fixture, "stack");
    struct binding binding = {.spec = spec};
    struct check_options options = options_for(&binding, 1);
    struct check check;
    struct error error;
    options.method = method;
    options.most_work = 1000;
    assert_int_equal(check_history(fixture.history, &options, &fixture.limits, &check, &error),
                     STATUS_OK);
    assert_int_equal(check.verdict, VERDICT_UNKNOWN);
    const char *told = strstr(text_string(&check.reason), "; searched");
    assert_non_null(strstr(text_string(&check.reason), "; furthest: "));
    assert_true(expected ? told && strcmp(told, expected) == 0 : !told);
    check_release(&check);
    spec_destroy(spec);
    fixture_close(&fixture);
}

/* A monitor would have decided it, but for a value that comes again. */
static void an_unknown_says_why_it_was_searched(void **unused)
{
    (void)unused;
    assert_searched_since(METHOD_AUTO,
                          "; searched, since value 0 is added twice, and removed (line 25)");
    assert_searched_since(METHOD_SEARCH, NULL); /* that was asked for */
}

/* A violation in a small part is found however hard the others are. */
static void a_hard_part_hides_no_violation(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    add_event(&fixture, 0, EVENT_INVOKE, "pop", VALUE_NIL, value_small(9));
    add_event(&fixture, 0, EVENT_OK, "pop", value_small(7), VALUE_NIL);
    hard_parts(&fixture);
    struct spec *spec = make_spec(&fixture, "stack");
    struct binding binding = {.spec = spec};
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct check_options options = options_for(&binding, threads);
        options.method = METHOD_DEFINITION;
        struct check check;
        struct error error;
        assert_int_equal(check_history(fixture.history, &options, &fixture.limits, &check, &error),
                         STATUS_OK);
        assert_int_equal(check.verdict, VERDICT_VIOLATION);
        assert_true(check.violations.items[0].key == value_small(9));
        check_release(&check);
    }
    spec_destroy(spec);
    fixture_close(&fixture);
}

static void a_little_memory_makes_it_unknown(void **unused)
{
    (void)unused;
    struct fixture fixture;
    fixture_open(&fixture);
    several_violations(&fixture);
    struct spec *spec = make_spec(&fixture, "register");
    struct binding binding = {.spec = spec};
    struct check_options options = options_for(&binding, 2);
    struct check check;
    struct error error;
    struct budget little;
    budget_init(&little, &fixture.budget, 300);
    struct limits limits;
    limits_init(&limits, &little);
    assert_int_equal(check_history(fixture.history, &options, &limits, &check, &error), STATUS_OK);
    assert_int_equal(check.verdict, VERDICT_UNKNOWN);
    assert_int_equal(check.limit, LIMIT_MEMORY);
    assert_non_null(strstr(text_string(&check.reason), "memory limit of 300 bytes reached"));
    check_release(&check);
    assert_int_equal(little.used, 0);
    spec_destroy(spec);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging_keeps_both_orders),
        cmocka_unit_test(all_violations_are_found_when_asked_for),
        cmocka_unit_test(an_unbindable_operation_is_an_error),
        cmocka_unit_test(an_unknown_says_what_was_covered),
        cmocka_unit_test(an_unknown_says_why_it_was_searched),
        cmocka_unit_test(a_hard_part_hides_no_violation),
        cmocka_unit_test(a_little_memory_makes_it_unknown),
        cmocka_unit_test(the_number_of_threads_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
