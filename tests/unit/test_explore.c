/* The state graph, the explorer, components and shortest ways by themselves, on small random
 * graphs given as relations: against the closure of the relation, and distances by waves.
 * test_explore [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "explore/components.h"
#include "explore/nodes.h"
#include "explore/shortest_way.h"
#include "property/reachability.h"
#include "support/made_graph.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 400};

/* By one step or more (Warshall). */
static void close_relation(const struct made *made, bool to[MOST][MOST])
{
    for (uint32_t k = 0; k < made->count; k++)
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++)
                to[i][j] |= to[i][k] && to[k][j];
}

/* From the initial states, by waves over all edges until nothing changes. */
static void find_distances(const struct made *made, uint32_t *distances)
{
    for (uint32_t i = 0; i < made->count; i++)
        distances[i] = i == 0 || i == made->second ? 0 : FAR;
    for (uint32_t wave = 0; wave < made->count; wave++)
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++)
                if (made->any[i][j] && distances[i] == wave && distances[j] > wave + 1)
                    distances[j] = wave + 1;
}

/* ---- the graph ---- */

static void expect_edges(const struct made *made, struct graph *graph, state_id state)
{
    const struct edge *edges;
    uint32_t count, wanted = 0, from = made_number(graph, state);
    struct error error;
    assert_int_equal(graph_edges(graph, state, &edges, &count, &error), STATUS_OK);
    for (uint32_t l = 0; l < LABELS; l++)
        for (uint32_t to = 0; to < made->count; to++)
            wanted += made->edge[l][from][to];
    assert_int_equal(count, wanted);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t l = edges[i].label == LABEL_TAU ? 0 : edges[i].label - 1;
        assert_true(made->edge[l][from][made_number(graph, edges[i].target)]);
        assert_true(i == 0 || edges[i - 1].label <= edges[i].label);
        for (uint32_t j = 0; j < i; j++)
            assert_false(edges[j].label == edges[i].label && edges[j].target == edges[i].target);
    }
}

static void a_graph_has_each_step_once(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        struct graph graph;
        struct error error;
        uint32_t distances[MOST], reached = 0;
        random_seed(&random, seed);
        made_random(&made, &random, 12);
        find_distances(&made, distances);
        assert_int_equal(graph_create(&made.model, NULL, &graph, &error), STATUS_OK);
        graph.forgets = seed % 2;
        for (state_id state = 0; state < graph_count(&graph); state++) {
            expect_edges(&made, &graph, state);
            expect_edges(&made, &graph, state); /* forgotten or not */
        }
        if (graph.forgets)
            assert_int_equal(graph.parts[0].rows.length, 0);
        for (uint32_t i = 0; i < made.count; i++)
            reached += distances[i] != FAR;
        assert_int_equal(graph_count(&graph), reached);
        graph_release(&graph);
        assert_int_equal(made.budget.used, 0);
    }
}

/* ---- exploring ---- */

struct walk {
    struct graph *graph;
    struct nodes nodes;
    struct finder finder;
    uint32_t visited[MOST * MOST], count, most; /* nodes in the order taken up; `most`: stop */
};

static enum status visit(void *self, uint32_t node, bool *stop)
{
    struct walk *walk = self;
    struct error error;
    const struct edge *edges;
    uint32_t count;
    walk->visited[walk->count++] = node;
    *stop = walk->count == walk->most;
    TRY(graph_edges(walk->graph, nodes_get(&walk->nodes, node).state, &edges, &count, &error));
    for (uint32_t i = 0; i < count && !*stop; i++)
        TRY(finder_find(&walk->finder, edges[i].target, 0, node));
    return STATUS_OK;
}

static enum status found(void *self, uint32_t *count)
{
    return finder_settle(&((struct walk *)self)->finder, count);
}

static void expect_ways(const struct made *made, const struct walk *walk, const uint32_t *distances,
                        bool shortest)
{
    for (uint32_t node = 0; node < walk->nodes.items.length; node++) {
        struct node_path path;
        vector_init(&path.items, (struct budget *)&made->budget);
        assert_true(nodes_path(&walk->nodes, node, &path));
        uint32_t before = MOST, end = MOST;
        for (size_t i = 0; i < path.items.length; i++) {
            end = made_number(walk->graph, nodes_get(&walk->nodes, path.items.items[i]).state);
            assert_true(i == 0 ? distances[end] == 0 : made->any[before][end]);
            before = end;
        }
        if (shortest)
            assert_int_equal(path.items.length, distances[end] + 1);
        vector_release(&path.items);
    }
}

