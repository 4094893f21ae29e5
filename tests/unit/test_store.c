/* Folders of histories: Jepsen stores, etcd reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "history/store.h"
#include "support/telling.h"

static char root[] = "/tmp/linchpin-store-XXXXXX";
static struct budget budget;

static int set_up(void **unused)
{
    (void)unused;
    budget_init(&budget, NULL, 0);
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) == NULL;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

static int tear_down(void **unused)
{
    (void)unused;
    assert_int_equal(budget.used, 0);
    return nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* A file below the root, with the folders that it needs. */
static void put(const char *name, const char *content)
{
    struct text path = TEXT_EMPTY;
    text_format(&path, "%s/%s", root, name);
    for (char *slash = strchr(path.bytes + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(path.bytes, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path.bytes, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    text_release(&path);
}

static void link_to(const char *target, const char *name)
{
    struct text path = TEXT_EMPTY;
    text_format(&path, "%s/%s", root, name);
    assert_int_equal(symlink(target, path.bytes), 0);
    text_release(&path);
}

/* One line per input: its name, then its files if they are others; without the root. */
static void assert_expands(const char *below, const char *expected)
{
    struct store_inputs inputs;
    struct error error = {0};
    struct text path = TEXT_EMPTY, found = TEXT_EMPTY;
    text_format(&path, "%s%s", root, below);
    if (store_expand(path.bytes, &budget, &inputs, &error) != STATUS_OK)
        fail_msg("%s: %s", error.file, error.message);
    for (size_t i = 0; i < inputs.items.length; i++) {
        const struct store_input *input = &inputs.items.items[i];
        assert_memory_equal(input->name, root, strlen(root));
        text_append(&found, input->name + strlen(root));
        for (size_t f = 0; f < input->count; f++)
            if (strcmp(input->files[f], input->name) != 0)
                text_format(&found, " %s", input->files[f] + strlen(root));
        text_append(&found, "\n");
    }
    assert_string_equal(text_string(&found), expected);
    store_release(&inputs);
    text_release(&path);
    text_release(&found);
}

static void a_jepsen_store_holds_one_history_a_run(void **unused)
{
    (void)unused;
    put("store/queue/20260102T000000.000Z/history.edn", "");
    put("store/queue/20260102T000000.000Z/history.txt", "");
    put("store/queue/20260102T000000.000Z/independent/0/history.edn", "");
    put("store/queue/20260101T000000.000Z/history.jsonl.gz", "");
    put("store/queue/20260103T000000.000Z/test.jepsen", ""); /* did not come to an end */
    put("store/cas/20260104T000000.000Z/history.txt", "");
    put("store/cas/independent/0/history.edn", "");
    put("store/.hidden/20260104T000000.000Z/history.edn", "");
    link_to("cas/20260104T000000.000Z", "store/latest");
    link_to("20260104T000000.000Z", "store/cas/latest");
    const char *cas = "/store/cas/20260104T000000.000Z/history.txt\n";
    const char *queue = "/store/queue/20260101T000000.000Z/history.jsonl.gz\n"
                        "/store/queue/20260102T000000.000Z/history.edn\n";
    struct text all = TEXT_EMPTY;
    text_format(&all, "%s%s", cas, queue);
    assert_expands("", text_string(&all));
    assert_expands("/store", text_string(&all));
    assert_expands("/store/", text_string(&all));
    assert_expands("/store/queue", queue);
    assert_expands("/store/cas/20260104T000000.000Z", cas);
    text_release(&all);
    /* A link that is given by name is what it points to. */
    assert_expands("/store/latest", "/store/latest/history.txt\n");
    assert_expands("/store/latest/history.txt", "/store/latest/history.txt\n");
}

static void an_etcd_report_is_one_history(void **unused)
{
    (void)unused;
    put("report/client-2/operations.json", "");
    put("report/client-10/operations.json", "");
    put("report/client-1/operations.json", "");
    put("report/client-1/watch.json", "");
    put("report/client-3/watch.json", "");
    put("report/server-m0/member/wal/0.wal", "");
    put("report/traffic.json", "{}");
    put("other/client-4/operations.json", "");
    const char *report = "/report /report/client-1/operations.json "
                         "/report/client-2/operations.json /report/client-10/operations.json\n";
    assert_expands("/report", report);
    struct text both = TEXT_EMPTY;
    text_format(&both, "/other/client-4/operations.json\n%s", report);
    assert_expands("", text_string(&both));
    text_release(&both);
    assert_expands("/report/client-2", "/report/client-2/operations.json\n");
}

static void assert_not_expanded(const char *path, const char *message)
{
    struct store_inputs inputs;
    struct error error = {0};
    assert_int_equal(store_expand(path, &budget, &inputs, &error), STATUS_INPUT);
    assert_string_equal(error.message, message);
    assert_string_equal(error.file, path);
    store_release(&inputs);
}

static void a_path_may_stand_for_nothing(void **unused)
{
    (void)unused;
    put("deep/1/2/3/4/5/6/history.edn", "");
    assert_not_expanded(root, "expected a Jepsen store (with history.edn, history.jsonl or "
                              "history.txt) or an etcd report (with client-1/operations.json) in "
                              "the folder or below it, found none; give other "
                              "files by name");
    assert_not_expanded("/no such path",
                        "expected a file or folder, found: No such file or directory");
}

static void standard_input_stands_for_itself(void **unused)
{
    (void)unused;
    struct store_inputs inputs;
    assert_int_equal(store_expand("-", &budget, &inputs, NULL), STATUS_OK);
    assert_int_equal(inputs.items.length, 1);
    assert_string_equal(inputs.items.items[0].name, "-");
    assert_string_equal(inputs.items.items[0].files[0], "-");
    store_release(&inputs);
}

struct stored {
    struct store_inputs inputs;
    struct value_pool *pool;
    struct limits limits;
    struct histories histories;
    unsigned long long hash;
    struct error error;
};

static enum status read_stored(struct stored *stored, const char *path, const char *format)
{
    *stored = (struct stored){.pool = value_pool_create(&budget)};
    limits_init(&stored->limits, &budget);
    struct read_options options = {.format = format, .threads = 1, .limits = &stored->limits};
    if (store_expand(path, &budget, &stored->inputs, &stored->error) != STATUS_OK)
        fail_msg("%s: %s", path, stored->error.message);
    return store_read(&stored->inputs.items.items[0], stored->pool, &budget, &options,
                      &stored->histories, &stored->hash, &stored->error);
}

static void release_stored(struct stored *stored)
{
    histories_release(&stored->histories);
    store_release(&stored->inputs);
    value_pool_destroy(stored->pool);
}

static void the_example_report_is_read_by_time(void **unused)
{
    (void)unused;
    static const char path[] = SOURCE_DIR "/examples/adapters/etcd/report";
    struct stored stored;
    if (read_stored(&stored, path, NULL) != STATUS_OK)
        fail_msg("%s:%u: %s", stored.error.file, stored.error.line, stored.error.message);
    assert_int_equal(stored.histories.items.length, 1);
    const struct history *history = stored.histories.items.items[0];
    assert_string_equal(history->name, path);
    assert_string_equal(history->specification, "map");
    assert_true(stored.hash != 0);
    struct text told = TEXT_EMPTY;
    history_tell(history, &told);
    static const char expected[] = "3 invoke put [\"key0\" \"1\"]\n"
                                   "4 invoke get \"key0\"\n"
                                   "3 ok {\"revision\" 2}\n"
                                   "3 invoke get \"key1\"\n"
                                   "4 ok {\"revision\" 2, \"value\" \"1\"}\n"
                                   "4 invoke put [\"key1\" \"3\"]\n"
                                   "3 ok {\"revision\" 3, \"value\" \"3\"}\n"
                                   "3 invoke put [\"key1\" \"6\"]\n"
                                   "4 ok {\"revision\" 3}\n"
                                   "4 invoke put-if-revision [\"key0\" 2 \"5\"]\n"
                                   "4 ok {\"ok\" true, \"revision\" 4}\n";
    assert_memory_equal(text_string(&told), expected, strlen(expected));
    assert_non_null(strstr(text_string(&told), "\n5 invoke put-if-revision [\"key0\" 2 \"8\"]\n"));
    assert_non_null(strstr(text_string(&told), "\n5 ok {\"ok\" false, \"revision\" 5}\n"));
    assert_int_equal(history->operations.length, 16);
    size_t pending = 0;
    for (size_t i = 0; i < history->operations.length; i++)
        pending += history->operations.items[i].outcome == OUTCOME_UNKNOWN;
    assert_int_equal(pending, 2);
    text_release(&told);
    release_stored(&stored);
}

static void the_example_store_has_two_runs(void **unused)
{
    (void)unused;
    static const char path[] = SOURCE_DIR "/examples/adapters/jepsen/store";
    struct store_inputs inputs;
    struct error error = {0};
    assert_int_equal(store_expand(path, &budget, &inputs, &error), STATUS_OK);
    assert_int_equal(inputs.items.length, 2);
    assert_string_equal(
        inputs.items.items[0].name,
        SOURCE_DIR "/examples/adapters/jepsen/store/register/20260114T093012.000Z/history.edn");
    store_release(&inputs);
}

static void a_fault_names_the_file_of_several(void **unused)
{
    (void)unused;
    put("r/client-1/operations.json", "");
    put("r/client-2/operations.json", "\n{\"ClientId\":1,\"Input\":{\"Type\":\"compact\"},"
                                      "\"Call\":1}");
    struct text path = TEXT_EMPTY, file = TEXT_EMPTY;
    text_format(&path, "%s/r", root);
    text_format(&file, "%s/r/client-2/operations.json", root);
    struct stored stored;
    assert_int_equal(read_stored(&stored, path.bytes, NULL), STATUS_INPUT);
    assert_string_equal(stored.error.file, text_string(&file));
    assert_int_equal(stored.error.line, 2);
    release_stored(&stored);
    assert_int_equal(read_stored(&stored, path.bytes, "tla"), STATUS_USAGE);
    release_stored(&stored);
    /* What only all together show is the folder's fault. */
#define GET                                                                                        \
    "{\"ClientId\":1,\"Input\":{\"Type\":\"range\",\"Range\":{\"Start\":\"k\"}},\"Call\":1,"       \
    "\"Output\":{\"Range\":{\"KVs\":null}},\"Return\":3}"
    put("r/client-1/operations.json", GET);
    put("r/client-2/operations.json", GET);
    assert_int_equal(read_stored(&stored, path.bytes, "etcd"), STATUS_INPUT);
    assert_string_equal(stored.error.file, path.bytes);
    release_stored(&stored);
    text_release(&path);
    text_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_jepsen_store_holds_one_history_a_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_etcd_report_is_one_history, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_may_stand_for_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(standard_input_stands_for_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_example_report_is_read_by_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_example_store_has_two_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fault_names_the_file_of_several, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
