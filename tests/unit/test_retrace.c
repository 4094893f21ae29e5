/* Going through a violation again: cores, and the states along an order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include <linchpin/linchpin.h>

#include "api/objects.h"
#include "base/text.h"

static lp_context *context;
static lp_history *history;
static lp_spec *spec;
static lp_binding binding;

/* 0: enqueue 3, then (overlapping) 1: enqueue 7 and 2: dequeue 7, then 3: dequeue 3; 4: an enqueue
 * that failed. That 7 leaves first is only possible if 3 is not there: 0 and 2 are the core. */
static const char lines[] = "{:process 0, :type :invoke, :f :enqueue, :value 3}\n"
                            "{:process 0, :type :ok, :f :enqueue, :value 3}\n"
                            "{:process 1, :type :invoke, :f :enqueue, :value 7}\n"
                            "{:process 2, :type :invoke, :f :dequeue, :value nil}\n"
                            "{:process 1, :type :ok, :f :enqueue, :value 7}\n"
                            "{:process 2, :type :ok, :f :dequeue, :value 7}\n"
                            "{:process 3, :type :invoke, :f :dequeue, :value nil}\n"
                            "{:process 3, :type :ok, :f :dequeue, :value 3}\n"
                            "{:process 3, :type :invoke, :f :enqueue, :value 8}\n"
                            "{:process 3, :type :fail, :f :enqueue, :value 8}\n";

static int open_history(void **unused)
{
    (void)unused;
    lp_history **histories;
    lp_error error;
    size_t count;
    context = lp_context_create(0);
    if (lp_history_parse(context, "h", lines, strlen(lines), NULL, &histories, &count, &error) !=
            LP_OK ||
        lp_spec_create(context, "queue", NULL, &spec, &error) != LP_OK)
        return 1;
    history = histories[0];
    free(histories);
    binding = (lp_binding){NULL, spec};
    return 0;
}

static int close_history(void **unused)
{
    (void)unused;
    lp_spec_destroy(spec);
    lp_history_destroy(history);
    lp_context_destroy(context);
    return 0;
}

static void expect_core(const uint32_t *core, size_t length, bool violation, bool minimal)
{
    lp_error error;
    bool is_violation, is_minimal;
    assert_int_equal(lp_core_verify(context, history, &binding, 1, NULL, core, length,
                                    &is_violation, &is_minimal, &error),
                     LP_OK);
    assert_int_equal(is_violation, violation);
    assert_int_equal(is_minimal, minimal);
}

static void cores_are_decided_again(void **unused)
{
    (void)unused;
    const uint32_t core[] = {0, 2}, more[] = {0, 1, 2}, other[] = {0, 3}, one[] = {2};
    expect_core(core, 2, true, true);
    expect_core(more, 3, true, false);
    expect_core(other, 2, false, false);
    expect_core(one, 1, false, false);
    expect_core(NULL, 0, false, false);
}

static void operations_that_did_not_happen_are_no_core(void **unused)
{
    (void)unused;
    const uint32_t core[] = {0, 4};
    lp_error error;
    bool violation, minimal;
    assert_int_equal(
        lp_core_verify(context, history, &binding, 1, NULL, core, 2, &violation, &minimal, &error),
        LP_USAGE);
    assert_string_equal(error.message,
                        "the operations belong to different objects or keys, or did not happen");
}

static void the_specification_may_be_inferred(void **unused)
{
    (void)unused;
    const uint32_t core[] = {0, 2};
    lp_error error;
    bool violation, minimal;
    assert_int_equal(
        lp_core_verify(context, history, NULL, 0, NULL, core, 2, &violation, &minimal, &error),
        LP_OK);
    assert_true(violation && minimal);
}

static size_t states_of(const uint32_t *order, size_t length, size_t first, char **states)
{
    lp_error error;
    size_t legal;
    assert_int_equal(lp_order_states(context, history, &binding, 1, NULL, order, length, first,
                                     states, &legal, &error),
                     LP_OK);
    return legal;
}

