/* Refinement of traces, of failures and of failures and divergences by themselves, on small random
 * graphs as implementation and specification: against their definitions, with sets of states as
 * bits: all that the two can be in behind each trace. And normalised states against those sets.
 * test_refinement [FIRST_SEED [COUNT]] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "property/paper_refinement.h"
#include "property/refinement.h"
#include "support/made_graph.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 400};

/* ---- normalised states ---- */

/* The states behind random words, and that equal sets are one normalised state. */
static void normalised_states_are_the_sets_behind_a_trace(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made made;
        struct random random;
        struct graph graph;
        struct graph_normal normal;
        struct error error;
        normal_id at = NORMAL_NONE, known[1 << MOST];
        memset(known, 0xff, sizeof known);
        random_seed(&random, seed);
        made_random(&made, &random, 10);
        assert_int_equal(graph_create(&made.model, NULL, &graph, &error), STATUS_OK);
        graph_normal_init(&normal, &graph, false);
        for (unsigned word = 0; word < 20; word++) {
            const struct normal_class *class = normal.normal.class;
            uint32_t bits = made_initial_bits(&made);
            assert_int_equal(class->initial(&normal.normal, &at, &error), STATUS_OK);
            for (unsigned i = 0; i < 6 && at != NORMAL_NONE; i++) {
                size_t count;
                uint32_t members = 0, l = 1 + random_below(&random, LABELS - 1);
                const uint32_t *states = graph_normal_members(&normal, at, &count);
                for (size_t k = 0; k < count; k++)
                    members |= 1u << made_number(&graph, states[k]);
                assert_int_equal(members, bits);
                assert_true(known[bits] == NORMAL_NONE || known[bits] == at);
                known[bits] = at;
                assert_int_equal(class->step(&normal.normal, at, l + 1, &at, &error), STATUS_OK);
                bits = made_bits_behind(&made, bits, l);
                assert_int_equal(at == NORMAL_NONE, bits == 0);
            }
        }
        graph_normal_release(&normal);
        graph_release(&graph);
        assert_int_equal(made.budget.used, 0);
    }
}

/* ---- traces ---- */

/* The product as a plain queue. The length of a shortest run that cannot be followed; FAR: there is
 * none. *pairs: how many there are. */
static uint32_t plain_refinement(const struct made *left, const struct made *right, uint32_t *pairs)
{
    static uint16_t steps[MOST][1 << MOST]; /* to a pair, plus 1 */
    static uint32_t queue[MOST << MOST];
    uint32_t count = 0, start = made_initial_bits(right);
    memset(steps, 0, sizeof steps);
    const uint32_t first[] = {0, left->second};
    for (uint32_t i = 0; i < 2; i++)
        if (!steps[first[i]][start]) {
            steps[first[i]][start] = 1;
            queue[count++] = first[i] << MOST | start;
        }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t state = queue[i] >> MOST, bits = queue[i] & ((1u << MOST) - 1);
        for (uint32_t l = 0; l < LABELS; l++)
            for (uint32_t to = 0; to < left->count; to++) {
                if (!left->edge[l][state][to])
                    continue;
                uint32_t behind = made_bits_behind(right, bits, l);
                if (!behind)
                    return steps[state][bits];
                if (steps[to][behind])
                    continue;
                steps[to][behind] = (uint16_t)(steps[state][bits] + 1);
                queue[count++] = to << MOST | behind;
            }
    }
    *pairs = count;
    return FAR;
}

static uint32_t steps_of(const struct made *made, uint32_t state)
{
    uint32_t steps = 0;
    for (uint32_t l = 0; l < LABELS; l++)
        for (uint32_t to = 0; to < made->count; to++)
            steps += made->edge[l][state][to];
    return steps;
}

/* The definition of a settled antichain: of a level those pairs are taken up that are minimal among
 * all found up to its end. *pairs: those which are minimal in the end; *transitions: steps of those
 * taken up; *kept: of those which are minimal in the end. Of an implementation that refines. */
