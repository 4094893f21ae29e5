/* Reductions: their names, and that none of them changes an answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/csp_model_test.h"
#include "support/csp_random.h"
#include "support/seeds.h"

static void expect_set(const char *text, reductions expected, const char *printed)
{
    struct error error;
    struct text name = TEXT_EMPTY;
    reductions set = ~REDUCE_NONE;
    assert_int_equal(reductions_parse(text, &set, &error), STATUS_OK);
    assert_int_equal(set, expected);
    reductions_print(set, &name);
    assert_string_equal(text_string(&name), printed);
    text_release(&name);
}

static void sets_are_read_and_printed(void **unused)
{
    (void)unused;
    expect_set("none", REDUCE_NONE, "none");
    expect_set("paper", REDUCE_PAPER, "paper");
    expect_set(
        "default", REDUCE_DEFAULT,
        "intervals,partial-order,symmetry,antichain,slice,write-once,pure-iterations,stale-reads,"
        "dead-fields,decided-steps,sticky-fields");
    expect_set("antichain,partial-order", REDUCE_PARTIAL_ORDER | REDUCE_ANTICHAIN,
               "partial-order,antichain");
}

static void other_words_are_refused(void **unused)
{
    (void)unused;
    static const char *const wrong[] = {"", "ample", "none,slice", "slice,", "slice,paper"};
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct error error;
        reductions set;
        assert_int_equal(reductions_parse(wrong[i], &set, &error), STATUS_USAGE);
    }
}

/* ---- what must not be left out ---- */

/* Every assertion of the model is violated, in every way. */
static void expect_violated(const char *text)
{
    static const reductions ways[] = {REDUCE_NONE, REDUCE_PARTIAL_ORDER, REDUCE_DEFAULT,
                                      REDUCE_PAPER};
    struct csp_model_test test;
    csp_model_test_open(&test, text);
    for (size_t i = 0; i < test.module.assertions.length; i++) {
        for (unsigned way = 0; way < 2 * ARRAY_LENGTH(ways); way++) {
            struct assertion_result result;
            assert_int_equal(csp_model_test_decide(&test, i, ways[way / 2], way % 2, &result),
                             STATUS_OK);
            if (result.answer != VIOLATED)
                fail_msg("way %u: assertion %zu holds:\n%s", way, i, text);
            assert_true(result.trace.steps.length > 0);
            assertion_result_release(&result);
        }
    }
    csp_model_test_close(&test);
}

/* The first step of each, from the reference itself, is never reduced: an event `s` comes first. */

static void a_cycle_puts_nothing_off_for_ever(void **unused)
{
    (void)unused;
    expect_violated("var x; L = tau{x = 1 - x} -> L; P = L ||| s -> a -> Stop; S = s -> Stop;"
                    "#assert P refines S;");
    expect_violated("L = tau -> tau -> L; P = L ||| s -> a -> Stop; S = s -> Stop;"
                    "#assert P refines S;");
}

/* The states between `s` and `a` are not stored, but people see the steps all the same. */
static void skipped_states_are_seen_in_traces(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    struct assertion_result plain, skipped;
    csp_model_test_open(&test, "var x; P = s -> tau -> tau{x = 1} -> a.x -> Stop ||| b -> Stop;"
                               "S = s -> S [] b -> S; #assert P refines S;");
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_NONE, false, &plain), STATUS_OK);
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_PARTIAL_ORDER, false, &skipped),
                     STATUS_OK);
    assert_int_equal(plain.answer, VIOLATED);
    assert_int_equal(skipped.answer, VIOLATED);
    assert_true(skipped.states < plain.states);
    assert_int_equal(skipped.trace.steps.length, 4); /* s, τ, τ, a.1 */
    assert_string_equal(skipped.trace.steps.items[2].changes, "x = 1");
    assertion_result_release(&skipped);
    assertion_result_release(&plain);
    csp_model_test_close(&test);
}

static void steps_that_need_others_stand_for_nothing(void **unused)
{
    (void)unused;
    /* the first may terminate instead of its invisible step, once the second can */
    expect_violated("P = (Skip [] tau -> b -> Skip) ||| s -> a -> Skip;"
                    "S = s -> (a -> b -> Skip [] b -> a -> Skip) [] b -> s -> a -> Skip;"
                    "#assert P refines S;");
    expect_violated("channel c 0; P = (c!1 -> Stop [] tau -> Stop) ||| s -> tau -> c?x -> Stop;"
                    "S = s -> Stop; #assert P refines S;");
    expect_violated("P = A || B; A = e -> Stop [] tau -> Stop; B = s -> tau -> e -> Stop;"
                    "S = s -> Stop; #assert P refines S;");
}

