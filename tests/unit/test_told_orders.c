/* What is told of an execution: its schedule, which leads to the same graph again, and to no other
 * one; and its tidy order, compared with every order that there is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "scenario/tidy_order.h"
#include "support/memory_oracle.h"
#include "support/seeds.h"

static struct seeds seeds = {.first = 1, .count = 60};

static const enum memory_model MODELS[] = {MEMORY_SC, MEMORY_TSO, MEMORY_RC11};
enum {
    MOST_GRAPHS = 60 /* of a program */
};

/* ---- every order ---- */

struct orders {
    const struct execution_graph *graph;
    uint8_t order[EXECUTION_EVENTS];
    bool made[EXECUTION_EVENTS];
    unsigned last; /* the thread that must come last, or TIDY_ANY_THREAD */
    struct tidiness best;
    uint64_t count;
};

/* By the definition: an access is against time if something newer of its location is before it. */
static struct tidiness measure(const struct execution_graph *graph, const uint8_t *order)
{
    struct tidiness tidiness = {0, 0};
    for (unsigned i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[order[i]];
        bool against = false;
        if (i > 0 && graph->events[order[i - 1]].thread != event->thread)
            tidiness.switches++;
        if (!event_is_access(event) || event->is_update)
            continue;
        unsigned rank = event->rank;
        if (event->kind == EVENT_KIND_READ)
            rank = event->source >= 0 ? graph->events[event->source].rank : 0;
        for (unsigned j = 0; j < i; j++) {
            const struct execution_event *earlier = &graph->events[order[j]];
            against |= earlier->kind == EVENT_KIND_WRITE && earlier->rank > rank &&
                       earlier->location == event->location;
        }
        tidiness.against_time += against;
    }
    return tidiness;
}

static bool is_better(struct tidiness a, struct tidiness b)
{
    return a.against_time != b.against_time ? a.against_time < b.against_time
                                            : a.switches < b.switches;
}

static void extend(struct orders *orders, unsigned length)
{
    const struct execution_graph *graph = orders->graph;
    if (length == graph->event_count) {
        struct tidiness found = measure(graph, orders->order);
        if (orders->last != TIDY_ANY_THREAD &&
            (length == 0 || graph->events[orders->order[length - 1]].thread != orders->last))
            return;
        if (orders->count++ == 0 || is_better(found, orders->best))
            orders->best = found;
        return;
    }
    for (unsigned i = 0; i < graph->event_count; i++) {
        const struct execution_event *event = &graph->events[i];
        bool ready = !orders->made[i] && (event->before < 0 || orders->made[event->before]) &&
                     (event->source < 0 || orders->made[event->source]);
        /* The write of an update comes right behind its read. */
        for (unsigned j = 0; ready && j < graph->event_count; j++)
            if (graph->events[j].is_update && !orders->made[j] && j != i &&
                orders->made[graph->events[j].before])
                ready = false;
        if (!ready)
            continue;
        orders->made[i] = true;
        orders->order[length] = (uint8_t)i;
        extend(orders, length + 1);
        orders->made[i] = false;
    }
}

static void compare_order(const struct execution_graph *graph, unsigned last, uint64_t seed)
{
    struct budget budget;
    struct orders orders = {.graph = graph, .last = last};
    static struct execution_graph tidy;
    budget_init(&budget, NULL, 0);
    extend(&orders, 0);
    execution_copy(&tidy, graph);
    assert_true(tidy_order(&tidy, last, &budget));
    if (orders.count == 0) { /* that thread cannot come last */
        assert_memory_equal(tidy.replay, graph->replay, graph->replay_count);
        return;
    }
    struct tidiness found = measure(&tidy, tidy.replay), said = tidiness_of(&tidy);
    if (found.against_time != orders.best.against_time || found.switches != orders.best.switches)
        fail_msg("seed %llu: %u against time and %u switches, of all orders at best %u and %u",
                 (unsigned long long)seed, found.against_time, found.switches,
                 orders.best.against_time, orders.best.switches);
    assert_int_equal(said.against_time, found.against_time);
    assert_int_equal(said.switches, found.switches);
    assert_true(last == TIDY_ANY_THREAD ||
                tidy.events[tidy.replay[tidy.replay_count - 1]].thread == last);
}

/* ---- schedules ---- */

static bool run_as(const struct memory_program *program, enum memory_model model,
                   const struct schedule *schedule, char *words)
{
    struct budget budget;
    struct exploration *exploration = NULL;
    bool complete = false;
    budget_init(&budget, NULL, 0);
    const struct exploration_settings settings = {.model = model, .budget = &budget};
    assert_int_equal(exploration_create(&settings, &exploration), STATUS_OK);
    exploration_begin_as(exploration, schedule);
    bool fits = memory_program_run(program, exploration, &complete) && complete &&
                exploration_is_as_scheduled(exploration);
    if (fits)
        memory_graph_describe(exploration_graph(exploration), words);
    exploration_destroy(exploration);
    return fits;
}

