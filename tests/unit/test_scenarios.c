/* Scenarios: what is read and printed, and the walk over a promised set against all scenarios one
 * by one, put into classes by trying every way to rename threads and new values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "scenario/scenarios.h"
#include "support/seeds.h"

static const struct scenario_operation stack[] = {{"push", 1, -1, 0}, {"pop", 0, 0, 0}};
static const struct scenario_interface stack_interface = {stack, 2};

static const struct scenario_operation ring[] = {{"enqueue", 1, -1, 1},
                                                 {"dequeue", 0, 0, 2},
                                                 {"try_peek", 0, 0, 0},
                                                 {"resize", -2, 5, 0},
                                                 {"stop", 7, 7, 0}};
static const struct scenario_interface ring_interface = {ring, 5};

/* ---- reading and printing ---- */

static void expect_read(const struct scenario_interface *interface, const char *given,
                        const char *printed)
{
    struct scenario scenario, again;
    struct error error = {0};
    struct text text = TEXT_EMPTY;
    if (scenario_parse(given, interface, &scenario, &error) != STATUS_OK)
        fail_msg("%s: %s", given, error.message);
    scenario_print(&scenario, interface, &text);
    assert_string_equal(text_string(&text), printed);
    assert_int_equal(scenario_parse(text_string(&text), interface, &again, &error), STATUS_OK);
    assert_memory_equal(&scenario, &again, sizeof again);
    text_release(&text);
}

static void expect_refused(const struct scenario_interface *interface, const char *given,
                           const char *message)
{
    struct scenario scenario;
    struct error error = {0};
    assert_int_equal(scenario_parse(given, interface, &scenario, &error), STATUS_USAGE);
    assert_string_equal(error.message, message);
}

static void a_scenario_is_printed_as_it_is_read(void **unused)
{
    (void)unused;
    expect_read(&stack_interface, "push 1; pop | pop", "push 1; pop | pop");
    expect_read(&stack_interface, "  push   -3;pop|pop ;push 7", "push -3; pop | pop; push 7");
    expect_read(&ring_interface, "try-peek", "try_peek");
    expect_read(&ring_interface, "enqueue 1 | dequeue; resize -2; stop",
                "enqueue 1 | dequeue; resize -2; stop 7");
}

static void new_values_are_filled_in(void **unused)
{
    (void)unused;
    expect_read(&stack_interface, "push; push | push", "push 1; push 2 | push 3");
    expect_read(&stack_interface, "push; push 1 | push; push 3", "push 2; push 1 | push 4; push 3");
}

static void a_wrong_scenario_is_refused(void **unused)
{
    (void)unused;
    const struct scenario_interface *one = &stack_interface, *two = &ring_interface;
    expect_refused(one, "", "scenario, column 1: expected an operation (push, pop), found its end");
    expect_refused(one, "push 1; | pop",
                   "scenario, column 9: expected an operation (push, pop), found `|`");
    expect_refused(one, "push 1; pup",
                   "scenario, column 9: expected an operation (push, pop), perhaps pop, found "
                   "`pup`");
    expect_refused(one, "push x", "scenario, column 6: expected a number, found `x`");
    expect_refused(one, "push 1x", "scenario, column 6: expected a number, found `1x`");
    expect_refused(one, "push 99999999999999999999",
                   "scenario, column 6: expected a number, found `99999999999999999999`");
    expect_refused(one, "push 1 2", "scenario, column 8: expected ; or |, found `2`");
    expect_refused(one, "pop 1",
                   "scenario, column 5: expected ; or | (the operation has no argument), found "
                   "`1`");
    expect_refused(two, "resize 6",
                   "scenario, column 8: expected a number from -2 to 5, found `6`");
    expect_refused(two, "resize",
                   "scenario, column 7: expected a number from -2 to 5, found its end");
    expect_refused(two, "enqueue 1 | enqueue 2",
                   "scenario, column 13: expected what thread 2 may call, found `enqueue`");
    expect_refused(one, "pop|pop|pop|pop|pop|pop|pop|pop",
                   "scenario, column 28: expected at most 7 threads, found `|`");
    expect_refused(one, "pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop;pop",
                   "scenario, column 65: expected at most 16 calls, found `pop`");
}

/* ---- classes, by the definition ---- */

struct listed {
    struct scenario scenario;
    bool is_met; /* one of its class */
};

