/* Random models of CSP#: what is read and decided must not depend on the way it is done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/csp_model_test.h"
#include "support/csp_random.h"

static void models_are_the_same_for_the_same_seed(void **unused)
{
    (void)unused;
    for (unsigned shape = 0; shape < CSP_RANDOM_SHAPES; shape++) {
        struct csp_random *one = csp_random_create(shape, 7), *other = csp_random_create(shape, 7);
        assert_string_equal(csp_random_text(one), csp_random_text(other));
        csp_random_destroy(one);
        csp_random_destroy(other);
    }
}

static bool is_decided(struct csp_model_test *test, size_t assertion)
{
    struct assertion_result result;
    enum status status = csp_model_test_decide(test, assertion, REDUCE_NONE, false, &result);
    bool decided = status == STATUS_OK && result.answer != UNDECIDED;
    assertion_result_release(&result);
    return decided;
}

static void models_are_read_and_decided(void **unused)
{
    (void)unused;
    unsigned decided = 0, all = 0;
    for (unsigned seed = 0; seed < 200; seed++) {
        struct csp_random *model = csp_random_create(seed % CSP_RANDOM_SHAPES, seed);
        struct csp_model_test test;
        csp_model_test_open(&test, csp_random_text(model));
        test.budget.limit = test.budget.used + 2000000;
        for (size_t i = 0; i < test.module.assertions.length; i++, all++)
            decided += is_decided(&test, i);
        csp_model_test_close(&test);
        csp_random_destroy(model);
    }
    assert_true(decided * 10 > all * 7);
}

struct wanted {
    const char *word;
};

static bool has_word(void *context, const char *text)
{
    return strstr(text, ((const struct wanted *)context)->word) != NULL;
}

static void models_shrink_to_what_is_looked_for(void **unused)
{
    (void)unused;
    for (unsigned seed = 0; seed < 20; seed++) {
        struct csp_random *model = csp_random_create(CSP_RANDOM_OPERATORS, seed);
        struct wanted wanted = {"Main() deadlockfree"};
        csp_random_shrink(model, has_word, &wanted);
        assert_non_null(strstr(csp_random_text(model), wanted.word));
        assert_true(strlen(csp_random_text(model)) < 60);
        csp_random_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_the_same_for_the_same_seed),
        cmocka_unit_test(models_are_read_and_decided),
        cmocka_unit_test(models_shrink_to_what_is_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
