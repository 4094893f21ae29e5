/* Certificates of proofs for any number of threads and a heap without bound: that of a proof is
 * taken, one that lacks a view is not, nor one with other points. What proofs that failed leave is
 * handed to the check in test_heap_refusals.c and test_heap_proof.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/heap_examples.h"
#include "support/heap_handed.h"
#include "support/seeds.h"

static struct seeds seeds = {1, 1}; /* how many sets of each program lack a view */
static struct heap_example *right;  /* proved: by program of heap_right */

/* ---- a set of views ---- */

struct closed {
    struct alphabet alphabet;
    struct heap_proof proof;
};

/* Closes the set for one automaton as far as it can be; with `accepts` false, as if it accepted
 * nothing, and reads nothing more from there. */
static void closed_make(struct heap_example *subject, size_t automaton, bool accepts,
                        struct closed *closed)
{
    static bool none[VIOLATION_MOST_STATES];
    heap_example_observe(subject, automaton, &closed->alphabet, &closed->proof);
    bool *accepting = closed->alphabet.accepting;
    const size_t letters = (size_t)2 * closed->alphabet.letters;
    for (uint32_t s = 0; s < closed->alphabet.automaton->state_count && !accepts; s++)
        for (size_t i = 0; i < letters && accepting[s]; i++)
            closed->alphabet.next[s * letters + i] = VIOLATION_DEAD;
    if (!accepts)
        closed->alphabet.accepting = none;
    assert_int_equal(heap_proof_run(&closed->proof), STATUS_OK);
    closed->alphabet.accepting = accepting;
}

/* Whether the views are taken, all but one of them; UINT32_MAX: all. */
static bool is_taken(const struct closed *closed, const struct heap_placement *placement,
                     uint32_t without)
{
    struct heap_checked checked;
    return !heap_handed_refusal(&closed->proof, placement, without, &checked);
}

/* ---- tests ---- */

static int open_right(void **unused)
{
    (void)unused;
    right = calloc(heap_right_count, sizeof *right);
    assert_non_null(right);
    for (size_t i = 0; i < heap_right_count; i++) {
        assert_true(
            heap_example_open(&right[i], heap_right[i].text, heap_right[i].specification, 0));
        assert_int_equal(right[i].answer.kind, HEAP_PROVED);
    }
    return 0;
}

static int close_right(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < heap_right_count; i++)
        heap_example_close(&right[i], true);
    free(right);
    return 0;
}

static void no_view_is_needless(void **unused)
{
    (void)unused;
    for (unsigned j = 0; j < seeds.count; j++) {
        struct random random;
        random_seed(&random, seeds.first + j);
        for (size_t i = 0; i < heap_right_count; i++) {
            struct closed closed;
            const size_t automaton =
                random_below(&random, (uint32_t)heap_example_observers(&right[i]));
            closed_make(&right[i], automaton, true, &closed);
            const uint32_t count = (uint32_t)closed.proof.views.items.length;
            uint32_t without = random_below(&random, count);
            for (int tries = 0; tries < 8 && !closed.proof.causes.items[without].is_other; tries++)
                without = random_below(&random, count); /* rather one that others lead to */
            if (is_taken(&closed, &right[i].answer.placement, without))
                fail_msg("seed %llu: %s: view %u of %u may be left out\n%s",
                         (unsigned long long)(seeds.first + j),
                         closed.proof.watches ? "who is met"
                                              : right[i].automata.items[automaton].name,
                         without, count, heap_right[i].text);
            heap_proof_release(&closed.proof);
        }
    }
}

/* Where an operation is looked at as it reads, its thread is not to be seen elsewhere. */
static void who_is_looked_at_is_seen_there(void **unused)
{
    unsigned found = 0;
    (void)unused;
    for (size_t i = 0; i < heap_right_count; i++) {
        struct closed closed;
        struct heap_checked checked;
        closed_make(&right[i], 0, true, &closed);
        const struct lin_steps *steps = closed.proof.steps.shape.steps;
        for (size_t r = 0; r < steps->retries.length; r++) {
            const struct lin_retry *retry = &steps->retries.items[r];
            struct heap_placement placement = right[i].answer.placement;
            struct heap_point *point =
                &placement.points[entry_at(steps, retry->at) - steps->entries];
            if (!(closed.proof.steps.shape.retries[r / 64] >> r % 64 & 1))
                continue;
            point->given = false;
            point->reading = retry->at + 1;
            assert_string_equal(
                heap_handed_refusal(&closed.proof, &placement, UINT32_MAX, &checked),
                "a thread that begins again may take effect before");
            found++;
        }
        heap_proof_release(&closed.proof);
    }
    assert_true(found > 0);
}

static void each_view_is_needed(struct heap_example *subject, size_t observer)
{
    struct closed closed;
    closed_make(subject, observer, true, &closed);
    const uint32_t count = (uint32_t)closed.proof.views.items.length;
    assert_in_range(count, 10, 1000);
    assert_true(is_taken(&closed, &subject->answer.placement, UINT32_MAX));
    for (uint32_t i = 0; i < count; i++)
        assert_false(is_taken(&closed, &subject->answer.placement, i));
    heap_proof_release(&closed.proof);
}

