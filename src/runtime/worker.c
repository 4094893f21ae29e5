/* The main function of a test program: answers the request that it is begun with, and others behind
 * it (exchange.h). */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linchpin/test.h>

#include "base/hash.h"
#include "base/table.h"
#include "base/vector.h"
#include "runtime/crash.h"
#include "runtime/describe.h"
#include "runtime/evidence.h"
#include "runtime/globals.h"
#include "runtime/judge.h"
#include "runtime/livelock.h"
#include "runtime/relaxed.h"
#include "runtime/retry.h"
#include "runtime/scheduler.h"
#include "runtime/sections.h"
#include "runtime/serial.h"
#include "runtime/several.h"
#include "runtime/shadow.h"
#include "runtime/stacks.h"
#include "runtime/weak.h"

extern const lp_test __start_lp_tests[] __attribute__((weak));
extern const lp_test __stop_lp_tests[] __attribute__((weak));

enum {
    EXIT_OURS = 70,
    EXIT_BY_HAND = 2,
    RUNS_A_LOOK = 64
};

struct numbers {
    struct table places;
    VECTOR(uint64_t) items;
};

static struct worker {
    struct exchange_request request;
    struct exchange_result result;
    struct exchange_result clearest; /* of several findings; none: FINDING_NONE */
    struct budget budget;
    struct limits limits;
    struct exploration *exploration;
    struct execution_graph *run; /* the graph of the run that is repeated */
    struct numbers histories, graphs;
    struct judge *judge; /* null: the test has no specification */
    bool is_set_up;
    bool is_wrong_alone; /* with one operation after the other: answers are not looked at */
} worker;

/* ---- talking to linchpin ---- */

static void send(const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = write(EXCHANGE_ANSWERS, (const char *)bytes + done, size - done);
        if (count <= 0)
            _exit(EXIT_OURS);
        done += (size_t)count;
    }
}

static void receive(void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(EXCHANGE_REQUESTS, (char *)bytes + done, size - done);
        if (count <= 0)
            _exit(EXIT_OURS);
        done += (size_t)count;
    }
}

/* ---- the tests of the program ---- */

static size_t test_count(void)
{
    return __start_lp_tests ? (size_t)(__stop_lp_tests - __start_lp_tests) : 0;
}

static void list_tests(void)
{
    const struct exchange_list list = {EXCHANGE_VERSION, (uint32_t)test_count()};
    send(&list, sizeof list);
    for (size_t i = 0; i < test_count(); i++) {
        struct exchange_test described;
        describe_test(&__start_lp_tests[i], &described);
        send(&described, sizeof described);
    }
}

/* ---- results ---- */

static void take_down_operations(void)
{
    struct exchange_result *result = &worker.result;
    size_t count;
    const struct exchange_operation_run *operations = scheduler_operations(&count);
    result->operation_count = (uint32_t)count;
    memcpy(result->operations, operations, count * sizeof *operations);
}

static void take_down(enum exchange_end end)
{
    struct exchange_result *result = &worker.result;
    result->end = end;
    if (result->finding.kind == FINDING_NONE && !result->finding.sentence[0])
        result->finding = *scheduler_finding();
    result->at = scheduler_end_place();
    if (worker.judge)
        result->histories = judge_histories(worker.judge);
    result->relaxed = *relaxed_places();
    take_down_operations();
    evidence_take_execution(worker.exploration, result);
    evidence_take_memory(result);
}

static void finish(void)
{
    worker.result.version = EXCHANGE_VERSION;
    send(&worker.result, sizeof worker.result);
    if (worker.request.kind != REQUEST_EXPLORE ||
        !exchange_goes_on((enum exchange_end)worker.result.end))
        _exit(0);
}

/* Has the clearest finding in place of the last one, which is all the figures say. */
static void choose_clearest(bool all)
{
    struct exchange_result *result = &worker.result, *clearest = &worker.clearest;
    clearest->executions = result->executions;
    clearest->complete = result->complete;
    clearest->blocked = result->blocked;
    clearest->hanging = result->hanging;
    clearest->waiting_behind = result->waiting_behind;
    clearest->repeated = result->repeated;
    clearest->most_events = result->most_events;
    clearest->histories = result->histories;
    clearest->misses_rounds = result->misses_rounds;
    clearest->clearest = all;
    *result = *clearest;
}

