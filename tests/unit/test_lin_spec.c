/* Specifications in `.lin`: the shipped ones decide as the built-in ones do, every construct does
 * what the language reference says, and what is wrong gets a message with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decide/witness.h"
#include "lin/spec.h"
#include "monitor/decision.h"
#include "search/search.h"
#include "spec/revision.h"
#include "support/generate.h"
#include "support/oracle.h"
#include "support/script.h"

#define SEED       UINT64_C(20261121)
#define PARTS      1500 /* random ones for each shipped specification */
#define LONG_PARTS 60

/* ---- the shipped specifications and rules against the built-in ones ---- */

struct shipped {
    const char *workload, *name;
};

static const struct shipped shipped[] = {
    {"register", "register.lin"},
    {"cas-register", "cas_register.lin"},
    {"mutex", "mutex.lin"},
    {"mutex with try-acquire", "mutex.lin"},
    {"bounded queue", "bounded_queue.lin:bounded_queue(2)"},
    {"semaphore", "semaphore.lin:semaphore(2)"},
    {"queue", "queue.lin"},
    {"stack", "stack.lin"},
    {"set", "set.lin"},
    {"counter", "counter.lin:counter(initial = 0)"},
    {"priority-queue", "priority_queue.lin"},
    {"deque", "deque.lin"},
    {"multi-register", "multi_register.lin"},
    {"grow-set", "grow_set.lin"},
    {"unordered-queue without drain", "unordered_queue.lin"},
    {"map", "map.lin"},
    {"register", "../rules/register.lin"},
    {"mutex", "../rules/mutex.lin"},
    {"semaphore", "../rules/semaphore.lin"},
    {"queue", "../rules/queue.lin"},
    {"stack", "../rules/stack.lin"},
};

/* Those of executions in which values are distinct. */
static const struct shipped distinct[] = {
    {"set", "../rules/set.lin"},
    {"priority-queue", "../rules/priority_queue.lin"},
};

/* The part with every call bound again, by the specification in `.lin`. */
static void rebind(const struct part *part, const struct spec *spec, struct sample *sample)
{
    sample_copy_part(sample, part);
    sample->part.spec = spec;
    for (uint32_t i = 0; i < part->count; i++) {
        struct call *call = &sample->intervals[i].call;
        const char *name = part->spec->class->operations[call->operation].name;
        int operation = spec_operation_find(spec->class, name, strlen(name));
        assert_true(operation >= 0);
        struct recorded recorded = {.argument = call->argument,
                                    .result = call->result,
                                    .completed = sample->intervals[i].response != POSITION_NEVER,
                                    .result_recorded = call->result_known,
                                    .process = call->process};
        struct answer answer;
        if (strcmp(part->spec->class->name, "map") == 0 && strcmp(name, "cas") == 0 &&
            call->result_known) {
            assert_true(answer_parse(call->result, &answer)); /* the map's bound form */
            recorded.result = value_boolean(answer.ok);
        }
        struct text complaint = TEXT_EMPTY;
        if (spec_bind(spec, (uint16_t)operation, &recorded, call, &complaint) != STATUS_OK)
            fail_msg("%s", text_string(&complaint));
        text_release(&complaint);
    }
}

static enum verdict search(const struct part *part, struct budget *budget)
{
    struct limits limits;
    limits_init(&limits, budget);
    struct decision decision;
    decision_init(&decision, budget);
    struct error error;
    assert_int_equal(search_decide(part, &limits, &decision, &error), STATUS_OK);
    enum verdict verdict = decision.verdict;
    if (verdict == VERDICT_LINEARIZABLE)
        assert_true(witness_is_valid(part, decision.linearization.items,
                                     decision.linearization.length, &limits, NULL));
    decision_release(&decision);
    return verdict;
}

/* Whether some call with an argument comes twice, with the same answer. */
static bool has_repetition(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct call *one = &part->intervals[i].call, *other = &part->intervals[j].call;
            if (one->operation == other->operation && one->argument == other->argument &&
                one->argument != VALUE_NIL && one->result == other->result)
                return true;
        }
    return false;
}

