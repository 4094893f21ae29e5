/* The examples of examples/adapters, given to the library as their users would: folders whole, and
 * with no more said than the files leave open. Also the histories of Herlihy and Wing's figure 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <stdlib.h>
#include <string.h>

#define ADAPTERS SOURCE_DIR "/examples/adapters"

struct expectation {
    const char *name; /* ends so */
    lp_verdict verdict;
    const char *spec;
};

static void assert_checks(lp_context *context, lp_history *history,
                          const struct expectation *expected)
{
    lp_error error;
    lp_result *result;
    const char *name = lp_history_name(history);
    size_t length = strlen(name), end = strlen(expected->name);
    assert_true(length >= end);
    assert_string_equal(name + length - end, expected->name);
    if (lp_check(context, history, NULL, 0, NULL, &result, &error) != LP_OK)
        fail_msg("%s: %s", name, error.message);
    if (result->verdict != expected->verdict)
        fail_msg("%s: verdict %d, not %d: %s", name, result->verdict, expected->verdict,
                 result->reason);
    assert_string_equal(result->spec, expected->spec);
    lp_result_destroy(result);
}

static void assert_path(const char *path, const struct expectation *expected, size_t expectations)
{
    lp_context *context = lp_context_create(0);
    lp_error error;
    lp_history **histories;
    size_t count;
    if (lp_history_read(context, path, NULL, &histories, &count, &error) != LP_OK)
        fail_msg("%s: %s", path, error.message);
    assert_int_equal(count, expectations);
    for (size_t i = 0; i < count; i++) {
        assert_checks(context, histories[i], &expected[i]);
        lp_history_destroy(histories[i]);
    }
    free(histories);
    lp_context_destroy(context);
}

static void a_jepsen_store_given_whole(void **unused)
{
    (void)unused;
    static const struct expectation expected[] = {
        {"/register/20260114T093012.000Z/history.edn", LP_LINEARIZABLE, "cas-register"},
        {"/register/20260114T101544.000Z/history.edn", LP_VIOLATION, "cas-register"},
    };
    assert_path(ADAPTERS "/jepsen/store", expected, 2);
    assert_path(ADAPTERS "/jepsen/store/register/20260114T101544.000Z", expected + 1, 1);
}

static void a_dump_of_porcupine_operations(void **unused)
{
    (void)unused;
    static const struct expectation expected = {"/operations.json", LP_VIOLATION, "queue"};
    assert_path(ADAPTERS "/porcupine/operations.json", &expected, 1);
}

static void an_etcd_report_folder(void **unused)
{
    (void)unused;
    static const struct expectation expected = {"/report", LP_LINEARIZABLE, "map"};
    assert_path(ADAPTERS "/etcd/report", &expected, 1);
}

/* One client's file leaves out what the other wrote, so what this one reads cannot be explained. */
static void one_clients_file_of_an_etcd_report(void **unused)
{
    (void)unused;
    static const struct expectation expected = {"/operations.json", LP_VIOLATION, "map"};
    assert_path(ADAPTERS "/etcd/report/client-1", &expected, 1);
}

static void figure_1_of_herlihy_and_wing(void **unused)
{
    (void)unused;
    static const struct expectation expected[] = {
        {"#H1", LP_LINEARIZABLE, "queue"},
        {"#H2", LP_VIOLATION, "queue"},
        {"#H3", LP_LINEARIZABLE, "queue"},
        {"#H4", LP_VIOLATION, "queue"},
    };
    assert_path(ADAPTERS "/tla/Figure1.tla", expected, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_jepsen_store_given_whole),
        cmocka_unit_test(a_dump_of_porcupine_operations),
        cmocka_unit_test(an_etcd_report_folder),
        cmocka_unit_test(one_clients_file_of_an_etcd_report),
        cmocka_unit_test(figure_1_of_herlihy_and_wing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