static void report_end(enum exchange_end end)
{
    if (end == END_FINDING)
        serial_crash();
    if (worker.clearest.finding.kind != FINDING_NONE)
        choose_clearest(false);
    else
        take_down(end);
    finish();
    _exit(0);
}

/* Keeps a finding if it is the clearest so far, and goes on. */
static void keep_finding(void)
{
    struct exchange_result *result = &worker.result;
    take_down(END_FINDING);
    if (evidence_is_clearer(result, &worker.clearest, &worker.budget))
        worker.clearest = *result;
    result->end = END_COMPLETE;
    result->finding = (struct finding){0};
    result->edge_count = 0;
}

/* ---- exploring ---- */

/* Whether a number is a new one of a set. */
static bool set_add(struct numbers *set, uint64_t number)
{
    struct table_search search = table_search(&set->places, number);
    while (table_next(&search))
        if (set->items.items[search.number] == number)
            return false;
    if (!table_add(&set->places, number, (uint32_t)set->items.length) ||
        !vector_push(&set->items, number))
        worker.result.end = END_MEMORY;
    return true;
}

static void count_history(void)
{
    size_t count;
    const struct exchange_operation_run *operations = scheduler_operations(&count);
    uint64_t hash = worker.result.hangs;
    for (size_t i = 0; i < count; i++)
        hash = hash_pair(hash, operations[i].finished ? (uint64_t)operations[i].result : 0);
    worker.result.histories += set_add(&worker.histories, hash);
}

/* Of a run in which every thread came to its end: whether its graph was met before. */
static void count_graph(void)
{
    uint64_t hash = execution_hash(exploration_graph(worker.exploration));
    worker.result.twice += !set_add(&worker.graphs, hash);
}

/* The run again, along its graph: whether it does the same. */
static enum exchange_end repeat(void)
{
    enum exchange_end end;
    uint64_t trail = scheduler_trail();
    const struct execution_graph *graph = exploration_graph(worker.exploration);
    bool complete = scheduler_is_complete();
    execution_copy(worker.run, graph);
    exploration_begin_along(worker.exploration, worker.run);
    end = scheduler_run();
    worker.result.repeated++;
    if (end == END_COMPLETE &&
        (scheduler_trail() != trail || scheduler_is_complete() != complete ||
         exploration_graph(worker.exploration)->event_count != worker.run->event_count))
        end = END_DIFFERS;
    return end;
}

/* Whether some operation that has not returned must: `never_waits`. */
static bool find_unreturned(void)
{
    struct exchange_result *result = &worker.result;
    const lp_test *test = &__start_lp_tests[worker.request.test];
    for (uint32_t i = 0; i < result->operation_count; i++) {
        const struct exchange_operation_run *run = &result->operations[i];
        bool may_wait = worker.judge ? judge_may_wait(worker.judge, run->operation)
                                     : test->ops[run->operation].flags & LP_MAY_WAIT;
        if (!run->called || run->finished || may_wait)
            continue;
        result->never_waits = (uint8_t)i;
        return true;
    }
    return false;
}

/* Whether threads wait for locks only, and for one another. */
static enum finding_kind name_of_waiting(void)
{
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        if (worker.result.waits[i].kind > WAIT_JOIN)
            return FINDING_WAITS;
    return worker.result.goes_round ? FINDING_LIVELOCK : FINDING_DEADLOCK;
}

/* Of an execution in which every thread came to its end, or nothing goes on any more. */
static enum exchange_end look_at_answers(void)
{
    struct exchange_result *result = &worker.result;
    enum exchange_end end = END_COMPLETE;
    bool waits_behind = false;
    take_down_operations();
    if (worker.is_wrong_alone)
        return END_COMPLETE;
    if (result->hangs && find_unreturned()) {
        result->finding = (struct finding){.kind = name_of_waiting()};
        return END_FINDING;
    }
    if (worker.judge)
        end = judge_decide(worker.judge, exploration_graph(worker.exploration), result->hangs,
                           &waits_behind, result);
    else
        count_history();
    result->waiting_behind += end == END_COMPLETE && waits_behind && !result->goes_round;
    if (end == END_FINDING && result->finding.kind == FINDING_WAITS)
        result->finding.kind = name_of_waiting();
    return end;
}

