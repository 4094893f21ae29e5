/* Iterations that leave nothing behind are not taken to their end; others are. Of small
 * implementations by what they say: most are wrong only where an operation has tried again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/attributes.h"
#include "support/lin_fixture.h"
#include "support/lin_verdicts.h"
#include <cmocka.h>

struct decided {
    enum verdict verdict;
    uint64_t transitions;
    reductions used;
};

static struct decided decide(struct lin_fixture *fixture, reductions allowed)
{
    struct limits limits;
    struct assertion_result result;
    limits_init(&limits, &fixture->budget);
    const struct assertion_options options = {.reductions = allowed, .limits = &limits};
    struct decided decided = {.verdict = lin_verdict_of(fixture, 0, &options, &result)};
    decided.transitions = result.transitions;
    decided.used = result.reductions;
    assertion_result_release(&result);
    return decided;
}

static void open(struct lin_fixture *fixture, const char *text)
{
    if (!lin_fixture_open(fixture, text))
        fail_msg("%u: %s\n%s", fixture->error.line, fixture->error.message, text);
}

static void close(struct lin_fixture *fixture)
{
    lin_fixture_close(fixture);
    assert_int_equal(fixture->budget.used, 0);
}

/* ---- a counter; `inc` says what it counted to ---- */

static const char before[] =
    "spec count { int n; op inc() { n = n + 1; return n; } op get() { return n; } } impl it { "
    "record pack { int(0..3) w; int(0..1) m; } "
    "struct node { int(0..3) v; node next; int(0..3) w[2]; pack p; } "
    "shared int(0..7) c; shared int(0..3) z; shared int(0..3) mark; shared bool l; "
    "shared node top; shared int(0..3) mine[threads]; shared node own[threads]; "
    "void set(int(0..3) *p, int x) { *p = x; } "
    "op inc() { int t; ";

#define RETRY(tried) "while (true) { t = c; if (cas(c, t, t + 1)) return t + 1; " tried " }"
#define ASKED(condition, tried)                                                                    \
    "while (true) { t = c; if (cas(c, t, t + 1)) { if (" condition                                 \
    ") return 0; return t + 1; } " tried " }"
#define READ " int r = z;"
#define GET  "return c;"

enum expected {
    GOOD,         /* it holds; to try again is not looked at */
    FULL,         /* it holds; what is tried again is looked at */
    BAD,          /* where an operation has tried again, */
    BAD_OF_THREE, /* among three that call once each; else two threads call twice */
};

