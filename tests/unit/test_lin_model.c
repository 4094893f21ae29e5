/* Implementations in `.lin` against specifications, with the counts of a checker that shares
 * nothing with ours (pairs of implementation state and set of possibilities; call and return are
 * steps of their own). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lin/check.h"
#include "lin/parser.h"
#include "verify/lin_assertion.h"

struct fixture {
    struct budget budget;
    struct value_pool *pool;
    struct arena arena;
    struct script script;
    struct lin_module module;
    struct assertion_result result;
    struct error error;
};

static void start(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, (size_t)4 << 30);
    fixture->pool = value_pool_create(&fixture->budget);
    arena_init(&fixture->arena, &fixture->budget);
    assertion_result_init(&fixture->result, &fixture->budget);
}

static void release(struct fixture *fixture)
{
    assertion_result_release(&fixture->result);
    lin_module_release(&fixture->module);
    arena_release(&fixture->arena);
    value_pool_destroy(fixture->pool);
    assert_int_equal(fixture->budget.used, 0);
}

static enum status parse(struct fixture *fixture, const char *text)
{
    start(fixture);
    assert_int_equal(script_from_text("test.lin", text, strlen(text), &fixture->arena,
                                      &fixture->script, &fixture->error),
                     STATUS_OK);
    enum status status =
        lin_parse(&fixture->script, &fixture->arena, &fixture->module, &fixture->error);
    return status == STATUS_OK ? lin_check(&fixture->module, &fixture->error) : status;
}

static enum status decide(struct fixture *fixture, size_t number, reductions used)
{
    struct limits limits;
    limits_init(&limits, &fixture->budget);
    struct assertion_options options = {.reductions = used, .limits = &limits};
    assertion_result_release(&fixture->result);
    assertion_result_init(&fixture->result, &fixture->budget);
    return lin_assertion_decide(&fixture->module, &fixture->module.assertions.items[number],
                                fixture->pool, &options, &fixture->result, &fixture->error);
}

static void print_trace(const struct fixture *fixture)
{
    for (size_t i = 0; i < fixture->result.trace.steps.length; i++) {
        const struct trace_step *step = &fixture->result.trace.steps.items[i];
        print_message("  %u: %s   %s\n", step->process, step->event, step->changes);
    }
}

/* ---- the sample models ---- */

/* `separate`: pairs of the full product, every call and answer a step of its own; `tight`: with
 * intervals. 0 where that checker's states differ (it keeps locals until they are overwritten). */
static void check_sample(const char *file, uint32_t line, enum holds expected, uint64_t separate,
                         uint64_t tight)
{
    char path[512];
    struct fixture fixture;
    snprintf(path, sizeof path, "%s/models/%s", SHARED_DIR, file);
    if (access(path, R_OK) != 0)
        skip();
    start(&fixture);
    if (script_read(path, &fixture.arena, NULL, &fixture.script, &fixture.error) != STATUS_OK ||
        lin_parse(&fixture.script, &fixture.arena, &fixture.module, &fixture.error) != STATUS_OK ||
        lin_check(&fixture.module, &fixture.error) != STATUS_OK)
        fail_msg("%s:%u: %s", file, fixture.error.line, fixture.error.message);
    bool found = false;
    for (size_t i = 0; i < fixture.module.assertions.length; i++) {
        if (script_line(&fixture.script, fixture.module.assertions.items[i].at) != line)
            continue;
        found = true;
        if (decide(&fixture, i, REDUCE_NONE) != STATUS_OK)
            fail_msg("%s:%u: %s", file, fixture.error.line, fixture.error.message);
        print_message("%s:%u: %llu pairs\n", file, line, (unsigned long long)fixture.result.states);
        if (fixture.result.answer != expected)
            print_trace(&fixture);
        assert_int_equal(fixture.result.answer, expected);
        if (separate)
            assert_int_equal(fixture.result.states, separate);
        static const reductions sets[] = {REDUCE_INTERVALS, REDUCE_PARTIAL_ORDER, REDUCE_SLICE,
                                          REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER | REDUCE_SLICE,
                                          REDUCE_DEFAULT};
        for (size_t j = 0; j < ARRAY_LENGTH(sets); j++) {
            if (decide(&fixture, i, sets[j]) != STATUS_OK)
                fail_msg("%s:%u: %s", file, fixture.error.line, fixture.error.message);
            print_message("  %x: %llu pairs\n", sets[j], (unsigned long long)fixture.result.states);
            if (tight && sets[j] == REDUCE_INTERVALS)
                assert_int_equal(fixture.result.states, tight);
            assert_int_equal(fixture.result.answer, expected);
        }
    }
    assert_true(found);
    release(&fixture);
}

static void locks_are_locks(void **unused)
{
    (void)unused;
    check_sample("locks.lin", 33, HOLDS, 246, 47);
    check_sample("locks.lin", 35, VIOLATED, 24, 8);
}

static void queues_are_queues(void **unused)
{
    (void)unused;
    check_sample("queues.lin", 76, HOLDS, 0, 1276);
}

static void registers_are_registers(void **unused)
{
    (void)unused;
    check_sample("register.lin", 54, HOLDS, 6210, 1820);
    check_sample("register.lin", 55, VIOLATED, 0, 0);
}

static void stacks_are_stacks(void **unused)
{
    (void)unused;
    check_sample("treiber.lin", 75, HOLDS, 0, 0);
}

static void michael_and_scotts_queue(void **unused)
{
    (void)unused;
    check_sample("queues.lin", 74, HOLDS, 0, 0);
}