/* Of a run that comes round to where it was behind so many events. */
static enum exchange_end look_at_round(unsigned round)
{
    struct exchange_result *result = &worker.result;
    result->hangs = result->goes_round = true;
    result->round = (uint16_t)round;
    for (unsigned i = 0; i < EXECUTION_THREADS; i++)
        result->waits[i] = (struct exchange_wait){.kind = WAIT_NONE, .since = HANGING_NOTHING};
    enum exchange_end end = look_at_answers();
    if (end != END_FINDING)
        result->hangs = result->goes_round = false;
    return end;
}

/* After a run that was too large. */
static enum exchange_end look_for_livelock(void)
{
    enum {
        MOST_LOOKED_AT = 8
    };
    const void *place = scheduler_end_place();
    uint32_t from = 0;
    unsigned round;
    for (unsigned i = 0; i < MOST_LOOKED_AT; i++) {
        if (!livelock_find(worker.exploration, &worker.limits, &from, &round))
            break;
        enum exchange_end end = look_at_round(round);
        if (end != END_COMPLETE)
            return end;
    }
    execution_end(END_TOO_LARGE, place);
    return END_TOO_LARGE;
}

/* Of a run that no thread ended early. Where some thread waits on what is old nothing is asked:
 * another execution has it go on. */
static enum exchange_end look_at_end(void)
{
    struct exchange_result *result = &worker.result;
    bool complete = scheduler_is_complete(), counts_only = worker.request.graphs_only;
    result->hangs = !complete && !counts_only && scheduler_hangs(result->waits);
    result->complete += complete;
    result->retried += scheduler_has_idle();
    result->blocked += !complete && !exploration_graph(worker.exploration)->wakes_freely;
    result->hanging += result->hangs;
    if (complete && worker.request.counts_twice)
        count_graph();
    if (!complete && !result->hangs)
        return END_COMPLETE;
    enum exchange_end end = counts_only ? END_COMPLETE : look_at_answers();
    return end == END_COMPLETE && complete ? scheduler_teardown() : end;
}

/* All is begun anew. */
static void forget_counts(void)
{
    struct exchange_result *result = &worker.result;
    result->executions = result->complete = result->blocked = result->retried = 0;
    result->hanging = result->waiting_behind = result->repeated = result->most_events = 0;
    table_clear(&worker.graphs.places);
    worker.graphs.items.length = 0;
}

/* Tries out the weak compare-exchanges that the last run was the first to make. If some of them may
 * fail with new consequences, everything is begun anew. */
static void look_at_weak(void)
{
    struct weak_found found[WEAK_FOUND];
    unsigned count = weak_take(found);
    bool chooses = false;
    if (count > 0)
        execution_copy(worker.run, exploration_graph(worker.exploration));
    for (unsigned i = 0; i < count; i++) {
        exploration_begin_failing(worker.exploration, worker.run, found[i].read);
        weak_try(&found[i]);
        (void)scheduler_run(); /* what is found there is found again */
        chooses |= weak_tried(&found[i]);
    }
    if (!chooses)
        return;
    exploration_restart(worker.exploration);
    forget_counts();
}

static enum exchange_end run_once(void)
{
    struct exchange_result *result = &worker.result;
    uint64_t every = worker.request.repeat_one_in;
    struct weak_found found[WEAK_FOUND];
    result->hangs = false;
    (void)weak_take(found); /* of a run that was ended early */
    enum exchange_end end = scheduler_run();
    uint64_t events = exploration_graph(worker.exploration)->event_count;
    result->executions++;
    if (events > result->most_events)
        result->most_events = events;
    if (end == END_COMPLETE &&
        (result->executions == 1 || (every && result->executions % every == 0)))
        end = repeat();
    if (end != END_COMPLETE)
        return end;
    end = look_at_end();
    if (end == END_COMPLETE && !worker.request.graphs_only)
        look_at_weak();
    return end;
}

static void open_exploration(void)
{
    const struct exploration_settings settings = {.model = (enum memory_model)worker.request.model,
                                                  .psc = (enum psc_form)worker.request.psc,
                                                  .budget = &worker.budget};
    exploration_destroy(worker.exploration);
    if (exploration_create(&settings, &worker.exploration) != STATUS_OK)
        _exit(EXIT_OURS);
}

