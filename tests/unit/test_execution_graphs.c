/* The exploration of execution graphs against the definitions of the memory models: on random
 * small programs, every graph of the model is met, once, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "scenario/hanging.h"
#include "support/generate.h"
#include "support/memory_oracle.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 180};

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
        memory_program_random(&program, seed, 5 + (unsigned)(seed % 6));
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

/* Whether some run ends in a graph that hangs; makes some instructions wait, for else few do. */
static bool explore_for_hanging(const struct memory_program *program, enum memory_model model,
                                enum psc_form psc)
{
    struct budget budget;
    bool hangs = false;
    budget_init(&budget, NULL, 0);
    struct exploration_settings settings = {.model = model, .psc = psc, .budget = &budget};
    struct exploration *exploration = NULL;
    assert_int_equal(exploration_create(&settings, &exploration), STATUS_OK);
    while (exploration_begin(exploration)) {
        unsigned stuck;
        assert_true(memory_program_run_stuck(program, exploration, &stuck));
        const struct execution_graph *graph = exploration_graph(exploration);
        bool all = stuck != 0;
        for (unsigned i = 0; i < PROGRAM_THREADS; i++)
            if (stuck >> i & 1) /* its last read would be done again */
                all &= hanging_would_repeat(graph, i, graph->events[graph->last[i]].index - 1u);
        hangs |= all;
    }
    exploration_destroy(exploration);
    return hangs;
}

static void let_wait(struct memory_program *program, struct random *random)
{
    for (unsigned i = 0; i < program->threads; i++)
        for (unsigned j = 0; j < program->length[i]; j++) {
            struct program_instruction *made = &program->instructions[i][j];
            if (made->kind != PROGRAM_LOAD || !random_chance(random, 2, 3))
                continue;
            made->kind = PROGRAM_WAIT_FOR;
            made->value = random_below(random, 3);
        }
}

static void what_hangs_is_what_hangs_by_the_definition(void **unused)
{
    (void)unused;
    unsigned compared = 0, hanging = 0, weakly = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program program;
        struct random random;
        bool under[3] = {false};
        random_seed(&random, seed * 31);
        memory_program_random(&program, seed, 5 + (unsigned)(seed % 6));
        let_wait(&program, &random);
        for (unsigned i = 0; i < 4; i++) {
            enum memory_model model = MODELS[i < 3 ? i : 2];
            enum psc_form psc = i < 3 ? PSC_PAPER : PSC_GENMC;
            bool hangs;
            if (!memory_oracle_hangs(&program, model, psc, &hangs))
                continue;
            if (explore_for_hanging(&program, model, psc) != hangs)
                differ(&program, seed, hangs ? "what hangs is not met" : "nothing hangs");
            compared++;
            hanging += hangs;
            under[i % 3] |= hangs;
        }
        weakly += under[2] && !under[0];
    }
    print_message("%u comparisons, %u hang; %u programs under rc11 and not under sc\n", compared,
                  hanging, weakly);
    assert_true(compared > 0 && hanging > 0 && hanging < compared);
}

