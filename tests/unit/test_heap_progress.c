/* Lock-freedom for any number of threads: of the algorithms of papers it is proved; what is proved
 * of their mutants, and of random programs, two and three threads never violate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "support/heap_lists.h"
#include "support/heap_mutants.h"
#include "support/heap_random.h"
#include "support/lin_compiled.h"
#include "support/lin_verdicts.h"
#include "support/seeds.h"
#include "unbounded/heap_progress.h"

#define MOST_WORK      60000 /* of a search among few threads, where something is proved; */
#define MOST_FOR_TALLY 5000  /* and where nothing is, or few seeds are asked for */

/* Lists, which take longer, are looked at where more seeds are asked for. */
static const uint64_t few_seeds = 4;
static struct seeds seeds = {1, 4};
static unsigned seconds_of_each = 5;

/* ---- asking ---- */

/* False if it is no implementation. */
static bool ask(const char *text, unsigned seconds, struct heap_progress_answer *answer)
{
    const struct lin_setting setting = {.threads = 1,
                                        .operations = -1,
                                        .values = 3,
                                        .nodes = HEAP_MOST_NODES,
                                        .unbounded = true,
                                        .keeps = true};
    struct lin_compiled compiled;
    struct thread_system system;
    struct budget budget;
    struct limits limits;
    struct error error;
    const bool opened = lin_compiled_open(&compiled, text, UINT32_MAX, setting, NULL);
    bool right = opened;
    if (opened) {
        budget_init(&budget, NULL, (size_t)1 << 30);
        limits_init(&limits, &budget);
        limits.deadline = clock_nanoseconds() + seconds * UINT64_C(1000000000);
        const enum status created =
            thread_system_create(&system, &compiled.alone, compiled.labels, &limits, &error);
        right = created == STATUS_OK;
        assert_true(right || created == STATUS_INPUT);
    }
    if (right) {
        const struct heap_progress progress = {.system = &system,
                                               .budget = &budget,
                                               .limits = &limits,
                                               .last_deadline = limits.deadline,
                                               .error = &error};
        const enum status status = heap_progress_find(&progress, answer);
        if (status != STATUS_LIMIT && status != STATUS_OK)
            fail_msg("%s\n%s", error.message, text);
        if (status == STATUS_LIMIT)
            answer->kind = HEAP_PROGRESS_OPEN;
    }
    if (opened)
        thread_system_release(&system);
    lin_compiled_close(&compiled);
    return right;
}

/* Whether few threads go on for ever though nothing returns, as far as may be searched. */
static bool few_violate(const char *text, uint64_t most_work)
{
    static const char *const few[] = {
        "threads = 2, ops = any, nodes = 3, values = 1", "threads = 2, ops = 2, values = 1",
        "threads = 3, ops = 1, values = 1", "threads = 3, ops = any, nodes = 3, values = 1"};
    bool violated = false;
    const char *name = strstr(text, "impl ") + strlen("impl ");
    for (size_t i = 0; i < ARRAY_LENGTH(few) && !violated; i++) {
        struct lin_fixture fixture;
        struct text asserted = TEXT_EMPTY;
        text_format(&asserted, "%s\nassert %.*s lock_free with %s;\n", text,
                    (int)strcspn(name, " {"), name, few[i]);
        if (!lin_fixture_open(&fixture, text_string(&asserted)))
            fail_msg("%s\n%s", fixture.error.message, text_string(&asserted));
        violated = lin_verdict(&fixture, 0, REDUCE_DEFAULT, most_work) == VERDICT_VIOLATED;
        lin_fixture_close(&fixture);
        text_release(&asserted);
    }
    return violated;
}

/* ---- programs ---- */

#define NODE "struct node { value item; node next; }\n"
#define TREIBER                                                                                    \
    "impl stack {\n" NODE "shared node top;\n"                                                     \
    "op push(value v) {\nnode n = new node;\nn.item = v;\nnode t;\n"                               \
    "while (true) {\nt = top;\nn.next = t;\nif (cas(top, t, n)) return ok;\n}\n}\n"                \
    "op pop() {\nwhile (true) {\nnode t = top;\nif (t == null) return empty;\n"                    \
    "node x = t.next;\nif (cas(top, t, x)) return t.item;\n}\n}\n}\n"
#define QUEUE                                                                                      \
    "impl queue {\n" NODE "shared node head;\nshared node tail;\n"                                 \
    "init {\nhead = new node;\ntail = head;\n}\n"
