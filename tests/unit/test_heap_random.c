/* Random implementations whose operations make nodes: whatever they do, the set of views is closed
 * as it should be. What each thread sees of each state of random runs is a view of it, without an
 * observer and with automata that read the operations; the check of certificates takes it, and
 * takes none that lacks a view. (The automata accept nothing here: nothing is said to be wrong.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/heap_follow.h"
#include "support/heap_handed.h"
#include "support/heap_random.h"
#include "support/seeds.h"
#include "unbounded/heap_retries.h"
#include "unbounded/heap_spans.h"

#define MOST_MEMORY     ((size_t)16 << 20)   /* of one proof: with some programs views grow */
#define MOST_TIME       UINT64_C(1000000000) /* likewise */
#define MOST_TO_BE_SEEN 2000                 /* views of a set that is checked */

static struct seeds seeds = {1, 8};
static unsigned runs_of_each = 12;
static uint64_t most_time;          /* of one proof; 0: until it is done */
static uint32_t most_left_out = 16; /* of the views of a set, each alone */
static struct heap_walk run;

static struct {
    struct heap_followed plain, observed;
    unsigned closed, certified, spanning, helping, retrying, failed[HEAP_LIMIT + 1];
} tally;

/* Closes the set; false if there is no room, or something else is in the way. */
static bool close_set(struct heap_proof *proof)
{
    struct limits limits = *proof->limits;
    const struct limits *of_subject = proof->limits;
    proof->limits = &limits;
    proof->budget->limit = proof->budget->used + MOST_MEMORY;
    limits.deadline = most_time ? clock_nanoseconds() + most_time : 0;
    const enum status status = heap_proof_run(proof);
    proof->limits = of_subject;
    proof->budget->limit = 0;
    proof->budget->refused = false;
    if (status != STATUS_OK)
        proof->failure.kind = HEAP_LIMIT;
    tally.failed[proof->failure.kind]++;
    return proof->failure.kind == HEAP_PROVED;
}

static void look_at_runs(struct heap_example *subject, struct heap_proof *proof, unsigned values,
                         struct random *random, struct heap_followed *followed, const char *text)
{
    subject->runs.values = values;
    for (unsigned i = 0; i < runs_of_each; i++) {
        heap_run_make(&subject->runs, random, &run);
        heap_follow(subject, proof, &run, random, text, followed);
    }
}

static bool look_without_observer(struct heap_example *subject, struct random *random,
                                  const char *text)
{
    struct heap_shape *shape = &subject->answer.shape;
    struct heap_proof proof;
    bool closed;
    heap_retries_use(shape, UINT32_MAX);
    for (;;) {
        heap_proof_init(&proof, &subject->system, shape, NULL, NULL, &subject->budget,
                        &subject->limits, &subject->error);
        closed = close_set(&proof);
        if (proof.failure.kind != HEAP_MOVED_BACK)
            break;
        heap_retries_use(shape, heap_retries_variables(shape) & ~proof.moved_back);
        heap_proof_release(&proof);
    }
    tally.retrying += closed && heap_retries_variables(shape);
    if (closed)
        look_at_runs(subject, &proof, 1u << 1, random, &tally.plain, text);
    heap_proof_release(&proof);
    return closed;
}

/* The set is taken, and not without one of its views; some are tried. */
static void look_at_certificate(struct heap_proof *proof, struct random *random, const char *text)
{
    struct heap_checked checked;
    const char *refusal = heap_handed_refusal(proof, proof->placement, UINT32_MAX, &checked);
    if (checked.is_too_large)
        return;
    if (refusal)
        fail_msg("%s: the check says: %s\n%s", proof->alphabet->automaton->name, refusal, text);
    const uint32_t count = (uint32_t)proof->views.items.length, every = 1 + count / most_left_out;
    for (uint32_t i = random_below(random, every); i < count; i += every)
        if (!heap_handed_refusal(proof, proof->placement, i, &checked))
            fail_msg("%s: view %u of %u may be left out\n%s", proof->alphabet->automaton->name, i,
                     count, text);
    tally.certified++;
}

/* Lets a push span, if it can: the automaton reads at most one call of a colour then, until it
 * would accept. */
static void let_span(struct heap_example *subject, struct alphabet *alphabet)
{
    const size_t letters = (size_t)2 * alphabet->letters;
    if (!heap_may_span(alphabet))
        return;
    subject->answer.placement.points[0] = (struct heap_point){.spans = true};
    assert_int_equal(heap_span_alphabet(alphabet, &subject->arena), STATUS_OK);
    for (uint32_t s = 0; s < alphabet->automaton->state_count; s++)
        for (size_t i = 0; i < letters && alphabet->accepting[s]; i++)
            alphabet->next[s * letters + i] = VIOLATION_DEAD;
    tally.spanning++;
}

/* Where points are given for others' operations, those that bring values may be met; then it is
 * not the automaton's business how often they take effect. */