/* Whether a node was taken up before one that was found earlier. */
static bool expect_explored(struct made *made, enum explore_order order, bool as_pairs,
                            uint32_t most)
{
    static const struct visitor visitor = {.visit = visit, .found = found};
    struct graph graph;
    struct explorer explorer;
    struct error error;
    struct limits limits;
    struct state_set states;
    struct pairs pairs;
    struct walk walk = {.graph = &graph, .most = most};
    uint32_t distances[MOST], reached = 0, far = 0;
    bool taken[MOST] = {false}, in_order = true;
    limits_init(&limits, &made->budget);
    find_distances(made, distances);
    for (uint32_t i = 0; i < made->count; i++) {
        reached += distances[i] != FAR;
        far = distances[i] != FAR && distances[i] > far ? distances[i] : far;
    }
    assert_int_equal(graph_create(&made->model, NULL, &graph, &error), STATUS_OK);
    vector_init(&states.words, &made->budget);
    pairs_init(&pairs, &made->budget);
    if (as_pairs)
        nodes_init(&walk.nodes, &nodes_are_pairs, &pairs, &made->budget);
    else
        nodes_init(&walk.nodes, &nodes_are_states, &states, &made->budget);
    finder_init(&walk.finder, &walk.nodes, order == EXPLORE_OLDEST_FIRST);
    explorer_init(&explorer, order, &limits, &made->budget);
    explorer.stall = 1 + made->count / 3;
    for (size_t i = 0; i < graph.initial.length; i++)
        assert_int_equal(finder_find(&walk.finder, graph.initial.items[i], 0, NODE_NONE),
                         STATUS_OK);
    assert_int_equal(explore(&explorer, &visitor, &walk), STATUS_OK);
    assert_int_equal(explorer.taken, walk.count);
    assert_int_equal(walk.count, most && most < reached ? most : reached);
    for (uint32_t i = 0; i < walk.count; i++) {
        uint32_t state = made_number(&graph, nodes_get(&walk.nodes, walk.visited[i]).state);
        assert_false(taken[state]); /* each once */
        taken[state] = true;
        in_order = in_order && walk.visited[i] == i;
    }
    assert_true(in_order || order != EXPLORE_OLDEST_FIRST);
    if (order == EXPLORE_OLDEST_FIRST && walk.count == reached)
        assert_int_equal(explorer.depth, far);
    expect_ways(made, &walk, distances, order == EXPLORE_OLDEST_FIRST);
    struct search_extent extent = nodes_extent(&walk.nodes, &explorer);
    if (order == EXPLORE_IN_TURNS)
        assert_true(extent.has_turned ? walk.count >= explorer.stall
                                      : walk.count <= explorer.stall && extent.depth <= far);
    else
        assert_int_equal(extent.is_newest, order == EXPLORE_NEWEST_FIRST);
    if ((extent.is_newest || extent.has_turned) && walk.count == reached)
        assert_true(extent.longest >= far && extent.longest < walk.count);
    explorer_release(&explorer);
    nodes_release(&walk.nodes);
    pairs_release(&pairs);
    vector_release(&states.words);
    graph_release(&graph);
    assert_int_equal(made->budget.used, 0);
    return !in_order;
}

static void every_state_is_taken_up_once(void **unused)
{
    unsigned others[EXPLORE_ALONG_EDGES] = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        random_seed(&random, seed);
        made_random(&made, &random, 8);
        for (unsigned i = 0; i < 4; i++)
            for (enum explore_order order = 0; order < EXPLORE_ALONG_EDGES; order++)
                others[order] += expect_explored(&made, order, i & 1,
                                                 i & 2 ? 1 + random_below(&random, MOST) : 0);
    }
    assert_true(others[EXPLORE_NEWEST_FIRST] > 0 && others[EXPLORE_IN_TURNS] > 0);
}

/* ---- components ---- */

struct parts {
    const struct made *made;
    struct components components;
    uint32_t times[MOST]; /* by node: how often it was in a component */
    bool accepting;       /* a piece had every mark on edges inside */
};

enum {
    MARKS = 3
};

static uint64_t marks_of(uint32_t from, uint32_t to)
{
    return UINT64_C(1) << (from * 5 + to * 3) % (MARKS + 1) & ((1u << MARKS) - 1);
}

