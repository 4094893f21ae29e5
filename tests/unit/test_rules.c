/* Violation automata: what is understood of their files, and comparing them with the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "rules/check.h"
#include "rules/semaphore.h"
#include "rules/shipped.h"
#include "spec/builtin.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct violation_automaton automaton;
    struct error error;
};

static enum status read_text(struct fixture *fixture, const char *text)
{
    struct script script;
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    enum status status =
        script_from_text("a.txt", text, strlen(text), &fixture->arena, &script, &fixture->error);
    if (status == STATUS_OK)
        status = violation_automaton_read(&script, &fixture->arena, &fixture->automaton,
                                          &fixture->error);
    return status;
}

static void close(struct fixture *fixture)
{
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

#define HEAD "name a\nadt queue\nrule some words\nmethods Enq Deq\nstates 3\ninit 1\naccept 0 2\n"

static void test_reads_an_automaton(void **state)
{
    (void)state;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, "# a comment\n\n" HEAD "# state 2 = the end\n"
                                         "trans 1 call Enq 3 1\r\ntrans 1 ret Deq 2 2\n"),
                     STATUS_OK);
    const struct violation_automaton *automaton = &fixture.automaton;
    assert_string_equal(automaton->name, "a");
    assert_string_equal(automaton->object, "queue");
    assert_string_equal(automaton->rule, "some words");
    assert_int_equal(automaton->method_count, 2);
    assert_string_equal(automaton->methods[1], "Deq");
    assert_int_equal(automaton->state_count, 3);
    assert_int_equal(automaton->initial, 1);
    assert_true(automaton->accepting[0] && !automaton->accepting[1] && automaton->accepting[2]);
    assert_string_equal(automaton->state_names[0], "0");
    assert_string_equal(automaton->state_names[2], "the end");
    assert_int_equal(violation_automaton_next(automaton, 1, VIOLATION_CALL, 0, 3), 1);
    assert_int_equal(violation_automaton_next(automaton, 1, VIOLATION_RETURN, 1, 2), 2);
    assert_int_equal(violation_automaton_next(automaton, 1, VIOLATION_RETURN, 1, 3),
                     VIOLATION_DEAD);
    assert_int_equal(violation_automaton_next(automaton, 2, VIOLATION_CALL, 1, 2), VIOLATION_DEAD);
    assert_true(automaton->for_histories && automaton->for_prefixes);
    assert_false(automaton->complete[0] || automaton->complete[2]);
    close(&fixture);
}

static void test_reads_what_it_is_for(void **state)
{
    (void)state;
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, HEAD "for histories\ncomplete 2\n"), STATUS_OK);
    assert_true(fixture.automaton.for_histories && !fixture.automaton.for_prefixes);
    assert_true(fixture.automaton.complete[2] && !fixture.automaton.complete[0]);
    close(&fixture);
    assert_int_equal(read_text(&fixture, "for prefixes\nsingle 1 3\n" HEAD), STATUS_OK);
    assert_true(!fixture.automaton.for_histories && fixture.automaton.for_prefixes);
    assert_int_equal(fixture.automaton.single, 10);
    close(&fixture);
}

/* ReadMM is not the copy of a copy, and M is none of a method without a name. */
static void test_finds_marked_copies(void **state)
{
    (void)state;
    static const uint32_t unmarked[] = {5, 1, 2, 3, 4, 5, 6};
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, "name a\nadt register\nstates 1\ninit 0\naccept 0\n"
                                         "methods WriteM Read M ReadMM AddM Write ReadInit\n"),
                     STATUS_OK);
    for (uint32_t m = 0; m < fixture.automaton.method_count; m++)
        assert_int_equal(fixture.automaton.unmarked[m], unmarked[m]);
    assert_int_equal(violation_automaton_marked(&fixture.automaton, 5), 0);
    assert_int_equal(violation_automaton_marked(&fixture.automaton, 1), 7);
    close(&fixture);
    assert_int_equal(read_text(&fixture, "name a\nadt register\nstates 1\ninit 0\naccept 0\n"
                                         "methods ReadMM ReadM Read\n"),
                     STATUS_OK);
    assert_int_equal(fixture.automaton.unmarked[0], 0);
    assert_int_equal(fixture.automaton.unmarked[1], 2);
    close(&fixture);
}

