/* Real files: as many operations as a plain count of their invocations finds, whatever the number
 * of threads, and the same again from what is written of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/reading.h"

static char *slurp(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *length = fread(bytes, 1, (1 << 20) - 1, file);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static size_t count(const char *text, const char *word)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        found++;
    return found;
}

static void check_written(struct library *library, const struct history *history,
                          const char *format, const char *path)
{
    size_t length;
    char *written = library_write(history, format, &length);
    struct history *again = library_read_one(library, written, length, format);
    const char *difference = history_difference(history, again);
    if (difference && (strcmp(difference, "time") != 0 || strcmp(format, "edn") == 0))
        fail_msg("%s written as %s: %s", path, format, difference);
    history_destroy(again);
    free(written);
}

/* In all these files the nemesis's events are `info`. */
static void check_file(const char *path)
{
    size_t length;
    char *text = slurp(path, &length);
    struct library library;
    library_open(&library, 0);
    struct history *history = library_read_one(&library, text, length, NULL);
    size_t expected = count(text, ":invoke");
    if (history->operations.length != expected)
        fail_msg("%s: %zu operations, not %zu", path, history->operations.length, expected);
    assert_int_equal(history->annotations.length, count(text, ":nemesis"));
    size_t failed = 0, completed = 0;
    for (size_t i = 0; i < history->operations.length; i++) {
        failed += history->operations.items[i].outcome == OUTCOME_FAIL;
        completed += history->operations.items[i].outcome == OUTCOME_OK;
    }
    assert_int_equal(failed, count(text, ":fail\t") + count(text, ":type :fail"));
    assert_int_equal(completed, count(text, ":ok\t") + count(text, ":type :ok"));
    for (unsigned threads = 2; threads <= 3; threads++) {
        struct histories histories;
        assert_int_equal(library_read(&library, text, length, history->format, threads,
                                      threads == 2 ? 0 : 1000, &histories, NULL),
                         STATUS_OK);
        assert_null(history_difference_with_lines(history, histories.items.items[0]));
        histories_release(&histories);
    }
    check_written(&library, history, "edn", path);
    if (history->operations.length > 0 && !history->operations.items[0].has_key)
        check_written(&library, history, "jepsen-text", path);
    size_t written_length;
    char *written = library_write(history, "json", &written_length);
    struct history *again = library_read_one(&library, written, written_length, "json");
    assert_int_equal(again->operations.length, expected); /* keywords are strings in JSON */
    history_destroy(again);
    free(written);
    history_destroy(history);
    library_close(&library);
    free(text);
}

static void every_file_has_its_operations(void **unused)
{
    (void)unused;
    static const char *const folders[] = {"knossos", "jepsen-real", "porcupine"};
    for (size_t i = 0; i < ARRAY_LENGTH(folders); i++) {
        char folder[1000];
        snprintf(folder, sizeof folder, SHARED_DIR "/data/histories/%s", folders[i]);
        DIR *opened = opendir(folder);
        if (!opened)
            skip();
        for (struct dirent *entry; (entry = readdir(opened));) {
            char path[2000];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            if (entry->d_name[0] != '.')
                check_file(path);
        }
        closedir(opened);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_has_its_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