/* `apart`: only parts in which no call comes twice, and all is known. */
static void compare_shipped(const struct shipped *row, bool apart)
{
    const char *name = row->name;
    char path[512];
    snprintf(path, sizeof path, "%s/examples/specs/%s", SOURCE_DIR, name);
    struct subject subject;
    subject_open(&subject, workload_find(row->workload));
    struct spec_request request = {0};
    struct spec *spec;
    struct error error;
    if (lin_spec_open(path, &request, subject.pool, &subject.budget, &spec, &error) != STATUS_OK)
        fail_msg("%s: %s", path, error.message);
    struct random random;
    random_seed(&random, SEED);
    unsigned violations = 0;
    struct sample sample = {0}, rebound = {0};
    for (unsigned i = 0; i < PARTS;) {
        struct shape shape = {.operations = 1 + random_below(&random, 8),
                              .processes = 1 + random_below(&random, 4),
                              .values = (apart ? 3 : 1) + random_below(&random, 3),
                              .pending_percent = apart ? 0 : 15,
                              .unknown_percent = apart ? 0 : 10,
                              .mutate_percent = 60,
                              .eagerness = random_below(&random, 3)};
        sample_random(&sample, &subject, &random, &shape);
        if (apart && has_repetition(&sample.part))
            continue;
        i++;
        rebind(&sample.part, spec, &rebound);
        bool expected = oracle_linearizable(&sample.part);
        violations += !expected;
        enum verdict found = search(&rebound.part, &subject.budget);
        if (expected != oracle_linearizable(&rebound.part) ||
            found != (expected ? VERDICT_LINEARIZABLE : VERDICT_VIOLATION)) {
            struct text text = TEXT_EMPTY;
            sample_print(&sample.part, &text);
            fail_msg("%s: part %u of seed %llu: %s", name, i, (unsigned long long)SEED,
                     text_string(&text));
        }
    }
    assert_int_equal(spec->class->fault(spec, &error), STATUS_OK);
    print_message("%s: %u parts, %u violations\n", name, PARTS, violations);
    assert_true(violations > PARTS / 20 && violations < PARTS * 19 / 20);
    sample_release(&sample);
    sample_release(&rebound);
    spec_destroy(spec);
    subject_close(&subject);
}

static void shipped_specifications_decide_as_the_built_in_ones(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(shipped); i++)
        compare_shipped(&shipped[i], false);
    for (size_t i = 0; i < ARRAY_LENGTH(distinct); i++)
        compare_shipped(&distinct[i], true);
}

/* What has been forgotten of a long execution does not matter. */
static void compare_long(const char *workload, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/examples/rules/%s", SOURCE_DIR, name);
    struct subject subject;
    subject_open(&subject, workload_find(workload));
    struct spec_request request = {0};
    struct spec *spec;
    struct error error;
    if (lin_spec_open(path, &request, subject.pool, &subject.budget, &spec, &error) != STATUS_OK)
        fail_msg("%s: %s", path, error.message);
    struct random random;
    random_seed(&random, SEED);
    unsigned violations = 0;
    struct sample sample = {0}, rebound = {0};
    for (unsigned i = 0; i < LONG_PARTS; i++) {
        struct shape shape = {.operations = 40,
                              .processes = 1 + random_below(&random, 4),
                              .values = random_below(&random, 2) * 5,
                              .pending_percent = 1,
                              .unknown_percent = 2,
                              .mutate_percent = 50};
        sample_random(&sample, &subject, &random, &shape);
        rebind(&sample.part, spec, &rebound);
        enum verdict expected = search(&sample.part, &subject.budget);
        violations += expected == VERDICT_VIOLATION;
        if (search(&rebound.part, &subject.budget) != expected)
            fail_msg("%s: long part %u of seed %llu", name, i, (unsigned long long)SEED);
    }
    print_message("%s: %u long parts, %u violations\n", name, LONG_PARTS, violations);
    assert_true(violations > 0 && violations < LONG_PARTS);
    sample_release(&sample);
    sample_release(&rebound);
    spec_destroy(spec);
    subject_close(&subject);
}

static void shipped_rules_decide_long_histories(void **unused)
{
    (void)unused;
    compare_long("register", "register.lin");
    compare_long("mutex", "mutex.lin");
    compare_long("semaphore", "semaphore.lin");
    compare_long("queue", "queue.lin");
    compare_long("stack", "stack.lin");
}

/* ---- the language ---- */

struct fixture {
    struct made made;
    struct error error;
};