static void assert_refused(const char *text, uint32_t line, const char *message)
{
    struct fixture fixture;
    assert_int_equal(read_text(&fixture, text), STATUS_INPUT);
    if (!strstr(fixture.error.message, message))
        fail_msg("expected '%s' in: %s", message, fixture.error.message);
    assert_int_equal(fixture.error.line, line);
    close(&fixture);
}

static void test_says_what_is_wrong(void **state)
{
    (void)state;
    assert_refused("name a\nfoo\n", 2, "expected name, adt, rule, for, single, methods, states");
    assert_refused("name a\nname b\n", 2, "each heading once");
    assert_refused("init 0\n", 1, "`states` before what speaks of them");
    assert_refused("states 2\ntrans 0 call Enq 1 1\n", 2, "`methods` before");
    assert_refused("states 0\n", 1, "a number of states from 1 to 1000, found '0'");
    assert_refused("states 99999999999999999999\n", 1, "a number of states from 1 to 1000");
    assert_refused("states 2\ninit 2\n", 2, "a state from 0 to 1, found '2'");
    assert_refused("states 2\naccept 1 1\n", 2, "each state once");
    assert_refused("states 2\ncomplete 1\n", 2, "`accept` before what speaks of");
    assert_refused("states 2\naccept 1\ncomplete 0\n", 3, "a state that `accept` lists, found '0'");
    assert_refused("states 2\naccept 1\ncomplete 1 1\n", 3, "each state once");
    assert_refused("for ever\n", 1, "histories or prefixes, found 'ever'");
    assert_refused("states 2\naccept\n", 2, "found the end of the line");
    assert_refused("methods Enq Enq\n", 1, "each method once");
    assert_refused("methods\n", 1, "the name of a method, found the end of the line");
    assert_refused("name a b\n", 1, "expected the end of the line, found 'b'");
    assert_refused("states 2\n# state 2 = x\n", 2, "a state from 0 to 1");
    assert_refused(HEAD "trans 3 call Enq 1 0\n", 8, "a state from 0 to 2, found '3'");
    assert_refused(HEAD "trans 0 call Enq 1 3\n", 8, "a state from 0 to 2, found '3'");
    assert_refused(HEAD "trans 0 return Enq 1 0\n", 8, "call or ret, found 'return'");
    assert_refused(HEAD "trans 0 call Push 1 0\n", 8,
                   "a method that `methods` lists, found 'Push'");
    assert_refused(HEAD "trans 0 call Enq 4 0\n", 8, "a colour from 1 to 3, found '4'");
    assert_refused(HEAD "trans 0 call Enq 1\n", 8, "found the end of the line");
    assert_refused(HEAD "trans 0 call Enq 1 0\ntrans 0 call Enq 1 0\n", 9, "found a second one");
    assert_refused("name a\nadt queue\nmethods Enq\nstates 1\ninit 0\n", 6,
                   "a line with `accept`, found the end of the file");
    assert_refused("single 0\n", 1, "a colour from 1 to 3, found '0'");
    assert_refused("single\n", 1, "a colour from 1 to 3, found the end of the line");
    assert_refused("adt semaphore()\n", 1, "the name of a specification, found 'semaphore()'");
    assert_refused("adt (2)\n", 1, "the name of a specification, found '(2)'");
    assert_refused("adt 2)\n", 1, "the name of a specification, found '2)'");
    assert_refused("name \xff\n", 1, "found byte 0xff");
}

/* ---- histories ---- */

static bool count_word(void *context, const struct word *word)
{
    (void)word;
    ++*(uint64_t *)context;
    return true;
}

