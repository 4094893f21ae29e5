/* The installed functions: what a program that links the library sees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/attributes.h"

static lp_context *open_context(void)
{
    lp_context *context = lp_context_create(0);
    assert_non_null(context);
    return context;
}

static lp_value integer(lp_context *context, int64_t number)
{
    lp_value v = lp_value_integer(context, number);
    assert_true(v != LP_VALUE_REFUSED);
    return v;
}

/* ---- values ---- */

static void assert_edn(lp_value v, const char *expected)
{
    char *shown = lp_value_to_edn(v);
    assert_string_equal(shown, expected);
    free(shown);
}

static void values_are_made_read_and_shown(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_value items[] = {integer(context, 7),           LP_VALUE_NIL,
                        lp_value_string(context, "x"), lp_value_keyword(context, "k"),
                        lp_value_boolean(true),        lp_value_real(context, 1.5)};
    lp_value list = lp_value_list(context, items, ARRAY_LENGTH(items));
    assert_edn(list, "[7 nil \"x\" :k true 1.5]");
    char *json = lp_value_to_json(list);
    assert_string_equal(json, "[7, null, \"x\", \"k\", true, 1.5]");
    free(json);

    lp_value parsed;
    lp_error error;
    assert_int_equal(lp_value_parse(context, " [7 nil \"x\" :k true 1.5] ; same", &parsed, &error),
                     LP_OK);
    assert_true(parsed == list);
    const lp_value *got;
    size_t length;
    assert_true(lp_value_get_items(parsed, &got, &length));
    assert_int_equal(length, 6);
    int64_t number;
    assert_true(lp_value_get_integer(got[0], &number));
    assert_int_equal(number, 7);
    assert_false(lp_value_get_integer(got[5], &number));
    double real;
    assert_true(lp_value_get_real(got[5], &real));
    assert_true(real == 1.5);
    bool boolean;
    assert_true(lp_value_get_boolean(got[4], &boolean) && boolean);
    const char *text;
    assert_true(lp_value_get_text(got[3], &text, NULL));
    assert_string_equal(text, "k");
    assert_int_equal(lp_value_kind(got[3]), LP_KEYWORD);
    lp_context_destroy(context);
}

static void what_is_no_value_is_refused(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_value v;
    lp_error error;
    assert_int_equal(lp_value_parse(context, "[1 2", &v, &error), LP_INPUT);
    assert_true(error.message[0] != 0);
    assert_int_equal(lp_value_parse(context, "1 2", &v, &error), LP_INPUT);
    assert_non_null(strstr(error.message, "one value"));
    assert_int_equal(lp_value_parse(context, "", &v, NULL), LP_INPUT);
    lp_context_destroy(context);
}

/* ---- histories ---- */

static void record(lp_context *context, lp_history *history, int process, const char *function,
                   lp_value argument, lp_outcome outcome, lp_value result)
{
    lp_error error;
    lp_value caller = integer(context, process);
    assert_int_equal(lp_history_invoke(history, caller, function, argument, &error), LP_OK);
    assert_int_equal(lp_history_complete(history, caller, outcome, result, &error), LP_OK);
}

static lp_history *close_history(lp_history *history)
{
    lp_error error;
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    return history;
}

/* A history in EDN. */
static lp_history *parse(lp_context *context, const char *text)
{
    lp_error error;
    lp_history **histories;
    size_t count;
    if (lp_history_parse(context, "test.edn", text, strlen(text), NULL, &histories, &count,
                         &error) != LP_OK)
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
    assert_int_equal(count, 1);
    lp_history *history = histories[0];
    free(histories);
    return history;
}