struct list {
    struct listed *items;
    size_t count, room;
};

static bool is_fresh(const struct scenario_interface *interface, const struct scenario_call *call)
{
    return interface->operations[call->operation].from > interface->operations[call->operation].to;
}

/* Adds every scenario of exactly these lengths, its calls from `at` on still to be chosen. */
static void list_calls(struct list *list, const struct scenario_interface *interface,
                       struct scenario *scenario, unsigned thread, unsigned place, int64_t fresh)
{
    if (thread == scenario->thread_count) {
        if (list->count == list->room) {
            list->room = list->room ? list->room * 2 : 1024;
            list->items = realloc(list->items, list->room * sizeof *list->items);
        }
        list->items[list->count++] = (struct listed){.scenario = *scenario};
        return;
    }
    bool last = place + 1 == scenario->lengths[thread];
    unsigned at = place;
    for (unsigned i = 0; i < thread; i++)
        at += scenario->lengths[i];
    for (uint16_t i = 0; i < interface->count; i++) {
        const struct scenario_operation *operation = &interface->operations[i];
        bool new = operation->from > operation->to;
        if (operation->only_thread && operation->only_thread != (int)thread + 1)
            continue;
        for (int64_t v = new ? 0 : operation->from; v <= (new ? 0 : operation->to); v++) {
            scenario->calls[at] = (struct scenario_call){i, new ? fresh + 1 : v};
            list_calls(list, interface, scenario, last ? thread + 1 : thread, last ? 0 : place + 1,
                       fresh + new);
        }
    }
}

static void list_lengths(struct list *list, const struct scenario_interface *interface,
                         struct scenario *scenario, unsigned thread, unsigned left)
{
    unsigned behind = scenario->thread_count - thread - 1;
    if (behind == 0) {
        scenario->lengths[thread] = left;
        list_calls(list, interface, scenario, 0, 0, 0);
        return;
    }
    for (unsigned length = 1; length + behind <= left; length++) {
        scenario->lengths[thread] = length;
        list_lengths(list, interface, scenario, thread + 1, left - length);
    }
}

/* Whether `b` is `a` with thread i called to[i], under some renaming of new values: a bijection
 * that takes new values to new values and leaves all other numbers alone. */
static bool is_renamed(const struct scenario_interface *interface, const struct scenario *a,
                       const struct scenario *b, const unsigned *to)
{
    int64_t image[64] = {0}, origin[64] = {0};
    unsigned start = 0;
    for (unsigned pass = 0; pass < 2; pass++) {
        start = 0;
        for (unsigned thread = 0; thread < a->thread_count; thread++) {
            unsigned other = 0;
            for (unsigned i = 0; i < to[thread]; i++)
                other += b->lengths[i];
            if (a->lengths[thread] != b->lengths[to[thread]])
                return false;
            for (unsigned i = 0; i < a->lengths[thread]; i++) {
                const struct scenario_call *x = &a->calls[start + i], *y = &b->calls[other + i];
                if (x->operation != y->operation)
                    return false;
                if (pass == 0 && is_fresh(interface, x)) {
                    image[x->argument] = y->argument;
                    origin[y->argument] = x->argument;
                }
                bool meant = x->argument > 0 && x->argument < 64 && image[x->argument];
                bool free = y->argument > 0 && y->argument < 64 && origin[y->argument];
                bool has = interface->operations[x->operation].from ||
                           interface->operations[x->operation].to;
                if (pass == 1 && has &&
                    (meant ? image[x->argument] != y->argument
                           : free || x->argument != y->argument))
                    return false;
            }
            start += a->lengths[thread];
        }
    }
    return true;
}

static bool are_symmetric(const struct scenario_interface *interface, const struct scenario *a,
                          const struct scenario *b, unsigned *to, unsigned chosen)
{
    if (a->thread_count != b->thread_count || a->call_count != b->call_count)
        return false;
    if (chosen == a->thread_count)
        return is_renamed(interface, a, b, to);
    for (unsigned i = 0; i < a->thread_count; i++) {
        bool taken = false;
        for (unsigned j = 0; j < chosen; j++)
            taken |= to[j] == i;
        to[chosen] = i;
        if (!taken && are_symmetric(interface, a, b, to, chosen + 1))
            return true;
    }
    return false;
}

