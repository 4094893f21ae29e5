/* Proofs for any number of threads and a heap without bound that know no points: operations that
 * bring values are read by their calls and returns, those that take them by their calls and where
 * it is settled what they take. In runs of one to four threads what each thread sees of each state
 * is in the closed set; its certificate is taken, and not without one of its views; and nothing is
 * proved that few threads violate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/heap_few.h"
#include "support/heap_follow_marked.h"
#include "support/heap_handed.h"
#include "support/heap_mutants.h"
#include "support/heap_random.h"
#include "support/seeds.h"
#include "unbounded/heap_certificate_marks.h"

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
        const bool is = prove(heap_right[i].text, heap_right[i].specification, 0, runs_of_each,
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

static void print_tally(void)
{
    print_message("%u proved, %u refused, %u of which few threads violate; %u are no programs; "
                  "%llu views, %llu of %llu runs ended early\n",
                  tally.proved, tally.refused, tally.violated, tally.no_program,
                  (unsigned long long)followed.states, (unsigned long long)followed.dead,
                  (unsigned long long)followed.runs);
}

/* A stack: what a push does before it is linked, and how it is; what a pop does first, and last. */
#define PUSH_AND_POP(BEFORE, LINK, FIRST, LAST)                                                    \
    NODE "shared node top; op push(value v) { node n = new node; node m = new node;\n "            \
         "n.item = v;\n " BEFORE LINK " return ok; } op pop() { node t = top; value v;\n " FIRST   \
         "atomic { t = top; if (t != null) { top = t.next; v = t.item; } }\n " LAST " } }"
#define LINKED   "atomic { n.next = top; top = n; }\n"
#define ANSWERED "if (t == null) return empty;\n return v;"

/* The views that were met until a proof failed are refused by the check for what went wrong. */
static void what_is_wrong_is_found_by_the_check(void **unused)
{
    static const struct {
        const char *text, *automaton;
        enum heap_failure_kind kind;
        const char *said;
    } programs[] = {
        {PUSH_AND_POP("", LINKED, "if (choose(0..1) == 0) return empty;\n", ANSWERED),
         "stack_empty", HEAP_ACCEPTED, "an operation finds nothing while something is inside"},
        {PUSH_AND_POP("",
                      "m = top; atomic { if (top == null) { top = n; } else { n.next = top.next; "
                      "top.next = n; } }\n",
                      "", ANSWERED),
         "stack_order", HEAP_ACCEPTED, "the lowest value is taken while another one is inside"},
        {PUSH_AND_POP("", "m = top;\n", "", ANSWERED), "stack_empty", HEAP_LOST,
         "a value is brought to where not all threads see it"},
        {PUSH_AND_POP("m.item = v;\n", "m = top; " LINKED "n = m;\n", "", ANSWERED), "stack_empty",
         HEAP_MISPLACED, "a value is put into two nodes"},
        {PUSH_AND_POP("", LINKED, "",
                      "if (t == null) return empty;\n node m = new node; m.item = v; "
                      "return v;"),
         "stack_empty", HEAP_MISPLACED, "a value is written where it is not brought to"},
        {PUSH_AND_POP("", LINKED, "if (t != null) return t.item;\n", ANSWERED), "stack_empty",
         HEAP_NO_EFFECT, "it is settled nowhere what an operation takes"},
        {PUSH_AND_POP("", LINKED, "",
                      "node x = top; if (choose(0..1) == 0) return empty; " ANSWERED),
         "stack_empty", HEAP_OPEN_ANSWER, "it is open what an operation takes"},
        {PUSH_AND_POP("", LINKED, "",
                      "if (t != null) { node x = top; if (x != top) return empty; } " ANSWERED),
         "stack_order", HEAP_OTHER_ANSWER, "an operation takes a value and finds nothing"},
    };
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
        struct heap_example subject;
        bool found = false;
        assert_true(heap_example_open_by_calls(&subject, programs[i].text, "stack", 0));
        assert_int_not_equal(subject.answer.kind, HEAP_PROVED);
        for (size_t a = 0; a < heap_example_observers(&subject); a++) {
            struct alphabet alphabet;
            struct heap_proof proof;
            struct heap_checked checked;
            if (strcmp(subject.automata.items[a].name, programs[i].automaton) != 0)
                continue;
            found = true;
            heap_example_observe(&subject, a, &alphabet, &proof);
            assert_int_equal(heap_proof_run(&proof), STATUS_OK);
            const char *said = heap_handed_refusal(&proof, proof.placement, UINT32_MAX, &checked);
            if (proof.failure.kind != programs[i].kind || !said ||
                strcmp(said, programs[i].said) != 0)
                fail_msg("program %zu: failure %d, the check says: %s", i, (int)proof.failure.kind,
                         said ? said : "nothing");
            heap_proof_release(&proof);
        }
        assert_true(found);
        heap_example_close(&subject, true);
    }
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
    print_tally();
}

