/* Questions about implementations with any number of threads, whose answers are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/thread_fixture.h"
#include "verify/lin_any_reason.h"

/* The text of a shipped model. */
static char *read_model(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, SOURCE_DIR "/examples/models/any/%s", name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s is not there", path);
    char *text = calloc(1, 1 << 16);
    (void)!fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    return text;
}

/* What is asked of an implementation; what is not named is safe. */
struct expectation {
    const char *file, *implementation, *object;
    int32_t nodes;
    const char *unsafe; /* "fault", "stuck", "leftover", rules, with spaces around each */
};

/* ---- asking ---- */

/* Each move of the schedule is one of its thread where that stands, and changes what is shared. */
static void expect_it_runs(const struct thread_system *system, const struct schedule *schedule)
{
    uint32_t at[64], shared = schedule->shared;
    assert_true(schedule->threads <= ARRAY_LENGTH(at));
    for (uint32_t i = 0; i < schedule->threads; i++)
        at[i] = system->kinds.items[0].idle;
    for (size_t i = 0; i < system->kinds.length; i++)
        if (system->kinds.items[i].only >= 0)
            at[system->kinds.items[i].only] = system->kinds.items[i].idle;
    for (size_t i = 0; i < schedule->steps.length; i++) {
        const struct schedule_step *step = &schedule->steps.items[i];
        assert_true(step->thread < schedule->threads);
        assert_int_equal(step->move->shared, shared);
        assert_int_equal(step->move->local, at[step->thread]);
        shared = step->move->next_shared;
        at[step->thread] = step->move->next_local;
    }
}

static enum verdict ask(struct thread_fixture *fixture, struct question question)
{
    struct question_answer answer;
    struct limits limits;
    limits_init(&limits, &fixture->lin.budget);
    enum status status =
        question_ask(&fixture->questions, &question, &limits, &answer, &fixture->lin.error);
    if (status != STATUS_OK)
        fail_msg("%s", fixture->lin.error.message);
    enum verdict verdict = answer.verdict;
    assert_int_not_equal(verdict, VERDICT_UNKNOWN);
    if (verdict == VERDICT_UNSAFE)
        expect_it_runs(&fixture->system, &answer.schedule);
    question_answer_release(&answer);
    return verdict;
}

static bool is_named(const char *names, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return names && strstr(names, word);
}

static void expect(struct thread_fixture *fixture, const struct expectation *expected,
                   const char *name, struct question question)
{
    bool unsafe = is_named(expected->unsafe, name);
    if (ask(fixture, question) != (unsafe ? VERDICT_UNSAFE : VERDICT_SAFE))
        fail_msg("%s: %s, expected it to be %s", expected->implementation, name,
                 unsafe ? "unsafe" : "safe");
}

static void ask_all(const struct expectation *expected)
{
    struct thread_fixture fixture;
    char *text = read_model(expected->file);
    if (!thread_fixture_open(&fixture, text, expected->implementation, expected->object,
                             expected->nodes))
        fail_msg("%s: %u: %s", expected->file, fixture.lin.error.line, fixture.lin.error.message);
    expect(&fixture, expected, "fault", (struct question){.kind = QUESTION_FAULT});
    expect(&fixture, expected, "error", (struct question){.kind = QUESTION_ERROR});
    expect(&fixture, expected, "stuck", (struct question){.kind = QUESTION_BLOCKED});
    for (size_t i = 0; i < fixture.automata.count; i++) {
        const struct violation_automaton *automaton = &fixture.automata.items[i];
        bool taken = strcmp(automaton->name, "stack_order") == 0;
        if (!automaton->for_prefixes)
            continue;
        expect(&fixture, expected, automaton->name,
               (struct question){.kind = QUESTION_RULE, .automaton = automaton, .taken = taken});
        if (taken)
            expect(&fixture, expected, "leftover",
                   (struct question){.kind = QUESTION_REMOVED_AGAIN});
    }
    thread_fixture_close(&fixture);
    assert_int_equal(fixture.lin.budget.used, 0);
    free(text);
}