static enum status edge(void *self, uint32_t node, uint32_t number, uint32_t *target)
{
    struct parts *parts = self;
    const struct made *made = parts->made;
    *target = NODE_NONE;
    for (uint32_t to = 0; to < made->count; to++)
        if (made->any[node][to] && number-- == 0) {
            parts->components.marks = marks_of(node, to);
            *target = to;
            return STATUS_OK;
        }
    return STATUS_OK;
}

static enum status closed(void *self, bool *stop)
{
    struct parts *parts = self;
    (void)stop;
    assert_true(components_piece(&parts->components)->cyclic);
    parts->accepting |= components_piece(&parts->components)->marks == (1u << MARKS) - 1;
    return STATUS_OK;
}

static enum status complete(void *self, const uint32_t *members, uint32_t count, bool *stop)
{
    struct parts *parts = self;
    const struct component_piece *piece = components_piece(&parts->components);
    uint64_t marks = 0;
    bool cyclic = false;
    (void)stop;
    for (uint32_t i = 0; i < count; i++) {
        parts->times[members[i]]++;
        for (uint32_t j = 0; j < count; j++)
            if (parts->made->any[members[i]][members[j]]) {
                marks |= marks_of(members[i], members[j]);
                cyclic = true;
            }
    }
    assert_int_equal(piece->cyclic, cyclic);
    assert_int_equal(piece->marks, marks);
    return STATUS_OK;
}

/* Whether all marks are on edges between states that lead to each other and to one of them. */
static bool has_all_marks(const struct made *made, bool closure[MOST][MOST])
{
    for (uint32_t some = 0; some < made->count; some++) {
        uint64_t marks = 0;
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++)
                if (made->any[i][j] && closure[some][i] && closure[j][some])
                    marks |= marks_of(i, j);
        if (marks == (1u << MARKS) - 1)
            return true;
    }
    return false;
}

static void components_are_those_of_the_closure(void **unused)
{
    static const struct components_of of = {edge, complete, closed};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        struct parts parts = {.made = &made};
        bool closure[MOST][MOST];
        random_seed(&random, seed);
        made_random(&made, &random, 5 + seed % 8);
        memcpy(closure, made.any, sizeof closure);
        close_relation(&made, closure);
        assert_true(components_init(&parts.components, &of, &parts, made.count, &made.budget));
        for (uint32_t i = 0; i < made.count; i++)
            assert_int_equal(components_from(&parts.components, (i + 3) % made.count), STATUS_OK);
        for (uint32_t i = 0; i < made.count; i++) {
            uint32_t own = components_get(&parts.components, i);
            assert_int_equal(parts.times[i], 1);
            assert_true(own < parts.components.count);
            for (uint32_t j = 0; j < made.count; j++) {
                uint32_t other = components_get(&parts.components, j);
                bool together = i == j || (closure[i][j] && closure[j][i]);
                assert_int_equal(own == other, together);
                assert_true(!made.any[i][j] ||
                            other <= own); /* what an edge leads to comes first */
            }
        }
        assert_int_equal(parts.accepting, has_all_marks(&made, closure));
        components_release(&parts.components);
        assert_int_equal(made.budget.used, 0);
    }
}

/* ---- shortest ways ---- */

struct sought {
    const struct made *made;
    uint32_t goal, closed; /* where the way ends; edges to this node do not count */
};

static enum status way_edge(void *self, uint32_t node, uint32_t number, uint32_t *target,
                            bool *ends)
{
    const struct sought *sought = self;
    struct parts parts = {.made = sought->made};
    TRY(edge(&parts, node, number, target));
    if (*target == NODE_NONE)
        return STATUS_OK;
    *ends = *target == sought->goal && *target != sought->closed;
    if (*target == sought->closed)
        *target = node;
    return STATUS_OK;
}

/* By one edge or more, by waves over all edges that count. */
static uint32_t distance(const struct sought *sought, const uint32_t *from, size_t count)
{
    const struct made *made = sought->made;
    bool here[MOST] = {false};
    for (size_t i = 0; i < count; i++)
        here[from[i]] = true;
    for (uint32_t length = 1; length <= made->count; length++) {
        bool next[MOST] = {false};
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++)
                next[j] |= here[i] && made->any[i][j] && j != sought->closed;
        if (next[sought->goal])
            return length;
        memcpy(here, next, sizeof here);
    }
    return FAR;
}

