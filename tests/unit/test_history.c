/* From events to operations: positions, well-formedness, timed operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/random.h"
#include "history/history.h"

static struct budget budget;
static struct value_pool *pool;

static int set_up(void **unused)
{
    (void)unused;
    budget_init(&budget, NULL, 0);
    pool = value_pool_create(&budget);
    return pool == NULL;
}

static int tear_down(void **unused)
{
    (void)unused;
    value_pool_destroy(pool);
    assert_int_equal(budget.used, 0);
    return 0;
}

static value name(const char *letters)
{
    return value_text(pool, KIND_STRING, letters, strlen(letters));
}

static struct event event(int process, enum event_type type, const char *function, int line)
{
    return (struct event){.process = value_small(process),
                          .function = function ? name(function) : VALUE_NIL,
                          .time = TIME_NONE,
                          .line = (uint32_t)line,
                          .type = (uint8_t)type};
}

static struct history *build(const struct event *events, size_t count, struct error *error)
{
    struct history *history = history_create("h", pool, &budget);
    struct history_builder *builder = history_builder_create(history);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = history_builder_event(builder, &events[i], error);
    if (status == STATUS_OK)
        status = history_builder_finish(builder, error);
    else
        history_builder_abandon(builder);
    if (status == STATUS_OK)
        return history;
    assert_int_equal(status, STATUS_INPUT);
    assert_string_equal(error->file, "h");
    history_destroy(history);
    return NULL;
}

static void events_become_operations(void **unused)
{
    (void)unused;
    struct event events[] = {
        event(0, EVENT_INVOKE, "write", 1), event(7, EVENT_INVOKE, "read", 2),
        event(0, EVENT_OK, "write", 3),     event(0, EVENT_INVOKE, "write", 4),
        event(0, EVENT_FAIL, NULL, 5),      event(0, EVENT_INVOKE, "write", 6),
        event(0, EVENT_INFO, "write", 7),   event(0, EVENT_INVOKE, "read", 8),
    };
    events[0].value = events[2].value = value_small(3);
    events[0].has_value = events[2].has_value = true;
    events[3].time = 44;
    events[4].time = 55;
    struct history *history = build(events, ARRAY_LENGTH(events), NULL);
    assert_non_null(history);
    assert_int_equal(history->operations.length, 5);
    assert_int_equal(history->positions, 8);
    assert_int_equal(history->processes.length, 2);
    assert_true(history->processes.items[1] == value_small(7));
    assert_int_equal(history->functions.length, 2);
    const struct operation *operations = history->operations.items;
    static const struct {
        uint32_t invoke, response, process;
        enum outcome_kind outcome;
        const char *function;
    } expected[] = {{0, 2, 0, OUTCOME_OK, "write"},
                    {1, POSITION_NEVER, 1, OUTCOME_UNKNOWN, "read"},
                    {3, 4, 0, OUTCOME_FAIL, "write"},
                    {5, 6, 0, OUTCOME_UNKNOWN, "write"},
                    {7, POSITION_NEVER, 0, OUTCOME_UNKNOWN, "read"}};
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(operations[i].record, i);
        assert_int_equal(operations[i].invoke, expected[i].invoke);
        assert_int_equal(operations[i].response, expected[i].response);
        assert_int_equal(operations[i].process, expected[i].process);
        assert_int_equal(operations[i].outcome, expected[i].outcome);
        assert_string_equal(history_function_name(history, operations[i].function),
                            expected[i].function);
    }
    assert_true(operations[0].argument == value_small(3) && operations[0].result_recorded);
    assert_false(operations[2].result_recorded);
    assert_int_equal(operations[2].invoke_time, 44);
    assert_int_equal(operations[2].response_time, 55);
    assert_int_equal(operations[0].invoke_time, TIME_NONE);
    assert_int_equal(operations[2].invoke_line, 4);
    assert_int_equal(operations[2].response_line, 5);
    history_destroy(history);
}

static void names_are_told_apart_by_their_letters(void **unused)
{
    (void)unused;
    struct event events[] = {event(0, EVENT_INVOKE, "read", 1), event(0, EVENT_OK, "read", 2)};
    events[1].function = value_text(pool, KIND_KEYWORD, "read", 4);
    events[0].object = value_text(pool, KIND_SYMBOL, "7", 1);
    events[1].object = value_small(7);
    events[0].has_object = events[1].has_object = true;
    struct history *history = build(events, 2, NULL);
    assert_non_null(history);
    assert_int_equal(history->functions.length, 1);
    assert_true(history->functions.items[0] == name("read"));
    assert_int_equal(history->objects.length, 1);
    assert_true(history->objects.items[0] == name("7"));
    assert_int_equal(history->operations.items[0].object, 0);
    history_destroy(history);
}

static void a_completion_may_spell_its_name_with_underscores(void **unused)
{
    (void)unused;
    struct event events[] = {event(0, EVENT_INVOKE, "delete-min", 1),
                             event(0, EVENT_OK, "delete_min", 2)};
    struct history *history = build(events, 2, NULL);
    assert_non_null(history);
    assert_int_equal(history->functions.length, 1);
    assert_int_equal(history->operations.items[0].outcome, OUTCOME_OK);
    history_destroy(history);
}

static void annotations_take_no_position(void **unused)
{
    (void)unused;
    struct event events[] = {event(0, EVENT_INVOKE, "read", 1), event(0, EVENT_NOTE, "cut", 2),
                             event(0, EVENT_OK, "read", 3)};
    events[1].process = name("nemesis");
    struct history *history = build(events, 3, NULL);
    assert_non_null(history);
    assert_int_equal(history->annotations.length, 1);
    assert_int_equal(history->annotations.items[0].position, 1);
    assert_int_equal(history->annotations.items[0].line, 2);
    assert_int_equal(history->operations.items[0].response, 1);
    assert_int_equal(history->processes.length, 1);
    history_destroy(history);
}

static void ill_formed_events_are_refused(void **unused)
{
    (void)unused;
    struct event plain = event(1, EVENT_INVOKE, "read", 1);
    struct event keyed = plain, of_object = plain;
    keyed.key = value_small(1);
    keyed.has_key = true;
    of_object.object = name("q");
    of_object.has_object = true;
    struct event other_key = event(1, EVENT_OK, "read", 2), other_object = other_key;
    other_key.key = value_small(2);
    other_key.has_key = true;
    other_object.object = name("r");
    other_object.has_object = true;
    const struct {
        struct event first, second;
        const char *message;
    } cases[] = {
        {plain, event(1, EVENT_INVOKE, "write", 2),
         "expected process 1 to complete `read` of line 1 first, found another invocation"},
        {plain, event(2, EVENT_OK, "read", 2),
         "expected an invocation first, found `ok` of process 2, which is in no operation"},
        {plain, event(2, EVENT_INFO, "read", 2),
         "expected an invocation first, found `info` of process 2, which is in no operation"},
        {plain, event(1, EVENT_FAIL, "write", 2),
         "expected the completion of `read` of line 1, found one of `write`"},
        {plain, event(2, EVENT_INVOKE, NULL, 2),
         "expected the name of an operation as `f`, found nil"},
        {keyed, other_key, "expected the key of the invocation in line 1, found 2"},
        {plain, other_key, "expected the key of the invocation in line 1, found 2"},
        {of_object, other_object, "expected the object of the invocation in line 1, found \"r\""},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct event events[] = {cases[i].first, cases[i].second};
        struct error error = {0};
        assert_null(build(events, 2, &error));
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, 2);
    }
}

static void a_process_is_free_after_its_completion(void **unused)
{
    (void)unused;
    struct event twice[] = {event(1, EVENT_INVOKE, "read", 1), event(1, EVENT_INFO, "read", 2),
                            event(1, EVENT_OK, "read", 3)};
    struct error error = {0};
    assert_null(build(twice, 3, &error));
    assert_int_equal(error.line, 3);
}

/* More names than numbers: refused, not wrapped. */
static void too_many_functions_are_refused(void **unused)
{
    (void)unused;
    struct history *history = history_create("h", pool, &budget);
    struct history_builder *builder = history_builder_create(history);
    struct error error = {0};
    enum status status = STATUS_OK;
    int i = 0;
    while (status == STATUS_OK && i <= 70000) {
        char letters[12];
        snprintf(letters, sizeof letters, "f%d", i);
        struct event next = event(i, EVENT_INVOKE, letters, i + 1);
        status = history_builder_event(builder, &next, &error);
        i += status == STATUS_OK;
    }
    assert_int_equal(status, STATUS_INPUT);
    assert_int_equal(i, 65535);
    assert_string_equal(error.message,
                        "expected at most 65535 different operations, found another: \"f65535\"");
    assert_int_equal(history_builder_finish(builder, &error), STATUS_OK);
    assert_int_equal(history->operations.length, 65535);
    history_destroy(history);
}