/* ---- algorithms of our own ---- */

static const reductions all_sets[] = {REDUCE_NONE,
                                      REDUCE_INTERVALS,
                                      REDUCE_PARTIAL_ORDER,
                                      REDUCE_SLICE,
                                      REDUCE_SYMMETRY,
                                      REDUCE_SYMMETRY | REDUCE_ANTICHAIN | REDUCE_INTERVALS,
                                      REDUCE_ANTICHAIN,
                                      REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER,
                                      REDUCE_INTERVALS | REDUCE_PARTIAL_ORDER | REDUCE_SLICE,
                                      REDUCE_DEFAULT};

/* Every set of reductions gives the answer; `reason` is part of the sentence. */
static void assert_decided(const char *text, enum holds expected, const char *reason)
{
    struct fixture fixture;
    if (parse(&fixture, text) != STATUS_OK)
        fail_msg("%s\nline %u: %s", text, fixture.error.line, fixture.error.message);
    for (size_t i = 0; i < ARRAY_LENGTH(all_sets); i++) {
        if (decide(&fixture, 0, all_sets[i]) != STATUS_OK)
            fail_msg("%s\nline %u: %s", text, fixture.error.line, fixture.error.message);
        if (fixture.result.answer != expected) {
            print_trace(&fixture);
            fail_msg("%s\nreductions %x: found %d: %s", text, all_sets[i], fixture.result.answer,
                     text_string(&fixture.result.reason));
        }
        if (reason && !strstr(text_string(&fixture.result.reason), reason))
            fail_msg("expected %s, found %s", reason, text_string(&fixture.result.reason));
    }
    release(&fixture);
}

#define STACK_WITH(record, head, new_head, pointer)                                                \
    "impl stack_of { struct node { value item; node next; }" record                                \
    "op push(value v) { node n = new node; n.item = v; while (true) { " head " n.next = " pointer  \
    "; if (cas(top, h, " new_head("n") ")) return ok; } }"                                         \
                                       "op pop() { while (true) { " head " node t = " pointer      \
                                       "; if (t == null) return empty;"                            \
                                       " node x = t.next; if (cas(top, h, " new_head(              \
                                           "x") ")) { value v = t.item; free(t);"                  \
                                                " return v; } } } }"

#define PLAIN(node)  node
#define TAGGED(node) "tagged(" node ", h.tag + 1)"

/* A store to a part of a record breaks a link to the whole, and the other way round; one to another
 * part does not. The store `set` comes between the `ll` and the `sc`. */
#define LINKED(linked, set, stored)                                                                \
    "impl i { record pair { int(0..3) a; int(0..3) b; } shared pair p; shared bool l; shared bool" \
    " s; op inc() only thread 0 { " linked " l = true; await (s); sc(" stored "); return ok; }"    \
    "op read() only thread 1 { await (l); " set " s = true; return 0; } }"                         \
    "assert i never (p.b == 2) with ops = 1;"

static void stores_to_parts_break_links(void **unused)
{
    (void)unused;
    assert_decided(LINKED("pair q = ll(p);", "p.b = 1;", "p, pair(0, 2)"), HOLDS, NULL);
    assert_decided(LINKED("pair q = ll(p);", "p.a = 1;", "p, pair(0, 2)"), HOLDS, NULL);
    assert_decided(LINKED("pair q = ll(p);", "", "p, pair(0, 2)"), VIOLATED, NULL);
    assert_decided(LINKED("int q = ll(p.b);", "p = pair(0, 1);", "p.b, 2"), HOLDS, NULL);
    assert_decided(LINKED("int q = ll(p.b);", "p.a = 1;", "p.b, 2"), VIOLATED, NULL);
    assert_decided(LINKED("int q = ll(p.a);", "p.a = 1;", "p, pair(0, 2)"), HOLDS, NULL);
}

/* Parts of records included; arrays of them. */
static void new_nodes_hold_the_least_of_ranges_without_zero(void **unused)
{
    (void)unused;
    assert_decided("impl i { record r { bool b; int(2..3) t; } struct node { r y[2]; int(4..9) u; }"
                   " shared node top; init { top = new node; } op read() {"
                   " atomic { return top.y[0].t + top.y[1].t - top.u; } } }"
                   "assert i linearizes counter;",
                   HOLDS, NULL);
}

/* In the one state where thread 0 does wrong, thread 1 can do wrong in another way. */
#define BOTH_WRONG                                                                                 \
    "impl i { struct node { bool b; } shared node h; shared bool r; shared bool s; shared int n;"  \
    " op inc() only thread 0 {\n r = true; await (s); assert (false); return ok; }"                \
    " op read() only thread 1 { await (r); s = true; int t = n; return 1 / t; } }"

static void faults_are_those_of_the_thread_that_is_told(void **unused)
{
    static const char reason[] = "test.lin:2: an assertion in the code fails";
    (void)unused;
    assert_decided(BOTH_WRONG "assert i linearizes counter with ops = 1;", VIOLATED, reason);
    assert_decided(BOTH_WRONG "assert i never (n == 1) with ops = 1;", VIOLATED, reason);
    assert_decided(BOTH_WRONG "assert i lock_free with ops = 1;", VIOLATED, reason);
    assert_decided(BOTH_WRONG "assert i satisfies [] (n == 0) with ops = 1;", VIOLATED, reason);
    assert_decided(BOTH_WRONG "assert i satisfies <> (n == 1) with ops = 1;", VIOLATED,
                   "test.lin:");
}

