/* Nodes as bits against an array of them: random ones, of small numbers and of all there are.
 * test_node_list [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "explore/nodes.h"
#include "support/seeds.h"

#define MOST (5 * NODES_A_CHUNK)

static struct seeds seeds = {.first = 1, .count = 60};

struct kept {
    struct node_list list;
    struct search_node nodes[MOST]; /* what it should have */
    uint32_t count;
};

static struct kept kept;
static unsigned closed; /* chunks, each time they are looked at */

/* A number of up to so many bits, now and then one of the greatest. */
static uint32_t number(struct random *random, uint32_t bits)
{
    if (random_chance(random, 1, 500))
        return UINT32_MAX - random_below(random, 3);
    return bits ? (uint32_t)random_next(random) >> (32 - bits) : 0;
}

static void expect_same(struct search_node one, struct search_node other)
{
    assert_int_equal(one.state, other.state);
    assert_int_equal(one.with, other.with);
    assert_int_equal(one.parent, other.parent);
}

static void expect_all(void)
{
    assert_int_equal(kept.list.length, kept.count);
    for (uint32_t i = 0; i < kept.count; i++)
        expect_same(node_list_get(&kept.list, i), kept.nodes[i]);
}

static void replace_chunk(struct random *random)
{
    const uint32_t chunks = (kept.count + NODES_A_CHUNK - 1) / NODES_A_CHUNK,
                   first = random_below(random, chunks) * NODES_A_CHUNK,
                   bits = random_below(random, 33);
    for (uint32_t i = 0; i < node_list_chunk(&kept.list, first); i++)
        kept.nodes[first + i].state = number(random, bits);
    assert_true(node_list_replace(&kept.list, first, kept.nodes + first));
}

/* Pushes nodes of so many bits above a number of each kind, or above the one before as a search
 * finds them, and drops some. */
static void push_some(struct random *random, uint32_t count)
{
    const uint32_t bits[] = {random_below(random, 33), random_below(random, 33),
                             random_below(random, 33)};
    const bool as_found = random_chance(random, 1, 2);
    uint32_t least[] = {number(random, 31), number(random, 31)};
    for (uint32_t i = 0; i < count && kept.count < MOST; i++) {
        const struct search_node node =
            as_found
                ? (struct search_node){least[0] + random_below(random, 1 + bits[0]) - 2,
                                       number(random, bits[1] / 2),
                                       least[1] + random_below(random, 1 + bits[2])}
                : (struct search_node){least[0] + number(random, bits[0]), number(random, bits[1]),
                                       least[1] + number(random, bits[2])};
        if (as_found) {
            least[0] = node.state;
            least[1] = node.parent;
        }
        assert_true(node_list_push(&kept.list, node));
        kept.nodes[kept.count++] = node;
        if (random_chance(random, 1, 8)) {
            const uint32_t dropped = random_below(random, kept.count);
            node_list_unpair(&kept.list, dropped);
            kept.nodes[dropped].with = UINT32_MAX;
        }
    }
}

/* Closes what is in front of some node, and reads some. */
static void close_some(struct random *random)
{
    static struct search_node read[MOST];
    const uint32_t from = random_below(random, kept.count + 1),
                   some = random_below(random, kept.count - from + 1);
    node_list_close(&kept.list, random_below(random, kept.count + 1));
    for (size_t i = 0; i < kept.list.chunks.length; i++)
        closed += kept.list.chunks.items[i].is_closed;
    node_list_read(&kept.list, from, some, read);
    for (uint32_t i = 0; i < some; i++)
        expect_same(read[i], kept.nodes[from + i]);
}

static int compare_places(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (left[0] > right[0]) - (left[0] < right[0]);
}

/* Gathers the nodes from one on as the list is to: by where the first one of their state stands. */
static void gather_plainly(uint32_t first)
{
    static uint64_t places[MOST][2];
    static struct search_node before[MOST];
    memcpy(before, kept.nodes, sizeof before);
    for (uint32_t i = first; i < kept.count; i++) {
        uint32_t of_state = first;
        while (before[of_state].state != before[i].state)
            of_state++;
        places[i - first][0] = (uint64_t)of_state << 32 | i;
        places[i - first][1] = i;
    }
    qsort(places, kept.count - first, sizeof *places, compare_places);
    for (uint32_t i = first; i < kept.count; i++)
        kept.nodes[i] = before[places[i - first][1]];
}

/* Levels of few states, each gathered when it is over. */
static void nodes_of_a_state_are_gathered(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct budget budget;
        struct random random;
        struct search_node read[MOST];
        budget_init(&budget, NULL, 0);
        random_seed(&random, seed);
        node_list_init(&kept.list, &budget);
        kept.count = 0;
        for (uint32_t first = 0; kept.count < MOST; first = kept.count) {
            const uint32_t count = random_below(&random, 2 * NODES_A_CHUNK),
                           states = 1 + random_below(&random, 300);
            for (uint32_t i = 0; i < count && kept.count < MOST; i++) {
                const struct search_node node = {random_below(&random, states), number(&random, 12),
                                                 number(&random, 20)};
                assert_true(node_list_push(&kept.list, node));
                kept.nodes[kept.count++] = node;
            }
            expect_all();
            if (random_chance(&random, 1, 6))
                node_list_go_on(&kept.list);
            if (random_chance(&random, 1, 6))
                continue;
            assert_true(node_list_gather(&kept.list, first));
            gather_plainly(first);
            expect_all();
            const uint32_t from = random_below(&random, kept.count + 1),
                           some = random_below(&random, kept.count - from + 1);
            node_list_read(&kept.list, from, some, read);
            for (uint32_t i = 0; i < some; i++)
                expect_same(read[i], kept.nodes[from + i]);
        }
        node_list_release(&kept.list);
        assert_int_equal(budget.used, 0);
    }
}