/* Interval orders of n numbered elements: 1, 3, 19, 207, 3451 (OEIS A079144). */
static void test_words_are_the_interval_orders(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 1, 3, 19, 207, 3451};
    for (uint8_t n = 1; n <= 5; n++) {
        const struct labelling labelling = {.count = n, .value_count = n};
        uint64_t count = 0;
        assert_true(words_visit(&labelling, HISTORY_ALL, count_word, &count));
        assert_int_equal(count, counts[n]);
    }
}

/* ---- comparing ---- */

static const char *const shipped[][5] = {
    {"queue", "fresh", "repeat", "order", "empty"},
    {"stack", "fresh", "repeat", "order", "empty"},
    {"register", "fresh", "conflict", "init"},
    {"mutex", "fresh", "repeat", "pair", "covered"},
    {"semaphore(2)", "fresh", "repeat", "inside", "covered"},
    {"set", "fresh", "repeat", "late", "absent"},
};

/* Histories of 1 to 4 operations that are linearizable, and all; those of the first four objects
 * were counted elsewhere by a program that shares no code with this one. */
static const uint64_t expected[][5][2] = {
    {{0, 0}, {2, 3}, {10, 24}, {80, 323}, {1049, 6831}},
    {{0, 0}, {2, 3}, {10, 24}, {82, 323}, {1101, 6831}},
    {{0, 0}, {2, 3}, {10, 24}, {87, 342}, {1212, 7866}},
    {{0, 0}, {1, 2}, {2, 15}, {7, 171}, {71, 3312}},
    {{0, 0}, {1, 2}, {5, 15}, {13, 171}, {205, 3312}},
    {{0, 0}, {3, 6}, {37, 123}, {758, 4275}, {25862, 237843}},
};

static void read_shipped(struct arena *arena, const char *object, const char *kind,
                         struct violation_automaton *automaton)
{
    char path[256];
    struct script script;
    struct error error;
    snprintf(path, sizeof path, SOURCE_DIR "/examples/rules/%.*s_%s.txt", (int)strcspn(object, "("),
             object, kind);
    assert_int_equal(script_read(path, arena, NULL, &script, &error), STATUS_OK);
    if (violation_automaton_read(&script, arena, automaton, &error) != STATUS_OK)
        fail_msg("%s: %s", path, error.message);
}

struct comparison {
    struct budget budget;
    struct arena arena;
    struct limits limits;
    struct value_pool *pool;
    struct spec *spec;
    struct violation_automaton automata[5];
    struct rules_request request;
    struct rules_finding finding;
};

/* `kinds`: four names at most, null-terminated unless four. */
static void compare(struct comparison *comparison, const char *object, const char *const *kinds,
                    enum rules_words words, unsigned bound, enum history_choice histories)
{
    struct error error;
    *comparison = (struct comparison){0};
    budget_init(&comparison->budget, NULL, 0);
    arena_init(&comparison->arena, &comparison->budget);
    limits_init(&comparison->limits, &comparison->budget);
    const struct rule_object *described = rule_object_find(object);
    const struct spec_request request = {.name = object};
    comparison->pool = value_pool_create(&comparison->budget);
    assert_int_equal(
        spec_create(&request, comparison->pool, &comparison->budget, &comparison->spec, &error),
        STATUS_OK);
    size_t count = 0;
    for (; count < 4 && kinds[count]; count++)
        read_shipped(&comparison->arena, object, kinds[count], &comparison->automata[count]);
    comparison->request = (struct rules_request){.object = described,
                                                 .automata = comparison->automata,
                                                 .automaton_count = count,
                                                 .spec = comparison->spec,
                                                 .bound = bound,
                                                 .histories = histories,
                                                 .words = words,
                                                 .threads = 2};
    assert_int_equal(rules_check(&comparison->request, &comparison->limits, &comparison->arena,
                                 &comparison->finding, &error),
                     STATUS_OK);
}