static void settled_refinement(const struct made *left, const struct made *right, uint32_t *pairs,
                               uint32_t *transitions, uint32_t *kept)
{
    static uint16_t levels[MOST][1 << MOST]; /* of each pair, plus 1 */
    const uint32_t sets = 1u << right->count;
    bool some = true;
    memset(levels, 0, sizeof levels);
    levels[0][made_initial_bits(right)] = levels[left->second][made_initial_bits(right)] = 1;
    *pairs = *transitions = *kept = 0;
    for (uint16_t level = 1; some; level++) {
        some = false;
        *pairs = *kept = 0;
        for (uint32_t state = 0; state < left->count; state++)
            for (uint32_t bits = 1; bits < sets; bits++) {
                bool minimal = levels[state][bits] && levels[state][bits] <= level;
                for (uint32_t part = (bits - 1) & bits; part && minimal; part = (part - 1) & bits)
                    minimal = !levels[state][part] || levels[state][part] > level;
                *pairs += minimal;
                *kept += minimal ? steps_of(left, state) : 0;
                if (!minimal || levels[state][bits] != level)
                    continue;
                for (uint32_t l = 0; l < LABELS; l++)
                    for (uint32_t to = 0; to < left->count; to++) {
                        if (!left->edge[l][state][to])
                            continue;
                        uint32_t behind = made_bits_behind(right, bits, l);
                        ++*transitions;
                        if (!levels[to][behind])
                            levels[to][behind] = level + 1;
                        some |= levels[to][behind] == level + 1;
                    }
            }
    }
}

static void expect_refined(struct made *left, struct made *right, bool antichain,
                           enum explore_order order, unsigned threads, uint32_t *violated)
{
    struct graph implementation, specification;
    struct graph_normal normal;
    struct refinement result;
    struct limits limits;
    struct error error;
    uint32_t pairs = 0, least = plain_refinement(left, right, &pairs);
    const struct refinement_options options = {.antichain = antichain,
                                               .order = order,
                                               .stall = 3,
                                               .threads = threads,
                                               .threads_from = 2,
                                               .limits = &limits};
    limits_init(&limits, &left->budget);
    assert_int_equal(graph_create(&left->model, NULL, &implementation, &error), STATUS_OK);
    assert_int_equal(graph_create(&right->model, NULL, &specification, &error), STATUS_OK);
    implementation.forgets = threads % 2 == 0; /* then states are stored when a round is over */
    graph_normal_init(&normal, &specification, false);
    refinement_init(&result, &left->budget);
    assert_int_equal(refine(&implementation, &normal.normal, &options, &result, &error), STATUS_OK);
    assert_int_equal(result.answer, least == FAR ? HOLDS : VIOLATED);
    if (least == FAR && antichain) {
        uint32_t settled = 0, transitions = 0, kept = 0;
        settled_refinement(left, right, &settled, &transitions, &kept);
        assert_true(result.pairs <= pairs);
        assert_int_equal(result.pairs, settled);
        if (order != EXPLORE_NEWEST_FIRST)
            assert_int_equal(result.transitions, result.extent.has_turned ? kept : transitions);
    }
    if (least == FAR && !antichain)
        assert_int_equal(result.pairs, pairs);
    if (least != FAR) {
        made_expect_run(left, &implementation, &result.execution);
        if (order != EXPLORE_NEWEST_FIRST && !result.extent.has_turned)
            assert_int_equal(result.execution.labels.length, least);
        uint32_t bits = made_initial_bits(right);
        for (size_t i = 0; i < result.execution.labels.length; i++) {
            label by = result.execution.labels.items[i];
            assert_true(bits != 0); /* only the last step cannot be followed */
            bits = made_bits_behind(right, bits, made_label(by));
        }
        assert_int_equal(bits, 0);
    }
    *violated += least != FAR;
    refinement_release(&result);
    graph_normal_release(&normal);
    graph_release(&implementation);
    graph_release(&specification);
    assert_int_equal(left->budget.used + right->budget.used, 0);
}

/* Without ample sets the search with a path answers the same. */
static void expect_as_in_paper(struct made *left, struct made *right)
{
    struct graph implementation, specification;
    struct graph_normal normal;
    struct refinement result;
    struct limits limits;
    struct error error;
    uint32_t pairs = 0, least = plain_refinement(left, right, &pairs);
    limits_init(&limits, &left->budget);
    assert_int_equal(graph_create(&left->model, NULL, &implementation, &error), STATUS_OK);
    assert_int_equal(graph_create(&right->model, NULL, &specification, &error), STATUS_OK);
    implementation.keeps_offers = specification.keeps_offers = true;
    graph_normal_init(&normal, &specification, false);
    refinement_init(&result, &left->budget);
    assert_int_equal(refine_as_in_paper(&implementation, &normal.normal, &limits, &result, &error),
                     STATUS_OK);
    assert_int_equal(result.answer, least == FAR ? HOLDS : VIOLATED);
    if (least == FAR)
        assert_int_equal(result.pairs, pairs);
    else
        made_expect_run(left, &implementation, &result.execution);
    refinement_release(&result);
    graph_normal_release(&normal);
    graph_release(&implementation);
    graph_release(&specification);
    assert_int_equal(left->budget.used + right->budget.used, 0);
}

