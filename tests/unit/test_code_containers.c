/* Real code: what the library of C++ has compiled of containers, streams and futures
 * (tests/code/containers.cc). Random use of each must give what arrays give; two threads that
 * change the same container race, unless they hold a lock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/code_fixture.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 3};

static size_t find(const struct code_fixture *code, const char *name)
{
    for (size_t i = 0; i < code->tests.items.length; i++)
        if (strcmp(code->tests.items.items[i].name, name) == 0)
            return i;
    fail_msg("there is no test %s", name);
    return 0;
}

static void look(struct code_fixture *code, const char *name, const char *scenario,
                 enum memory_model model, enum exchange_end end, enum finding_kind kind)
{
    static struct exchange_result result;
    code_run(code, find(code, name), model, scenario, &result);
    if (result.end != end || result.finding.kind != kind)
        fail_msg("%s of %s, %s: end %u, finding %u: %s", scenario, name,
                 text_string(&code->compilers), result.end, result.finding.kind,
                 result.finding.sentence);
}

static void use_at_random(struct code_fixture *code)
{
    static const char *const tests[] = {"map", "list", "hashes"};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        for (size_t i = 0; i < ARRAY_LENGTH(tests); i++) {
            char scenario[32];
            snprintf(scenario, sizeof scenario, "a %llu", (unsigned long long)(seed % 1000 + 1));
            look(code, tests[i], scenario, MEMORY_SC, END_COMPLETE, FINDING_NONE);
        }
}

static void use_at_once(struct code_fixture *code)
{
    static const char *const tests[] = {"insert", "erase", "append", "turn", "store", "write"};
    for (size_t i = 0; i < ARRAY_LENGTH(tests); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s_locked", tests[i]);
        look(code, name, "a; a | a", MEMORY_RC11, END_COMPLETE, FINDING_NONE);
        snprintf(name, sizeof name, "%s_unlocked", tests[i]);
        look(code, name, "a | a", MEMORY_RC11, END_FINDING, FINDING_RACE);
        look(code, name, "a; a; a", MEMORY_RC11, END_COMPLETE, FINDING_NONE);
    }
}

static void check(const char *compiler, const char *flag)
{
    static const char *const fine[] = {"streams", "futures", "promise", "print"};
    static const char *const sources[] = {SOURCE_DIR "/tests/code/containers.cc"};
    struct code_fixture code;
    if (!code_has_compiler(compiler))
        skip();
    setenv("CXX", compiler, 1);
    code_build(&code, sources, 1, &flag, 1);
    unsetenv("CXX");
    use_at_random(&code);
    use_at_once(&code);
    for (size_t i = 0; i < ARRAY_LENGTH(fine); i++)
        look(&code, fine[i], "a | a", MEMORY_RC11, END_COMPLETE, FINDING_NONE);
    code_release(&code);
}

static void containers_compiled_by_gcc_are_seen(void **state)
{
    (void)state;
    check("g++", "-O2");
}

static void containers_compiled_by_clang_are_seen(void **state)
{
    (void)state;
    check("clang++", "-O1");
}

/* test_code_containers [FIRST_SEED [SEEDS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers_compiled_by_gcc_are_seen),
        cmocka_unit_test(containers_compiled_by_clang_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
