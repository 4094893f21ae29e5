/* Certificates where operations meet, each of which lacks what comes about in one way only: the
 * check refuses them. A value is handed over at one place, so that a push takes effect nowhere but
 * where it is met, and goes on running behind that; and whoever finds the place taken, or has taken
 * it, marks the node that is there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/heap_examples.h"
#include "support/heap_handed.h"

enum {
    PUSH,
    POP
}; /* operations */
enum {
    ITEM,
    SEEN
}; /* fields */

static const char text[] =
    "impl it { struct node { value item; bool seen; } shared node slot; op push(value v) { "
    "node n = new node; n.item = v; while (!cas(slot, null, n)) { node o = slot; "
    "if (o != null) o.seen = true; } n.seen = true; await (slot != n); return ok; } "
    "op pop() { while (true) { node o = slot; if (o == null) return empty; "
    "if (cas(slot, o, null)) return o.item; } } }";

static struct heap_example subject;

static int open_subject(void **unused)
{
    (void)unused;
    assert_true(heap_example_open(&subject, text, "stack", 0));
    assert_int_equal(subject.answer.kind, HEAP_PROVED);
    assert_true(subject.answer.placement.meets);
    assert_int_equal(subject.answer.placement.points[PUSH].changing, 0);
    return 0;
}

static int close_subject(void **unused)
{
    (void)unused;
    heap_example_close(&subject, true);
    return 0;
}

/* All views with one of the observers, which reads nothing behind what it accepts. */
static void close_set(size_t observer, struct alphabet *alphabet, struct heap_proof *proof)
{
    struct heap_checked checked;
    heap_example_observe(&subject, observer, alphabet, proof);
    const size_t letters = (size_t)2 * alphabet->letters;
    for (uint32_t s = 0; s < alphabet->automaton->state_count; s++)
        for (size_t i = 0; i < letters && alphabet->accepting[s]; i++)
            alphabet->next[s * letters + i] = VIOLATION_DEAD;
    assert_int_equal(heap_proof_run(proof), STATUS_OK);
    assert_int_equal(proof->failure.kind, HEAP_PROVED);
    assert_null(heap_handed_refusal(proof, proof->placement, UINT32_MAX, &checked));
}

static bool is_pushing(const struct heap_view *view)
{
    const struct lin_steps *code = subject.system.steps;
    return view->thread[LIN_THREAD_AT] &&
           entry_at(code, view->thread[LIN_THREAD_AT] - 1) == &code->entries[PUSH];
}

/* ---- steps that look alike ---- */

static bool is_watched(const struct heap_view *view)
{
    return is_pushing(view) && heap_promise_argument(view->promise) == 1;
}

/* The node with the value that is watched. */
static const struct heap_node *watched_node(const struct heap_view *view)
{
    for (uint32_t i = 0; i < view->count; i++)
        if (view->nodes[i].fields[ITEM] == 1)
            return &view->nodes[i];
    return NULL;
}

/* Where a push stands that has put its node there, and has not marked it. */
static uint32_t place_before_mark(const struct heap_proof *proof)
{
    uint32_t at = UINT32_MAX;
    for (uint32_t i = 0; i < proof->views.items.length; i++) {
        struct heap_view view;
        size_t length;
        heap_view_read(&proof->steps.shape, word_arrays_get(&proof->views, i, &length), &view);
        if (is_watched(&view) && view.shared[0] &&
            view.nodes[view.shared[0] - 1].fields[ITEM] == 1 && view.thread[LIN_THREAD_AT] < at)
            at = view.thread[LIN_THREAD_AT];
    }
    return at;
}

/* What the watched push itself does comes first. Its node is marked before it does so by others
 * only. */
static enum heap_handed leave_out_marks_of_others(void *user, const struct heap_view *view)
{
    const struct heap_node *node = watched_node(view);
    if (!is_watched(view))
        return HEAP_HANDED_LATER;
    return view->thread[LIN_THREAD_AT] == *(uint32_t *)user && node && node->fields[SEEN]
               ? HEAP_HANDED_NOT
               : HEAP_HANDED_FIRST;
}

static void steps_of_others_that_look_like_those_of_who_is_watched(void **unused)
{
    struct alphabet alphabet;
    struct heap_proof proof;
    uint32_t left_out;
    (void)unused;
    close_set(subject.automata.count, &alphabet, &proof);
    uint32_t at = place_before_mark(&proof);
    assert_non_null(heap_handed_refusal_without(&proof, leave_out_marks_of_others, &at, &left_out));
    assert_true(left_out > 0);
    heap_proof_release(&proof);
}