/* From the beginning, with every iteration, or without waiting for reads, or going round once. */
static void begin_again(bool leaves_out, bool waits, bool goes_round)
{
    retry_enable(leaves_out, waits);
    if (goes_round)
        retry_go_round();
    open_exploration();
    scheduler_explore(worker.exploration);
    forget_counts();
}

/* Runs setup; then, where the code itself is the specification, its operations one after the other.
 * What is wrong there already is found again, for each such execution is one of the scenario. */
static enum exchange_end begin(void)
{
    enum exchange_end end = worker.is_set_up ? END_COMPLETE : scheduler_setup();
    struct serial_histories *serial = worker.judge ? judge_serial_histories(worker.judge) : NULL;
    worker.is_set_up = true;
    if (end != END_COMPLETE || !serial || worker.request.graphs_only)
        return end;
    end = serial_explore(serial, &worker.limits);
    scheduler_explore(worker.exploration);
    worker.is_wrong_alone = end == END_FINDING;
    return worker.is_wrong_alone ? END_COMPLETE : end;
}

/* What must be known of iterations that are left out is found on the way. */
static void look_at_left_out(void)
{
    bool unsound = sections_are_unsound();
    if (!unsound && !sections_have_grown())
        return;
    if (unsound) {
        sections_enable(false);
        several_enable(false);
    }
    exploration_restart(worker.exploration);
    forget_counts();
}

/* From the beginning, with other events: what was found until then is forgotten. */
static void begin_with_other_events(void)
{
    worker.clearest.finding = (struct finding){0};
    open_exploration();
    scheduler_explore(worker.exploration);
    forget_counts();
}

/* Stacks turn out to be memory that threads share. */
static bool share_stacks(void)
{
    if (!stacks_become_memory(false) || !(stacks_had_volatile() || retry_has_left_out()))
        return false;
    begin_with_other_events();
    return true;
}

/* A race that is none if its plain accesses are taken as relaxed ones: they are, from the
 * beginning. */
static bool relax_race(enum exchange_end end)
{
    if (end != END_FINDING || !worker.request.relaxes_races ||
        scheduler_finding()->kind != FINDING_RACE || !relaxed_add(scheduler_finding()))
        return false;
    begin_with_other_events();
    return true;
}

/* Whether a run may have ended with what is wrong with a read that a thread waits before. */
static bool is_of_unmade_read(enum exchange_end end)
{
    if (end != END_FINDING)
        return retry_is_at_fault() ||
               (retry_has_waited() && (end == END_MIXED || end == END_NOT_MODELLED));
    return retry_is_at_fault() ||
           (retry_has_waited() && scheduler_finding()->kind >= FINDING_RACE &&
            scheduler_finding()->kind <= FINDING_UNINITIALISED);
}

static enum exchange_end explore(void)
{
    const struct exchange_request *request = &worker.request;
    enum exchange_end end = begin();
    if (end != END_COMPLETE)
        return end;
    bool leaves_out = !request->keeps_retries, waits = leaves_out,
         goes_round = request->keeps_rounds;
    retry_enable(leaves_out, waits);
    if (goes_round)
        retry_go_round();
    sections_enable(!request->keeps_retries);
    several_enable(!request->keeps_retries);
    if (request->model == MEMORY_RC11)
        retry_mind_order();
    while (exploration_begin(worker.exploration)) {
        end = run_once();
        if (share_stacks())
            continue;
        if (is_of_unmade_read(end)) {
            waits = false;
            begin_again(leaves_out, waits, goes_round);
            continue;
        }
        if (relax_race(end))
            continue;
        if (end == END_TOO_LARGE && !request->graphs_only &&
            worker.clearest.finding.kind == FINDING_NONE)
            end = look_for_livelock();
        bool is_kept = end == END_FINDING && request->clearest;
        if (is_kept && worker.result.goes_round) {
            keep_finding();
            return END_TOO_LARGE;
        }
        if (is_kept)
            keep_finding();
        else if (end != END_COMPLETE)
            return end;
        if (retry_has_too_many_rounds() && !request->keeps_rounds) {
            goes_round = false;
            begin_again(leaves_out, waits, goes_round);
        }
        if (retry_is_unsound() || retry_misses_rounds()) {
            goes_round |= retry_misses_rounds();
            leaves_out &= !retry_is_unsound();
            waits &= !goes_round;
            begin_again(leaves_out, waits, goes_round);
        }
        worker.result.misses_rounds |= retry_leaves_rounds();
        look_at_left_out();
        if (worker.result.end == END_MEMORY)
            return END_MEMORY;
        if (request->executions && worker.result.executions >= request->executions)
            return END_EXECUTIONS;
        if ((is_kept || worker.result.executions % RUNS_A_LOOK == 0) &&
            limits_reached(&worker.limits) != LIMIT_NONE)
            return END_TIME;
    }
    bool seen = worker.result.complete + worker.result.hanging > 0 || request->graphs_only;
    seen &= !worker.is_wrong_alone; /* which should have been found again */
    seen |= worker.clearest.finding.kind != FINDING_NONE;
    return seen ? END_COMPLETE : END_UNDECIDED;
}

