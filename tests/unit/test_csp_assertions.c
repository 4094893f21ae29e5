/* The semantics of CSP#, a construct at a time: small models whose answers follow from the
 * definition of the language, with the number of states where it tells a right reading from a
 * wrong one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/csp_model_test.h"

/* Decides every assertion of the model in all four ways; `expected` has a letter for each: h holds,
 * v violated, u unknown, e an error. */
static void expect(const char *text, const char *expected)
{
    struct csp_model_test test;
    csp_model_test_open(&test, text);
    assert_int_equal(test.module.assertions.length, strlen(expected));
    for (size_t i = 0; expected[i]; i++) {
        for (unsigned way = 0; way < 4; way++) {
            struct assertion_result result;
            enum status status = csp_model_test_decide(
                &test, i, way & 1 ? REDUCE_ANTICHAIN : REDUCE_NONE, way & 2, &result);
            char answer = status != STATUS_OK ? 'e' : "hvu"[result.answer];
            if (answer != expected[i])
                fail_msg("%s\nassertion %zu: expected %c, found %c (%s%s)", text, i, expected[i],
                         answer, text_string(&result.reason),
                         status != STATUS_OK ? test.error.message : "");
            assertion_result_release(&result);
        }
    }
    csp_model_test_close(&test);
}

/* The states of the first assertion's full exploration. */
static void expect_states(const char *text, uint64_t states)
{
    struct csp_model_test test;
    struct assertion_result result;
    csp_model_test_open(&test, text);
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_NONE, false, &result), STATUS_OK);
    if (result.states != states)
        fail_msg("%s\nexpected %lu states, found %lu", text, (unsigned long)states,
                 (unsigned long)result.states);
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

static void expect_trace(const char *text, const char *expected)
{
    struct csp_model_test test;
    struct assertion_result result;
    struct text trace = TEXT_EMPTY;
    csp_model_test_open(&test, text);
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_NONE, false, &result), STATUS_OK);
    for (size_t i = 0; i < result.trace.steps.length; i++) {
        text_append(&trace, i ? " " : "");
        text_append(&trace, result.trace.steps.items[i].event);
    }
    assert_string_equal(text_string(&trace), expected);
    text_release(&trace);
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

/* `&`, `|` and `^` are of two booleans, or of the bits of two integers; an indexed form takes
 * values from an interval or a list. */
static void operators_take_booleans_and_bits(void **unused)
{
    (void)unused;
    expect("var t = true; var f = false; var n = 6; P = e -> Stop;"
           "#define booleans (t & t) == true && (t & f) == false && (t | f) == true &&"
           "                 (f | f) == false && (t ^ t) == false && (t ^ f) == true;"
           "#define bits (n & 3) == 2 && (n | 3) == 7 && (n ^ 3) == 5 && -n == 0 - 6;"
           "#define odd (xor i:{0..2} @ t) && !(xor i:{0..1} @ t);"
           "#define listed (|| i:{2, 6} @ n == i) && (&& i:{6, 6} @ n == i);"
           "#define not_all && i:{2, 6} @ n == i;"
           "#define mixed (t & n) == 0;"
           "#assert P reaches booleans; #assert P reaches bits; #assert P reaches odd;"
           "#assert P reaches listed; #assert P reaches not_all; #assert P reaches mixed;",
           "hhhhve");
}

static void the_order_that_found_it_is_told(void **unused)
{
    (void)unused;
    static const struct {
        struct search_extent extent;
        const char *found, *limited;
        bool depth_first;
    } cases[] = {
        {{.depth = 5}, "", "2 states and 3 transitions, 5 steps deep", false},
        {{.longest = 9, .is_newest = true}, "", "2 states and 3 transitions, 9 steps deep", true},
        {{.depth = 5, .longest = 9, .has_turned = true, .is_newest = true},
         "found depth first after 2 states: a shorter way may be there",
         "2 states and 3 transitions, 5 steps deep breadth first and 9 depth first",
         true},
        {{.depth = 5, .longest = 9, .has_turned = true},
         "found breadth first after 2 states: a shorter way may be there",
         "5 steps deep breadth first and 9 depth first",
         false},
    };
    struct budget budget;
    budget_init(&budget, NULL, 0);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct assertion_result result;
        assertion_result_init(&result, &budget);
        result.states = 2;
        result.transitions = 3;
        result.limit = LIMIT_TIME;
        assertion_say_order(&result, &cases[i].extent);
        assert_string_equal(text_string(&result.reason), cases[i].found);
        assert_int_equal(result.found_depth_first, cases[i].depth_first);
        assertion_undecided(&result, &cases[i].extent);
        assert_non_null(strstr(text_string(&result.reason), cases[i].limited));
        assertion_result_release(&result);
    }
}

