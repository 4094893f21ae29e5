/* Histories recorded as tables, and specifications whose states are handles: the same answers as
 * with what is recorded one by one, and as with the built-in object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdlib.h>
#include <string.h>

#include "base/attributes.h"
#include "base/random.h"

#define MOST 40

static const char *const names[] = {"read", "write"};

/* The columns of a random history of a register, of few values. */
struct table {
    lp_columns columns;
    lp_value process[MOST], argument[MOST], result[MOST], key[MOST];
    uint32_t function[MOST];
    uint8_t outcome[MOST];
    bool invokes[MOST];
    int64_t called[MOST], returned[MOST];
};

static void table_init(struct table *table, size_t length, bool keyed)
{
    memset(table, 0, sizeof *table);
    table->columns = (lp_columns){.size = sizeof(lp_columns),
                                  .length = length,
                                  .process = table->process,
                                  .function = table->function,
                                  .names = names,
                                  .name_count = ARRAY_LENGTH(names),
                                  .key = keyed ? table->key : NULL,
                                  .argument = table->argument,
                                  .result = table->result,
                                  .outcome = table->outcome};
}

/* Operations of three processes, one behind the other in each. */
static void random_intervals(lp_context *context, struct random *random, struct table *table)
{
    int64_t free_at[3] = {0};
    table_init(table, 9, random_chance(random, 1, 2));
    table->columns.called = table->called;
    table->columns.returned = table->returned;
    for (size_t i = 0; i < table->columns.length; i++) {
        uint32_t process = random_below(random, 3), function = random_below(random, 2);
        lp_value v = lp_value_integer(context, 1 + random_below(random, 2));
        table->process[i] = lp_value_integer(context, process);
        table->function[i] = function;
        table->argument[i] = function ? v : LP_VALUE_NIL;
        table->result[i] = function ? LP_VALUE_NIL : v;
        table->key[i] = lp_value_integer(context, 1 + random_below(random, 2));
        table->outcome[i] = (uint8_t)(function && random_chance(random, 1, 8));
        table->called[i] = free_at[process] + 1 + random_below(random, 4);
        table->returned[i] = table->called[i] + random_below(random, 8);
        free_at[process] = table->returned[i];
    }
}

static void random_events(lp_context *context, struct random *random, struct table *table)
{
    bool busy[3] = {0};
    uint32_t function[3];
    table_init(table, 18, false);
    table->columns.invokes = table->invokes;
    for (size_t i = 0; i < table->columns.length; i++) {
        uint32_t process = random_below(random, 3);
        lp_value v = lp_value_integer(context, 1 + random_below(random, 2));
        table->process[i] = lp_value_integer(context, process);
        table->invokes[i] = !busy[process];
        if (!busy[process])
            function[process] = random_below(random, 2);
        table->function[i] = function[process];
        table->argument[i] = function[process] ? v : LP_VALUE_NIL;
        table->result[i] = function[process] ? LP_VALUE_NIL : v;
        busy[process] = !busy[process];
    }
}

static lp_history *record_table(lp_context *context, const struct table *table)
{
    lp_error error;
    lp_history *history = lp_history_create(context, "table");
    lp_status status = table->columns.invokes
                           ? lp_history_events(history, &table->columns, &error)
                           : lp_history_intervals(history, &table->columns, &error);
    if (status != LP_OK || lp_history_close(history, &error) != LP_OK)
        fail_msg("%s", error.message);
    return history;
}

static lp_status record_row(lp_history *history, const struct table *table, size_t i)
{
    lp_error error;
    lp_outcome outcome = (lp_outcome)table->outcome[i];
    const char *name = names[table->function[i]];
    if (table->columns.key)
        assert_int_equal(lp_history_key(history, table->key[i], &error), LP_OK);
    if (!table->columns.invokes)
        return lp_history_interval(history, table->process[i], name, table->argument[i],
                                   table->called[i], outcome, table->result[i], table->returned[i],
                                   &error);
    if (table->invokes[i])
        return lp_history_invoke(history, table->process[i], name, table->argument[i], &error);
    return lp_history_complete(history, table->process[i], outcome, table->result[i], &error);
}