static enum status open_within(struct fixture *fixture, size_t memory, const char *text,
                               const char *reference)
{
    budget_init(&fixture->made.budget, NULL, memory);
    fixture->made.pool = value_pool_create(&fixture->made.budget);
    struct spec_request request = {0};
    return lin_spec_from_text("test.lin", text, reference, &request, fixture->made.pool,
                              &fixture->made.budget, &fixture->made.spec, &fixture->error);
}

static enum status open_text(struct fixture *fixture, const char *text, const char *reference)
{
    return open_within(fixture, 0, text, reference);
}

static void release(struct fixture *fixture)
{
    made_close(&fixture->made);
}

/* Runs calls in order; `!` before a call that must be illegal. */
static void run_calls(struct fixture *fixture, const char *calls)
{
    struct states states;
    states_open(&states, fixture->made.spec, VALUE_NIL, &fixture->made.budget);
    for (const char *at = calls; *at;) {
        const char *from = at;
        bool legal = true;
        struct call call = script_call(&fixture->made, &at, &legal);
        if (states_try(&states, &call) != legal)
            fail_msg("%s: expected %s: %s", calls, legal ? "legal" : "illegal", from);
        if (legal)
            states_advance(&states);
    }
    states_close(&states);
}

static void assert_runs(const char *text, const char *reference, const char *calls)
{
    struct fixture fixture;
    if (open_text(&fixture, text, reference) != STATUS_OK)
        fail_msg("%s: %s", text, fixture.error.message);
    run_calls(&fixture, calls);
    if (fixture.made.spec->class->fault(fixture.made.spec, &fixture.error) != STATUS_OK)
        fail_msg("%s: %s", calls, fixture.error.message);
    release(&fixture);
}

static void statements_do_what_c_does(void **unused)
{
    (void)unused;
    assert_runs("spec s { op f(int n) { int sum = 0; for (int i = 0; i < n; i++) {"
                " if (i == 2) continue; if (i == 5) break; sum += i; } return sum; } }",
                NULL, "f 3 -> 1; f 10 -> 8; !f 3 -> 2");
    assert_runs("spec s { op f(int n) { int k = 0; do { k++; n = n / 2; } while (n > 0);"
                " return k; } }",
                NULL, "f 0 -> 1; f 8 -> 4");
    assert_runs("spec s { op f(int n) { while (true) { if (n % 7 == 0) return n; n++; } } }", NULL,
                "f 1 -> 7; f 14 -> 14");
    assert_runs("spec s { op f(int n) { { int n2 = n * 2; n = n2; } int n2 = -n;"
                " return n2 - 1; } }",
                NULL, "f 3 -> -7");
    assert_runs("spec s { op f(bool a, bool b) { return a && !b || b && !a; } }", NULL,
                "f [true false] -> true; f [true true] -> false; f [false true] -> true");
    assert_runs("spec s { op f(int a, int b) { return a > b ? a : b; } }", NULL,
                "f [1 2] -> 2; f [5 2] -> 5");
    /* As in C, & | ^ bind less than comparisons, and % keeps the sign of the left. */
    assert_runs("spec s { op f(int a) { return (a & 6 | 1) ^ 2; } op g(int a) { return a % 3; } }",
                NULL, "f 7 -> 5; g -7 -> -1");
}

static void variables_keep_the_state(void **unused)
{
    (void)unused;
    assert_runs("spec s { int n; int a[3] = 7; int b[2] = [1, 2]; bool on; int(3..9) r;"
                " op bump() { n++; a[n] += n; return a[n]; }"
                " op sum() { return a[0] + a[1] + a[2] + b[0] * 10 + b[1] * 100; }"
                " op low() { return r; } op is_on() { return on; } }",
                NULL, "sum -> 231; bump -> 8; bump -> 9; sum -> 234; low -> 3; is_on -> false");
    assert_runs("spec s { int g[2][3]; init { for (int i = 0; i < 2; i++)"
                " for (int j = 0; j < 3; j++) g[i][j] = i * 10 + j; }"
                " op at(int i, int j) { return g[i][j]; } }",
                NULL, "at [0 0] -> 0; at [1 2] -> 12; at [0 2] -> 2");
}

static void parameters_are_constants(void **unused)
{
    (void)unused;
    const char *text = "spec s(K, first = 4) { int a[K + 1]; int n = first;"
                       " op size() { return K; } op first_of() { return n; } }";
    assert_runs(text, "s(2)", "size -> 2; first_of -> 4");
    assert_runs(text, "s(first = -5, K = 3)", "size -> 3; first_of -> -5");
    assert_runs(text, "s(1, 2)", "size -> 1; first_of -> 2");
}