static void nodes_are_what_they_were(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct budget budget;
        struct random random;
        budget_init(&budget, NULL, 0);
        random_seed(&random, seed);
        node_list_init(&kept.list, &budget);
        kept.count = 0;
        while (kept.count < MOST) {
            push_some(&random, 1 + random_below(&random, 2 * NODES_A_CHUNK));
            if (random_chance(&random, 1, 3))
                replace_chunk(&random);
            expect_all();
            if (random_chance(&random, 1, 2))
                close_some(&random);
            if (random_chance(&random, 1, 12)) {
                node_list_clear(&kept.list);
                kept.count = 0;
            }
        }
        node_list_release(&kept.list);
        assert_int_equal(budget.used, 0);
    }
    assert_true(closed > seeds.count / 4);
}

/* Nodes as a search finds them: two bytes for a node of 2^20, less what it is paired with; and one
 * once it has been taken up. */
static void nodes_of_a_search_are_small(void **unused)
{
    struct budget budget;
    struct node_list list;
    (void)unused;
    budget_init(&budget, NULL, 0);
    node_list_init(&list, &budget);
    const uint32_t count = UINT32_C(1) << 20;
    for (uint32_t i = 0; i < count; i++)
        assert_true(node_list_push(&list, (struct search_node){i, 0, i / 2 - 1}));
    const size_t chunks = count / NODES_A_CHUNK * 2 * sizeof(struct node_chunk);
    assert_true(node_list_bytes(&list) < 3 * (size_t)count + chunks);
    assert_true(budget.used >= node_list_bytes(&list)); /* and what the allocator takes */
    assert_true(budget.used <= node_list_bytes(&list) + (count / NODES_A_CHUNK + 2) * 24);
    node_list_close(&list, count);
    assert_true(node_list_bytes(&list) < count + chunks);
    for (uint32_t i = 0; i < count; i += 7)
        expect_same(node_list_get(&list, i), (struct search_node){i, 0, i / 2 - 1});
    node_list_release(&list);
}

/* With so little memory, nodes are refused, and those that are there stay. */
static void a_refusal_leaves_what_is_there(void **unused)
{
    (void)unused;
    for (size_t limit = 1; limit < 60000; limit += limit / 8 + 1) {
        struct budget budget;
        struct node_list list;
        uint32_t count = 0;
        budget_init(&budget, NULL, limit);
        node_list_init(&list, &budget);
        while (count < MOST &&
               node_list_push(&list, (struct search_node){7 * count, count % 50, count - 1}))
            count++;
        assert_int_equal(list.length, count);
        for (uint32_t i = 0; i < count; i++)
            expect_same(node_list_get(&list, i), (struct search_node){7 * i, i % 50, i - 1});
        node_list_release(&list);
        assert_int_equal(budget.used, 0);
    }
}

/* The longest way of nodes that each have a random parent, over several chunks. */
static void the_longest_way_is_found(void **unused)
{
    static uint32_t distances[MOST];
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct budget budget;
        struct random random;
        struct nodes nodes;
        struct state_set set;
        uint32_t longest = 0;
        budget_init(&budget, NULL, 0);
        random_seed(&random, seed);
        vector_init(&set.words, &budget);
        nodes_init(&nodes, &nodes_are_states, &set, &budget);
        const uint32_t near = 1 + random_below(&random, 2 * NODES_A_CHUNK);
        for (uint32_t i = 0; i < MOST; i++) {
            const uint32_t back = random_chance(&random, 1, 20) ? i : near < i ? near : i;
            const uint32_t parent = i ? i - 1 - random_below(&random, back) : NODE_NONE;
            distances[i] = i ? distances[parent] + 1 : 0;
            longest = distances[i] > longest ? distances[i] : longest;
            assert_int_equal(nodes_push(&nodes, (struct search_node){i, 0, parent}), STATUS_OK);
        }
        const struct explorer explorer = {.is_newest = true};
        assert_int_equal(nodes_extent(&nodes, &explorer).longest, longest);
        nodes_release(&nodes);
        vector_release(&set.words);
        assert_int_equal(budget.used, 0);
    }
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_what_they_were),
        cmocka_unit_test(nodes_of_a_state_are_gathered),
        cmocka_unit_test(nodes_of_a_search_are_small),
        cmocka_unit_test(a_refusal_leaves_what_is_there),
        cmocka_unit_test(the_longest_way_is_found),
    };
    seeds_from_arguments(&seeds, argument_count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