/* What is right may be too large; what is wrong is never proved. */
static void random_programs_are_covered(void **unused)
{
    (void)unused;
    memset(&tally, 0, sizeof tally);
    memset(&followed, 0, sizeof followed);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text text = TEXT_EMPTY;
        const char *specification;
        random_seed(&random, seed);
        text_format(&text, "// seed %llu\n", (unsigned long long)seed);
        heap_random_container(&random, &text, &specification);
        const unsigned seconds = seeds.count > few_seeds ? seconds_of_each : 1;
        const bool proved = prove(text_string(&text), specification, seconds, runs_of_each, false,
                                  &random),
                   violated = (proved || seeds.count > few_seeds) &&
                              heap_few_violate(text_string(&text), specification);
        if (proved && violated)
            fail_msg("proved, but few threads violate\n%s", text_string(&text));
        tally.violated += violated;
        text_release(&text);
    }
    print_tally();
    assert_int_equal(tally.no_program, 0);
}

/* ---- automata ---- */

/* What the proof finds of an automaton, the check does. */
static enum heap_way find_way(const struct alphabet *alphabet)
{
    const enum heap_way way = heap_way_of(alphabet);
    const bool settled = !certificate_needs_points(alphabet),
               cover = !certificate_says_more(alphabet, HEAP_MARKS_COVER),
               lowest = !certificate_says_more(alphabet, HEAP_MARKS_LOWEST);
    const enum heap_way found = settled  ? HEAP_WAY_SETTLED
                                : cover  ? HEAP_WAY_COVER
                                : lowest ? HEAP_WAY_LOWEST
                                         : HEAP_WAY_NONE;
    if (found != way)
        fail_msg("%s: %d, and the check finds %d", alphabet->automaton->name, (int)way, (int)found);
    assert_int_equal(heap_forbids_repeats(alphabet), certificate_forbids_repeats(alphabet));
    return way;
}

/* Leads one transition elsewhere, or nowhere, or accepts in another state. */
static void change(struct random *random, struct violation_automaton *automaton)
{
    const uint32_t letters = automaton->method_count * 2 * VIOLATION_COLOURS,
                   state = random_below(random, automaton->state_count),
                   to = random_below(random, automaton->state_count + 1);
    if (random_below(random, 8) == 0)
        automaton->accepting[state] = !automaton->accepting[state];
    else
        automaton->next[state * letters + random_below(random, letters)] =
            to == automaton->state_count ? VIOLATION_DEAD : to;
}

