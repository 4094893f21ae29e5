/* Reductions: their names, and that none of them changes an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "support/csp_model_test.h"
#include "support/csp_random.h"

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

/* ---- random models ---- */

#define MOST_WORK   4096      /* states; models that have more are left out, */
#define MOST_MEMORY (8 << 20) /* and those whose states are large */

struct answer {
    enum status status;
    enum limit limit;
    enum holds holds;
    bool has_extreme;
    int64_t extreme;
};

static struct answer decide(struct csp_model_test *test, size_t assertion, reductions with,
                            bool depth_first)
{
    struct assertion_result result;
    test->limits.work = 0;
    test->limits.most_work = MOST_WORK;
    struct answer answer = {csp_model_test_decide(test, assertion, with, depth_first, &result),
                            UNDECIDED, false, 0};
    answer.holds = result.answer;
    answer.has_extreme = result.has_extreme && result.answer == HOLDS;
    answer.extreme = result.extreme;
    assertion_result_release(&result);
    return answer;
}

/* Which of several faults or violations is met first depends on the order of the search. */
static bool agree(const struct answer *plain, const struct answer *reduced)
{
    if (plain->status == STATUS_INTERNAL || reduced->status == STATUS_INTERNAL)
        return false;
    if (plain->limit != LIMIT_NONE || reduced->limit != LIMIT_NONE)
        return true;
    bool fault = plain->status != STATUS_OK, reduced_fault = reduced->status != STATUS_OK;
    if (fault || reduced_fault)
        return (fault || plain->holds != HOLDS || plain->has_extreme || !reduced_fault) &&
               (reduced_fault || reduced->holds != HOLDS || !fault);
    return plain->holds == reduced->holds &&
           (!plain->has_extreme || plain->extreme == reduced->extreme);
}

struct disagreement {
    reductions with;
    bool depth_first;
};

static bool disagrees(void *context, const char *text)
{
    const struct disagreement *found = context;
    struct csp_model_test test;
    bool differs = false;
    if (csp_model_test_try(&test, text) == STATUS_OK) {
        for (size_t i = 0; i < test.module.assertions.length && !differs; i++) {
            struct answer plain = decide(&test, i, REDUCE_NONE, false);
            if (plain.limit != LIMIT_NONE)
                continue;
            struct answer reduced = decide(&test, i, found->with, found->depth_first);
            differs = !agree(&plain, &reduced);
        }
    }
    csp_model_test_close(&test);
    return differs;
}

static void compare_on_random_models(enum csp_random_shape shape, uint64_t count)
{
    static const reductions sets[] = {REDUCE_PARTIAL_ORDER, REDUCE_ANTICHAIN, REDUCE_DEFAULT,
                                      REDUCE_PAPER};
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct csp_random *model = csp_random_create(shape, seed);
        for (unsigned way = 0; way < 2 * ARRAY_LENGTH(sets); way++) {
            struct disagreement found = {sets[way / 2], way % 2};
            if (!disagrees(&found, csp_random_text(model)))
                continue;
            struct text name = TEXT_EMPTY;
            reductions_print(found.with, &name);
            csp_random_shrink(model, disagrees, &found);
            fail_msg("seed %lu: %s%s changes an answer:\n%s", (unsigned long)seed,
                     text_string(&name), found.depth_first ? ", depth first," : "",
                     csp_random_text(model));
        }
        csp_random_destroy(model);
    }
}

static uint64_t models(uint64_t usual)
{
    const char *wanted = getenv("LINCHPIN_RANDOM_MODELS"); /* for long runs by hand */
    return wanted ? strtoull(wanted, NULL, 10) : usual;
}

static void no_reduction_changes_an_answer_of_a_random_model(void **unused)
{
    (void)unused;
    compare_on_random_models(CSP_RANDOM_OPERATORS, models(300));
}

static void no_reduction_changes_linearizability_of_a_random_object(void **unused)
{
    (void)unused;
    compare_on_random_models(CSP_RANDOM_OBJECT, models(60));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_read_and_printed),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(no_reduction_changes_an_answer_of_a_random_model),
        cmocka_unit_test(no_reduction_changes_linearizability_of_a_random_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
