/* Violation automata on random histories: what is found with them, and that runs and decisions for
 * histories of any size are those of small ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "rules/linearize.h"
#include "rules/random_check.h"
#include "rules/random_history.h"
#include "rules/run.h"
#include "rules/shipped.h"
#include "spec/builtin.h"

struct fixture {
    struct budget budget;
    struct arena arena;
    struct limits limits;
    struct value_pool *pool;
    struct spec *spec;
    struct violation_automata automata;
    struct rules_request request;
    struct error error;
};

static void open_fixture(struct fixture *fixture, const char *object)
{
    const struct spec_request request = {.name = object};
    *fixture = (struct fixture){0};
    budget_init(&fixture->budget, NULL, 0);
    arena_init(&fixture->arena, &fixture->budget);
    limits_init(&fixture->limits, &fixture->budget);
    fixture->pool = value_pool_create(&fixture->budget);
    assert_int_equal(
        spec_create(&request, fixture->pool, &fixture->budget, &fixture->spec, &fixture->error),
        STATUS_OK);
    assert_int_equal(
        violation_automata_of(object, &fixture->arena, &fixture->automata, &fixture->error),
        STATUS_OK);
    fixture->request = (struct rules_request){.object = fixture->automata.object,
                                              .automata = fixture->automata.items,
                                              .automaton_count = fixture->automata.count,
                                              .spec = fixture->spec,
                                              .bound = 3,
                                              .threads = 1};
}

static void close(struct fixture *fixture)
{
    spec_destroy(fixture->spec);
    value_pool_destroy(fixture->pool);
    arena_release(&fixture->arena);
    assert_int_equal(fixture->budget.used, 0);
}

static void compare_at_random(struct fixture *fixture, uint64_t seed, uint64_t count,
                              struct random_finding *finding)
{
    const struct random_request random = {seed, count};
    assert_int_equal(
        rules_check_random(&fixture->request, &random, &fixture->limits, finding, &fixture->error),
        STATUS_OK);
}

/* ---- forgotten letters ---- */

/* Whether the automata differ from the definition on histories of up to three operations, or on
 * those that `linchpin rules` makes at random. */
static bool is_found(struct fixture *fixture)
{
    struct rules_finding finding;
    struct random_finding random;
    assert_int_equal(rules_check(&fixture->request, &fixture->limits, &fixture->arena, &finding,
                                 &fixture->error),
                     STATUS_OK);
    if (finding.missed.found || finding.false_alarm.found)
        return true;
    compare_at_random(fixture, 1, 5000, &random);
    return random.missed.found || random.false_alarm.found;
}

static bool has_value(const struct fixture *fixture, const struct violation_automaton *automaton,
                      uint32_t method)
{
    const struct rule_object *object = fixture->request.object;
    uint32_t own = rule_object_find_method(object, automaton->methods[method]);
    return object->methods[own].role != METHOD_EMPTY;
}

/* Whether another colour of values reads everything as this one does: who forgets a letter of the
 * one can give values the other. */
static bool has_double(const struct fixture *fixture, const struct violation_automaton *automaton,
                       unsigned colour)
{
    for (unsigned other = 1; other <= VIOLATION_COLOURS; other++) {
        bool same = other != colour;
        for (uint32_t m = 0; m < automaton->method_count && same; m++)
            for (uint32_t s = 0; s < automaton->state_count && same; s++)
                for (unsigned event = 0; event < 2; event++)
                    same = same && (!has_value(fixture, automaton, m) ||
                                    violation_automaton_next(automaton, s, event, m, colour) ==
                                        violation_automaton_next(automaton, s, event, m, other));
        if (same)
            return true;
    }
    return false;
}

/* Takes the letter out of the states `from` to `end`; in `kept` is what there was. Of an operation
 * without a value the letters of all colours go: it can have any. */
static void forget(const struct fixture *fixture, struct violation_automaton *automaton,
                   uint32_t from, uint32_t end, unsigned event, uint32_t method, unsigned colour,
                   uint32_t *kept)
{
    size_t count = (size_t)automaton->state_count * 2 * automaton->method_count * VIOLATION_COLOURS;
    memcpy(kept, automaton->next, count * sizeof *kept);
    for (uint32_t s = from; s < end; s++)
        for (unsigned c = 1; c <= VIOLATION_COLOURS; c++)
            if (c == colour || !has_value(fixture, automaton, method))
                automaton->next[violation_automaton_at(automaton, s, event, method, c)] =
                    VIOLATION_DEAD;
}

static void restore(struct violation_automaton *automaton, const uint32_t *kept)
{
    size_t count = (size_t)automaton->state_count * 2 * automaton->method_count * VIOLATION_COLOURS;
    memcpy(automaton->next, kept, count * sizeof *kept);
}

