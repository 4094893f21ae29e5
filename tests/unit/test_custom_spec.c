/* Specifications made of callbacks: the same verdicts as the built-in one, all states given back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/custom_queue.h"

/* A random history of up to 9 operations on a queue; dequeues answer in order, mostly. */
static lp_history *random_history(lp_context *context, struct random *random)
{
    lp_history *history = lp_history_create(context, "random");
    lp_error error;
    bool busy[3] = {0}, dequeues[3] = {0};
    int enqueued = 0, dequeued = 0;
    for (int step = 0; step < 18; step++) {
        int i = (int)random_below(random, 3);
        lp_value process = lp_value_integer(context, i);
        if (!busy[i]) {
            dequeues[i] = random_chance(random, 1, 2);
            lp_value argument =
                dequeues[i] ? LP_VALUE_NIL : lp_value_integer(context, 1 + enqueued++ % 4);
            assert_int_equal(lp_history_invoke(history, process,
                                               dequeues[i] ? "dequeue" : "enqueue", argument,
                                               &error),
                             LP_OK);
        } else {
            lp_value result = LP_VALUE_NIL;
            if (dequeues[i] && random_chance(random, 9, 10))
                result = lp_value_integer(context, 1 + dequeued++ % 4);
            assert_int_equal(lp_history_complete(history, process, LP_OUTCOME_OK, result, &error),
                             LP_OK);
        }
        busy[i] = !busy[i];
    }
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    return history;
}

static lp_verdict verdict_of(lp_context *context, const lp_history *history, const lp_spec *spec,
                             lp_method method)
{
    lp_binding binding = {.spec = spec};
    lp_check_options options = {.size = sizeof options, .method = method};
    lp_result *result;
    lp_error error;
    if (lp_check(context, history, &binding, 1, &options, &result, &error) != LP_OK)
        fail_msg("%s", error.message);
    lp_verdict verdict = result->verdict;
    if (verdict == LP_VIOLATION)
        assert_true(result->violations[0].core_complete);
    lp_result_destroy(result);
    return verdict;
}

static void callbacks_decide_as_the_built_in_queue(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 7);
    unsigned violations = 0, rounds = 400;
    for (unsigned i = 0; i < rounds; i++) {
        struct custom_queue queue = {0};
        lp_context *context = lp_context_create(0);
        lp_error error;
        lp_spec *custom, *built_in;
        assert_int_equal(
            lp_spec_create_custom(context, &custom_queue_callbacks, &queue, &custom, &error),
            LP_OK);
        assert_string_equal(lp_spec_name(custom), "my queue");
        assert_int_equal(lp_spec_create(context, "queue", NULL, &built_in, &error), LP_OK);
        lp_history *history = random_history(context, &random);
        lp_verdict expected = verdict_of(context, history, built_in, LP_METHOD_AUTO);
        assert_int_equal(verdict_of(context, history, custom, LP_METHOD_AUTO), expected);
        violations += expected == LP_VIOLATION;
        lp_history_destroy(history);
        lp_spec_destroy(custom);
        lp_spec_destroy(built_in);
        assert_int_equal(atomic_load(&queue.states), 0);
        lp_context_destroy(context);
    }
    assert_true(violations > rounds / 10 && violations < rounds);
}

/* The same queue, told what was recorded. */
static void *follow(void *user, const void *state, size_t operation, lp_value argument,
                    const lp_value *recorded)
{
    lp_value result = LP_VALUE_NIL;
    void *next = custom_queue_callbacks.step(user, state, operation, argument, &result);
    if (!next || next == LP_STATE_REFUSED || !recorded || *recorded == result)
        return next;
    if (next != state)
        custom_queue_callbacks.release(user, next);
    return NULL;
}

