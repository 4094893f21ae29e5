/* Questions about random implementations with any number of threads, against those with one, two
 * and three, step by step: no pair that is reached may be impossible, nothing that happens may be
 * said not to. Here automata are read as they are, with a letter guessed at each call, all colours,
 * and acceptance only when every operation has returned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "support/any_random.h"
#include "support/seeds.h"
#include "support/thread_fixture.h"
#include "unbounded/plain_closure.h"

#define MOST_THREADS 3
#define MOST_MET     4000  /* configurations of one exploration */
#define MOST_PAIRS   20000 /* of a program: one with more is left out */
#define ALL_COLOURS  (1u << 1 | 1u << 2 | 1u << 3)

/* ---- configurations: shared state, automaton's state, by thread local state and note ---- */

struct configuration {
    uint32_t shared, state;
    struct standing_thread {
        uint32_t local, note;
    } threads[MOST_THREADS + 1]; /* one more may help */
};

#define WORDS (sizeof(struct configuration) / sizeof(uint32_t))

struct exploration {
    struct thread_fixture *fixture;
    uint32_t threads;
    struct word_arrays met;
    bool complete; /* all that can be reached is there */
};

static int by_standing(const void *one, const void *other)
{
    return memcmp(one, other, sizeof(struct standing_thread));
}

/* Threads are told apart by nothing but where they stand. False if there are too many. */
static bool meet(struct exploration *exploration, struct configuration configuration)
{
    if (exploration->met.items.length >= MOST_MET)
        return exploration->complete = false;
    qsort(configuration.threads, exploration->threads, sizeof *configuration.threads, by_standing);
    assert_true(word_arrays_intern(&exploration->met, (const uint32_t *)&configuration, WORDS,
                                   NULL) != UINT32_MAX);
    return true;
}

static struct configuration configuration_at(const struct exploration *exploration, uint32_t number)
{
    struct configuration found;
    size_t count;
    memcpy(&found, word_arrays_get(&exploration->met, number, &count), sizeof found);
    return found;
}

/* The one thread of each `only thread k`, as far as they fit, the rest without a number. */
static void begin(struct exploration *exploration, struct thread_fixture *fixture, uint32_t threads,
                  uint32_t state)
{
    const struct thread_system *system = &fixture->system;
    *exploration = (struct exploration){.fixture = fixture, .threads = threads, .complete = true};
    word_arrays_init(&exploration->met, NULL);
    for (size_t i = 0; i < system->initial.length; i++) {
        struct configuration first = {system->initial.items[i], state, {{0}}};
        for (uint32_t j = 0; j < threads; j++) {
            size_t kind = j + 1 < system->kinds.length ? j + 1 : 0;
            first.threads[j].local = system->kinds.items[kind].idle;
        }
        meet(exploration, first);
    }
}

static const struct thread_moves *moves_of(struct thread_fixture *fixture, uint32_t shared,
                                           uint32_t local)
{
    const struct thread_moves *moves;
    assert_int_equal(
        thread_system_expand(&fixture->system, shared, local, &moves, &fixture->lin.error),
        STATUS_OK);
    return moves;
}

static struct configuration after(const struct configuration *before, uint32_t thread,
                                  const struct thread_move *move)
{
    struct configuration next = *before;
    next.shared = move->next_shared;
    next.threads[thread].local = move->next_local;
    return next;
}

/* ---- pairs ---- */

static bool is_called(const struct thread_move *move, unsigned colours)
{
    return !move->argument || (colours >> move->argument & 1);
}

/* Explores without an automaton; finds whether something ends so. */
static bool explore_plain(struct exploration *exploration, unsigned colours,
                          enum thread_ending ending)
{
    bool found = false;
    for (uint32_t i = 0; i < exploration->met.items.length; i++) {
        struct configuration at = configuration_at(exploration, i);
        for (uint32_t j = 0; j < exploration->threads; j++) {
            const struct thread_moves *moves =
                moves_of(exploration->fixture, at.shared, at.threads[j].local);
            for (uint32_t k = 0; k < moves->count; k++) {
                const struct thread_move *move = &moves->items[k];
                found = found || (ending != ENDING_NONE && move->ending == ending);
                if (move->ending == ENDING_NONE && is_called(move, colours))
                    meet(exploration, after(&at, j, move));
            }
        }
    }
    return found;
}