static struct timed_operation timed(int process, int64_t call, int64_t back,
                                    enum outcome_kind outcome, int line)
{
    struct timed_operation operation = {.event = event(process, EVENT_INVOKE, "op", line),
                                        .return_time = back,
                                        .return_line = (uint32_t)line,
                                        .outcome = (uint8_t)outcome};
    operation.event.time = call;
    return operation;
}

static struct history *build_timed(const struct timed_operation *operations, size_t count,
                                   struct error *error)
{
    struct history *history = history_create("h", pool, &budget);
    struct history_builder *builder = history_builder_create(history);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = history_builder_timed(builder, &operations[i], error);
    if (status == STATUS_OK)
        status = history_builder_finish(builder, error);
    else
        history_builder_abandon(builder);
    if (status == STATUS_OK)
        return history;
    history_destroy(history);
    return NULL;
}

static void timed_operations_are_ordered_as_closed_intervals(void **unused)
{
    (void)unused;
    struct timed_operation operations[] = {
        timed(0, 10, 20, OUTCOME_OK, 1), timed(1, 20, 30, OUTCOME_OK, 2),
        timed(2, 5, 9, OUTCOME_FAIL, 3), timed(3, 0, 0, OUTCOME_UNKNOWN, 4),
        timed(3, 31, 31, OUTCOME_OK, 5), timed(4, 31, 99, OUTCOME_UNKNOWN, 6),
    };
    struct history *history = build_timed(operations, 6, NULL);
    assert_non_null(history);
    /* Times: call 3 at 0, call 2 at 5, its return at 9, call 0 at 10, call 1 at 20 before return 0
     * at 20, return 1 at 30; at 31 process 3 is freed by an info, calls, then 4 calls, then 3
     * returns. */
    static const struct {
        uint32_t record, invoke, response;
    } expected[] = {{3, 0, 7}, {2, 1, 2}, {0, 3, 5}, {1, 4, 6}, {4, 8, 10}, {5, 9, POSITION_NEVER}};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(history->operations.items[i].record, expected[i].record);
        assert_int_equal(history->operations.items[i].invoke, expected[i].invoke);
        assert_int_equal(history->operations.items[i].response, expected[i].response);
    }
    assert_int_equal(history->positions, 11);
    assert_int_equal(history->operations.items[0].outcome, OUTCOME_UNKNOWN);
    history_destroy(history);
}