static void close_comparison(struct comparison *comparison)
{
    spec_destroy(comparison->spec);
    value_pool_destroy(comparison->pool);
    arena_release(&comparison->arena);
    assert_int_equal(comparison->budget.used, 0);
}

static void assert_right(size_t row, enum rules_words words, unsigned bound)
{
    struct comparison comparison;
    compare(&comparison, shipped[row][0], shipped[row] + 1, words, bound, HISTORY_ALL);
    const struct rules_finding *finding = &comparison.finding;
    assert_true(finding->complete);
    assert_int_equal(finding->size, bound);
    for (unsigned n = 1; n <= bound; n++) {
        const struct rules_size *size = &finding->by_size[n];
        assert_int_equal(size->linearizable, expected[row][n][0]);
        assert_int_equal(size->histories, expected[row][n][1]);
        assert_int_equal(size->missed, 0);
        assert_int_equal(size->false_alarms, 0);
    }
    for (size_t a = 0; a < comparison.request.automaton_count; a++) {
        assert_true(finding->alone[a] > 0); /* none is superfluous */
        assert_true(finding->examples[a].found);
    }
    close_comparison(&comparison);
}

static void test_shipped_automata_are_right(void **state)
{
    (void)state;
    for (size_t row = 0; row < 6; row++) {
        bool large = row == 5;
        assert_right(row, RULES_STRICT, large ? 3 : 4);
        assert_right(row, RULES_EXACT, large ? 3 : 4);
        assert_right(row, RULES_CLOSURE, row == 3 || row == 4 ? 4 : 3);
    }
}

/* Replaces the comparison's automata by those that come with the program. */
static void compare_shipped(struct comparison *comparison, const char *object, bool prefixes,
                            unsigned bound, enum history_choice histories)
{
    static const char *const none[] = {NULL};
    struct violation_automata automata;
    struct error error;
    size_t count = 0;
    compare(comparison, object, none, RULES_STRICT, 1, histories);
    assert_int_equal(violation_automata_of(object, &comparison->arena, &automata, &error),
                     STATUS_OK);
    for (size_t i = 0; i < automata.count; i++)
        if (prefixes ? automata.items[i].for_prefixes : automata.items[i].for_histories)
            comparison->automata[count++] = automata.items[i];
    comparison->request.automaton_count = count;
    comparison->request.bound = bound;
    assert_int_equal(rules_check(&comparison->request, &comparison->limits, &comparison->arena,
                                 &comparison->finding, &error),
                     STATUS_OK);
}

/* Of clients in turn, and where nobody releases what he has not acquired. */
static void test_semaphores_of_any_size_are_right(void **state)
{
    (void)state;
    static const char *const objects[] = {"semaphore(1)", "semaphore(2)", "semaphore(3)"};
    struct comparison comparison;
    for (unsigned n = 1; n <= 3; n++) {
        compare_shipped(&comparison, objects[n - 1], false, 4, HISTORY_ALL);
        assert_true(comparison.finding.complete && comparison.finding.size == 4);
        assert_false(comparison.finding.missed.found || comparison.finding.false_alarm.found);
        close_comparison(&comparison);
        compare_shipped(&comparison, objects[n - 1], true, 5, HISTORY_IN_TURN);
        assert_int_equal(comparison.request.automaton_count, 1);
        assert_true(comparison.finding.complete && comparison.finding.size == 5);
        assert_false(comparison.finding.missed.found || comparison.finding.false_alarm.found);
        assert_true(comparison.finding.accepted[0] > 0);
        close_comparison(&comparison);
    }
    compare_shipped(&comparison, "mutex", true, 5, HISTORY_IN_TURN);
    assert_true(comparison.finding.complete && comparison.request.automaton_count == 1);
    assert_false(comparison.finding.missed.found || comparison.finding.false_alarm.found);
    close_comparison(&comparison);
}

