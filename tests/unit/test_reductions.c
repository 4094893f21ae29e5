/* Reductions: their names, and that none of them changes an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "reduce/reductions.h"

static void expect_set(const char *text, reductions expected, const char *printed)
{
    struct error error;
    struct text name = TEXT_EMPTY;
    reductions set = ~REDUCE_NONE;
    assert_int_equal(reductions_parse(text, &set, &error), STATUS_OK);
    assert_int_equal(set, expected);
    reductions_print(set, &name);
    assert_string_equal(text_string(&name), printed);
    text_release(&name);
}

static void sets_are_read_and_printed(void **unused)
{
    (void)unused;
    expect_set("none", REDUCE_NONE, "none");
    expect_set("paper", REDUCE_PAPER, "paper");
    expect_set("default", REDUCE_DEFAULT, "intervals,partial-order,symmetry,antichain,slice");
    expect_set("antichain,partial-order", REDUCE_PARTIAL_ORDER | REDUCE_ANTICHAIN,
               "partial-order,antichain");
}

static void other_words_are_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"", "ample", "none,slice", "slice,", "slice,paper"};
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct error error;
        reductions set;
        assert_int_equal(reductions_parse(wrong[i], &set, &error), STATUS_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_read_and_printed),
        cmocka_unit_test(other_words_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
