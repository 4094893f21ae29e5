/* Fair cycles of random small graphs, against the definition: every set of edges that a run may
 * take again and again is tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "property/fairness.h"
#include "support/seeds.h"

#define MOST_SYSTEMS 4
#define MOST_PLACES  3
#define MOST_NODES   (MOST_SYSTEMS * MOST_PLACES)
#define MOST_EDGES   12
#define EVENTS       4
#define PROCESSES    3

/* ---- the definition ---- */

/* The edges that are taken again and again, as a set, and what follows from it. */
struct again {
    const struct fair_graph *graph;
    uint32_t edges;
    uint32_t nodes;
};

static uint32_t source(const struct fair_graph *graph, uint32_t edge)
{
    uint32_t node = 0;
    while (graph->first_edge.items[node + 1] <= edge)
        node++;
    return node;
}

static struct again make_again(const struct fair_graph *graph, uint32_t edges)
{
    struct again again = {.graph = graph, .edges = edges};
    for (uint32_t e = 0; e < graph->edges.length; e++)
        if (edges >> e & 1)
            again.nodes |= 1u << source(graph, e) | 1u << graph->edges.items[e].target;
    return again;
}

/* Whether each node leads to each other by edges of the set. */
static bool is_one_run(const struct again *again)
{
    for (uint32_t from = 0; from < again->graph->systems.length; from++) {
        uint32_t reached = 1u << from, before;
        if (!(again->nodes >> from & 1))
            continue;
        do {
            before = reached;
            for (uint32_t e = 0; e < again->graph->edges.length; e++)
                if ((again->edges >> e & 1) && (reached >> source(again->graph, e) & 1))
                    reached |= 1u << again->graph->edges.items[e].target;
        } while (reached != before);
        if (reached != again->nodes)
            return false;
    }
    return true;
}

static bool has_acceptance(const struct again *again)
{
    uint64_t acceptance = 0;
    for (uint32_t e = 0; e < again->graph->edges.length; e++)
        if (again->edges >> e & 1)
            acceptance |= again->graph->edges.items[e].acceptance;
    return (acceptance & again->graph->acceptance) == again->graph->acceptance;
}

/* What is looked at: an event, a process, or one step. */
enum about {
    EVENT,
    PROCESS,
    STEP,
};

static bool is_about(const struct fair_graph *graph, uint32_t step, enum about about,
                     uint32_t which)
{
    if (step == FAIR_STUTTER)
        return false;
    const struct fair_step *known = &graph->steps.items[step];
    return about == EVENT     ? known->event == which
           : about == PROCESS ? known->processes >> which & 1
                              : step == which;
}

static bool is_enabled(const struct fair_graph *graph, uint32_t node, enum about about,
                       uint32_t which)
{
    uint32_t system = graph->systems.items[node];
    for (uint32_t s = graph->first_step.items[system]; s < graph->first_step.items[system + 1]; s++)
        if (is_about(graph, s, about, which))
            return true;
    return false;
}

static bool is_taken(const struct again *again, enum about about, uint32_t which)
{
    for (uint32_t e = 0; e < again->graph->edges.length; e++)
        if ((again->edges >> e & 1) &&
            is_about(again->graph, again->graph->edges.items[e].step, about, which))
            return true;
    return false;
}

static bool is_weakly_fair(const struct again *again, enum about about, uint32_t which)
{
    for (uint32_t node = 0; node < again->graph->systems.length; node++)
        if ((again->nodes >> node & 1) && !is_enabled(again->graph, node, about, which))
            return true;
    return is_taken(again, about, which);
}

static bool is_strongly_fair(const struct again *again, enum about about, uint32_t which)
{
    bool enabled = false;
    for (uint32_t node = 0; node < again->graph->systems.length; node++)
        enabled |= (again->nodes >> node & 1) && is_enabled(again->graph, node, about, which);
    return !enabled || is_taken(again, about, which);
}

