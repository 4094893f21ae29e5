/* Structures that callers fill in, of older and newer callers than the library. */
#include <linchpin/linchpin.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/attributes.h"

/* What a caller would have whose header knows one member more. */
struct longer_options {
    lp_check_options known;
    void *unknown;
};

static const lp_history *closed_history(lp_context *context)
{
    lp_history *history = lp_history_create(context, "written once");
    lp_value process = lp_value_integer(context, 0), one = lp_value_integer(context, 1);
    assert_int_equal(lp_history_invoke(history, process, "write", one, NULL), LP_OK);
    assert_int_equal(lp_history_complete(history, process, LP_OUTCOME_OK, one, NULL), LP_OK);
    assert_int_equal(lp_history_close(history, NULL), LP_OK);
    return history;
}

static lp_status check_with(const void *options)
{
    lp_context *context = lp_context_create(0);
    const lp_history *history = closed_history(context);
    lp_result *result;
    lp_error error = {0};
    lp_status status = lp_check(context, history, NULL, 0, options, &result, &error);
    if (status == LP_OK)
        lp_result_destroy(result);
    lp_history_destroy((lp_history *)history);
    lp_context_destroy(context);
    return status;
}

static void newer_callers_may_leave_alone_what_is_not_known(void **unused)
{
    (void)unused;
    struct longer_options longer = {.known = {.size = sizeof longer, .require = 1}};
    assert_int_equal(check_with(&longer), LP_OK);
    longer.known.require = 2; /* so the rest was read, too */
    assert_int_equal(check_with(&longer), LP_INPUT);
}

static void set_what_is_not_known(void)
{
    struct longer_options longer = {.known = {.size = sizeof longer}, .unknown = &longer};
    (void)check_with(&longer);
}

static void forget_the_size(void)
{
    (void)check_with(&(lp_check_options){.jobs = 1});
}

static void give_the_size_of_a_pointer(void)
{
    (void)check_with(&(lp_check_options){.size = sizeof(lp_check_options *)});
}

static void forget_it_inside(void)
{
    const lp_spec_options inferred = {.owned = false};
    (void)check_with(&(lp_check_options){.size = sizeof(lp_check_options), .inferred = &inferred});
}

static void forget_it_in_a_table(void)
{
    lp_context *context = lp_context_create(0);
    lp_history *history = lp_history_create(context, "table");
    (void)lp_history_intervals(history, &(lp_columns){.length = 0}, NULL);
}

static void forget_it_in_callbacks(void)
{
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    (void)lp_spec_create_custom(context, &(lp_spec_callbacks){.name = "mine"}, NULL, &spec, NULL);
}

/* Runs `misuse` in a process of its own, which must abort with these words. */
static void assert_aborts(void (*misuse)(void), const char *words)
{
    int ends[2], status;
    char said[4096];
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
    ssize_t got = read(ends[0], said, sizeof said - 1);
    said[got > 0 ? got : 0] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(said, words));
}

static void others_are_told(void **unused)
{
    (void)unused;
    static const struct {
        void (*misuse)(void);
        const char *words;
    } cases[] = {
        {set_what_is_not_known, "lp_check: a structure has members that this version"},
        {forget_the_size, "lp_check: the `size` of a structure is not its sizeof"},
        {give_the_size_of_a_pointer, "lp_check: the `size` of a structure is not its sizeof"},
        {forget_it_inside, "lp_spec_infer: the `size` of a structure is not its sizeof"},
        {forget_it_in_a_table, "lp_history_intervals: the `size` of a structure is not its"},
        {forget_it_in_callbacks, "lp_spec_create_custom: the `size` of a structure is not its"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_aborts(cases[i].misuse, cases[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newer_callers_may_leave_alone_what_is_not_known),
        cmocka_unit_test(others_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