/* Figure 4 of the 2009 paper, if later events of the same process are not asked about, follows only
 * `a` here, and then finds no difference. */
static void a_visible_event_does_not_stand_for_all(void **unused)
{
    (void)unused;
    expect_violated("P = s -> (a -> Stop ||| c -> b -> Stop);"
                    "S = s -> (a -> b -> Stop ||| c -> Stop); #assert P refines S;");
}

/* The first and the second write `x`, which only the first reads: 1 behind `b`, if it wrote last.
 */
static void writes_do_not_go_in_a_fixed_order(void **unused)
{
    (void)unused;
    expect_violated("var x; P = (tau -> tau{x = 1} -> a.x -> Stop) |||"
                    "(tau -> tau{x = 2} -> b -> Stop) ||| s -> Stop;"
                    "S = s -> S [] a.1 -> S [] a.2 -> S [] b -> T; T = s -> T [] a.2 -> T;"
                    "#assert P refines S;");
}

static void steps_into_atomic_stand_for_nothing(void **unused)
{
    (void)unused;
    expect_violated("P = (tau -> atomic{x -> y -> Stop}) ||| s -> a -> Stop;"
                    "S = s -> x -> y -> a -> Stop [] x -> y -> s -> a -> Stop;"
                    "#assert P refines S;");
}

static struct assertion_result decided(struct csp_model_test *test, size_t assertion,
                                       reductions with)
{
    struct assertion_result result;
    assert_int_equal(csp_model_test_decide(test, assertion, with, false, &result), STATUS_OK);
    return result;
}

/* Only the element at `n` is read, and n only grows: what was written before does not tell states
 * apart. In the second model an element is read by its number, in the third n goes back. */
static void elements_that_were_passed_are_dead(void **unused)
{
    (void)unused;
    static const char *const bodies[] = {
        "[n < 3] w{log[n] = x; n = n + 1} -> P [] [n > 0] r.log[n - 1] -> P",
        "[n < 3] w{log[n] = x; n = n + 1} -> P [] [n > 0] r.log[0].log[n - 1] -> P",
        "[n < 3] w{log[n] = x; n = n + 1} -> P [] [n > 0] r.log[n - 1]{n = n - 1} -> P",
    };
    uint64_t states[ARRAY_LENGTH(bodies)];
    for (size_t i = 0; i < ARRAY_LENGTH(bodies); i++) {
        struct csp_model_test test;
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "var log[3]; var n; var x; P = %s [] f{x = 1 - x} -> P; Main = f -> P;"
                    "#assert Main divergencefree; #assert Main deadlockfree;",
                    bodies[i]);
        csp_model_test_open(&test, text_string(&text));
        struct assertion_result result = decided(&test, 0, REDUCE_SLICE);
        assert_int_equal(result.answer, HOLDS);
        states[i] = result.states;
        assertion_result_release(&result);
        csp_model_test_close(&test);
        text_release(&text);
    }
    /* n, x, and the last element where there is one: behind `Main`, 2 + 3 * 4 */
    assert_int_equal(states[0], 1 + 2 + 3 * 4);
    assert_true(states[1] > states[0]);
    assert_true(states[2] > states[0]);
}

/* A subscript that is dead itself is reset in what is stored, and is not in what is replayed. */
static void executions_replay_where_subscripts_are_dead(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(&test, "#define N 3; var x; var log[N][3]; var at[N]; var owner = -1;"
                               "P0(i) = tau{if (at[i] < 2) { at[i]++; log[i][at[i]] = x; }} ->"
                               "        ((tau -> P2(i)) [] P0(i));"
                               "P1(i) = h{x = 1 - x} -> Stop;"
                               "P2(i) = g{if (owner != -1) { x = log[owner][at[i]]; }} -> P1(i);"
                               "Main = ||| i:{0..N - 1} @ P0(i); #assert Main deadlockfree;");
    struct assertion_result result;
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_SLICE, true, &result), STATUS_OK);
    assert_int_equal(result.answer, VIOLATED);
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