static const struct {
    enum expected expected;
    const char *inc, *get;
} known[] = {
    {GOOD, RETRY(""), GET},
    {GOOD, "do { t = c; } while (!cas(c, t, t + 1)); return t + 1;", GET},
    {GOOD, "bool d = false; while (!d) { t = c; d = cas(c, t, t + 1); } return t + 1;", GET},
    {GOOD, "while (true) { t = ll(c); if (sc(c, t + 1)) return t + 1; }", GET},
    {GOOD, "while (true) { t = c; bool d = cas(c, t, t + 1); if (d) return t + 1;" READ " }", GET},
    {FULL, "while (true) { t = c; bool d = cas(c, t, t + 1);" READ " if (d) return t + 1; }", GET},
    {GOOD, "while (swap(l, true)) { } t = c; c = t + 1; l = false; return t + 1;", GET},
    {GOOD,
     "while (true) { while (l) { } if (cas(l, false, true)) { t = c; c = t + 1; l = false; "
     "return t + 1; } }",
     GET},
    {GOOD, RETRY("cas(z, 1, 2);"), GET},
    {GOOD, RETRY("int i = 0; while (i < 2) { i = i + 1; }"), GET},
    {GOOD, "int u = 0; " RETRY("u = u;"), GET},
    /* what is shared */
    {BAD, ASKED("mine[thread] == 1", "mine[thread] = 1;" READ), GET},
    {BAD, ASKED("mine[thread] == 1", "mine[thread] = 1;"), GET},
    {BAD, ASKED("mine[thread] == 1", "cas(mine[thread], 0, 1);" READ), GET},
    {BAD, ASKED("mine[thread] == 1", "cas(mine[thread], 0, 1);"), GET},
    {BAD, ASKED("mine[thread] == 1", "bool d = cas(mine[thread], 0, 1); if (!d) {" READ " }" READ),
     GET},
    {BAD, ASKED("mine[thread] == 1", "swap(mine[thread], 1);" READ), GET},
    {BAD, ASKED("mine[thread] > 0", "fetch_add(mine[thread], 1);" READ), GET},
    {BAD, ASKED("mine[thread] == 1", "set(&mine[1 - thread], 0); set(&mine[thread], 1);" READ),
     GET},
    {BAD, ASKED("mine[thread] == 1", "int q = ll(mine[thread]); sc(mine[thread], 1);" READ), GET},
    {BAD, ASKED("mine[thread] == 1", "atomic { mine[thread] = 0; mine[thread] = 1; }" READ), GET},
    {BAD_OF_THREE, ASKED("mark == 1", "z = 1; z = 0; int r = c;"),
     "if (z == 1) mark = 1; return c;"},
    {BAD_OF_THREE, ASKED("mark == 1", "z = 1; z = 0;"), "if (z == 1) mark = 1; return c;"},
    {BAD_OF_THREE, ASKED("mark == 1", "lock(l); unlock(l);" READ), "if (l) mark = 1; return c;"},
    {FULL, RETRY("lock(l); unlock(l);" READ), GET},
    /* the links of others, which what is written breaks though it changes nothing */
    {BAD_OF_THREE, ASKED("mark == 1", "atomic { mine[0] = 0; mine[1] = 0; mine[2] = 0; }"),
     "int q = ll(mine[thread]); if (!sc(mine[thread], 0)) mark = 1; return c;"},
    {BAD_OF_THREE, ASKED("mark == 1", "atomic { mine[0] = 0; mine[1] = 0; mine[2] = 0; }" READ),
     "int q = ll(mine[thread]); if (!sc(mine[thread], 0)) mark = 1; return c;"},
    /* locals */
    {BAD, "int u = 0; " ASKED("u == 1", "u = 1;" READ), GET},
    {BAD, "int u = 0; " ASKED("u == 1", "u = 1;"), GET},
    {BAD,
     "int u = 1; while (true) { t = c; if (u == 0) return 0; if (cas(c, t, t + 1)) return "
     "t + 1; u = 0; }",
     GET},
    {BAD,
     "int u = 0; while (true) { t = c; if (u == 1) return 0; if (cas(c, t, t + 1)) return "
     "t + 1; u = 1; }",
     GET},
    {BAD, "int u[2]; " ASKED("u[1] == 1", "u[1] = 1;" READ), GET},
    {BAD,
     "t = c; while (true) { if (cas(c, t, t + 1)) return t + 1; t = c; if (t == 2) return 0; "
     "}",
     GET},
    /* what comes before the loop */
    {BAD, "t = z; " ASKED("t != c", "int q = c; await (q > 0); return 0;"), GET},
    {BAD, "int r = z; while (l) { } return 0;", GET},
    /* links */
    {BAD, "t = ll(c); while (true) { if (sc(c, 1)) return 1; int s = ll(c);" READ " }", GET},
    {BAD, "t = ll(c); while (true) { if (sc(c, t + 1)) return t + 1; int s = ll(c);" READ " }",
     GET},
    {BAD, "t = ll(c); while (true) { if (sc(c, t + 1)) return t + 1; int s = ll(c); }", GET},
    {BAD,
     "int q; while (z == 0) { q = ll(c); } if (sc(c, 3)) return 0; t = fetch_add(c, 1); "
     "return t + 1;",
     "z = 1; return c;"},
    {GOOD,
     "int q = ll(c); t = c; while (true) { q = ll(c); t = c; if (sc(c, t + 1)) return t + 1; }",
     GET},
    /* fields of nodes that others do not know */
    {BAD, "node g = new node; " ASKED("g.v == 3", "g.v = 3;" READ), GET},
    {BAD, "node g = new node; " ASKED("g.v == 3", "g.v = 3;"), GET},
    {BAD, "node g = new node; node h = g; " ASKED("h.v == 3", "g.v = 3;" READ), GET},
    {BAD, "node g = new node; " ASKED("g.w[1] == 3", "int q = 1; g.w[q] = 3;" READ), GET},
    {BAD, "node g = new node; " ASKED("g.p.m == 1", "g.p.m = 1;" READ), GET},
    {BAD, "node g = new node; " ASKED("g.p.m == 1", "g.p = pack(0, 1);" READ), GET},
    {BAD, "node g = new node; " ASKED("g.v == 3", "set(&g.v, 3);" READ), GET},
    {BAD, "node g = new node; " ASKED("g.v == 3", "swap(g.v, 3);" READ), GET},
    {BAD, "node g = new node; " ASKED("swap(g.v, 0) == 3", "g.v = 3;" READ), GET},
    {BAD, "node g = new node; " ASKED("cas(g.v, 3, 0)", "g.v = 3;" READ), GET},
    {BAD, "node g = new node; int q = 0; " ASKED("fetch_add(g.v, 0) == 3", "g.v = 3;" READ), GET},
    {GOOD,
     "node g = new node; while (true) { g.v = 0; t = c; if (cas(c, t, t + 1)) { if (g.v == 3) "
     "return 0; return t + 1; } g.v = 3;" READ " }",
     GET},
    {BAD,
     "node g = new node; while (true) { t = c; if (t == 0) g.v = 0; if (cas(c, t, t + 1)) { if "
     "(g.v == 3) return 0; return t + 1; } g.v = 3;" READ " }",
     GET},
    {BAD,
     "node g = new node; node h = new node; node x = g; while (true) { t = c; x = t == 0 ? g : "
     "h; x.v = 0; if (cas(c, t, t + 1)) { if (g.v == 3) return 0; return t + 1; } g.v = 3;" READ
     " }",
     GET},
    {BAD,
     "node g = new node; while (true) { t = c; g.w[0] = 0; if (cas(c, t, t + 1)) { int q = 1; if "
     "(g.w[q] == 3) return 0; return t + 1; } g.w[1] = 3;" READ " }",
     GET},
    {BAD,
     "node g = new node; while (true) { t = c; g.p.w = 0; if (cas(c, t, t + 1)) { if (g.p.m == "
     "1) return 0; return t + 1; } g.p.m = 1;" READ " }",
     GET},
    /* that they come to know */
    {BAD,
     "node g = new node; while (true) { t = c; if (cas(c, t, t + 1)) { own[thread] = g; node h = "
     "own[thread]; if (h.v == 3) return 0; return t + 1; } g.v = 3;" READ " }",
     GET},
    {BAD,
     "node g = new node; while (true) { t = c; if (cas(c, t, t + 1)) { node k = new node; "
     "k.next = g; node h = k.next; if (h.v == 3) return 0; return t + 1; } g.v = 3;" READ " }",
     GET},
    /* that they know */
    {BAD,
     "node g = new node; own[thread] = g; node h = own[thread]; " ASKED("h.v == 3",
                                                                        "g.v = 3;" READ),
     GET},
    {BAD,
     "own[thread] = new node; node h = own[thread]; node k = own[thread]; " ASKED("h.v == 3",
                                                                                  "k.v = 3;" READ),
     GET},
};