/* What is made for n permits is for two of them what the file says, state by state. */
static void test_semaphore_automata_are_those_of_the_files(void **state)
{
    (void)state;
    struct comparison comparison;
    struct violation_automaton made;
    compare(&comparison, "semaphore(2)", shipped[4] + 1, RULES_STRICT, 1, HISTORY_ALL);
    for (size_t a = 2; a < 4; a++) {
        const struct violation_automaton *file = &comparison.automata[a];
        uint32_t same[64] = {0}, found[64], count = 1; /* of the file's states those made */
        assert_true(a == 2 ? semaphore_inside("semaphore(2)", 2, &comparison.arena, &made)
                           : semaphore_covered("semaphore(2)", 2, &comparison.arena, &made));
        assert_string_equal(made.name, file->name);
        assert_int_equal(made.state_count, file->state_count);
        assert_int_equal(made.for_prefixes, file->for_prefixes);
        found[0] = file->initial;
        same[file->initial] = made.initial + 1;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t from = found[i], own = same[from] - 1;
            assert_int_equal(made.accepting[own], file->accepting[from]);
            for (size_t letter = 0; letter < 12; letter++) {
                uint32_t to = file->next[from * 12 + letter], next = made.next[own * 12 + letter];
                assert_int_equal(to == VIOLATION_DEAD, next == VIOLATION_DEAD);
                if (to == VIOLATION_DEAD)
                    continue;
                if (!same[to]) {
                    same[to] = next + 1;
                    found[count++] = to;
                }
                assert_int_equal(same[to], next + 1);
            }
        }
        assert_int_equal(count, file->state_count);
    }
    close_comparison(&comparison);
}

/* Without `single` the one automaton that has it takes two values for one. */
static void test_single_colours_are_needed(void **state)
{
    (void)state;
    struct comparison comparison;
    struct error error;
    compare(&comparison, "set", shipped[5] + 1, RULES_CLOSURE, 2, HISTORY_ALL);
    assert_false(comparison.finding.false_alarm.found);
    assert_int_equal(comparison.automata[3].single, 2);
    comparison.automata[3].single = 0;
    assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                 &comparison.finding, &error),
                     STATUS_OK);
    assert_true(comparison.finding.false_alarm.found);
    assert_int_equal(comparison.finding.culprit, 3);
    close_comparison(&comparison);
}

/* With a marked copy of a method, of which operations are copies is chosen as well. */
static void test_marked_automata_are_right(void **state)
{
    (void)state;
    const char *const kinds[] = {"fresh", "conflict_marked", "init", NULL};
    const enum rules_words words[] = {RULES_STRICT, RULES_EXACT, RULES_CLOSURE};
    for (size_t i = 0; i < 3; i++) {
        struct comparison comparison;
        compare(&comparison, "register", kinds, words[i], i < 2 ? 4 : 3, HISTORY_ALL);
        const struct rules_finding *finding = &comparison.finding;
        assert_true(finding->complete && !finding->missed.found && !finding->false_alarm.found);
        assert_true(finding->alone[1] > 0);
        assert_true(finding->examples[1].marks && !finding->examples[0].marks);
        close_comparison(&comparison);
    }
}

/* The same automata as those in the files, and each use has what is enough for it. */
static void test_automata_come_with_the_program(void **state)
{
    (void)state;
    static const struct {
        const char *object;
        size_t histories, prefixes;
    } rows[] = {{"queue", 4, 4},          {"stack", 4, 4},        {"register", 3, 3},
                {"mutex", 4, 1},          {"semaphore(2)", 4, 1}, {"semaphore(7)", 4, 1},
                {"semaphore(100)", 4, 1}, {"set", 4, 4}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct fixture fixture = {0};
        struct violation_automata automata;
        size_t histories = 0, prefixes = 0;
        budget_init(&fixture.budget, NULL, 0);
        arena_init(&fixture.arena, &fixture.budget);
        assert_int_equal(
            violation_automata_of(rows[row].object, &fixture.arena, &automata, &fixture.error),
            STATUS_OK);
        for (size_t i = 0; i < automata.count; i++) {
            assert_string_equal(automata.items[i].object, rows[row].object);
            assert_true(automata.items[i].rule[0]);
            assert_true(strncmp(automata.items[i].name, "naive", 5) != 0);
            histories += automata.items[i].for_histories;
            prefixes += automata.items[i].for_prefixes;
        }
        assert_int_equal(histories, rows[row].histories);
        assert_int_equal(prefixes, rows[row].prefixes);
        close(&fixture);
    }
}

