/* Real code under the memory models: the litmus tests of tests/code/litmus.c, compiled by gcc and
 * by clang with and without optimisation, have the outcomes that the literature gives them
 * (Alglave, Maranget, Tautschnig: Herding Cats, 2014; Lahav et al.: RC11, 2017; release sequences
 * as of C++20). Under sc and tso atomics always synchronise, so message passing is no race there.
 */
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"

static const struct litmus {
    const char *name;
    bool sc, tso, rc11; /* whether the outcome may be, or there is a race */
} litmus[] = {
    {"SB_RLX", false, true, true},
    {"SB_SC", false, false, false},
    {"SB_FENCES", false, false, false},
    {"SB_ONE_FENCE", false, true, true},
    {"MP_RLX", false, false, true},
    {"MP_RA", false, false, false},
    {"MP_FENCES", false, false, false},
    {"MP_DATA", false, false, false},
    {"MP_RACE", false, false, true},
    {"LB_RLX", false, false, false},
    {"IRIW_RA", false, false, true},
    {"IRIW_SC", false, false, false},
    {"IRIW_FENCES", false, false, false},
    {"W22_RLX", false, false, true},
    {"W22_SC", false, false, false},
    {"CO_RR", false, false, false},
    {"CO_WR", false, false, false},
    {"RELEASE_RMW", false, false, false},
    {"RELEASE_STORE", true, true, true},
    {"RELEASE_SAME", false, false, true},
    {"RMW_ADD", false, false, false},
    {"RMW_SWAP", false, false, false},
    {"WRC_RA", false, false, false},
    {"WRC_RLX", false, false, false}, /* the reads of x are coherent */
    {"ISA2_RA", false, false, false},
    {"R_SC", false, false, false},
    {"S_RA", false, false, false},
    {"Z6_U", false, false, true},
    {"RWC_FENCES", false, false, false},
    {"DEKKER_RMW", false, false, false},
    {"MUTEX", false, false, false},
    {"AWAIT", false, false, false},
};

static const struct litmus *litmus_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(litmus); i++)
        if (strcmp(litmus[i].name, name) == 0)
            return &litmus[i];
    fail_msg("litmus.c has a test %s, which the table has not", name);
    return NULL;
}

static void check(struct code_fixture *code, size_t number, enum memory_model model)
{
    static const char *const models[] = {"sc", "tso", "rc11"};
    const struct exchange_test *test = &code->tests.items.items[number];
    const struct litmus *wanted = litmus_named(test->name);
    struct exchange_result result;
    bool allowed = model == MEMORY_SC    ? wanted->sc
                   : model == MEMORY_TSO ? wanted->tso
                                         : wanted->rc11;
    code_run(code, number, model, NULL, &result);
    if (allowed != (result.end == END_FINDING) || (!allowed && result.end != END_COMPLETE))
        fail_msg("%s under %s (%s): %s, but it ended with %u", test->name, models[model],
                 text_string(&code->compilers), allowed ? "allowed" : "forbidden", result.end);
    if (allowed)
        assert_int_equal(result.finding.kind,
                         strcmp(test->name, "MP_RACE") == 0 ? FINDING_RACE : FINDING_ASSERTION);
}

static void run(const char *compiler, const char *flag)
{
    static const char *const sources[] = {SOURCE_DIR "/tests/code/litmus.c"};
    struct code_fixture code;
    if (!code_has_compiler(compiler))
        skip();
    setenv("CC", compiler, 1);
    code_build(&code, sources, 1, &flag, 1);
    assert_int_equal(code.tests.items.length, ARRAY_LENGTH(litmus));
    for (size_t i = 0; i < code.tests.items.length; i++) {
        check(&code, i, MEMORY_SC);
        check(&code, i, MEMORY_TSO);
        check(&code, i, MEMORY_RC11);
    }
    code_release(&code);
    unsetenv("CC");
}

static void gcc_unoptimised_has_the_outcomes_of_the_literature(void **state)
{
    (void)state;
    run("gcc", "-O0");
}

static void gcc_optimised_has_them(void **state)
{
    (void)state;
    run("gcc", "-O2");
}

static void clang_unoptimised_has_them(void **state)
{
    (void)state;
    run("clang", "-O0");
}

static void clang_optimised_has_them(void **state)
{
    (void)state;
    run("clang", "-O2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gcc_unoptimised_has_the_outcomes_of_the_literature),
        cmocka_unit_test(gcc_optimised_has_them),
        cmocka_unit_test(clang_unoptimised_has_them),
        cmocka_unit_test(clang_optimised_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