static void recursion_that_grows_is_explored(void **unused)
{
    (void)unused;
    /* a sequence longer by one after each step, and not a process deeper */
    expect_states(
        "var n; A = a{n++} -> A; b -> Skip; #define far n == 6000; #assert A reaches far;", 6001);
    /* what is put off comes when the first ends: behind k times a and end stand k + 1 times b, Skip
     * and Stop */
    expect_states(
        "var n; B = ([n < 3] a{n++} -> B [] end -> Skip); b -> Skip; #assert B deadlockfree;",
        4 + 3 + 4 + 5 + 6);
    /* one process more after each step, of which all are alike */
    expect_states("var n; P = a{n++} -> (P ||| P); #define many n == 400; #assert P reaches many;",
                  401);
}

static void if_takes_a_step_and_ifa_none(void **unused)
{
    (void)unused;
    /* P, the branch, Stop */
    expect_states("P = if (true) { a -> Stop }; #assert P deterministic;", 3);
    expect_states("P = ifa (true) { a -> Stop }; #assert P deterministic;", 2);
    /* the hidden step of `if` resolves the choice, `ifa` and guards do not */
    expect("P = if (true) { a -> P } [] b -> P; Q = a -> Q [] b -> Q;"
           "R = ifa (true) { a -> R } [] b -> R; S = [true] a -> S [] b -> S;"
           "#assert Q refines<F> P; #assert P refines<F> Q; #assert R refines<F> Q;"
           "#assert S refines<F> Q; #assert Q refines<F> S;",
           "hvhhh");
}

static void skip_before_a_sequence_takes_no_step(void **unused)
{
    (void)unused;
    /* a -> Skip; Q is at Q after a; a reference to Skip is not: P, Skip;Q' ... */
    expect_states("Q = b -> Stop; P = a -> Skip; Q; #assert P deterministic;", 3);
    expect_states("S = Skip; Q = b -> Stop; P = a -> S; Q; #assert P deterministic;", 4);
}

static void atomic_goes_first(void **unused)
{
    (void)unused;
    expect_trace("P = atomic{a -> b -> Skip} ||| c -> Skip; Q = c -> Stop; #assert P refines Q;",
                 "a");
    expect("P = atomic{a -> b -> Stop} ||| c -> Stop; Q = a -> b -> c -> Stop;"
           "#assert P refines Q; #assert Q refines P;",
           "hh");
}