static void expect_pairs(const struct closure *closure, const struct configuration *at,
                         uint32_t threads)
{
    for (uint32_t j = 0; j < threads; j++) {
        assert_true(closure_has(closure, at->shared, at->threads[j].local));
        for (uint32_t k = 0; k < j; k++)
            assert_true(
                closure_together(closure, at->shared, at->threads[j].local, at->threads[k].local));
    }
}

/* False: it is left out. */
static bool is_small(struct thread_fixture *fixture, struct plain_closure *plain)
{
    struct limits limits;
    limits_init(&limits, &fixture->lin.budget);
    limits.deadline = clock_nanoseconds() + UINT64_C(1000000000);
    if (plain_closure_make(plain, &fixture->system, ALL_COLOURS, &fixture->lin.budget, &limits,
                           &fixture->lin.error) != STATUS_OK)
        return false;
    return plain->closure.pairs.length <= MOST_PAIRS;
}

static void pairs_that_are_reached_are_possible(struct thread_fixture *fixture,
                                                const struct closure *closure, uint32_t threads)
{
    struct exploration exploration;
    begin(&exploration, fixture, threads, 0);
    explore_plain(&exploration, ALL_COLOURS, ENDING_NONE);
    for (uint32_t i = 0; i < exploration.met.items.length; i++) {
        struct configuration at = configuration_at(&exploration, i);
        expect_pairs(closure, &at, threads);
    }
    word_arrays_release(&exploration.met);
}

/* ---- faults and errors ---- */

static bool answers_wrong(const struct thread_fixture *fixture, const struct thread_move *move)
{
    const struct rule_object *object = fixture->questions.roles.object;
    bool allowed = false;
    for (uint32_t m = 0; m < object->method_count; m++) {
        const struct object_method *method = &object->methods[m];
        bool valued = method->role == METHOD_ANSWERS && !object->values_are_processes;
        allowed =
            allowed || (strcmp(method->operation,
                               fixture->steps.object->operations[move->operation]->name) == 0 &&
                        move->answer == (valued ? ANSWER_VALUED : ANSWER_PLAIN));
    }
    return move->answer != ANSWER_NONE && !allowed;
}

static bool some_answer_is_wrong(struct exploration *exploration)
{
    for (uint32_t i = 0; i < exploration->met.items.length; i++) {
        struct configuration at = configuration_at(exploration, i);
        for (uint32_t j = 0; j < exploration->threads; j++) {
            const struct thread_moves *moves =
                moves_of(exploration->fixture, at.shared, at.threads[j].local);
            for (uint32_t k = 0; k < moves->count; k++)
                if (answers_wrong(exploration->fixture, &moves->items[k]))
                    return true;
        }
    }
    return false;
}

static bool happens(struct thread_fixture *fixture, uint32_t threads, enum question_kind kind)
{
    struct exploration exploration;
    bool fault = kind == QUESTION_FAULT;
    begin(&exploration, fixture, threads, 0);
    bool found = explore_plain(&exploration, ALL_COLOURS, fault ? ENDING_FAULT : ENDING_ERROR);
    if (fault)
        found = found || some_answer_is_wrong(&exploration);
    word_arrays_release(&exploration.met);
    return found;
}

/* ---- whole histories that an automaton accepts ---- */

/* A letter as a note: 1 + 3 * method + colour - 1. */
static uint32_t note_of(uint32_t method, unsigned colour)
{
    return 1 + VIOLATION_COLOURS * method + colour - 1;
}

static const struct object_method *method_of(const struct thread_fixture *fixture,
                                             const struct violation_automaton *automaton,
                                             uint32_t number)
{
    const struct rule_object *object = fixture->questions.roles.object;
    const char *name = automaton->methods[automaton->unmarked[number]];
    return &object->methods[rule_object_find_method(object, name)];
}

/* Whether the operation of a move can be called as that method with that colour by a thread with
 * that note. */