#define ENQUEUE(HELP)                                                                              \
    "op enqueue(value v) {\nnode n = new node;\nn.item = v;\nwhile (true) {\nnode t = tail;\n"     \
    "node x = t.next;\nif (t == tail) {\nif (x == null) {\n"                                       \
    "if (cas(t.next, null, n)) {\ncas(tail, t, n);\nreturn ok;\n}\n} else {\n" HELP                \
    "\n}\n}\n}\n}\n"
#define DEQUEUE(HELP)                                                                              \
    "op dequeue() {\nwhile (true) {\nnode h = head;\nnode t = tail;\nnode x = h.next;\n"           \
    "if (h == head) {\nif (h == t) {\nif (x == null) return empty;\n" HELP                         \
    "\n} else {\nvalue v = x.item;\nif (cas(head, h, x)) return v;\n}\n}\n}\n}\n"
#define DEQUEUE_TAIL_LAST                                                                          \
    "op dequeue() {\nwhile (true) {\nnode h = head;\nnode x = h.next;\nif (h == head) {\n"         \
    "if (x == null) return empty;\nvalue v = x.item;\nif (cas(head, h, x)) {\nnode t = tail;\n"    \
    "if (h == t) cas(tail, t, x);\nreturn v;\n}\n}\n}\n}\n"
#define MICHAEL_SCOTT QUEUE ENQUEUE("cas(tail, t, x);") DEQUEUE("cas(tail, t, x);") "}\n"
#define DOHERTY       QUEUE ENQUEUE("cas(tail, t, x);") DEQUEUE_TAIL_LAST "}\n"
/* Whoever comes by links what is announced. */
#define HELPED                                                                                     \
    QUEUE "shared node announced;\nbool help() {\nnode a = announced;\n"                           \
          "if (a == null) return false;\nnode t = tail;\nif (a != announced) return false;\n"      \
          "if (t != a) {\ncas(t.next, null, a);\ncas(tail, t, a);\n}\ncas(announced, a, null);\n"  \
          "return true;\n}\n"                                                                      \
          "op enqueue(value v) {\nnode n = new node;\nn.item = v;\n"                               \
          "while (!cas(announced, null, n)) help();\nwhile (announced == n) help();\nreturn ok;\n" \
          "}\n" DEQUEUE("help();") "}\n"
/* Whose value is written once more until nobody has come between. */
#define UNDISTURBED(AGAIN)                                                                         \
    "impl box {\nstruct node { value item; }\nshared node b;\nshared bool l;\n"                    \
    "op write(value v) {\nwhile (true) {\nnode n = new node;\nn.item = v;\nb = n;\n" AGAIN         \
    "\n}\n}\n}\n"

/* A look at all of the stack. */
#define WALKED                                                                                     \
    "impl stack {\n" NODE "shared node top;\n"                                                     \
    "op push(value v) {\nnode n = new node;\nn.item = v;\nnode t;\n"                               \
    "do {\nt = top;\nn.next = t;\n} while (!cas(top, t, n));\nreturn ok;\n}\n"                     \
    "op look() {\nnode t = top;\nwhile (t != null) t = t.next;\nreturn ok;\n}\n}\n"
#define CIRCLE                                                                                     \
    "impl stack {\n" NODE "shared node top;\ninit {\ntop = new node;\ntop.next = top;\n}\n"        \
    "op look() {\nnode t = top;\nwhile (t != null) t = t.next;\nreturn ok;\n}\n}\n"

/* Begins again where the stack ends. */
#define WALKED_AGAIN                                                                               \
    "impl stack {\n" NODE "shared node top;\ninit {\ntop = new node;\n}\n"                         \
    "op look() {\nnode t = top;\nwhile (true) {\nif (t == null) t = top;\nelse t = t.next;\n}\n"   \
    "}\n}\n"

/* What one step makes less the other makes more. */
#define TO_AND_FRO                                                                                 \
    "impl box {\nstruct node { value item; }\nshared node b;\nshared node c;\n"                    \
    "init {\nb = new node;\n}\nop go() {\nwhile (true) {\n"                                        \
    "atomic { if (b != null) { c = b; b = null; } }\n"                                             \
    "atomic { if (c != null) { b = c; c = null; } }\n}\n}\n}\n"

static const char *const right[] = {TREIBER, MICHAEL_SCOTT, DOHERTY, HARRIS_MICHAEL,
                                    HARRIS,  MICHAEL,       HELPED};
#define RIGHT_BEFORE_LISTS 3
#define RIGHT_AT_ONCE      4

static void algorithms_of_papers_are_lock_free(void **unused)
{
    struct heap_progress_answer answer;
    (void)unused;
    assert_true(ask(WALKED, 60, &answer));
    assert_int_equal(answer.kind, HEAP_LOCK_FREE);
    assert_true(answer.walks);
    for (size_t i = 0; i < (seeds.count > few_seeds ? ARRAY_LENGTH(right) : RIGHT_AT_ONCE); i++) {
        assert_true(ask(right[i], 60, &answer));
        assert_false(answer.walks);
        if (answer.kind != HEAP_LOCK_FREE)
            fail_msg("kind %d\n%s", (int)answer.kind, right[i]);
    }
}