static void functions_are_called(void **unused)
{
    (void)unused;
    assert_runs("spec s { int calls; int twice(int n) { calls++; return n + n; }"
                " bool odd(int n) { return n % 2 == 1; } void reset() { calls = 0; }"
                " op f(int n) { int r = twice(twice(n)) + 1; return odd(r); }"
                " op count() { int c = calls; reset(); return c; } }",
                NULL, "f 3 -> true; count -> 2; count -> 0");
}

static void collections_are_values(void **unused)
{
    (void)unused;
    assert_runs("spec s { list l; op put(value v) { l = l + [v]; return len(l); }"
                " op at(int i) { return l[i]; } op set_at(int i, value v) { l[i] = v; return ok; }"
                " op drop(value v) { l = l - [v]; return v in l; }"
                " op ends() { return [first(l), last(l), len(but_first(l)), len(but_last(l))]; }"
                " op all() { return l; } op least() { return min(l); } op most() { return max(l); }"
                "}",
                NULL,
                "put 5 -> 1; put 3 -> 2; put 5 -> 3; all -> [5 3 5]; ends -> [5 5 2 2];"
                "set_at [1 9]; at 1 -> 9; least -> 5; most -> 9; drop 5 -> true; all -> [9 5]");
    assert_runs("spec s { set a; op add(value v) { a = a + {v}; return len(a); }"
                " op has(value v) { return v in a; } op same() { return a == {2, 1}; }"
                " op without(value v) { a = a - {v}; return a; } }",
                NULL,
                "add 1 -> 1; add 2 -> 2; add 1 -> 2; same -> true; has 3 -> false;"
                "without 1 -> #{2}; same -> false");
}

/* What is appended to a list stands behind its items, where it does not see it. */
static void collections_that_grow_stay_as_they_were(void **unused)
{
    (void)unused;
    assert_runs(
        "spec s { op f(int n) { list l; set t; map m; bool same = true;"
        " for (int i = 0; i < n; i++) { l = l + [i]; t = t + {i}; m[i] = i; }"
        " list a = l + [70], b = l + [80], c = but_last(l) + [90], d = c + l;"
        " set u = t + {70}, v = t + {80}; map x = m, y = m; x[70] = 1; y[80] = 2;"
        " for (int i = 0; i < n - 1; i++)"
        "  same = same && a[i] == i && b[i] == i && c[i] == i && d[n + i] == i && x[i] == i;"
        " return [len(l), last(l), last(a), last(b), last(c), len(d), same, 80 in u, 70 in v,"
        " len(t), 80 in x, 70 in y, len(m)]; } }",
        NULL,
        "f 40 -> [40 39 70 80 90 80 true false false 40 false false 40];"
        "f 3 -> [3 2 70 80 90 6 true false false 3 false false 3];"
        "f 16 -> [16 15 70 80 90 32 true false false 16 false false 16];"
        "f 64 -> [64 63 70 80 90 128 true false false 64 false false 64]");
}

/* To add one item after the other takes memory for them, not for each collection on the way. */
static void many_items_are_added_one_by_one(void **unused)
{
    (void)unused;
    static const char text[] = "spec s { list l; set t; map m;"
                               " init { for (int i = 0; i < 100000; i++) {"
                               "  l = l + [i]; t = t + {i}; m[i] = i; } }"
                               " op sizes() { return [len(l), len(t), len(m)]; } }";
    struct fixture fixture;
    if (open_within(&fixture, (size_t)64 << 20, text, NULL) != STATUS_OK)
        fail_msg("%s", fixture.error.message);
    run_calls(&fixture, "sizes -> [100000 100000 100000]");
    release(&fixture);
}

static void maps_are_changed_by_key(void **unused)
{
    (void)unused;
    assert_runs("spec s { map m; op put(value k, value v) { m[k] = v; return len(m); }"
                " op get(value k) { return m[k]; } op drop(value k) { m = m - {k}; return ok; }"
                " op has(value k) { return k in m; } op one() { return m == {1: 2}; }"
                " op deep(value k, int i, value v) { m[k][i] = v; return m[k]; } }",
                NULL,
                "put [1 2] -> 1; one -> true; put [:x [1 2 3]] -> 2; deep [:x 1 7] -> [1 7 3];"
                "get 1 -> 2; get 3 -> nil; has :x -> true; drop :x; has :x -> false; one -> true");
}