/* A schedule of one execution never leads to another one, and what it is changed to leads to an
 * execution of the model or to none. */
static void compare_schedule(const struct memory_program *program, enum memory_model model,
                             const struct execution_graph *graph, const struct text_set *all,
                             struct random *random, uint64_t seed)
{
    char expected[GRAPH_WORDS], found[GRAPH_WORDS];
    struct schedule schedule, parsed;
    struct text text = TEXT_EMPTY, again = TEXT_EMPTY;
    struct error error;
    memory_graph_describe(graph, expected);
    schedule_take(graph, SCHEDULE_NOBODY, &schedule);
    schedule_print(&schedule, &text);
    if (schedule_parse(text_string(&text), &parsed, &error) != STATUS_OK)
        fail_msg("seed %llu: %s: %s", (unsigned long long)seed, text_string(&text), error.message);
    schedule_print(&parsed, &again);
    assert_string_equal(text_string(&text), text_string(&again));
    if (!run_as(program, model, &parsed, found) || strcmp(expected, found) != 0)
        fail_msg("seed %llu: %s leads to another execution than it was made of",
                 (unsigned long long)seed, text_string(&text));
    for (unsigned i = 0; i < 10; i++) {
        struct schedule changed = schedule;
        struct schedule_step *step = &changed.steps[random_below(random, changed.count)];
        text_clear(&again);
        if (!strchr("ruwp", step->kind))
            continue;
        step->newer = (uint8_t)random_below(random, 3);
        schedule_print(&changed, &again);
        if (schedule_parse(text_string(&again), &parsed, &error) == STATUS_OK &&
            run_as(program, model, &parsed, found) && !text_set_has(all, found))
            fail_msg("seed %llu: %s is no execution of the model", (unsigned long long)seed,
                     text_string(&again));
    }
    text_release(&text);
    text_release(&again);
}

static void schedules_and_orders_of_random_programs(void **unused)
{
    (void)unused;
    unsigned graphs = 0, weak = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++) {
        struct memory_program program;
        struct random random;
        random_seed(&random, seed);
        memory_program_random(&program, seed, 5 + (unsigned)(seed % 4));
        for (unsigned i = 0; i < 3; i++) {
            struct budget budget;
            struct exploration *exploration = NULL;
            struct text_set all = {0};
            unsigned looked = 0;
            bool complete;
            if (!memory_oracle_graphs(&program, MODELS[i], PSC_PAPER, &all)) {
                text_set_release(&all);
                continue;
            }
            budget_init(&budget, NULL, 0);
            const struct exploration_settings settings = {.model = MODELS[i], .budget = &budget};
            assert_int_equal(exploration_create(&settings, &exploration), STATUS_OK);
            while (looked < MOST_GRAPHS && exploration_begin(exploration)) {
                assert_true(memory_program_run(&program, exploration, &complete));
                if (!complete)
                    continue;
                const struct execution_graph *graph = exploration_graph(exploration);
                struct tidiness before = tidiness_of(graph);
                compare_schedule(&program, MODELS[i], graph, &all, &random, seed);
                compare_order(graph, TIDY_ANY_THREAD, seed);
                compare_order(graph, random_below(&random, 3), seed);
                weak += before.against_time > 0;
                looked++;
            }
            graphs += looked;
            exploration_destroy(exploration);
            text_set_release(&all);
        }
    }
    print_message("seeds from %llu: %u graphs, %u with accesses against time as they were met\n",
                  (unsigned long long)seeds.first, graphs, weak);
    assert_true(weak * 20 > graphs);
}

static void what_is_wrong_with_a_schedule_is_said(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "expected a thread, 1 to 8, found its end"},
        {"9r0", "expected a thread, 1 to 8 at character 1"},
        {"1x", "expected a step, one of r u s w p f c j b e o at character 2, found 'x'"},
        {"1r", "expected the number of a location, found its end"},
        {"1r0-", "expected how many writes are newer, found its end"},
        {"1r0.", "expected a thread, 1 to 8, found its end"},
        {"1w0r0-2", "in step 2, 2 writes are newer, of 1 that were made"},
        {"1r999", "the number of a location"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct schedule schedule;
        struct error error = {0};
        assert_int_equal(schedule_parse(cases[i].text, &schedule, &error), STATUS_USAGE);
        if (!strstr(error.message, cases[i].said))
            fail_msg("%s: %s", cases[i].text, error.message);
    }
}

/* test_told_orders [FIRST_SEED [PROGRAMS]] */
int main(int count, char **arguments)
{
    seeds_from_arguments(&seeds, count, arguments);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_and_orders_of_random_programs),
        cmocka_unit_test(what_is_wrong_with_a_schedule_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