static lp_history *record_rows(lp_context *context, const struct table *table)
{
    lp_error error;
    lp_history *history = lp_history_create(context, "table");
    for (size_t i = 0; i < table->columns.length; i++)
        assert_int_equal(record_row(history, table, i), LP_OK);
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    return history;
}

static void assert_same(const lp_history *left, const lp_history *right)
{
    assert_int_equal(lp_history_length(left), lp_history_length(right));
    for (size_t i = 0; i < lp_history_length(left); i++) {
        lp_operation a = lp_history_operation(left, i), b = lp_history_operation(right, i);
        assert_true(a.process == b.process && a.argument == b.argument && a.result == b.result);
        assert_string_equal(a.function, b.function);
        assert_true(a.outcome == b.outcome && a.has_key == b.has_key && a.key == b.key);
        assert_true(a.invoke == b.invoke && a.response == b.response);
        assert_true(a.invoke_time == b.invoke_time && a.response_time == b.response_time);
        assert_true(a.invoke_line == b.invoke_line && a.response_line == b.response_line);
    }
}

static void a_table_is_what_its_rows_are(void **unused)
{
    (void)unused;
    struct random random;
    random_seed(&random, 11);
    for (unsigned i = 0; i < 400; i++) {
        struct table table;
        lp_context *context = lp_context_create(0);
        if (i % 2)
            random_events(context, &random, &table);
        else
            random_intervals(context, &random, &table);
        lp_history *whole = record_table(context, &table), *rows = record_rows(context, &table);
        assert_same(whole, rows);
        lp_history_destroy(whole);
        lp_history_destroy(rows);
        lp_context_destroy(context);
    }
}

static void what_is_wrong_with_a_table_has_its_row(void **unused)
{
    (void)unused;
    struct table table;
    lp_error error;
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "two calls");
    table_init(&table, 2, false);
    table.columns.invokes = table.invokes;
    table.invokes[0] = table.invokes[1] = true;
    assert_int_equal(lp_history_events(history, &table.columns, &error), LP_INPUT);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.file, "two calls");
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void integers_may_become_values_in_place(void **unused)
{
    (void)unused;
    union {
        int64_t integers[3];
        lp_value values[3];
    } column = {.integers = {-1, 0, INT64_MAX}};
    lp_context *context = lp_context_create(0);
    assert_true(lp_value_integers(context, column.integers, 3, column.values));
    assert_true(column.values[0] == lp_value_integer(context, -1));
    assert_true(column.values[1] == lp_value_integer(context, 0));
    assert_true(column.values[2] == lp_value_integer(context, INT64_MAX));
    lp_context_destroy(context);
}

static void collections_are_those_that_are_read(void **unused)
{
    (void)unused;
    lp_error error;
    lp_context *context = lp_context_create(0);
    lp_value items[] = {lp_value_text(context, LP_SYMBOL, "bcd", 1), lp_value_integer(context, 2),
                        lp_value_text(context, LP_KEYWORD, "a", 1), LP_VALUE_NIL};
    lp_value parsed;
    assert_int_equal(lp_value_parse(context, "#{nil 2 :a b}", &parsed, &error), LP_OK);
    assert_true(lp_value_set(context, items, 4) == parsed);
    assert_int_equal(lp_value_parse(context, "{:a nil, b 2}", &parsed, &error), LP_OK);
    assert_true(lp_value_map(context, items, 4) == parsed);
    lp_context_destroy(context);
}

/* ---- states that are handles ---- */

/* A register: its state is its value and one; counts its steps. */
struct cell {
    lp_context *context;
    unsigned steps;
};

static void *cell_init(void *user)
{
    (void)user;
    return (void *)(uintptr_t)1;
}

static void *cell_step(void *user, const void *state, size_t operation, lp_value argument,
                       lp_value *result)
{
    struct cell *cell = user;
    int64_t written;
    cell->steps++;
    if (operation == 0) {
        uintptr_t held = (uintptr_t)state - 1;
        *result = held ? lp_value_integer(cell->context, (int64_t)held) : LP_VALUE_NIL;
        return (void *)state;
    }
    return lp_value_get_integer(argument, &written) ? (void *)(uintptr_t)(written + 1) : NULL;
}