static void test_no_automata_for_other_specifications(void **state)
{
    (void)state;
    static const char *const names[] = {"map",           "queue(1)",
                                        "semaphore",     "semaphore()",
                                        "semaphore(0)",  "semaphore(101)",
                                        "semaphore(2",   "semaphore(2)x",
                                        "semaphore(-1)", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct fixture fixture = {0};
        struct violation_automata automata;
        budget_init(&fixture.budget, NULL, 0);
        arena_init(&fixture.arena, &fixture.budget);
        assert_int_equal(violation_automata_of(names[i], &fixture.arena, &automata, &fixture.error),
                         STATUS_OK);
        assert_int_equal(automata.count, 0);
        close(&fixture);
    }
}

static void test_a_missing_automaton_is_noticed(void **state)
{
    (void)state;
    struct comparison comparison;
    const char *const kinds[] = {"fresh", "repeat", "empty", NULL};
    compare(&comparison, "queue", kinds, RULES_STRICT, 4, HISTORY_ALL);
    const struct rules_finding *finding = &comparison.finding;
    /* The smallest: 1 and 2 are enqueued, in this order, and 2 alone is dequeued. */
    assert_int_equal(finding->size, 3);
    assert_true(finding->missed.found && !finding->false_alarm.found);
    assert_int_equal(finding->missed.labelling.count, 3);
    assert_int_equal(finding->by_size[4].histories, 0);
    close_comparison(&comparison);
}

/* The 4 of 364 violations that the obvious automaton of a stack misses were counted elsewhere. */
static void test_the_naive_automaton_is_refuted(void **state)
{
    (void)state;
    struct comparison comparison;
    const char *const right[] = {"order", NULL};
    struct violation_automaton naive;
    compare(&comparison, "stack", right, RULES_EXACT, 6, HISTORY_MATCHED);
    assert_int_equal(comparison.finding.by_size[6].histories, 8544);
    assert_int_equal(comparison.finding.by_size[6].linearizable, 8180);
    assert_int_equal(comparison.finding.by_size[6].missed, 0);
    struct error error;
    read_shipped(&comparison.arena, "naive_stack", "order", &naive);
    comparison.request.automata = &naive;
    assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                 &comparison.finding, &error),
                     STATUS_OK);
    assert_int_equal(comparison.finding.by_size[6].missed, 4);
    assert_int_equal(comparison.finding.by_size[6].false_alarms, 0);
    assert_true(comparison.finding.missed.found);
    close_comparison(&comparison);
}