static void states_follow_the_order(void **unused)
{
    (void)unused;
    const uint32_t order[] = {1, 0, 2, 3};
    const char *expected[] = {"[7]", "[7 3]", "[3]", "[]"};
    char *states[4];
    assert_int_equal(states_of(order, 4, 0, states), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(states[i], expected[i]);
        free(states[i]);
    }
    assert_int_equal(states_of(order, 4, 3, states), 4);
    assert_string_equal(states[0], "[]");
    free(states[0]);
    assert_int_equal(states_of(order, 0, 0, NULL), 0);
}

/* The same questions, asked of a history that was bound once. */
static void a_bound_history_is_asked_again_and_again(void **unused)
{
    (void)unused;
    const uint32_t order[] = {1, 0, 2, 3};
    lp_error error;
    lp_bound *bound;
    assert_int_equal(lp_bound_create(context, history, &binding, 1, NULL, &bound, &error), LP_OK);
    for (size_t round = 0; round < 2; round++)
        for (size_t first = 0; first < 4; first++) {
            char *states[4], *expected[4];
            size_t legal, count = states_of(order, 4, first, expected);
            assert_int_equal(lp_bound_states(bound, order, 4, first, states, &legal, &error),
                             LP_OK);
            assert_int_equal(legal, count);
            for (size_t i = 0; first + i < 4; i++) {
                assert_string_equal(states[i], expected[i]);
                free(states[i]);
                free(expected[i]);
            }
        }
    lp_bound_destroy(bound);
    lp_bound_destroy(NULL);
}

static void an_illegal_order_ends_where_it_goes_wrong(void **unused)
{
    (void)unused;
    const uint32_t order[] = {0, 2, 1};
    char *states[3];
    assert_int_equal(states_of(order, 3, 0, states), 1);
    assert_string_equal(states[0], "[3]");
    assert_null(states[1]);
    assert_null(states[2]);
    free(states[0]);
}

/* An unordered queue with the values from 1 to `count`, of which `unknown` dequeues took others,
 * nobody knows which, and then others took 1, 2 and so on, all that may be left. */
static void open_bag(unsigned count, unsigned unknown)
{
    struct text text = TEXT_EMPTY;
    for (unsigned i = 1; i <= count; i++)
        text_format(&text,
                    "{:process 0, :type :invoke, :f :enqueue, :value %u}\n"
                    "{:process 0, :type :ok, :f :enqueue, :value %u}\n",
                    i, i);
    for (unsigned i = 1; i <= unknown; i++)
        text_format(&text,
                    "{:process %u, :type :invoke, :f :dequeue, :value nil}\n"
                    "{:process %u, :type :info, :f :dequeue, :value nil}\n",
                    i, i);
    for (unsigned i = 1; i <= count - unknown; i++)
        text_format(&text,
                    "{:process 0, :type :invoke, :f :dequeue, :value nil}\n"
                    "{:process 0, :type :ok, :f :dequeue, :value %u}\n",
                    i);
    lp_history **histories;
    lp_error error;
    size_t histories_count;
    assert_int_equal(close_history(NULL), 0);
    context = lp_context_create(0);
    assert_int_equal(lp_history_parse(context, "h", text_string(&text), text.length, NULL,
                                      &histories, &histories_count, &error),
                     LP_OK);
    assert_int_equal(lp_spec_create(context, "unordered-queue", NULL, &spec, &error), LP_OK);
    history = histories[0];
    free(histories);
    binding = (lp_binding){NULL, spec};
    text_release(&text);
}