static void refinement_is_inclusion_of_traces(void **unused)
{
    uint32_t violated = 0;
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made left, right;
        struct random random;
        random_seed(&random, seed);
        made_random(&left, &random, 6);
        made_random(&right, &random, 14);
        for (enum explore_order order = 0; order < EXPLORE_ALONG_EDGES; order++)
            for (unsigned antichain = 0; antichain < 2; antichain++)
                expect_refined(&left, &right, antichain, order,
                               seed % 2 ? 1 : 2 + (unsigned)(seed / 2 % 3), &violated);
        expect_as_in_paper(&left, &right);
    }
    assert_true(violated > seeds.count / 2 && violated < 6 * seeds.count - seeds.count / 2);
}

/* ---- failures, divergences ---- */

static bool is_stable(const struct made *made, uint32_t state)
{
    for (uint32_t to = 0; to < made->count; to++)
        if (made->edge[0][state][to])
            return false;
    return true;
}

/* Labels of its steps, a bit each. */
static uint32_t offers(const struct made *made, uint32_t state)
{
    uint32_t offered = 0;
    for (uint32_t l = 0; l < LABELS; l++)
        for (uint32_t to = 0; to < made->count; to++)
            offered |= (uint32_t)made->edge[l][state][to] << l;
    return offered;
}

/* Whether so many invisible steps as there are states can follow one another: then some state comes
 * twice. */
static bool diverges(const struct made *made, uint32_t state)
{
    uint32_t bits = 1u << state;
    for (uint32_t round = 0; round < made->count && bits; round++) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < made->count; i++)
            for (uint32_t j = 0; j < made->count; j++)
                next |= (uint32_t)((bits >> i & 1) && made->edge[0][i][j]) << j;
        bits = next;
    }
    return bits != 0;
}

static bool some_diverges(const struct made *made, uint32_t bits)
{
    bool some = false;
    for (uint32_t i = 0; i < made->count; i++)
        some |= (bits >> i & 1) && diverges(made, i);
    return some;
}

/* What one implementation state does that the specification, in one of a set of states, must not.
 */
static enum failure failure_of(const struct made *left, uint32_t state, const struct made *right,
                               uint32_t bits, bool with_divergences)
{
    if (with_divergences && some_diverges(right, bits))
        return FAILURE_CHAOS;
    if (with_divergences && diverges(left, state))
        return FAILURE_DIVERGENCE;
    if (!is_stable(left, state))
        return FAILURE_NONE;
    for (uint32_t i = 0; i < right->count; i++)
        if ((bits >> i & 1) && is_stable(right, i) && !(offers(right, i) & ~offers(left, state)))
            return FAILURE_NONE;
    return FAILURE_REFUSAL;
}

/* Whether the sets of states that the two can be in behind some trace show a violation. */
static bool shows_violation(const struct made *left, uint32_t lefts, const struct made *right,
                            uint32_t rights, bool with_divergences)
{
    for (uint32_t i = 0; i < left->count; i++) {
        if (!(lefts >> i & 1))
            continue;
        enum failure failure = failure_of(left, i, right, rights, with_divergences);
        if (failure == FAILURE_REFUSAL || failure == FAILURE_DIVERGENCE)
            return true;
    }
    return false;
}

/* The definition: every trace of the one, by the pairs of sets that traces lead to. */
static bool is_refined(const struct made *left, const struct made *right, bool with_divergences)
{
    static bool seen[1 << MOST][1 << MOST];
    static uint32_t queue[1 << (2 * MOST)];
    uint32_t count = 0, taken = 0;
    bool refined = true;
    queue[count++] = made_initial_bits(left) << MOST | made_initial_bits(right);
    seen[queue[0] >> MOST][queue[0] & ((1u << MOST) - 1)] = true;
    while (taken < count && refined) {
        uint32_t lefts = queue[taken] >> MOST, rights = queue[taken] & ((1u << MOST) - 1);
        taken++;
        refined = !shows_violation(left, lefts, right, rights, with_divergences);
        bool chaos = with_divergences && some_diverges(right, rights);
        for (uint32_t l = 1; l < LABELS && refined && !chaos; l++) {
            uint32_t to = made_bits_behind(left, lefts, l);
            uint32_t then = made_bits_behind(right, rights, l);
            refined = !to || then;
            if (!to || seen[to][then])
                continue;
            seen[to][then] = true;
            queue[count++] = to << MOST | then;
        }
    }
    while (count-- > 0) /* as it was */
        seen[queue[count] >> MOST][queue[count] & ((1u << MOST) - 1)] = false;
    return refined;
}