static void answers_may_be_told_to_the_specification(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 11);
    unsigned violations = 0, rounds = 400;
    lp_spec_callbacks callbacks = custom_queue_callbacks;
    callbacks.step = NULL;
    callbacks.follow = follow;
    for (unsigned i = 0; i < rounds; i++) {
        struct custom_queue queue = {0};
        lp_context *context = lp_context_create(0);
        lp_error error;
        lp_spec *custom, *built_in;
        assert_int_equal(lp_spec_create_custom(context, &callbacks, &queue, &custom, &error),
                         LP_OK);
        assert_int_equal(lp_spec_create(context, "queue", NULL, &built_in, &error), LP_OK);
        lp_history *history = random_history(context, &random);
        lp_verdict expected = verdict_of(context, history, built_in, LP_METHOD_AUTO);
        assert_int_equal(verdict_of(context, history, custom, LP_METHOD_AUTO), expected);
        violations += expected == LP_VIOLATION;
        lp_history_destroy(history);
        lp_spec_destroy(custom);
        lp_spec_destroy(built_in);
        assert_int_equal(atomic_load(&queue.states), 0);
        lp_context_destroy(context);
    }
    assert_true(violations > rounds / 10 && violations < rounds);
}

/* A queue that forgets what was first. */
static lp_history *violation(lp_context *context)
{
    lp_history *history = lp_history_create(context, "a violation");
    lp_error error;
    for (int i = 0; i < 3; i++) {
        lp_value number = lp_value_integer(context, 1 + (i == 2));
        assert_int_equal(
            lp_history_interval(history, number, i < 2 ? "enqueue" : "dequeue",
                                i < 2 ? lp_value_integer(context, 1 + i) : LP_VALUE_NIL, 10 * i,
                                LP_OUTCOME_OK, i < 2 ? LP_VALUE_NIL : number, 10 * i + 5, &error),
            LP_OK);
    }
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    return history;
}

static void a_verdict_alone_has_no_core(void **unused)
{
    (void)unused;
    lp_context *context = lp_context_create(0);
    lp_history *history = violation(context);
    lp_error error;
    lp_result *result;
    lp_check_options options = {.size = sizeof options, .untold = true};
    assert_int_equal(lp_check(context, history, NULL, 0, &options, &result, &error), LP_OK);
    assert_int_equal(result->verdict, LP_VIOLATION);
    assert_int_equal(result->violations[0].core_length, 0);
    assert_int_equal(result->violations[0].context_length, 0);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void a_refused_state_makes_it_unknown(void **unused)
{
    (void)unused;
    struct custom_queue queue = {0};
    lp_context *context = lp_context_create(0);
    lp_error error;
    lp_spec *custom;
    assert_int_equal(
        lp_spec_create_custom(context, &custom_queue_callbacks, &queue, &custom, &error), LP_OK);
    struct random random;
    random_seed(&random, 7);
    lp_history *history = random_history(context, &random);
    lp_verdict verdict = LP_UNKNOWN;
    for (int states = 1; verdict == LP_UNKNOWN; states++) {
        atomic_store(&queue.refuse_at, states);
        verdict = verdict_of(context, history, custom, LP_METHOD_AUTO);
        assert_true(states > 1 || verdict == LP_UNKNOWN);
    }
    atomic_store(&queue.refuse_at, 0);
    assert_int_equal(verdict, verdict_of(context, history, custom, LP_METHOD_AUTO));
    lp_history_destroy(history);
    lp_spec_destroy(custom);
    assert_int_equal(atomic_load(&queue.states), 0);
    lp_context_destroy(context);
}

static void a_wrong_operation_is_an_error(void **unused)
{
    (void)unused;
    struct custom_queue queue = {0};
    lp_context *context = lp_context_create(0);
    lp_error error;
    lp_spec *custom;
    assert_int_equal(
        lp_spec_create_custom(context, &custom_queue_callbacks, &queue, &custom, &error), LP_OK);
    lp_history *history = lp_history_create(context, "stack");
    assert_int_equal(
        lp_history_invoke(history, LP_VALUE_NIL, "push", lp_value_integer(context, 1), &error),
        LP_OK);
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    lp_binding binding = {.spec = custom};
    lp_result *result;
    assert_int_equal(lp_check(context, history, &binding, 1, NULL, &result, &error), LP_INPUT);
    assert_non_null(strstr(error.message, "push"));
    assert_non_null(strstr(error.message, "enqueue"));
    lp_history_destroy(history);
    lp_spec_destroy(custom);
    lp_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callbacks_decide_as_the_built_in_queue),
        cmocka_unit_test(answers_may_be_told_to_the_specification),
        cmocka_unit_test(a_verdict_alone_has_no_core),
        cmocka_unit_test(a_refused_state_makes_it_unknown),
        cmocka_unit_test(a_wrong_operation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