/* `init` belongs to no operation, and there may be none: then nothing is asked. */
static void objects_may_be_without_operations(void **unused)
{
    (void)unused;
    assert_decided("impl i { struct node { node next; } shared node top;"
                   " init { node n = new node; top = n; n = new node; } }"
                   "assert i linearizes counter;",
                   UNDECIDED, "no operation is ever called: nothing was asked");
    assert_decided("impl i { shared int n; } assert i never (n == 1);", UNDECIDED,
                   "no operation is ever called: nothing was asked");
}

static void freed_nodes_need_tags(void **unused)
{
    (void)unused;
    assert_decided(
        STACK_WITH("shared node top;", "node h = top;", PLAIN,
                   "h") "assert stack_of linearizes stack with threads = 2, ops = 3, nodes = 2,"
                        " values = 1;",
        VIOLATED, NULL);
    assert_decided(
        STACK_WITH("record tagged { node ptr; int(0..9) tag; } shared tagged top;",
                   "tagged h = top;", TAGGED,
                   "h.ptr") "assert stack_of linearizes stack with threads = 2, ops = 2, nodes = 2,"
                            " values = 1;",
        HOLDS, NULL);
}

#define COUNTER(inc)                                                                               \
    "impl c { shared int(0..9) n; op inc() { " inc " return ok; } op read() { return n; } }"       \
    "assert c linearizes counter with threads = 2, ops = 2;"

static void counters(void **unused)
{
    (void)unused;
    assert_decided(COUNTER("fetch_add(n, 1);"), HOLDS, NULL);
    assert_decided(COUNTER("int t = n; n = t + 1;"), VIOLATED, "res.read");
    assert_decided(COUNTER("atomic { n = n + 1; }"), HOLDS, NULL);
    assert_decided(COUNTER("int t; do { t = n; } while (!cas(n, t, t + 1));"), HOLDS, NULL);
    assert_decided(COUNTER("while (true) { int t = ll(n); if (sc(n, t + 1)) break; }"), HOLDS,
                   NULL);
    assert_decided(COUNTER("int t = ll(n); sc(n, t + 1);"), VIOLATED, NULL);
    assert_decided(COUNTER("int t = n; swap(n, t + 1);"), VIOLATED, NULL);
    /* What a location cannot hold is not there, as with `==`. */
    assert_decided("spec s { int n = 0; op set_from(int(-1..5) old) { if (n != old) return false;"
                   " n = 3; return true; } }"
                   "impl i { shared int(0..3) n; op set_from(int(-1..5) old) {"
                   " return cas(n, old, 3); } }"
                   "assert i linearizes s with threads = 2, ops = 2;",
                   HOLDS, NULL);
    assert_decided("impl c { shared int(0..9) n; int next() { int t = n; return t + 1; }"
                   " op inc() { atomic { n = next(); } return ok; }"
                   " op read() { atomic { return next() - 1; } } }"
                   "assert c linearizes counter with threads = 2, ops = 2;",
                   HOLDS, NULL);
    assert_decided("impl c { shared bool l; shared int(0..9) n; void add() { int t = n;"
                   " n = t + 1; } op inc() { lock(l); add(); unlock(l); return ok; }"
                   " op read() { return n; } }"
                   "assert c linearizes counter with threads = 2, ops = 2;",
                   HOLDS, NULL);
    assert_decided("impl c { shared int(0..9) n; int next() { int t = n; return t + 1; }"
                   " op inc() { int t = next(); n = t; return ok; } op read() { return n; } }"
                   "assert c linearizes counter with threads = 2, ops = 2;",
                   VIOLATED, NULL);
}

static void symbols_and_own_specifications(void **unused)
{
    (void)unused;
    static const char spec[] =
        "spec cell(K) { list l; op put(value v) { if (len(l) == K) return full; l = l + [v];"
        " return ok; } op take() { if (l == []) return empty; value v = first(l);"
        " l = but_first(l); return v; } }";
    char text[1200];
    snprintf(text, sizeof text,
             "%s impl slot { shared value s; op put(value v) { if (cas(s, null, v)) return ok;"
             " return full; } op take() { return swap(s, null); } }"
             "assert slot linearizes cell(1) with threads = 3, ops = 1;",
             spec);
    assert_decided(text, HOLDS, NULL);
    snprintf(text, sizeof text,
             "%s impl slot { shared value s; op put(value v) { if (s != null) return full; s = v;"
             " return ok; } op take() { return swap(s, null); } }"
             "assert slot linearizes cell(1) with threads = 2, ops = 2, values = 1;",
             spec);
    assert_decided(text, VIOLATED, NULL);
    snprintf(text, sizeof text,
             "%s impl slot { shared value s; op put(value v) { if (cas(s, null, v)) return ok;"
             " return full; } op take() { return swap(s, null); } }"
             "assert slot linearizes cell(2) with threads = 1, ops = 2;",
             spec);
    assert_decided(text, VIOLATED, "res.put=full");
}

/* A set of two is answered as a list, whichever element stands first, but each once. */
static void sets_are_answered_as_lists(void **unused)
{
    (void)unused;
    static const char spec[] =
        "spec pair { value a[2]; op put(value v, int(0..1) k) { a[k] = v; return ok; } op both() {"
        " if (a[0] == null || a[1] == null || a[0] == a[1]) return few; return {a[0], a[1]}; } }";
    static const struct {
        const char *answered;
        enum holds answer;
    } rows[] = {
        {"x, y", HOLDS},
        {"y, x", HOLDS},
        {"x, x", VIOLATED},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "%s impl pair { shared value a[2]; op put(value v, int(0..1) k) { a[k] = v;"
                 " return ok; } op both() { value x; value y; atomic { x = a[0]; y = a[1]; }"
                 " if (x == null || y == null || x == y) return few; return [%s]; } }"
                 "assert pair linearizes pair with threads = 1, ops = 3;",
                 spec, rows[i].answered);
        assert_decided(text, rows[i].answer, NULL);
    }
}

