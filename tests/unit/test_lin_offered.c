/* What the specification offers where an implementation in `.lin` does something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/lin_verdicts.h"

/* Decides the first assertion of a text, which is violated. */
static void find_violation(struct lin_fixture *fixture, const char *text,
                           struct assertion_result *result)
{
    struct limits limits;
    if (!lin_fixture_open(fixture, text))
        fail_msg("%s:\n%s", fixture->error.message, text);
    limits_init(&limits, &fixture->budget);
    const struct assertion_options options = {.limits = &limits};
    assertion_result_init(result, &fixture->budget);
    assert_int_equal(lin_verdict_of(fixture, 0, &options, result), VERDICT_VIOLATED);
}

/* How many of the events that are offered begin with these words. */
static unsigned count_offered(const struct assertion_result *result, const char *words)
{
    unsigned count = 0;
    for (size_t i = 0; i < result->offered.length; i++)
        count += strncmp(result->offered.items[i], words, strlen(words)) == 0;
    return count;
}

static void close_violation(struct lin_fixture *fixture, struct assertion_result *result)
{
    assertion_result_release(result);
    lin_fixture_close(fixture);
    assert_int_equal(fixture->budget.used, 0);
}

/* Nobody else has called: what is offered is the one answer that is right. */
static void the_right_answer_is_offered(void **unused)
{
    (void)unused;
    struct lin_fixture fixture;
    struct assertion_result result;
    find_violation(&fixture,
                   "spec counter { int n = 0; op next() { n = n + 1; return n; } }"
                   "impl one { op next() { return 1; } }"
                   "assert one linearizes counter with threads = 1, ops = 2;",
                   &result);
    assert_int_equal(result.offered.length, 1);
    assert_int_equal(count_offered(&result, "res.next.0.2"), 1);
    close_violation(&fixture, &result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_answer_is_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