static void a_history_is_recorded_event_by_event(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "recorded");
    lp_error error;
    lp_value one = integer(context, 1), two = integer(context, 2);
    assert_int_equal(lp_history_invoke(history, one, "enqueue", integer(context, 5), &error),
                     LP_OK);
    assert_int_equal(lp_history_invoke(history, two, "dequeue", LP_VALUE_NIL, &error), LP_OK);
    assert_int_equal(lp_history_invoke(history, one, "enqueue", integer(context, 6), &error),
                     LP_INPUT);
    assert_string_equal(error.file, "recorded");
    assert_int_equal(error.line, 3);
    assert_int_equal(lp_history_complete(history, two, LP_OUTCOME_OK, integer(context, 5), &error),
                     LP_OK);
    assert_int_equal(lp_history_complete(history, two, LP_OUTCOME_OK, integer(context, 5), &error),
                     LP_INPUT);
    close_history(history);
    assert_int_equal(lp_history_length(history), 2);
    assert_string_equal(lp_history_name(history), "recorded");
    assert_null(lp_history_format(history));
    assert_int_equal(lp_history_hash(history), 0);
    lp_operation first = lp_history_operation(history, 0);
    assert_string_equal(first.function, "enqueue");
    assert_null(first.object);
    assert_int_equal(first.outcome, LP_OUTCOME_UNKNOWN);
    assert_int_equal(first.response, LP_NEVER);
    lp_operation second = lp_history_operation(history, 1);
    assert_true(second.process == two && second.result == integer(context, 5));
    assert_true(second.result_recorded);
    assert_int_equal(second.outcome, LP_OUTCOME_OK);
    assert_int_equal(second.invoke, 1);
    assert_int_equal(second.response, 2);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void intervals_keep_the_order_in_which_they_came(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "intervals");
    lp_error error;
    /* The read came first, but was called last. */
    assert_int_equal(lp_history_interval(history, integer(context, 2), "read", LP_VALUE_NIL, 50,
                                         LP_OUTCOME_OK, integer(context, 7), 60, &error),
                     LP_OK);
    assert_int_equal(lp_history_interval(history, integer(context, 1), "write", integer(context, 7),
                                         10, LP_OUTCOME_OK, LP_VALUE_NIL, 20, &error),
                     LP_OK);
    close_history(history);
    assert_string_equal(lp_history_operation(history, 0).function, "read");
    assert_int_equal(lp_history_operation(history, 0).invoke_time, 50);
    assert_string_equal(lp_history_operation(history, 1).function, "write");
    lp_result *result;
    assert_int_equal(lp_check(context, history, NULL, 0, NULL, &result, &error), LP_OK);
    assert_int_equal(result->verdict, LP_LINEARIZABLE);
    assert_int_equal(result->linearization_length, 2);
    assert_int_equal(result->linearization[0], 1);
    assert_int_equal(result->linearization[1], 0);
    lp_history *sequential = lp_history_sequential(history, result->linearization, 2);
    assert_string_equal(lp_history_operation(sequential, 0).function, "write");
    lp_history_destroy(sequential);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static const char stale_read[] = "{:process 0 :type :invoke :f :write :value 1}\n"
                                 "{:process 0 :type :ok :f :write :value 1}\n"
                                 "{:process 1 :type :invoke :f :write :value 2}\n"
                                 "{:process 0 :type :invoke :f :read :value nil}\n"
                                 "{:process 0 :type :ok :f :read :value nil}\n"
                                 "{:process 1 :type :fail :f :write :value 2}\n";