static bool is_fair(const struct again *again, enum fairness kind)
{
    static const enum about abouts[] = {
        [FAIRNESS_EVENT_WEAK] = EVENT,     [FAIRNESS_EVENT_STRONG] = EVENT,
        [FAIRNESS_PROCESS_WEAK] = PROCESS, [FAIRNESS_PROCESS_STRONG] = PROCESS,
        [FAIRNESS_GLOBAL] = STEP,
    };
    if (kind == FAIRNESS_NONE)
        return true;
    enum about about = abouts[kind];
    uint32_t count = about == EVENT     ? EVENTS
                     : about == PROCESS ? PROCESSES
                                        : (uint32_t)again->graph->steps.length;
    bool weak = kind == FAIRNESS_EVENT_WEAK || kind == FAIRNESS_PROCESS_WEAK;
    for (uint32_t which = 0; which < count; which++)
        if (!(weak ? is_weakly_fair(again, about, which) : is_strongly_fair(again, about, which)))
            return false;
    return true;
}

static bool exists(const struct fair_graph *graph, enum fairness kind)
{
    for (uint32_t set = 1; set < 1u << graph->edges.length; set++) {
        struct again again = make_again(graph, set);
        if (is_one_run(&again) && has_acceptance(&again) && is_fair(&again, kind))
            return true;
    }
    return false;
}

/* ---- random graphs ---- */

static bool make_steps(struct fair_graph *graph, struct random *random, uint32_t *targets,
                       uint32_t systems)
{
    bool made = true;
    for (uint32_t system = 0; system < systems; system++) {
        made &= vector_push(&graph->first_step, (uint32_t)graph->steps.length);
        for (uint32_t i = random_below(random, 4); i > 0; i--) {
            struct fair_step step = {random_below(random, EVENTS),
                                     1u << random_below(random, PROCESSES)};
            if (random_chance(random, 1, 4))
                step.processes |= 1u << random_below(random, PROCESSES);
            targets[graph->steps.length] = random_below(random, systems);
            made &= vector_push(&graph->steps, step);
        }
    }
    return made && vector_push(&graph->first_step, (uint32_t)graph->steps.length);
}

static uint64_t make_acceptance(struct random *random)
{
    return random_chance(random, 1, 3) ? 1 + random_below(random, 3) : 0;
}

/* A product: node system * places + place; of each step some of the edges there may be. */
static bool make_graph(struct fair_graph *graph, struct random *random)
{
    uint32_t systems = 1 + random_below(random, MOST_SYSTEMS);
    uint32_t places = 1 + random_below(random, MOST_PLACES);
    uint32_t targets[MOST_SYSTEMS * 4];
    bool made = make_steps(graph, random, targets, systems);
    graph->acceptance = random_below(random, 4);
    for (uint32_t node = 0; node < systems * places; node++) {
        uint32_t system = node / places;
        made &= vector_push(&graph->systems, system) &&
                vector_push(&graph->first_edge, (uint32_t)graph->edges.length);
        uint32_t begin = graph->first_step.items[system], end = graph->first_step.items[system + 1];
        if (begin == end && graph->edges.length < MOST_EDGES)
            made &= vector_push(&graph->edges,
                                ((struct fair_edge){node, FAIR_STUTTER, make_acceptance(random)}));
        for (uint32_t step = begin; step < end; step++)
            for (uint32_t place = 0; place < places; place++)
                if (graph->edges.length < MOST_EDGES && random_chance(random, 2, 3))
                    made &= vector_push(&graph->edges,
                                        ((struct fair_edge){targets[step] * places + place, step,
                                                            make_acceptance(random)}));
    }
    return made && vector_push(&graph->first_edge, (uint32_t)graph->edges.length);
}

static struct seeds seeds = {.first = 1, .count = 4000};

