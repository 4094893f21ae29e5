/* Iterations of loops that wait are left out, unless they race with what comes of going on; what is
 * found is what is found with one of them. */
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"

static const char *const SOURCES[] = {SOURCE_DIR "/tests/code/rounds.c"};

/* Under rc11; by sc and tso atomics order what races here. */
static const struct {
    const char *test, *scenario;
    enum finding_kind finding; /* FINDING_NONE: it holds */
} CASES[] = {
    {"reading", "wait | then", FINDING_RACE},       {"reading", "then | wait", FINDING_RACE},
    {"updating", "wait | then", FINDING_RACE},      {"updating", "then | wait", FINDING_RACE},
    {"looking", "wait | then", FINDING_RACE},       {"looking", "then | wait", FINDING_RACE},
    {"reading_much", "wait | then", FINDING_RACE},  {"ordered", "wait | then", FINDING_NONE},
    {"ordered", "then | wait", FINDING_NONE},       {"storing", "look | set", FINDING_ASSERTION},
    {"reading_behind", "look | set", FINDING_RACE}, {"reading_before", "look | set", FINDING_RACE},
    {"reading_before", "set | look", FINDING_RACE},
};

static size_t number_of(const struct code_fixture *code, const char *name)
{
    for (size_t i = 0; i < code->tests.items.length; i++)
        if (strcmp(code->tests.items.items[i].name, name) == 0)
            return i;
    fail_msg("there is no test %s", name);
    return 0;
}

static void check_case(struct code_fixture *code, size_t i, enum memory_model model, bool keeps,
                       const char *how)
{
    static struct exchange_result result;
    const struct exchange_request wishes = {
        .model = model, .keeps_retries = keeps, .keeps_rounds = keeps};
    enum finding_kind finding = model == MEMORY_RC11 ? CASES[i].finding : FINDING_NONE;
    code_explore(code, number_of(code, CASES[i].test), &wishes, CASES[i].scenario, &result);
    if (result.end != (finding ? END_FINDING : END_COMPLETE) || result.finding.kind != finding)
        fail_msg("%s: %s under model %d, %s%s: ended with %u, found %u", CASES[i].test,
                 CASES[i].scenario, model, how, keeps ? ", every iteration" : "", result.end,
                 result.finding.kind);
}

static void check(const char *compiler, const char *flag)
{
    struct code_fixture code;
    if (!code_has_compiler(compiler))
        skip();
    setenv("CC", compiler, 1);
    code_build(&code, SOURCES, 1, &flag, 1);
    for (size_t i = 0; i < ARRAY_LENGTH(CASES); i++)
        for (int model = MEMORY_SC; model <= MEMORY_RC11; model++) {
            check_case(&code, i, (enum memory_model)model, false, flag);
            check_case(&code, i, (enum memory_model)model, true, flag);
        }
    code_release(&code);
    unsetenv("CC");
}

static void iterations_that_race_are_found_in_what_gcc_makes(void **state)
{
    (void)state;
    check("gcc", "-O1");
}

static void iterations_that_race_are_found_in_what_clang_makes(void **state)
{
    (void)state;
    check("clang", "-O1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterations_that_race_are_found_in_what_gcc_makes),
        cmocka_unit_test(iterations_that_race_are_found_in_what_clang_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
