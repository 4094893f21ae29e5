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

#include "rules/shipped.h"
#include "spec/rule_object.h"
#include "support/heap_runs.h"
#include "support/lin_compiled.h"
#include "support/seeds.h"
#include "unbounded/heap_points.h"

static unsigned runs_of_each = 60;

/* ---- an implementation, and its proof ---- */

struct subject {
    struct lin_compiled compiled;
    struct thread_system system;
    struct arena arena;
    struct budget budget;
    struct limits limits;
    struct violation_automata automata;
    struct method_roles roles;
    struct heap_answer answer;
    struct heap_subject runs;
    struct error error;
};

static void keep_for_prefixes(struct violation_automata *automata)
{
    size_t kept = 0;
    for (size_t i = 0; i < automata->count; i++)
        if (automata->items[i].for_prefixes)
            automata->items[kept++] = automata->items[i];
    automata->count = kept;
}

/* False if the text is no implementation. */
static bool subject_open(struct subject *subject, const char *text, const char *specification)
{
    const struct lin_setting setting = {.threads = 1,
                                        .operations = -1,
                                        .values = VIOLATION_COLOURS,
                                        .nodes = HEAP_MOST_NODES,
                                        .keeps = true};
    memset(subject, 0, sizeof *subject);
    if (!lin_compiled_open(&subject->compiled, text, UINT32_MAX, setting, NULL))
        return false;
    budget_init(&subject->budget, NULL, (size_t)1 << 30);
    limits_init(&subject->limits, &subject->budget);
    subject->limits.deadline = clock_nanoseconds() + UINT64_C(20000000000);
    arena_init(&subject->arena, &subject->budget);
    assert_int_equal(thread_system_create(&subject->system, &subject->compiled.alone,
                                          subject->compiled.labels, &subject->budget,
                                          &subject->error),
                     STATUS_OK);
    assert_int_equal(
        violation_automata_of(specification, &subject->arena, &subject->automata, &subject->error),
        STATUS_OK);
    keep_for_prefixes(&subject->automata);
    assert_int_equal(method_roles_find(subject->system.steps->object, subject->automata.object,
                                       &subject->arena, &subject->roles, &subject->error),
                     STATUS_OK);
    const struct heap_points points = {.system = &subject->system,
                                       .object = subject->automata.object,
                                       .automata = &subject->automata,
                                       .budget = &subject->budget,
                                       .arena = &subject->arena,
                                       .limits = &subject->limits,
                                       .error = &subject->error};
    assert_int_equal(heap_points_find(&points, &subject->answer), STATUS_OK);
    subject->runs = (struct heap_subject){&subject->system, &subject->answer.shape, false};
    return true;
}

static void subject_close(struct subject *subject, bool opened)
{
    if (opened) {
        thread_system_release(&subject->system);
        arena_release(&subject->arena);
    }
    lin_compiled_close(&subject->compiled);
}

static struct {
    uint64_t states, runs, dead;
    unsigned proved, refused, wrong_text;
} tally;

/* Follows a run as an automaton reads it; looks that each thread's view is there. False: the run is
 * one that the automaton does not accept, however it goes on. Fails the test where the proof is
 * wrong. */
static void follow(struct subject *subject, struct heap_proof *proof, const struct heap_walk *run,
                   struct random *random, const char *text)
{
    const struct alphabet *alphabet = proof->alphabet;
    uint32_t observer = alphabet->automaton->initial, promises[HEAP_RUN_THREADS] = {0};
    for (uint32_t i = 0;; i++) {
        const struct heap_walk_step *step = &run->steps[i];
        for (uint32_t t = 0; t < run->threads; t++) {
            struct heap_view view;
            if (!heap_run_view(&subject->runs, step, t, observer, promises[t], &view) ||
                !heap_view_arrange(&proof->steps.shape, &view, NULL))
                continue;
            tally.states++;
            if (!heap_proof_covers(proof, &view))
                fail_msg("%s: step %u, thread %u: not covered, observer %u, promise %x\n%s",
                         alphabet->automaton->name, i, t, observer, promises[t], text);
        }
        if (i == run->length)
            return;
        const struct thread_move *move = step->move;
        const uint32_t at = heap_run_at(&subject->runs, step);
        uint32_t *promise = &promises[step->thread];
        if (move->calls) {
            if (move->argument && !(alphabet->colours >> move->argument & 1))
                return;
            *promise = heap_promise_of_call(move);
        }
        const struct heap_point *point = &proof->placement->points[move->operation];
        const bool taken = heap_promise_kind(*promise) == HEAP_PROMISE_TAKEN;
        struct thread_move whole =
            step->ends == UINT32_MAX ? run->alone[step->thread] : *run->steps[step->ends].move;
        whole.operation = move->operation;
        whole.argument = heap_promise_argument(*promise);
        struct heap_readings readings;
        if (heap_run_changes(&subject->runs, step) && at == point->changing) {
            if (taken)
                fail_msg("an operation takes effect twice\n%s", text);
            heap_read_whole(alphabet, observer, &whole, &readings);
            if (readings.accepts)
                fail_msg("%s accepts\n%s", alphabet->automaton->name, text);
            if (readings.count == 0) {
                tally.dead++;
                return;
            }
            observer = readings.states[random_below(random, (uint32_t)readings.count)];
            *promise = heap_promise_make(HEAP_PROMISE_TAKEN, &whole);
        } else if (at == point->reading && !taken) {
            /* What would be answered here, alone, is not told by what was answered in the end. */
            const struct thread_move alone =
                move->answer ? *move
                             : heap_run_alone(&subject->runs, move->next_shared, move->next_local);
            struct thread_move read = alone;
            read.operation = move->operation;
            read.argument = whole.argument;
            heap_read_whole(alphabet, observer, &read, &readings);
            bool only_reads = readings.count > 0;
            for (size_t j = 0; j < readings.count; j++)
                only_reads &=
                    readings.states[j] == observer || alphabet->accepting[readings.states[j]];
            *promise &= UINT32_C(0xff) << 18;
            if (only_reads && read.answer)
                *promise |= heap_promise_make(
                    readings.accepts ? HEAP_PROMISE_WRONG : HEAP_PROMISE_RIGHT, &read);
        }
        if (move->answer) {
            if (heap_promise_kind(*promise) == HEAP_PROMISE_NONE ||
                heap_promise_kind(*promise) == HEAP_PROMISE_WRONG ||
                !heap_promise_is(*promise, move))
                fail_msg("an answer is not what was promised\n%s", text);
            *promise = 0;
        }
    }
}

