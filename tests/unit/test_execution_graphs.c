/* The exploration of execution graphs against the definitions of the memory models: on random
 * small programs, every graph of the model is met, once, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/memory_oracle.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 300};

struct found {
    struct text_set graphs, outcomes;
    unsigned runs, stuck, twice;
    bool broken;
};

static void explore(const struct memory_program *program, enum memory_model model,
                    enum psc_form psc, struct found *found)
{
    struct budget budget;
    budget_init(&budget, NULL, (size_t)256 << 20);
    struct exploration_settings settings = {.model = model, .psc = psc, .budget = &budget};
    struct exploration *exploration = NULL;
    memset(found, 0, sizeof *found);
    assert_int_equal(exploration_create(&settings, &exploration), STATUS_OK);
    while (!found->broken && exploration_begin(exploration)) {
        char words[GRAPH_WORDS];
        bool complete;
        found->runs++;
        found->broken = !memory_program_run(program, exploration, &complete);
        found->stuck += !complete;
        if (found->broken || !complete)
            continue;
        memory_graph_describe(exploration_graph(exploration), words);
        found->twice += !text_set_add(&found->graphs, words);
        memory_graph_outcome(exploration_graph(exploration), words);
        (void)text_set_add(&found->outcomes, words);
    }
    exploration_destroy(exploration);
    assert_int_equal(budget.used, 0);
}

static void found_release(struct found *found)
{
    text_set_release(&found->graphs);
    text_set_release(&found->outcomes);
}

static void differ(const struct memory_program *program, uint64_t seed, const char *what)
{
    memory_program_print(program);
    fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

static bool is_same(const struct text_set *one, const struct text_set *other)
{
    if (one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (!text_set_has(other, one->items[i]))
            return false;
    return true;
}

static const enum memory_model MODELS[] = {MEMORY_SC, MEMORY_TSO, MEMORY_RC11};

static void every_graph_of_the_model_is_met_once(void **unused)
{
    (void)unused;
    unsigned compared = 0, large = 0;
    size_t graphs = 0, most = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program program;
        memory_program_random(&program, seed, 4 + (unsigned)(seed % 7));
        for (unsigned i = 0; i < 4; i++) {
            enum memory_model model = MODELS[i < 3 ? i : 2];
            enum psc_form psc = i < 3 ? PSC_PAPER : PSC_GENMC;
            struct text_set expected = {0};
            struct found found;
            if (!memory_oracle_graphs(&program, model, psc, &expected)) {
                large++;
                text_set_release(&expected);
                continue;
            }
            explore(&program, model, psc, &found);
            if (found.broken)
                differ(&program, seed, "a run could not be made");
            if (found.twice > 0)
                differ(&program, seed, "a graph was met twice");
            if (!is_same(&expected, &found.graphs))
                differ(&program, seed, "other graphs than by the definition");
            compared++;
            graphs += expected.count;
            most = expected.count > most ? expected.count : most;
            found_release(&found);
            text_set_release(&expected);
        }
    }
    print_message("seeds from %llu: %u comparisons, %zu graphs, at most %zu; %u too large\n",
                  (unsigned long long)seeds.first, compared, graphs, most, large);
    assert_true(compared > large * 4);
}

static void outcomes_are_those_of_a_machine(void **unused)
{
    (void)unused;
    size_t outcomes = 0, weak = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program program;
        memory_program_random(&program, seed, 4 + (unsigned)(seed % 9));
        size_t counts[2];
        for (unsigned i = 0; i < 2; i++) {
            struct text_set expected = {0};
            struct found found;
            memory_oracle_outcomes(&program, MODELS[i], &expected);
            explore(&program, MODELS[i], PSC_PAPER, &found);
            if (found.broken || found.twice > 0)
                differ(&program, seed, "a run could not be made, or was made twice");
            if (!is_same(&expected, &found.outcomes))
                differ(&program, seed, "other values are read than on the machine");
            counts[i] = expected.count;
            found_release(&found);
            text_set_release(&expected);
        }
        outcomes += counts[1];
        weak += counts[1] > counts[0];
    }
    print_message("%zu outcomes; store buffers were noticed in %zu programs\n", outcomes, weak);
    assert_true(weak > seeds.count / 200);
}

/* test_execution_graphs [FIRST_SEED [PROGRAMS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_of_the_model_is_met_once),
        cmocka_unit_test(outcomes_are_those_of_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