/* An automaton that accepts whatever has two values of which 2 is enqueued behind 1. */
static void test_a_false_alarm_is_noticed(void **state)
{
    (void)state;
    struct comparison comparison;
    struct violation_automaton wrong;
    struct fixture fixture;
    struct error error;
    const char *const none[] = {NULL};
    compare(&comparison, "queue", none, RULES_EXACT, 1, HISTORY_ALL);
    assert_true(comparison.finding.missed.found); /* nothing is accepted by no automata */
    assert_int_equal(read_text(&fixture, "name w\nadt queue\nmethods Enq\nstates 3\ninit 0\n"
                                         "accept 2\ntrans 0 call Enq 1 0\ntrans 0 ret Enq 1 1\n"
                                         "trans 1 call Enq 2 1\ntrans 1 ret Enq 2 2\n"),
                     STATUS_OK);
    wrong = fixture.automaton;
    comparison.request.automata = &wrong;
    comparison.request.automaton_count = 1;
    comparison.request.bound = 2;
    comparison.request.histories = HISTORY_ALL;
    /* Of size 1 only Deq and no Enq is missed, so that the second size is not reached. */
    assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                 &comparison.finding, &error),
                     STATUS_OK);
    assert_int_equal(comparison.finding.size, 1);
    struct violation_automaton both[2] = {wrong};
    read_shipped(&comparison.arena, "queue", "fresh", &both[1]);
    comparison.request.automata = both;
    comparison.request.automaton_count = 2;
    assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                 &comparison.finding, &error),
                     STATUS_OK);
    assert_int_equal(comparison.finding.size, 2);
    assert_int_equal(comparison.finding.by_size[2].false_alarms, 2); /* either may come first */
    assert_int_equal(comparison.finding.culprit, 0);
    const struct rules_history *history = &comparison.finding.false_alarm;
    assert_true(history->found);
    assert_int_equal(history->labelling.operations[0].method, 0);
    assert_int_equal(history->labelling.operations[1].method, 0);
    close(&fixture);
    close_comparison(&comparison);
}

/* Deq is called first, then Enq: both overlap, but in the canonical word Enq comes first. */
static void test_every_word_is_read(void **state)
{
    (void)state;
    static const bool alarms[] = {
        [RULES_STRICT] = true, [RULES_EXACT] = false, [RULES_CLOSURE] = true};
    struct comparison comparison;
    struct fixture fixture;
    struct error error;
    const char *const kinds[] = {"fresh", "repeat", "empty", "order"};
    for (enum rules_words words = RULES_STRICT; words <= RULES_CLOSURE; words++) {
        compare(&comparison, "queue", kinds, words, 2, HISTORY_ALL);
        assert_true(comparison.finding.complete && !comparison.finding.false_alarm.found);
        assert_int_equal(read_text(&fixture, "name w\nadt queue\nmethods Enq Deq\nstates 5\n"
                                             "init 0\naccept 4\ntrans 0 call Deq 1 1\n"
                                             "trans 1 call Enq 1 2\ntrans 2 ret Enq 1 3\n"
                                             "trans 3 ret Deq 1 4\n"),
                         STATUS_OK);
        comparison.automata[4] = fixture.automaton;
        comparison.request.automaton_count = 5;
        assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                     &comparison.finding, &error),
                         STATUS_OK);
        assert_int_equal(comparison.finding.false_alarm.found, alarms[words]);
        assert_false(comparison.finding.missed.found);
        if (alarms[words])
            assert_int_equal(comparison.finding.culprit, 4);
        close(&fixture);
        close_comparison(&comparison);
    }
}

/* Random automata of the queue's three methods, with many transitions. */
static void make_random(struct random *random, struct arena *arena,
                        struct violation_automaton *automaton)
{
    static const char *methods[] = {"Enq", "Deq", "DeqEmpty", "DeqM"};
    static uint32_t unmarked[] = {0, 1, 2, 1};
    uint32_t states = 2 + (uint32_t)random_below(random, 4);
    *automaton = (struct violation_automaton){.name = "random",
                                              .object = "queue",
                                              .rule = "",
                                              .methods = methods,
                                              .method_count = 4,
                                              .unmarked = unmarked,
                                              .state_count = states};
    size_t count = (size_t)states * 2 * 4 * VIOLATION_COLOURS;
    automaton->next = arena_allocate(arena, count * sizeof *automaton->next);
    automaton->accepting = arena_allocate(arena, states * sizeof *automaton->accepting);
    assert_true(automaton->next && automaton->accepting);
    for (size_t i = 0; i < count; i++)
        automaton->next[i] =
            random_below(random, 3) ? VIOLATION_DEAD : (uint32_t)random_below(random, states);
    for (uint32_t s = 0; s < states; s++)
        automaton->accepting[s] = random_below(random, 3) == 0;
}

