/* Points that are given for other threads' operations: they are those of the proof where they are
 * right, what each thread sees of runs is in its sets, and the check needs each of their views.
 * Where they are wrong there is no proof with them, and the check finds by itself what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/heap_examples.h"
#include "support/heap_few.h"
#include "support/heap_follow.h"
#include "support/heap_handed.h"
#include "support/heap_mutants.h"
#include "support/seeds.h"

enum {
    PUSH,
    POP
}; /* operations */

static unsigned runs_of_each = 40, seconds_of_mutants = 2;
static struct seeds seeds = {1, 2};

/* A value is handed over at one place: a push takes effect where it is taken. What stands where a
 * node has been put there, where none is found, before one is taken, where that is done, and
 * behind it. */
#define HANDED(P_PUT, P_NOTHING, P_BEFORE, P_TAKEN, P_BEHIND)                                      \
    "impl it { struct node { value item; int(0..3) owner; } shared node slot; op push(value v) { " \
    "node n = new node; n.item = v; n.owner = thread; "                                            \
    "while (true) { if (cas(slot, null, n)) { " P_PUT " break; } } "                               \
    "while (slot == n) { } return ok; } "                                                          \
    "op pop() { while (true) { node o; atomic { o = slot; if (o == null) { " P_NOTHING " } } "     \
    "if (o == null) return empty; int(0..3) owner = o.owner; " P_BEFORE                            \
    " if (cas(slot, o, null)) { " P_TAKEN " value v = o.item; " P_BEHIND " return v; } } } }"

static const char right[] =
    HANDED("", "linearize empty;", "", "linearize owner: ok; linearize;", "");

/* A queue whose enqueues whoever comes by links: also the enqueue itself. */
static const char queue[] =
    "impl it { struct node { value item; int(0..3) owner; node next; } shared node head; "
    "shared node tail; shared node due; init { head = new node; tail = head; } "
    "bool help() { node a = due; if (a == null) return false; int(0..3) owner = a.owner; "
    "atomic { if (due == a) { tail.next = a; tail = a; due = null; linearize owner: ok; } } "
    "return true; } "
    "op enqueue(value v) { node n = new node; n.item = v; n.owner = thread; "
    "while (!cas(due, null, n)) help(); while (due == n) help(); return ok; } "
    "op dequeue() { value v = null; atomic { node x = head.next; if (x != null) { v = x.item; "
    "head = x; } linearize; } return v; } }";

static void look_at_runs(struct heap_example *subject, unsigned runs, struct random *random,
                         const char *text, struct heap_followed *followed)
{
    struct heap_walk *run = malloc(sizeof *run);
    assert_non_null(run);
    for (size_t i = 0; i < heap_example_observers(subject); i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        heap_example_observe(subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, HEAP_PROVED);
        for (unsigned j = 0; j < runs; j++) {
            heap_run_make(&subject->runs, random, run);
            heap_follow(subject, &proof, run, random, text, followed);
        }
        heap_proof_release(&proof);
    }
    free(run);
}

static void given_points_of_others_are_those_of_the_proof(void **unused)
{
    static const struct heap_program programs[] = {{right, "stack", false},
                                                   {queue, "queue", false}};
    struct heap_followed followed = {0};
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
        struct heap_example subject;
        assert_true(heap_example_open(&subject, programs[i].text, programs[i].specification, 0));
        assert_int_equal(subject.answer.kind, HEAP_PROVED);
        assert_true(subject.answer.placement.helps && !subject.answer.given_do_not);
        look_at_runs(&subject, runs_of_each, &random, programs[i].text, &followed);
        heap_example_close(&subject, true);
    }
    print_message("%llu views of %llu runs\n", (unsigned long long)followed.states,
                  (unsigned long long)followed.runs);
    assert_true(followed.states > 1000);
}

/* The sets are small: each view is taken away in turn. */
static void the_check_needs_each_view(void **unused)
{
    struct heap_example subject;
    (void)unused;
    assert_true(heap_example_open(&subject, right, "stack", 0));
    for (size_t i = 0; i < heap_example_observers(&subject); i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        heap_example_observe(&subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_null(heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked));
        for (uint32_t v = 0; v < proof.views.items.length; v++)
            assert_non_null(heap_handed_refusal(&proof, proof.placement, v, &checked));
        heap_proof_release(&proof);
    }
    heap_example_close(&subject, true);
}