static void expect_way(struct sought *sought, struct shortest_way *way, const uint32_t *from,
                       size_t count)
{
    static const struct way_edges edges = {way_edge};
    const uint32_t least = distance(sought, from, count);
    bool is_found = false, begins = false, ends = false;
    uint32_t at = NODE_NONE;
    assert_int_equal(shortest_way_find(way, &edges, sought, from, count, &is_found), STATUS_OK);
    assert_int_equal(is_found, least != FAR);
    assert_int_equal(way->steps.length, is_found ? least : 0);
    for (size_t i = 0; i < way->steps.length; i++) {
        assert_true(i == 0 || way->steps.items[i].node == at);
        assert_false(ends);
        assert_int_equal(
            way_edge(sought, way->steps.items[i].node, way->steps.items[i].number, &at, &ends),
            STATUS_OK);
    }
    for (size_t i = 0; i < count && is_found; i++)
        begins |= way->steps.items[0].node == from[i];
    assert_true(!is_found || (begins && ends && at == sought->goal));
}

/* One search behind the other with the same memory. */
static void a_shortest_way_is_as_long_as_the_distance(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        struct shortest_way way;
        random_seed(&random, seed);
        made_random(&made, &random, 5 + seed % 8);
        shortest_way_init(&way, &made.budget);
        for (unsigned i = 0; i < 6; i++) {
            const uint32_t from[] = {random_below(&random, made.count),
                                     random_below(&random, made.count)};
            struct sought sought = {&made, random_below(&random, made.count),
                                    random_below(&random, MOST)};
            expect_way(&sought, &way, from, 1 + i % 2);
        }
        shortest_way_release(&way);
        assert_int_equal(made.budget.used, 0);
    }
}

/* ---- reachability ---- */

/* `least`: the length of a shortest run that shows it; FAR: there is none. */
static void expect_answer(struct made *made, enum question question, uint32_t condition,
                          enum explore_order order, uint32_t least)
{
    struct graph graph;
    struct limits limits;
    struct reachability result;
    struct error error;
    const struct reachability_options options = {.question = question,
                                                 .condition = condition,
                                                 .order = order,
                                                 .stall = 2,
                                                 .limits = &limits};
    bool reaches = question == QUESTION_REACHES;
    limits_init(&limits, &made->budget);
    assert_int_equal(graph_create(&made->model, NULL, &graph, &error), STATUS_OK);
    reachability_init(&result, &made->budget);
    assert_int_equal(reach(&graph, &options, &result, &error), STATUS_OK);
    assert_int_equal(result.answer, (least == FAR) == reaches ? VIOLATED : HOLDS);
    if (least != FAR) {
        made_expect_run(made, &graph, &result.execution);
        const bool nearest = order != EXPLORE_NEWEST_FIRST && !result.extent.has_turned;
        if (nearest && question != QUESTION_DIVERGENCE_FREE)
            assert_int_equal(result.execution.labels.length, least);
        for (size_t i = result.execution.loop_start;
             result.execution.is_lasso && i < result.execution.labels.length; i++)
            assert_int_equal(result.execution.labels.items[i], LABEL_TAU);
        assert_int_equal(result.execution.is_lasso, question == QUESTION_DIVERGENCE_FREE);
    }
    reachability_release(&result);
    graph_release(&graph);
    assert_int_equal(made->budget.used, 0);
}

static void reachability_is_that_of_the_closure(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        uint32_t distances[MOST], dead = FAR, diverging = FAR;
        bool tau[MOST][MOST];
        random_seed(&random, seed);
        made_random(&made, &random, 7);
        find_distances(&made, distances);
        memcpy(tau, made.edge[0], sizeof tau);
        close_relation(&made, tau);
        for (uint32_t i = 0; i < made.count; i++) {
            uint32_t steps = 0;
            for (uint32_t j = 0; j < made.count; j++)
                steps += made.any[i][j];
            dead = steps == 0 && distances[i] < dead ? distances[i] : dead;
            diverging = tau[i][i] && distances[i] < diverging ? distances[i] : diverging;
        }
        for (enum explore_order order = 0; order < EXPLORE_ALONG_EDGES; order++) {
            uint32_t goal = random_below(&random, made.count);
            expect_answer(&made, QUESTION_DEADLOCK_FREE, 0, order, dead);
            expect_answer(&made, QUESTION_DIVERGENCE_FREE, 0, order, diverging);
            expect_answer(&made, QUESTION_REACHES, goal, order, distances[goal]);
        }
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_has_each_step_once),
        cmocka_unit_test(every_state_is_taken_up_once),
        cmocka_unit_test(components_are_those_of_the_closure),
        cmocka_unit_test(a_shortest_way_is_as_long_as_the_distance),
        cmocka_unit_test(reachability_is_that_of_the_closure),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