static void arguments_are_evaluated_when_the_process_steps(void **unused)
{
    (void)unused;
    expect("var x = 1; P = a -> Q(x) ||| b{x = 2} -> Stop; Q(i) = c.i -> Stop;"
           "S = a -> b -> c.2 -> Stop [] a -> c.1 -> b -> Stop [] b -> a -> c.2 -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
}

static void components_are_evaluated_before_the_program(void **unused)
{
    (void)unused;
    expect("var x = 1; P = e.x{x = x + 1} -> f.x -> Stop; S = e.1 -> f.2 -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
}

static void choices_are_resolved_by_what_resolves_them(void **unused)
{
    (void)unused;
    expect("P = (tau -> a -> Stop) [*] b -> Stop; S = a -> Stop [] b -> Stop;"
           "G = (tau -> a -> Stop) [] b -> Stop; I = a -> Stop <> b -> Stop;"
           "#assert P refines<F> S; #assert G refines<F> S; #assert I refines<F> S;"
           "#assert I refines S; #assert S refines<F> I;",
           "hvvhh");
}

static void termination_is_visible_and_common(void **unused)
{
    (void)unused;
    expect("P = a -> Skip; S = a -> Stop; #assert P refines S; #assert S refines P;"
           "#assert P deadlockfree; #assert S deadlockfree; #assert P nonterminating;"
           "L = a -> L; #assert L nonterminating;",
           "vhhvvh");
    /* both components must be able to terminate */
    expect("P = Skip ||| (a -> Skip); S = a -> Skip; #assert P refines S; #assert S refines P;",
           "hh");
    expect("P = Skip || (a -> Skip); S = a -> Skip; #assert P refines S; #assert S refines P;",
           "hh");
}

static void parallel_components_share_plain_events(void **unused)
{
    (void)unused;
    expect("P = a -> b -> Stop || c -> b -> Stop;"
           "S = a -> c -> b -> Stop [] c -> a -> b -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
    /* an event with a program never synchronises */
    expect("var x; P = b{x = 1} -> Stop || b{x = 2} -> Stop; S = b -> b -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
    /* #alphabet */
    expect("P = Q || R; Q = a -> Stop; R = Stop; #alphabet R {a}; #assert P deadlockfree;"
           "S = Stop; #assert P refines S;",
           "vh");
    /* what is hidden in one place is in the alphabet for another, whichever comes first */
    expect("Q = a -> b -> Stop; P = (Q \\{a}) [] Q; T = Q [] (Q \\{a}); R = a -> c -> Stop;"
           "M = P || R; N = T || R; S = b -> Stop [] a -> (b -> c -> Stop [] c -> b -> Stop);"
           "#assert M refines S; #assert S refines M; #assert N refines S; #assert S refines N;",
           "hhhh");
    /* a process that comes up with several arguments adds its events for each of them */
    expect("Bus = req -> rel -> Bus; L(i) = req -> work.i -> rel -> L(i);"
           "P = Bus || (L(1) ||| L(2));"
           "S = req -> (work.1 -> rel -> S [] work.2 -> rel -> S);"
           "#assert P refines S; #assert S refines P; #assert P refines<F> S;"
           "#assert P deadlockfree;",
           "hhvh");
    expect("P = Q(0) || a.1 -> Stop; Q(i) = a.i -> Q(1 - i); S = a.0 -> a.1 -> a.0 -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
    /* no alphabet can be found for a process that comes with ever other arguments */
    expect("P = Q(0) || Stop; Q(i) = a.i -> Q(i + 1); #assert P deadlockfree;", "e");
}

static void arrays_are_sent_and_passed_on(void **unused)
{
    (void)unused;
    /* what is sent is what the array holds then; messages of one channel may differ in shape */
    expect_trace("channel c 0; channel d 1; var x[2][2];"
                 "P(i) = c!x.i -> d?u.1 -> P(x); Q(i) = c?z.m -> tau{x[0][1] = 5; x[1][0] = z[1];}"
                 " -> d!z[1].m -> Q(m); S = P(1) ||| Q(2); #assert S deadlockfree;",
                 "c.[0, 0, 0, 0].1 \xcf\x84 d!0.1 d?0.1 c.[0, 5, 0, 0].[0, 5, 0, 0] \xcf\x84 "
                 "d!5.[0, 5, 0, 0]");
    /* a value in the pattern, an array or not, must be the one that comes */
    expect("channel c 2; var a = [1, 2]; var b = [1, 3];"
           "P = c!a.7 -> c!b.7 -> (c?b.x -> bad -> Stop [] c?a.x -> got.x -> Q);"
           "Q = c?1.x -> bad -> Stop [] c?b.7 -> ok -> Stop;"
           "#define none call(ccount, c) == 0; H = P \\ {got.7}; S = ok -> Stop;"
           "R = c!1.a -> (c?x -> bad -> Stop [] c?x.y -> ok.(y[1]) -> Stop); T = ok.2 -> Stop;"
           "#assert P reaches none; #assert H refines S; #assert R refines T;",
           "hvv");
    expect("P(l, i) = e.(l[i]) -> if (i < 1) { P(l, i + 1) }; Q = P([4, 2], 0); var x = 9;"
           "R = P([x, 1 + 1], 0) || e.9 -> Skip; S = e.4 -> e.2 -> Skip; #assert Q refines S;"
           "#assert R deadlockfree; T = Q || e.4 -> Skip; #assert T deadlockfree;",
           "hee");
    /* the argument is what the array holds when the process takes its first step */
    expect("var a = [1, 2]; P = Q(a) ||| t{a[0] = 7} -> Stop; Q(l) = e.(l[0]) -> f.(l[0]) -> Stop;"
           "S = e.1 -> (f.1 -> t -> Stop [] t -> f.1 -> Stop) [] t -> e.7 -> f.7 -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
    /* the channel may be empty or full, or the array received */
    expect_states("channel c 1; var a = [1, 2]; P = c!a -> P [] c?x -> Q(x); Q(l) = e.(l[1]) -> P;"
                  "#assert P deadlockfree;",
                  3);
}

static void hiding_takes_exact_names(void **unused)
{
    (void)unused;
    expect("P = (e.1 -> e -> Stop) \\{e}; S = e.1 -> Stop; #assert P refines S;"
           "#assert S refines P;"
           "T = (e.1 -> e -> Stop) \\{e.1}; U = e -> Stop; #assert T refines U;"
           "#assert U refines T;",
           "hhhh");
    /* communications: each direction of a channel with a buffer, and members of an array */
    expect("channel c 1; channel d[2] 0;"
           "P = c!1 -> c?x -> a -> Stop; H = P \\{c!1}; I = P \\{c!1, c?1};"
           "S = a -> Stop;"
           "#assert I refines S; #assert S refines I; #assert H refines S;"
           "Q = (d[0]!1 -> d[1]!2 -> Stop ||| d[0]?x -> d[1]?y -> a -> Stop);"
           "J = Q \\{i:{0..1} @ d[i].(i + 1)}; K = Q \\{d[0].1};"
           "#assert J refines S; #assert S refines J; #assert K refines S;",
           "hhvhhv");
    expect("channel c 1; P = c!1 -> Stop; H = P \\{c.1}; #assert H deadlockfree;", "e");
    expect("channel c 0; P = c!1 -> Stop; H = P \\{c!1}; #assert H deadlockfree;", "e");
    expect("channel c[2] 1; P = c[0]!1 -> Stop; H = P \\{c!1}; #assert H deadlockfree;", "e");
    expect("channel c[2] 1; P = c[0]!1 -> Stop; H = P \\{c[2]!1}; #assert H deadlockfree;", "e");
    expect("P = (x -> P) \\{x}; #assert P divergencefree; Q = x -> Q; #assert Q divergencefree;",
           "vh");
}

static void interrupts_switch_for_good(void **unused)
{
    (void)unused;
    expect("P = (a -> b -> Stop) interrupt (i -> Stop);"
           "S = a -> (b -> i -> Stop [] i -> Stop) [] i -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
}

static void channels_hold_what_was_sent(void **unused)
{
    (void)unused;
    expect("channel c 1; P = c!1 -> c!2 -> Stop ||| c?x -> got.x -> Stop;"
           "#define two call(ccount, c) == 2; #define one call(cfull, c);"
           "#assert P reaches two; #assert P reaches one;",
           "vh");
    /* a tuple of another length, another constant, a guard that fails: no match */
    expect("channel c 3; P = c!1.2 -> c?x -> got -> Stop; Q = c!1.2 -> c?2.y -> got -> Stop;"
           "R = c!1.2 -> c?[y == 1]x.y -> got -> Stop; T = c!1.2 -> c?[y == 2]x.y -> got -> Stop;"
           "#alphabet P {got}; S = s -> Stop;"
           "#define none call(cempty, c) && false;"
           "#assert P deterministic; #assert P refines S;",
           "hv");
    expect_states("channel c 3; P = c!1.2 -> c?x -> got -> Stop; #assert P deterministic;", 2);
    expect_states("channel c 3; P = c!1.2 -> c?2.y -> got -> Stop; #assert P deterministic;", 2);
    expect_states("channel c 3; P = c!1.2 -> c?[y == 1]x.y -> got -> Stop;"
                  "#assert P deterministic;",
                  2);
    expect_states("channel c 3; P = c!1.2 -> c?[y == 2]x.y -> got -> Stop;"
                  "#assert P deterministic;",
                  4);
}

/* How many processes follow an input, and which channel it is of, may depend on what was received;
 * what is wrong there is so once it is received. */
static void what_is_received_says_what_follows(void **unused)
{
    (void)unused;
    expect(
        "channel c 2; var n; P(k) = c?x -> (||| i:{k..x} @ (a.i{n = n + i} -> Skip));"
        "Main(k) = c!3 -> Skip ||| P(k); #define six n == 6; #define more n > 6;"
        "#define four n == 4; #define five n == 5;"
        "#assert Main(1) reaches six; #assert Main(1) reaches more; #assert Main(1) reaches four;"
        "#assert Main(2) reaches five; #assert Main(2) reaches six; #assert Main(2) reaches four;",
        "hvhhvv");
    expect("channel c 2; P(a) = c?x.(a + 1) -> Skip; Main(a) = s -> (c!1.2 -> Skip ||| P(a));"
           "#assert Main(1) deadlockfree; #assert Main([1, 2]) deadlockfree;",
           "he");
    expect("channel c[2] 1; channel d 1; var n; P = d?x -> c[x]?y -> a{n = y} -> Skip;"
           "Main(i) = c[0]!7 -> d!i -> Skip ||| P; #define received n == 7;"
           "#assert Main(0) reaches received; #assert Main(1) reaches received;"
           "#assert Main(2) reaches received;",
           "hve");
    expect("channel c 2; P(k) = c?x.(6 / k) -> Skip; Main(k) = s -> (c!1.2 -> Skip ||| P(k));"
           "#assert Main(3) deadlockfree; #assert Main(2) deadlockfree;"
           "#assert Main(0) deadlockfree;",
           "hve");
}

static void channels_without_buffer_need_two_processes(void **unused)
{
    (void)unused;
    expect_trace("channel c 0; P = c!1.2 -> Skip ||| c?x.y -> got.y -> Skip; S = Stop;"
                 "#assert P refines S;",
                 "c.1.2");
    expect("channel c 0; P = c!1 -> Stop; #assert P deadlockfree;"
           "Q = L ||| (c?x -> b.x -> Stop); L = c!1 -> a -> L; #assert Q deadlockfree;"
           "R = c!1 -> Stop [] c?x -> Stop; #assert R deadlockfree;",
           "vvv");
    /* programs may hang on both ends */
    expect("channel c 0; var x; P = c!1{x = x + 1} -> Stop ||| c?y{x = x + 10 * y} -> Stop;"
           "#define done x == 11; #assert P reaches done;",
           "h");
}

static void counted_copies_are_a_multiset(void **unused)
{
    (void)unused;
    /* n processes of two steps that terminate: multisets of {P, b -> Skip}, Stop at the end */
    expect_states("P = |||{3}@(a -> b -> Skip); #assert P deadlockfree;", 10 + 1);
    /* told apart, each of three is at one of three places, with the initial reference beside */
    expect("P = |||{2}@(a -> Skip); S = a -> a -> Skip; #assert P refines S;"
           "#assert S refines P;",
           "hh");
}

static void faults_of_the_model_end_the_assertion(void **unused)
{
    (void)unused;
    expect("var x:{0..3}; P = a{x = x + 1} -> P; #assert P deadlockfree;", "e");
    expect("var x[2]; var i; P = a{i = i + 1} -> b.x[i] -> P; #assert P deadlockfree;", "e");
    expect("var x; P = a.(1 / x) -> P; #assert P deadlockfree;", "e");
    expect("P = ifa (true) { P } else { a -> P }; #assert P deadlockfree;", "e");
    expect("P(x:{0..1}) = a -> P(x + 1); #assert P(0) deadlockfree;", "e");
    expect("var x; P = a{while (true) { x = 1; }} -> P; #assert P deadlockfree;", "e");
    /* a violation found first is reported */
    expect("var x:{0..1}; P = a{x = x + 1} -> P; S = Stop; #assert P refines S;", "v");
}

static void arithmetic_is_that_of_csharp(void **unused)
{
    (void)unused;
    expect("var x; P = e.((0 - 1) % 3).((0 - 7) / 2).(2147483647 + 1 + 10) -> Stop;"
           "S = e.2.(0 - 3).(0 - 2147483638) -> Stop; #assert P refines S;",
           "e"); /* 2147483648 wraps to a number that stands for a boolean: refused, not wrong */
    expect("P = e.((0 - 1) % 3).((0 - 7) / 2) -> Stop; S = e.2.(0 - 3) -> Stop;"
           "#assert P refines S; #assert S refines P;",
           "hh");
    expect("var x = 0; var y = false; #define same x == y; P = Stop; #assert P reaches same;", "v");
    expect("var a[3]; var s; P = e{var i = 0; while (i < 3) { a[i] = i + 1; i++; } s = a[0] + "
           "a[1] * a[2]} -> Stop; #define seven s == 7; #assert P reaches seven;",
           "h");
}

static void declarations_mean_what_pat_means(void **unused)
{
    (void)unused;
    expect("#define N 2; var a[N][N] = [1, 2, 3..4]; var b = [7(2), 9..8]; enum {red, green};"
           "#define m(x, y) (x + y); P = Stop;"
           "#define one a[1][0] == 3 && b[3] == 8 && green == 1 && call(m, a[0][1], b[0]) == 9;"
           "#assert P reaches one;",
           "h");
    expect("hvar h; var x; P = a{h = h + 1} -> P; #assert P deadlockfree;", "h");
    expect_states("hvar h; P = a{h = h + 1} -> P; #assert P deadlockfree;", 1);
    expect_states("var w:{0..3} = *; P = Stop; #assert P deterministic;", 4);
    expect("var x = 1; #define big x > 1; P = a{x = 5} -> b{x = 3} -> Stop;"
           "#assert P reaches big with max(x); #assert P reaches big with min(x);",
           "hh");
}

static void collections_of_the_library_work(void **unused)
{
    (void)unused;
    expect("#import \"PAT.Lib.Queue\"; #import \"PAT.Lib.Set\"; var<Queue> q; var<Set> s; var x;"
           "P = a{q.Enqueue(1); q.Enqueue(2); x = q.Dequeue(); s.Add(3); s.Add(3);} -> Stop;"
           "#define right x == 1 && q.Count() == 1 && s.Count() == 1 && s.Contains(3);"
           "#assert P reaches right;",
           "h");
    expect("var<Stack> s; P = a{s.Pop()} -> P; #assert P deadlockfree;", "e");
}

static void linearizability_is_decided_against_a_specification(void **unused)
{
    (void)unused;
    const char *const queue =
        "var head; var tail; var item[4];"
        "Enq(t, v) = inv.enqueue.t.v -> tau{item[tail] = v; tail = tail + 1} -> res.enqueue.t -> "
        "Skip;"
        "Deq(t) = inv.dequeue.t -> ifa (head == tail) { tau -> res.dequeue.t -> Skip } else {"
        " tau{head = head + 1} -> res.dequeue.t.item[head - 1] -> Skip };"
        "P = (Enq(0, 1); Enq(0, 2)) ||| (Deq(1); Deq(1));"
        "#assert P linearizes queue; #assert P linearizes stack;";
    expect(queue, "he");
    /* the item is written after the tail has moved: a dequeue can see 0 */
    expect("var head; var tail; var item[4];"
           "Enq(t, v) = inv.enqueue.t.v -> tau{tail = tail + 1} -> tau{item[tail - 1] = v} -> "
           "res.enqueue.t -> Skip;"
           "Deq(t) = inv.dequeue.t -> ifa (head == tail) { tau -> res.dequeue.t -> Skip } else {"
           " tau{head = head + 1} -> res.dequeue.t.item[head - 1] -> Skip };"
           "P = Enq(0, 1) ||| Deq(1); #assert P linearizes queue;",
           "v");
    /* with points: the right place, and one that comes too late */
    expect("var x; var y; P = (inv.write.0.5 -> lin.write.0.5{x = 5} -> res.write.0 -> Skip) |||"
           " (inv.read.1 -> lin.read.1.x{y = x} -> res.read.1.y -> Skip);"
           "Q = (inv.write.0.5 -> tau{x = 5} -> lin.write.0.5 -> res.write.0 -> Skip) |||"
           " (inv.read.1 -> lin.read.1.x{y = x} -> res.read.1.y -> Skip);"
           "#assert P linearizes register(initial = 0) with points = complete;"
           "#assert Q linearizes register(initial = 0) with points = complete;"
           "#assert Q linearizes register(initial = 0) with points;",
           "hvu");
    /* points that prove nothing: none, too late, two, of another argument; and another answer */
    expect("P = inv.write.0.5 -> res.write.0 -> Skip;"
           "Q = inv.write.0.5 -> res.write.0 -> lin.write.0.5 -> Skip;"
           "R = inv.write.0.5 -> lin.write.0.5 -> lin.write.0.5 -> res.write.0 -> Skip;"
           "S = inv.write.0.5 -> lin.write.0.6 -> res.write.0 -> Skip;"
           "T = inv.read.0 -> lin.read.0.1 -> res.read.0.2 -> Skip;"
           "#assert P linearizes register with points; #assert Q linearizes register with points;"
           "#assert R linearizes register with points; #assert S linearizes register with points;"
           "#assert T linearizes register(initial = 1) with points = complete;",
           "eeeev");
    /* nothing is called, or nothing answers: a slip of the pen */
    expect("P = invoke.0 -> response.0 -> P; Q = inv.write.0.5 -> response.0 -> Stop;"
           "#assert P linearizes register; #assert Q linearizes register;",
           "ee");
    expect("P = res.read.0.1 -> Stop; #assert P linearizes register;", "e");
    expect("P = inv.jump.0 -> Stop; #assert P linearizes register;", "e");
    expect("P = Stop; #assert P linearizes banana;", "e");
}

static void the_faulty_register_has_its_shortest_counterexample(void **unused)
{
    (void)unused;
    /* the reader that skips the second scan, 3 values, 2 at first: new-old inversion */
    expect_trace(
        "#define K 3; var B[K] = [0(K - 1), 1]; var M; var R = K - 1;"
        "Readers() = read_inv -> UpScan(0);"
        "UpScan(i) = if (B[i] == 1) { read_res.i -> Readers() } else { UpScan(i + 1) };"
        "Writer(i) = write_inv.i -> tau{B[i] = 1;} -> Down(i - 1);"
        "Down(i) = ifa (i >= 0) { tau{B[i] = 0;} -> Down(i - 1) } else { write_res -> Skip };"
        "Writers() = ([] x:{0..K - 1}@Writer(x)); Writers();"
        "Register() = Readers() ||| Writers();"
        "ReaderA() = read_inv -> tau{M = R;} -> read_res.M -> ReaderA();"
        "WriterA(i) = write_inv.i -> tau{R = i;} -> write_res -> Skip;"
        "WritersA() = ([] x:{0..K - 1}@WriterA(x)); WritersA();"
        "RegisterA() = ReaderA() ||| WritersA();"
        "#assert Register() refines RegisterA();",
        "read_inv [if] write_inv.0 τ write_res write_inv.1 τ [if] read_res.1 read_inv [if] "
        "read_res.0");
}

static void ifb_waits_and_case_takes_the_first(void **unused)
{
    (void)unused;
    expect("var x; P = ifb (x == 1) { b -> Stop } ||| a{x = 1} -> Stop;"
           "S = a -> b -> Stop; #assert P refines S; #assert S refines P;",
           "hh");
    expect_states("P = ifb (true) { a -> Stop }; #assert P deterministic;", 3);
    /* one invisible step to the first branch that holds, to Skip if none does */
    expect("var x = 2; P = case { x > 1: a -> Stop x > 0: b -> Stop default: c -> Stop };"
           "Q = case { x > 5: a -> Stop x > 4: b -> Stop }; R = case { x > 5: a -> Stop default: "
           "c -> Stop }; A = a -> Stop; C = c -> Stop; T = Skip;"
           "#assert P refines<F> A; #assert A refines<F> P; #assert Q refines<F> T;"
           "#assert T refines<F> Q; #assert R refines<F> C;",
           "hhhhh");
    expect_states("P = case { true: a -> Stop }; #assert P deterministic;", 3);
}

static void terms_have_a_plain_form(void **unused)
{
    (void)unused;
    /* Skip before a sequence, whatever it is written as; not a guard, not a reference */
    expect_states("P = atomic { Skip }; a -> Stop; #assert P deterministic;", 2);
    expect_states("P = (Skip [] Skip); a -> Stop; #assert P deterministic;", 2);
    expect_states("P = (Skip ||| Skip); a -> Stop; #assert P deterministic;", 2);
    expect_states("P = ([true] Skip); a -> Stop; #assert P deterministic;", 3);
    /* interleavings are flat and without Skip: b -> Skip alone is left in both orders */
    expect_states("P = a -> ((b -> Skip ||| Skip) ||| Skip) [] c -> (Skip ||| b -> Skip);"
                  "#assert P deterministic;",
                  4);
    /* but ordered */
    expect_states("A = a -> Stop; B = b -> Stop; P = x -> (A ||| B) [] y -> (B ||| A);"
                  "#assert P deterministic;",
                  1 + 2 * 3 + 1); /* Stop ||| Stop is the end of both */
    /* branches that are Stop are none */
    expect_states("P = x -> (Stop [] a -> Stop) [] y -> (a -> Stop [*] Stop);"
                  "#assert P deterministic;",
                  3);
    /* hiding in hiding is one hiding, atomic in atomic one atomic */
    expect_states("P = x -> ((a -> Stop \\{a}) \\{b}) [] y -> (a -> Stop \\{b, a});"
                  "#assert P deterministic;",
                  3);
    expect_states("P = x -> atomic { atomic { a -> P } } [] y -> atomic { a -> P };"
                  "#assert P deterministic;",
                  3); /* P, atomic { a -> P }, atomic { P } */
}

static void interrupts_end_with_the_first_and_survive_what_is_invisible(void **unused)
{
    (void)unused;
    expect("P = (a -> Skip) interrupt (tau -> i -> Stop);"
           "S = a -> (Skip [] i -> Stop) [] i -> Stop; #assert P refines S; #assert S refines P;",
           "hh");
    expect("P = Skip interrupt (i -> Stop); Q = P; b -> Stop; S = b -> Stop [] i -> Stop;"
           "#assert Q refines S; #assert S refines Q;",
           "hh");
}

static void a_blocked_atomic_lets_others_go(void **unused)
{
    (void)unused;
    expect("var x; P = atomic { a -> ([x == 1] b -> Stop) } ||| c{x = 1} -> d -> Stop;"
           "S = a -> c -> b -> d -> Stop; #assert P refines S; #assert S refines P;",
           "hh");
    /* the first step has priority too */
    expect("P = atomic { a -> Stop } ||| c -> Stop; S = a -> c -> Stop; #assert P refines S;", "h");
}

static void failures_and_divergences_are_those_of_the_theory(void **unused)
{
    (void)unused;
    const char *const processes =
        "A = a -> Stop; D = (h -> D) \\{h}; AD = a -> Stop [] D; Chaos = tau -> Chaos;"
        "I = a -> Stop <> b -> Stop; C = a -> Stop [] b -> Stop; T = Skip; N = Stop;";
    static const struct {
        const char *assertion;
        char answer;
    } cases[] = {
        {"C refines<F> I", 'h'},      {"I refines<F> C", 'v'},   {"N refines<F> I", 'v'},
        {"N refines I", 'h'},         {"D refines<F> A", 'h'},  /* no stable state, no refusal */
        {"D refines<FD> A", 'v'},     {"A refines<FD> D", 'h'}, /* behind a divergence, anything */
        {"A refines<FD> Chaos", 'h'}, {"AD refines<FD> A", 'v'}, {"A refines<FD> AD", 'h'},
        {"T refines N", 'v'},         {"N refines T", 'h'},      {"N refines<F> T", 'v'},
        {"AD divergencefree", 'v'},   {"I divergencefree", 'h'}, {"I deterministic", 'v'},
        {"C deterministic", 'h'},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct text text = TEXT_EMPTY;
        text_format(&text, "%s #assert %s;", processes, cases[i].assertion);
        expect(text_string(&text), (const char[]){cases[i].answer, 0});
        text_release(&text);
    }
}

/* What random models found that the oracle reads otherwise, made small. */
static void found_by_random_models(void **unused)
{
    (void)unused;
    /* inputs that say the same are the same, wherever they stand */
    expect_states("channel c 2; P = a -> c?x -> e.x -> Stop [] b -> c?x -> e.x -> Stop;"
                  "#assert P deterministic;",
                  2);
    expect_states("channel c 2; P = [] i:{0, 2}@ b -> c?x{if (i % 2 == 0) {}} -> Stop;"
                  "#assert P deterministic;",
                  2);
    expect_states("channel c 2; P = a -> c?x -> e.x -> Stop [] b -> c?x -> f.x -> Stop;"
                  "#assert P deterministic;",
                  3);
    /* one of two ways to terminate is atomic: it goes first, and nothing else goes */
    expect_states("Q = case { true: Skip } [] Skip [] atomic { Skip }; P = Skip || Q;"
                  "#assert P deadlockfree;",
                  2);
    /* #alphabet does without the argument that depends on a variable; without it there is none */
    expect("var x = 1; R(i) = b -> Stop; P = a -> b -> Stop || R(x); #alphabet R {b};"
           "#assert P deadlockfree; S = a -> b -> Stop; #assert P refines S;",
           "vh");
    expect("var x = 1; R(i) = b -> Stop; P = a -> b -> Stop || R(x); #assert P deadlockfree;", "e");
    /* a received value is no part of an alphabet */
    expect("channel c 1; P = c!1 -> c?x -> e.x -> Stop || e.1 -> Stop; #assert P deadlockfree;",
           "e");
    /* a program may be empty, and makes the event one of data all the same */
    expect("P = a{} -> Stop || a -> Stop; S = a -> a -> Stop; #assert P refines S;"
           "#assert S refines P;",
           "hh");
    /* of several initial states one may be a deadlock: no step is needed to see it */
    expect_trace("var x:{0..1} = *; P = [x == 0] a -> Stop; #assert P deadlockfree;", "");
    /* communications without a buffer can be hidden by name */
    expect("channel s 0; P = (s!1 -> a -> Stop ||| s?x -> Stop) \\{s.1}; Q = a -> Stop;"
           "#assert P refines Q; #assert Q refines P;",
           "hh");
}

static void any_number_of_copies_are_counted(void **unused)
{
    (void)unused;
    /* as many as one likes at the start, but each `a` allows one `b` */
    expect("var n; P = |||{..}@ ([n == 0] a{n = 1} -> b{n = 2} -> Stop);"
           "S = a -> b -> Stop; #assert P refines S;",
           "h");
}

static void limits_give_unknown(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    struct assertion_result result;
    csp_model_test_open(&test, "var x; P = a{x = x + 1} -> P; #assert P deadlockfree;");
    test.limits.deadline = 1;
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_NONE, false, &result), STATUS_OK);
    assert_int_equal(result.answer, UNDECIDED);
    assert_int_equal(result.limit, LIMIT_TIME);
    assertion_result_release(&result);
    test.limits.deadline = 0;
    test.budget.limit = test.budget.used + 3000000;
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_NONE, false, &result), STATUS_OK);
    assert_int_equal(result.answer, UNDECIDED);
    assert_int_equal(result.limit, LIMIT_MEMORY);
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

/* Whatever the names of .lin's own steps are. */
static void other_events_are_invisible_to_linearizability(void **unused)
{
    (void)unused;
    static const char *const names[] = {"fault", "turn", "turn.0.1"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        struct csp_model_test test;
        struct assertion_result result;
        struct text text = TEXT_EMPTY;
        text_format(&text,
                    "var x; P(i) = inv.read.i -> %s -> res.read.i.x -> Skip; M = P(0) ||| P(1);"
                    "#assert M linearizes register(initial = 0);",
                    names[i]);
        csp_model_test_open(&test, text_string(&text));
        assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_DEFAULT, false, &result),
                         STATUS_OK);
        assert_int_equal(result.answer, HOLDS);
        assertion_result_release(&result);
        csp_model_test_close(&test);
        text_release(&text);
    }
}

/* They are read as ever, and shown where an execution starts. */
static void variables_that_never_change_are_in_no_state(void **unused)
{
    (void)unused;
    struct csp_model_test test;
    struct assertion_result result;
    csp_model_test_open(&test, "var table[2][2] = [5, 6, 7, 8]; var n = 1; var x; var y:{0..9} = n;"
                               "P = a.table[x][n]{x = n; y = table[1][1 - x]} -> b.y -> Stop;"
                               "S = a.6 -> b.7 -> S; #assert P refines S;"
                               "Q = a.table[x + 2][0]{x = x + 1} -> Stop; #assert Q refines S;");
    assert_int_equal(test.program.slot_count, 2); /* x and y */
    assert_int_equal(csp_model_test_decide(&test, 0, REDUCE_NONE, false, &result), STATUS_OK);
    assert_int_equal(result.answer, HOLDS);
    assertion_result_release(&result);
    assert_int_equal(csp_model_test_decide(&test, 1, REDUCE_DEFAULT, false, &result), STATUS_INPUT);
    assert_string_equal(result.trace.start, "table = [5, 6, 7, 8], n = 1, x = 0, y = 1");
    assertion_result_release(&result);
    csp_model_test_close(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_take_booleans_and_bits),
        cmocka_unit_test(recursion_that_grows_is_explored),
        cmocka_unit_test(the_order_that_found_it_is_told),
        cmocka_unit_test(if_takes_a_step_and_ifa_none),
        cmocka_unit_test(skip_before_a_sequence_takes_no_step),
        cmocka_unit_test(atomic_goes_first),
        cmocka_unit_test(arguments_are_evaluated_when_the_process_steps),
        cmocka_unit_test(components_are_evaluated_before_the_program),
        cmocka_unit_test(choices_are_resolved_by_what_resolves_them),
        cmocka_unit_test(termination_is_visible_and_common),
        cmocka_unit_test(parallel_components_share_plain_events),
        cmocka_unit_test(arrays_are_sent_and_passed_on),
        cmocka_unit_test(hiding_takes_exact_names),
        cmocka_unit_test(interrupts_switch_for_good),
        cmocka_unit_test(channels_hold_what_was_sent),
        cmocka_unit_test(what_is_received_says_what_follows),
        cmocka_unit_test(channels_without_buffer_need_two_processes),
        cmocka_unit_test(counted_copies_are_a_multiset),
        cmocka_unit_test(faults_of_the_model_end_the_assertion),
        cmocka_unit_test(arithmetic_is_that_of_csharp),
        cmocka_unit_test(declarations_mean_what_pat_means),
        cmocka_unit_test(collections_of_the_library_work),
        cmocka_unit_test(linearizability_is_decided_against_a_specification),
        cmocka_unit_test(the_faulty_register_has_its_shortest_counterexample),
        cmocka_unit_test(ifb_waits_and_case_takes_the_first),
        cmocka_unit_test(terms_have_a_plain_form),
        cmocka_unit_test(interrupts_end_with_the_first_and_survive_what_is_invisible),
        cmocka_unit_test(a_blocked_atomic_lets_others_go),
        cmocka_unit_test(failures_and_divergences_are_those_of_the_theory),
        cmocka_unit_test(found_by_random_models),
        cmocka_unit_test(any_number_of_copies_are_counted),
        cmocka_unit_test(limits_give_unknown),
        cmocka_unit_test(variables_that_never_change_are_in_no_state),
        cmocka_unit_test(other_events_are_invisible_to_linearizability),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