static void faults_of_the_algorithm_are_violations(void **unused)
{
    (void)unused;
    assert_decided("impl c { struct node { int(0..3) n; node next; } shared node h; init { h = new"
                   " node; } op inc() { node t = h; node u = t.next; u.n = 1; return ok; }"
                   " op read() { return 0; } }"
                   "assert c linearizes counter with threads = 1, ops = 1;",
                   VIOLATED, "test.lin:1: a null reference is followed");
    assert_decided("impl c { struct node { int(0..3) n; } op inc() { node t = new node; free(t);"
                   "\n free(t); return ok; } }"
                   "assert c linearizes counter with threads = 1, ops = 1;",
                   VIOLATED, "test.lin:2: a node is freed twice");
    assert_decided("impl c { shared int(0..3) n; op inc() { int t = n; n = t + 1; return ok; }"
                   " op read() { int t = n; assert (t < 2); return t; } }"
                   "assert c linearizes counter with threads = 1, ops = 3;",
                   VIOLATED, "an assertion in the code fails");
    assert_decided("impl c { shared int a[2]; op inc() { int i = 2; a[i] = 1; return ok; } }"
                   "assert c linearizes counter with threads = 1, ops = 1;",
                   VIOLATED, "index 2 is outside of 0..1");
    assert_decided("impl c { shared bool l; op inc() { unlock(l); return ok; } }"
                   "assert c linearizes counter with threads = 1, ops = 1;",
                   VIOLATED, "a lock that nobody holds is unlocked");
    assert_decided("impl c { op inc() { int i = 0; while (i < 1) { i = 0; } return ok; } }"
                   "assert c linearizes counter with threads = 1, ops = 1;",
                   VIOLATED, "runs for ever");
    assert_decided(
        "impl c { op read() { int k; for (int i = 0; i < 150000; i++) k = i; return 0; } }"
        "assert c linearizes counter with ops = 1;",
        HOLDS, NULL);
}

static void clients_call_in_order(void **unused)
{
    (void)unused;
    assert_decided("impl m { shared bool held; op acquire() { lock(held); return ok; }"
                   " op release() { unlock(held); return ok; } }"
                   "assert m linearizes mutex with threads = 3, ops = any;",
                   HOLDS, NULL);
    assert_decided("impl m { shared int(0..2) free_ones = 2; op acquire() { atomic {"
                   " assume (free_ones > 0); free_ones = free_ones - 1; } return ok; }"
                   " op release() { fetch_add(free_ones, 1); return ok; } }"
                   "assert m linearizes semaphore(2) with threads = 3, ops = any;",
                   HOLDS, NULL);
}

static void pools_that_run_out_leave_it_undecided(void **unused)
{
    (void)unused;
    assert_decided("impl c { struct node { node next; } shared node h; op inc() {"
                   " for (int i = 0; i < 3; i++) { node n = new node; node t = h; n.next = t;"
                   " h = n; } return ok; } }"
                   "assert c linearizes counter with threads = 1, ops = 1;",
                   UNDECIDED, "nodes = M");
}

/* ---- progress ---- */

#define LOCK(acquire)                                                                              \
    "impl m { shared bool held; shared bool wanted[2]; op acquire() { " acquire " return ok; }"    \
    " op release() { held = false; return ok; } }"                                                 \
    "assert m linearizes mutex with threads = 2, ops = any;"

/* The properties of one implementation, in the order of enum lin_property from LOCK_FREE on. */
static void assert_progress(const char *text, const char *options, const enum holds expected[5])
{
    static const char *const names[] = {"lock_free", "wait_free", "obstruction_free",
                                        "deadlock_free", "starvation_free"};
    const char *name = strstr(text, "impl ") + 5;
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
        char whole[2000];
        snprintf(whole, sizeof whole, "%s assert %.*s %s %s;", text, (int)strcspn(name, " "), name,
                 names[i], options);
        struct fixture fixture;
        if (parse(&fixture, whole) != STATUS_OK)
            fail_msg("%s\nline %u: %s", whole, fixture.error.line, fixture.error.message);
        size_t last = fixture.module.assertions.length - 1;
        for (size_t j = 0; j < 2; j++) {
            if (decide(&fixture, last, j ? REDUCE_DEFAULT : REDUCE_NONE) != STATUS_OK)
                fail_msg("%s: %s", whole, fixture.error.message);
            const struct assertion_result *result = &fixture.result;
            if (result->answer != expected[i]) {
                print_trace(&fixture);
                fail_msg("%s: found %d: %s", whole, result->answer, text_string(&result->reason));
            }
            if (result->answer == VIOLATED && result->trace.is_lasso)
                assert_true(result->trace.loop_start < result->trace.steps.length);
        }
        release(&fixture);
    }
}

