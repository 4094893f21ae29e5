/* Lassos of livelocks in random graphs, against the definition: which components have one follows
 * from the edges inside of them, a lasso is walked along step by step, and no word of threads that
 * is shorter than its circle goes round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "scenario/lasso.h"
#include "support/seeds.h"

enum {
    MOST_NODES = 7,
    THREADS = 3,
    MOST_WORD = 7, /* letters of the words that are tried */
};

struct graph {
    struct lasso_node nodes[MOST_NODES];
    uint32_t count;
    bool reaches[MOST_NODES][MOST_NODES]; /* in no step or more */
};

/* ---- graphs ---- */

/* Takes what is reached from the first node, numbered breadth first, as the states of a program. */
static void number_anew(struct graph *graph)
{
    struct graph made = {.count = 1};
    uint32_t old[MOST_NODES] = {0};
    int32_t place[MOST_NODES] = {0};
    for (uint32_t i = 1; i < graph->count; i++)
        place[i] = -1;
    made.nodes[0].parent = LASSO_NOWHERE;
    for (uint32_t i = 0; i < made.count; i++) {
        const struct lasso_node *from = &graph->nodes[old[i]];
        made.nodes[i].changes = from->changes;
        for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
            int32_t to = from->to[thread];
            if (to >= 0 && place[to] < 0) {
                place[to] = (int32_t)made.count;
                old[made.count] = (uint32_t)to;
                made.nodes[made.count].parent = (int32_t)i;
                made.nodes[made.count++].by = (uint8_t)thread;
            }
            made.nodes[i].to[thread] = to >= 0 ? place[to] : to;
        }
    }
    *graph = made;
}

static void make_graph(struct random *random, struct graph *graph)
{
    unsigned nowhere = (unsigned)random_below(random, 5), not_taken = random_below(random, 8) == 0;
    unsigned changes = (unsigned)random_below(random, 5);
    *graph = (struct graph){.count = 1 + (uint32_t)random_below(random, MOST_NODES)};
    for (uint32_t i = 0; i < graph->count; i++)
        for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++) {
            int32_t *to = &graph->nodes[i].to[thread];
            *to = (int32_t)random_below(random, graph->count);
            if (thread >= THREADS || random_below(random, 6) < nowhere)
                *to = LASSO_NOWHERE;
            else if (not_taken && random_below(random, 6) == 0)
                *to = LASSO_NOT_TAKEN;
            if (*to >= 0 && random_below(random, 5) < changes)
                graph->nodes[i].changes |= (uint8_t)(1U << thread);
        }
    number_anew(graph);
    for (uint32_t i = 0; i < graph->count; i++) {
        graph->reaches[i][i] = true;
        for (unsigned thread = 0; thread < THREADS; thread++)
            if (graph->nodes[i].to[thread] >= 0)
                graph->reaches[i][graph->nodes[i].to[thread]] = true;
    }
    for (uint32_t over = 0; over < graph->count; over++)
        for (uint32_t i = 0; i < graph->count; i++)
            for (uint32_t j = 0; j < graph->count; j++)
                graph->reaches[i][j] |= graph->reaches[i][over] && graph->reaches[over][j];
}

/* ---- the definition ---- */

static bool are_together(const struct graph *graph, uint32_t one, uint32_t other)
{
    return graph->reaches[one][other] && graph->reaches[other][one];
}

/* Threads that can step somewhere in the component of a node. */
static unsigned able_in(const struct graph *graph, uint32_t node)
{
    unsigned able = 0;
    for (uint32_t i = 0; i < graph->count; i++)
        for (unsigned thread = 0; thread < THREADS && are_together(graph, i, node); thread++)
            able |= graph->nodes[i].to[thread] != LASSO_NOWHERE ? 1U << thread : 0;
    return able;
}

static bool is_closed(const struct graph *graph, uint32_t node)
{
    for (uint32_t i = 0; i < graph->count; i++)
        for (unsigned thread = 0; thread < THREADS && are_together(graph, i, node); thread++) {
            int32_t to = graph->nodes[i].to[thread];
            if (to == LASSO_NOT_TAKEN || (to >= 0 && !are_together(graph, (uint32_t)to, node)))
                return false;
        }
    return true;
}

/* All the edges inside of a component are on one circle, so it has a fair one if each thread that
 * can step has an edge there, which changes memory unless nothing leads out. */
static bool has_lasso(const struct graph *graph, uint32_t node)
{
    unsigned inside = 0, changing = 0, able = able_in(graph, node);
    for (uint32_t i = 0; i < graph->count; i++)
        for (unsigned thread = 0; thread < THREADS && are_together(graph, i, node); thread++) {
            int32_t to = graph->nodes[i].to[thread];
            if (to < 0 || !are_together(graph, (uint32_t)to, node))
                continue;
            inside |= 1U << thread;
            changing |= graph->nodes[i].changes & (1U << thread);
        }
    return changing && (is_closed(graph, node) ? inside == able : changing == able);
}

/* Whether steps of threads lead from a node back to it, so that the circle is one of a livelock. */
static bool goes_round(const struct graph *graph, uint32_t from, const uint8_t *steps,
                       unsigned length)
{
    unsigned moved = 0, changed = 0, able = able_in(graph, from);
    uint32_t node = from;
    for (unsigned i = 0; i < length; i++) {
        unsigned bit = 1U << steps[i];
        int32_t to = graph->nodes[node].to[steps[i]];
        if (to < 0)
            return false;
        moved |= bit;
        changed |= graph->nodes[node].changes & bit;
        node = (uint32_t)to;
    }
    return length > 0 && node == from && changed &&
           (is_closed(graph, from) ? moved == able : changed == able);
}