static void look_at_runs(struct subject *subject, unsigned runs, struct random *random,
                         const char *text)
{
    struct heap_walk *run = malloc(sizeof *run);
    assert_non_null(run);
    for (size_t i = 0; i < subject->automata.count; i++) {
        struct alphabet alphabet;
        struct heap_proof proof;
        assert_int_equal(alphabet_make(&subject->automata.items[i], &subject->roles, true,
                                       &subject->arena, &alphabet),
                         STATUS_OK);
        heap_proof_init(&proof, &subject->system, &subject->answer.shape, &alphabet,
                        &subject->answer.placement, &subject->budget, &subject->limits,
                        &subject->error);
        assert_int_equal(heap_proof_run(&proof), STATUS_OK);
        assert_int_equal(proof.failure.kind, HEAP_PROVED);
        for (unsigned j = 0; j < runs; j++) {
            heap_run_make(&subject->runs, random, run);
            follow(subject, &proof, run, random, text);
            tally.runs++;
        }
        heap_proof_release(&proof);
    }
    free(run);
}

/* Whether there is a proof; where there is one, runs are looked at. */
static bool prove(const char *text, const char *specification, unsigned runs, struct random *random)
{
    struct subject subject;
    const bool opened = subject_open(&subject, text, specification);
    const bool proved = opened && subject.answer.kind == HEAP_PROVED;
    if (proved)
        look_at_runs(&subject, runs, random, text);
    tally.proved += proved;
    tally.refused += opened && !proved;
    tally.wrong_text += !opened;
    subject_close(&subject, opened);
    return proved;
}

/* ---- programs ---- */

#define NODE "struct node { value item; node next; } "
#define PUSH                                                                                       \
    "op push(value v) { node n = new node; n.item = v; node t;\n do { t = top;\n n.next = t;\n } " \
    "while (!cas(top, t, n));\n return ok; } "
#define POP                                                                                        \
    "op pop() { while (true) { node t = top;\n if (t == null) return empty;\n node x = t.next;\n " \
    "if (cas(top, t, x)) return t.item;\n } }"
#define STACK "impl it { " NODE "shared node top; "

#define QUEUE                                                                                      \
    "impl it { " NODE "shared node head; shared node tail; init { head = new node; tail = head; }"
#define ENQUEUE                                                                                    \
    "op enqueue(value v) { node n = new node; n.item = v;\n while (true) { node t = tail;\n"       \
    "node x = t.next;\n if (t == tail) { if (x == null) {\n if (cas(t.next, null, n)) {\n"         \
    "cas(tail, t, n);\n return ok; } } else {\n cas(tail, t, x);\n } } } } "
#define DEQUEUE                                                                                    \
    "op dequeue() { while (true) { node h = head;\n node t = tail;\n node x = h.next;\n"           \
    "if (h == head) { if (h == t) { if (x == null) return empty;\n cas(tail, t, x);\n"             \
    "} else { value v = x.item;\n if (cas(head, h, x)) return v;\n } } } }"
#define DEQUEUE_TAIL_LAST                                                                          \
    "op dequeue() { while (true) { node h = head;\n node x = h.next;\n if (h == head) {"           \
    "if (x == null) return empty;\n value v = x.item;\n if (cas(head, h, x)) { node t = tail;\n"   \
    "if (h == t) cas(tail, t, x);\n return v; }\n } } }"

#define TWO_LOCKS                                                                                  \
    "impl it { " NODE "shared node head; shared node tail; shared bool l; shared bool m; "         \
    "init { head = new node; tail = head; }"