static void answers_are_compared(void **unused)
{
    (void)unused;
    const char *bounded = "spec s(K) { list l; op push(value v) { if (len(l) == K) return full;"
                          " l = l + [v]; return ok; } op pop() { if (l == []) return empty;"
                          " value v = last(l); l = but_last(l); return v; } }";
    /* `ok` agrees with whatever was recorded but another symbol; strings and keywords name one. */
    assert_runs(bounded, "s(1)",
                "push 1; !push 2 -> nil; push 2 -> \"full\"; push 2 -> :full; !push 2 -> 2;"
                "pop -> 1; pop -> nil; push 3 -> 3; !pop -> nil");
    assert_runs("spec s { op f(value v) { return v == \"read\"; } op g(value v) {"
                " return v != \"read\"; } }",
                NULL, "f :read -> true; f \"read\" -> true; f 1 -> false; g read -> false");
}

/* Names of an enum where an operation takes or answers it, and texts as labels. */
static void recorded_texts_are_understood(void **unused)
{
    (void)unused;
    const char *lamp = "enum color { RED, green = 4, BLUE }; spec s { color now = BLUE;"
                       " op set(color c) { now = c; return ok; } op get() { return now; }"
                       " op mix(color c, value v) { if (c == BLUE) return v; return green; }"
                       " op plain(value v) { return v == green; } }";
    assert_runs(lamp, NULL,
                "get -> :BLUE; !get -> :RED; set \"green\"; get -> :green; get -> 4; !get -> 5;"
                "set 0; get -> \"RED\"; mix [:BLUE 7] -> 7; mix [RED 7] -> :green;"
                "!mix [RED 7] -> :RED; plain 4 -> true; plain :green -> false");
    assert_runs("spec s { op f(value v) { switch (v) { case \"red\": return 1; case 2: case null:"
                " return 2; case blue: return blue; case \"green\": default: return 3; } } }",
                NULL, "f :red -> 1; f \"red\" -> 1; f 2 -> 2; f \"green\" -> 3; f \"b\" -> 3");
}

static void choices_have_several_outcomes(void **unused)
{
    (void)unused;
    assert_runs("spec s { int n; op f() { n = choose(1..3); return ok; } op get() { return n; } }",
                NULL, "f; get -> 3; !get -> 1; f; get -> 1");
    assert_runs("spec bag { list l; op put(value v) { l = l + [v]; return ok; }"
                " op take() { value v = choose(l); l = l - [v]; return v; } }",
                NULL, "!take; put 1; put 2; put 3; take -> 2; !take -> 2; take -> 3; take -> 1");
    assert_runs("spec s { int n; op f() { either { n = 1; return 1; } or { n = 2; } or "
                "{ assume (n == 2); n = 3; } return 0; } op get() { return n; } }",
                NULL, "f -> 0; get -> 2; f -> 0; get -> 3; f -> 1; get -> 1");
    assert_runs("spec s { bool held; op acquire() { await (!held); held = true; return ok; } }",
                NULL, "acquire; !acquire");
}

static void the_caller_is_known(void **unused)
{
    (void)unused;
    assert_runs("spec owned { int holder = -1; op acquire() { assume (holder == -1);"
                " holder = thread; return ok; } op release() { assume (holder == thread);"
                " holder = -1; return ok; } }",
                NULL, "acquire @3; !release @2; release @3");
}

/* ---- what is wrong ---- */