static const struct expectation shipped[] = {
    {"hw_queue.lin", "hw_queue(2)", "queue", 0, NULL},
    {"hw_queue.lin", "hw_queue(3)", "queue", 0, NULL},
    {"hw_queue.lin", "boxed(2)", "queue", 2, NULL},
    {"hw_queue.lin", "two_steps(2)", "queue", 0, " queue_repeat "},
    {"hw_queue.lin", "once(2)", "queue", 0, " queue_empty "},
    {"lock_queue.lin", "lock_queue(2, 0, 0)", "queue", 0, NULL},
    {"lock_queue.lin", "lock_queue(2, 1, 0)", "queue", 0, " queue_order "},
    {"lock_queue.lin", "lock_queue(2, 0, 1)", "queue", 0, " queue_empty "},
    {"lock_queue.lin", "lock_queue(3, 0, 0)", "queue", 0, NULL},
    {"lock_queue.lin", "lock_queue(3, 1, 0)", "queue", 0, " queue_order "},
    {"lock_queue.lin", "lock_queue(3, 0, 1)", "queue", 0, " queue_empty "},
    {"lock_queue.lin", "boxed(2)", "queue", 3, NULL},
    {"lock_stack.lin", "lock_stack(2, 0, 0, 1)", "stack", 0, NULL},
    {"lock_stack.lin", "lock_stack(2, 1, 0, 1)", "stack", 0, " stack_order "},
    {"lock_stack.lin", "lock_stack(2, 0, 1, 1)", "stack", 0, " stack_empty "},
    {"lock_stack.lin", "lock_stack(2, 0, 0, 0)", "stack", 0, NULL},
    {"lock_stack.lin", "lock_stack(3, 0, 0, 1)", "stack", 0, NULL},
    {"lock_stack.lin", "lock_stack(3, 1, 0, 1)", "stack", 0, " stack_order "},
    {"lock_stack.lin", "lock_stack(3, 0, 1, 1)", "stack", 0, " stack_empty "},
    {"lock_stack.lin", "lock_stack(3, 0, 0, 0)", "stack", 0, NULL},
    {"register.lin", "flat", "register", 0, NULL},
    {"register.lin", "two_copies", "register", 0, " register_conflict_marked  register_init "},
    {"locks.lin", "test_and_set", "mutex", 0, NULL},
    {"locks.lin", "test_then_set", "mutex", 0, " mutex_pair "},
    {"locks.lin", "ticket(2)", "mutex", 0, " mutex_pair  stuck "},
    {"locks.lin", "ticket(3)", "mutex", 0, " mutex_pair  stuck "},
    {"nested_locks.lin", "in_order", "register", 0, NULL},
    {"nested_locks.lin", "three_deep", "register", 0, NULL},
    {"nested_locks.lin", "in_two_orders", "register", 0, " stuck "},
    {"semaphore.lin", "semaphore_by_cas(2)", "semaphore(2)", 0, NULL},
    {"semaphore.lin", "looks_once(2)", "semaphore(2)", 0, " semaphore_inside "},
    {"treiber.lin", "never_again", "stack", 2, NULL},
    {"treiber.lin", "reads_last", "stack", 2, NULL},
    {"two_lock_queue.lin", "two_locks", "queue", 2, NULL},
    {"two_lock_queue.lin", "looks_first", "queue", 3, " fault  stuck "},
};

/* Also where what is dequeued is known late, so that a promise is made that is not kept; where a
 * stack's slots keep what was popped; where a node is handed out again while others still stand at
 * the lock. */
static void shipped_models_are_decided(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ARRAY_LENGTH(shipped); i++)
        ask_all(&shipped[i]);
}

/* A read that has seen a value cannot promise, with the call at which the automaton accepts, to
 * find none. */
static void what_cannot_be_kept_is_not_promised_last(void **unused)
{
    (void)unused;
    struct thread_fixture fixture;
    assert_true(thread_fixture_open(&fixture,
                                    "impl it { shared value s; shared bool l;\n"
                                    "op write(value v) { s = v; return ok; }\n"
                                    "op read() { bool b = l; return s; } }",
                                    "it", "register", 0));
    const struct violation_automaton *automaton =
        thread_fixture_automaton(&fixture, "register_init");
    assert_int_equal(
        ask(&fixture,
            (struct question){.kind = QUESTION_RULE, .automaton = automaton, .taken = false}),
        VERDICT_SAFE);
    thread_fixture_close(&fixture);
}