/* A subscript that dies takes back nothing of what was forgotten because of it while it was live.
 */
static void what_was_passed_stays_forgotten_where_subscripts_die(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(
        &test, "#define N 2; var a[N]; var x; var log[N][3]; var at[N]; var s[N];"
               "#define odd a[0] == 1 && a[1] == 0;"
               "P0(i) = tau{a = s; log[i][at[i]] = x; } -> e.i{a[i] = 1 - a[i]; } ->"
               "        g.x{s[i] = 1 - s[i]; } -> tau{while (at[i] < 1) { at[i]++; } } -> P2(i);"
               "P2(i) = (tau -> g.a[i]{x = 1 - x; } -> Skip)"
               "        ||| (d.i{x = log[i][at[i]]; a[i] = 0; } -> Skip);"
               "Main = ||| i:{0..N - 1} @ P0(i); #assert Main reaches odd;");
    static const reductions all[] = {REDUCE_SLICE, REDUCE_SLICE | REDUCE_PARTIAL_ORDER};
    for (size_t i = 0; i < 2 * ARRAY_LENGTH(all); i++) {
        struct assertion_result result;
        assert_int_equal(csp_model_test_decide(&test, 0, all[i / 2], i % 2, &result), STATUS_OK);
        assert_int_equal(result.answer, HOLDS);
        assertion_result_release(&result);
    }
    csp_model_test_close(&test);
}

/* No deadlock is put off by going round, so one of six loops stands for all; but a fault is, and it
 * must be found. */
static void deadlocks_do_not_wait_for_loops(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(&test,
                        "L(i) = a.i -> b.i -> c.i -> L(i); Main = s -> (||| i:{0..5} @ L(i));"
                        "#assert Main deadlockfree;");
    struct assertion_result plain = decided(&test, 0, REDUCE_NONE);
    struct assertion_result reduced = decided(&test, 0, REDUCE_PARTIAL_ORDER);
    assert_int_equal(plain.states, 1 + 3 * 3 * 3 * 3 * 3 * 3);
    assert_int_equal(reduced.answer, HOLDS);
    assert_int_equal(reduced.states, 1 + 3);
    assertion_result_release(&plain);
    assertion_result_release(&reduced);
    csp_model_test_close(&test);

    csp_model_test_open(&test, "var v[2]; var x; L = a -> L; F = tau -> f{v[x + 2] = 1} -> Stop;"
                               "Main = L ||| F; #assert Main deadlockfree;");
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_PARTIAL_ORDER, false, &reduced),
                     STATUS_INPUT);
    assertion_result_release(&reduced);
    csp_model_test_close(&test);
}

/* Of a component that is a composition itself the trace has the step of the right process of it. */
static void skipped_states_of_nested_compositions_are_seen_in_traces(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(&test, "var x; var y; A = tau{x = 1} -> tau{x = 2} -> a -> Stop;"
                               "B = b -> tau{y = 1} -> tau{y = 2} -> Stop;"
                               "P = s -> ((B || A) || c -> a -> Stop);"
                               "S = s -> (b -> c -> Stop [] c -> b -> Stop);"
                               "#assert P refines S;");
    struct assertion_result plain = decided(&test, 0, REDUCE_NONE);
    struct assertion_result skipped = decided(&test, 0, REDUCE_PARTIAL_ORDER);
    assert_int_equal(plain.answer, VIOLATED);
    assert_int_equal(skipped.answer, VIOLATED);
    assert_true(skipped.states < plain.states);
    assert_int_equal(skipped.trace.steps.length, 5); /* s, τ, τ, c, a */
    assert_string_equal(skipped.trace.steps.items[2].changes, "x = 2");
    assertion_result_release(&plain);
    assertion_result_release(&skipped);
    csp_model_test_close(&test);
}

/* Three pairs that meet in an event, and then each take a step of their own. */
static void pairs_are_ample(const char *composition)
{
    struct csp_model_test test;
    struct text text = TEXT_EMPTY;
    text_format(&text,
                "A(i) = both.i -> own.i -> Stop; B(i) = both.i -> Stop;"
                "Main = s -> (%s); #assert Main deadlockfree;",
                composition);
    csp_model_test_open(&test, text_string(&text));
    struct assertion_result plain = decided(&test, 0, REDUCE_NONE);
    struct assertion_result reduced = decided(&test, 0, REDUCE_PARTIAL_ORDER);
    assert_int_equal(plain.answer, VIOLATED);
    assert_int_equal(reduced.answer, VIOLATED);
    assert_true(reduced.states <= 1 + 7); /* one order of six steps */
    assert_true(plain.states > reduced.states);
    assertion_result_release(&plain);
    assertion_result_release(&reduced);
    csp_model_test_close(&test);
    text_release(&text);
}

