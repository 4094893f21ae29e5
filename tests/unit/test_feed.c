/* Lines of a log that are fed. Where some are refused, what is fed behind them goes on as if they
 * had not been there: two monitors are fed the same random log, one of them with bad lines in
 * between, in random pieces and with several threads, and behind every piece both know the same.
 *
 *     test_feed [FIRST_SEED [COUNT]] */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linchpin/monitor.h>

#include "api/monitor.h"
#include "base/random.h"
#include "base/text.h"
#include "support/seeds.h"

#define PROCESSES 4
#define LINES     120

static struct seeds seeds = {1, 150};

struct sample_log {
    struct random random;
    bool edn, timed;
    int64_t time, stored;
    int64_t written[PROCESSES]; /* running: 0: a read; else a write of it; -1: none runs */
    struct text text;
    size_t ends[LINES];
    bool bad[LINES];
};

/* ---- the log ---- */

static void say(struct sample_log *log, const char *process, const char *type, const char *function,
                const char *argument)
{
    if (log->edn)
        text_format(&log->text, "{:process %s, :type :%s, :f :%s, :value %s", process, type,
                    function, argument);
    else
        text_format(&log->text, "{\"process\": %s, \"type\": \"%s\", \"f\": \"%s\", \"value\": %s",
                    process, type, function, strcmp(argument, "nil") == 0 ? "null" : argument);
    if (log->timed)
        text_format(&log->text, log->edn ? ", :time %" PRId64 : ", \"time\": %" PRId64, log->time);
    text_append(&log->text, "}\n");
}

static void say_good(struct sample_log *log)
{
    struct random *random = &log->random;
    const unsigned process = random_below(random, PROCESSES);
    int64_t *written = &log->written[process];
    char name[8], argument[24];
    log->time += random_below(random, 3);
    snprintf(name, sizeof name, "%u", process);
    if (*written < 0) {
        *written = random_chance(random, 1, 2) ? ++log->stored : 0;
        snprintf(argument, sizeof argument, "%" PRId64, *written);
        say(log, name, "invoke", *written ? "write" : "read", *written ? argument : "nil");
        return;
    }
    const int64_t least = log->stored > 2 && random_chance(random, 1, 40) ? log->stored - 2 : 0;
    snprintf(argument, sizeof argument, "%" PRId64,
             *written ? *written
             : least  ? least
                      : log->stored);
    say(log, name, random_chance(random, 1, 12) ? "info" : "ok", *written ? "write" : "read",
        *written || log->stored ? argument : "nil");
    *written = -1;
}

/* What is no line of any log, or not of this one behind the lines so far. */
static void say_bad(struct sample_log *log)
{
    struct random *random = &log->random;
    const unsigned process = random_below(random, PROCESSES);
    const bool runs = log->written[process] >= 0;
    const int64_t now = log->time;
    char name[8];
    snprintf(name, sizeof name, "%u", process);
    log->time += random_below(random, 2) * 1000; /* a time that counts for nothing */
    switch (random_below(random, 6)) {
    case 0:
        text_append(&log->text, "nonsense\n");
        break;
    case 1:
        text_append(&log->text, log->edn ? "{:process 0, :type\n" : "{\"process\": 0, \"type\"\n");
        break;
    case 2:
        say(log, name, runs ? "ok" : "invoke", "no-such", "1");
        break;
    case 3:
        say(log, name, runs ? "invoke" : "ok", "read", "nil");
        break;
    case 4:
        say(log, "77", "ok", "read", "nil"); /* who invoked nothing */
        break;
    default:
        if (log->timed && now > 0) { /* the times run backwards */
            log->time = now - 1;
            say(log, name, runs ? "ok" : "invoke", runs && log->written[process] ? "write" : "read",
                "nil");
        } else {
            text_append(&log->text, "[1, 2]\n");
        }
    }
    log->time = now;
}

static void make_log(struct sample_log *log, uint64_t seed)
{
    *log = (struct sample_log){.text = TEXT_EMPTY};
    random_seed(&log->random, seed);
    log->edn = random_chance(&log->random, 1, 2);
    log->timed = random_chance(&log->random, 1, 2);
    memset(log->written, 0xff, sizeof log->written);
    const uint32_t bad = 1 + random_below(&log->random, 6);
    for (size_t i = 0; i < LINES; i++) {
        log->bad[i] = random_chance(&log->random, 1, bad + 1);
        if (log->bad[i])
            say_bad(log);
        else
            say_good(log);
        log->ends[i] = log->text.length;
    }
}

