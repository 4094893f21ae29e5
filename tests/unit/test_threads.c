/* Several threads at one context, and one check on several threads: also built with the thread
 * sanitizer, which is the judge here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/custom_queue.h"

#define THREADS 4
#define KEYS    16

struct shared {
    lp_context *context;
    const lp_spec *built_in, *custom;
    const lp_history *history; /* of KEYS registers */
    atomic_int faults;
};

/* Each key in order but for the last, whose read is stale. */
static lp_history *keyed_history(lp_context *context)
{
    lp_history *history = lp_history_create(context, "keyed");
    lp_error error;
    for (int key = 1; key <= KEYS; key++) {
        if (lp_history_key(history, lp_value_integer(context, key), &error) != LP_OK)
            return NULL;
        for (int i = 1; i <= 10; i++)
            if (lp_history_invoke(history, LP_VALUE_NIL, "write", lp_value_integer(context, i),
                                  &error) != LP_OK ||
                lp_history_complete(history, LP_VALUE_NIL, LP_OUTCOME_OK, LP_VALUE_NIL, &error) !=
                    LP_OK)
                return NULL;
        int seen = key == KEYS ? 9 : 10;
        if (lp_history_invoke(history, LP_VALUE_NIL, "read", LP_VALUE_NIL, &error) != LP_OK ||
            lp_history_complete(history, LP_VALUE_NIL, LP_OUTCOME_OK,
                                lp_value_integer(context, seen), &error) != LP_OK)
            return NULL;
    }
    return lp_history_close(history, &error) == LP_OK ? history : NULL;
}

static void note_progress(void *user, const lp_progress *progress)
{
    atomic_fetch_add((atomic_ullong *)user, progress->explored + 1);
}

static bool check_is(lp_context *context, const lp_history *history, const lp_spec *spec,
                     lp_verdict expected)
{
    atomic_ullong told = 0;
    lp_binding binding = {.spec = spec};
    lp_check_options options = {.size = sizeof options,
                                .jobs = 3,
                                .all = true,
                                .progress = note_progress,
                                .progress_user = &told};
    lp_result *result;
    lp_error error;
    if (lp_check(context, history, &binding, spec ? 1 : 0, &options, &result, &error) != LP_OK)
        return false;
    bool is = result->verdict == expected;
    lp_result_destroy(result);
    return is;
}

/* Values, a history and checks of its own, and checks of what is shared. */
static void *work(void *argument)
{
    struct shared *shared = argument;
    lp_context *context = shared->context;
    for (int round = 0; round < 10; round++) {
        lp_history *own = lp_history_create(context, "own");
        lp_error error;
        for (int i = 0; i < 10; i++) {
            char text[16];
            snprintf(text, sizeof text, "v%d", i);
            lp_value v = lp_value_string(context, text);
            if (v != lp_value_string(context, text) ||
                lp_history_invoke(own, LP_VALUE_NIL, "enqueue", v, &error) != LP_OK ||
                lp_history_complete(own, LP_VALUE_NIL, LP_OUTCOME_OK, LP_VALUE_NIL, &error) !=
                    LP_OK)
                atomic_fetch_add(&shared->faults, 1);
        }
        if (lp_history_close(own, &error) != LP_OK ||
            !check_is(context, own, shared->built_in, LP_LINEARIZABLE) ||
            !check_is(context, own, shared->custom, LP_LINEARIZABLE) ||
            !check_is(context, shared->history, NULL, LP_VIOLATION))
            atomic_fetch_add(&shared->faults, 1);
        lp_history_destroy(own);
    }
    return NULL;
}

static void threads_share_a_context(void **unused)
{
    (void)unused;
    lp_error error;
    lp_spec *built_in, *custom;
    struct custom_queue queue = {0};
    struct shared shared = {.context = lp_context_create(0)};
    assert_int_equal(lp_spec_create(shared.context, "queue", NULL, &built_in, &error), LP_OK);
    assert_int_equal(
        lp_spec_create_custom(shared.context, &custom_queue_callbacks, &queue, &custom, &error),
        LP_OK);
    lp_history *history = keyed_history(shared.context);
    assert_non_null(history);
    shared.built_in = built_in;
    shared.custom = custom;
    shared.history = history;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&shared.faults), 0);
    lp_history_destroy(history);
    lp_spec_destroy(built_in);
    lp_spec_destroy(custom);
    assert_int_equal(atomic_load(&queue.states), 0);
    lp_context_destroy(shared.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_a_context)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