/* What the modes have to do with each other, as check.h argues. */
static void test_strict_is_both_modes(void **state)
{
    (void)state;
    struct comparison comparison;
    struct random random;
    struct error error;
    const char *const none[] = {NULL};
    unsigned alarms = 0, quiet = 0, more = 0;
    compare(&comparison, "queue", none, RULES_STRICT, 1, HISTORY_ALL);
    random_seed(&random, 7);
    comparison.request.automata = comparison.automata;
    comparison.request.automaton_count = 2;
    read_shipped(&comparison.arena, "queue", "fresh", &comparison.automata[1]);
    for (unsigned i = 0; i < 300; i++) {
        struct rules_finding by_words[3];
        make_random(&random, &comparison.arena, &comparison.automata[0]);
        comparison.request.bound = 3;
        for (enum rules_words words = RULES_STRICT; words <= RULES_CLOSURE; words++) {
            comparison.request.words = words;
            assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                         &by_words[words], &error),
                             STATUS_OK);
        }
        for (unsigned n = 1; n <= 3; n++) {
            const struct rules_size *strict = &by_words[RULES_STRICT].by_size[n];
            const struct rules_size *exact = &by_words[RULES_EXACT].by_size[n];
            const struct rules_size *closure = &by_words[RULES_CLOSURE].by_size[n];
            if (!strict->histories || !exact->histories || !closure->histories)
                break; /* a smaller size had a difference */
            assert_int_equal(strict->missed, exact->missed);
            assert_true(closure->missed <= exact->missed);
            assert_true(exact->false_alarms <= strict->false_alarms);
            assert_true(strict->false_alarms <= closure->false_alarms);
            assert_int_equal(strict->false_alarms > 0, closure->false_alarms > 0);
            alarms += strict->false_alarms > 0;
            quiet += strict->false_alarms == 0;
            more += exact->false_alarms < strict->false_alarms;
        }
    }
    assert_true(alarms > 50 && quiet > 50 && more > 10); /* the cases do arise */
    close_comparison(&comparison);
}

static void test_limits_are_kept(void **state)
{
    (void)state;
    struct comparison comparison;
    const char *const kinds[] = {"fresh", "repeat", "order", "empty"};
    struct error error;
    compare(&comparison, "queue", kinds, RULES_EXACT, 3, HISTORY_ALL);
    comparison.request.bound = 8;
    comparison.limits.most_work = 2000;
    assert_int_equal(rules_check(&comparison.request, &comparison.limits, &comparison.arena,
                                 &comparison.finding, &error),
                     STATUS_OK);
    assert_false(comparison.finding.complete);
    assert_int_equal(comparison.finding.limit, LIMIT_TIME);
    assert_int_equal(comparison.finding.size, 3);
    assert_false(comparison.finding.missed.found);
    close_comparison(&comparison);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_an_automaton),
        cmocka_unit_test(test_reads_what_it_is_for),
        cmocka_unit_test(test_finds_marked_copies),
        cmocka_unit_test(test_says_what_is_wrong),
        cmocka_unit_test(test_words_are_the_interval_orders),
        cmocka_unit_test(test_shipped_automata_are_right),
        cmocka_unit_test(test_marked_automata_are_right),
        cmocka_unit_test(test_semaphores_of_any_size_are_right),
        cmocka_unit_test(test_semaphore_automata_are_those_of_the_files),
        cmocka_unit_test(test_single_colours_are_needed),
        cmocka_unit_test(test_automata_come_with_the_program),
        cmocka_unit_test(test_no_automata_for_other_specifications),
        cmocka_unit_test(test_a_missing_automaton_is_noticed),
        cmocka_unit_test(test_the_naive_automaton_is_refuted),
        cmocka_unit_test(test_a_false_alarm_is_noticed),
        cmocka_unit_test(test_every_word_is_read),
        cmocka_unit_test(test_strict_is_both_modes),
        cmocka_unit_test(test_limits_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