static bool fits_call(const struct thread_fixture *fixture, const struct object_method *method,
                      unsigned colour, uint32_t note, const struct thread_move *move)
{
    bool processes = fixture->questions.roles.object->values_are_processes;
    const char *name = fixture->steps.object->operations[move->operation]->name;
    if (strcmp(name, method->operation) != 0)
        return false;
    if (method->role == METHOD_ADDS && !processes)
        return colour == move->argument;
    return !note || (note - 1) % VIOLATION_COLOURS == colour - 1;
}

static bool fits_return(const struct thread_fixture *fixture, const struct object_method *method,
                        unsigned colour, const struct thread_move *move)
{
    bool valued =
        method->role == METHOD_ANSWERS && !fixture->questions.roles.object->values_are_processes;
    return valued ? move->answer == ANSWER_VALUED && move->result == colour
                  : move->answer == ANSWER_PLAIN;
}

struct reading_of {
    struct exploration *exploration;
    const struct violation_automaton *automaton;
    struct configuration at;
    uint32_t thread;
    const struct thread_move *move;
};

static void read_return(const struct reading_of *reading, uint32_t state, uint32_t note)
{
    const struct thread_fixture *fixture = reading->exploration->fixture;
    const struct thread_move *move = reading->move;
    struct configuration next = after(&reading->at, reading->thread, move);
    uint32_t method = (note - 1) / VIOLATION_COLOURS;
    unsigned colour = (note - 1) % VIOLATION_COLOURS + 1;
    next.state = state;
    next.threads[reading->thread].note = note;
    if (move->answer != ANSWER_NONE) {
        if (!fits_return(fixture, method_of(fixture, reading->automaton, method), colour, move))
            return;
        next.state =
            violation_automaton_next(reading->automaton, state, VIOLATION_RETURN, method, colour);
        bool keeps = fixture->questions.roles.object->values_are_processes &&
                     thread_system_turn(&fixture->system, move->next_local) != 0;
        next.threads[reading->thread].note = keeps ? note : 0;
    }
    if (next.state != VIOLATION_DEAD)
        meet(reading->exploration, next);
}

static void read_call(const struct reading_of *reading)
{
    const struct violation_automaton *automaton = reading->automaton;
    uint32_t note = reading->at.threads[reading->thread].note;
    if (!reading->move->calls) {
        read_return(reading, reading->at.state, note);
        return;
    }
    for (uint32_t m = 0; m < automaton->method_count; m++)
        for (unsigned colour = 1; colour <= VIOLATION_COLOURS; colour++) {
            const struct thread_fixture *fixture = reading->exploration->fixture;
            uint32_t state =
                violation_automaton_next(automaton, reading->at.state, VIOLATION_CALL, m, colour);
            if (state != VIOLATION_DEAD &&
                fits_call(fixture, method_of(fixture, automaton, m), colour, note, reading->move))
                read_return(reading, state, note_of(m, colour));
        }
}

/* Of a lock only what has returned counts, of the others all must have. */
static bool is_over(const struct exploration *exploration, const struct configuration *at)
{
    bool over = true;
    if (exploration->fixture->questions.roles.object->values_are_processes)
        return true;
    for (uint32_t j = 0; j < exploration->threads; j++)
        over = over && thread_system_is_idle(&exploration->fixture->system, at->threads[j].local);
    return over;
}

static bool is_accepted(struct thread_fixture *fixture, uint32_t threads,
                        const struct violation_automaton *automaton)
{
    struct exploration exploration;
    bool found = false;
    begin(&exploration, fixture, threads, automaton->initial);
    for (uint32_t i = 0; i < exploration.met.items.length && !found; i++) {
        struct reading_of reading = {.exploration = &exploration,
                                     .automaton = automaton,
                                     .at = configuration_at(&exploration, i)};
        found = automaton->accepting[reading.at.state] && is_over(&exploration, &reading.at);
        for (uint32_t j = 0; j < threads; j++) {
            const struct thread_moves *moves =
                moves_of(fixture, reading.at.shared, reading.at.threads[j].local);
            reading.thread = j;
            for (uint32_t k = 0; k < moves->count; k++) {
                reading.move = &moves->items[k];
                if (reading.move->ending == ENDING_NONE)
                    read_call(&reading);
            }
        }
    }
    word_arrays_release(&exploration.met);
    return found;
}