/* Each of the four automata of a queue without one letter, a call or return of a method with a
 * colour: 4 * 2 * (3 + 3 + 1) of them. All that can be told from the whole automaton are found. */
static void every_forgotten_letter_is_found(void **unused)
{
    (void)unused;
    struct fixture fixture;
    unsigned all = 0, found = 0, doubles = 0;
    uint32_t kept[1000];
    open_fixture(&fixture, "queue");
    for (size_t a = 0; a < fixture.automata.count; a++) {
        struct violation_automaton *automaton = &fixture.automata.items[a];
        for (unsigned letter = 0; letter < 6 * automaton->method_count; letter++) {
            unsigned event = letter % 2, colour = letter / 2 % 3 + 1;
            uint32_t method = letter / 6;
            bool valued = has_value(&fixture, automaton, method);
            if (!valued && colour > 1)
                continue;
            all++;
            if (valued && has_double(&fixture, automaton, colour)) {
                doubles++;
                continue;
            }
            forget(&fixture, automaton, 0, automaton->state_count, event, method, colour, kept);
            if (is_found(&fixture))
                found++;
            else
                fail_msg("%s without %s %s %u passes", automaton->name, event ? "ret" : "call",
                         automaton->methods[method], colour);
            restore(automaton, kept);
        }
    }
    assert_int_equal(all, 56);
    assert_int_equal(doubles, 24); /* two colours of each of fresh, repeat and empty */
    assert_int_equal(found, 32);
    close(&fixture);
}

/* Why it makes no difference that queue_order forgets the letter in this state. */
static bool is_superfluous(uint32_t state, unsigned event, uint32_t method, unsigned colour)
{
    enum {
        ENQ,
        DEQ
    };
    enum {
        CALL,
        RETURN
    };
    enum {
        ACCEPTED = 4
    };
    if (state == ACCEPTED) /* the order is wrong already: a value that is first met can have any
                              colour, and who dequeues 2 again is queue_repeat's */
        return (event == CALL && method == ENQ) || (method == DEQ && colour == 2) ||
               (event == RETURN && method == ENQ && colour == 1);
    /* Returns of what cannot have been called: Enq(2) before it is, Deq(1) before acceptance. */
    return event == RETURN &&
           ((method == ENQ && colour == 2 && state < 3) || (method == DEQ && colour == 1));
}

/* The same in one state only, of the automaton that has the most to say. */
static void every_forgotten_transition_is_found(void **unused)
{
    (void)unused;
    struct fixture fixture;
    unsigned all = 0, found = 0, superfluous = 0;
    uint32_t kept[1000];
    open_fixture(&fixture, "queue");
    struct violation_automaton *automaton = &fixture.automata.items[0];
    while (strcmp(automaton->name, "queue_order") != 0)
        automaton++;
    for (uint32_t s = 0; s < automaton->state_count; s++)
        for (unsigned letter = 0; letter < 6 * automaton->method_count; letter++) {
            unsigned event = letter % 2, colour = letter / 2 % 3 + 1;
            uint32_t method = letter / 6;
            bool valued = has_value(&fixture, automaton, method);
            if ((!valued && colour > 1) ||
                violation_automaton_next(automaton, s, event, method, colour) == VIOLATION_DEAD)
                continue;
            all++;
            if (is_superfluous(s, event, method, colour)) {
                superfluous++;
                continue;
            }
            forget(&fixture, automaton, s, s + 1, event, method, colour, kept);
            if (is_found(&fixture))
                found++;
            else
                fail_msg("without %s %s %u in state %u it passes", event ? "ret" : "call",
                         automaton->methods[method], colour, s);
            restore(automaton, kept);
        }
    assert_int_equal(all, 54);
    assert_int_equal(superfluous + found, all);
    assert_int_equal(superfluous, 13);
    close(&fixture);
}

/* ---- what is compared ---- */

static void shipped_automata_are_right_at_random(void **unused)
{
    (void)unused;
    static const char *const objects[] = {"queue", "stack",        "register",
                                          "mutex", "semaphore(2)", "set"};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        struct fixture fixture;
        struct random_finding finding;
        size_t count = 0;
        open_fixture(&fixture, objects[i]);
        for (size_t a = 0; a < fixture.automata.count; a++)
            if (fixture.automata.items[a].for_histories)
                fixture.automata.items[count++] = fixture.automata.items[a];
        fixture.request.automaton_count = count;
        compare_at_random(&fixture, 7, 500, &finding);
        assert_false(finding.missed.found || finding.false_alarm.found);
        assert_int_equal(finding.histories, 500);
        assert_in_range(finding.linearizable, 10, 450); /* there are many of both */
        close(&fixture);
    }
}