static void ways_are_found_alike(void **unused)
{
    static const struct {
        const char *name;
        enum heap_way way;
        bool forbids;
    } known[] = {
        {"queue_empty", HEAP_WAY_COVER, false},
        {"queue_fresh", HEAP_WAY_SETTLED, false},
        {"queue_order", HEAP_WAY_SETTLED, false},
        {"queue_repeat", HEAP_WAY_SETTLED, true},
        {"stack_empty", HEAP_WAY_COVER, false},
        {"stack_fresh", HEAP_WAY_SETTLED, false},
        {"stack_order", HEAP_WAY_LOWEST, false},
        {"stack_repeat", HEAP_WAY_SETTLED, true},
        {"register_fresh", HEAP_WAY_SETTLED, false},
        {"register_init", HEAP_WAY_NONE, false},
        {"register_conflict_marked", HEAP_WAY_NONE, false},
    };
    struct random random;
    unsigned found = 0, by_way[HEAP_WAY_NONE + 1] = {0};
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < heap_right_count; i++) {
        struct heap_example subject;
        if (i > 0 && strcmp(heap_right[i].specification, heap_right[i - 1].specification) == 0)
            continue;
        assert_true(heap_example_read(&subject, heap_right[i].text, heap_right[i].specification));
        for (size_t a = 0; a < subject.automata.count; a++) {
            struct violation_automaton *automaton = &subject.automata.items[a];
            struct alphabet alphabet;
            assert_int_equal(
                alphabet_make(automaton, &subject.roles, true, &subject.arena, &alphabet),
                STATUS_OK);
            for (size_t k = 0; k < ARRAY_LENGTH(known); k++)
                if (strcmp(known[k].name, automaton->name) == 0) {
                    assert_int_equal(find_way(&alphabet), known[k].way);
                    assert_int_equal(heap_forbids_repeats(&alphabet), known[k].forbids);
                    found++;
                }
            const uint32_t words =
                automaton->state_count * automaton->method_count * 2 * VIOLATION_COLOURS;
            uint32_t *next = automaton->next;
            bool *accepting = automaton->accepting;
            for (unsigned n = 0; n < 100; n++) {
                uint32_t changed[VIOLATION_MOST_STATES * 64];
                bool accepts[VIOLATION_MOST_STATES];
                assert_true(words <= ARRAY_LENGTH(changed));
                memcpy(changed, next, words * sizeof *next);
                memcpy(accepts, accepting, automaton->state_count * sizeof *accepting);
                automaton->next = changed;
                automaton->accepting = accepts;
                change(&random, automaton);
                by_way[find_way(&alphabet)]++;
            }
            automaton->next = next;
            automaton->accepting = accepting;
        }
        heap_example_close(&subject, true);
    }
    print_message("changed automata: %u settled, %u covers, %u lowest, %u none\n",
                  by_way[HEAP_WAY_SETTLED], by_way[HEAP_WAY_COVER], by_way[HEAP_WAY_LOWEST],
                  by_way[HEAP_WAY_NONE]);
    assert_true(found >= ARRAY_LENGTH(known));
}

/* ---- what the rules say ---- */

#define MOST_VALUES 4
#define MOST_EVENTS (4 * MOST_VALUES + 2)

/* A whole history: of each value when it is brought and taken, by calls and returns; and of one
 * operation that finds nothing. */
struct history {
    unsigned values, length;
    struct {
        enum violation_event event;
        enum method_role role;
        unsigned value; /* 0: of what finds nothing */
    } events[MOST_EVENTS];
    unsigned at[MOST_VALUES + 1][2][2]; /* by value: brought, taken; called, returned */
    bool taken[MOST_VALUES + 1];
};

static void make_history(struct random *random, struct history *history)
{
    unsigned left[MOST_VALUES + 1][2], count = 0;
    *history = (struct history){.values = 1 + random_below(random, MOST_VALUES)};
    for (unsigned v = 0; v <= history->values; v++) {
        history->taken[v] = v > 0 && random_below(random, 4) > 0;
        left[v][0] = v > 0 ? 2 : 0;
        left[v][1] = v == 0 || history->taken[v] ? 2 : 0;
        count += left[v][0] + left[v][1];
    }
    while (history->length < count) {
        const unsigned v = random_below(random, history->values + 1),
                       takes = random_below(random, 2);
        if (left[v][takes] == 0 || (takes && left[v][0] == 2))
            continue; /* rather not before it is brought */
        const unsigned returns = left[v][takes]-- == 1;
        history->at[v][takes][returns] = history->length;
        history->events[history->length].event = returns ? VIOLATION_RETURN : VIOLATION_CALL;
        history->events[history->length].role = v == 0  ? METHOD_EMPTY
                                                : takes ? METHOD_ANSWERS
                                                        : METHOD_ADDS;
        history->events[history->length++].value = v;
    }
}

static bool is_inside(const struct history *history, unsigned number, unsigned time)
{
    return history->at[number][0][1] <= time &&
           (!history->taken[number] || time < history->at[number][1][0]);
}

/* Whether at each moment from one to another a value of a set, bits, is surely inside. */
static bool covers(const struct history *history, unsigned set, unsigned from, unsigned to)
{
    bool all = true;
    for (unsigned time = from; time < to; time++) {
        bool some = false;
        for (unsigned v = 1; v <= history->values; v++)
            some |= (set >> v & 1) && is_inside(history, v, time);
        all &= some;
    }
    return all;
}