static const reductions sets[] = {REDUCE_PURE,
                                  REDUCE_PURE | REDUCE_SLICE,
                                  REDUCE_PURE | REDUCE_INTERVALS,
                                  REDUCE_PURE | REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                  REDUCE_PURE | REDUCE_INTERVALS | REDUCE_WRITE_ONCE | REDUCE_SLICE,
                                  REDUCE_DEFAULT};

/* The text's first assertion is `verdict` whatever is left out; to try again is not looked at if
 * `fewer`. */
static void expect(const char *text, enum verdict verdict, bool fewer)
{
    struct lin_fixture fixture;
    open(&fixture, text);
    struct decided full = decide(&fixture, REDUCE_NONE);
    if (full.verdict != verdict)
        fail_msg("it %s: %s\n%s", verdict_names[full.verdict], fixture.error.message, text);
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++) {
        struct decided with = decide(&fixture, sets[i]);
        struct decided without = decide(&fixture, sets[i] & ~(reductions)REDUCE_PURE);
        if (with.verdict != verdict || without.verdict != verdict)
            fail_msg("with %x it %s\n%s", sets[i], verdict_names[with.verdict], text);
        if (verdict == VERDICT_HOLDS && (with.transitions < without.transitions) != fewer)
            fail_msg("with %x it has %llu of %llu transitions\n%s", sets[i],
                     (unsigned long long)with.transitions, (unsigned long long)without.transitions,
                     text);
    }
    close(&fixture);
}

