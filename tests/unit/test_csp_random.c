/* Random models of CSP#: what is read and decided must not depend on the way it is done. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <string.h>

#include "base/text.h"
#include "support/csp_comparison.h"
#include "support/csp_random.h"
#include "support/seeds.h"

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

/* Shrinking: what is wanted is a difference, whichever. */
static bool differs(void *context, const char *text)
{
    char message[400];
    struct csp_comparison comparison = {.most_states = *(const size_t *)context};
    return !csp_comparison_add(&comparison, text, message, sizeof message);
}

static struct seeds seeds = {.first = 1, .count = 600};

/* The engines against the definition. */
static void answers_follow_from_the_definition(void **unused)
{
    (void)unused;
    struct csp_comparison comparison = {.most_states = 150};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct csp_random *model =
            csp_random_create(seed % 16 ? CSP_RANDOM_OPERATORS : CSP_RANDOM_OBJECT, seed);
        char message[400];
        if (!csp_comparison_add(&comparison, csp_random_text(model), message, sizeof message)) {
            csp_random_shrink(model, differs, &comparison.most_states);
            struct csp_comparison again = {.most_states = comparison.most_states};
            (void)csp_comparison_add(&again, csp_random_text(model), message, sizeof message);
            print_error("seed %llu: %s\n%s", (unsigned long long)seed, message,
                        csp_random_text(model));
            csp_random_destroy(model);
            fail();
        }
        csp_random_destroy(model);
    }
    print_message("seeds %llu to %llu: %u assertions, %u with their states counted, %u with a "
                  "counterexample, %u of faulty models; %u were too large\n",
                  (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1), comparison.compared,
                  comparison.counted, comparison.violated, comparison.faulty, comparison.too_large);
    assert_true(comparison.counted > seeds.count && comparison.violated > seeds.count / 2);
}

/* ---- loops ---- */

struct replayed {
    unsigned loops, of_refinements;
};

static void replay(lp_context *context, const lp_model *model, const char *process,
                   const lp_execution *execution, uint64_t seed)
{
    lp_walk *walk = NULL;
    lp_error error = {0};
    size_t followed = 0;
    if (lp_walk_create(context, model, process, &walk, &error) != LP_OK ||
        lp_walk_along(walk, execution, &followed, &error) != LP_OK)
        fail_msg("seed %llu: %s: %s", (unsigned long long)seed, process, error.message);
    if (followed != execution->length)
        fail_msg("seed %llu: %s, step %zu of %zu cannot be taken", (unsigned long long)seed,
                 process, followed + 1, execution->length);
    lp_walk_destroy(walk);
}

/* Endless models end by the limit of memory. */
static void replay_loops(const char *text, uint64_t seed, struct replayed *replayed)
{
    lp_context *context = lp_context_create((size_t)2 << 20);
    lp_model *model = NULL;
    lp_assertion assertion;
    lp_error error = {0};
    if (lp_model_parse(context, "m.csp", text, strlen(text), &model, &error) == LP_OK)
        for (size_t i = 0; lp_model_assertion_at(model, i, &assertion); i++) {
            lp_verification *result = NULL;
            if (!strstr(assertion.text, "divergencefree") && !strstr(assertion.text, "<FD>"))
                continue;
            if (lp_verify(context, model, i, NULL, &result, &error) == LP_OK &&
                result->execution.is_lasso) {
                replay(context, model, assertion.process, &result->execution, seed);
                replayed->loops++;
                replayed->of_refinements += result->failure == LP_FAILURE_DIVERGENCE;
            }
            lp_verification_destroy(result);
        }
    lp_model_destroy(model);
    lp_context_destroy(context);
}

/* Without most of its events a model diverges more often. */
static const char hidden[] = "Hidden() = Main() \\ {a, b, d, i:{0..2} @ e.i};\n"
                             "Calm() = Stop <> Skip;\n#assert Hidden() refines<FD> Calm();\n";

static void replay_loops_of(uint64_t seed, struct replayed *replayed)
{
    struct csp_random *model = csp_random_create(CSP_RANDOM_OPERATORS, seed);
    struct text text = TEXT_EMPTY;
    text_format(&text, "%s%s", csp_random_text(model), hidden);
    replay_loops(text_string(&text), seed, replayed);
    text_release(&text);
    csp_random_destroy(model);
}

/* Of copies, in an order that depends on what was met before. */
static const uint64_t once_wrong[] = {811936};

/* With all reductions: states that are stored without what nobody reads again may close a loop
 * that the model does not. */
static void loops_of_divergences_can_be_taken_again(void **unused)
{
    (void)unused;
    struct replayed replayed = {0};
    for (size_t i = 0; i < ARRAY_LENGTH(once_wrong); i++)
        replay_loops_of(once_wrong[i], &replayed);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed += 4)
        replay_loops_of(seed, &replayed);
    print_message("%u loops, %u of them of refinements\n", replayed.loops, replayed.of_refinements);
    assert_true(replayed.of_refinements > seeds.count / 40 &&
                replayed.loops > replayed.of_refinements);
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

/* test_csp_random [FIRST_SEED [MODELS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_are_the_same_for_the_same_seed),
        cmocka_unit_test(answers_follow_from_the_definition),
        cmocka_unit_test(loops_of_divergences_can_be_taken_again),
        cmocka_unit_test(models_shrink_to_what_is_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