/* With the points that are given the proof fails, and of the views that were met the check says
 * what is wrong. */
static void refuse_given(struct heap_example *subject, const char *expected, const char *text)
{
    static const struct heap_placement given = {
        .points = {{.given = true}, {.given = true}}, .meets = true, .helps = true, .adder = PUSH};
    const char *said = NULL;
    bool failed = false;
    subject->answer.placement = given;
    for (size_t i = heap_example_observers(subject); i-- > 0 && !failed;) {
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        heap_example_observe(subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        failed = proof.failure.kind != HEAP_PROVED;
        assert_true(proof.failure.kind != HEAP_TOO_LARGE);
        if (failed)
            said = heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked);
        heap_proof_release(&proof);
    }
    if (!said || !strstr(said, expected))
        fail_msg("%s: %s\n%s", failed ? "the check says" : "proved", said ? said : "nothing", text);
}

static void wrong_points_of_others_prove_nothing(void **unused)
{
    static const struct {
        const char *text, *said;
    } programs[] = {
        {HANDED("", "linearize empty;", "", "linearize owner: ok; linearize owner: ok; linearize;",
                ""),
         "it is open whose points"},
        {HANDED("", "linearize empty;", "", "linearize;", "node y = slot; linearize owner: ok;"),
         "whose point another thread gives"},
        {HANDED("", "linearize empty;", "node y = slot; linearize owner: ok;", "linearize;", ""),
         "whose point another thread gives"},
        {HANDED("linearize;", "linearize empty;", "", "linearize owner: ok; linearize;", ""),
         "an answer that is open"},
        {HANDED("", "linearize empty;", "", "linearize owner: ok;", ""),
         "answers something else than where it took"},
        {HANDED("", "linearize empty;", "node m = new node; int(0..3) mine = m.owner;",
                "linearize mine: ok; linearize;", ""),
         "it is open whose points"},
        {HANDED("", "", "", "linearize owner: ok; linearize;", ""),
         "answers something else than where it took"},
        {HANDED("", "linearize empty;", "", "linearize; linearize owner: ok;", ""),
         "it is open whose points"},
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
        struct heap_example subject;
        assert_true(heap_example_open(&subject, programs[i].text, "stack", 0));
        if (subject.answer.kind != HEAP_PROVED || subject.answer.placement.helps ||
            !subject.answer.given_do_not)
            fail_msg("kind %d, helps %d\n%s", (int)subject.answer.kind,
                     subject.answer.placement.helps, programs[i].text);
        refuse_given(&subject, programs[i].said, programs[i].text);
        heap_example_close(&subject, true);
    }
}

/* Mutants of both, with points wherever these are then. */
static void no_mutant_is_proved_wrongly(void **unused)
{
    unsigned proved = 0, helped = 0, violated = 0, programs = 0;
    struct heap_followed followed = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct heap_example subject;
        struct text mutant = TEXT_EMPTY;
        random_seed(&random, seed);
        const bool is_queue = seed % 2;
        const char *specification = is_queue ? "queue" : "stack";
        heap_mutate(&random, is_queue ? queue : right, &mutant);
        const bool opened =
            heap_example_open(&subject, text_string(&mutant), specification, seconds_of_mutants);
        const bool holds = opened && subject.answer.kind == HEAP_PROVED,
                   wrong = opened && heap_few_violate(text_string(&mutant), specification);
        if (holds && wrong)
            fail_msg("seed %llu: proved, but few threads violate\n%s", (unsigned long long)seed,
                     text_string(&mutant));
        if (holds && subject.answer.placement.helps)
            look_at_runs(&subject, runs_of_each / 4, &random, text_string(&mutant), &followed);
        programs += opened;
        proved += holds;
        helped += holds && subject.answer.placement.helps;
        violated += wrong;
        heap_example_close(&subject, opened);
        text_release(&mutant);
    }
    print_message(
        "%u programs: %u proved, %u of them with points of others, %u violated; %llu views\n",
        programs, proved, helped, violated, (unsigned long long)followed.states);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_points_of_others_are_those_of_the_proof),
        cmocka_unit_test(the_check_needs_each_view),
        cmocka_unit_test(wrong_points_of_others_prove_nothing),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
