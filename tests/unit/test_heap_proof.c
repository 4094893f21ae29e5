/* Proofs for any number of threads and a heap without bound: in runs of one to four threads what
 * each thread sees of each state is a view of the closed set, and no run does what the proof
 * excludes. The runs are those of a thread system; what the observer reads is told from what
 * operations have answered in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/heap_examples.h"
#include "support/heap_few.h"
#include "support/heap_follow_marked.h"
#include "support/heap_handed.h"
#include "support/heap_mutants.h"
#include "support/seeds.h"

static unsigned runs_of_each = 60, seconds_of_each = 10, seconds_of_long = 2;

static struct heap_followed followed;
static struct {
    unsigned proved, refused, violated, wrong_text;
} tally;

static void look_at_runs(struct heap_example *subject, const char *specification, unsigned runs,
                         struct random *random, const char *text)
{
    struct heap_walk *run = malloc(sizeof *run);
    assert_non_null(run);
    for (size_t i = 0; i < heap_example_observers(subject); i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        heap_example_observe(subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, HEAP_PROVED);
        if (proof.steps.shape.marks)
            heap_follow_marked_runs(subject, &proof, specification, runs, random, text, &followed);
        for (unsigned j = 0; j < runs && !proof.steps.shape.marks; j++) {
            heap_run_make(&subject->runs, random, run);
            heap_follow(subject, &proof, run, random, text, &followed);
        }
        heap_proof_release(&proof);
    }
    free(run);
}

/* Whether there is a proof; where there is one, runs are looked at. */
static bool prove(const char *text, const char *specification, unsigned seconds, unsigned runs,
                  struct random *random)
{
    struct heap_example subject;
    const bool opened = heap_example_open(&subject, text, specification, seconds);
    const bool proved = opened && subject.answer.kind == HEAP_PROVED;
    if (proved)
        look_at_runs(&subject, specification, runs, random, text);
    tally.proved += proved;
    tally.refused += opened && !proved;
    tally.wrong_text += !opened;
    heap_example_close(&subject, opened);
    return proved;
}

/* An elimination stack, which takes long, is looked at where more seeds are asked for; its mutants
 * are always, for as long as seconds_of_long with few seeds. */
static const uint64_t few_seeds = 8;
static struct seeds seeds = {2, 7};

static void each_state_of_runs_is_covered(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < heap_right_count; i++)
        assert_true(
            prove(heap_right[i].text, heap_right[i].specification, 0, runs_of_each, &random));
    if (seeds.count > few_seeds) {
        const uint64_t before = followed.states;
        assert_true(
            prove(heap_elimination.text, heap_elimination.specification, 0, runs_of_each, &random));
        print_message("elimination: %llu views\n", (unsigned long long)(followed.states - before));
    }
    print_message("%llu views of %llu runs, %llu of which ended early\n",
                  (unsigned long long)followed.states, (unsigned long long)followed.runs,
                  (unsigned long long)followed.dead);
    assert_true(followed.states > 1000);
}

/* The views that were met until a proof failed are no certificate. */
static void refuse(const struct heap_program *program)
{
    struct heap_example subject;
    bool taken = true;
    assert_true(heap_example_open(&subject, program->text, program->specification, 0));
    assert_int_not_equal(subject.answer.kind, HEAP_PROVED);
    for (size_t i = 0; i < heap_example_observers(&subject) && taken; i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        heap_example_observe(&subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        taken = !heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked);
        heap_proof_release(&proof);
    }
    assert_false(taken);
    heap_example_close(&subject, true);
}

/* Of those that take long one; the seed says which. */
static void nothing_wrong_is_proved(void **unused)
{
    (void)unused;
    unsigned found = 0; /* by the search that mutants are compared with */
    for (size_t i = 0; i < heap_wrong_count; i++)
        found += heap_few_violate(heap_wrong[i].text, heap_wrong[i].specification);
    assert_int_equal(found, heap_wrong_count);
    uint32_t slow = 0, left_out = 0;
    for (size_t i = 0; i < heap_wrong_count; i++)
        slow += heap_wrong[i].is_slow;
    uint32_t due = (uint32_t)(seeds.first % slow);
    for (size_t i = 0; i < heap_wrong_count; i++) {
        if (heap_wrong[i].is_slow && due-- != 0)
            left_out++;
        else
            refuse(&heap_wrong[i]);
    }
    assert_int_equal(left_out, slow - 1);
}

/* ---- points that are given ---- */

#define NODE "struct node { value item; node next; } "
/* A stack with a lock, and what stands before it is locked, in the step that adds, and after it is
 * unlocked; and in the step that finds nothing. */
#define LOCKED_STACK(P_BEFORE, P_AT, P_AFTER, P_NOTHING)                                           \
    "impl it { " NODE "shared node top; shared bool l; op push(value v) { node n = new node; "     \
    "n.item = v; " P_BEFORE " lock(l); node t = top; n.next = t; top = n; " P_AT                   \
    " unlock(l); " P_AFTER                                                                         \
    " return ok; } op pop() { lock(l); node t = top; if (t == null) { " P_NOTHING                  \
    " unlock(l); return empty; } node x = t.next; top = x; linearize; value v = t.item; "          \
    "unlock(l); return v; } }"

