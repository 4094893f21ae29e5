/* Histories that real systems and other checkers left behind, through the installed functions: each
 * gets the verdict that its authors gave it. Skipped where the files are not at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attributes.h"

#define FOLDER SHARED_DIR "/data/histories/"

struct expectation {
    const char *file, *spec, *initial; /* spec null: inferred */
    lp_verdict verdict;
};

static const struct expectation expectations[] = {
    {"porcupine/c01-ok.txt", NULL, NULL, LP_LINEARIZABLE},
    {"porcupine/c01-bad.txt", NULL, NULL, LP_VIOLATION},
    {"porcupine/c10-ok.txt", NULL, NULL, LP_LINEARIZABLE},
    {"porcupine/c10-bad.txt", NULL, NULL, LP_VIOLATION},
    {"porcupine/c50-ok.txt", NULL, NULL, LP_LINEARIZABLE},
    {"porcupine/c50-bad.txt", NULL, NULL, LP_VIOLATION},
    {"porcupine/etcd_000.log", "cas-register", NULL, LP_VIOLATION},
    {"porcupine/etcd_002.log", "cas-register", NULL, LP_LINEARIZABLE},
    {"porcupine/etcd_005.log", "cas-register", NULL, LP_LINEARIZABLE},
    {"porcupine/etcd_007.log", "cas-register", NULL, LP_LINEARIZABLE},
    {"porcupine/etcd_025.log", "cas-register", NULL, LP_LINEARIZABLE},
    {"porcupine/etcd_099.log", "cas-register", NULL, LP_VIOLATION},
    {"knossos/rethink-fail.edn", "cas-register", NULL, LP_VIOLATION},
    {"knossos/rethink-fail-minimal.edn", "cas-register", NULL, LP_VIOLATION},
    {"knossos/cas-failure.edn", "cas-register", NULL, LP_VIOLATION},
    {"knossos/mongodb-v0-ack-rollback-6.edn", "cas-register", NULL, LP_VIOLATION},
    {"knossos/immediate-failure.edn", "cas-register", NULL, LP_VIOLATION},
    {"knossos/memstress3-0.edn", "cas-register", NULL, LP_LINEARIZABLE},
    {"knossos/memstress3-90.edn", "cas-register", NULL, LP_LINEARIZABLE},
    {"knossos/mongodb-v0-ack-rollback-8.edn", "cas-register", NULL, LP_LINEARIZABLE},
    {"knossos/cas-register-bug.edn", "cas-register", NULL, LP_LINEARIZABLE},
    {"knossos/mutex-etcd-bad.edn", "mutex", NULL, LP_VIOLATION},
    {"knossos/multi-register.edn", "multi-register", "0", LP_LINEARIZABLE},
    {"knossos/multi-register.edn", "multi-register", "{x 0 y 0}", LP_LINEARIZABLE},
    {"knossos/multi-register.edn", "multi-register", NULL, LP_VIOLATION},
    {"jepsen-real/canonical-raft-history.edn", "cas-register", "0", LP_LINEARIZABLE},
    {"jepsen-real/canonical-raft-history.edn", "cas-register", NULL, LP_VIOLATION},
    {"limo/my-sync-stack.0.log", NULL, NULL, LP_LINEARIZABLE},
    {"limo/my-sync-stack.3.log", NULL, NULL, LP_LINEARIZABLE},
    {"limo/my-sync-stack.8.log", NULL, NULL, LP_LINEARIZABLE},
    {"limo/my-unsafe-stack.0.log", NULL, NULL, LP_LINEARIZABLE},
    {"limo/my-unsafe-stack.9.log", NULL, NULL, LP_LINEARIZABLE},
    {"limo/ScalObject-msq.0.log", "queue", NULL, LP_LINEARIZABLE},
    {"limo/ScalObject-ukq.00.log", "queue", NULL, LP_VIOLATION},
};

static const char *verdict_name(lp_verdict verdict)
{
    static const char *const names[] = {"linearizable", "violation", "unknown"};
    return names[verdict];
}

static lp_spec *make_spec(lp_context *context, const lp_history *history,
                          const struct expectation *expected)
{
    lp_spec_options options = {.size = sizeof options, .initial = expected->initial};
    lp_spec *spec;
    lp_error error;
    lp_status status = expected->spec
                           ? lp_spec_create(context, expected->spec, &options, &spec, &error)
                           : lp_spec_infer(context, history, NULL, &options, &spec, &error);
    if (status != LP_OK)
        fail_msg("%s: %s", expected->file, error.message);
    return spec;
}

/* The linearization, as a history of its own, is one too. */
static void assert_sequential(lp_context *context, const lp_history *history, const lp_spec *spec,
                              const lp_result *result)
{
    lp_history *sequential =
        lp_history_sequential(history, result->linearization, result->linearization_length);
    lp_binding binding = {.spec = spec};
    lp_result *again;
    lp_error error;
    assert_int_equal(lp_check(context, sequential, &binding, 1, NULL, &again, &error), LP_OK);
    assert_int_equal(again->verdict, LP_LINEARIZABLE);
    lp_result_destroy(again);
    lp_history_destroy(sequential);
}

static void check_file(const struct expectation *expected)
{
    char path[1000];
    snprintf(path, sizeof path, FOLDER "%s", expected->file);
    lp_context *context = lp_context_create(0);
    lp_history **histories;
    size_t count;
    lp_error error;
    if (lp_history_read(context, path, NULL, &histories, &count, &error) != LP_OK)
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
    assert_int_equal(count, 1);
    lp_spec *spec = make_spec(context, histories[0], expected);
    lp_binding binding = {.spec = spec};
    lp_check_options options = {.size = sizeof options, .timeout = 60};
    lp_result *result;
    if (lp_check(context, histories[0], &binding, 1, &options, &result, &error) != LP_OK)
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
    print_message("%-45s %s by %s in %.3f s; core %zu%s\n", expected->file,
                  verdict_name(result->verdict), result->method, result->seconds,
                  result->violation_count ? result->violations[0].core_length : 0,
                  result->violation_count && !result->violations[0].core_complete ? "?" : "");
    if (result->verdict != expected->verdict)
        fail_msg("%s: %s (%s), expected %s", expected->file, verdict_name(result->verdict),
                 result->reason, verdict_name(expected->verdict));
    if (result->verdict == LP_LINEARIZABLE)
        assert_sequential(context, histories[0], spec, result);
    lp_result_destroy(result);
    lp_spec_destroy(spec);
    lp_history_destroy(histories[0]);
    free(histories);
    assert_true(lp_context_memory_peak(context) > 0);
    lp_context_destroy(context);
}

static void real_histories_get_their_verdicts(void **unused)
{
    (void)unused;
    if (access(FOLDER, R_OK) != 0)
        skip();
    for (size_t i = 0; i < ARRAY_LENGTH(expectations); i++)
        check_file(&expectations[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_histories_get_their_verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