/* ---- the monitors ---- */

struct watched {
    lp_context *context;
    lp_spec *spec;
    lp_monitor *monitor;
};

static void watch(struct watched *watched, const struct sample_log *log, size_t jobs, size_t batch)
{
    lp_error error;
    const lp_monitor_options options = {
        .size = sizeof options, .format = log->edn ? "edn" : "json", .jobs = jobs, .batch = batch};
    watched->context = lp_context_create(0);
    assert_int_equal(lp_spec_create(watched->context, "register", NULL, &watched->spec, &error),
                     LP_OK);
    const lp_binding binding = {NULL, watched->spec};
    assert_int_equal(lp_monitor_create(watched->context, "log", &binding, 1, &options,
                                       &watched->monitor, &error),
                     LP_OK);
}

static void leave(struct watched *watched)
{
    lp_monitor_destroy(watched->monitor);
    lp_spec_destroy(watched->spec);
    lp_context_destroy(watched->context);
}

static const lp_monitor_state *decide(const struct watched *watched)
{
    lp_error error;
    assert_int_equal(lp_monitor_decide(watched->monitor, &error), LP_OK);
    return lp_monitor_look(watched->monitor);
}

/* Feeds a piece, and goes on behind the lines that are refused; how many are. */
static size_t feed(const struct sample_log *log, const struct watched *watched, size_t from,
                   size_t to, size_t *last)
{
    lp_error error;
    size_t refused = 0;
    const char *bytes = text_string(&log->text) + from;
    lp_status status = lp_monitor_feed(watched->monitor, bytes, to - from, &error);
    for (; status == LP_INPUT; status = lp_monitor_feed(watched->monitor, NULL, 0, &error)) {
        const lp_monitor_state *state = lp_monitor_look(watched->monitor);
        assert_false(state->failed);
        assert_int_equal(state->lines, error.line);
        assert_true(error.line > *last && error.line <= LINES);
        assert_true(log->bad[error.line - 1]);
        *last = error.line;
        refused++;
    }
    assert_int_equal(status, LP_OK);
    return refused;
}

static void compare(const struct sample_log *log, uint64_t seed, const lp_monitor_state *mixed,
                    const lp_monitor_state *plain)
{
    size_t good = 0;
    for (size_t i = 0; i < mixed->line; i++)
        good += !log->bad[i];
    if (mixed->verdict != plain->verdict || mixed->operations != plain->operations ||
        mixed->running != plain->running || mixed->pending != plain->pending ||
        mixed->exact != plain->exact || good != plain->line)
        fail_msg("seed %" PRIu64 ": verdict %d, %" PRIu64 " operations, %" PRIu64
                 " running, line %zu of the good ones; without bad lines %d, %" PRIu64 ", %" PRIu64
                 ", %u",
                 seed, (int)mixed->verdict, mixed->operations, mixed->running, good,
                 (int)plain->verdict, plain->operations, plain->running, plain->line);
}

/* Whether there is a violation. */
static bool try_seed(uint64_t seed)
{
    struct sample_log log;
    struct watched mixed, plain;
    make_log(&log, seed);
    const size_t batch = 1 + random_below(&log.random, 24);
    watch(&mixed, &log, 1 + random_below(&log.random, 4), batch);
    watch(&plain, &log, 1, batch);
    size_t from = 0, line = 0, last = 0, refused = 0, bad = 0, unfed = 0;
    const lp_monitor_state *state = lp_monitor_look(mixed.monitor);
    while (from < log.text.length && state->verdict != LP_VIOLATION) {
        size_t to = from + 1 + random_below(&log.random, 600);
        to = to < log.text.length ? to : log.text.length;
        refused += feed(&log, &mixed, from, to, &last);
        for (; line < LINES && log.ends[line] <= to; line++) {
            const size_t begin = line ? log.ends[line - 1] : 0;
            bad += log.bad[line];
            if (!log.bad[line])
                assert_int_equal(feed(&log, &plain, begin, log.ends[line], &unfed), 0);
        }
        from = to;
        state = decide(&mixed);
        compare(&log, seed, state, decide(&plain));
        assert_true(state->verdict == LP_VIOLATION ? refused <= bad : refused == bad);
    }
    const bool violated = state->verdict == LP_VIOLATION;
    leave(&mixed);
    leave(&plain);
    text_release(&log.text);
    return violated;
}