#define ENQUEUE_LOCKED                                                                             \
    "op enqueue(value v) { node n = new node; n.item = v;\n lock(m);\n node t = tail;\n"           \
    "t.next = n;\n tail = n;\n unlock(m);\n return ok; } "
#define DEQUEUE_LOCKED                                                                             \
    "op dequeue() { lock(l);\n node h = head;\n node x = h.next;\n if (x == null) { unlock(l);\n"  \
    "return empty; } value v = x.item;\n head = x;\n unlock(l);\n return v; }"

static const struct {
    const char *text, *specification;
} right[] = {
    {STACK PUSH POP " }", "stack"},
    {QUEUE ENQUEUE DEQUEUE " }", "queue"},
    {QUEUE ENQUEUE DEQUEUE_TAIL_LAST " }", "queue"},
    {TWO_LOCKS ENQUEUE_LOCKED DEQUEUE_LOCKED " }", "queue"},
};

/* Each is violated by few threads. */
static const struct {
    const char *text, *specification;
} wrong[] = {
    {STACK "op push(value v) { node n = new node; n.item = v; node t = top; n.next = t; top = n; "
           "return ok; } " POP " }",
     "stack"},
    {STACK PUSH "op pop() { node t = top; if (t == null) return empty; node x = t.next; top = x; "
                "return t.item; } }",
     "stack"},
    {STACK PUSH "op pop() { while (true) { node t = top; if (t == null) return empty; "
                "if (cas(top, t, null)) return t.item; } } }",
     "stack"},
    {STACK "op push(value v) { node n = new node; n.item = v; node t; do { t = top; } while "
           "(!cas(top, t, n)); n.next = t; return ok; } " POP " }",
     "stack"},
    {QUEUE ENQUEUE "op dequeue() { while (true) { node h = head; node x = h.next; if (x == null) "
                   "return empty; value v = h.item; if (cas(head, h, x)) return v; } } }",
     "queue"},
    {QUEUE ENQUEUE "op dequeue() { node h = head; node x = h.next; if (x == null) return empty; "
                   "value v = x.item; head = x; return v; } }",
     "queue"},
    {TWO_LOCKS ENQUEUE_LOCKED
     "op dequeue() { node h = head; lock(l); node x = h.next; if (x == null) { unlock(l); return "
     "empty; } value v = x.item; head = x; unlock(l); return v; } }",
     "queue"},
    {TWO_LOCKS "op enqueue(value v) { node n = new node; n.item = v; node t = tail; lock(m); "
               "t.next = n; tail = n; unlock(m); return ok; }" DEQUEUE_LOCKED " }",
     "queue"},
    {STACK "op push(value v) { node n = new node; n.item = v; node t; do { t = top; n.next = t; } "
           "while (!cas(top, t, n)); return ok; } op pop() { node t = top; if (t == null) return "
           "empty; while (true) { t = top; if (t == null) return empty; if (t.next == null) { if "
           "(cas(top, t, null)) return t.item; } else { node x = t.next; node y = x.next; if "
           "(cas(t.next, x, y)) return x.item; } } } }",
     "stack"},
};

static struct seeds seeds = {1, 12};

static void each_state_of_runs_is_covered(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    for (size_t i = 0; i < ARRAY_LENGTH(right); i++)
        assert_true(prove(right[i].text, right[i].specification, runs_of_each, &random));
    print_message("%llu views of %llu runs, %llu of which ended early\n",
                  (unsigned long long)tally.states, (unsigned long long)tally.runs,
                  (unsigned long long)tally.dead);
    assert_true(tally.states > 1000);
}

static void nothing_wrong_is_proved(void **unused)
{
    struct random random;
    (void)unused;
    random_seed(&random, seeds.first);
    memset(&tally, 0, sizeof tally);
    for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++)
        assert_false(prove(wrong[i].text, wrong[i].specification, 1, &random));
    assert_int_equal(tally.refused, ARRAY_LENGTH(wrong));
}

/* ---- mutants ---- */

static void no_mutant_is_proved_wrongly(void **unused)
{
    (void)unused;
    memset(&tally, 0, sizeof tally);
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct random random;
        struct text once = TEXT_EMPTY, twice = TEXT_EMPTY;
        random_seed(&random, seed);
        const size_t number = random_below(&random, ARRAY_LENGTH(right));
        heap_mutate(&random, right[number].text, &once);
        if (random_below(&random, 2))
            heap_mutate(&random, text_string(&once), &twice);
        else
            text_append(&twice, text_string(&once));
        if (prove(text_string(&twice), right[number].specification, runs_of_each / 2, &random))
            print_message("proved, seed %llu\n", (unsigned long long)seed);
        text_release(&once);
        text_release(&twice);
    }
    print_message("%u proved, %u refused, %u of no use; %llu views\n", tally.proved, tally.refused,
                  tally.wrong_text, (unsigned long long)tally.states);
}

int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_state_of_runs_is_covered),
        cmocka_unit_test(nothing_wrong_is_proved),
        cmocka_unit_test(no_mutant_is_proved_wrongly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
