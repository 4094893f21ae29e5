/* Files that appear whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"

static char folder[] = "/tmp/linchpin-output-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *content)
{
    FILE *file = fopen(in_folder(name), "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void expect_content(const char *name, const char *content)
{
    char bytes[100] = "";
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[length] = 0;
    assert_string_equal(bytes, content);
}

static int files_in_folder(void)
{
    int count = 0;
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    while (readdir(opened))
        count++;
    closedir(opened);
    return count - 2; /* . and .. */
}

static int make_folder(void **unused)
{
    (void)unused;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : 1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    const char *names[] = {"file", "link", "target"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

static struct output *opened(const char *name)
{
    struct error error;
    struct output *output;
    assert_int_equal(output_open(in_folder(name), &output, &error), STATUS_OK);
    return output;
}

static void commit(struct output *output)
{
    struct error error;
    assert_int_equal(output_commit(output, &error), STATUS_OK);
}

static void a_file_appears_at_the_end(void **unused)
{
    (void)unused;
    struct output *output = opened("file");
    fputs("new", output_stream(output));
    assert_int_not_equal(access(in_folder("file"), F_OK), 0);
    commit(output);
    expect_content("file", "new");
    assert_int_equal(files_in_folder(), 1);
}

static void an_old_file_stays_until_then(void **unused)
{
    (void)unused;
    put("file", "old");
    chmod(in_folder("file"), 0640);
    struct output *output = opened("file");
    fputs("new", output_stream(output));
    fflush(output_stream(output));
    expect_content("file", "old");
    commit(output);
    expect_content("file", "new");
    struct stat found;
    assert_int_equal(stat(in_folder("file"), &found), 0);
    assert_int_equal(found.st_mode & 0777, 0640);
}

static void an_abandoned_file_leaves_nothing(void **unused)
{
    (void)unused;
    put("file", "old");
    struct output *output = opened("file");
    fputs("new", output_stream(output));
    output_abandon(output);
    output_abandon(NULL);
    expect_content("file", "old");
    assert_int_equal(files_in_folder(), 1);
}

static void a_link_stays_a_link(void **unused)
{
    (void)unused;
    struct stat found;
    put("target", "old");
    assert_int_equal(symlink("target", in_folder("link")), 0);
    struct output *output = opened("link");
    fputs("new", output_stream(output));
    commit(output);
    assert_int_equal(lstat(in_folder("link"), &found), 0);
    assert_true(S_ISLNK(found.st_mode));
    expect_content("target", "new");
}

/* A device is written, not replaced; a full one is an error. */
static void a_full_device_is_an_error(void **unused)
{
    (void)unused;
    struct error error;
    struct output *output;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_int_equal(output_open("/dev/full", &output, &error), STATUS_OK);
    fputs("new", output_stream(output));
    assert_int_equal(output_commit(output, &error), STATUS_USAGE);
    assert_string_equal(error.message, "cannot write '/dev/full': No space left on device");
}

/* What did not fit is not what the stream still has at the end. */
static void a_write_that_failed_long_ago_is_told_with_its_reason(void **unused)
{
    (void)unused;
    static const char block[65536];
    struct error error;
    struct output *output = opened("file");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {10000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_true(fwrite(block, 1, sizeof block, output_stream(output)) < sizeof block);
    enum status status = output_commit(output, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, STATUS_USAGE);
    assert_non_null(strstr(error.message, ": File too large"));
    assert_int_equal(files_in_folder(), 0);
}

static void a_missing_folder_is_an_error(void **unused)
{
    (void)unused;
    struct error error;
    struct output *output;
    assert_int_equal(output_open(in_folder("none/file"), &output, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "No such file or directory"));
    assert_null(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_appears_at_the_end, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_old_file_stays_until_then, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_abandoned_file_leaves_nothing, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_link_stays_a_link, make_folder, remove_folder),
        cmocka_unit_test(a_full_device_is_an_error),
        cmocka_unit_test_setup_teardown(a_write_that_failed_long_ago_is_told_with_its_reason,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_missing_folder_is_an_error, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