static void what_is_left_of_an_iteration_is_looked_at(void **unused)
{
    (void)unused;
    static const char *const sizes[] = {"threads = 2, ops = 2", "threads = 3, ops = 1"};
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++) {
        struct text text = TEXT_EMPTY;
        const bool good = known[i].expected < BAD;
        text_format(&text, "%s%s } op get() { %s } } assert it linearizes count with %s;", before,
                    known[i].inc, known[i].get, sizes[known[i].expected == BAD_OF_THREE]);
        expect(text_string(&text), good ? VERDICT_HOLDS : VERDICT_VIOLATED,
               known[i].expected == GOOD);
        text_release(&text);
    }
}

/* What is wrong with others is that an operation answers 0, which it does after it has tried again.
 */
static const struct {
    const char *text;
    enum verdict verdict;
} others[] = {
    /* the node that a field was written of has lost its name to another one when it is read */
    {"spec one { op inc() { return 1; } } impl it { struct node { int(0..3) v; } shared int(0..7) "
     "c; shared int z; op inc() { node g; int i = 0; while (i < 2) { node o = g; node x = new "
     "node; int t; if (o != null && o.v == 3) return 0; while (true) { t = c; if (cas(c, t, t + "
     "1)) break; x.v = 3; int r = z; } g = x; i = i + 1; } return 1; } } assert it linearizes one "
     "with threads = 2, ops = 1;",
     VERDICT_VIOLATED},
    /* what a field leads to that will not be read again is not collected: `get` waits for a node */
    {"spec one { op inc() { return 1; } op bump() { return ok; } op get() { return ok; } } impl it "
     "{ struct node { node next; } shared int(0..7) c; shared int z; shared bool mark; shared node "
     "top; init { top = new node; } op inc() only thread 0 { node n = new node; node h = top; if "
     "(h == null) return 1; n.next = h; while (true) { int t = c; int s = c; if (s != t) { h = "
     "top; n.next = h; int r = z; continue; } bool k = mark; if (cas(c, t, t + 1)) { if (k) return "
     "0; return 1; } } } op bump() only thread 1 { fetch_add(c, 1); return ok; } op get() only "
     "thread 2 { top = null; node m = new node; mark = true; return ok; } } assert it linearizes "
     "one with threads = 3, ops = 1, nodes = 2;",
     VERDICT_VIOLATED},
    /* a second point, where the first one was made in what is tried again */
    {"impl it { shared int(0..7) c; shared int z; op inc() { while (true) { int t = c; if (cas(c, "
     "t, t + 1)) { linearize ok; return ok; } int r = z; linearize ok; int s = z; } } } assert it "
     "linearizes counter with threads = 2, ops = 1, points;",
     VERDICT_MODEL_ERROR},
    {"impl it { shared int(0..7) c; shared int z; op inc() { while (true) { int t = c; if (cas(c, "
     "t, t + 1)) { linearize ok; return ok; } int r = z; linearize ok; } } } assert it linearizes "
     "counter with threads = 2, ops = 1, points;",
     VERDICT_MODEL_ERROR},
    /* a write that changes nothing but the link of a thread that comes behind the writer */
    {"spec count { int n; op inc() { n = n + 1; return n; } op get() { return n; } } impl it { "
     "shared int(0..7) c; shared int z; shared bool mark; op inc() { while (true) { int t = c; if "
     "(cas(c, t, t + 1)) { if (mark) return 0; return t + 1; } z = 0; } } op get() only thread 2 { "
     "int q = ll(z); if (!sc(z, 0)) mark = true; return c; } } assert it linearizes count with "
     "threads = 3, ops = 1;",
     VERDICT_VIOLATED},
    /* what is printed */
    {"impl it { shared bool b; op get() { return b; } } program p { thread { int n = 1; while (n "
     "== 1) { get(); print 0; } } } program q { thread { print 0; } } assert p with it refines q "
     "with "
     "it;",
     VERDICT_VIOLATED},
    {"impl it { shared bool b; op get() { return b; } } program p { thread { int n = 1; while (n "
     "== 1) { get(); print 0; get(); } } } program q { thread { print 0; } } assert p with it "
     "refines "
     "q with it;",
     VERDICT_VIOLATED},
    {"impl it { shared bool b; op set() { b = true; return ok; } op get() { return b; } } program "
     "p { thread { int n; do { n = get(); print n; } while (n == 0); } thread { set(); } } program "
     "q { thread { int n = get(); print n; } thread { set(); } } assert p with it refines q with "
     "it;",
     VERDICT_VIOLATED},
    {"impl it { shared bool b; op set() { b = true; return ok; } op get() { return b; } } program "
     "p { thread { int n; while (n == 0) n = get(); print n; } thread { set(); print 0; } } "
     "program q { thread { int n; do { n = get(); } while (n == 0); print n; } thread { print 0; "
     "set(); } } assert p with it refines q with it;",
     VERDICT_VIOLATED},
    {"impl it { shared bool b; op set() { b = true; return ok; } op get() { return b; } } program "
     "p { thread { int n; while (n == 0) n = get(); print n; } thread { print 0; set(); } } "
     "program q { thread { int n; do { n = get(); } while (n == 0); print n; } thread { print 0; "
     "set(); } } assert p with it refines q with it;",
     VERDICT_HOLDS},
};

