/* Suggestions: what is one slip away, or two, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/attributes.h"
#include "base/suggestion.h"

static const char *const names[] = {"set", "stack", "queue", "priority-queue"};

static void assert_meant(const char *name, const char *meant)
{
    size_t count = ARRAY_LENGTH(names);
    size_t found = suggestion_find(name, strlen(name), names, count);
    if (!meant)
        assert_int_equal(found, count);
    else if (found < count)
        assert_string_equal(names[found], meant);
    else
        fail_msg("nothing is near %s", name);
}

static void one_slip_is_forgiven_in_a_short_name(void **unused)
{
    (void)unused;
    assert_meant("se", "set");
    assert_meant("seet", "set");
    assert_meant("sat", "set");
    assert_meant("ste", "set");
    assert_meant("s", NULL);
    assert_meant("sta", NULL); /* two slips from set and from stack */
}

static void two_slips_are_forgiven_in_a_long_one(void **unused)
{
    (void)unused;
    assert_meant("qeuue", "queue");
    assert_meant("qeueu", "queue");
    assert_meant("sakct", NULL); /* three */
    assert_meant("Priority_Queue", "priority-queue");
    assert_meant("priorityqueue", "priority-queue");
}

static void what_is_longer_than_any_name_means_none(void **unused)
{
    (void)unused;
    assert_meant("priority-queue-priority-queue-priority-queue", NULL);
    assert_meant("", NULL);
    assert_int_equal(suggestion_find("queue", 5, NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slip_is_forgiven_in_a_short_name),
        cmocka_unit_test(two_slips_are_forgiven_in_a_long_one),
        cmocka_unit_test(what_is_longer_than_any_name_means_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
