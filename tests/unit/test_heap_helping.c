/* Points that are given for other threads' operations: they are those of the proof where they are
 * right, what each thread sees of runs is in its sets, and the check needs each of their views.
 * Where they are wrong there is no proof with them, and the check finds by itself what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/grammar.h"
#include "support/heap_examples.h"
#include "support/heap_few.h"
#include "support/heap_follow.h"
#include "support/heap_handed.h"
#include "support/heap_mutants.h"
#include "support/heap_random.h"
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

struct tally {
    unsigned programs, proved, helped, violated;
    struct heap_followed followed;
};

/* Whether all points are given. */
static bool has_all_points(const struct heap_example *subject)
{
    bool all = true;
    for (uint32_t i = 0; i < subject->system.steps->object->operation_count; i++)
        all &= subject->answer.placement.points[i].given;
    return all;
}

/* What is proved few threads do not violate; if it is with points for others, these are the points
 * of few threads, whose operations are told apart by their threads there, if nodes have those of
 * who `owns` them. */
static void compare_with_few(const char *text, const char *specification, bool owns,
                             struct random *random, struct tally *tally)
{
    struct heap_example subject;
    const bool opened = heap_example_open(&subject, text, specification, seconds_of_mutants),
               holds = opened && subject.answer.kind == HEAP_PROVED,
               helped = holds && subject.answer.placement.helps,
               wrong = opened && heap_few_violate(text, specification);
    if (holds && wrong)
        fail_msg("proved, but few threads violate\n%s", text);
    if (helped && owns && has_all_points(&subject) && heap_few_miss_points(text, specification))
        fail_msg("proved with points that are wrong\n%s", text);
    if (helped)
        look_at_runs(&subject, runs_of_each / 4, random, text, &tally->followed);
    tally->programs += opened;
    tally->proved += holds;
    tally->helped += helped;
    tally->violated += wrong;
    heap_example_close(&subject, opened);
}

static void print_tally(const struct tally *tally)
{
    print_message(
        "%u programs: %u proved, %u of them with points of others, %u violated; %llu views\n",
        tally->programs, tally->proved, tally->helped, tally->violated,
        (unsigned long long)tally->followed.states);
}

/* Mutants of both, with points wherever these are then. */
static void no_mutant_is_proved_wrongly(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text lines = TEXT_EMPTY, mutant = TEXT_EMPTY;
        random_seed(&random, seed);
        text_format(&mutant, "// seed %llu\n", (unsigned long long)seed);
        grammar_break_lines(seed % 2 ? queue : right, &lines);
        heap_mutate(&random, text_string(&lines), &mutant);
        compare_with_few(text_string(&mutant), seed % 2 ? "queue" : "stack", false, &random,
                         &tally);
        text_release(&lines);
        text_release(&mutant);
    }
    print_tally(&tally);
}

/* Random programs of a kind that is made for it. */
static void no_random_program_is_proved_wrongly(void **unused)
{
    struct tally tally = {0};
    (void)unused;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text text = TEXT_EMPTY;
        const char *specification;
        random_seed(&random, seed);
        text_format(&text, "// seed %llu\n", (unsigned long long)seed);
        heap_random_helped(&random, &text, &specification);
        compare_with_few(text_string(&text), specification, true, &random, &tally);
        text_release(&text);
    }
    print_tally(&tally);
}

/* What a number is read of is done once, though the value of the node is asked for again: here a
 * node is taken out only if `swap` is called again, and its value popped twice else. */
static void what_owners_are_read_of_is_done_once(void **unused)
{
    static const char text[] =
        "impl it { struct node { value item; int(0..3) owner; } shared node slot; "
        "op push(value v) { node n = new node; n.item = v; n.owner = thread; "
        "while (!cas(slot, null, n)) { } while (slot == n) { } return ok; } "
        "op pop() { while (true) { node o; node x; "
        "atomic { o = slot; if (o == null) { linearize; } } if (o == null) return empty; x = o; "
        "atomic { if (slot == o) { int(0..3) owner = swap(slot, x).owner; x = null; "
        "linearize owner: ok; linearize; } } if (x == null) return o.item; } } }";
    struct heap_example subject;
    (void)unused;
    assert_true(heap_few_violate(text, "stack"));
    assert_true(heap_example_open(&subject, text, "stack", 0));
    assert_int_not_equal(subject.answer.kind, HEAP_PROVED);
    heap_example_close(&subject, true);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_points_of_others_are_those_of_the_proof),
        cmocka_unit_test(the_check_needs_each_view),
        cmocka_unit_test(wrong_points_of_others_prove_nothing),
        cmocka_unit_test(what_owners_are_read_of_is_done_once),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
        cmocka_unit_test(no_random_program_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
