/* Proofs of sets as sorted lists, for any number of threads and a heap without bound, where the
 * specification itself observes: in random runs what each thread sees of each state is a view of
 * the closed set, and every answer is one that a set has where the proof says. What a set does is
 * written down here once more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "code/word.h"
#include "support/heap_few.h"
#include "support/heap_lists.h"
#include "support/heap_mutants.h"
#include "support/heap_set_examples.h"
#include "support/seeds.h"

static unsigned runs_of_each = 60, seconds_of_each = 20;

/* ---- a set, of which one key is looked at ---- */

enum operation {
    ADD,
    REMOVE,
    CONTAINS
};

struct running {
    bool is_running, is_other; /* of another key */
    enum operation operation;
    bool taken, answer;  /* it has taken effect, with this answer */
    bool could_be_true;  /* at some moment, changing nothing */
    bool could_be_false; /* likewise */
};

static bool answer_of(enum operation operation, bool inside)
{
    return operation == ADD ? !inside : inside;
}

static void look(struct running *running, bool inside)
{
    const bool answer = answer_of(running->operation, inside);
    if (running->operation != CONTAINS && answer)
        return;
    running->could_be_true |= answer;
    running->could_be_false |= !answer;
}

static bool take_effect(struct running *running, bool inside)
{
    running->taken = true;
    running->answer = answer_of(running->operation, inside);
    return running->operation == CONTAINS ? inside : running->operation == ADD;
}

/* The first component of the label's call, or answer. */
static uint32_t component(const struct heap_set_example *subject, label l, enum label_kind kind)
{
    const struct action *said = labels_get(subject->compiled.labels, l);
    uint32_t found = 0;
    for (uint32_t i = 0; said->kind == LABEL_SEVERAL && i < said->count && !found; i++)
        found = component(subject, said->components[i], kind);
    return said->kind == kind ? said->components[1] : found;
}

static struct running begin(const struct heap_set_example *subject, const struct thread_move *move,
                            bool inside)
{
    const char *name = subject->system.steps->entries[move->operation].operation->name;
    const uint32_t key = component(subject, move->label, LABEL_INVOKE);
    struct running running = {.is_running = true,
                              .is_other = value_small((int64_t)key) != subject->parts.key,
                              .operation = strcmp(name, "add") == 0      ? ADD
                                           : strcmp(name, "remove") == 0 ? REMOVE
                                                                         : CONTAINS};
    look(&running, inside);
    return running;
}

/* ---- what the proof says of it ---- */

/* The number that the proof has given an answer or argument. */
static uint32_t number_of(const struct heap_set_example *subject, value v)
{
    for (uint32_t i = 0; i < subject->parts.states.answers.length; i++)
        if (subject->parts.states.answers.items[i] == v)
            return i;
    return 31;
}

static uint32_t number_of_state(const struct heap_set_example *subject, bool inside)
{
    const struct word_arrays *states = &subject->parts.states.states;
    for (uint32_t i = 0; i < states->items.length; i++) {
        size_t length;
        (void)word_arrays_get(states, i, &length);
        if ((length > 0) == inside)
            return i;
    }
    return UINT32_MAX;
}

static uint32_t promise_of(const struct heap_set_example *subject, const struct running *running)
{
    const uint32_t is_true = number_of(subject, VALUE_TRUE),
                   is_false = number_of(subject, VALUE_FALSE);
    if (!running->is_running)
        return 0;
    if (running->is_other)
        return heap_promise_of_argument(HEAP_INDIFFERENT);
    if (running->taken)
        return heap_promise_answered((uint8_t)(running->answer ? is_true : is_false));
    return heap_promise_of_argument((uint8_t)number_of(subject, subject->parts.key)) |
           (uint32_t)running->could_be_true << (HEAP_PROMISE_SEEN_SHIFT + is_true) |
           (uint32_t)running->could_be_false << (HEAP_PROMISE_SEEN_SHIFT + is_false);
}

static struct {
    uint64_t views, runs, effects;
    unsigned proved, refused, violated, wrong_text;
} tally;

/* Fails the test where a run does what the proof excludes. */
static void follow(const struct heap_set_example *subject, const struct heap_proof *proof,
                   const struct heap_walk *run, const char *text)
{
    struct running running[HEAP_RUN_THREADS] = {0};
    bool inside = false;
    for (uint32_t i = 0;; i++) {
        const struct heap_walk_step *step = &run->steps[i];
        for (uint32_t t = 0; t < run->threads; t++) {
            struct heap_view view;
            if (!heap_run_view(&subject->runs, step, t, number_of_state(subject, inside),
                               promise_of(subject, &running[t]), &view) ||
                !heap_view_arrange(&proof->steps.shape, &view, NULL))
                continue;
            tally.views++;
            if (!heap_proof_covers(proof, &view))
                fail_msg("step %u, thread %u: not covered, %s, promise %x\n%s", i, t,
                         inside ? "inside" : "outside", view.promise, text);
        }
        if (i == run->length)
            return;
        const struct thread_move *move = step->move;
        struct running *now = &running[step->thread];
        if (move->calls)
            *now = begin(subject, move, inside);
        if (!now->is_other && heap_run_changes(&subject->runs, step) &&
            heap_run_at(&subject->runs, step) ==
                proof->placement->points[move->operation].changing) {
            if (now->taken)
                fail_msg("an operation takes effect twice\n%s", text);
            inside = take_effect(now, inside);
            tally.effects++;
        }
        for (uint32_t t = 0; t < run->threads; t++)
            look(&running[t], inside);
        if (move->answer == ANSWER_NONE)
            continue;
        const bool answer = component(subject, move->label, LABEL_RESPOND) == SLOT_TRUE;
        if (!now->is_other && (now->taken ? now->answer != answer
                               : answer   ? !now->could_be_true
                                          : !now->could_be_false))
            fail_msg("an answer is none that a set has\n%s", text);
        *now = (struct running){0};
    }
}