/* The thread with ticket 1 waits for ever, and the next one has ticket 0 again. */
static void a_thread_that_waits_for_ever_counts(void **unused)
{
    (void)unused;
    struct thread_fixture fixture;
    assert_true(
        thread_fixture_open(&fixture,
                            "impl it { shared int(0..1) next; shared int(0..1) now;\n"
                            "op acquire() { int(0..1) t; atomic { t = next; next = 1 - t; }\n"
                            "await (now == t); return ok; } op release() { return ok; } }",
                            "it", "mutex", 0));
    const struct violation_automaton *automaton = thread_fixture_automaton(&fixture, "mutex_pair");
    assert_int_equal(
        ask(&fixture,
            (struct question){.kind = QUESTION_RULE, .automaton = automaton, .taken = false}),
        VERDICT_UNSAFE);
    thread_fixture_close(&fixture);
}

static enum verdict ask_leftover(const char *text, int32_t nodes)
{
    struct thread_fixture fixture;
    assert_true(thread_fixture_open(&fixture, text, "it", "stack", nodes));
    enum verdict verdict = ask(&fixture, (struct question){.kind = QUESTION_REMOVED_AGAIN});
    thread_fixture_close(&fixture);
    return verdict;
}

/* What pop leaves behind is no harm if nobody reads it before it is written. */
static void what_is_popped_is_left_over_if_it_can_be_popped(void **unused)
{
    (void)unused;
    assert_int_equal(ask_leftover("impl it { shared value s;\n"
                                  "op push(value v) { s = v; return ok; }\n"
                                  "op pop() { return s; } }",
                                  0),
                     VERDICT_UNSAFE);
    assert_int_equal(ask_leftover("impl it { shared value s; shared bool full;\n"
                                  "op push(value v) { atomic { s = v; full = true; } return ok; }\n"
                                  "op pop() { value v; atomic { if (full) v = s; full = false; }\n"
                                  "return v; } }",
                                  0),
                     VERDICT_SAFE);
    assert_int_equal(
        ask_leftover("impl it { struct node { value of; } shared node top; shared node old;\n"
                     "op push(value v) { node n = new node; n.of = v; top = n; return ok; }\n"
                     "op pop() { node n = swap(top, null); if (n == null) return empty;\n"
                     "old = n; return n.of; } }",
                     2),
        VERDICT_SAFE);
    assert_int_equal(
        ask_leftover("impl it { struct node { value of; } shared node top; shared node old;\n"
                     "op push(value v) { node n = new node; n.of = v; top = n; return ok; }\n"
                     "op pop() { node n = swap(top, null); if (n == null) n = old;\n"
                     "if (n == null) return empty; old = n; return n.of; } }",
                     2),
        VERDICT_UNSAFE);
}

/* Thread 1 alone may write; what is written at first depends on how the implementation begins. */
#define ONE_WRITER                                                                                 \
    "impl it { shared value s; shared bool twice; init { twice = choose(0..1) == 1; }\n"           \
    "op write(value v) only thread 1 { if (twice) s = null; s = v; return ok; }\n"                 \
    "op read() { return s; } }"

static void one_thread_is_one_and_any_beginning_counts(void **unused)
{
    (void)unused;
    struct thread_fixture fixture;
    struct question_answer answer;
    struct limits limits;
    assert_true(thread_fixture_open(&fixture, ONE_WRITER, "it", "register", 0));
    limits_init(&limits, &fixture.lin.budget);
    const struct question question = {
        .kind = QUESTION_RULE, .automaton = thread_fixture_automaton(&fixture, "register_init")};
    assert_int_equal(
        question_ask(&fixture.questions, &question, &limits, &answer, &fixture.lin.error),
        STATUS_OK);
    assert_int_equal(answer.verdict, VERDICT_UNSAFE);
    expect_it_runs(&fixture.system, &answer.schedule);
    assert_int_equal(answer.schedule.threads, 2);
    for (size_t i = 0; i < answer.schedule.steps.length; i++) {
        const struct schedule_step *step = &answer.schedule.steps.items[i];
        const char *name = fixture.steps.object->operations[step->move->operation]->name;
        assert_int_equal(step->thread == 1, strcmp(name, "write") == 0);
    }
    question_answer_release(&answer);
    thread_fixture_close(&fixture);
}