/* The components of a component are ample like those of the whole. */
static void nested_compositions_are_taken_apart(void **unused)
{
    (void)unused;
    pairs_are_ample("(A(0) || (A(1) || A(2))) || (B(0) || B(1)) || B(2)");
}

/* What both take together asks for both, and what is theirs alone for nobody else. */
static void processes_are_ample_together(void **unused)
{
    (void)unused;
    pairs_are_ample("A(0) || B(0) || A(1) || B(1) || A(2) || B(2)");
}

static void expect_reached(const char *text)
{
    static const reductions ways[] = {REDUCE_NONE, REDUCE_PARTIAL_ORDER, REDUCE_DEFAULT};
    struct csp_model_test test;
    csp_model_test_open(&test, text);
    for (size_t i = 0; i < test.module.assertions.length * ARRAY_LENGTH(ways); i++) {
        const size_t way = i % ARRAY_LENGTH(ways);
        struct assertion_result result = decided(&test, i / ARRAY_LENGTH(ways), ways[way]);
        if (result.answer != HOLDS)
            fail_msg("way %zu: not reached:\n%s", way, text);
        assertion_result_release(&result);
    }
    csp_model_test_close(&test);
}

/* P and Q wait for one another in `a`, which Q never takes, so that nobody else is asked for. The
 * goal sees what `w` writes: it is not put before `r`. */
static void what_a_goal_asks_for_is_not_put_first(void **unused)
{
    (void)unused;
    expect_reached("var x; var y; #alphabet Q {a}; P = w{x = 1} -> Skip [] a -> Skip; Q = Stop;"
                   "R = r{y = 1} -> Skip; Main = s -> (P || Q || R);"
                   "#define early x == 0 && y == 1; #assert Main reaches early;");
}

/* `e` waits until `w` lets Q take it. That P, who is among those that meet in `f`, takes no part in
 * it is no reason to leave Q out: behind `f` there is no `e` any more. */
static void who_takes_no_part_in_an_event_is_not_waited_for(void **unused)
{
    (void)unused;
    expect_reached("var x; var y; P = f -> Skip; R = f -> Skip [] e -> late{y = 1} -> Skip;"
                   "Q = [x == 1] e -> Skip; S = w{x = 1} -> Skip; Main = s -> (P || R || Q || S);"
                   "#define after y == 1; #assert Main reaches after;");
}

/* Where x is forgotten both ways lead to one state, of which that stays that comes first. */
static void where_a_variable_is_hidden_no_state_is_merged(void **unused)
{
    (void)unused;
    expect_reached("var x; hvar h; P = a{x = 1; h = 1} -> Q [] b{x = 2; h = 2} -> Q; Q = c -> Q;"
                   "#define first h == 1; #define second h == 2;"
                   "#assert P reaches first; #assert P reaches second;");
}

/* ---- symmetry ---- */

#define COUNTERS                                                                                   \
    "#define N 4; var c[N]; var owner = -1;"                                                       \
    "P(i) = [c[i] < 2] a.i{c[i] = c[i] + 1} -> P(i) [] [c[i] == 2 && owner == -1] b.i{owner = i}"  \
    " -> Stop; Main = ||| i:{0..N - 1} @ P(i);"

/* Four counters from 0 to 2 and who was first at 2: 81 + 4 * 27 states. Up to renumbering there are
 * 15 multisets of counters, and 10 of the other three beside the first. */
static void states_that_differ_by_indices_are_one(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(&test, COUNTERS "#assert Main reaches all; #define all owner == -2;");
    struct assertion_result plain = decided(&test, 0, REDUCE_NONE);
    struct assertion_result symmetric = decided(&test, 0, REDUCE_SYMMETRY);
    assert_int_equal(plain.states, 81 + 4 * 27);
    assert_int_equal(symmetric.states, 15 + 10);
    assert_int_equal(symmetric.reductions, REDUCE_SYMMETRY);
    assertion_result_release(&plain);
    assertion_result_release(&symmetric);
    csp_model_test_close(&test);
}