/* ---- operations that cannot return ---- */

/* Notes say which threads have changed the shared state. */
static void explore_changes(struct exploration *exploration)
{
    for (uint32_t i = 0; i < exploration->met.items.length; i++) {
        struct configuration at = configuration_at(exploration, i);
        for (uint32_t j = 0; j < exploration->threads; j++) {
            const struct thread_moves *moves =
                moves_of(exploration->fixture, at.shared, at.threads[j].local);
            for (uint32_t k = 0; k < moves->count; k++) {
                const struct thread_move *move = &moves->items[k];
                struct configuration next = after(&at, j, move);
                next.threads[j].note =
                    move->answer == ANSWER_NONE && (at.threads[j].note || next.shared != at.shared);
                if (move->ending == ENDING_NONE && is_called(move, 1u << 1 | 1u << 2))
                    meet(exploration, next);
            }
        }
    }
}

/* Whether the threads that have changed something can return, one after the other as they like, or
 * can once another one, which is idle at first, has called new operations and has returned. */
static bool can_end(struct thread_fixture *fixture, struct configuration from, uint32_t threads)
{
    struct exploration exploration = {.fixture = fixture, .threads = threads + 1};
    bool ends = false;
    from.threads[threads] = (struct standing_thread){fixture->system.kinds.items[0].idle, 0};
    word_arrays_init(&exploration.met, NULL);
    meet(&exploration, from);
    for (uint32_t i = 0; i < exploration.met.items.length && !ends; i++) {
        struct configuration at = configuration_at(&exploration, i);
        ends = true;
        for (uint32_t j = 0; j <= threads; j++) {
            if (!at.threads[j].note &&
                !thread_system_is_idle(&fixture->system, at.threads[j].local))
                continue;
            const struct thread_moves *moves = moves_of(fixture, at.shared, at.threads[j].local);
            ends = ends && !at.threads[j].note;
            for (uint32_t k = 0; k < moves->count; k++) {
                struct configuration next = after(&at, j, &moves->items[k]);
                next.threads[j].note = moves->items[k].answer == ANSWER_NONE;
                if (moves->items[k].ending == ENDING_NONE)
                    meet(&exploration, next);
            }
        }
    }
    bool known = ends || exploration.met.items.length < MOST_MET;
    word_arrays_release(&exploration.met);
    return ends || !known;
}

static bool is_blocked(struct thread_fixture *fixture, uint32_t threads)
{
    struct exploration exploration;
    bool found = false;
    begin(&exploration, fixture, threads, 0);
    explore_changes(&exploration);
    for (uint32_t i = 0; i < exploration.met.items.length && !found; i++) {
        struct configuration at = configuration_at(&exploration, i);
        found = !can_end(fixture, at, threads);
    }
    word_arrays_release(&exploration.met);
    return found;
}

/* ---- questions ---- */

static struct tally {
    unsigned programs, large, questions, safe, unsafe, happened;
} tally;

static enum verdict ask(struct thread_fixture *fixture, struct question question)
{
    struct question_answer answer;
    struct limits limits;
    limits_init(&limits, &fixture->lin.budget);
    limits.deadline = clock_nanoseconds() + UINT64_C(2000000000);
    if (question_ask(&fixture->questions, &question, &limits, &answer, &fixture->lin.error) !=
        STATUS_OK)
        fail_msg("%s", fixture->lin.error.message);
    enum verdict verdict = answer.verdict;
    tally.questions++;
    tally.safe += verdict == VERDICT_SAFE;
    tally.unsafe += verdict == VERDICT_UNSAFE;
    question_answer_release(&answer);
    return verdict;
}

/* What happens with that many threads cannot be excluded. */
static void expect_not_safe(bool happened, enum verdict verdict, const char *name, uint32_t threads)
{
    tally.happened += happened;
    if (happened && verdict == VERDICT_SAFE)
        fail_msg("%s is safe, but %u threads show it", name, threads);
}

