/* A history without end that is decided on several threads has the same answer as on one: the same
 * verdict behind each piece of it, the same event named, the same history to tell it. The histories
 * are of cas-registers, many keys in each batch, with answers that are wrong now and then, of
 * several keys in one batch, too.
 *
 *     test_stream_threads [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <linchpin/monitor.h>

#include "base/random.h"
#include "base/text.h"
#include "support/seeds.h"

#define KEYS      6
#define PROCESSES 12
#define EVENTS    2400
#define PIECE     700 /* events */

static struct seeds seeds = {1, 30};

enum function {
    READ,
    WRITE,
    CAS,
};

static const char *const names[] = {"read", "write", "cas"};

struct caller {
    unsigned process, key, expected, next, answer;
    enum function function;
    enum {
        IDLE,
        INVOKED,
        TOOK_EFFECT
    } state;
};

/* A log as it grows: callers of registers that hold 1 to 3, or 0 at first, for nil. */
struct maker {
    struct random random;
    struct caller callers[PROCESSES];
    unsigned registers[KEYS], next_process;
    unsigned wrong; /* answers in a thousand */
    struct text text;
};

static void begin(struct maker *maker, struct caller *caller)
{
    *caller = (struct caller){.process = caller->process,
                              .key = random_below(&maker->random, KEYS),
                              .expected = 1 + random_below(&maker->random, 3),
                              .next = 1 + random_below(&maker->random, 3),
                              .function = (enum function)random_below(&maker->random, 3),
                              .state = INVOKED};
}

static void take_effect(struct maker *maker, struct caller *caller)
{
    unsigned *held = &maker->registers[caller->key];
    caller->state = TOOK_EFFECT;
    caller->answer = *held;
    if (caller->function == CAS)
        caller->answer = *held == caller->expected;
    if (caller->function == WRITE || (caller->function == CAS && caller->answer))
        *held = caller->next;
    if (caller->function != WRITE && random_below(&maker->random, 1000) < maker->wrong)
        caller->answer = !caller->answer;
}

static void write_event(struct maker *maker, const struct caller *caller, const char *type)
{
    struct text *text = &maker->text;
    text_format(text, "{\"process\":%u,\"type\":\"%s\",\"f\":\"%s\",\"value\":[\"key %u\",",
                caller->process, type, names[caller->function], caller->key);
    bool invokes = caller->state == INVOKED && strcmp(type, "invoke") == 0;
    bool answers = strcmp(type, "ok") == 0;
    if (caller->function == CAS && !answers)
        text_format(text, "[%u,%u]", caller->expected, caller->next);
    else if (caller->function == CAS)
        text_append(text, caller->answer ? "true" : "false");
    else if (caller->function == WRITE)
        text_format(text, "%u", caller->next);
    else if (invokes || !answers || !caller->answer)
        text_append(text, "null");
    else
        text_format(text, "%u", caller->answer);
    text_append(text, "]}\n");
}

/* Appends the next event. */
static void make_event(struct maker *maker)
{
    for (;;) {
        struct caller *caller = &maker->callers[random_below(&maker->random, PROCESSES)];
        if (caller->state == IDLE) {
            begin(maker, caller);
            write_event(maker, caller, "invoke");
            return;
        }
        if (caller->state == INVOKED && random_chance(&maker->random, 1, 300)) {
            write_event(maker, caller, "info");
            caller->process = maker->next_process++;
            caller->state = IDLE;
            return;
        }
        if (caller->state == INVOKED) {
            take_effect(maker, caller);
            continue;
        }
        write_event(maker, caller, "ok");
        caller->state = IDLE;
        return;
    }
}