static const char *const cell_operations[] = {"read", "write", NULL};
static const lp_spec_callbacks cell_callbacks = {.size = sizeof cell_callbacks,
                                                 .name = "cell",
                                                 .operations = cell_operations,
                                                 .init = cell_init,
                                                 .step = cell_step};

static lp_verdict verdict_of(lp_context *context, const lp_history *history, const lp_spec *spec)
{
    lp_binding binding = {.spec = spec};
    lp_check_options options = {.size = sizeof options, .jobs = 1};
    lp_result *result;
    lp_error error;
    if (lp_check(context, history, &binding, 1, &options, &result, &error) != LP_OK)
        fail_msg("%s", error.message);
    lp_verdict verdict = result->verdict;
    lp_result_destroy(result);
    return verdict;
}

static void handles_decide_as_the_built_in_register(void **unused)
{
    (void)unused;
    struct random random;
    unsigned violations = 0, rounds = 400;
    random_seed(&random, 5);
    for (unsigned i = 0; i < rounds; i++) {
        struct table table;
        lp_error error;
        lp_spec *built_in, *custom;
        struct cell cell = {.context = lp_context_create(0)};
        random_intervals(cell.context, &random, &table);
        lp_history *history = record_table(cell.context, &table);
        assert_int_equal(lp_spec_create(cell.context, "register", NULL, &built_in, &error), LP_OK);
        assert_int_equal(
            lp_spec_create_custom(cell.context, &cell_callbacks, &cell, &custom, &error), LP_OK);
        lp_verdict expected = verdict_of(cell.context, history, built_in);
        assert_int_equal(verdict_of(cell.context, history, custom), expected);
        assert_true(cell.steps <=
                    3 * 3); /* states 0 to 2, read and two writes: each at most once */
        violations += expected == LP_VIOLATION;
        lp_history_destroy(history);
        lp_spec_destroy(custom);
        lp_spec_destroy(built_in);
        lp_context_destroy(cell.context);
    }
    assert_true(violations > rounds / 10 && violations < rounds);
}

/* A completion without a result is not one that answers nil. */
static void completions_without_a_result_are_recorded(void **unused)
{
    (void)unused;
    lp_context *context = lp_context_create(0);
    static const bool answers[MOST] = {true, false, false, true};
    struct table table;
    lp_value nine = lp_value_integer(context, 9);
    table_init(&table, 4, false);
    table.columns.called = table.called;
    table.columns.returned = table.returned;
    table.columns.answers = answers;
    table.result[1] = LP_VALUE_REFUSED; /* ignored */
    table.result[2] = table.result[3] = nine;
    for (size_t i = 0; i < table.columns.length; i++)
        table.called[i] = table.returned[i] = (int64_t)i;
    lp_history *history = record_table(context, &table);
    for (size_t i = 0; i < table.columns.length; i++) {
        lp_operation operation = lp_history_operation(history, i);
        assert_int_equal(operation.outcome, LP_OUTCOME_OK);
        assert_true(operation.result_recorded == answers[i]);
        assert_true(operation.result == (i == 3 ? nine : LP_VALUE_NIL));
    }
    lp_history_destroy(history);

    table.columns.called = table.columns.returned = NULL;
    table.columns.invokes = table.invokes;
    table.invokes[0] = table.invokes[2] = true;
    history = record_table(context, &table);
    assert_int_equal(lp_history_length(history), 2);
    assert_false(lp_history_operation(history, 0).result_recorded);
    assert_true(lp_history_operation(history, 1).result_recorded);
    assert_true(lp_history_operation(history, 1).result == nine);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completions_without_a_result_are_recorded),
        cmocka_unit_test(a_table_is_what_its_rows_are),
        cmocka_unit_test(what_is_wrong_with_a_table_has_its_row),
        cmocka_unit_test(integers_may_become_values_in_place),
        cmocka_unit_test(collections_are_those_that_are_read),
        cmocka_unit_test(handles_decide_as_the_built_in_register),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