static void no_view_of_a_small_set_is_needless(void **unused)
{
    (void)unused;
    for (size_t i = heap_right_count - HEAP_RIGHT_SMALL; i < heap_right_count; i++)
        for (size_t a = 0; a < heap_example_observers(&right[i]); a++)
            each_view_is_needed(&right[i], a);
}

static void no_view_at_all_is_too_few(void **unused)
{
    struct heap_example *subject = &right[heap_right_count - HEAP_RIGHT_SMALL];
    struct closed closed;
    (void)unused;
    heap_example_observe(subject, 0, &closed.alphabet, &closed.proof); /* it does not run */
    assert_false(is_taken(&closed, &subject->answer.placement, UINT32_MAX));
    heap_proof_release(&closed.proof);
}

/* The check has a deadline of its own, which is not that of the proof. */
static void a_check_ends_at_the_last_deadline(void **unused)
{
    struct heap_example *subject = &right[heap_right_count - HEAP_RIGHT_SMALL];
    const struct heap_answer answer = subject->answer;
    (void)unused;
    assert_int_equal(heap_example_prove(subject, 1), STATUS_LIMIT);
    assert_int_equal(heap_example_prove(subject, 0), STATUS_OK);
    assert_int_equal(subject->answer.kind, HEAP_PROVED);
    assert_int_equal(subject->answer.views, answer.views);
}

/* All views, closed as if the automaton accepted nothing, would be a certificate if it did not. */
static void what_is_accepted_is_not_taken(void **unused)
{
    static bool none[VIOLATION_MOST_STATES];
    const struct heap_program *program = &heap_wrong[heap_wrong_count - 1];
    struct heap_example subject;
    unsigned accepted = 0;
    (void)unused;
    assert_true(heap_example_open(&subject, program->text, program->specification, 0));
    assert_int_equal(subject.answer.kind, HEAP_ACCEPTED);
    for (size_t a = 0; a < subject.automata.count; a++) {
        struct closed closed;
        closed_make(&subject, a, true, &closed);
        const bool fails = closed.proof.failure.kind == HEAP_ACCEPTED;
        heap_proof_release(&closed.proof);
        closed_make(&subject, a, false, &closed);
        assert_int_equal(closed.proof.failure.kind, HEAP_PROVED);
        bool *accepting = closed.alphabet.accepting;
        closed.alphabet.accepting = none;
        assert_true(is_taken(&closed, &subject.answer.placement, UINT32_MAX));
        closed.alphabet.accepting = accepting;
        if (fails)
            assert_false(is_taken(&closed, &subject.answer.placement, UINT32_MAX));
        heap_proof_release(&closed.proof);
        accepted += fails;
    }
    assert_true(accepted > 0);
    heap_example_close(&subject, true);
}

/* With points at which operations do not take effect. */
static void other_points_are_not_taken(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < heap_right_count; i++) {
        bool taken[2] = {true, true}; /* by operation */
        for (size_t a = 0; a < heap_example_observers(&right[i]) && (taken[0] || taken[1]); a++) {
            struct closed closed;
            closed_make(&right[i], a, true, &closed);
            for (unsigned o = 0; o < 2; o++) {
                struct heap_placement placement = right[i].answer.placement;
                placement.points[o].changing = 0;
                placement.points[o].given = false;
                placement.points[o].meeting = 0;
                const bool differs =
                    memcmp(&placement, &right[i].answer.placement, sizeof placement) != 0;
                taken[o] = taken[o] && differs && is_taken(&closed, &placement, UINT32_MAX);
            }
            heap_proof_release(&closed.proof);
        }
        assert_false(taken[0] || taken[1]);
    }
}

/* Proofs of all automata that read not all answers that were promised prove nothing. */
static void some_automaton_has_to_read_all_answers(void **unused)
{
    const size_t locked = heap_right_count - HEAP_RIGHT_SMALL;
    struct heap_example subject;
    unsigned read_all = 0, all = 0;
    (void)unused;
    assert_true(
        heap_example_open(&subject, heap_right[locked].text, heap_right[locked].specification, 0));
    const struct violation_automata automata = subject.automata;
    const struct heap_answer answer = subject.answer;
    for (size_t i = 0; i < automata.count; i++) {
        struct closed closed;
        struct heap_checked checked;
        subject.automata = automata;
        subject.answer = answer;
        closed_make(&subject, i, true, &closed);
        assert_null(
            heap_handed_refusal(&closed.proof, &subject.answer.placement, UINT32_MAX, &checked));
        heap_proof_release(&closed.proof);
        subject.automata.items = &automata.items[i];
        subject.automata.count = 1;
        assert_int_equal(heap_example_prove(&subject, 0),
                         checked.reads_all_answers ? STATUS_OK : STATUS_INTERNAL);
        read_all += checked.reads_all_answers;
        all++;
    }
    assert_in_range(read_all, 1, all - 1);
    heap_example_close(&subject, true);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_view_is_needless),
        cmocka_unit_test(who_is_looked_at_is_seen_there),
        cmocka_unit_test(no_view_of_a_small_set_is_needless),
        cmocka_unit_test(no_view_at_all_is_too_few),
        cmocka_unit_test(a_check_ends_at_the_last_deadline),
        cmocka_unit_test(what_is_accepted_is_not_taken),
        cmocka_unit_test(other_points_are_not_taken),
        cmocka_unit_test(some_automaton_has_to_read_all_answers),
    };
    return cmocka_run_group_tests(tests, open_right, close_right);
}
