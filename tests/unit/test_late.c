/* Operations that run for long, or for ever, of a log without end, and longer than --late: what is
 * kept stays level, though whoever reads may have read any value that was written meanwhile. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <linchpin/monitor.h>

#include "base/text.h"
#include "support/endless.h"

struct object {
    const char *spec, *add, *take;
    enum endless_order order;
    uint32_t keys, most; /* most: to which it counts */
    bool with_cas, valued;
    bool texts;        /* values are long ones */
    double most_bytes; /* of one that runs for ever, without --late; 0: as many as are written */
};

static const struct object cas = {"cas-register", "write", "read", ENDLESS_OLDEST, 1, 0, true,
                                  true,           false,   0};
static const struct object texts = {"cas-register", "write", "read", ENDLESS_OLDEST, 1, 0, true,
                                    true,           true,    0};

struct use {
    uint32_t processes;
    uint32_t hangs;   /* operations in a million, */
    uint32_t hanging; /* so long */
};

static const struct use uses[] = {{8, 1000, 4000}, {8, 300, 40000}, {32, 1000, 40000}};

/* Of which processes fall silent. */
static const struct object objects[] = {
    {"mutex", "acquire", "release", ENDLESS_COUNT, 0, 1, false, false, false, 64},
    {"semaphore(3)", "acquire", "release", ENDLESS_COUNT, 0, 3, false, false, false, 64},
    {"counter", "add", "read", ENDLESS_TOTAL, 0, 0, false, true, false, 64},
    {"register", "write", "read", ENDLESS_OLDEST, 1, 0, false, true, false, 0},
    {"queue", "enqueue", "dequeue", ENDLESS_OLDEST, 0, 10, false, true, false, 128},
    {"priority-queue", "insert", "delete-min", ENDLESS_LEAST, 0, 10, false, true, false, 256},
};

struct run {
    const struct object *object;
    struct endless endless;
    lp_context *context;
    lp_spec *spec;
    lp_monitor *monitor;
    bool merged; /* it is told one of several logs */
};

/* What is kept, but for pending writes, at most in the first tenth and in the last. */
struct level {
    uint64_t first, last, late, late_answers;
};

static void write_one(struct text *line, const struct object *object, int64_t v)
{
    text_format(line, object->texts ? "\"%0200" PRId64 "\"" : "%" PRId64, v);
}

static void write_value(struct text *line, const struct object *object,
                        const struct endless_event *event)
{
    if (event->swaps && event->begins) {
        text_append(line, "[");
        write_one(line, object, event->expected);
        text_append(line, ",");
        write_one(line, object, event->value);
        text_append(line, "]");
    } else if (event->swaps)
        text_append(line, event->swapped ? "true" : "false");
    else if (object->valued && event->adds == event->begins &&
             (event->value || object->order == ENDLESS_TOTAL))
        write_one(line, object, event->value);
    else
        text_append(line, "null");
}

/* Each line comes a nanosecond behind the one before it. */
static const lp_monitor_state *feed_next(struct run *run, uint64_t time)
{
    const struct endless_event event = endless_next(&run->endless);
    const struct object *object = run->object;
    struct text line = TEXT_EMPTY;
    lp_error error;
    text_format(&line,
                "{\"process\":%u,\"type\":\"%s\",\"f\":\"%s\",\"time\":%" PRIu64 ",\"value\":",
                event.process, event.begins ? "invoke" : "ok",
                event.swaps  ? "cas"
                : event.adds ? object->add
                             : object->take,
                time);
    write_value(&line, object, &event);
    text_append(&line, "}\n");
    assert_int_equal(run->merged
                         ? lp_monitor_feed_log(run->monitor, 0, line.bytes, line.length, &error)
                         : lp_monitor_feed(run->monitor, line.bytes, line.length, &error),
                     LP_OK);
    text_release(&line);
    const lp_monitor_state *state = lp_monitor_look(run->monitor);
    assert_int_equal(state->verdict, LP_LINEARIZABLE);
    return state;
}

static void open_run(struct run *run, const struct object *object, uint32_t processes,
                     uint32_t pending, bool late, bool merged)
{
    static const char *const logs[] = {"one"};
    lp_error error;
    *run = (struct run){.object = object, .context = lp_context_create(0), .merged = merged};
    assert_int_equal(lp_spec_create(run->context, object->spec, NULL, &run->spec, &error), LP_OK);
    const lp_binding binding = {NULL, run->spec};
    const lp_monitor_options options = {.size = sizeof options,
                                        .keep = 100,
                                        .late = late ? 500 : 0,
                                        .logs = merged ? logs : NULL,
                                        .log_count = merged};
    assert_int_equal(
        lp_monitor_create(run->context, "log", &binding, 1, &options, &run->monitor, &error),
        LP_OK);
    endless_open(&run->endless, 7, object->order, processes, object->keys, object->most, pending);
    run->endless.with_cas = object->with_cas;
}