/* Whether some word of so many letters goes round from a node. */
static bool some_word_goes_round(const struct graph *graph, uint32_t from, unsigned length)
{
    unsigned words = 1;
    for (unsigned i = 0; i < length; i++)
        words *= THREADS;
    for (unsigned word = 0; word < words; word++) {
        uint8_t steps[MOST_WORD];
        for (unsigned i = 0, rest = word; i < length; i++, rest /= THREADS)
            steps[i] = (uint8_t)(rest % THREADS);
        if (goes_round(graph, from, steps, length))
            return true;
    }
    return false;
}

/* ---- comparison ---- */

/* Where the circle of a lasso begins, having walked to it. */
static uint32_t check_lasso(const struct graph *graph, const struct lasso *lasso)
{
    uint32_t node = 0;
    unsigned length = lasso->length - lasso->stem;
    assert_in_range(lasso->stem, 0, graph->count - 1);
    for (unsigned i = 0; i < lasso->stem; i++) {
        int32_t to = graph->nodes[node].to[lasso->steps[i]];
        assert_true(to >= 0);
        node = (uint32_t)to;
    }
    assert_true(goes_round(graph, node, lasso->steps + lasso->stem, length));
    assert_int_equal(is_closed(graph, node), lasso->is_closed);
    for (unsigned shorter = 1; shorter < length && shorter <= MOST_WORD; shorter++)
        assert_false(some_word_goes_round(graph, node, shorter));
    return node;
}

struct figures {
    unsigned lassos, closed, none;
};

static void compare(uint64_t seed, struct figures *figures)
{
    struct random random;
    struct graph graph;
    struct budget budget;
    struct lasso lasso;
    uint32_t from = 0;
    bool told[MOST_NODES] = {false}; /* some lasso is in the component of the node */
    budget_init(&budget, NULL, 0);
    random_seed(&random, seed);
    make_graph(&random, &graph);
    while (lasso_find(graph.nodes, graph.count, &from, &budget, &lasso)) {
        uint32_t node = check_lasso(&graph, &lasso);
        assert_false(told[node]); /* each component is looked at once */
        for (uint32_t i = 0; i < graph.count; i++)
            told[i] |= are_together(&graph, i, node);
        figures->lassos++;
        figures->closed += lasso.is_closed;
    }
    for (uint32_t i = 0; i < graph.count; i++) {
        assert_int_equal(has_lasso(&graph, i), told[i]);
        assert_int_equal(is_closed(&graph, i),
                         lasso_is_closed(graph.nodes, graph.count, i, &budget));
        figures->none += !told[i];
    }
    assert_int_equal(budget.used, 0);
}

static struct seeds seeds = {1, 20000};

static void lassos_are_found_where_the_definition_has_some(void **unused)
{
    (void)unused;
    struct figures figures = {0};
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        compare(seed, &figures);
    print_message("%u lassos, %u of them with no way out; %u nodes without\n", figures.lassos,
                  figures.closed, figures.none);
    if (seeds.count >= 1000)
        assert_true(figures.closed > 0 && figures.lassos > figures.closed && figures.none > 0);
}

/* Two threads give way to each other, and only together: x and y are each 0 or 1. */
static void threads_that_keep_step_and_a_way_out(void **unused)
{
    (void)unused;
    struct lasso_node nodes[3];
    struct lasso lasso;
    struct budget budget;
    uint32_t from = 0;
    budget_init(&budget, NULL, 0);
    for (size_t i = 0; i < 3; i++)
        for (unsigned thread = 0; thread < EXECUTION_THREADS; thread++)
            nodes[i].to[thread] = LASSO_NOWHERE;
    /* 0 -a-> 1 -b-> 0, both writing; 1 -a-> 2 is where a thread gets through. */
    nodes[0].parent = LASSO_NOWHERE;
    nodes[1].parent = 0, nodes[1].by = 0;
    nodes[2].parent = 1, nodes[2].by = 0;
    nodes[0].to[0] = 1, nodes[1].to[1] = 0, nodes[1].to[0] = 2;
    nodes[0].changes = 1, nodes[1].changes = 2, nodes[2].changes = 0;
    bool found = false;
    while (!found && lasso_find(nodes, 3, &from, &budget, &lasso))
        found = true;
    assert_true(found);
    assert_int_equal(0, lasso.stem);
    assert_int_equal(2, lasso.length);
    assert_memory_equal(((uint8_t[]){0, 1}), lasso.steps, 2);
    assert_false(lasso.is_closed);
    /* Where one of them only looks, it is unlucky at most: nothing is claimed. */
    nodes[1].changes = 0;
    from = 0;
    assert_false(lasso_find(nodes, 3, &from, &budget, &lasso));
    /* Unless nothing leads out. */
    nodes[1].to[0] = LASSO_NOWHERE;
    from = 0;
    assert_true(lasso_find(nodes, 2, &from, &budget, &lasso));
    assert_true(lasso.is_closed);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lassos_are_found_where_the_definition_has_some),
        cmocka_unit_test(threads_that_keep_step_and_a_way_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