static void answers_are_known_by_reasoning(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++) {
        struct lin_fixture fixture;
        open(&fixture, others[i].text);
        struct decided full = decide(&fixture, REDUCE_NONE);
        if (full.verdict != others[i].verdict)
            fail_msg("it %s: %s\n%s", verdict_names[full.verdict], fixture.error.message,
                     others[i].text);
        for (size_t j = 0; j < ARRAY_LENGTH(sets); j++)
            if (decide(&fixture, sets[j]).verdict != others[i].verdict)
                fail_msg("with %x it differs\n%s", sets[j], others[i].text);
        close(&fixture);
    }
}

/* ---- where it is used ---- */

#define LOOPS                                                                                      \
    "impl it { struct node { int(0..3) v; } shared int(0..7) c; shared node top; op inc() { int "  \
    "t; do { t = c; } while (!cas(c, t, t + 1)); "

static const struct {
    const char *text;
    bool used;
} uses[] = {
    {LOOPS "return ok; } } assert it linearizes counter with threads = 2, ops = 1;", true},
    {LOOPS "return ok; } } assert it never (c > 2) with threads = 2, ops = 1;", false},
    {LOOPS "return ok; } } assert it never (running(0) && c > 2) with threads = 2, ops = 1;",
     false},
    {LOOPS "return ok; } } assert it lock_free with threads = 2, ops = 1;", false},
    {LOOPS "node n = new node; free(n); return ok; } } assert it linearizes counter with threads = "
           "2, ops = 1;",
     false},
    {LOOPS "linearize 1 - thread: ok; linearize ok; return ok; } } assert it linearizes counter "
           "with threads = 2, ops = 1, points;",
     false},
    {"impl it { shared int(0..7) c; op inc() { fetch_add(c, 1); return ok; } } assert it "
     "linearizes counter with threads = 2, ops = 1;",
     false},
};

static void it_is_used_where_it_is_sound(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(uses); i++) {
        struct lin_fixture fixture;
        open(&fixture, uses[i].text);
        const bool used = decide(&fixture, REDUCE_DEFAULT).used & REDUCE_PURE;
        if (used != uses[i].used)
            fail_msg("it is%s used\n%s", used ? "" : " not", uses[i].text);
        close(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_of_an_iteration_is_looked_at),
        cmocka_unit_test(answers_are_known_by_reasoning),
        cmocka_unit_test(it_is_used_where_it_is_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