static lp_monitor *open_monitor(lp_context *context, lp_spec *spec, size_t threads)
{
    lp_error error;
    lp_monitor *monitor;
    lp_binding binding = {NULL, spec};
    lp_monitor_options options = {.size = sizeof options,
                                  .format = "json",
                                  .independent = true,
                                  .keep = 200,
                                  .batch = 512,
                                  .forget = true,
                                  .jobs = threads};
    assert_int_equal(lp_monitor_create(context, "log", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    return monitor;
}

/* How many operations the answer speaks of. */
static size_t told_of(lp_monitor *monitor)
{
    lp_history *history;
    lp_result *result;
    lp_error error;
    assert_int_equal(lp_monitor_result(monitor, &history, &result, &error), LP_OK);
    assert_int_equal(result->verdict, LP_VIOLATION);
    size_t length = lp_history_length(history);
    lp_result_destroy(result);
    lp_history_destroy(history);
    return length;
}

static void expect_same(lp_monitor *one, lp_monitor *several, uint64_t seed)
{
    const lp_monitor_state *a = lp_monitor_look(one), *b = lp_monitor_look(several);
    if (a->verdict != b->verdict || a->line != b->line || a->exact != b->exact ||
        a->retained != b->retained || a->given_up != b->given_up)
        fail_msg("seed %" PRIu64 ": one thread: verdict %d, line %u, exact %d, %" PRIu64
                 " kept; several: %d, %u, %d, %" PRIu64,
                 seed, (int)a->verdict, a->line, a->exact, a->retained, (int)b->verdict, b->line,
                 b->exact, b->retained);
}

/* Whether there is a violation. */
static bool try_seed(uint64_t seed)
{
    struct maker maker = {.text = TEXT_EMPTY, .next_process = PROCESSES};
    random_seed(&maker.random, seed);
    maker.wrong = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 1 : 20;
    for (unsigned i = 0; i < PROCESSES; i++)
        maker.callers[i].process = i;
    lp_context *contexts[2];
    lp_spec *specs[2];
    lp_monitor *monitors[2];
    lp_error error;
    for (size_t i = 0; i < 2; i++) {
        contexts[i] = lp_context_create(0);
        assert_int_equal(lp_spec_create(contexts[i], "cas-register", NULL, &specs[i], &error),
                         LP_OK);
    }
    for (unsigned i = 0; i < EVENTS; i++)
        make_event(&maker);
    const char *text = text_string(&maker.text), *at = text;
    for (size_t i = 0; i < 2; i++)
        monitors[i] = open_monitor(contexts[i], specs[i], i ? 3 : 1);
    for (unsigned piece = 0; *at; piece++) {
        const char *end = at;
        for (unsigned i = 0; i < PIECE && *end; i++)
            end = strchr(end, '\n') + 1;
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(lp_monitor_feed(monitors[i], at, (size_t)(end - at), &error), LP_OK);
            if (piece % 2)
                assert_int_equal(lp_monitor_decide(monitors[i], &error), LP_OK);
        }
        expect_same(monitors[0], monitors[1], seed);
        at = end;
    }
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(lp_monitor_decide(monitors[i], &error), LP_OK);
    expect_same(monitors[0], monitors[1], seed);
    bool violated = lp_monitor_look(monitors[0])->verdict == LP_VIOLATION;
    if (violated)
        assert_int_equal(told_of(monitors[0]), told_of(monitors[1]));
    for (size_t i = 0; i < 2; i++) {
        lp_monitor_destroy(monitors[i]);
        lp_spec_destroy(specs[i]);
        lp_context_destroy(contexts[i]);
    }
    text_release(&maker.text);
    return violated;
}

static void test_threads_answer_the_same(void **state)
{
    (void)state;
    unsigned violations = 0;
    for (unsigned i = 0; i < seeds.count; i++)
        violations += try_seed(seeds.first + i);
    printf("seeds %" PRIu64 " to %" PRIu64 ": %u violations\n", seeds.first,
           seeds.first + seeds.count - 1, violations);
    assert_true(violations >= seeds.count / 3 && violations < seeds.count);
}

int main(int argc, char **argv)
{
    seeds_from_arguments(&seeds, argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads_answer_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