static bool let_help(struct heap_example *subject)
{
    struct heap_placement *placement = &subject->answer.placement;
    placement->meets = placement->helps = subject->system.steps->notes_helps;
    return placement->helps;
}

/* As an automaton reads it, that accepts nothing. */
static void look_with_points(struct heap_example *subject, size_t observer, struct random *random,
                             const char *text)
{
    static bool none[VIOLATION_MOST_STATES];
    struct alphabet alphabet;
    struct heap_proof proof;
    subject->answer.placement =
        (struct heap_placement){.points = {{.given = true}, {.given = true}}};
    const bool helps = let_help(subject);
    heap_example_observe(subject, observer, &alphabet, &proof);
    if (!helps && random_below(random, 2))
        let_span(subject, &alphabet);
    tally.helping += helps;
    proof.initial = alphabet.automaton->initial;
    alphabet.accepting = none;
    if (close_set(&proof)) {
        look_at_runs(subject, &proof, alphabet.colours, random, &tally.observed, text);
        if (proof.views.items.length <= MOST_TO_BE_SEEN)
            look_at_certificate(&proof, random, text);
    }
    heap_proof_release(&proof);
}

/* With an automaton of this name, or one of them. */
static void look_at(const char *text, const char *name, struct random *random)
{
    struct heap_example subject;
    if (!heap_example_read(&subject, text, "stack"))
        fail_msg("%s\n%s", subject.compiled.fixture.error.message, text);
    subject.runs.adds_by_calls = true;
    if (look_without_observer(&subject, random, text)) {
        size_t automaton = random_below(random, (uint32_t)subject.automata.count);
        for (size_t i = 0; i < subject.automata.count && name; i++)
            automaton = strcmp(subject.automata.items[i].name, name) == 0 ? i : automaton;
        tally.closed++;
        look_with_points(&subject, automaton, random, text);
    }
    heap_example_close(&subject, true);
}

static void random_programs_are_covered(void **unused)
{
    (void)unused;
    most_left_out = 16;
    most_time = MOST_TIME;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text text = TEXT_EMPTY;
        random_seed(&random, seed);
        text_format(&text, "// seed %llu\n", (unsigned long long)seed);
        heap_random_program(&random, &text);
        look_at(text_string(&text), NULL, &random);
        text_release(&text);
    }
    print_message("%u closed; %llu views of %llu runs; with points %llu views of %llu runs, %llu "
                  "of which ended early, with pushes that span in %u programs, with points for "
                  "others' in %u, with threads that begin again in %u; "
                  "%u certificates\n",
                  tally.closed, (unsigned long long)tally.plain.states,
                  (unsigned long long)tally.plain.runs, (unsigned long long)tally.observed.states,
                  (unsigned long long)tally.observed.runs, (unsigned long long)tally.observed.dead,
                  tally.spanning, tally.helping, tally.retrying, tally.certified);
    for (int kind = 0; kind <= HEAP_LIMIT; kind++)
        print_message("%s%u", kind ? " " : "failures by kind: ", tally.failed[kind]);
    print_message("\n");
    assert_true(tally.closed > 0 && tally.certified > 0 && tally.observed.states > 0);
}

#define NODES "impl it { struct node { value item; node next; } shared node a; "
#define LOCKED                                                                                     \
    "impl it { struct node { value item; bool held; node next; } shared node a; shared node b; "   \
    "init { a = new node; b = a; } "
#define POP                                                                                        \
    "op pop() { node t = a; value w; if (t != null) w = t.item; linearize; "                       \
    "if (w == null) return empty; return w; } }"

