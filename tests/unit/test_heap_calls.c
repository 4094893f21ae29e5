/* Proofs for any number of threads and a heap without bound that know no points: operations that
 * bring values are read by their calls and returns, those that take them by their calls and where
 * it is settled what they take. In runs of one to four threads what each thread sees of each state
 * is in the closed set; its certificate is taken, and not without one of its views; and nothing is
 * proved that few threads violate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/heap_few.h"
#include "support/heap_follow_marked.h"
#include "support/heap_handed.h"
#include "support/heap_mutants.h"
#include "support/seeds.h"

static unsigned runs_of_each = 30, seconds_of_each = 3;
static const uint64_t few_seeds = 8;
static struct seeds seeds = {3, 6};
static struct heap_walk walk;
static struct heap_followed followed;
static struct {
    unsigned proved, refused, violated, no_program;
} tally;

/* The set is taken, and not without one view of it, or any of `all` is true. */
static void look_at_certificate(struct heap_proof *proof, bool all, struct random *random,
                                const char *text)
{
    struct heap_checked checked;
    const char *refusal = heap_handed_refusal(proof, proof->placement, UINT32_MAX, &checked);
    const uint32_t count = (uint32_t)proof->views.items.length;
    if (refusal)
        fail_msg("%s: %s\n%s", proof->alphabet->automaton->name, refusal, text);
    for (uint32_t i = all ? 0 : random_below(random, count); i < count; i += all ? 1 : count)
        if (!heap_handed_refusal(proof, proof->placement, i, &checked))
            fail_msg("%s: view %u of %u may be left out\n%s", proof->alphabet->automaton->name, i,
                     count, text);
}

static void look_at(struct heap_example *subject, const char *specification, unsigned runs,
                    bool all, struct random *random, const char *text)
{
    for (size_t i = 0; i < heap_example_observers(subject); i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        heap_example_observe(subject, i, &alphabet, &proof);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, HEAP_PROVED);
        if (proof.steps.shape.marks) {
            heap_follow_marked_runs(subject, &proof, specification, runs, random, text, &followed);
            look_at_certificate(&proof, all, random, text);
        } else {
            for (unsigned j = 0; j < runs; j++) {
                heap_run_make(&subject->runs, random, &walk);
                heap_follow(subject, &proof, &walk, random, text, &followed);
            }
        }
        heap_proof_release(&proof);
    }
}

static bool prove(const char *text, const char *specification, unsigned seconds, unsigned runs,
                  bool all, struct random *random)
{
    struct heap_example subject;
    const bool opened = heap_example_open_by_calls(&subject, text, specification, seconds);
    const bool proved = opened && subject.answer.kind == HEAP_PROVED;
    if (proved)
        look_at(&subject, specification, runs, all, random, text);
    tally.proved += proved;
    tally.refused += opened && !proved;
    tally.no_program += !opened;
    heap_example_close(&subject, opened);
    return proved;
}

#define NODE "impl it { struct node { value item; node next; } "
/* Whose sets are small. What a removal reads at first it does not use, so that it may find nothing
 * though it was called when something was inside; nor what a push reads at last, so that what it
 * brings may be taken before it returns. */
static const struct heap_program small[] = {
    {NODE
     "shared node top; op push(value v) { node n = new node; node t;\n n.item = v;\n"
     "atomic { n.next = top; top = n; }\n t = top; return ok; } op pop() { node t = top; value v;\n"
     "atomic { t = top; if (t != null) { top = t.next; v = t.item; } }\n"
     "if (t == null) return empty;\n return v; } }",
     "stack", false},
    {NODE
     "shared node head; shared node tail; init { head = new node; tail = head; } "
     "op enqueue(value v) { node n = new node;\n n.item = v;\n"
     "atomic { tail.next = n; tail = n; }\n return ok; } op dequeue() { node x = head; value v;\n"
     "atomic { x = head.next; if (x != null) { head = x; v = x.item; } }\n"
     "if (x == null) return empty;\n return v; } }",
     "queue", false},
};

/* What is not: a register, which has no operation that takes a value. */
static bool is_provable(const struct heap_program *program)
{
    return strcmp(program->specification, "register") != 0;
}

static void small_sets_need_each_view(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < ARRAY_LENGTH(small); i++)
        assert_true(prove(small[i].text, small[i].specification, 0, runs_of_each,
                          seeds.count > few_seeds, &random));
    print_message("%llu views of %llu runs, %llu of which ended early\n",
                  (unsigned long long)followed.states, (unsigned long long)followed.runs,
                  (unsigned long long)followed.dead);
    assert_true(followed.states > 1000);
}

/* Where more seeds are asked for. */
static void each_state_of_runs_is_covered(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < heap_right_count && seeds.count > few_seeds; i++) {
        const bool is = prove(heap_right[i].text, heap_right[i].specification, 60, runs_of_each,
                              i >= heap_right_count - HEAP_RIGHT_SMALL, &random);
        if (is != is_provable(&heap_right[i]))
            fail_msg("proved: %d\n%s", is, heap_right[i].text);
    }
    print_message("%llu views of %llu runs, %llu of which ended early\n",
                  (unsigned long long)followed.states, (unsigned long long)followed.runs,
                  (unsigned long long)followed.dead);
}

static void nothing_wrong_is_proved(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, 1);
    for (size_t i = 0; i < heap_wrong_count; i++)
        if ((seeds.count > few_seeds || !heap_wrong[i].is_slow) &&
            prove(heap_wrong[i].text, heap_wrong[i].specification, seconds_of_each, 0, false,
                  &random))
            fail_msg("proved\n%s", heap_wrong[i].text);
}

static void no_mutant_is_proved_wrongly(void **unused)
{
    (void)unused;
    memset(&tally, 0, sizeof tally);
    memset(&followed, 0, sizeof followed);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text once = TEXT_EMPTY, twice = TEXT_EMPTY;
        random_seed(&random, seed);
        const struct heap_program *program =
            &small[random_below(&random, (uint32_t)ARRAY_LENGTH(small))];
        if (seeds.count > few_seeds && random_below(&random, 2))
            program = &heap_right[random_below(&random, (uint32_t)heap_right_count)];
        heap_mutate(&random, program->text, &once);
        if (random_below(&random, 2))
            heap_mutate(&random, text_string(&once), &twice);
        else
            text_append(&twice, text_string(&once));
        const unsigned no_program = tally.no_program;
        const bool proved = prove(text_string(&twice), program->specification, seconds_of_each,
                                  runs_of_each, false, &random);
        const bool violated = tally.no_program == no_program &&
                              (proved || seeds.count > few_seeds) &&
                              heap_few_violate(text_string(&twice), program->specification);
        if (proved && violated)
            fail_msg("seed %llu: proved, but few threads violate\n%s", (unsigned long long)seed,
                     text_string(&twice));
        tally.violated += violated;
        text_release(&once);
        text_release(&twice);
    }
    print_message("%u proved, %u refused, %u of which few threads violate; %u are no programs; "
                  "%llu views, %llu of %llu runs ended early\n",
                  tally.proved, tally.refused, tally.violated, tally.no_program,
                  (unsigned long long)followed.states, (unsigned long long)followed.dead,
                  (unsigned long long)followed.runs);
}

/* `test_heap_calls [FIRST [COUNT [RUNS]]]` */
int main(int count, char **arguments)
{
    if (count == 4)
        runs_of_each = (unsigned)strtoul(arguments[--count], NULL, 10);
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_sets_need_each_view),
        cmocka_unit_test(each_state_of_runs_is_covered),
        cmocka_unit_test(nothing_wrong_is_proved),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