/* The tail is moved on by whoever sees that it stays behind. */
static void what_becomes_less_is_told(void **unused)
{
    struct heap_progress_answer answer;
    unsigned ranked = 0;
    (void)unused;
    assert_true(ask(MICHAEL_SCOTT, 60, &answer));
    assert_int_equal(answer.kind, HEAP_LOCK_FREE);
    assert_int_equal(answer.lasting_count, 5);
    for (uint32_t i = 0; i < answer.lasting_count; i++) {
        ranked += answer.lasting[i].is_ranked;
        if (answer.lasting[i].is_ranked) {
            assert_int_equal(answer.lasting[i].rank.variable, 1); /* the tail, */
            assert_int_equal(answer.lasting[i].rank.field, 1);    /* along `next` */
        }
    }
    assert_int_equal(ranked, 2);
}

static void what_is_not_lock_free_is_not_proved(void **unused)
{
    static const struct {
        const char *text;
        enum heap_progress_kind kind;
    } programs[] = {
        {QUEUE ENQUEUE("continue;") DEQUEUE("cas(tail, t, x);") "}\n", HEAP_GOES_ROUND},
        {QUEUE ENQUEUE("cas(tail, t, x);") DEQUEUE("continue;") "}\n", HEAP_GOES_ROUND},
        {CIRCLE, HEAP_GOES_ROUND},
        {TO_AND_FRO, HEAP_CHANGES_ON},
        {WALKED_AGAIN, HEAP_GOES_ROUND},
        {UNDISTURBED("if (b == n) return ok;"), HEAP_CHANGES_ON},
        {UNDISTURBED("cas(b, n, null);"), HEAP_CHANGES_ON},
        {UNDISTURBED("lock(l);\nb = n;\nunlock(l);\nreturn ok;"), HEAP_WAITS},
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
        struct heap_progress_answer answer;
        assert_true(few_violate(programs[i].text, MOST_FOR_TALLY));
        assert_true(ask(programs[i].text, 60, &answer));
        assert_int_equal(answer.kind, programs[i].kind);
    }
}

/* ---- mutants and random programs ---- */

static struct {
    unsigned proved, violated, neither, wrong_text;
} tally;

static void compare(const char *text, uint64_t seed)
{
    struct heap_progress_answer answer;
    if (!ask(text, seconds_of_each, &answer)) {
        tally.wrong_text++;
        return;
    }
    const bool proved = answer.kind == HEAP_LOCK_FREE,
               violated = few_violate(text, proved && seeds.count > few_seeds ? MOST_WORK
                                                                              : MOST_FOR_TALLY);
    if (proved && violated)
        fail_msg("seed %llu: proved, but few threads violate\n%s", (unsigned long long)seed, text);
    tally.proved += proved;
    tally.violated += violated;
    tally.neither += !proved && !violated;
}

static void print_tally(const char *what)
{
    print_message("%s: %u proved, %u few threads violate, %u neither; %u are no programs\n", what,
                  tally.proved, tally.violated, tally.neither, tally.wrong_text);
    memset(&tally, 0, sizeof tally);
}

static void no_mutant_is_proved_wrongly(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text once = TEXT_EMPTY, twice = TEXT_EMPTY;
        random_seed(&random, seed);
        const size_t number = random_below(&random, seeds.count > few_seeds ? ARRAY_LENGTH(right)
                                                                            : RIGHT_BEFORE_LISTS);
        heap_mutate(&random, right[number], &once);
        if (random_below(&random, 2))
            heap_mutate(&random, text_string(&once), &twice);
        else
            text_append(&twice, text_string(&once));
        compare(text_string(&twice), seed);
        text_release(&once);
        text_release(&twice);
    }
    print_tally("mutants");
}

static void no_random_program_is_proved_wrongly(void **unused)
{
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text text = TEXT_EMPTY;
        const char *specification;
        random_seed(&random, seed);
        if (random_below(&random, 2))
            heap_random_program(&random, &text);
        else
            heap_random_container(&random, &text, &specification);
        compare(text_string(&text), seed);
        text_release(&text);
    }
    print_tally("random programs");
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(algorithms_of_papers_are_lock_free),
        cmocka_unit_test(what_becomes_less_is_told),
        cmocka_unit_test(what_is_not_lock_free_is_not_proved),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
        cmocka_unit_test(no_random_program_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
