/* Assertions about random models, decided by one thread and by two to four: the same answer, of
 * completed searches the same numbers of states and transitions, and an execution of the same
 * length, which breadth first is that of a shortest one. Implementations in .lin, their progress,
 * and processes in CSP#. Also built with the thread sanitizer. test_jobs [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/random.h"
#include "support/csp_model_test.h"
#include "support/csp_random.h"
#include "support/lin_random.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"

#define MOST_WORK    20000
#define MEMORY_PARTS 4

static struct seeds seeds = {.first = 1, .count = 5};

/* What must not depend on the number of threads. */
struct told {
    bool decided;
    enum holds answer;
    uint64_t states, transitions; /* of a completed search, else 0 */
    size_t steps;
    bool is_cut; /* by a limit, which threads meet at another place */
    size_t room; /* bytes that it took */
};

static struct told told_of(const struct assertion_result *result, enum status status)
{
    struct told told = {.decided = status == STATUS_OK};
    if (status != STATUS_OK)
        return told;
    told.answer = result->answer;
    told.is_cut = result->limit != LIMIT_NONE;
    if (result->answer != UNDECIDED && result->trace.steps.length == 0) {
        told.states = result->states;
        told.transitions = result->transitions;
    }
    told.steps = result->answer == UNDECIDED ? 0 : result->trace.steps.length;
    return told;
}

static void expect_same(const struct told *alone, const struct told *several, uint64_t seed,
                        size_t assertion, const char *text)
{
    if (alone->is_cut || several->is_cut)
        return;
    if (alone->decided == several->decided && alone->answer == several->answer &&
        alone->states == several->states && alone->transitions == several->transitions &&
        alone->steps == several->steps)
        return;
    fail_msg("seed %llu, assertion %zu: alone %d with %llu states, %llu transitions, %zu steps, "
             "several threads %d with %llu, %llu, %zu:\n%s",
             (unsigned long long)seed, assertion, (int)alone->answer,
             (unsigned long long)alone->states, (unsigned long long)alone->transitions,
             alone->steps, (int)several->answer, (unsigned long long)several->states,
             (unsigned long long)several->transitions, several->steps, text);
}

/* ---- .lin ---- */

static struct told decide_lin(struct lin_fixture *fixture, size_t number, unsigned threads,
                              reductions with, size_t room)
{
    struct limits limits;
    struct assertion_result result;
    struct told told = {0};
    const size_t used = atomic_load(&fixture->budget.used), limit = fixture->budget.limit;
    limits_init(&limits, &fixture->budget);
    limits.most_work = MOST_WORK;
    atomic_store(&fixture->budget.peak, used);
    atomic_store(&fixture->budget.refused, false);
    fixture->budget.limit = room ? used + room : limit;
    const struct assertion_options options = {
        .reductions = with, .threads = threads, .threads_from = 2, .limits = &limits};
    enum verdict verdict = lin_verdict_of(fixture, number, &options, &result);
    if (verdict == VERDICT_HOLDS || verdict == VERDICT_VIOLATED)
        told = told_of(&result, STATUS_OK);
    else
        told.states = (uint64_t)verdict;
    told.is_cut |= verdict == VERDICT_TOO_LARGE;
    assertion_result_release(&result);
    told.room = atomic_load(&fixture->budget.peak) - used;
    fixture->budget.limit = limit;
    return told;
}

/* How many of the assertions are violated. */
static size_t compare_text(const char *text, uint64_t seed)
{
    static const reductions ways[] = {REDUCE_DEFAULT, REDUCE_NONE};
    struct lin_fixture fixture;
    size_t violated = 0;
    if (!lin_fixture_open(&fixture, text))
        fail_msg("%s\n%s", fixture.error.message, text);
    for (size_t i = 0; i < fixture.module.assertions.length; i++) {
        const reductions with = ways[(seed + i) % ARRAY_LENGTH(ways)];
        const struct told alone = decide_lin(&fixture, i, 1, with, 0),
                          several = decide_lin(&fixture, i, 2 + seed % 3, with, 0);
        expect_same(&alone, &several, seed, i, text);
        violated += alone.decided && !several.is_cut && alone.answer == VIOLATED;
    }
    lin_fixture_close(&fixture);
    return violated;
}

static void compare_lin(void (*print)(uint64_t seed, struct text *text))
{
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        print(seed, &text);
        compare_text(text_string(&text), seed);
        text_release(&text);
    }
}

static void implementations_are_decided_alike(void **unused)
{
    (void)unused;
    compare_lin(lin_random_print);
    compare_lin(lin_random_print_points);
}

static void progress_is_decided_alike(void **unused)
{
    (void)unused;
    compare_lin(lin_random_progress_print);
}

/* What random models hardly have: a fault that is met within a round, and threads that wait for
 * ever where several threads of ours look at them. */