static void progress_is_as_in_herlihy_and_shavits_table(void **unused)
{
    (void)unused;
    const enum holds all[] = {HOLDS, HOLDS, HOLDS, HOLDS, HOLDS};
    const enum holds lock_free[] = {HOLDS, VIOLATED, HOLDS, HOLDS, VIOLATED};
    const enum holds lock[] = {VIOLATED, VIOLATED, VIOLATED, HOLDS, VIOLATED};
    const enum holds fair_lock[] = {VIOLATED, VIOLATED, VIOLATED, HOLDS, HOLDS};
    const enum holds nothing[] = {VIOLATED, VIOLATED, VIOLATED, VIOLATED, VIOLATED};
    const enum holds obstruction_free[] = {VIOLATED, VIOLATED, HOLDS, VIOLATED, VIOLATED};
    assert_progress("impl c { shared int(0..3) n; op inc() { atomic { n = (n + 1) % 4; }"
                    " return ok; } }",
                    "with threads = 2, ops = any", all);
    assert_progress("impl c { shared int(0..3) n; op inc() { int t; do { t = n; } while"
                    " (!cas(n, t, (t + 1) % 4)); return ok; } }",
                    "with threads = 2, ops = any", lock_free);
    /* A lock that waits and one that spins get the same answers. */
    assert_progress(LOCK("lock(held);"), "with threads = 2, ops = any", lock);
    assert_progress(LOCK("while (swap(held, true)) { }"), "with threads = 2, ops = any", lock);
    assert_progress("impl t { shared int(0..3) next; shared int(0..3) serving; op acquire() {"
                    " int mine; atomic { mine = next; next = (next + 1) % 4; }"
                    " while (serving != mine) { } return ok; } op release() { atomic {"
                    " serving = (serving + 1) % 4; } return ok; } }"
                    "assert t linearizes mutex with threads = 2, ops = any;",
                    "with threads = 2, ops = any", fair_lock);
    /* Two locks taken in two orders. */
    assert_progress("impl d { shared bool a; shared bool b; op f() { lock(a); lock(b); unlock(b);"
                    " unlock(a); return ok; } op g() { lock(b); lock(a); unlock(a); unlock(b);"
                    " return ok; } }",
                    "with threads = 2, ops = any", nothing);
    /* Alone it finds what it wrote; in lock step each finds what the other wrote. */
    assert_progress("impl x { shared int(0..2) last; op f() { while (true) { last = thread + 1;"
                    " int t = last; if (t == thread + 1) return ok; } } }",
                    "with threads = 2, ops = any", obstruction_free);
    /* Each takes back what it wants when it sees that the other wants it too; but who stands still
     * may want it for ever. */
    assert_progress("impl polite { shared bool wants[2]; op f() { while (true) {"
                    " wants[thread] = true; if (!wants[1 - thread]) break;"
                    " wants[thread] = false; } wants[thread] = false; return ok; } }",
                    "with threads = 2, ops = any", nothing);
}

static void operations_that_run_out_do_not_count(void **unused)
{
    (void)unused;
    /* One acquires and has no operation left to release with. */
    assert_progress(LOCK("lock(held);"), "with threads = 2, ops = 1",
                    (const enum holds[]){VIOLATED, VIOLATED, VIOLATED, HOLDS, HOLDS});
}

/* ---- never ---- */

#define ADDER                                                                                      \
    "impl c { shared int(0..9) n; op inc() { int t = n; n = t + 1; return ok; }"                   \
    " op read() { return n; } }"

static void conditions_that_never_hold(void **unused)
{
    (void)unused;
    assert_decided(ADDER "assert c never (n == 4) with threads = 2, ops = 2;", VIOLATED,
                   "the condition becomes true");
    assert_decided(ADDER "assert c never (n == 5) with threads = 2, ops = 2;", HOLDS, NULL);
    assert_decided(ADDER "assert c never (running(0) && running(1, read)) with threads = 2,"
                         " ops = 1;",
                   VIOLATED, NULL);
    assert_decided(ADDER "assert c never (running(0, inc) && running(0, read)) with threads = 2,"
                         " ops = 1;",
                   HOLDS, NULL);
    assert_decided("impl m { shared bool a; shared int(0..2) inside; op f() { lock(a);"
                   " fetch_add(inside, 1); fetch_add(inside, -1); unlock(a); return ok; } }"
                   "assert m never (inside == 2) with threads = 3, ops = any;",
                   HOLDS, NULL);
    assert_decided("impl m { struct node { int(0..3) n; node next; } shared node top;"
                   " op f() { node t = new node; node h = top; t.next = h; top = t; return ok; } }"
                   "assert m never (top != null && top.next != null) with threads = 2, ops = 1;",
                   VIOLATED, NULL);
    /* A condition's functions have more locals than any operation. */
    assert_decided("impl c { struct node { node next; } shared node top; bool deep(int most) {"
                   " int a; int b; int c; int d; node t = top; int found = 0; while (t != null) {"
                   " found++; t = t.next; } return found > most; } op f() { node n = new node;"
                   " node h = top; n.next = h; top = n; return ok; } }"
                   "assert c never (deep(2)) with threads = 1, ops = 3;",
                   VIOLATED, NULL);
    /* What the algorithm must not do is a violation of every assertion. */
    assert_decided("impl m { shared bool a; op f() { unlock(a); return ok; } }"
                   "assert m never (false) with threads = 1, ops = 1;",
                   VIOLATED, "a lock that nobody holds is unlocked");
}

#define TEN(x)                                                                                     \
    " int " x "0; int " x "1; int " x "2; int " x "3; int " x "4;"                                 \
    " int " x "5; int " x "6; int " x "7; int " x "8; int " x "9;"

