/* Reads of a register that take effect at some moment at which what they answer was written last:
 * what each thread sees of runs is in the set, the check needs each of its views, and finds by
 * itself what is wrong where such a moment is missing. */
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
#include "support/seeds.h"

enum {
    WRITE,
    READ
}; /* operations */

static struct seeds seeds = {1, 40}; /* runs of each program */

/* `S`: more that is shared; how a box is written, and how one is read. */
#define REGISTER(S, P_WRITE, P_READ)                                                               \
    "impl it { struct box { value item; int(0..3) owner; } shared box now; " S                     \
    "op write(value v) { box n = new box; n.item = v; n.owner = thread; box y; " P_WRITE           \
    " return ok; } "                                                                               \
    "op read() { box x; box y; " P_READ " if (x == null) return empty; return x.item; } }"
#define WRITTEN "now = n; linearize;"
#define OLD     "shared box old; "
#define DUE     "shared box due; "
#define HELP                                                                                       \
    "atomic { if (due != null) { now = due; int(0..3) owner = due.owner; linearize owner: ok; "    \
    "due = null; } }"

static const char *const right[] = {
    REGISTER("", WRITTEN, "x = now; if (choose(0..1) == 0) x = now;"),
    REGISTER("", WRITTEN, "x = now; y = now; if (x != y) { y = now; x = y; }"),
    REGISTER(DUE, "while (!cas(due, null, n)) { " HELP " } while (due == n) { " HELP " }",
             "x = now; if (choose(0..1) == 0) { " HELP " x = now; }"),
};

static const struct {
    const char *text, *said;
} wrong[] = {
    /* of before the call; never; of a write that has not taken effect */
    {REGISTER(OLD, "y = now; old = y; " WRITTEN, "x = old;"), "at no moment since its call"},
    {REGISTER("", WRITTEN, "x = now; if (choose(0..1) == 0) x = null;"),
     "at no moment since its call"},
    {REGISTER(DUE, "due = n; " WRITTEN, "x = now; if (choose(0..1) == 0) x = due;"),
     "at no moment since its call"},
    /* the write has no point, or two */
    {REGISTER("", "if (choose(0..1) == 0) { " WRITTEN " }", "x = now;"),
     "ends without having taken effect"},
    {REGISTER("", WRITTEN " y = now; " WRITTEN, "x = now; if (choose(0..1) == 0) x = now;"),
     "takes effect twice"},
};

static void prove_with(struct heap_example *subject, struct alphabet *alphabet,
                       struct heap_proof *proof)
{
    heap_example_observe(subject, 0, alphabet, proof);
    assert_int_equal(heap_proof_run(proof), STATUS_OK);
    assert_true(proof->failure.kind != HEAP_TOO_LARGE);
}

static void reads_at_some_moment_are_proved(void **unused)
{
    struct heap_followed followed = {0};
    struct heap_walk *run = malloc(sizeof *run);
    struct random random;
    (void)unused;
    assert_non_null(run);
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < ARRAY_LENGTH(right); i++) {
        struct heap_example subject;
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        assert_true(heap_example_open(&subject, right[i], "register", 0));
        assert_int_equal(subject.answer.kind, HEAP_PROVED);
        assert_true(subject.answer.placement.moments);
        assert_true(!heap_few_violate(right[i], "register"));
        prove_with(&subject, &alphabet, &proof);
        for (unsigned j = 0; j < seeds.count; j++) {
            heap_run_make(&subject.runs, &random, run);
            heap_follow(&subject, &proof, run, &random, right[i], &followed);
        }
        assert_null(heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked));
        for (uint32_t v = 0; v < proof.views.items.length; v++)
            if (!heap_handed_refusal(&proof, proof.placement, v, &checked))
                fail_msg("view %u of %zu may be left out\n%s", v, proof.views.items.length,
                         right[i]);
        heap_proof_release(&proof);
        heap_example_close(&subject, true);
    }
    print_message("%llu views of %llu runs\n", (unsigned long long)followed.states,
                  (unsigned long long)followed.runs);
    assert_true(followed.states > 1000);
    free(run);
}

static void reads_at_no_moment_are_refused(void **unused)
{
    static const struct heap_placement moments = {
        .points = {{.given = true}, {.moment = true}}, .meets = true, .moments = true};
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
        struct heap_example subject;
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        if (!heap_few_violate(wrong[i].text, "register"))
            fail_msg("few do not violate\n%s", wrong[i].text);
        assert_true(heap_example_open(&subject, wrong[i].text, "register", 0));
        assert_int_not_equal(subject.answer.kind, HEAP_PROVED);
        subject.answer.placement = moments;
        prove_with(&subject, &alphabet, &proof);
        assert_int_not_equal(proof.failure.kind, HEAP_PROVED);
        const char *said = heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked);
        if (!said || !strstr(said, wrong[i].said))
            fail_msg("the check says %s\n%s", said ? said : "nothing", wrong[i].text);
        heap_proof_release(&proof);
        heap_example_close(&subject, true);
    }
}

/* Only of a register, and of all that it reads. */
static void moments_are_for_registers(void **unused)
{
    static const char stack[] =
        "impl it { struct node { value item; node next; } shared node top; "
        "op push(value v) { node n = new node; n.item = v; atomic { n.next = top; top = n; "
        "linearize; } return ok; } "
        "op pop() { node t; atomic { t = top; if (t != null) top = t.next; } "
        "if (t == null) return empty; return t.item; } }";
    static const struct heap_placement moments[] = {
        {.points = {{.given = true}, {.moment = true}}, .meets = true, .moments = true},
        {.points = {{.given = true}, {.moment = true}}, .meets = true},
        {.points = {{.given = true}, {.given = true}}, .meets = true, .moments = true},
        {.points = {{.moment = true}, {.moment = true}}, .meets = true, .moments = true},
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(moments); i++) {
        struct heap_example subject;
        struct alphabet alphabet;
        struct heap_proof proof;
        struct heap_checked checked;
        assert_true(heap_example_read(&subject, i ? right[0] : stack, i ? "register" : "stack"));
        subject.answer.placement = moments[0];
        prove_with(&subject, &alphabet, &proof);
        const char *said = heap_handed_refusal(&proof, &moments[i], UINT32_MAX, &checked);
        if (!said || !strstr(said, "is no read of a register"))
            fail_msg("%zu: the check says %s", i, said ? said : "nothing");
        heap_proof_release(&proof);
        heap_example_close(&subject, true);
    }
}

/* `test_heap_moments [SEED [RUNS]]` */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_at_some_moment_are_proved),
        cmocka_unit_test(reads_at_no_moment_are_refused),
        cmocka_unit_test(moments_are_for_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
