/* Searches that store no states: what they find is there, and what they say is all there is has
 * nothing to be found. Random models in both languages, against the search that stores states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <linchpin/linchpin.h>
#include <string.h>

#include "base/text.h"
#include "explore/bitstate.h"
#include "support/csp_model_test.h"
#include "support/csp_random.h"
#include "support/lin_random.h"
#include "support/seeds.h"

/* Endless models end there: what is left open is compared with nothing. */
#define MEMORY  ((size_t)8 << 20) /* bytes */
#define TIMEOUT 0.3               /* seconds */

static struct seeds seeds = {.first = 1, .count = 100};

struct compared {
    unsigned assertions, found, complete, undecided;
};

/* Whether something is found, of which an execution is the proof: a violation, or a goal. */
static bool is_found(const lp_assertion *assertion, const lp_verification *result)
{
    return result->answer == (strstr(assertion->text, " reaches ") ? LP_HOLDS : LP_VIOLATED);
}

static bool is_all(const lp_verification *result)
{
    return strstr(result->reason, "this is all there is") != NULL;
}

static void replay(lp_context *context, const lp_model *model, const char *process,
                   const lp_execution *execution, const char *text)
{
    lp_walk *walk = NULL;
    lp_error error = {0};
    size_t followed = 0;
    if (lp_walk_create(context, model, process, &walk, &error) != LP_OK ||
        lp_walk_along(walk, execution, &followed, &error) != LP_OK || followed != execution->length)
        fail_msg("step %zu of %zu cannot be taken: %s\n%s", followed + 1, execution->length,
                 error.message, text);
    lp_walk_destroy(walk);
}

static void compare(lp_context *context, const lp_model *model, size_t index,
                    const lp_verify_options *options, const char *text, struct compared *compared)
{
    lp_verification *exact = NULL, *result = NULL;
    lp_error error = {0};
    lp_assertion assertion;
    assert_true(lp_model_assertion_at(model, index, &assertion));
    const lp_status expected = lp_verify(context, model, index, NULL, &exact, &error);
    const lp_status status = lp_verify(context, model, index, options, &result, &error);
    if (expected == LP_OK && status == LP_OK && exact->answer != LP_UNDECIDED) {
        compared->assertions++;
        if (is_found(&assertion, result)) {
            compared->found++;
            if (!is_found(&assertion, exact))
                fail_msg("%s: found, though it is not there\n%s", assertion.text, text);
            if (strstr(lp_model_name(model), ".csp"))
                replay(context, model, assertion.process, &result->execution, text);
        } else {
            assert_int_equal(result->answer, LP_UNDECIDED);
            compared->complete += is_all(result);
            compared->undecided += !is_all(result);
            if (is_all(result) && is_found(&assertion, exact))
                fail_msg("%s: not found, though all was seen\n%s", assertion.text, text);
        }
    } else if (expected == LP_OK && exact->answer != LP_UNDECIDED && !is_found(&assertion, exact))
        fail_msg("%s: %s\n%s", assertion.text, error.message, text); /* there is no fault */
    lp_verification_destroy(exact);
    lp_verification_destroy(result);
}

static void compare_all(const char *name, const char *text, const lp_verify_options *options,
                        struct compared *compared)
{
    lp_context *context = lp_context_create(MEMORY);
    lp_model *model = NULL;
    lp_assertion assertion;
    lp_error error = {0};
    /* Some of those in CSP# are wrong, and meant to. */
    const lp_status status = lp_model_parse(context, name, text, strlen(text), &model, &error);
    if (status != LP_OK && strcmp(name, "m.csp") != 0)
        fail_msg("%u: %s\n%s", error.line, error.message, text);
    for (size_t i = 0; status == LP_OK && lp_model_assertion_at(model, i, &assertion); i++)
        compare(context, model, i, options, text, compared);
    lp_model_destroy(model);
    lp_context_destroy(context);
}

