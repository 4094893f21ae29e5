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

static const struct scenario_operation stack[] = {{.name = "push", .from = 1, .to = -1},
                                                  {.name = "pop"}};
static const struct scenario_interface stack_interface = {stack, 2, NULL};

static const struct scenario_operation ring[] = {
    {.name = "enqueue", .from = 1, .to = -1, .only_thread = 1},
    {.name = "dequeue", .only_thread = 2},
    {.name = "try_peek"},
    {.name = "resize", .from = -2, .to = 5},
    {.name = "stop", .from = 7, .to = 7}};
static const struct scenario_interface ring_interface = {ring, 5, NULL};

static const struct scenario_operation map[] = {
    {.name = "get", .from = 1, .to = 2},
    {.name = "put", .from = 1, .to = 2, .takes_two = true, .from2 = 1, .to2 = -1},
    {.name = "cas", .only_thread = 1, .takes_two = true, .from2 = -1, .to2 = 3}};
static const struct scenario_operation swaps[] = {{.name = "get", .from = 1, .to = 2},
                                                  {.name = "cas",
                                                   .from = 1,
                                                   .to = 2,
                                                   .takes_two = true,
                                                   .from2 = 1,
                                                   .to2 = 2,
                                                   .takes_three = true,
                                                   .from3 = 1,
                                                   .to3 = -1}};
static const struct scenario_interface swaps_interface = {swaps, 2, NULL};
static const struct scenario_interface map_interface = {map, 3, NULL};

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
    expect_read(&map_interface, "put 1 5; cas 0  -1 |get 2", "put 1 5; cas 0 -1 | get 2");
}

static void new_values_are_filled_in(void **unused)
{
    (void)unused;
    expect_read(&stack_interface, "push; push | push", "push 1; push 2 | push 3");
    expect_read(&stack_interface, "push; push 1 | push; push 3", "push 2; push 1 | push 4; push 3");
    expect_read(&map_interface, "put 1; put 2 1 | put 2", "put 1 2; put 2 1 | put 2 3");
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
                   "scenario, column 13: expected what thread 2 may call, found `enqueue`: only "
                   "thread 1 may call it");
    expect_refused(&map_interface, "put",
                   "scenario, column 4: expected a number from 1 to 2, found its end");
    expect_refused(&map_interface, "cas 0; get 1",
                   "scenario, column 6: expected a number from -1 to 3, found `;`");
    expect_refused(&map_interface, "cas 0 4",
                   "scenario, column 7: expected a number from -1 to 3, found `4`");
    expect_refused(&map_interface, "put 1 2 3", "scenario, column 9: expected ; or |, found `3`");
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

/* Whether one of the operation's arguments, from 0, is a new value. */
static bool is_fresh(const struct scenario_interface *interface, const struct scenario_call *call,
                     unsigned which)
{
    const struct scenario_operation *operation = &interface->operations[call->operation];
    if (which == 2)
        return operation->takes_three && operation->from3 > operation->to3;
    return which ? operation->takes_two && operation->from2 > operation->to2
                 : operation->from > operation->to;
}

static bool has(const struct scenario_interface *interface, const struct scenario_call *call,
                unsigned which)
{
    const struct scenario_operation *operation = &interface->operations[call->operation];
    if (which == 2)
        return operation->takes_three;
    return operation->takes_two || (!which && (operation->from || operation->to));
}

/* Whether some of a thread's calls can be cut into whole orders, calls that are in none, and at the
 * end the beginning of an order. */
static bool is_cut_into_orders(const struct scenario_orders *orders,
                               const struct scenario_call *calls, unsigned count)
{
    uint32_t begin = 0;
    bool ordered = false;
    if (count == 0)
        return true;
    for (uint32_t i = 0; i < orders->count; i++)
        ordered |= orders->calls[i] == orders->roles[calls[0].operation];
    if (!ordered)
        return is_cut_into_orders(orders, calls + 1, count - 1);
    for (uint32_t order = 0; begin < orders->count; order++) {
        uint32_t end = orders->ends ? orders->ends[order] : orders->count, length = 0;
        while (length < count && begin + length < end &&
               orders->calls[begin + length] == orders->roles[calls[length].operation])
            length++;
        if (length == count ||
            (begin + length == end && is_cut_into_orders(orders, calls + length, count - length)))
            return true;
        begin = end;
    }
    return false;
}