static void outcomes_are_those_of_a_machine(void **unused)
{
    (void)unused;
    size_t outcomes = 0, weak = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program program;
        memory_program_random(&program, seed, 5 + (unsigned)(seed % 8));
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

/* Litmus tests of the literature: what the threads read, and the models that allow it. */
static const struct {
    const char *name, *program, *outcome;
    bool sc, tso, rc11;
} LITMUS[] = {
    {"SB", "Wx1.rlx Ry.rlx | Wy1.rlx Rx.rlx", "0 | 0 | | | ", false, true, true},
    {"SB, seq_cst", "Wx1.sc Ry.sc | Wy1.sc Rx.sc", "0 | 0 | | | ", false, false, false},
    {"SB, one is weaker", "Wx1.sc Ry.rlx | Wy1.sc Rx.sc", "0 | 0 | | | ", false, false, true},
    {"SB, fences", "Wx1.rlx F.sc Ry.rlx | Wy1.rlx F.sc Rx.rlx", "0 | 0 | | | ", false, false,
     false},
    {"SB, one fence", "Wx1.rlx F.sc Ry.rlx | Wy1.rlx Rx.rlx", "0 | 0 | | | ", false, true, true},
    {"SB, updates", "Ux.ar Ry.acq | Uy.ar Rx.acq", "0 0 | 0 0 | | | ", false, false, true},
    {"MP", "Wx1.rlx Wy1.rlx | Ry.rlx Rx.rlx", "| 1 0 | | | ", false, false, true},
    {"MP, release", "Wx1.rlx Wy1.rel | Ry.acq Rx.rlx", "| 1 0 | | | ", false, false, false},
    {"MP, fences", "Wx1.rlx F.rel Wy1.rlx | Ry.rlx F.acq Rx.rlx", "| 1 0 | | | ", false, false,
     false},
    {"MP, a release sequence", "Wx1.rlx Wy1.rel | Uy.rlx | Ry.acq Rx.rlx", "| 1 | 2 0 | | ", false,
     false, false},
    {"MP, a store behind the release", "Wx1.rlx Wy1.rel Wy2.rlx | Ry.acq Rx.rlx", "| 2 0 | | | ",
     false, false, true},
    {"LB", "Rx.rlx Wy1.rlx | Ry.rlx Wx1.rlx", "1 | 1 | | | ", false, false, false},
    {"IRIW", "Wx1.rel | Wy1.rel | Rx.acq Ry.acq | Ry.acq Rx.acq", "| | 1 0 | 1 0 | ", false, false,
     true},
    {"IRIW, seq_cst", "Wx1.sc | Wy1.sc | Rx.sc Ry.sc | Ry.sc Rx.sc", "| | 1 0 | 1 0 | ", false,
     false, false},
    {"IRIW, fences", "Wx1.rlx | Wy1.rlx | Rx.rlx F.sc Ry.rlx | Ry.rlx F.sc Rx.rlx",
     "| | 1 0 | 1 0 | ", false, false, false},
    {"WRC", "Wx1.rlx | Rx.rlx Wy1.rlx | Ry.rlx Rx.rlx", "| 1 | 1 0 | | ", false, false, true},
    {"WRC, release", "Wx1.rel | Rx.acq Wy1.rel | Ry.acq Rx.rlx", "| 1 | 1 0 | | ", false, false,
     false},
    {"ISA2", "Wx1.rlx Wy1.rel | Ry.acq Wz1.rel | Rz.acq Rx.rlx", "| 1 | 1 0 | | ", false, false,
     false},
    {"RWC, fences", "Wx1.rlx | Rx.acq F.sc Ry.rlx | Wy1.rlx F.sc Rx.rlx", "| 1 0 | 0 | | ", false,
     false, false},
    {"Z6.U", "Wx1.sc Wy1.rel | Uy.sc Ry.rlx | Wy3.sc Rx.sc", "| 1 3 | 0 | | ", false, false, true},
    {"CoRR", "Wx1.rlx Wx2.rlx | Rx.rlx Rx.rlx", "| 2 1 | | | ", false, false, false},
    {"CoWR", "Wx1.rlx Rx.rlx", "0 | | | | ", false, false, false},
};

static void litmus_tests_have_the_known_answers(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < sizeof LITMUS / sizeof *LITMUS; i++)
        for (unsigned j = 0; j < 3; j++) {
            struct memory_program program;
            struct found found;
            bool allowed = j == 0 ? LITMUS[i].sc : j == 1 ? LITMUS[i].tso : LITMUS[i].rc11;
            memory_program_parse(&program, LITMUS[i].program);
            explore(&program, MODELS[j], PSC_PAPER, &found);
            if (found.broken || found.twice > 0 ||
                text_set_has(&found.outcomes, LITMUS[i].outcome) != allowed)
                fail_msg("%s under model %u: expected to be %s", LITMUS[i].name, j,
                         allowed ? "allowed" : "forbidden");
            found_release(&found);
        }
}

/* test_execution_graphs [FIRST_SEED [PROGRAMS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(litmus_tests_have_the_known_answers),
        cmocka_unit_test(every_graph_of_the_model_is_met_once),
        cmocka_unit_test(what_hangs_is_what_hangs_by_the_definition),
        cmocka_unit_test(outcomes_are_those_of_a_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