/* Whether a run by the schedule was one, and came to its end. */
static enum exchange_end check_schedule(enum exchange_end end)
{
    worker.result.steps_made = exploration_steps_made(worker.exploration);
    if (end != END_COMPLETE && end != END_FINDING)
        return end;
    return exploration_is_as_scheduled(worker.exploration) ? end : END_DIFFERS;
}

/* Which accesses a schedule takes as relaxed ones the exploration finds that it is of. */
static enum exchange_end find_relaxed(void)
{
    enum exchange_end end = explore();
    worker.clearest.finding = worker.result.finding = (struct finding){0};
    begin_again(false, false, false);
    return end == END_COMPLETE || end == END_FINDING || end == END_EXECUTIONS ? END_COMPLETE : end;
}

static void begin_led(void)
{
    const struct exchange_request *request = &worker.request;
    if (request->kind == REQUEST_REPLAY) {
        exploration_begin_as(worker.exploration, &request->schedule);
    } else {
        exploration_begin_along(worker.exploration, worker.run);
        exploration_goes_on(worker.exploration, request->goes_on);
    }
}

/* Whether the run comes round: a livelock. */
static bool is_round(unsigned *round)
{
    const struct exchange_request *request = &worker.request;
    bool replays = request->kind == REQUEST_REPLAY;
    return (replays ? request->schedule.goes_round : request->goes_round) &&
           livelock_is_led(worker.exploration, begin_led, &worker.limits, round) &&
           (!replays || exploration_is_as_scheduled(worker.exploration));
}

static enum exchange_end run_led(void)
{
    const struct exchange_request *request = &worker.request;
    enum exchange_end end;
    unsigned round;
    retry_enable(false, false);
    several_enable(true);
    if (is_round(&round) && (end = look_at_round(round)) != END_COMPLETE)
        return end;
    sections_enable(true);
    begin_led();
    end = scheduler_run();
    if (end == END_TOO_LARGE) { /* who waits may write in vain */
        retry_enable(true, false);
        begin_led();
        end = scheduler_run();
    }
    if (end == END_DIFFERS) { /* somebody may have tried one of several locks */
        several_enable(false);
        begin_led();
        end = scheduler_run();
    }
    if (request->kind == REQUEST_REPLAY)
        end = check_schedule(end);
    return end == END_COMPLETE ? look_at_end() : end;
}

/* The run along the graph that follows the request, or by its schedule. Whether that is of stacks
 * that threads share is found on the way. */
static enum exchange_end confirm(void)
{
    const struct exchange_request *request = &worker.request;
    bool finds = request->kind == REQUEST_REPLAY && request->relaxes_races;
    enum exchange_end end = finds ? find_relaxed() : begin();
    if (end != END_COMPLETE)
        return end;
    end = run_led();
    if (stacks_become_memory(end == END_DIFFERS) && stacks_had_volatile())
        end = run_led();
    worker.result.executions = 1;
    return end;
}