static void a_history_is_read_and_written(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = parse(context, stale_read);
    assert_int_equal(lp_history_length(history), 3);
    assert_string_equal(lp_history_name(history), "test.edn");
    assert_string_equal(lp_history_format(history), "edn");
    assert_true(lp_history_hash(history) != 0);
    assert_int_equal(lp_history_operation(history, 2).invoke_line, 4);
    assert_int_equal(lp_history_operation(history, 1).outcome, LP_OUTCOME_FAIL);
    char *written;
    size_t size;
    FILE *out = open_memstream(&written, &size);
    lp_error error;
    assert_int_equal(lp_history_write(history, NULL, out, &error), LP_OK);
    fclose(out);
    lp_history *again = parse(context, written);
    assert_int_equal(lp_history_length(again), 3);
    for (size_t i = 0; i < 3; i++) {
        lp_operation a = lp_history_operation(history, i), b = lp_history_operation(again, i);
        assert_string_equal(a.function, b.function);
        assert_true(a.argument == b.argument && a.result == b.result && a.process == b.process);
        assert_int_equal(a.outcome, b.outcome);
    }
    free(written);
    assert_int_equal(lp_history_write(history, "no such", stderr, &error), LP_USAGE);
    lp_history_destroy(again);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void a_fault_in_a_file_has_its_place(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_error error;
    lp_history **histories;
    size_t count;
    static const char text[] = "{:process 0 :type :invoke :f :read}\n"
                               "{:process 1 :type :ok :f :read :value 1}\n";
    assert_int_equal(
        lp_history_parse(context, "bad.edn", text, strlen(text), NULL, &histories, &count, &error),
        LP_INPUT);
    assert_string_equal(error.file, "bad.edn");
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "expected"));
    assert_int_equal(lp_history_read(context, "/no/such/file", NULL, &histories, &count, &error),
                     LP_INPUT);
    assert_string_equal(error.file, "/no/such/file");
    lp_context_destroy(context);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_folder_holds_several_histories(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/linchpin-XXXXXX", path[100], shell[100];
    assert_non_null(mkdtemp(folder));
    for (int run = 1; run <= 2; run++) {
        snprintf(path, sizeof path, "%s/%d", folder, run);
        assert_int_equal(mkdir(path, 0700), 0);
        snprintf(path, sizeof path, "%s/%d/history.edn", folder, run);
        write_file(path, stale_read);
    }
    lp_context *context = open_context();
    lp_error error;
    char **paths;
    lp_history **histories;
    size_t count;
    assert_int_equal(lp_history_find(context, folder, &paths, &count, &error), LP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(paths[1], path);
    free(paths);
    assert_int_equal(lp_history_find_without(context, folder, &paths, &count, &error), LP_OK);
    assert_int_equal(count, 0);
    free(paths);
    snprintf(path, sizeof path, "%s/3", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/3/jepsen.log", folder);
    write_file(path, "");
    assert_int_equal(lp_history_find_without(context, folder, &paths, &count, &error), LP_OK);
    assert_int_equal(count, 1);
    snprintf(path, sizeof path, "%s/3", folder);
    assert_string_equal(paths[0], path);
    free(paths);
    snprintf(path, sizeof path, "%s/2/history.edn", folder);
    assert_int_equal(lp_history_read(context, folder, NULL, &histories, &count, &error), LP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(lp_history_name(histories[1]), path);
    assert_int_equal(lp_history_length(histories[1]), 3);
    while (count > 0)
        lp_history_destroy(histories[--count]);
    free(histories);
    assert_int_equal(lp_history_find(context, "/no/such", &paths, &count, &error), LP_INPUT);
    assert_string_equal(error.file, "/no/such");
    lp_context_destroy(context);
    snprintf(shell, sizeof shell, "rm -r %s", folder);
    assert_int_equal(system(shell), 0);
}

static void the_formats_have_a_table(void **unused)
{
    (void)unused;
    const char *name, *description;
    bool writable;
    size_t count = 0;
    while (lp_format_at(count, &name, &description, &writable)) {
        assert_true(*name && *description);
        count++;
    }
    assert_true(count > 0);
}

/* ---- specifications ---- */

static lp_spec *make_spec(lp_context *context, const char *name, const lp_spec_options *options)
{
    lp_spec *spec;
    lp_error error;
    if (lp_spec_create(context, name, options, &spec, &error) != LP_OK)
        fail_msg("%s: %s", name, error.message);
    return spec;
}

static void specifications_are_found_by_name(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_error error;
    lp_spec *spec = make_spec(context, "semaphore(3)", NULL);
    assert_string_equal(lp_spec_name(spec), "semaphore(3)");
    lp_spec_destroy(spec);
    assert_int_equal(lp_spec_create(context, "quue", NULL, &spec, &error), LP_USAGE);
    assert_non_null(strstr(error.message, "queue"));
    assert_int_equal(
        lp_spec_create(context, "register",
                       &(lp_spec_options){.size = sizeof(lp_spec_options), .initial = "[1"}, &spec,
                       &error),
        LP_USAGE);
    assert_non_null(strstr(error.message, "initial"));
    lp_spec_entry entry;
    size_t count = 0;
    while (lp_spec_at(count, &entry)) {
        lp_spec_operation_entry operation;
        assert_true(entry.operations > 0);
        for (size_t i = 0; i < entry.operations; i++)
            assert_true(lp_spec_operation_at(count, i, &operation) && *operation.name);
        assert_false(lp_spec_operation_at(count, entry.operations, &operation));
        count++;
    }
    assert_int_equal(count, 17); /* queue, stack and deque bounded, too */
    lp_context_destroy(context);
}

static void a_specification_is_inferred(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = parse(context, stale_read);
    lp_spec *spec;
    lp_error error;
    assert_int_equal(lp_spec_infer(context, history, NULL, NULL, &spec, &error), LP_OK);
    assert_string_equal(lp_spec_name(spec), "register");
    lp_spec_destroy(spec);
    assert_int_equal(lp_spec_infer(context, history, "x", NULL, &spec, &error), LP_USAGE);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

/* ---- checks ---- */

static lp_result *check(lp_context *context, lp_history *history, const lp_spec *spec,
                        const lp_check_options *options)
{
    lp_result *result;
    lp_error error;
    lp_binding binding = {.spec = spec};
    if (lp_check(context, history, &binding, spec ? 1 : 0, options, &result, &error) != LP_OK)
        fail_msg("%s", error.message);
    return result;
}

static void a_violation_has_its_story(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = parse(context, stale_read);
    lp_method methods[] = {LP_METHOD_AUTO, LP_METHOD_MONITOR, LP_METHOD_SEARCH,
                           LP_METHOD_DEFINITION};
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++) {
        lp_check_options options = {.size = sizeof options, .method = methods[i]};
        lp_result *result = check(context, history, NULL, &options);
        assert_int_equal(result->verdict, LP_VIOLATION);
        assert_string_equal(result->spec, "register");
        assert_int_equal(result->operations, 3);
        assert_int_equal(result->pending, 0);
        assert_int_equal(result->violation_count, 1);
        const lp_violation *violation = &result->violations[0];
        assert_string_equal(violation->reason, result->reason);
        assert_string_equal(violation->spec, "register");
        assert_true(*violation->reason);
        assert_true(violation->core_complete);
        assert_int_equal(violation->core_length, 2);
        assert_int_equal(violation->core[0], 0);
        assert_int_equal(violation->core[1], 2);
        lp_result_destroy(result);
    }
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void the_initial_value_decides(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "initial");
    record(context, history, 0, "read", LP_VALUE_NIL, LP_OUTCOME_OK, integer(context, 3));
    close_history(history);
    lp_spec_options three = {.size = sizeof three, .initial = "3"};
    lp_check_options options = {.size = sizeof options, .inferred = &three};
    lp_result *result = check(context, history, NULL, &options);
    assert_int_equal(result->verdict, LP_LINEARIZABLE);
    assert_string_equal(result->reason, "");
    lp_result_destroy(result);
    result = check(context, history, NULL, NULL);
    assert_int_equal(result->verdict, LP_VIOLATION);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void each_object_is_decided_on_its_own(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "objects");
    lp_error error;
    assert_int_equal(lp_history_object(history, "q", &error), LP_OK);
    record(context, history, 0, "enqueue", integer(context, 1), LP_OUTCOME_OK, LP_VALUE_NIL);
    assert_int_equal(lp_history_object(history, "r", &error), LP_OK);
    record(context, history, 0, "write", integer(context, 1), LP_OUTCOME_OK, LP_VALUE_NIL);
    record(context, history, 1, "read", LP_VALUE_NIL, LP_OUTCOME_OK, integer(context, 2));
    close_history(history);
    lp_spec *queue = make_spec(context, "queue", NULL), *reg = make_spec(context, "register", NULL);
    lp_binding bindings[] = {{"q", queue}, {"r", reg}};
    lp_result *result;
    assert_int_equal(lp_check(context, history, bindings, 2, NULL, &result, &error), LP_OK);
    assert_int_equal(result->verdict, LP_VIOLATION);
    assert_string_equal(result->spec, "q=queue,r=register");
    assert_string_equal(result->violations[0].object, "r");
    assert_int_equal(result->violations[0].core_length, 1);
    assert_int_equal(result->violations[0].core[0], 2);
    assert_int_equal(result->parts, 2);
    lp_result_destroy(result);
    result = check(context, history, NULL, NULL);
    assert_string_equal(result->spec, "q=queue,r=register");
    assert_int_equal(result->verdict, LP_VIOLATION);
    lp_result_destroy(result);
    assert_int_equal(lp_check(context, history, bindings, 1, NULL, &result, &error), LP_USAGE);
    lp_spec_destroy(queue);
    lp_spec_destroy(reg);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void keys_are_independent_objects(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "keys");
    lp_value pair[2] = {lp_value_keyword(context, "a"), integer(context, 1)};
    lp_value other[2] = {lp_value_keyword(context, "b"), integer(context, 2)};
    lp_value nothing[2] = {other[0], LP_VALUE_NIL};
    lp_value writes[] = {lp_value_list(context, pair, 2), lp_value_list(context, other, 2)};
    for (size_t i = 0; i < 2; i++)
        record(context, history, 0, "write", writes[i], LP_OUTCOME_OK, writes[i]);
    record(context, history, 0, "read", lp_value_list(context, nothing, 2), LP_OUTCOME_OK,
           lp_value_list(context, nothing, 2));
    close_history(history);
    lp_check_options options = {.size = sizeof options, .independent = true};
    lp_result *result = check(context, history, NULL, &options);
    assert_int_equal(result->verdict, LP_VIOLATION);
    assert_true(result->violations[0].has_key);
    assert_true(result->violations[0].key == other[0]);
    assert_int_equal(result->parts, 2);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void a_key_beside_the_value_splits_too(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "keys");
    lp_error error;
    for (int key = 1; key <= 2; key++) {
        assert_int_equal(lp_history_key(history, integer(context, key), &error), LP_OK);
        record(context, history, 0, "write", integer(context, key), LP_OUTCOME_OK, LP_VALUE_NIL);
    }
    record(context, history, 0, "read", LP_VALUE_NIL, LP_OUTCOME_OK, integer(context, 1));
    close_history(history);
    lp_result *result = check(context, history, NULL, NULL);
    assert_int_equal(result->parts, 2);
    assert_int_equal(result->verdict, LP_VIOLATION);
    assert_true(result->violations[0].key == integer(context, 2));
    lp_operation read = lp_history_operation(history, 2);
    assert_true(read.has_key && read.key == integer(context, 2));
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void a_monitor_that_does_not_apply_is_an_error(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = lp_history_create(context, "twice");
    record(context, history, 0, "enqueue", integer(context, 1), LP_OUTCOME_OK, LP_VALUE_NIL);
    record(context, history, 0, "enqueue", integer(context, 1), LP_OUTCOME_OK, LP_VALUE_NIL);
    record(context, history, 0, "dequeue", LP_VALUE_NIL, LP_OUTCOME_OK, integer(context, 1));
    close_history(history);
    lp_check_options options = {.size = sizeof options, .method = LP_METHOD_MONITOR};
    lp_spec *queue = make_spec(context, "queue", NULL);
    lp_binding binding = {.spec = queue};
    lp_result *result;
    lp_error error;
    assert_int_equal(lp_check(context, history, &binding, 1, &options, &result, &error), LP_USAGE);
    assert_string_equal(error.file, "twice");
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.message, "operation 1"));
    lp_spec_destroy(queue);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void an_empty_history_is_linearizable(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = close_history(lp_history_create(context, "empty"));
    lp_result *result = check(context, history, NULL, NULL);
    assert_int_equal(result->verdict, LP_LINEARIZABLE);
    assert_int_equal(result->linearization_length, 0);
    lp_history *sequential = lp_history_sequential(history, result->linearization, 0);
    assert_int_equal(lp_history_length(sequential), 0);
    lp_history_destroy(sequential);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

/* ---- limits ---- */

/* A set of writes that all run at once, and a read of what none of them wrote at the end: nothing
 * decides that quickly by trying orders. */
static lp_history *hard_history(lp_context *context, int operations)
{
    lp_history *history = lp_history_create(context, "hard");
    lp_error error;
    for (int i = 0; i < operations; i++)
        assert_int_equal(
            lp_history_invoke(history, integer(context, i), "enqueue", integer(context, i), &error),
            LP_OK);
    for (int i = 0; i < operations; i++)
        assert_int_equal(
            lp_history_complete(history, integer(context, i), LP_OUTCOME_OK, LP_VALUE_NIL, &error),
            LP_OK);
    record(context, history, 0, "dequeue", LP_VALUE_NIL, LP_OUTCOME_OK, integer(context, -1));
    return close_history(history);
}

static void time_ends_a_check(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = hard_history(context, 30);
    lp_check_options options = {
        .size = sizeof options, .method = LP_METHOD_DEFINITION, .timeout = 0.01};
    lp_result *result = check(context, history, NULL, &options);
    assert_int_equal(result->verdict, LP_UNKNOWN);
    assert_int_equal(result->limit, LP_LIMIT_TIME);
    assert_non_null(strstr(result->reason, "time limit of 0.01 s reached"));
    assert_non_null(strstr(result->reason, "configurations explored"));
    assert_string_equal(result->covered, strchr(result->reason, ':'));
    assert_true(result->explored > 0);
    assert_int_equal(result->violation_count, 0);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

static void *interrupt_context(void *context)
{
    lp_context_interrupt(context);
    return NULL;
}

static void count_line(void *user, const char *line)
{
    assert_null(strchr(line, '\n'));
    assert_true(*line != 0);
    atomic_fetch_add((atomic_uint *)user, 1);
}

/* A part of one key is decided in a line of its own only where each step is wanted. */
static void a_log_is_told_what_a_check_does(void **unused)
{
    (void)unused;
    atomic_uint lines;
    unsigned told[3];
    for (unsigned level = LP_LOG_NOTHING; level <= LP_LOG_STEPS; level++) {
        lp_context *context = lp_context_create(0);
        lp_result *result = NULL;
        lp_history *history = parse(context, stale_read);
        atomic_store(&lines, 0);
        lp_context_log(context, (lp_log_level)level, count_line, &lines);
        assert_int_equal(lp_check(context, history, NULL, 0, NULL, &result, NULL), LP_OK);
        told[level] = atomic_load(&lines);
        lp_result_destroy(result);
        lp_history_destroy(history);
        lp_context_destroy(context);
    }
    assert_int_equal(told[LP_LOG_NOTHING], 0);
    assert_true(told[LP_LOG_MOMENTS] > 0);
    assert_true(told[LP_LOG_STEPS] >= told[LP_LOG_MOMENTS]);
}

static void an_interrupt_ends_a_check(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = hard_history(context, 30);
    lp_check_options options = {.size = sizeof options, .method = LP_METHOD_DEFINITION};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, interrupt_context, context), 0);
    lp_result *result = check(context, history, NULL, &options);
    pthread_join(thread, NULL);
    assert_int_equal(result->verdict, LP_UNKNOWN);
    assert_int_equal(result->limit, LP_LIMIT_INTERRUPT);
    assert_non_null(strstr(result->reason, "interrupted"));
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

/* Every limit between too little for anything and plenty: an answer or a refusal, never a wrong
 * verdict, and all memory given back. */
static void any_memory_limit_is_survived(void **unused)
{
    (void)unused;
    bool decided = false, refused = false;
    for (size_t limit = 1000; limit < 4000000 && !decided; limit += limit / 16) {
        lp_context *context = lp_context_create(limit);
        assert_non_null(context);
        lp_history **histories;
        size_t count;
        lp_error error;
        lp_status status =
            lp_history_parse(context, "test.edn", stale_read, strlen(stale_read),
                             &(lp_read_options){.size = sizeof(lp_read_options), .jobs = 1},
                             &histories, &count, &error);
        if (status == LP_OK) {
            lp_result *result;
            status = lp_check(context, histories[0], NULL, 0,
                              &(lp_check_options){.size = sizeof(lp_check_options), .jobs = 1},
                              &result, &error);
            if (status == LP_OK) {
                assert_true(result->verdict == LP_UNKNOWN || result->verdict == LP_VIOLATION);
                refused |= result->verdict == LP_UNKNOWN;
                if (result->verdict == LP_UNKNOWN) {
                    assert_int_equal(result->limit, LP_LIMIT_MEMORY);
                    assert_non_null(strstr(result->reason, "memory limit of "));
                }
                decided = result->verdict == LP_VIOLATION && result->violations[0].core_complete;
                lp_result_destroy(result);
            }
            lp_history_destroy(histories[0]);
            free(histories);
        }
        if (status != LP_OK) {
            assert_int_equal(status, LP_LIMIT);
            refused = true;
        }
        assert_true(lp_context_memory_peak(context) <= limit ||
                    lp_context_memory_peak(context) < 20000);
        lp_context_destroy(context);
    }
    assert_true(decided && refused);
}

/* Wherever memory ends, what was begun is given back: the sanitizer looks. */
static void recording_survives_any_memory_limit(void **unused)
{
    (void)unused;
    bool done = false, refused = false;
    for (size_t limit = 1000; limit < 60000 && !done; limit += 64) {
        lp_context *context = lp_context_create(limit);
        lp_history *history = lp_history_create(context, "recorded");
        lp_error error;
        if (history) {
            lp_value process = lp_value_integer(context, 1);
            lp_status status = lp_history_invoke(history, process, "read", LP_VALUE_NIL, &error);
            if (status == LP_OK)
                status = lp_history_close(history, &error);
            assert_true(status == LP_OK || status == LP_LIMIT);
            done = status == LP_OK;
        }
        refused |= !history;
        lp_history_destroy(history);
        lp_context_destroy(context);
    }
    assert_true(done && refused);
}

static void note_progress(void *user, const lp_progress *progress)
{
    assert_true(progress->parts_done <= progress->parts);
    assert_true(progress->memory > 0);
    ++*(unsigned *)user;
}

static void progress_is_told(void **unused)
{
    (void)unused;
    lp_context *context = open_context();
    lp_history *history = hard_history(context, 30);
    unsigned told = 0;
    lp_check_options options = {.size = sizeof options,
                                .method = LP_METHOD_DEFINITION,
                                .timeout = 0.6,
                                .progress = note_progress,
                                .progress_user = &told};
    lp_result *result = check(context, history, NULL, &options);
    assert_int_equal(result->verdict, LP_UNKNOWN);
    assert_true(told >= 1);
    lp_result_destroy(result);
    lp_history_destroy(history);
    lp_context_destroy(context);
}

/* ---- contracts ---- */

static void destroy_null(void)
{
    lp_context_destroy(NULL); /* is allowed, as is free(NULL) */
    lp_history_destroy(NULL);
    lp_spec_destroy(NULL);
    lp_result_destroy(NULL);
}

static void check_open_history(void)
{
    lp_context *context = lp_context_create(0);
    lp_result *result;
    lp_check(context, lp_history_create(context, "open"), NULL, 0, NULL, &result, NULL);
}

static void record_into_closed_history(void)
{
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "closed");
    if (lp_history_close(history, NULL) == LP_OK)
        lp_history_invoke(history, LP_VALUE_NIL, "read", LP_VALUE_NIL, NULL);
}

static void name_null_context(void)
{
    lp_history_create(NULL, "name");
}

static void inspect_too_far(void)
{
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "short");
    if (lp_history_close(history, NULL) == LP_OK)
        lp_history_operation(history, 0);
}

static void use_foreign_history(void)
{
    lp_context *context = lp_context_create(0), *other = lp_context_create(0);
    lp_history *history = lp_history_create(context, "foreign");
    lp_result *result;
    if (lp_history_close(history, NULL) == LP_OK)
        lp_check(other, history, NULL, 0, NULL, &result, NULL);
}

/* Runs `misuse` in a process of its own, and returns what it printed; null if it did not abort. */
static const char *abort_message(void (*misuse)(void), char *message, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(ends[1], STDERR_FILENO);
        misuse();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got;
    while ((got = read(ends[0], message + length, size - 1 - length)) > 0)
        length += (size_t)got;
    message[length] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT ? message : NULL;
}

static void misuse_aborts_naming_the_function(void **unused)
{
    (void)unused;
    static const struct {
        void (*misuse)(void);
        const char *function;
    } cases[] = {
        {check_open_history, "lp_check"},         {record_into_closed_history, "lp_history_invoke"},
        {name_null_context, "lp_history_create"}, {inspect_too_far, "lp_history_operation"},
        {use_foreign_history, "lp_check"},
    };
    char message[4096];
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const char *said = abort_message(cases[i].misuse, message, sizeof message);
        assert_non_null(said);
        assert_non_null(strstr(said, cases[i].function));
    }
    destroy_null();
}

static void notes_stand_among_intervals_by_their_times(void **unused)
{
    (void)unused;
    static const int64_t times[] = {25, 5, LP_TIME_NONE, 90};
    static const char *const names[] = {"start partition", "leader", "deployed", "end"};
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "noted");
    lp_error error;
    lp_value nemesis = lp_value_symbol(context, "nemesis");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(
            lp_history_note(history, nemesis, names[i], LP_VALUE_NIL, times[i], &error), LP_OK);
        assert_int_equal(lp_history_interval(history, lp_value_integer(context, i % 2), "write",
                                             lp_value_integer(context, i), 10 * i, LP_OUTCOME_OK,
                                             LP_VALUE_NIL, 10 * i + 5, &error),
                         LP_OK);
    }
    assert_int_equal(lp_history_close(history, &error), LP_OK);
    assert_int_equal(lp_history_length(history), 4);
    assert_int_equal(lp_history_annotations(history), 4);
    static const char *const ordered[] = {"deployed", "leader", "start partition", "end"};
    static const uint32_t positions[] = {0, 1, 5, 8}; /* events: 0 5 10 15 20 25 30 35 */
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(lp_history_annotation(history, i).function, ordered[i]);
        assert_int_equal(lp_history_annotation(history, i).position, positions[i]);
    }
    lp_history_destroy(history);
    lp_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes_stand_among_intervals_by_their_times),
        cmocka_unit_test(values_are_made_read_and_shown),
        cmocka_unit_test(what_is_no_value_is_refused),
        cmocka_unit_test(a_history_is_recorded_event_by_event),
        cmocka_unit_test(intervals_keep_the_order_in_which_they_came),
        cmocka_unit_test(a_history_is_read_and_written),
        cmocka_unit_test(a_fault_in_a_file_has_its_place),
        cmocka_unit_test(a_folder_holds_several_histories),
        cmocka_unit_test(the_formats_have_a_table),
        cmocka_unit_test(specifications_are_found_by_name),
        cmocka_unit_test(a_specification_is_inferred),
        cmocka_unit_test(a_violation_has_its_story),
        cmocka_unit_test(the_initial_value_decides),
        cmocka_unit_test(each_object_is_decided_on_its_own),
        cmocka_unit_test(keys_are_independent_objects),
        cmocka_unit_test(a_key_beside_the_value_splits_too),
        cmocka_unit_test(a_monitor_that_does_not_apply_is_an_error),
        cmocka_unit_test(an_empty_history_is_linearizable),
        cmocka_unit_test(time_ends_a_check),
        cmocka_unit_test(an_interrupt_ends_a_check),
        cmocka_unit_test(a_log_is_told_what_a_check_does),
        cmocka_unit_test(any_memory_limit_is_survived),
        cmocka_unit_test(recording_survives_any_memory_limit),
        cmocka_unit_test(progress_is_told),
        cmocka_unit_test(misuse_aborts_naming_the_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