static void ill_formed_times_are_refused(void **unused)
{
    (void)unused;
    const struct {
        struct timed_operation first, second;
        const char *message;
    } cases[] = {
        {timed(0, 0, 1, OUTCOME_OK, 1), timed(0, 5, 4, OUTCOME_OK, 2),
         "expected a return at or after the call at 5, found one at 4"},
        {timed(0, 0, 9, OUTCOME_OK, 1), timed(0, 5, 7, OUTCOME_OK, 2),
         "expected one operation of a process at a time, found a call at 5 while that of line 1 "
         "runs, from 0 to 9 (both included)"},
        {timed(0, 0, 5, OUTCOME_OK, 1), timed(0, 5, 7, OUTCOME_OK, 2),
         "expected one operation of a process at a time, found a call at 5 while that of line 1 "
         "runs, from 0 to 5 (both included)"},
        {timed(0, 0, 5, OUTCOME_OK, 1), timed(0, 4, 0, OUTCOME_UNKNOWN, 2),
         "expected one operation of a process at a time, found a call at 4 while that of line 1 "
         "runs, from 0 to 5 (both included)"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct timed_operation operations[] = {cases[i].first, cases[i].second};
        struct error error = {0};
        assert_null(build_timed(operations, 2, &error));
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.line, 2);
    }
}

/* The definition, on random intervals: a precedes b exactly when a returns before b is called. */
static void precedence_is_that_of_the_times(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 3);
    for (int round = 0; round < 2000; round++) {
        struct timed_operation operations[12];
        size_t count = 1 + random_below(&random, 12);
        for (size_t i = 0; i < count; i++) {
            int64_t call = random_below(&random, 12);
            operations[i] =
                timed((int)i, call, call + random_below(&random, 5),
                      random_chance(&random, 1, 5) ? OUTCOME_UNKNOWN : OUTCOME_OK, (int)i + 1);
        }
        struct history *history = build_timed(operations, count, NULL);
        assert_non_null(history);
        assert_int_equal(history->operations.length, count);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++) {
                const struct operation *a = &history->operations.items[i];
                const struct operation *b = &history->operations.items[j];
                const struct timed_operation *first = &operations[a->record];
                const struct timed_operation *second = &operations[b->record];
                bool precedes =
                    first->outcome == OUTCOME_OK && first->return_time < second->event.time;
                assert_true((a->response < b->invoke) == precedes);
                assert_true(i >= j || a->invoke < b->invoke);
            }
        history_destroy(history);
    }
}

static void a_refusing_budget_is_a_limit(void **unused)
{
    (void)unused;
    for (size_t limit = 2000; limit < 40000; limit += 500) {
        struct budget small;
        budget_init(&small, &budget, limit);
        struct history *history = history_create("h", pool, &small);
        struct history_builder *builder = history ? history_builder_create(history) : NULL;
        enum status status = builder ? STATUS_OK : STATUS_LIMIT;
        for (int i = 0; status == STATUS_OK && i < 1000; i++) {
            struct event next = event(i, EVENT_INVOKE, "read", i + 1);
            status = history_builder_event(builder, &next, NULL);
        }
        assert_int_equal(status, STATUS_LIMIT);
        history_builder_abandon(builder);
        history_destroy(history);
        assert_int_equal(small.used, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_become_operations),
        cmocka_unit_test(names_are_told_apart_by_their_letters),
        cmocka_unit_test(a_completion_may_spell_its_name_with_underscores),
        cmocka_unit_test(annotations_take_no_position),
        cmocka_unit_test(ill_formed_events_are_refused),
        cmocka_unit_test(a_process_is_free_after_its_completion),
        cmocka_unit_test(too_many_functions_are_refused),
        cmocka_unit_test(timed_operations_are_ordered_as_closed_intervals),
        cmocka_unit_test(ill_formed_times_are_refused),
        cmocka_unit_test(precedence_is_that_of_the_times),
        cmocka_unit_test(a_refusing_budget_is_a_limit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