static void close_run(struct run *run)
{
    endless_close(&run->endless);
    lp_monitor_destroy(run->monitor);
    lp_spec_destroy(run->spec);
    lp_context_destroy(run->context);
}

static struct level run_long(const struct use *use, uint64_t operations)
{
    struct level level = {0};
    struct run run;
    open_run(&run, &cas, use->processes, 0, true, false);
    run.endless.hangs = use->hangs;
    run.endless.hanging = use->hanging;
    for (uint64_t now = 1; run.endless.operations < operations; now++) {
        const lp_monitor_state *state = feed_next(&run, now);
        const bool in_first = run.endless.operations <= operations / 10;
        if (!in_first && run.endless.operations <= operations / 10 * 9)
            continue;
        const uint64_t kept =
            state->retained > state->pending ? state->retained - state->pending : 0;
        uint64_t *most = in_first ? &level.first : &level.last;
        *most = kept > *most ? kept : *most;
        level.late = state->late;
        level.late_answers = state->late_answers;
    }
    close_run(&run);
    return level;
}

static void test_level(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        const struct level level = run_long(&uses[i], 20000);
        printf("cas, %u processes, %u in a million hang: %" PRIu64
               " kept in the first tenth, %" PRIu64 " in the last; %" PRIu64
               " were late, and %" PRIu64 " answered later\n",
               uses[i].processes, uses[i].hangs, level.first, level.last, level.late,
               level.late_answers);
        assert_true(level.late > 2);
        assert_in_range(level.last, 1, level.first + 400);
    }
}

/* A tenth of all operations never answers, late or without --late: bytes that each takes. */
static double bytes_of_silent(const struct object *object, uint32_t processes, bool late)
{
    struct run run;
    size_t memory = 0;
    uint64_t silent = 0;
    open_run(&run, object, processes, 100000, late, false);
    run.endless.silent = true;
    const lp_monitor_state *state = NULL;
    for (uint64_t now = 1; run.endless.operations < 40000; now++) {
        state = feed_next(&run, now);
        if (run.endless.operations == 15000) {
            memory = state->memory;
            silent = run.endless.pendings;
        }
    }
    silent = run.endless.pendings - silent;
    const double bytes = (double)(state->memory - memory) / (double)silent;
    assert_true(silent > 2000 && late == (state->late > silent));
    close_run(&run);
    return bytes;
}

static void test_silent(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        const uint32_t processes = i % 2 ? 8 : 32;
        const bool looks = objects[i].order == ENDLESS_LEAST;
        const double most = objects[i].most_bytes;
        /* A monitor that looks now and then takes long: it is told without --late only. */
        const double bytes = looks ? 1 : bytes_of_silent(&objects[i], processes, true);
        const double running = most > 0 ? bytes_of_silent(&objects[i], processes, false) : 0;
        printf("%s, %u processes: %.0f bytes of each that is late, %.0f of each that runs\n",
               objects[i].spec, processes, bytes, running);
        assert_true(bytes > 0 && bytes <= 64);
        assert_true(most > 0 ? running > 0 && running <= most : running == 0);
    }
}

/* Values that nothing has any more are forgotten, though events wait in front of the stream. */
static void test_forgotten(void **unused)
{
    (void)unused;
    for (int merged = 0; merged < 2; merged++) {
        struct run run;
        size_t most[3] = {0};
        const uint64_t operations = 21000;
        open_run(&run, &texts, 8, 0, true, merged);
        run.endless.hangs = 1000;
        run.endless.hanging = 1000;
        for (uint64_t now = 1; run.endless.operations < operations; now++) {
            const lp_monitor_state *state = feed_next(&run, now);
            const size_t third = (size_t)(run.endless.operations * 3 / operations);
            if (third < 3 && state->memory > most[third])
                most[third] = state->memory;
        }
        printf("texts, %s: %zu, %zu and %zu bytes at most\n", merged ? "merged" : "late", most[0],
               most[1], most[2]);
        assert_true(most[2] < most[1] + most[1] / 4);
        close_run(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_level), cmocka_unit_test(test_silent),
                                       cmocka_unit_test(test_forgotten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