/* What is shown are steps of the model: 3 is the only one that comes to its second step by its
 * number in `order`, whoever stands for whom in the search. */
static void executions_have_the_models_own_indices(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    csp_model_test_open(&test, "#define N 4; var order = 3; var c[N];"
                               "P(i) = a.i{c[i] = 1} -> ([order == i] b.i{order = -1} -> Stop);"
                               "Q(i) = a.i -> Stop; Main = ||| i:{0..N - 1} @ P(i);"
                               "Spec = ||| i:{0..N - 1} @ Q(i); #assert Main refines Spec;");
    struct assertion_result result = decided(&test, 0, REDUCE_SYMMETRY);
    assert_int_equal(result.answer, VIOLATED);
    assert_int_equal(result.reductions, REDUCE_SYMMETRY);
    assert_int_equal(result.trace.steps.length, 2);
    assert_string_equal(result.trace.steps.items[0].event, "a.3");
    assert_string_equal(result.trace.steps.items[0].changes, "c = [0, 0, 0, 1]");
    assert_int_equal(result.trace.steps.items[0].process, 3);
    assert_string_equal(result.trace.steps.items[1].event, "b.3");
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

/* Each tells an index from the others. */
static void what_tells_indices_apart_ends_symmetry(void **unused)
{
    (void)unused;
    static const char *const bodies[] = {
        "a.i{x = i + 1} -> Stop",        "a.i{c[i] = 1; x = c[0]} -> Stop",
        "[i == 1] a.i -> Stop",          "[i < 1] a.i -> Stop",
        "a.i{x = i; y = x + 1} -> Stop", "a.i{d[i] = 1} -> Stop",
        "a.i{x = table[i]} -> Stop",     "a.i -> a.0 -> Stop",
        "k!i -> k?j -> a.j -> Stop",     "a.i{x = m[i][c[i] + 3]} -> Stop",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(bodies); i++) {
        struct csp_model_test test;
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "#define N 2; var c[N]; var d[N + 1]; var m[N][N]; var table = [4, 5];"
                    "var x; var y; channel k 2; P(i) = %s; Main = ||| i:{0..N - 1} @ P(i);"
                    "#assert Main deadlockfree;",
                    bodies[i]);
        csp_model_test_open(&test, text_string(&text));
        struct assertion_result result;
        (void)csp_model_test_decide(&test, 0, REDUCE_SYMMETRY, false, &result);
        if (result.reductions != REDUCE_NONE)
            fail_msg("renumbered: %s", bodies[i]);
        assertion_result_release(&result);
        csp_model_test_close(&test);
        text_release(&text);
    }
}

/* What is alike is looked for in models of any shape: each definition once, many in a row. */
static void looking_for_indices_ends(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    struct text text = TEXT_EMPTY;
    csp_model_test_open(&test, "P = P ||| P; #assert P deadlockfree;");
    struct assertion_result result;
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_SYMMETRY, false, &result),
                     STATUS_INPUT);
    assertion_result_release(&result);
    csp_model_test_close(&test);
    for (unsigned i = 0; i < 50000; i++)
        text_format(&text, "P%u(i) = e.i -> P%u(i);\n", i, i + 1);
    text_append(&text, "P50000(i) = Stop; M = ||| i:{0..1} @ P0(i); #assert M reaches goal;"
                       "#define goal true;");
    csp_model_test_open(&test, text_string(&text));
    result = decided(&test, 0, REDUCE_SYMMETRY);
    assert_int_equal(result.answer, HOLDS);
    assertion_result_release(&result);
    csp_model_test_close(&test);
    text_release(&text);
}

/* ---- random models ---- */

#define MOST_WORK   4096      /* states; models that have more are left out, */
#define MOST_MEMORY (4 << 20) /* and those whose states are large */

struct answer {
    enum status status;
    enum limit limit;
    enum holds holds;
    bool has_extreme;
    int64_t extreme;
};