static void progress_ends_alike(void **unused)
{
    static const char *const models[] = {
        /* Whoever comes fourth is a fault, and behind it nobody returns. */
        "impl counted {\n"
        "    shared int n;\n"
        "    op enter() {\n"
        "        int old = n;\n"
        "        if (old < 3) { cas(n, old, old + 1); return ok; }\n"
        "        assert (old < 3);\n"
        "        while (true) { n = old; }\n"
        "        return ok;\n"
        "    }\n"
        "}\n"
        "assert counted lock_free with ops = any;\n"
        "assert counted obstruction_free with ops = any;\n",
        /* Whoever comes fourth waits for ever. That is a cycle of its own: from the beginning
         * nobody comes here before others have returned. Of two operations, so that no level has
         * but one state, which one thread of ours would look at. */
        "impl gate {\n"
        "    shared int n;\n"
        "    op left() {\n"
        "        int old = n;\n"
        "        if (old < 3) { cas(n, old, old + 1); return ok; }\n"
        "        await (n < 3);\n"
        "        return ok;\n"
        "    }\n"
        "    op right() {\n"
        "        int old = n;\n"
        "        if (old < 3) { cas(n, old, old + 1); return ok; }\n"
        "        await (n < 3);\n"
        "        return ok;\n"
        "    }\n"
        "}\n"
        "assert gate lock_free with ops = any;\n"
        "assert gate obstruction_free with ops = any;\n",
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(models); i++)
        for (uint64_t seed = 0; seed < 6; seed++)
            assert_int_equal(compare_text(models[i], seed), 2);
}

/* With less memory than threads need, or a little more: either there is an answer, the same one, or
 * there is none. Tables in parts take several times what one takes of so few states. */
static void refused_memory_is_no_answer(void **unused)
{
    struct random random;
    uint32_t cut = 0, decided = 0;
    (void)unused;
    random_seed(&random, seeds.first);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct text text = TEXT_EMPTY;
        struct lin_fixture fixture;
        lin_random_print(seed, &text);
        assert_true(lin_fixture_open(&fixture, text_string(&text)));
        for (size_t i = 0; i < fixture.module.assertions.length; i++) {
            const struct told alone = decide_lin(&fixture, i, 1, REDUCE_DEFAULT, 0);
            for (unsigned part = 1; part <= MEMORY_PARTS; part++) {
                const size_t most = 6 * alone.room / MEMORY_PARTS * part;
                const struct told several = decide_lin(&fixture, i, 2 + seed % 3, REDUCE_DEFAULT,
                                                       1 + random_below(&random, most));
                expect_same(&alone, &several, seed, i, text_string(&text));
                cut += several.is_cut;
                decided += !several.is_cut;
            }
        }
        lin_fixture_close(&fixture);
        text_release(&text);
    }
    print_message("%u cut by memory, %u decided\n", cut, decided);
    assert_true(cut > 0 && decided > 0);
}

/* ---- CSP# ---- */

static struct told decide_csp(struct csp_model_test *test, size_t number, unsigned threads,
                              reductions with)
{
    struct assertion_result result;
    struct told told = {0};
    test->limits.most_work = MOST_WORK;
    atomic_store(&test->limits.work, 0);
    atomic_store(&test->limits.too_deep, false);
    const struct assertion_options options = {
        .reductions = with, .threads = threads, .threads_from = 2, .limits = &test->limits};
    assertion_result_init(&result, &test->budget);
    const enum status status =
        csp_assertion_decide(&test->program, &test->module.assertions.items[number], test->pool,
                             &options, &result, &test->error);
    told = told_of(&result, status);
    assertion_result_release(&result);
    return told;
}

static void processes_are_decided_alike(void **unused)
{
    static const reductions ways[] = {REDUCE_DEFAULT, REDUCE_NONE, REDUCE_PARTIAL_ORDER,
                                      REDUCE_PAPER};
    (void)unused;
    for (enum csp_random_shape shape = 0; shape < CSP_RANDOM_SHAPES; shape++)
        for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
            struct csp_random *model = csp_random_create(shape, seed);
            struct csp_model_test test;
            csp_model_test_open(&test, csp_random_text(model));
            for (size_t i = 0; i < test.module.assertions.length; i++) {
                const reductions with = ways[(seed + i) % ARRAY_LENGTH(ways)];
                const struct told alone = decide_csp(&test, i, 1, with),
                                  several = decide_csp(&test, i, 2 + seed % 3, with);
                expect_same(&alone, &several, seed, i, csp_random_text(model));
            }
            csp_model_test_close(&test);
            csp_random_destroy(model);
        }
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(implementations_are_decided_alike),
        cmocka_unit_test(progress_is_decided_alike),
        cmocka_unit_test(progress_ends_alike),
        cmocka_unit_test(processes_are_decided_alike),
        cmocka_unit_test(refused_memory_is_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