static bool breaks_lowest(const struct history *history, unsigned set)
{
    unsigned first = UINT_MAX, last = 0;
    for (unsigned v = 1; v <= history->values; v++)
        if ((set >> v & 1) && history->at[v][0][1] < first)
            first = history->at[v][0][1];
    for (unsigned v = 1; v <= history->values; v++) {
        if (!(set >> v & 1) || history->at[v][0][0] > first)
            continue;
        if (!history->taken[v] || history->at[v][1][0] < first)
            return false;
        last = history->at[v][1][1] > last ? history->at[v][1][1] : last;
    }
    return set && covers(history, set, first, last);
}

static bool breaks(const struct history *history, enum heap_way way)
{
    const unsigned all = (2u << history->values) - 2;
    bool broken = false;
    if (way == HEAP_WAY_COVER)
        return covers(history, all, history->at[0][1][0], history->at[0][1][1]);
    for (unsigned set = 2; set <= all && !broken; set += 2)
        broken = breaks_lowest(history, set);
    return broken;
}

static bool accepts(const struct alphabet *alphabet, const struct history *history,
                    const unsigned *colours)
{
    const struct violation_automaton *automaton = alphabet->automaton;
    uint32_t state = automaton->initial;
    for (unsigned i = 0; i < history->length && state != VIOLATION_DEAD; i++) {
        uint32_t method = 0;
        while (
            alphabet->roles->object->methods[alphabet->method[method * VIOLATION_COLOURS]].role !=
            history->events[i].role)
            method++;
        state = violation_automaton_next(automaton, state, history->events[i].event, method,
                                         colours[history->events[i].value]);
    }
    return state != VIOLATION_DEAD && automaton->accepting[state];
}

/* With some colouring. */
static bool is_accepted(const struct alphabet *alphabet, const struct history *history)
{
    unsigned colourings = VIOLATION_COLOURS;
    bool accepted = false;
    for (unsigned v = 1; v <= history->values; v++)
        colourings *= VIOLATION_COLOURS;
    for (unsigned n = 0; n < colourings && !accepted; n++) {
        unsigned colours[MOST_VALUES + 1], left = n;
        for (unsigned v = 0; v <= history->values; v++, left /= VIOLATION_COLOURS)
            colours[v] = 1 + left % VIOLATION_COLOURS;
        accepted = accepts(alphabet, history, colours);
    }
    return accepted;
}

/* What an automaton accepts breaks the rule that it is followed by, as the rule says it; and what
 * breaks it, it accepts. */
static void what_is_accepted_breaks_the_rule(void **unused)
{
    unsigned accepted = 0;
    (void)unused;
    for (size_t i = 0; i < heap_right_count; i++) {
        struct heap_example subject;
        if (i > 0 && strcmp(heap_right[i].specification, heap_right[i - 1].specification) == 0)
            continue;
        assert_true(heap_example_read(&subject, heap_right[i].text, heap_right[i].specification));
        for (size_t a = 0; a < subject.automata.count; a++) {
            struct alphabet alphabet;
            assert_int_equal(alphabet_make(&subject.automata.items[a], &subject.roles, true,
                                           &subject.arena, &alphabet),
                             STATUS_OK);
            const enum heap_way way = heap_way_of(&alphabet);
            for (unsigned n = 0; n < 300 * seeds.count; n++) {
                struct random random;
                struct history history;
                if (way != HEAP_WAY_COVER && way != HEAP_WAY_LOWEST)
                    break;
                random_seed(&random, seeds.first + n);
                make_history(&random, &history);
                const bool is = is_accepted(&alphabet, &history);
                accepted += is;
                if (is != breaks(&history, way))
                    fail_msg("%s: history %u: accepted: %d", alphabet.automaton->name, n, is);
            }
        }
        heap_example_close(&subject, true);
    }
    print_message("%u histories are accepted\n", accepted);
    assert_true(accepted > 0);
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
        cmocka_unit_test(what_is_wrong_is_found_by_the_check),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
        cmocka_unit_test(random_programs_are_covered),
        cmocka_unit_test(ways_are_found_alike),
        cmocka_unit_test(what_is_accepted_breaks_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