static void cycles_follow_from_the_definition(void **unused)
{
    (void)unused;
    struct budget budget;
    struct random random;
    struct fair_graph graph;
    struct fair_cycle cycle;
    unsigned found_of[FAIRNESS_KINDS] = {0};
    budget_init(&budget, NULL, 0);
    fair_graph_init(&graph, &budget);
    vector_init(&cycle.edges, &budget);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        random_seed(&random, seed);
        fair_graph_clear(&graph);
        assert_true(make_graph(&graph, &random));
        for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++) {
            bool found, fair;
            assert_int_equal(fair_cycle_find(&graph, kind, NULL, &cycle, &found), STATUS_OK);
            if (found != exists(&graph, kind))
                fail_msg("graph %llu, %s: %s", (unsigned long long)seed, fairness_name(kind),
                         found ? "there is none" : "there is one");
            if (!found)
                continue;
            found_of[kind]++;
            assert_true(cycle.edges.length > 0);
            uint32_t set = 0, at = source(&graph, cycle.edges.items[0]);
            for (size_t i = 0; i < cycle.edges.length; i++) {
                assert_int_equal(source(&graph, cycle.edges.items[i]), at);
                at = graph.edges.items[cycle.edges.items[i]].target;
                set |= 1u << cycle.edges.items[i];
            }
            assert_int_equal(at, source(&graph, cycle.edges.items[0]));
            struct again again = make_again(&graph, set);
            assert_true(has_acceptance(&again));
            for (enum fairness other = FAIRNESS_NONE; other < FAIRNESS_KINDS; other++) {
                assert_int_equal(fair_cycle_is(&graph, &cycle, other, &fair), STATUS_OK);
                assert_int_equal(fair, is_fair(&again, other));
            }
            assert_true(is_fair(&again, kind));
        }
    }
    print_message("%u graphs, with cycles:", seeds.count);
    for (enum fairness kind = FAIRNESS_NONE; kind < FAIRNESS_KINDS; kind++) {
        print_message(" %s %u", fairness_name(kind), found_of[kind]);
        assert_in_range(found_of[kind], seeds.count / 50, seeds.count - seeds.count / 50);
    }
    print_message("\n");
    /* What a stronger kind allows, the weaker ones do. */
    assert_true(found_of[FAIRNESS_EVENT_WEAK] <= found_of[FAIRNESS_NONE]);
    assert_true(found_of[FAIRNESS_EVENT_STRONG] < found_of[FAIRNESS_EVENT_WEAK]);
    assert_true(found_of[FAIRNESS_PROCESS_STRONG] < found_of[FAIRNESS_PROCESS_WEAK]);
    assert_true(found_of[FAIRNESS_GLOBAL] < found_of[FAIRNESS_EVENT_STRONG]);
    vector_release(&cycle.edges);
    fair_graph_release(&graph);
    assert_int_equal(budget.used, 0);
}

static void each_kind_implies_the_weaker_ones(void **unused)
{
    (void)unused;
    static const enum fairness pairs[][2] = {
        {FAIRNESS_GLOBAL, FAIRNESS_EVENT_STRONG},
        {FAIRNESS_GLOBAL, FAIRNESS_PROCESS_STRONG},
        {FAIRNESS_EVENT_STRONG, FAIRNESS_EVENT_WEAK},
        {FAIRNESS_PROCESS_STRONG, FAIRNESS_PROCESS_WEAK},
        {FAIRNESS_EVENT_WEAK, FAIRNESS_NONE},
        {FAIRNESS_PROCESS_WEAK, FAIRNESS_NONE},
    };
    struct budget budget;
    struct random random;
    struct fair_graph graph;
    struct fair_cycle cycle;
    budget_init(&budget, NULL, 0);
    fair_graph_init(&graph, &budget);
    vector_init(&cycle.edges, &budget);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        random_seed(&random, seed + 1000000);
        fair_graph_clear(&graph);
        assert_true(make_graph(&graph, &random));
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            bool strong, weak;
            assert_int_equal(fair_cycle_find(&graph, pairs[i][0], NULL, &cycle, &strong),
                             STATUS_OK);
            assert_int_equal(fair_cycle_find(&graph, pairs[i][1], NULL, &cycle, &weak), STATUS_OK);
            assert_true(weak || !strong);
        }
    }
    vector_release(&cycle.edges);
    fair_graph_release(&graph);
}

static void kinds_have_names(void **unused)
{
    (void)unused;
    enum fairness kind;
    for (enum fairness other = FAIRNESS_NONE; other < FAIRNESS_KINDS; other++) {
        assert_true(fairness_parse(fairness_name(other), &kind));
        assert_int_equal(kind, other);
    }
    assert_true(fairness_parse("process_strong", &kind));
    assert_int_equal(kind, FAIRNESS_PROCESS_STRONG);
    assert_false(fairness_parse("process", &kind));
    assert_false(fairness_parse("globally", &kind));
}

/* test_fairness [GRAPHS] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_follow_from_the_definition),
        cmocka_unit_test(each_kind_implies_the_weaker_ones),
        cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