static lp_verify_options options_of(uint64_t seed)
{
    static const char *const sets[] = {"default", "none", "symmetry,slice", "paper"};
    return (lp_verify_options){.size = sizeof(lp_verify_options),
                               .search = seed % 2 ? LP_SEARCH_BITSTATE : LP_SEARCH_SWARM,
                               .timeout = TIMEOUT,
                               .reductions = sets[seed / 2 % ARRAY_LENGTH(sets)],
                               .jobs = 1 + seed / 8 % 2};
}

static void print_compared(const char *what, const struct compared *compared)
{
    print_message("seeds %llu to %llu, %s: %u assertions, %u with something found, %u where all "
                  "was seen, %u left open\n",
                  (unsigned long long)seeds.first,
                  (unsigned long long)(seeds.first + seeds.count - 1), what, compared->assertions,
                  compared->found, compared->complete, compared->undecided);
    assert_true(compared->found > seeds.count / 8 && compared->complete > seeds.count / 4);
}

static void implementations(void **unused)
{
    (void)unused;
    struct compared compared = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        const lp_verify_options options = options_of(seed);
        struct text text = TEXT_EMPTY;
        if (seed % 5 == 0)
            lin_random_print_points(seed, &text);
        else
            lin_random_print(seed, &text);
        compare_all("m.lin", text_string(&text), &options, &compared);
        text_release(&text);
    }
    print_compared("implementations", &compared);
}

static void processes(void **unused)
{
    (void)unused;
    struct compared compared = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        const lp_verify_options options = options_of(seed);
        struct csp_random *model = csp_random_create(seed / 3 % CSP_RANDOM_SHAPES, seed);
        compare_all("m.csp", csp_random_text(model), &options, &compared);
        csp_random_destroy(model);
    }
    print_compared("processes", &compared);
}

/* A swarm of one thread does the same each time. */
static void a_swarm_repeats_itself(void **unused)
{
    (void)unused;
    const lp_verify_options options = {
        .size = sizeof options, .search = LP_SEARCH_SWARM, .jobs = 1};
    uint64_t states[2];
    for (int i = 0; i < 2; i++) {
        struct csp_random *model = csp_random_create(CSP_RANDOM_OBJECT, 16);
        lp_context *context = lp_context_create(MEMORY);
        lp_model *read = NULL;
        lp_verification *result = NULL;
        const char *text = csp_random_text(model);
        assert_int_equal(lp_model_parse(context, "m", text, strlen(text), &read, NULL), LP_OK);
        assert_int_equal(lp_verify(context, read, 0, &options, &result, NULL), LP_OK);
        states[i] = result->states;
        lp_verification_destroy(result);
        lp_model_destroy(read);
        lp_context_destroy(context);
        csp_random_destroy(model);
    }
    assert_int_equal(states[0], states[1]);
}

/* Of a process without end, of which none of them sees all. */
static void a_swarm_is_as_many_searches_as_wanted(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(&test, "var x = 0; P = a{x = x + 1} -> P; #define less x < 0;"
                               "#assert P reaches less;");
    for (uint32_t most = 1; most <= 3; most++) {
        struct assertion_result result;
        struct swarm swarm = {.most = most};
        const struct assertion_options options = {
            .order = EXPLORE_SWARM, .swarm = &swarm, .limits = &test.limits};
        assertion_result_init(&result, &test.budget);
        assert_int_equal(csp_assertion_decide(&test.program, &test.module.assertions.items[0],
                                              test.pool, &options, &result, &test.error),
                         STATUS_OK);
        assert_int_equal(result.answer, UNDECIDED);
        assert_int_equal(result.extent.bits.searches, most);
        assertion_result_release(&result);
    }
    csp_model_test_close(&test);
}

/* test_incomplete [FIRST_SEED [MODELS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implementations),
        cmocka_unit_test(processes),
        cmocka_unit_test(a_swarm_repeats_itself),
        cmocka_unit_test(a_swarm_is_as_many_searches_as_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