static void mistakes_have_a_place_and_a_message(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint32_t line;
        const char *message;
    } mistakes[] = {
        {"spec s {\n op f() { return 1 }\n}", 2, "expected `;` after the statement, found `}`"},
        {"spec s {\n op f() { x = 1; }\n}", 2, "found `x`, which is not declared"},
        {"spec s { op f() { return\n 1 + true; } }", 2, "expected an int, found a bool"},
        {"spec s {\n int n = [];\n}", 2, "expected an int, found a list"},
        {"spec s { op f(int n) { if (n)\n return 1; } }", 1, "expected a bool, found an int"},
        {"spec s { op f() { break; } }", 1, "expected a loop or switch around `break`, found none"},
        {"spec s { op f() { atomic { } } }", 1, "`atomic` is for implementations only"},
        {"spec s { bool b; op f() { cas(b, true, false); } }", 1,
         "`cas` is for implementations only"},
        {"spec s { int n; int n; }", 1, "expected a new name, found `n` again"},
        {"spec s(n) { int m;\n int n; }", 2, "expected a new name, found `n` again"},
        {"spec s { int f(int n) { return n; }\n int g() { return 0; }\n int f() { return 0; } }", 3,
         "expected a new name, found `f` again"},
        {"spec s {\n op\n in(value v) { return ok; } }", 3,
         "expected a name that is not reserved, found `in`"},
        {"spec s { op f() { int i; int i; } }", 1, "expected a new name, found `i` again"},
        {"spec s { op f() { } op f() { } }", 1, "expected a new name, found `f` again"},
        {"spec s { } spec s { }", 1, "expected a new name, found `s` again"},
        {"spec s { int f(int n) { return f(n); } }", 1, "one that calls itself says how deep"},
        {"spec s { int f(int n) { return n; } op g() { return f(1, 2); } }", 1,
         "expected 1 argument for `f`, found 2"},
        {"spec s { op g() { return h(1); } }", 1, "found `h`, which is not declared"},
        {"spec s { shared int n; }", 1, "found `shared`"},
        {"spec s { int(5..2) n; }", 1, "expected a range from low to high, found 5..2"},
        {"spec s { int n[0]; }", 1, "expected an array of 1 to 65535 items"},
        {"spec s { int n[3] = [1, 2]; }", 1, "expected 3 values, found 2"},
        {"spec s { op f() { 1 + 2; } }", 1, "found an expression whose value is not used"},
        {"spec s { op f() { 3 = 2; } }", 1, "found something that cannot be changed"},
        {"spec s { int a[2]; op f() { a = 1; } }", 1, "found a whole array"},
        {"spec s { op f(node n) { } }", 1, "expected a type, found `node`, which is not declared"},
        {"spec s { client f; }", 1, "found `f`, which is not declared"},
        {"spec s {\n int n; \n", 3, "expected `}`, found the end of the file"},
        {"facts r { }", 1,
         "expected `spec`, `impl`, `program`, `rules`, `automaton`, `const`, `enum` or `assert`, "
         "found `facts`"},
        {"spec s { int n; init { n = choose(1..2); } }", 1, "found several"},
        {"spec s { int n; init { assume (n == 1); } }", 1, "found none"},
        {"spec s { list l; int n; init { n = l[0]; } }", 1, "expected an index from 0 to 0"},
        {"spec s { int a[2]; int n = 2; init { a[n] = 1; } }", 1,
         "expected an index from 0 to 1, found 2"},
        {"spec s { int a[2]; op f() { return a; } }", 1, "a list of its items, `[a[0], a[1]]`"},
        {"spec s { int n = 2147483647; init { n++; } }", 1, "expected an int of 32 bits"},
        {"spec s { int n; init { n = 1 / n; } }", 1, "expected a divisor other than 0"},
        {"spec s { int(0..3) n; init { n = 4; } }", 1, "expected an int from 0 to 3, found 4"},
        {"spec s { int n; init { while (true) { n = 1 - n; } } }", 1,
         "expected an operation that ends"},
        {"spec s { op f() { linearize 1; } }", 1, "`linearize` is for implementations only"},
        {"spec s { op f() { return \"x; } }", 1, "this string is not closed"},
        {"spec s { op f() { return $; } }", 1, "expected a token of .lin, found the character `$`"},
        {"spec s { op f() { either { } } }", 1, "expected `or` and another block"},
        {"impl i { int n; }", 1, "expected `shared` before a variable of the implementation"},
        {"spec s { record r { int a; } }", 1, "expected `record` in an implementation"},
        {"impl i { op f() { int a = [1]; } }", 1, "a list is for specifications only"},
        {"impl i { shared int a[2] = [0, 1]; op f() { } }", 1,
         "expected the value of all elements, found a list (`init` can"},
        {"impl i { struct node { int n; } shared node h; op f() { return h.next; } }", 1,
         "expected a field of `node` (n), found `next`"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(mistakes); i++) {
        struct fixture fixture;
        if (open_text(&fixture, mistakes[i].text, NULL) != STATUS_INPUT)
            fail_msg("no mistake was found in: %s", mistakes[i].text);
        if (!strstr(fixture.error.message, mistakes[i].message) ||
            fixture.error.line != mistakes[i].line)
            fail_msg("%s: expected line %u: %s\nfound line %u: %s", mistakes[i].text,
                     mistakes[i].line, mistakes[i].message, fixture.error.line,
                     fixture.error.message);
        release(&fixture);
    }
}