static void what_is_found_depends_on_the_seed_alone(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct random_finding findings[3];
    open_fixture(&fixture, "queue");
    fixture.request.automaton_count = 3; /* without queue_repeat, which is the last */
    assert_string_equal(fixture.automata.items[3].name, "queue_repeat");
    for (unsigned i = 0; i < 3; i++) {
        fixture.request.threads = i + 1;
        compare_at_random(&fixture, 1, 5000, &findings[i]);
        assert_true(findings[i].missed.found);
        assert_int_equal(findings[i].histories, findings[0].histories);
        assert_memory_equal(&findings[i].missed, &findings[0].missed, sizeof findings[0].missed);
    }
    /* no smaller history is dequeued from twice: Enq, Deq, Deq of one value */
    assert_in_range(findings[0].missed.labelling.count, 2, 3);
    close(&fixture);
}

static void clients_stay_in_turn(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct random random;
    open_fixture(&fixture, "semaphore(2)");
    random_seed(&random, 5);
    for (unsigned i = 0; i < 300; i++) {
        struct timed_history history;
        assert_int_equal(random_history(&random, fixture.spec, fixture.request.object,
                                        HISTORY_IN_TURN, 8 + i % 5, &fixture.budget, &history,
                                        &fixture.error),
                         STATUS_OK);
        random_history_extend(&random, fixture.request.object, HISTORY_IN_TURN, 12, &history);
        for (unsigned r = 0; r < history.labelling.count; r++) {
            unsigned acquired = 0;
            for (unsigned a = 0; a < history.labelling.count; a++)
                acquired += history.labelling.operations[a].value ==
                                history.labelling.operations[r].value &&
                            history.labelling.operations[a].method == 0 &&
                            history.returned[a] < history.called[r];
            assert_true(history.labelling.operations[r].method == 0 || acquired == 1);
            assert_true(history.called[r] < history.returned[r]);
        }
    }
    close(&fixture);
}

static void limits_are_kept(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct random_finding finding;
    open_fixture(&fixture, "queue");
    fixture.limits.most_work = 100;
    compare_at_random(&fixture, 1, 5000, &finding);
    assert_int_equal(finding.limit, LIMIT_TIME);
    assert_int_equal(finding.histories, 100);
    assert_false(finding.missed.found);
    close(&fixture);
}

/* ---- decisions and runs, compared with those for small histories ---- */

struct visiting {
    struct fixture *fixture;
    const struct labelling *labelling;
    struct legal_orders orders;
    uint64_t seen, linearizable;
};

static bool compare_decisions(void *context, const struct word *word)
{
    struct visiting *visiting = context;
    struct fixture *fixture = visiting->fixture;
    bool linearizable;
    assert_int_equal(history_is_linearizable(fixture->spec, fixture->request.object,
                                             visiting->labelling, word, &fixture->budget,
                                             &linearizable, &fixture->error),
                     STATUS_OK);
    assert_int_equal(linearizable,
                     word_is_linearizable(word, visiting->labelling, &visiting->orders));
    visiting->seen++;
    visiting->linearizable += linearizable;
    return true;
}

static void decisions_are_those_of_the_definition(void **unused)
{
    (void)unused;
    static const char *const objects[] = {"stack", "mutex"};
    static const uint64_t expected[][2] = {{7181, 1195}, {3500, 81}};
    for (size_t i = 0; i < 2; i++) {
        struct fixture fixture;
        struct labellings labellings;
        open_fixture(&fixture, objects[i]);
        struct visiting visiting = {.fixture = &fixture};
        vector_init(&visiting.orders.operations, &fixture.budget);
        vector_init(&labellings.items, &fixture.budget);
        for (unsigned n = 1; n <= 4; n++)
            assert_true(labellings_find(fixture.request.object, n, HISTORY_ALL, &labellings));
        for (size_t l = 0; l < labellings.items.length; l++) {
            visiting.labelling = &labellings.items.items[l];
            assert_int_equal(legal_orders_find(fixture.spec, fixture.request.object,
                                               visiting.labelling, &visiting.orders,
                                               &fixture.error),
                             STATUS_OK);
            words_visit(visiting.labelling, HISTORY_ALL, compare_decisions, &visiting);
        }
        assert_int_equal(visiting.seen, expected[i][0]);
        assert_int_equal(visiting.linearizable, expected[i][1]);
        vector_release(&labellings.items);
        vector_release(&visiting.orders.operations);
        close(&fixture);
    }
}