/* What was dequeued is any of the values, until only the last of them is left to have been. */
static void an_object_may_be_in_any_of_several_states(void **unused)
{
    (void)unused;
    uint32_t order[40];
    char *states[40];
    for (uint32_t i = 0; i < 40; i++)
        order[i] = i;
    open_bag(3, 1);
    assert_int_equal(states_of(order, 6, 3, states), 6);
    assert_string_equal(states[0], "[2 3] or [1 3] or [1 2]");
    assert_string_equal(states[1], "[3] or [2]"); /* 1 was there */
    assert_string_equal(states[2], "[]");
    for (size_t i = 0; i < 3; i++)
        free(states[i]);
    open_bag(3, 2); /* in both orders */
    assert_int_equal(states_of(order, 6, 4, states), 6);
    assert_string_equal(states[0], "[3] or [2] or [1]");
    assert_string_equal(states[1], "[]");
    for (size_t i = 0; i < 2; i++)
        free(states[i]);
    open_bag(20, 1); /* more than are shown: it took 20 */
    assert_int_equal(states_of(order, 40, 20, states), 40);
    assert_non_null(strstr(states[0], " or 4 more"));
    assert_null(strstr(states[4], "more"));
    assert_string_equal(states[19], "[]");
    for (size_t i = 0; i < 20; i++)
        free(states[i]);
}

/* 50 * 49 / 2 states. */
static void very_many_states_are_a_limit(void **unused)
{
    (void)unused;
    uint32_t order[52];
    char *states[52];
    size_t legal;
    lp_error error;
    for (uint32_t i = 0; i < 52; i++)
        order[i] = i;
    open_bag(50, 2);
    assert_int_equal(
        lp_order_states(context, history, &binding, 1, NULL, order, 52, 0, states, &legal, &error),
        LP_LIMIT);
    assert_non_null(strstr(error.message, "the object may be in more than"));
}

/* Within so many bytes: the same answer, or that there are too few. True: the answer. */
static bool core_within(size_t bytes)
{
    const uint32_t core[] = {0, 2};
    lp_error error;
    bool violation, minimal;
    context->budget.limit = atomic_load(&context->budget.used) + bytes;
    lp_status status =
        lp_core_verify(context, history, &binding, 1, NULL, core, 2, &violation, &minimal, &error);
    context->budget.limit = 0;
    if (status == LP_OK)
        assert_true(violation && minimal);
    else
        assert_int_equal(status, LP_LIMIT);
    return status == LP_OK;
}

static bool states_within(size_t bytes)
{
    const uint32_t order[] = {0, 2, 1};
    char *states[3] = {NULL, NULL, NULL};
    lp_error error;
    size_t legal;
    context->budget.limit = atomic_load(&context->budget.used) + bytes;
    lp_status status =
        lp_order_states(context, history, &binding, 1, NULL, order, 3, 0, states, &legal, &error);
    context->budget.limit = 0;
    if (status != LP_OK) {
        assert_int_equal(status, LP_LIMIT);
        return false;
    }
    assert_int_equal(legal, 1);
    assert_string_equal(states[0], "[3]");
    free(states[0]);
    return true;
}

static void with_little_memory_the_answer_is_right_or_there_is_none(void **unused)
{
    (void)unused;
    unsigned cores = 0, states = 0, count = 0;
    const size_t used = atomic_load(&context->budget.used);
    for (size_t bytes = 1; bytes < 40000; bytes += 1 + bytes / 32, count++) {
        cores += core_within(bytes);
        states += states_within(bytes);
    }
    assert_true(cores > 0 && cores < count && states > 0 && states < count);
    assert_int_equal(atomic_load(&context->budget.used), used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cores_are_decided_again, open_history, close_history),
        cmocka_unit_test_setup_teardown(operations_that_did_not_happen_are_no_core, open_history,
                                        close_history),
        cmocka_unit_test_setup_teardown(the_specification_may_be_inferred, open_history,
                                        close_history),
        cmocka_unit_test_setup_teardown(states_follow_the_order, open_history, close_history),
        cmocka_unit_test_setup_teardown(a_bound_history_is_asked_again_and_again, open_history,
                                        close_history),
        cmocka_unit_test_setup_teardown(an_illegal_order_ends_where_it_goes_wrong, open_history,
                                        close_history),
        cmocka_unit_test_setup_teardown(an_object_may_be_in_any_of_several_states, open_history,
                                        close_history),
        cmocka_unit_test_setup_teardown(very_many_states_are_a_limit, open_history, close_history),
        cmocka_unit_test_setup_teardown(with_little_memory_the_answer_is_right_or_there_is_none,
                                        open_history, close_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