static void look_at_runs(struct heap_set_example *subject, unsigned runs, struct random *random,
                         const char *text)
{
    struct heap_walk *run = malloc(sizeof *run);
    assert_non_null(run);
    assert_int_equal(subject->answer.parts, 2);
    for (uint32_t i = 0; i < subject->answer.parts; i++) {
        struct heap_proof proof;
        heap_set_example_observe(subject, i, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, HEAP_PROVED);
        for (unsigned j = 0; j < runs; j++) {
            heap_run_make(&subject->runs, random, run);
            follow(subject, &proof, run, text);
            tally.runs++;
        }
        heap_proof_release(&proof);
    }
    free(run);
}

static bool prove(const char *text, unsigned seconds, unsigned runs, struct random *random)
{
    struct heap_set_example subject;
    const bool opened = heap_set_example_open(&subject, text, seconds);
    const bool proved = opened && subject.answer.kind == HEAP_PROVED;
    if (proved)
        look_at_runs(&subject, runs, random, text);
    tally.proved += proved;
    tally.refused += opened && !proved;
    tally.wrong_text += !opened;
    heap_set_example_close(&subject, opened);
    return proved;
}

/* ---- tests ---- */

static struct seeds seeds = {1, 8};

static const char *const right[] = {LAZY,   HARRIS_MICHAEL, MICHAEL,
                                    HARRIS, HAND_OVER_HAND, OPTIMISTIC};

static void each_state_of_runs_is_covered(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < ARRAY_LENGTH(right); i++)
        assert_true(prove(right[i], 0, runs_of_each, &random));
    print_message("%llu views of %llu runs, %llu changes of the set\n",
                  (unsigned long long)tally.views, (unsigned long long)tally.runs,
                  (unsigned long long)tally.effects);
    assert_true(tally.views > 1000 && tally.effects > 100);
}

static void no_mutant_is_proved_wrongly(void **unused)
{
    (void)unused;
    memset(&tally, 0, sizeof tally);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text mutant = TEXT_EMPTY;
        random_seed(&random, seed);
        heap_mutate(&random, right[random_below(&random, ARRAY_LENGTH(right))], &mutant);
        const unsigned no_program = tally.wrong_text;
        const bool proved = prove(text_string(&mutant), seconds_of_each, runs_of_each, &random),
                   violated = tally.wrong_text == no_program &&
                              heap_few_violate(text_string(&mutant), "set");
        if (proved && violated)
            fail_msg("seed %llu: proved, but few threads violate\n%s", (unsigned long long)seed,
                     text_string(&mutant));
        tally.violated += violated;
        text_release(&mutant);
    }
    print_message("%u proved, %u refused, %u of which few threads violate; %u are no programs; "
                  "%llu views\n",
                  tally.proved, tally.refused, tally.violated, tally.wrong_text,
                  (unsigned long long)tally.views);
}

/* A list whose searches forget the lock of the second node. */
static void what_cannot_be_ruled_out_is_told_with_its_steps(void **unused)
{
    static const char left_out[] = "lock(c.locked);\n";
    struct heap_set_example subject;
    struct text text = TEXT_EMPTY;
    static const char list[] = HAND_OVER_HAND;
    const char *at = strstr(list, left_out);
    (void)unused;
    assert_non_null(at);
    text_append_bytes(&text, list, (size_t)(at - list));
    text_append(&text, at + strlen(left_out));
    assert_true(heap_few_violate(text_string(&text), "set")); /* as mutants are looked at */
    assert_true(heap_set_example_open(&subject, text_string(&text), 0));
    assert_int_not_equal(subject.answer.kind, HEAP_PROVED);
    assert_true(subject.answer.path_length > 0);
    for (uint32_t i = 0; i < subject.answer.path_length && i < HEAP_MOST_CAUSES; i++)
        assert_in_range(subject.answer.path[i].at, 1, subject.system.steps->listing.code.length);
    heap_set_example_close(&subject, true);
    text_release(&text);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_of_runs_is_covered),
        cmocka_unit_test(what_cannot_be_ruled_out_is_told_with_its_steps),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