/* Random automata of the register's methods and a marked copy; some have single colours. */
static void make_random(struct random *random, struct arena *arena,
                        struct violation_automaton *automaton)
{
    static const char *const methods[] = {"Write", "Read", "ReadInit", "ReadM"};
    uint32_t states = 2 + random_below(random, 4);
    *automaton = (struct violation_automaton){.name = "random", .object = "register"};
    assert_true(violation_automaton_set_methods(automaton, methods, 4, arena));
    assert_true(violation_automaton_set_states(automaton, states, arena));
    assert_true(violation_automaton_make_table(automaton, arena));
    automaton->single = random_chance(random, 1, 3) ? 2u << random_below(random, 3) : 0;
    for (size_t i = 0; i < (size_t)states * 2 * 4 * VIOLATION_COLOURS; i++)
        if (random_chance(random, 3, 4))
            automaton->next[i] = random_below(random, states);
    for (uint32_t s = 0; s < states; s++)
        automaton->accepting[s] = random_chance(random, 1, 4);
}

/* Reads the word with the colours and marks that a run tells; the event behind which the automaton
 * accepts to the end. */
static size_t retrace(const struct violation_automaton *automaton,
                      const struct labelling *labelling, const struct word *word,
                      const struct run *run)
{
    uint32_t state = automaton->initial;
    size_t since = automaton->accepting[state] ? 0 : SIZE_MAX;
    for (unsigned at = 0; at < word->length; at++) {
        unsigned operation = word->events[at] & ~WORD_RETURN;
        struct labelled_operation read = labelling->operations[operation];
        uint32_t method = run->marked[operation]
                              ? violation_automaton_marked(automaton, read.method)
                              : read.method;
        assert_in_range(run->colours[read.value], 1, 3);
        state = violation_automaton_next(automaton, state, word->events[at] >= WORD_RETURN, method,
                                         run->colours[read.value]);
        assert_true(state != VIOLATION_DEAD);
        if (!automaton->accepting[state])
            since = SIZE_MAX;
        else if (since == SIZE_MAX)
            since = at;
    }
    return since;
}

static void compare_runs(struct fixture *fixture, const struct violation_automaton *automaton,
                         const struct labelling *labelling, const struct word *word,
                         unsigned counts[2])
{
    struct prepared_automaton prepared;
    struct labelled_event events[2 * HISTORY_MOST_OPERATIONS];
    struct run_operation operations[HISTORY_MOST_OPERATIONS];
    struct run run;
    assert_true(automaton_prepare(automaton, fixture->request.object, &fixture->arena, &prepared));
    for (unsigned i = 0; i < word->length; i++)
        events[i] =
            (struct labelled_event){word->events[i] & ~WORD_RETURN, word->events[i] >= WORD_RETURN};
    for (unsigned i = 0; i < labelling->count; i++)
        operations[i] =
            (struct run_operation){labelling->operations[i].method, labelling->operations[i].value};
    const struct run_word same = {events, word->length, operations, labelling->count,
                                  labelling->value_count};
    struct acceptance acceptance = {
        .automaton = &prepared, .labelling = labelling, .word = word, .limits = &fixture->limits};
    assert_int_equal(automaton_run(&prepared, NULL, &same, &fixture->limits, &fixture->arena, &run),
                     STATUS_OK);
    assert_int_equal(run.accepted, accepts_canonical_word(&acceptance));
    if (run.accepted)
        assert_int_equal(run.at, retrace(automaton, labelling, word, &run));
    counts[run.accepted]++;
}

static void runs_accept_what_is_accepted(void **unused)
{
    (void)unused;
    struct fixture fixture;
    struct random random;
    unsigned counts[2] = {0};
    random_seed(&random, 3);
    for (unsigned i = 0; i < 400; i++) {
        struct timed_history history;
        struct violation_automaton automaton;
        struct labelling labelling;
        struct word word;
        open_fixture(&fixture, "register");
        make_random(&random, &fixture.arena, &automaton);
        assert_int_equal(random_history(&random, fixture.spec, fixture.request.object, HISTORY_ALL,
                                        3 + i % 4, &fixture.budget, &history, &fixture.error),
                         STATUS_OK);
        timed_history_write(&history, fixture.request.object, &labelling, &word);
        compare_runs(&fixture, &automaton, &labelling, &word, counts);
        close(&fixture);
    }
    assert_true(counts[0] > 50 && counts[1] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_forgotten_letter_is_found),
        cmocka_unit_test(every_forgotten_transition_is_found),
        cmocka_unit_test(shipped_automata_are_right_at_random),
        cmocka_unit_test(what_is_found_depends_on_the_seed_alone),
        cmocka_unit_test(clients_stay_in_turn),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(decisions_are_those_of_the_definition),
        cmocka_unit_test(runs_accept_what_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