/* They are those of the proof where they do, and others are found where they do not. */
static void points_that_are_given_are_tried_first(void **unused)
{
    static const struct {
        const char *text;
        bool push, pop, do_not;
    } programs[] = {
        {LOCKED_STACK("", "linearize ok;", "", "linearize empty;"), true, true, false},
        {LOCKED_STACK("", "linearize;", "", "linearize empty;"), true, true, false},
        {LOCKED_STACK("", "", "", "linearize empty;"), false, true, false},
        {LOCKED_STACK("linearize ok;", "", "", "linearize empty;"), false, false, true},
        {LOCKED_STACK("", "", "node y = top; linearize ok;", "linearize empty;"), false, false,
         true},
        {LOCKED_STACK("", "linearize ok; linearize ok;", "", "linearize empty;"), false, false,
         true},
        {LOCKED_STACK("", "linearize ok;", "linearize ok;", "linearize empty;"), false, false,
         true},
        {LOCKED_STACK("", "linearize ok;", "", ""), false, false, true},
        {LOCKED_STACK("", "linearize 0: ok;", "", "linearize empty;"), false, false, false},
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
        struct heap_example subject;
        assert_true(heap_example_open(&subject, programs[i].text, "stack", 0));
        const struct heap_answer *answer = &subject.answer;
        const bool right = answer->kind == HEAP_PROVED &&
                           answer->placement.points[0].given == programs[i].push &&
                           answer->placement.points[1].given == programs[i].pop &&
                           answer->given_do_not == programs[i].do_not;
        if (!right)
            fail_msg("program %zu: kind %d, given %d %d, in vain %d", i, (int)answer->kind,
                     answer->placement.points[0].given, answer->placement.points[1].given,
                     answer->given_do_not);
        heap_example_close(&subject, true);
    }
}

/* ---- operations that span ---- */

/* Without a point of its enqueue, and with those of its dequeue that were found, a queue is proved
 * as well. */
static void let_enqueues_span(const struct heap_program *program, struct random *random)
{
    struct heap_example subject;
    assert_true(heap_example_open(&subject, program->text, program->specification, 0));
    subject.answer.placement.points[0] = (struct heap_point){.spans = true};
    look_at_runs(&subject, program->specification, runs_of_each, random, program->text);
    for (size_t i = 0; i < heap_example_observers(&subject); i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        heap_example_observe(&subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        const char *said = heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked);
        if (said)
            fail_msg("%s: %s\n%s", alphabet.automaton->name, said, program->text);
        const uint32_t without = random_below(random, (uint32_t)proof.views.items.length);
        assert_non_null(heap_handed_refusal(&proof, proof.placement, without, &checked));
        heap_proof_release(&proof);
    }
    heap_example_close(&subject, true);
}

/* Where more seeds are asked for. */
static void enqueues_may_span(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < heap_right_count; i++)
        if (strcmp(heap_right[i].specification, "queue") == 0 && seeds.count > few_seeds)
            let_enqueues_span(&heap_right[i], &random);
}

/* ---- mutants ---- */

static void no_mutant_is_proved_wrongly(void **unused)
{
    (void)unused;
    memset(&tally, 0, sizeof tally);
    memset(&followed, 0, sizeof followed);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text once = TEXT_EMPTY, twice = TEXT_EMPTY;
        random_seed(&random, seed);
        const size_t number = random_below(&random, (uint32_t)heap_right_count + 1);
        const bool is_long = number == heap_right_count;
        const struct heap_program *program = is_long ? &heap_elimination : &heap_right[number];
        const unsigned seconds =
            is_long && seeds.count <= few_seeds ? seconds_of_long : seconds_of_each;
        heap_mutate(&random, program->text, &once);
        if (random_below(&random, 2))
            heap_mutate(&random, text_string(&once), &twice);
        else
            text_append(&twice, text_string(&once));
        const unsigned no_program = tally.wrong_text;
        const bool proved =
            prove(text_string(&twice), program->specification, seconds, runs_of_each / 2, &random);
        const bool violated = tally.wrong_text == no_program &&
                              heap_few_violate(text_string(&twice), program->specification);
        if (proved && violated)
            fail_msg("seed %llu: proved, but few threads violate\n%s", (unsigned long long)seed,
                     text_string(&twice));
        tally.violated += violated;
        text_release(&once);
        text_release(&twice);
    }
    print_message("%u proved, %u refused, %u of which few threads violate; %u are no programs; "
                  "%llu views\n",
                  tally.proved, tally.refused, tally.violated, tally.wrong_text,
                  (unsigned long long)followed.states);
}

/* `test_heap_proof [FIRST [COUNT [RUNS]]]`: RUNS of each program, for each automaton. */
int main(int count, char **arguments)
{
    if (count == 4)
        runs_of_each = (unsigned)strtoul(arguments[--count], NULL, 10);
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_of_runs_is_covered),
        cmocka_unit_test(nothing_wrong_is_proved),
        cmocka_unit_test(points_that_are_given_are_tried_first),
        cmocka_unit_test(enqueues_may_span),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