static void test_lines_that_are_refused_have_not_been(void **state)
{
    (void)state;
    uint64_t violations = 0;
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count; seed++)
        violations += try_seed(seed);
    assert_true(violations > seeds.count / 10 && violations < seeds.count);
}

/* ---- the beginning and the end of a log ---- */

static const struct sample_log none = {.edn = false};

static void test_first_and_last_line_may_be_refused(void **state)
{
    (void)state;
    struct watched watched;
    lp_error error;
    watch(&watched, &none, 1, 0);
    lp_monitor *monitor = watched.monitor;
    static const char text[] = "{\"process\": 0, \"type\": \"ok\", \"f\": \"read\"}\n"
                               "{\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}\n"
                               "{\"process\": 0, \"type\": \"ok\", \"f\": \"read\"";
    assert_int_equal(lp_monitor_feed(monitor, text, sizeof text - 1, &error), LP_INPUT);
    assert_int_equal(error.line, 1);
    const char *tail;
    size_t length;
    assert_int_equal(lp_monitor_taken(monitor, 0, &tail, &length), strchr(text, '\n') + 1 - text);
    assert_int_equal(lp_monitor_look(monitor)->waiting,
                     text + sizeof text - 2 - strchr(text, '\n'));
    assert_int_equal(lp_monitor_end(monitor, &error), LP_INPUT);
    assert_int_equal(error.line, 3);
    assert_int_equal(lp_monitor_end(monitor, &error), LP_OK);
    const lp_monitor_state *last = decide(&watched);
    assert_true(last->operations == 1 && last->running == 1 && last->lines == 3 &&
                last->waiting == 0 && !last->failed);
    leave(&watched);
}

static void test_format_is_found_behind_a_line_in_none(void **state)
{
    (void)state;
    struct watched watched;
    lp_error error;
    watch(&watched, &none, 1, 0);
    lp_monitor_destroy(watched.monitor);
    const lp_binding binding = {NULL, watched.spec};
    assert_int_equal(
        lp_monitor_create(watched.context, "log", &binding, 1, NULL, &watched.monitor, &error),
        LP_OK);
    static const char text[] = "\n  \nlog opened\n"
                               "{\"process\": 0, \"type\": \"invoke\", \"f\": \"read\"}\n";
    assert_int_equal(lp_monitor_feed(watched.monitor, text, sizeof text - 1, &error), LP_INPUT);
    assert_int_equal(error.line, 3);
    assert_non_null(strstr(error.message, "format"));
    assert_int_equal(lp_monitor_feed(watched.monitor, "", 0, &error), LP_OK);
    assert_true(decide(&watched)->running == 1 && lp_monitor_look(watched.monitor)->lines == 4);
    leave(&watched);
}

/* A line of a gigabyte comes in pieces, and its end is looked for in each of them once: an end put
 * into what was there before is not seen. */
static void test_only_new_bytes_are_searched_for_the_end_of_a_line(void **state)
{
    (void)state;
    static const char piece[] = "{\"process\": 0, \"type\": \"invoke\", ";
    const size_t length = sizeof piece - 1;
    struct watched watched;
    lp_error error;
    watch(&watched, &none, 1, 0);
    lp_monitor *monitor = watched.monitor;
    for (size_t i = 1; i <= 3; i++) {
        assert_int_equal(lp_monitor_feed(monitor, piece, length, &error), LP_OK);
        assert_int_equal(lp_monitor_look(monitor)->lines, 0);
        assert_int_equal(lp_monitor_look(monitor)->waiting, i * length);
        monitor->feed.bytes.items[1] = '\n';
    }
    leave(&watched);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_that_are_refused_have_not_been),
        cmocka_unit_test(test_first_and_last_line_may_be_refused),
        cmocka_unit_test(test_format_is_found_behind_a_line_in_none),
        cmocka_unit_test(test_only_new_bytes_are_searched_for_the_end_of_a_line),
    };
    seeds_from_arguments(&seeds, count, arguments);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