static struct answer decide(struct csp_model_test *test, size_t assertion, reductions with,
                            bool depth_first)
{
    struct assertion_result result;
    test->limits.work = 0;
    test->limits.most_work = MOST_WORK;
    test->budget.refused = false;
    test->budget.limit = test->budget.used + MOST_MEMORY;
    enum status status = csp_model_test_decide(test, assertion, with, depth_first, &result);
    struct answer answer = {.status = status,
                            .limit = result.limit,
                            .holds = result.answer,
                            .has_extreme = result.has_extreme && result.answer == HOLDS,
                            .extreme = result.extreme};
    assertion_result_release(&result);
    return answer;
}

/* Whether the search ended at something found, before all was looked at. */
static bool is_found(const struct answer *answer, bool reaches)
{
    return answer->status == STATUS_OK && !answer->has_extreme &&
           answer->holds == (reaches ? HOLDS : VIOLATED);
}

/* Whether a fault or what is looked for is met first depends on the order of the search. */
static bool agree(const struct answer *plain, const struct answer *reduced, bool reaches)
{
    if (plain->status == STATUS_INTERNAL || reduced->status == STATUS_INTERNAL)
        return false;
    if (plain->limit != LIMIT_NONE || reduced->limit != LIMIT_NONE)
        return true;
    if (plain->status != STATUS_OK || reduced->status != STATUS_OK)
        return (plain->status != STATUS_OK || is_found(plain, reaches)) &&
               (reduced->status != STATUS_OK || is_found(reduced, reaches));
    return plain->holds == reduced->holds &&
           (!plain->has_extreme || plain->extreme == reduced->extreme);
}

static const reductions sets[] = {REDUCE_PARTIAL_ORDER, REDUCE_SLICE,   REDUCE_ANTICHAIN,
                                  REDUCE_SYMMETRY,      REDUCE_DEFAULT, REDUCE_PAPER};

#define WAYS (2 * ARRAY_LENGTH(sets)) /* each breadth and depth first */

/* Whether some assertion is answered differently; `only`: in this way, WAYS for any. */
static bool differs(const char *text, unsigned only, unsigned *way)
{
    struct csp_model_test test;
    bool found = false;
    enum status status = csp_model_test_try(&test, text);
    for (size_t i = 0; status == STATUS_OK && i < test.module.assertions.length && !found; i++) {
        struct answer plain = decide(&test, i, REDUCE_NONE, false);
        for (unsigned at = 0; at < WAYS && plain.limit == LIMIT_NONE && !found; at++) {
            if (only != WAYS && at != only)
                continue;
            struct answer reduced = decide(&test, i, sets[at / 2], at % 2);
            bool reaches = test.module.assertions.items[i].kind == ASSERTION_REACHES;
            found = !agree(&plain, &reduced, reaches);
            *way = at;
        }
    }
    csp_model_test_close(&test);
    return found;
}

static bool differs_still(void *context, const char *text)
{
    unsigned way;
    return differs(text, *(const unsigned *)context, &way);
}

static struct seeds seeds = {.first = 1, .count = 0}; /* 0: what is usual for each test */

static void compare_on_random_models(enum csp_random_shape shape, unsigned usual)
{
    unsigned count = seeds.count ? seeds.count : usual;
    for (uint64_t seed = seeds.first; seed < seeds.first + count; seed++) {
        struct csp_random *model = csp_random_create(shape, seed);
        unsigned way = 0;
        struct csp_model_test test;
        if (csp_model_test_try(&test, csp_random_text(model)) != STATUS_OK)
            fail_msg("seed %lu is no model: %s\n%s", (unsigned long)seed, test.error.message,
                     csp_random_text(model));
        csp_model_test_close(&test);
        if (differs(csp_random_text(model), WAYS, &way)) {
            struct text name = TEXT_EMPTY;
            reductions_print(sets[way / 2], &name);
            csp_random_shrink(model, differs_still, &way);
            fail_msg("seed %lu: %s%s changes an answer:\n%s", (unsigned long)seed,
                     text_string(&name), way % 2 ? ", depth first," : "", csp_random_text(model));
        }
        csp_random_destroy(model);
    }
}

/* In each, b can happen only before the invisible step: behind it somebody can take an atomic step
 * together with the process that has taken it, and no other step is possible before that. */