static void compare_rule(struct thread_fixture *fixture,
                         const struct violation_automaton *automaton, bool repeats)
{
    enum verdict plain = ask(
        fixture, (struct question){.kind = QUESTION_RULE, .automaton = automaton, .taken = false});
    bool excluded = plain == VERDICT_SAFE;
    if (strcmp(automaton->name, "stack_order") == 0) {
        enum verdict taken =
            ask(fixture,
                (struct question){.kind = QUESTION_RULE, .automaton = automaton, .taken = true});
        enum verdict leftover = ask(fixture, (struct question){.kind = QUESTION_REMOVED_AGAIN});
        excluded = excluded || (!repeats && taken == VERDICT_SAFE && leftover == VERDICT_SAFE);
    }
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++)
        expect_not_safe(is_accepted(fixture, threads, automaton),
                        excluded ? VERDICT_SAFE : VERDICT_UNKNOWN, automaton->name, threads);
}

/* Whether a value may be answered that was not added, or more than once. */
static bool may_repeat(struct thread_fixture *fixture)
{
    bool may = false;
    for (size_t i = 0; i < fixture->automata.count; i++) {
        const struct violation_automaton *automaton = &fixture->automata.items[i];
        if (strstr(automaton->name, "_repeat") || strstr(automaton->name, "_fresh"))
            may = may || ask(fixture, (struct question){.kind = QUESTION_RULE,
                                                        .automaton = automaton,
                                                        .taken = false}) != VERDICT_SAFE;
    }
    return may;
}

static void compare(struct thread_fixture *fixture, const struct closure *closure, bool has_nodes)
{
    enum verdict fault = ask(fixture, (struct question){.kind = QUESTION_FAULT});
    enum verdict error = ask(fixture, (struct question){.kind = QUESTION_ERROR});
    enum verdict stuck = ask(fixture, (struct question){.kind = QUESTION_BLOCKED});
    for (uint32_t threads = 1; threads <= MOST_THREADS; threads++) {
        pairs_that_are_reached_are_possible(fixture, closure, threads);
        expect_not_safe(happens(fixture, threads, QUESTION_FAULT), fault, "fault", threads);
        expect_not_safe(happens(fixture, threads, QUESTION_ERROR), error, "error", threads);
    }
    for (uint32_t threads = 2; threads <= MOST_THREADS && !has_nodes; threads++)
        if (fault == VERDICT_SAFE)
            expect_not_safe(is_blocked(fixture, threads), stuck, "stuck", threads);
    bool repeats = may_repeat(fixture);
    for (size_t i = 0; i < fixture->automata.count && error == VERDICT_SAFE; i++)
        if (fixture->automata.items[i].for_prefixes)
            compare_rule(fixture, &fixture->automata.items[i], repeats);
}

static struct seeds seeds = {1, 80};
static uint64_t seed; /* of the program that is looked at; 0: none */

static int tell_seed(void **unused)
{
    (void)unused;
    if (seed)
        print_message("seed %llu\n", (unsigned long long)seed);
    return 0;
}

static void what_happens_is_not_excluded(void **unused)
{
    (void)unused;
    for (seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct thread_fixture fixture;
        struct any_program program;
        any_random_create(&program, seed);
        if (thread_fixture_open(&fixture, text_string(&program.text), "it", program.spec,
                                program.nodes < 2 ? (int32_t)program.nodes : 2)) {
            struct plain_closure plain;
            tally.programs++;
            if (is_small(&fixture, &plain))
                compare(&fixture, &plain.closure, program.nodes > 0);
            else
                tally.large++;
            plain_closure_release(&plain);
        }
        thread_fixture_close(&fixture);
        any_random_release(&program);
    }
    seed = 0;
    print_message(
        "%u programs (%u too large), %u questions, %u safe, %u unsafe; %u times something "
        "happened\n",
        tally.programs, tally.large, tally.questions, tally.safe, tally.unsafe, tally.happened);
    assert_true(tally.safe > 0 && tally.unsafe > 0 && tally.happened > 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_happens_is_not_excluded, tell_seed),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