/* Whoever walks the tree of an expression recurs: there is an end to how deep it may be. */
static void chains_of_operators_have_an_end(void **unused)
{
    (void)unused;
    static const struct {
        unsigned length;
        enum status status;
    } cases[] = {{1999, STATUS_OK}, {100000, STATUS_INPUT}};
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct fixture fixture = {0};
        struct text text = TEXT_EMPTY;
        text_append(&text, "spec s { int x = 0; op read() { return ");
        for (unsigned j = 0; j < cases[i].length; j++)
            text_append(&text, "1 + ");
        text_append(&text, "x; } }");
        assert_int_equal(open_text(&fixture, text_string(&text), NULL), cases[i].status);
        if (cases[i].status != STATUS_OK)
            assert_non_null(strstr(fixture.error.message, "at most 2000 operators in a row"));
        text_release(&text);
        release(&fixture);
    }
}

static void names_on_the_command_line_must_fit(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *reference, *message;
    } mistakes[] = {
        {"spec a { } spec b { }", NULL, "with one of its specifications (a, b), found no name"},
        {"spec a { } spec b { }", "c", "expected a specification of test.lin (a, b), found c"},
        {"spec a(K) { }", NULL, "expected a(K), found too few arguments"},
        {"spec a(K) { }", "a(1, 2)", "expected a(K), found more arguments"},
        {"spec a(K) { }", "a(L = 1)", "expected a(K), found L"},
        {"spec a(K) { }", "a(1, K = 1)", "found one argument twice"},
        {"spec a(K) { }", "a(", "expected NAME or NAME(arguments) of a specification, found a("},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(mistakes); i++) {
        struct fixture fixture;
        assert_int_equal(open_text(&fixture, mistakes[i].text, mistakes[i].reference),
                         STATUS_USAGE);
        if (!strstr(fixture.error.message, mistakes[i].message))
            fail_msg("expected %s, found %s", mistakes[i].message, fixture.error.message);
        release(&fixture);
    }
}

/* A fault at run time is the specification's: no verdict. */
static void faults_are_remembered(void **unused)
{
    (void)unused;
    struct fixture fixture;
    assert_int_equal(
        open_text(&fixture, "spec s {\n list l;\n op f() {\n  return first(l);\n }\n}", NULL),
        STATUS_OK);
    const struct spec *spec = fixture.made.spec;
    struct outcomes outcomes;
    outcomes_init(&outcomes, &fixture.made.budget);
    assert_true(spec->class->init(spec, VALUE_NIL, &outcomes));
    struct call call = {.operation = 0};
    uint64_t state[1] = {0};
    assert_false(spec->class->step(spec, state, 1, &call, &outcomes));
    assert_int_equal(spec->class->fault(spec, &fixture.error), STATUS_INPUT);
    assert_int_equal(fixture.error.line, 4);
    assert_non_null(strstr(fixture.error.message, "expected a list that is not empty"));
    outcomes_release(&outcomes);
    release(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_specifications_decide_as_the_built_in_ones),
        cmocka_unit_test(shipped_rules_decide_long_histories),
        cmocka_unit_test(statements_do_what_c_does),
        cmocka_unit_test(variables_keep_the_state),
        cmocka_unit_test(parameters_are_constants),
        cmocka_unit_test(functions_are_called),
        cmocka_unit_test(collections_are_values),
        cmocka_unit_test(collections_that_grow_stay_as_they_were),
        cmocka_unit_test(many_items_are_added_one_by_one),
        cmocka_unit_test(maps_are_changed_by_key),
        cmocka_unit_test(answers_are_compared),
        cmocka_unit_test(recorded_texts_are_understood),
        cmocka_unit_test(choices_have_several_outcomes),
        cmocka_unit_test(the_caller_is_known),
        cmocka_unit_test(mistakes_have_a_place_and_a_message),
        cmocka_unit_test(chains_of_operators_have_an_end),
        cmocka_unit_test(names_on_the_command_line_must_fit),
        cmocka_unit_test(faults_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