/* That the execution shows what it is said to show, and nothing before its end does. */
static void expect_shown(const struct made *left, const struct graph *graph,
                         const struct made *right, const struct refinement *result,
                         bool with_divergences)
{
    const struct execution *execution = &result->execution;
    const size_t steps = execution->is_lasso ? execution->loop_start : execution->labels.length;
    uint32_t bits = made_initial_bits(right);
    made_expect_run(left, graph, execution);
    for (size_t i = 0; i < steps; i++) {
        const uint32_t state = made_number(graph, execution->states.items[i]);
        assert_true(bits != 0);
        enum failure failure = failure_of(left, state, right, bits, with_divergences);
        assert_true(failure == FAILURE_NONE ||
                    (failure == FAILURE_DIVERGENCE && result->failure == FAILURE_DIVERGENCE));
        bits = made_bits_behind(right, bits, made_label(execution->labels.items[i]));
    }
    assert_int_equal(bits == 0, result->failure == FAILURE_NONE);
    assert_int_equal(execution->is_lasso, result->failure == FAILURE_DIVERGENCE);
    if (bits != 0)
        assert_int_equal(failure_of(left, made_number(graph, execution->states.items[steps]), right,
                                    bits, with_divergences),
                         result->failure);
    for (size_t i = steps; i < execution->labels.length; i++)
        assert_int_equal(execution->labels.items[i], LABEL_TAU);
    if (execution->is_lasso)
        assert_int_equal(execution->states.items[execution->labels.length],
                         execution->states.items[execution->loop_start]);
}

static void expect_failures(struct made *left, struct made *right, bool with_divergences,
                            bool depth_first, uint32_t *kinds)
{
    struct graph implementation, specification;
    struct graph_normal normal;
    struct failures failures;
    struct refinement result;
    struct limits limits;
    struct error error;
    const struct refinement_options options = {.order = depth_first ? EXPLORE_NEWEST_FIRST
                                                                    : EXPLORE_OLDEST_FIRST,
                                               .failures = &failures,
                                               .limits = &limits};
    limits_init(&limits, &left->budget);
    assert_int_equal(graph_create(&left->model, NULL, &implementation, &error), STATUS_OK);
    assert_int_equal(graph_create(&right->model, NULL, &specification, &error), STATUS_OK);
    graph_normal_init(&normal, &specification, false);
    failures_init(&failures, &implementation, &normal, with_divergences);
    refinement_init(&result, &left->budget);
    assert_int_equal(refine(&implementation, &normal.normal, &options, &result, &error), STATUS_OK);
    assert_int_equal(result.answer, is_refined(left, right, with_divergences) ? HOLDS : VIOLATED);
    if (result.answer == VIOLATED) {
        expect_shown(left, &implementation, right, &result, with_divergences);
        kinds[result.failure]++;
    } else {
        kinds[FAILURE_CHAOS]++;
    }
    refinement_release(&result);
    failures_release(&failures);
    graph_normal_release(&normal);
    graph_release(&implementation);
    graph_release(&specification);
    assert_int_equal(left->budget.used + right->budget.used, 0);
}

/* Every third specification is the implementation with more steps: that holds now and then. */
static void failures_are_those_of_the_definition(void **unused)
{
    uint32_t kinds[FAILURE_CHAOS + 1] = {0}; /* the last: it holds */
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct made left, right;
        struct random random;
        random_seed(&random, seed);
        made_random(&left, &random, 3 + seed % 6);
        made_random(&right, &random, 5 + seed % 9);
        if (seed % 3 == 0) {
            right.count = left.count;
            right.second = left.second;
            for (uint32_t l = 1; l < LABELS; l++)
                for (uint32_t i = 0; i < left.count; i++)
                    for (uint32_t j = 0; j < left.count; j++)
                        right.edge[l][i][j] |= left.edge[l][i][j];
        }
        for (unsigned i = 0; i < 4; i++)
            expect_failures(&left, &right, i & 1, i & 2, kinds);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(kinds) && seeds.count >= 100; i++)
        assert_true(kinds[i] > seeds.count / 50);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalised_states_are_the_sets_behind_a_trace),
        cmocka_unit_test(refinement_is_inclusion_of_traces),
        cmocka_unit_test(failures_are_those_of_the_definition),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