/* ---- states behind who is met ---- */

/* Goes on to a state 1 with a push of colour 2 that is marked, or with one that is not: it may be
 * in two states behind each. It accepts that a value is popped that was not pushed, which the
 * subject never does. */
static void make_following(bool marked, struct violation_automaton *automaton)
{
    static const char *const methods[] = {"Push", "PushM", "Pop", "PopEmpty"};
    struct text rows = TEXT_EMPTY;
    struct script *script = arena_allocate(&subject.arena, sizeof *script);
    assert_non_null(script);
    text_append(&rows, "name following\nadt stack\nmethods Push PushM Pop PopEmpty\n"
                       "states 3\ninit 0\naccept 2\n");
    for (unsigned state = 0; state < 2; state++)
        for (unsigned m = 0; m < ARRAY_LENGTH(methods); m++)
            for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++) {
                const bool follows = m == (marked ? 1 : 0) && colour == 2;
                if (m > 1 || colour > 1)
                    text_format(&rows, "trans %u call %s %u %u\n", state, methods[m], colour,
                                follows ? 1 : state);
                text_format(&rows, "trans %u ret %s %u %u\n", state, methods[m], colour,
                            m == 2 && colour == 1 ? 2 : state);
            }
    const char *kept = arena_copy_text(&subject.arena, text_string(&rows), rows.length);
    assert_non_null(kept);
    assert_int_equal(
        script_from_text("following", kept, rows.length, &subject.arena, script, &subject.error),
        STATUS_OK);
    if (violation_automaton_read(script, &subject.arena, automaton, &subject.error) != STATUS_OK)
        fail_msg("%s", subject.error.message);
    text_release(&rows);
}

static enum heap_handed leave_out_state(void *user, const struct heap_view *view)
{
    (void)user;
    return view->observer == 1 ? HEAP_HANDED_NOT : HEAP_HANDED_LATER;
}

/* A set that follows one of the two states only. */
static void several_states_behind_who_is_met(void **unused)
{
    const struct violation_automata shipped = subject.automata;
    const char *refusals[2];
    (void)unused;
    for (int marked = 0; marked < 2; marked++) {
        struct violation_automaton following;
        struct alphabet alphabet;
        struct heap_proof proof;
        uint32_t left_out;
        make_following(marked, &following);
        subject.automata.items = &following;
        subject.automata.count = 1;
        close_set(0, &alphabet, &proof);
        refusals[marked] = heap_handed_refusal_without(&proof, leave_out_state, NULL, &left_out);
        subject.automata = shipped;
        assert_in_range(left_out, 1, proof.views.items.length - 1);
        heap_proof_release(&proof);
    }
    assert_non_null(refusals[0]);
    assert_non_null(refusals[1]);
}

/* ---- values that cannot be brought any more ---- */

struct adds {
    bool all[HEAP_MOST_OPERATIONS][VIOLATION_COLOURS + 1][VIOLATION_MOST_STATES];
};

static enum heap_handed leave_out_late_values(void *user, const struct heap_view *view)
{
    const struct adds *adds = user;
    return is_pushing(view) &&
                   !adds->all[PUSH][heap_promise_argument(view->promise)][view->observer]
               ? HEAP_HANDED_NOT
               : HEAP_HANDED_LATER;
}

/* Who is met has taken effect, and still runs: its value cannot be brought any more. */
static void views_of_who_was_met(void **unused)
{
    unsigned sets = 0;
    (void)unused;
    for (size_t a = 0; a < subject.automata.count; a++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        struct adds adds;
        uint32_t left_out;
        close_set(a, &alphabet, &proof);
        heap_find_adds(&alphabet, 2, adds.all);
        const char *refusal =
            heap_handed_refusal_without(&proof, leave_out_late_values, &adds, &left_out);
        assert_int_equal(refusal != NULL, left_out > 0);
        sets += left_out > 0;
        heap_proof_release(&proof);
    }
    assert_true(sets > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_others_that_look_like_those_of_who_is_watched),
        cmocka_unit_test(several_states_behind_who_is_met),
        cmocka_unit_test(views_of_who_was_met),
    };
    return cmocka_run_group_tests(tests, open_subject, close_subject);
}