/* Without memory for the whole of it the answer is unknown, and says why. */
static void limits_are_an_answer(void **unused)
{
    (void)unused;
    struct thread_fixture fixture;
    char *text = read_model("hw_queue.lin");
    assert_true(thread_fixture_open(&fixture, text, "hw_queue(3)", "queue", 0));
    const struct question question = {
        .kind = QUESTION_RULE, .automaton = thread_fixture_automaton(&fixture, "queue_repeat")};
    unsigned unknown = 0;
    for (size_t bytes = 1000; bytes < 200000; bytes += bytes / 3) {
        struct questions questions;
        struct question_answer answer;
        struct budget budget;
        struct limits limits;
        budget_init(&budget, &fixture.lin.budget, bytes);
        limits_init(&limits, &budget);
        enum status status =
            questions_init(&questions, &fixture.system, fixture.questions.roles.object, &budget,
                           &fixture.lin.error);
        if (status == STATUS_OK)
            assert_int_equal(
                question_ask(&questions, &question, &limits, &answer, &fixture.lin.error),
                STATUS_OK);
        else
            assert_int_equal(status, STATUS_LIMIT);
        if (status == STATUS_OK) {
            if (answer.verdict == VERDICT_UNKNOWN)
                assert_int_equal(answer.limit, LIMIT_MEMORY);
            else
                assert_int_equal(answer.verdict, VERDICT_SAFE);
            unknown += answer.verdict == VERDICT_UNKNOWN;
            question_answer_release(&answer);
        }
        questions_release(&questions);
        assert_int_equal(budget.used, 0);
    }
    assert_true(unknown > 0);
    thread_fixture_close(&fixture);
    free(text);
}

/* An enqueue goes round while the queue is full, and locks and unlocks meanwhile: others notice,
 * but it can return once somebody has dequeued. Where nobody can, it may go round for ever. */
static void new_operations_help_old_ones(void **unused)
{
    (void)unused;
    static const char *const bodies[] = {"a = null;", "", NULL};
    for (size_t i = 0; bodies[i]; i++) {
        struct thread_fixture fixture;
        char text[1024];
        snprintf(text, sizeof text,
                 "impl it { shared bool l; shared value a;\n"
                 "op enqueue(value v) { while (true) { lock(l); value w = a;\n"
                 "if (w == null) { a = v; unlock(l); return ok; } unlock(l); } }\n"
                 "op dequeue() { lock(l); value v = a; %s unlock(l); return v; } }",
                 bodies[i]);
        assert_true(thread_fixture_open(&fixture, text, "it", "queue", 0));
        assert_int_equal(ask(&fixture, (struct question){.kind = QUESTION_BLOCKED}),
                         i == 0 ? VERDICT_SAFE : VERDICT_UNSAFE);
        thread_fixture_close(&fixture);
    }
}

/* All was asked, and time ended what few threads were searched for: more time may show more. */
static void a_limit_that_ends_the_search_among_few_threads_is_told(void **unused)
{
    (void)unused;
    const struct asked_question heap = {.name = "heap",
                                        .about = "",
                                        .method = "",
                                        .reason = "no steps were found",
                                        .answer = ASKED_OPEN};
    const struct lin_completions within = {.said = TEXT_EMPTY, .lacking = TEXT_EMPTY};
    const struct lin_instance instance = {0};
    struct assertion_result result;
    struct budget budget;
    budget_init(&budget, NULL, 0);
    assertion_result_init(&result, &budget);
    assert_true(vector_push(&result.asked.items, heap));
    result.answer = UNDECIDED;
    result.limit = LIMIT_TIME;
    lin_any_conclude(&instance, 3, true, &within, &result);
    assert_string_equal(text_string(&result.reason),
                        "the time limit was reached in the search among few threads; open: `heap` "
                        "(no steps were found); few threads with up to 3 operations together show "
                        "no violation");
    lin_any_conclude(&instance, 3, false, &within, &result);
    assert_string_equal(text_string(&result.reason),
                        "the time limit was reached after 0 of 1 questions were answered; open: "
                        "`heap`; few threads with up to 3 operations together show no violation");
    assertion_result_release(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models_are_decided),
        cmocka_unit_test(what_cannot_be_kept_is_not_promised_last),
        cmocka_unit_test(a_thread_that_waits_for_ever_counts),
        cmocka_unit_test(new_operations_help_old_ones),
        cmocka_unit_test(what_is_popped_is_left_over_if_it_can_be_popped),
        cmocka_unit_test(one_thread_is_one_and_any_beginning_counts),
        cmocka_unit_test(limits_are_an_answer),
        cmocka_unit_test(a_limit_that_ends_the_search_among_few_threads_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