/* Of any number of locals those that will not be read hold no node back. */
static void nodes_of_dead_locals_are_collected(void **unused)
{
    (void)unused;
    assert_decided(
        "impl far { struct node { int(0..3) n; } shared int(0..1) done; op f() {" TEN("a") TEN("b")
            TEN("c") TEN("d") TEN("e") TEN("f") TEN(
                "g") " node n = new node; n.n = 1; done = 0; node m = new node; m.n = 2; done = 1;"
                     " return ok; } }"
                     "assert far never (done == 1) with threads = 1, ops = 1, nodes = 1;",
        VIOLATED, "the condition becomes true");
}

/* ---- what is wrong ---- */

static void the_least_integer_has_no_negative(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(parse(&fixture, "impl i { shared int x; op f() { int y = -2147483647;"
                                     " y = y - 1;\n x = -y; return ok; } }"
                                     "assert i never (x == 1) with threads = 1, ops = 1;"),
                     STATUS_OK);
    assert_int_equal(decide(&fixture, 0, REDUCE_NONE), STATUS_INPUT);
    assert_int_equal(fixture.error.line, 2);
    assert_non_null(strstr(fixture.error.message, "found 2147483648"));
    release(&fixture);
}

static void mistakes_have_a_place(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } mistakes[] = {
        {"impl i { shared int n; op inc() {\n n = n + 1; return ok; } }"
         "assert i linearizes counter;",
         2, "expected at most one shared location in one step"},
        {"impl i { shared int n; shared int m; op inc() {\n if (n == m) return ok; } }"
         "assert i linearizes counter;",
         2, "expected at most one shared location in one step"},
        {"impl i { shared int n; shared int a[3]; op inc() {\n a[n] = 1; return ok; } }"
         "assert i linearizes counter;",
         2, "expected at most one shared location in one step"},
        {"impl i { struct node { node next; } shared node h; op inc() {\n node t = h.next; } }"
         "assert i linearizes counter;",
         2, "expected at most one shared location in one step"},
        {"impl i { shared int n; op inc() {\n n++; return ok; } } assert i linearizes counter;", 2,
         "expected at most one shared location in one step"},
        {"impl i { shared int a[2]; op inc() {\n a[1] -= 1; return ok; } }"
         "assert i linearizes counter;",
         2, "expected at most one shared location in one step"},
        {"impl i { shared int n; int f() { int t = n; return t; } op read() {\n return f() + 1; } }"
         "assert i linearizes counter;",
         2, "expected a call that stands alone"},
        {"impl i { shared int n; int f() { int t = n; return t; } op inc() {\n n = f(); } }"
         "assert i linearizes counter;",
         2, "expected a call that stands alone"},
        {"impl i { shared bool n; bool f() { bool t = n; return t; } op inc() {\n"
         " if (f() || n) return ok; } } assert i linearizes counter;",
         2, "expected a call that stands alone"},
        {"impl i { op foo() { return ok; } } assert i linearizes counter;", 1,
         "found `foo`, which it does not have"},
        {"impl i { op inc(value v) { return ok; } } assert i linearizes counter;", 1,
         "expected 0 parameters of `inc`"},
        {"impl i { op add(int n) { return ok; } } assert i linearizes counter;", 1,
         "expected an argument that clients can choose"},
        {"impl i(K) { op inc() { return ok; } } assert i linearizes counter;", 1,
         "expected i(K), found too few arguments"},
        {"impl i { } assert i linearizes nothing;", 1, "expected a specification"},
        {"spec my_stack { } impl i { } assert i linearizes my_stak;", 1,
         "expected a specification of this file or a built-in one, found `my_stak`; did you mean "
         "`my_stack`?"},
        {"spec other { } impl i { } assert i linearizes stak;", 1,
         "found stak; did you mean stack?"},
        {"impl treiber { } assert trieber linearizes stack;", 1,
         "expected an implementation, found `trieber`; did you mean `treiber`?"},
        {"assert i linearizes counter;", 1, "expected an implementation, found `i`"},
        {"impl i { } assert i linearizes counter with threads = 0;", 1, "a number from 1 to 64"},
        {"impl i { } assert i linearizes counter with speed = 3;", 1,
         "expected threads, ops, values, nodes, spec, points or fairness, found `speed`"},
        {"impl i { shared int n; op f() { return ok; } } assert i never (cas(n, 0, 1));", 1,
         "which changes the state"},
        {"impl i { shared int n; op f() { return ok; } } assert i never (n);", 1,
         "expected a bool, found an int"},
        {"impl i { op f() { return ok; } } assert i never (thread == 1);", 1,
         "found `thread`, which is not declared"},
        {"impl i { op f() { return ok; } } assert i never (running(0, g));", 1,
         "expected an operation of `i`"},
        {"impl i { struct node { int n; } shared node h; op f() { return ok; } }"
         "assert i never (h.n == 1);",
         1, "the condition itself fails"},
        {"impl i { shared int(0..1) n; op inc() { fetch_add(n,\n 1); return ok; } }"
         "assert i linearizes counter with threads = 1;",
         1, "expected an int from 0 to 1, found 2"},
        {"impl i { shared value v; op inc() { int t = v; return ok; } }", 1,
         "expected an int, found a value"},
        {"impl i { struct node { int n; } shared node h; op inc() { int t = ll(h.n); } }"
         "assert i linearizes counter;",
         1, "expected at most one shared location"},
        {"impl i { shared int n; init { linearize; } op inc() { return ok; } }", 1,
         "expected `linearize` in an operation, found it in `init`"},
        {"impl i { shared int n; op read() {\n linearize fetch_add(n, 1); return 1; } }", 2,
         "expected an answer, found `fetch_add`, which changes the state"},
        {"impl i { int f() { return 1; } op read() {\n linearize f(); return 1; } }", 2,
         "expected an answer, found a call of `f`"},
        {"impl i { op read() {\n linearize choose(0..1); return 1; } }", 2,
         "expected an answer, found `choose`"},
        {"impl i { struct node { int n; } op read() {\n node t; linearize t; return 1; } }", 2,
         "expected a value to answer, found a reference to a node"},
        {"impl i { struct node { int n; } struct cell { int n; } shared cell c;\n"
         "op f() {\n node x = c; return ok; } }",
         3, "expected a reference to a `node`, found a reference to a `cell`"},
        {"impl i { record pair { int n; } record tag { int n; } shared pair p; shared tag t;\n"
         "op f() {\n pair x = p; if (t == x) return ok; return ok; } }",
         3, "expected two of one type to compare, found a record `tag` and a record `pair`"},
        {"impl i { record pair { int n[2]; } shared pair p;\n"
         "op f() {\n pair x = p; if (x.n == x.n) return ok; return ok; } }",
         3, "expected no arrays to compare: their items can be, or records of them"},
        {"spec s { op read() {\n linearize; return 1; } }", 2,
         "`linearize` is for implementations only"},
        {"impl i { shared int n; op read() {\n linearize n + n; return 1; } }"
         "assert i linearizes counter with points;",
         2, "expected at most one shared location in one step"},
        {"impl i { } assert i linearizes counter with points = 3;", 1,
         "expected `points` or `points = complete`"},
        {"impl i { } assert i lock_free with points;", 1, "expected `linearizes` before `points`"},
        {"impl i { shared int n; op f() {\n while (n = 5) { n = 1; } } }", 2,
         "expected `==`, which compares, found `=`"},
        {"impl i { shared int n; op f() {\n if (n = 5) { n = 1; } } }", 2,
         "expected `==`, which compares, found `=`"},
        {"impl i { op f() { } }\nassert i never (n = 5);", 2,
         "expected `==`, which compares, found `=`"},
        {"impl i { record a {\n b x; }\n record b { a y; } }", 1, "found `a` inside itself"},
        {"impl i { record a {\n int x[65]; } }", 2,
         "expected an array of 1 to 64 items in a record"},
        {"impl i(K = 2) { record a {\n int x[K]; } }", 2, "expected a number or a constant"},
        {"impl i { record a { int x[2]; } shared a y; op f() {\n y = a([1]); } }", 2,
         "expected the 2 items of `x`"},
        {"impl i { shared int n; void f(int *p) {\n p = 1; } op g() { f(&n); } }", 2,
         "expected `*p`, for `p` is an address"},
        {"impl i { shared int n; void f(int *p) { } op g() {\n f(n); } }", 2,
         "expected the address of something shared"},
        {"impl i { shared int n; op g() {\n cas(&n, 0, 1); } }", 2, "is written without `&`"},
        {"impl i { op f(\n int *p) { } }", 2, "that clients can choose, found an address"},
        {"impl i { shared int n; int f(int k) depth 2 { if (k == 0) return 0;\n int r = f(k - 1);"
         " return r; } op g() { n = f(2); } } assert i never (n == 1);",
         2, "at most 2 calls of `f` inside one another"},
        {"spec i { int f(int k) depth 2 { if (k == 0) return 0;\n return f(k - 1); } op g() { "
         "return f(2); } } impl i { op g() { return 0; } } assert i linearizes i;",
         2, "at most 2 calls of `f` inside one another"},
        {"spec i { op g() { await (false); } together g(),\n g() { } } impl i { op g() { } }"
         " assert i linearizes i with ops = 1;",
         1, "expected 2 answers on every way, found none"},
        {"impl i { shared int n; op g() {\n return 1, 2; } } assert i never (false);", 2,
         "expected one answer, found several"},
        {"impl i { shared int n; op g() {\n return [n]; } } assert i never (false);", 2,
         "a list of two words or more"},
        {"impl i { struct a { int n; } op g() { a x; return\n [x, 1]; } } assert i never (false);",
         2, "expected a value, bool, int or null in a list"},
        {"impl i { shared int n[2]; op g() {\n return n; } } assert i never (false);", 2,
         "expected a local array to answer"},
        {"impl i { record a { int n[2]; } shared a x; op g() { a y = x;\n return y.n; } }", 2,
         "answer its items, `[r.n[0], r.n[1]]`"},
        {"impl i { shared value x; op g() {\n linearize [x, 1]; return 1; } }", 2,
         "`linearize;` leaves the answer open"},
        {"impl i { record a { int n; int m; } op g() { a x;\n linearize x; return x; } }", 2,
         "`linearize;` leaves the answer open"},
        {"impl i { struct a { int n; } op g() { a x = new a;\n x->n = 1; } }", 2,
         "expected `.` before a field (`p.x` is what C writes `p->x`)"},
        {"impl i { op g() { int n = 0; if (n == 0) n = 1; n = 2;\nelse n = 3; } }", 2,
         "there is no `if` right before this `else`"},
        {"const\nint int = 3; impl i { }", 2, "a name (a constant) other than that of a type"},
        {"enum {\nA, value }; impl i { }", 2, "a name (a constant) other than that of a type"},
        {"impl i {\nshared int n = -2147483648; }", 2, "the least is -2147483647 - 1"},
        {"impl i { op f(value v) {\nswitch (v) { case \"red\": return 1; } } }", 2,
         "a `value` in a specification"},
        {"spec i { op f(value v) { switch (v) { case \"red\":\ncase \"red\": return 1; } } }", 2,
         "expected each label once"},
        {"impl i { shared value x; op f(value v) { cas(x,\n3, v); } } assert i never (false);", 2,
         "expected a value that clients pass, 1 to 2, found 3"},
        {"impl i { shared value x; op f(value v) { cas(x, v,\n1); } } assert i never (false);", 2,
         "expected a value, found an int"},
        {"impl i { shared int n[2]; op g() {\n return [n[0], n[1]]; } } assert i never (false);", 2,
         "at most one shared location"},
        {"impl i { op g() { int n;\n return [n, n]; } } program p { thread { g(); } }"
         " assert p with i refines p with i;",
         2, "expected one word as what `g` answers to a program"},
        {"impl i { shared int n; int f(int k)\n depth 0 { return 0; } op g() { } }", 2,
         "expected a depth of 1 to 200"},
        {"impl i { shared value x; op f(value v) {\n if (v == 0) x = v; } } assert i never "
         "(false);",
         2, "expected a value that clients pass, 1 or more, found 0"},
        {"impl i { shared value x; op f(value v) {\n if (v == 3) x = v; } } assert i never "
         "(false);",
         2, "expected a value that clients pass, 1 to 2, found 3"},
        {"impl i { record a {\n int x = 1; } }", 2, "part of a record without an initial value"},
        {"impl i { record a { int a; int b; int c; int d; int e; } record b { a a; a b; a c; a d; }"
         "\n record c { b a; b b; b c;\n b d; } }",
         3, "expected a record of at most 64 words"},
        {"impl i { struct node {\n int a[65535]; int b[2]; } shared node top;"
         " op read() { top = new node; return 0; } } assert i linearizes counter with nodes = 9;",
         2, "expected a node of at most 65535 words"},
        {"impl i { struct node { int(0..3) a\n = 4; } op read() { return 0; } }"
         "assert i linearizes counter;",
         2, "expected an int from 0 to 3, found 4"},
        {"impl i { struct f { int a; }\n int f() { return 0; } op read() { return 0; } }", 2,
         "expected a new name, found `f` again"},
        {"spec i { op read() { return 0; } } impl i { op read() { return 0; } }"
         "\n impl i { op read() { return 0; } }",
         2, "expected a new name, found `i` again"},
        {"impl i { shared int(0..3) n; op read() { cas(n, 1,\n 4); return 0; } }"
         "assert i linearizes counter;",
         2, "expected an int from 0 to 3, found 4"},
        {"impl i { op read() { for (int i = 0; i < 1000000;\n i++) { } return 0; } }"
         "assert i linearizes counter;",
         1, "expected a step that ends, found one of more than 2000000 instructions"},
        {"impl i { op read() { int k;\n while (choose(0..1) == 0) k = 0; return 0; } }"
         "assert i linearizes counter;",
         2, "expected at most 10000 choices in one step"},
        {"impl i { op read() { int k =\n choose(-2147483647 - 1..2147483647);"
         " return k == 0 ? 1 : 0; } } assert i linearizes counter;",
         2, "expected a choice among at most 2147483647 numbers, found 4294967296"},
        {"spec s { op read() {\n assert (false); return 0; } } impl i { op read() { return 0; } }"
         "assert i linearizes s;",
         2, "assert"},
        {"impl i { op read()\n only thread -1 { return 0; } } assert i linearizes counter;", 2,
         "expected a thread's number, from 0, found -1"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(mistakes); i++) {
        struct fixture fixture;
        enum status status = parse(&fixture, mistakes[i].text);
        if (status == STATUS_OK)
            status = decide(&fixture, 0, REDUCE_DEFAULT);
        if (status != STATUS_INPUT)
            fail_msg("no mistake was found in: %s", mistakes[i].text);
        if (*fixture.error.file) /* it outlives the specification */
            assert_string_equal(fixture.error.file, "test.lin");
        if (!strstr(fixture.error.message, mistakes[i].message) ||
            fixture.error.line != mistakes[i].line)
            fail_msg("%s: expected line %u: %s\nfound line %u: %s", mistakes[i].text,
                     mistakes[i].line, mistakes[i].message, fixture.error.line,
                     fixture.error.message);
        release(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(locks_are_locks),
        cmocka_unit_test(queues_are_queues),
        cmocka_unit_test(registers_are_registers),
        cmocka_unit_test(stacks_are_stacks),
        cmocka_unit_test(michael_and_scotts_queue),
        cmocka_unit_test(stores_to_parts_break_links),
        cmocka_unit_test(objects_may_be_without_operations),
        cmocka_unit_test(faults_are_those_of_the_thread_that_is_told),
        cmocka_unit_test(new_nodes_hold_the_least_of_ranges_without_zero),
        cmocka_unit_test(freed_nodes_need_tags),
        cmocka_unit_test(counters),
        cmocka_unit_test(symbols_and_own_specifications),
        cmocka_unit_test(sets_are_answered_as_lists),
        cmocka_unit_test(faults_of_the_algorithm_are_violations),
        cmocka_unit_test(clients_call_in_order),
        cmocka_unit_test(pools_that_run_out_leave_it_undecided),
        cmocka_unit_test(progress_is_as_in_herlihy_and_shavits_table),
        cmocka_unit_test(operations_that_run_out_do_not_count),
        cmocka_unit_test(conditions_that_never_hold),
        cmocka_unit_test(nodes_of_dead_locals_are_collected),
        cmocka_unit_test(the_least_integer_has_no_negative),
        cmocka_unit_test(mistakes_have_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