static void open_judge(const lp_test *test)
{
    const struct judge_settings settings = {.test = test,
                                            .scenario = &worker.request.scenario,
                                            .is_of_set = worker.request.is_of_set,
                                            .model = (enum memory_model)worker.request.model,
                                            .budget = &worker.budget,
                                            .limits = &worker.limits};
    struct error error = {0};
    if ((!test->spec && !test->sequential) ||
        judge_open(&settings, &worker.judge, &error) == STATUS_OK)
        return;
    struct text said = TEXT_EMPTY; /* with the place, if it is one in a file */
    if (error.file[0])
        text_append(&said, error.file);
    if (error.file[0] && error.line)
        text_format(&said, ":%zu", (size_t)error.line);
    text_format(&said, "%s%s", said.length ? ": " : "", error.message);
    snprintf(worker.result.finding.sentence, EXCHANGE_SENTENCE, "%.*s", EXCHANGE_SENTENCE - 1,
             text_string(&said));
    text_release(&said);
    worker.result.end = END_USAGE;
    finish();
}

/* Once: what all scenarios of the test have in common. */
static void open_worker(void)
{
    if (worker.request.test >= test_count() ||
        !scheduler_open(&__start_lp_tests[worker.request.test]))
        _exit(EXIT_OURS);
    worker.run = memory_small(sizeof *worker.run);
    crash_open(report_end, worker.request.patience ? worker.request.patience : EXCHANGE_PATIENCE);
}

static void run(void)
{
    const struct exchange_request *request = &worker.request;
    budget_init(&worker.budget, NULL, request->memory);
    limits_init(&worker.limits, &worker.budget);
    if (request->seconds > 0)
        worker.limits.deadline = clock_nanoseconds() + (uint64_t)(request->seconds * 1e9);
    table_init(&worker.histories.places, &worker.budget);
    table_init(&worker.graphs.places, &worker.budget);
    vectors_init(&worker.budget, &worker.histories.items, &worker.graphs.items);
    if (request->kind == REQUEST_CONFIRM)
        receive(worker.run, sizeof *worker.run);
    relaxed_begin(&request->relaxed);
    open_exploration();
    scheduler_take(&request->scenario, worker.exploration);
    open_judge(&__start_lp_tests[request->test]);
    worker.result.breaks_contract =
        worker.judge && judge_breaks_contract(worker.judge, &request->scenario);
    enum exchange_end end = END_LEFT_OUT;
    if (!worker.result.breaks_contract || !request->leaves_out)
        end = request->kind == REQUEST_EXPLORE ? explore() : confirm();
    if (worker.clearest.finding.kind != FINDING_NONE)
        choose_clearest(end == END_COMPLETE);
    else
        take_down(end);
}

/* What belongs to a request is given back, and forgotten. */
static void forget_request(void)
{
    exploration_destroy(worker.exploration);
    judge_close(worker.judge);
    table_release(&worker.histories.places);
    table_release(&worker.graphs.places);
    vectors_release(&worker.histories.items, &worker.graphs.items);
    worker.exploration = NULL;
    worker.judge = NULL;
    memset(&worker.result, 0, sizeof worker.result);
    assert(atomic_load(&worker.budget.used) == 0);
}

/* What a new process would do with it, but for setup. */
static void receive_next(void)
{
    uint32_t test = worker.request.test;
    receive(&worker.request, sizeof worker.request);
    if (worker.request.version != EXCHANGE_VERSION || worker.request.kind != REQUEST_EXPLORE ||
        worker.request.test != test)
        _exit(EXIT_OURS);
}

/* Before anything of the code under test, its static initialisers included. */
__attribute__((constructor(101))) static void open_memory(void)
{
    if (!region_open() || !globals_open() || !shadow_open())
        _exit(EXIT_OURS);
}

int main(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], EXCHANGE_WORD) != 0) { /* it is run as any other program */
        static const char said[] = "this program has tests and no main of its own: give it to "
                                   "`linchpin test`\n";
        return write(STDERR_FILENO, said, sizeof said - 1) < 0 ? EXIT_OURS : EXIT_BY_HAND;
    }
    receive(&worker.request, sizeof worker.request);
    if (worker.request.version != EXCHANGE_VERSION)
        return EXIT_OURS;
    if (worker.request.kind == REQUEST_LIST) {
        list_tests();
        _exit(0);
    }
    open_worker();
    for (;; receive_next()) {
        run();
        finish();
        forget_request();
    }
}