static void small_programs_are_covered(void **unused)
{
    static const char *const programs[] = {
        /* what a node leads to that is no more in a variable, but others may know, is nobody's own
         */
        NODES "init { a = new node; } op push(value v) { node n = new node; n.item = v; node t; "
              "t = swap(a, null); if (t != null) t.next = n; linearize; a = t; return ok; } " POP,
        /* a link that is written again led to a run in the view of who writes it */
        NODES "init { a = new node; } op push(value v) { node n = new node; node t; node x; t = a; "
              "n.next = t; t.next = n; linearize; x = a; n.next = x; return ok; } " POP,
        /* likewise, where the first field is the link */
        "impl it { struct node { node next; value item; } shared node a; init { a = new node; } "
        "op push(value v) { node n = new node; node t; node x; t = a; n.next = t; t.next = n; "
        "linearize; x = a; n.next = x; return ok; } " POP,
        /* others see that an operation takes effect, and nothing else of it */
        NODES "shared node b; init { a = new node; b = a; } op push(value v) { node n = new node; "
              "node t; n.item = v; t = swap(b, t); if (t != null) t.item = null; linearize; "
              "if (t != null) t.next = null; return ok; } op pop() { node n; node t; node x; "
              "value w; if (t != null) x = swap(t.next, n); if (cas(a, t, x)) b = t; "
              "if (t != null) w = t.item; linearize; if (t != null) t.next = n; "
              "if (w == null) return empty; return w; } }",
        /* who holds a lock of a node sees what others write */
        LOCKED "op push(value v) { node n = new node; n.item = v; node t; node x; t = swap(b, t); "
               "if (t != null) { lock(t.held); x = t.next; unlock(t.held); } linearize; "
               "if (t != null) { if (t.next == x) t.next = n; } return ok; } op pop() { node t; "
               "node n; cas(a, t, n); linearize; return empty; } }",
        /* an automaton may be in several states then */
        NODES "shared node b; op push(value v) { node n = new node; n.item = v; node t; node x; "
              "t = swap(b, t); if (t != null) x = swap(t.next, n); a = n; linearize; "
              "if (t != null) t = t.next; return ok; } op pop() { node n = new node; node t; "
              "node x; value w; atomic { t = a; a = x; } if (t != null) w = t.item; cas(a, t, n); "
              "linearize; x = a; if (w == null) return empty; return w; } }",
        LOCKED "op push(value v) { node n = new node; node t; b = null; linearize; b = null; "
               "return ok; } op pop() { node n = new node; node t; node x; value w; "
               "t = swap(b, t); if (t != null) w = t.item; if (t != null) cas(t.next, x, n); "
               "linearize; if (t != null) cas(t.next, null, n); if (w == null) return empty; "
               "return w; } }",
        /* the first variable is a lock */
        "impl it { struct node { value item; node next; } shared bool l; shared node a; op push("
        "value v) { node n = new node; n.item = v; lock(l); node t = a; n.next = t; a = n; "
        "linearize; unlock(l); return ok; } op pop() { lock(l); node t = a; value w; node x; "
        "if (t != null) w = t.item; linearize; if (t != null) x = t.next; a = x; unlock(l); "
        "if (w == null) return empty; return w; } }",
        /* a link that nobody reads where its maker leaves the node; of another one it is read */
        NODES "shared node b; init { a = new node; } op push(value v) { node n = new node; "
              "n.item = v; node t; t = a; n.next = t; b = n; linearize; return ok; } op pop() { "
              "node n; node t; node x; value w; t = a; if (t != null) w = t.item; linearize; "
              "if (t != null) x = t.next; a = x; b = null; if (w == null) return empty; "
              "return w; } }",
        /* who marked a node, and comes to see it again, may have lost sight of it in between */
        "impl it { struct node { value item; bool mark; node next; } shared node a; shared node b; "
        "init { a = new node; } op push(value v) { node n = new node; n.item = v; node x; "
        "n.mark = true; x = swap(a, n); linearize; b = x; return ok; } " POP,
    };
    struct random random;
    (void)unused;
    random_seed(&random, 1);
    most_left_out = UINT32_MAX;
    most_time = 0;
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
        const unsigned certified = tally.certified;
        look_at(programs[i], "stack_empty", &random);
        assert_int_equal(tally.certified, certified + 1);
    }
}

/* Where a variable leads again to what it led to no more, it is not relied on to move on: by the
 * proof; and the check, if it is handed a set that does, says so. */
static void variables_that_move_back_are_noticed(void **unused)
{
    static const char program[] =
        NODES "op push(value v) { node n = new node; n.item = v; node t; "
              "do { t = a; } while (!cas(a, t, n)); linearize; return ok; } "
              "op pop() { node t = swap(a, null); linearize; a = t; return empty; } }";
    static bool none[VIOLATION_MOST_STATES];
    struct heap_example subject;
    struct alphabet alphabet;
    struct heap_checked checked;
    (void)unused;
    assert_true(heap_example_read(&subject, program, "stack"));
    subject.answer.placement =
        (struct heap_placement){.points = {{.given = true}, {.given = true}}};
    for (int relies = 0; relies < 2; relies++) {
        struct heap_proof proof;
        heap_retries_use(&subject.answer.shape, relies ? UINT32_MAX : 0);
        heap_example_observe(&subject, 0, &alphabet, &proof);
        alphabet.accepting = none;
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, relies ? HEAP_MOVED_BACK : HEAP_PROVED);
        if (!relies) {
            assert_null(heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked));
            heap_retries_use(&proof.steps.shape, UINT32_MAX);
            assert_int_not_equal(heap_retries_variables(&proof.steps.shape), 0);
            assert_string_equal(heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked),
                                "a variable leads again to what it led to no more");
        }
        heap_proof_release(&proof);
    }
    heap_example_close(&subject, true);
}

/* `test_heap_random [FIRST [COUNT [RUNS]]]` */
int main(int count, char **arguments)
{
    if (count == 4)
        runs_of_each = (unsigned)strtoul(arguments[--count], NULL, 10);
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_programs_are_covered),
        cmocka_unit_test(variables_that_move_back_are_noticed),
        cmocka_unit_test(random_programs_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
