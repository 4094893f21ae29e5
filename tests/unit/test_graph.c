/* The state graph of small random models, given as relations: against the relations themselves,
 * with ample sets, with states that stand for others, and with states that are skipped.
 * test_graph [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/made_graph.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 600};

/* Edges of a state, as a relation. */
struct row {
    bool to[LABELS][MOST];
};

static bool same(const struct row *one, const struct row *other)
{
    return memcmp(one, other, sizeof *one) == 0;
}

/* Where a step that leads to `to` ends up. */
static uint32_t stored(const struct made *made, uint32_t to, bool skips)
{
    to = made->stands_by[to];
    while (skips && made->skips_to[to] != to)
        to = made->skips_to[to];
    return to;
}

/* The edges that a state should have: of one process, or (PROCESSES) of all. */
static struct row wanted(const struct made *made, uint32_t from, uint32_t process, bool skips)
{
    struct row row = {0};
    for (uint32_t l = 0; l < LABELS; l++)
        for (uint32_t to = 0; to < made->count; to++)
            if (made->edge[l][from][to] &&
                (process == PROCESSES || made_process(l, from, to) == process))
                row.to[l][stored(made, to, skips)] = true;
    return row;
}

static bool ascends(const struct row *row, uint32_t from)
{
    for (uint32_t l = 0; l < LABELS; l++)
        for (uint32_t to = from + 1; to < MOST; to++)
            if (row->to[l][to])
                return true;
    return false;
}

/* The first ample set that ascends, else all. */
static struct row chosen(const struct made *made, uint32_t from, bool skips)
{
    for (uint32_t process = 0; process < PROCESSES; process++) {
        struct row row = wanted(made, from, process, skips);
        if ((made->ample[from] >> process & 1) && ascends(&row, from))
            return row;
    }
    return wanted(made, from, PROCESSES, skips);
}

static struct row row_of_graph(struct graph *graph, state_id state)
{
    struct row row = {0};
    const struct edge *edges;
    uint32_t count;
    struct error error;
    assert_int_equal(graph_edges(graph, state, &edges, &count, &error), STATUS_OK);
    for (uint32_t i = 0; i < count; i++)
        row.to[made_label(edges[i].label)][made_number(graph, edges[i].target)] = true;
    return row;
}

/* Asks for the edges of all states, in the order found or, of those known, the last first. */
static uint32_t expect_graph(struct made *made, bool skips, bool last_first)
{
    struct graph graph;
    struct error error;
    bool met[MOST] = {false};
    uint32_t asked = 0;
    assert_int_equal(graph_create(&made->model, NULL, &graph, &error), STATUS_OK);
    graph.skips = skips;
    while (asked < graph_count(&graph)) {
        state_id state = last_first ? graph_count(&graph) - 1 : 0;
        while (met[made_number(&graph, state)])
            state = last_first ? state - 1 : state + 1;
        const uint32_t from = made_number(&graph, state);
        const struct row row = row_of_graph(&graph, state), plain = chosen(made, from, skips);
        assert_true(same(&row, &plain));
        met[from] = true;
        asked++;
    }
    graph_release(&graph);
    assert_int_equal(made->budget.used, 0);
    return asked;
}

static void make(struct made *made, struct random *random, uint64_t seed)
{
    random_seed(random, seed);
    made_random(made, random, 15);
}

static void a_graph_has_the_edges_of_the_model(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        make(&made, &random, seed);
        assert_int_equal(expect_graph(&made, false, false), expect_graph(&made, false, true));
    }
}

/* Which ample set is taken does not depend on the order in which states are expanded. All states
 * that are met have an edge upwards, or all their edges. */
static void ample_sets_are_chosen_by_the_states_alone(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        make(&made, &random, seed);
        for (uint32_t i = 0; i < MOST; i++)
            made.ample[i] = (uint8_t)random_below(&random, 1 << PROCESSES);
        expect_graph(&made, false, false);
        expect_graph(&made, false, true);
    }
}

static void states_that_stand_for_others_are_stored(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        make(&made, &random, seed);
        for (uint32_t i = 0; i < made.count; i++)
            made.stands_by[i] = made.stands_by[random_below(&random, i + 1)];
        assert_int_equal(expect_graph(&made, false, false), expect_graph(&made, false, true));
    }
}

/* Those that are met first of all are stored all the same: they are when the graph is made. */
static void states_are_skipped(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        make(&made, &random, seed);
        for (uint32_t i = 1; i + 1 < made.count; i++)
            if (i != made.second && random_below(&random, 3) == 0)
                made.skips_to[i] = i + 1 + random_below(&random, made.count - i - 1);
        assert_int_equal(expect_graph(&made, true, false), expect_graph(&made, true, true));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_has_the_edges_of_the_model),
        cmocka_unit_test(ample_sets_are_chosen_by_the_states_alone),
        cmocka_unit_test(states_that_stand_for_others_are_stored),
        cmocka_unit_test(states_are_skipped),
    };
    seeds_from_arguments(&seeds, argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