static void a_step_that_lets_others_be_atomic_does_not_stand_for_all(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "channel s 0; Main = i -> (tau -> s?x -> Stop ||| atomic{s!1 -> Stop} ||| b -> Stop);"
        "Spec = i -> (s!1 -> Stop ||| s?x -> b -> Stop); #assert Main refines Spec;",
        "Main = i -> (tau -> a -> Stop || atomic{a -> Stop} || b -> Stop);"
        "Spec = i -> a -> b -> Stop; #assert Main refines Spec;",
        "Main = i -> ((tau -> Skip ||| atomic{Skip} ||| (Skip [] b -> Stop)); c -> Stop);"
        "Spec = i -> c -> Stop; #assert Main refines Spec;",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        struct csp_model_test test;
        assert_int_equal(csp_model_test_try(&test, texts[i]), STATUS_OK);
        assert_int_equal(decide(&test, 0, REDUCE_NONE, false).holds, VIOLATED);
        assert_int_equal(decide(&test, 0, REDUCE_PARTIAL_ORDER, false).holds, VIOLATED);
        csp_model_test_close(&test);
    }
}

/* The two states that `a` may lead to have ample sets that lead to each other: one of them must be
 * followed in full, or the specification could not go on. */
static void what_a_closure_starts_with_is_followed(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    assert_int_equal(csp_model_test_try(&test, "L = tau -> tau -> L;"
                                               "Main = i -> ((L ||| a -> h -> a -> Stop) \\{h});"
                                               "#assert Main refines Main;"),
                     STATUS_OK);
    assert_int_equal(decide(&test, 0, REDUCE_PAPER, false).holds, HOLDS);
    csp_model_test_close(&test);
}

static void no_reduction_changes_an_answer_of_a_random_model(void **unused)
{
    (void)unused;
    compare_on_random_models(CSP_RANDOM_OPERATORS, 40);
}

static void no_reduction_changes_linearizability_of_a_random_object(void **unused)
{
    (void)unused;
    compare_on_random_models(CSP_RANDOM_OBJECT, 20);
}

static void no_reduction_changes_an_answer_about_processes_with_an_index(void **unused)
{
    (void)unused;
    compare_on_random_models(CSP_RANDOM_SYMMETRIC, 40);
}

static void no_reduction_changes_an_answer_about_processes_that_synchronise(void **unused)
{
    (void)unused;
    compare_on_random_models(CSP_RANDOM_NETWORK, 70);
}

/* test_reductions [FIRST_SEED [COUNT [PATTERN]]]: the tests whose names fit. */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    if (count > 3)
        cmocka_set_test_filter(arguments[3]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_read_and_printed),
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(a_cycle_puts_nothing_off_for_ever),
        cmocka_unit_test(skipped_states_are_seen_in_traces),
        cmocka_unit_test(steps_that_need_others_stand_for_nothing),
        cmocka_unit_test(a_visible_event_does_not_stand_for_all),
        cmocka_unit_test(writes_do_not_go_in_a_fixed_order),
        cmocka_unit_test(steps_into_atomic_stand_for_nothing),
        cmocka_unit_test(what_a_closure_starts_with_is_followed),
        cmocka_unit_test(a_step_that_lets_others_be_atomic_does_not_stand_for_all),
        cmocka_unit_test(deadlocks_do_not_wait_for_loops),
        cmocka_unit_test(processes_are_ample_together),
        cmocka_unit_test(what_a_goal_asks_for_is_not_put_first),
        cmocka_unit_test(who_takes_no_part_in_an_event_is_not_waited_for),
        cmocka_unit_test(where_a_variable_is_hidden_no_state_is_merged),
        cmocka_unit_test(nested_compositions_are_taken_apart),
        cmocka_unit_test(skipped_states_of_nested_compositions_are_seen_in_traces),
        cmocka_unit_test(elements_that_were_passed_are_dead),
        cmocka_unit_test(executions_replay_where_subscripts_are_dead),
        cmocka_unit_test(what_was_passed_stays_forgotten_where_subscripts_die),
        cmocka_unit_test(states_that_differ_by_indices_are_one),
        cmocka_unit_test(executions_have_the_models_own_indices),
        cmocka_unit_test(what_tells_indices_apart_ends_symmetry),
        cmocka_unit_test(looking_for_indices_ends),
        cmocka_unit_test(no_reduction_changes_an_answer_of_a_random_model),
        cmocka_unit_test(no_reduction_changes_linearizability_of_a_random_object),
        cmocka_unit_test(no_reduction_changes_an_answer_about_processes_with_an_index),
        cmocka_unit_test(no_reduction_changes_an_answer_about_processes_that_synchronise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