static void compare_walk(const struct scenario_interface *interface,
                         const struct scenario_bounds *bounds)
{
    static struct scenario_walk walk;
    struct scenario scenario;
    struct error error = {0};
    unsigned calls = 0, threads = 0, to[SCENARIO_THREADS];
    struct list list = {0};
    for (unsigned n = 1; n <= SCENARIO_THREADS; n++)
        for (unsigned m = n; m <= bounds->calls[n]; m++) {
            struct scenario made = {.thread_count = n, .call_count = m};
            list_lengths(&list, interface, &made, 0, m);
        }
    assert_int_equal(scenario_walk_init(&walk, interface, bounds, NULL, &error), STATUS_OK);
    while (scenario_walk_next(&walk, &scenario)) {
        assert_true(calls < scenario.call_count ||
                    (calls == scenario.call_count && threads <= scenario.thread_count));
        calls = scenario.call_count;
        threads = scenario.thread_count;
        unsigned members = 0;
        for (size_t i = 0; i < list.count; i++)
            if (are_symmetric(interface, &scenario, &list.items[i].scenario, to, 0)) {
                assert_false(list.items[i].is_met); /* a second one of its class */
                list.items[i].is_met = true;
                members++;
            }
        assert_true(members > 0);
    }
    for (size_t i = 0; i < list.count; i++)
        assert_true(list.items[i].is_met);
    free(list.items);
}

static struct seeds seeds = {1, 60};

static void one_of_each_class_is_gone_through(void **unused)
{
    (void)unused;
    static const struct scenario_bounds small = {.calls = {[1] = 3, [2] = 5, [3] = 4, [4] = 4}};
    static const struct scenario_bounds tiny = {.calls = {[1] = 2, [2] = 3, [3] = 3}};
    compare_walk(&stack_interface, &small);
    compare_walk(&ring_interface, &tiny);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        static const char *const names[] = {"a", "b", "c"};
        struct scenario_operation operations[3];
        struct random random;
        random_seed(&random, seed);
        size_t count = 1 + random_below(&random, 3);
        for (size_t i = 0; i < count; i++) {
            int only_thread = random_chance(&random, 1, 3) ? 1 + (int)random_below(&random, 3) : 0;
            int64_t from = (int64_t)random_below(&random, 4) - 1;
            operations[i] = (struct scenario_operation){names[i], from, from, only_thread};
            switch (random_below(&random, 3)) {
            case 0:
                operations[i].from = 1;
                operations[i].to = -1;
                break;
            case 1:
                operations[i].to += random_below(&random, 2);
                break;
            default:
                operations[i].from = operations[i].to = 0;
            }
        }
        struct scenario_interface interface = {operations, count};
        print_message("seed %llu\n", (unsigned long long)seed);
        compare_walk(&interface, &(struct scenario_bounds){.calls = {[1] = 2, [2] = 4, [3] = 4}});
    }
}

static void what_was_gone_through_is_left_out(void **unused)
{
    (void)unused;
    static struct scenario_walk walk;
    struct scenario scenario;
    struct error error = {0};
    assert_int_equal(
        scenario_walk_init(&walk, &stack_interface, &scenarios_larger, &scenarios_promised, &error),
        STATUS_OK);
    unsigned met = 0;
    while (met++ < 300 && scenario_walk_next(&walk, &scenario))
        assert_true(scenario.call_count > scenarios_promised.calls[scenario.thread_count]);
    assert_int_equal(met, 301);
}

static void too_many_arguments_are_refused(void **unused)
{
    (void)unused;
    static struct scenario_walk walk;
    struct error error = {0};
    static const struct scenario_operation wide[] = {{"add", 1, 4000, 0}, {"remove", 1, 100, 0}};
    static const struct scenario_interface interface = {wide, 2};
    assert_int_equal(scenario_walk_init(&walk, &interface, &scenarios_promised, NULL, &error),
                     STATUS_USAGE);
    assert_string_equal(error.message,
                        "arguments of the operations: expected at most 4096 in all, found more "
                        "(remove is called from 1 to 100)");
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scenario_is_printed_as_it_is_read),
        cmocka_unit_test(new_values_are_filled_in),
        cmocka_unit_test(a_wrong_scenario_is_refused),
        cmocka_unit_test(one_of_each_class_is_gone_through),
        cmocka_unit_test(what_was_gone_through_is_left_out),
        cmocka_unit_test(too_many_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
