/* Questions about implementations with any number of threads, whose answers are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/thread_fixture.h"

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

/* What is asked of an implementation; the rules that are not named are safe. */
struct expectation {
    const char *file, *implementation, *object;
    int32_t nodes;
    bool fault;
    const char *unsafe; /* rules, with spaces around each */
};

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
    question_answer_release(&answer);
    return verdict;
}

static bool is_named(const char *names, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return names && strstr(names, word);
}

static void ask_all(const struct expectation *expected)
{
    struct thread_fixture fixture;
    char *text = read_model(expected->file);
    if (!thread_fixture_open(&fixture, text, expected->implementation, expected->object,
                             expected->nodes))
        fail_msg("%s: %u: %s", expected->file, fixture.lin.error.line, fixture.lin.error.message);
    print_message("%s in %s\n", expected->implementation, expected->file);
    assert_int_equal(ask(&fixture, (struct question){.kind = QUESTION_FAULT}),
                     expected->fault ? VERDICT_UNSAFE : VERDICT_SAFE);
    assert_int_equal(ask(&fixture, (struct question){.kind = QUESTION_ERROR}), VERDICT_SAFE);
    for (size_t i = 0; i < fixture.automata.count; i++) {
        const struct violation_automaton *automaton = &fixture.automata.items[i];
        if (!automaton->for_prefixes || strcmp(automaton->name, "stack_order") == 0)
            continue;
        bool unsafe = is_named(expected->unsafe, automaton->name);
        if (ask(&fixture, (struct question){QUESTION_RULE, automaton}) !=
            (unsafe ? VERDICT_UNSAFE : VERDICT_SAFE))
            fail_msg("%s, expected it to be %s", automaton->name, unsafe ? "unsafe" : "safe");
    }
    thread_fixture_close(&fixture);
    assert_int_equal(fixture.lin.budget.used, 0);
    free(text);
}

static const struct expectation shipped[] = {
    {"hw_queue.lin", "hw_queue(2)", "queue", 0, false, NULL},
    {"hw_queue.lin", "hw_queue(3)", "queue", 0, false, NULL},
    {"hw_queue.lin", "boxed(2)", "queue", 2, false, NULL},
    {"hw_queue.lin", "two_steps(2)", "queue", 0, false, " queue_repeat "},
    {"hw_queue.lin", "once(2)", "queue", 0, false, " queue_empty "},
    {"lock_queue.lin", "lock_queue(2, 0, 0)", "queue", 0, false, NULL},
    {"lock_queue.lin", "lock_queue(2, 1, 0)", "queue", 0, false, " queue_order "},
    {"lock_queue.lin", "lock_queue(2, 0, 1)", "queue", 0, false, " queue_empty "},
    {"lock_queue.lin", "lock_queue(3, 0, 0)", "queue", 0, false, NULL},
    {"lock_queue.lin", "lock_queue(3, 1, 0)", "queue", 0, false, " queue_order "},
    {"lock_queue.lin", "lock_queue(3, 0, 1)", "queue", 0, false, " queue_empty "},
    {"lock_queue.lin", "boxed(2)", "queue", 3, false, NULL},
    {"register.lin", "flat", "register", 0, false, NULL},
    {"register.lin", "two_copies", "register", 0, false,
     " register_conflict_marked register_init "},
    {"locks.lin", "test_and_set", "mutex", 0, false, NULL},
    {"locks.lin", "test_then_set", "mutex", 0, false, " mutex_pair "},
    {"locks.lin", "ticket(2)", "mutex", 0, false, " mutex_pair "},
    {"locks.lin", "ticket(3)", "mutex", 0, false, " mutex_pair "},
    {"treiber.lin", "never_again", "stack", 2, false, NULL},
    {"treiber.lin", "reads_last", "stack", 2, false, NULL},
    {"two_lock_queue.lin", "two_locks", "queue", 2, false, NULL},
    {"two_lock_queue.lin", "looks_first", "queue", 3, true, NULL},
};

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
    assert_int_equal(ask(&fixture, (struct question){QUESTION_RULE, automaton}), VERDICT_SAFE);
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
    assert_int_equal(ask(&fixture, (struct question){QUESTION_RULE, automaton}), VERDICT_UNSAFE);
    thread_fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models_are_decided),
        cmocka_unit_test(what_cannot_be_kept_is_not_promised_last),
        cmocka_unit_test(a_thread_that_waits_for_ever_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
