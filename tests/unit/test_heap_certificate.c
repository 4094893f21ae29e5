/* Certificates of proofs for any number of threads and a heap without bound: that of a proof is
 * taken, one that lacks a view is not, nor one with other points, nor what is left of a proof that
 * failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "support/heap_examples.h"
#include "support/seeds.h"
#include "unbounded/heap_certificate.h"

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
static bool is_taken(struct heap_example *subject, const struct closed *closed,
                     const struct heap_placement *placement, uint32_t without)
{
    const struct word_arrays *views = &closed->proof.views;
    struct word_arrays kept;
    struct heap_checked checked;
    word_arrays_init(&kept, &subject->budget);
    for (uint32_t i = 0; i < views->items.length; i++) {
        size_t length;
        const uint32_t *words = word_arrays_get(views, i, &length);
        if (i != without)
            assert_int_not_equal(word_arrays_intern(&kept, words, length, NULL), UINT32_MAX);
    }
    const struct heap_certificate certificate = {.shape = closed->proof.steps.shape,
                                                 .alphabet = &closed->alphabet,
                                                 .watches = closed->proof.watches,
                                                 .initial = closed->proof.initial,
                                                 .placement = placement,
                                                 .views = &kept};
    memset(&subject->error, 0, sizeof subject->error);
    const enum status status =
        heap_certificate_check(&certificate, &subject->system, &subject->budget, &subject->limits,
                               &checked, &subject->error);
    word_arrays_release(&kept);
    if (status != STATUS_OK)
        assert_int_equal(status, STATUS_INTERNAL);
    return status == STATUS_OK;
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
            const uint32_t count = (uint32_t)closed.proof.views.items.length,
                           without = random_below(&random, count);
            if (is_taken(&right[i], &closed, &right[i].answer.placement, without))
                fail_msg("seed %llu: %s: view %u of %u may be left out\n%s",
                         (unsigned long long)(seeds.first + j),
                         closed.proof.watches ? "who is met"
                                              : right[i].automata.items[automaton].name,
                         without, count, heap_right[i].text);
            heap_proof_release(&closed.proof);
        }
    }
}

static void each_view_is_needed(struct heap_example *subject, size_t observer)
{
    struct closed closed;
    closed_make(subject, observer, true, &closed);
    const uint32_t count = (uint32_t)closed.proof.views.items.length;
    assert_in_range(count, 10, 1000);
    assert_true(is_taken(subject, &closed, &subject->answer.placement, UINT32_MAX));
    for (uint32_t i = 0; i < count; i++)
        assert_false(is_taken(subject, &closed, &subject->answer.placement, i));
    heap_proof_release(&closed.proof);
}

static void no_view_of_a_small_set_is_needless(void **unused)
{
    (void)unused;
    for (size_t i = heap_right_count - HEAP_RIGHT_SMALL; i < heap_right_count; i++)
        for (size_t a = 0; a < heap_example_observers(&right[i]); a++)
            each_view_is_needed(&right[i], a);
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

/* The views that were met until a proof failed are no certificate. Of every third program, the seed
 * says of which: to look for its points takes long. */
static void nothing_wrong_is_taken(void **unused)
{
    (void)unused;
    for (size_t i = seeds.first % 3; i < heap_wrong_count; i += 3) {
        struct heap_example subject;
        bool taken = true;
        assert_true(
            heap_example_open(&subject, heap_wrong[i].text, heap_wrong[i].specification, 0));
        assert_int_not_equal(subject.answer.kind, HEAP_PROVED);
        for (size_t a = 0; a < subject.automata.count && taken; a++) {
            struct closed closed;
            closed_make(&subject, a, true, &closed);
            taken = is_taken(&subject, &closed, &subject.answer.placement, UINT32_MAX);
            heap_proof_release(&closed.proof);
        }
        assert_false(taken);
        heap_example_close(&subject, true);
    }
}

/* Neither are all views, closed as if the automaton accepted nothing: they would be one, if it did
 * not. */
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
        assert_true(is_taken(&subject, &closed, &subject.answer.placement, UINT32_MAX));
        closed.alphabet.accepting = accepting;
        if (fails)
            assert_false(is_taken(&subject, &closed, &subject.answer.placement, UINT32_MAX));
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
                taken[o] =
                    taken[o] && differs && is_taken(&right[i], &closed, &placement, UINT32_MAX);
            }
            heap_proof_release(&closed.proof);
        }
        assert_false(taken[0] || taken[1]);
    }
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_view_is_needless),
        cmocka_unit_test(no_view_of_a_small_set_is_needless),
        cmocka_unit_test(a_check_ends_at_the_last_deadline),
        cmocka_unit_test(nothing_wrong_is_taken),
        cmocka_unit_test(what_is_accepted_is_not_taken),
        cmocka_unit_test(other_points_are_not_taken),
    };
    return cmocka_run_group_tests(tests, open_right, close_right);
}