/* Adds every scenario of exactly these lengths, its calls from `at` on still to be chosen. */
static void list_calls(struct list *list, const struct scenario_interface *interface,
                       struct scenario *scenario, unsigned thread, unsigned place, int64_t fresh)
{
    if (thread == scenario->thread_count) {
        for (unsigned i = 0, at = 0; interface->orders && i < thread; at += scenario->lengths[i++])
            if (!is_cut_into_orders(interface->orders, &scenario->calls[at], scenario->lengths[i]))
                return;
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
        bool is_called = false;
        for (unsigned k = 0; k < at; k++)
            is_called |= scenario->calls[k].operation == i;
        if (operation->is_once && is_called)
            continue;
        bool new2 = operation->takes_two && operation->from2 > operation->to2;
        int64_t from2 = new2 || !operation->takes_two ? 0 : operation->from2,
                to2 = new2 || !operation->takes_two ? 0 : operation->to2;
        bool new3 = operation->takes_three && operation->from3 > operation->to3;
        int64_t from3 = new3 || !operation->takes_three ? 0 : operation->from3,
                to3 = new3 || !operation->takes_three ? 0 : operation->to3;
        for (int64_t v = new ? 0 : operation->from; v <= (new ? 0 : operation->to); v++)
            for (int64_t w = from2; w <= to2; w++)
                for (int64_t x = from3; x <= to3; x++) {
                    scenario->calls[at] =
                        (struct scenario_call){.operation = i,
                                               .argument = new ? fresh + 1 : v,
                                               .second = new2 ? fresh + new + 1 : w,
                                               .third = new3 ? fresh + new + new2 + 1 : x};
                    list_calls(list, interface, scenario, last ? thread + 1 : thread,
                               last ? 0 : place + 1, fresh + new + new2 + new3);
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
                const int64_t ours[] = {x->argument, x->second, x->third},
                              theirs[] = {y->argument, y->second, y->third};
                for (unsigned k = 0; k < 3; k++) {
                    int64_t v = ours[k], w = theirs[k];
                    if (pass == 0 && is_fresh(interface, x, k)) {
                        image[v] = w;
                        origin[w] = v;
                    }
                    bool meant = v > 0 && v < 64 && image[v];
                    bool free = w > 0 && w < 64 && origin[w];
                    if (pass == 1 && has(interface, x, k) &&
                        (meant ? image[v] != w : free || v != w))
                        return false;
                }
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
    if (chosen == a->thread_count || chosen == SCENARIO_THREADS)
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
    assert_false(scenario_walk_next(&walk, &scenario)); /* nor when asked again */
}

/* None, or one to three orders, of which the operations have some. */
static struct scenario_orders random_orders(struct random *random, uint16_t *calls, uint32_t *ends,
                                            unsigned operations)
{
    struct scenario_orders orders = {.calls = calls, .count = random_below(random, 5)};
    unsigned order = 0;
    for (uint32_t i = 0; i < orders.count; i++) {
        calls[i] = (uint16_t)random_below(random, 4);
        if (i + 1 == orders.count || random_chance(random, 1, 3))
            ends[order++] = i + 1;
    }
    if (order > 1 || random_chance(random, 1, 2))
        orders.ends = ends;
    for (unsigned i = 0; i < operations; i++)
        orders.roles[i] = (uint16_t)random_below(random, 4);
    return orders;
}

static struct seeds seeds = {1, 60};

static void one_of_each_class_is_gone_through(void **unused)
{
    (void)unused;
    static const struct scenario_bounds small = {.calls = {[1] = 3, [2] = 5, [3] = 4, [4] = 4}};
    static const struct scenario_bounds tiny = {.calls = {[1] = 2, [2] = 3, [3] = 3}};
    compare_walk(&stack_interface, &small);
    compare_walk(&ring_interface, &tiny);
    compare_walk(&map_interface, &(struct scenario_bounds){.calls = {[1] = 2, [2] = 3}});
    compare_walk(&swaps_interface, &(struct scenario_bounds){.calls = {[1] = 2, [2] = 3}});
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        static const char *const names[] = {"a", "b", "c"};
        struct scenario_operation operations[3];
        uint16_t calls[4];
        uint32_t ends[4];
        struct random random;
        random_seed(&random, seed);
        size_t count = 1 + random_below(&random, 3);
        for (size_t i = 0; i < count; i++) {
            int only_thread = random_chance(&random, 1, 3) ? 1 + (int)random_below(&random, 3) : 0;
            int64_t from = (int64_t)random_below(&random, 4) - 1;
            operations[i] = (struct scenario_operation){
                .name = names[i], .from = from, .to = from, .only_thread = only_thread};
            operations[i].is_once = random_chance(&random, 1, 4);
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
            if (random_chance(&random, 1, 3)) {
                operations[i].takes_two = true;
                operations[i].from2 = random_chance(&random, 1, 2) ? 1 : 0;
                operations[i].to2 = operations[i].from2 ? -1 : (int64_t)random_below(&random, 2);
            }
            if (operations[i].takes_two && random_chance(&random, 1, 2)) {
                operations[i].takes_three = true;
                operations[i].from3 = random_chance(&random, 1, 2) ? 1 : 0;
                operations[i].to3 = operations[i].from3 ? -1 : (int64_t)random_below(&random, 2);
            }
        }
        struct scenario_orders orders = random_orders(&random, calls, ends, (unsigned)count);
        struct scenario_interface interface = {operations, count, orders.count ? &orders : NULL};
        print_message("seed %llu\n", (unsigned long long)seed);
        compare_walk(&interface, &(struct scenario_bounds){.calls = {[1] = 2, [2] = 4, [3] = 4}});
    }
}

static void sets_are_as_asked(void **unused)
{
    (void)unused;
    static const unsigned none[SCENARIO_THREADS + 1], two[] = {0, 3, 7}, calls[] = {0, 5, 5, 5},
                                                      both[] = {0, 9, 9, 9, 9},
                                                      five[] = {0, 3, 7, 6, 6, 6};
    assert_memory_equal(scenario_bounds_asked(2, 0).calls, two, sizeof two);
    assert_memory_equal(scenario_bounds_asked(2, 0).calls + 3, none, sizeof none - sizeof two);
    assert_memory_equal(scenario_bounds_asked(0, 5).calls, calls, sizeof calls);
    assert_memory_equal(scenario_bounds_asked(4, 9).calls, both, sizeof both);
    assert_memory_equal(scenario_bounds_asked(4, 9).calls + 5, none, sizeof none - sizeof both);
    assert_memory_equal(scenario_bounds_asked(5, 0).calls, five, sizeof five);
}

static void threads_keep_to_their_orders(void **unused)
{
    (void)unused;
    static const struct scenario_operation lock[] = {
        {.name = "acquire"}, {.name = "release"}, {.name = "get"}};
    static const uint16_t calls[] = {0, 1};
    static const struct scenario_orders orders = {calls, 2, NULL, {0, 1, 7}};
    static const struct scenario_interface interface = {lock, 3, &orders};
    static const struct {
        const char *text;
        bool is_in_order;
    } expected[] = {{"acquire; release; acquire", true}, {"acquire; release | release", false},
                    {"get; acquire | get", true},        {"acquire; get", false},
                    {"acquire; acquire", false},         {"acquire | acquire", true}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct scenario scenario;
        struct error error;
        assert_int_equal(scenario_parse(expected[i].text, &interface, &scenario, &error),
                         STATUS_OK);
        assert_int_equal(scenario_is_in_order(&scenario, &interface), expected[i].is_in_order);
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
    static const struct scenario_operation wide[] = {{.name = "add", .from = 1, .to = 4000},
                                                     {.name = "remove", .from = 1, .to = 100}};
    static const struct scenario_interface interface = {wide, 2, NULL};
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
        cmocka_unit_test(sets_are_as_asked),
        cmocka_unit_test(threads_keep_to_their_orders),
        cmocka_unit_test(what_was_gone_through_is_left_out),
        cmocka_unit_test(too_many_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
