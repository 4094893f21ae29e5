/* Operations that run for longer than --late, of a log without end: what is kept stays level,
 * though whoever reads may have read any value that was written meanwhile. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <linchpin/monitor.h>

#include "base/text.h"
#include "support/endless.h"

struct use {
    uint32_t processes;
    uint32_t hangs;   /* operations in a million, */
    uint32_t hanging; /* so long */
};

static const struct use uses[] = {{8, 1000, 4000}, {8, 300, 40000}, {32, 1000, 40000}};

/* What is kept, but for pending writes, at most in the first tenth and in the last. */
struct level {
    uint64_t first, last, late, late_answers;
};

static void write_value(struct text *line, const struct endless_event *event)
{
    if (event->swaps && event->begins)
        text_format(line, "[%" PRId64 ",%" PRId64 "]", event->expected, event->value);
    else if (event->swaps)
        text_append(line, event->swapped ? "true" : "false");
    else if (event->value && event->adds == event->begins)
        text_format(line, "%" PRId64, event->value);
    else
        text_append(line, "null");
}

static void feed(lp_monitor *monitor, const struct endless_event *event, uint64_t time)
{
    struct text line = TEXT_EMPTY;
    lp_error error;
    text_format(&line,
                "{\"process\":%u,\"type\":\"%s\",\"f\":\"%s\",\"time\":%" PRIu64 ",\"value\":",
                event->process, event->begins ? "invoke" : "ok",
                event->swaps  ? "cas"
                : event->adds ? "write"
                              : "read",
                time);
    write_value(&line, event);
    text_append(&line, "}\n");
    assert_int_equal(lp_monitor_feed(monitor, line.bytes, line.length, &error), LP_OK);
    text_release(&line);
}

/* Each line comes a nanosecond behind the one before it. */
static struct level run_long(const struct use *use, int64_t late, uint64_t operations)
{
    struct level level = {0};
    struct endless endless;
    lp_context *context = lp_context_create(0);
    lp_spec *spec;
    lp_monitor *monitor;
    lp_error error;
    assert_int_equal(lp_spec_create(context, "cas-register", NULL, &spec, &error), LP_OK);
    const lp_binding binding = {NULL, spec};
    const lp_monitor_options options = {.size = sizeof options, .keep = 100, .late = late};
    assert_int_equal(lp_monitor_create(context, "log", &binding, 1, &options, &monitor, &error),
                     LP_OK);
    endless_open(&endless, 7, ENDLESS_OLDEST, use->processes, 1, 0, 0);
    endless.with_cas = true;
    endless.hangs = use->hangs;
    endless.hanging = use->hanging;
    for (uint64_t now = 1; endless.operations < operations; now++) {
        const struct endless_event event = endless_next(&endless);
        feed(monitor, &event, now);
        const lp_monitor_state *state = lp_monitor_look(monitor);
        assert_int_equal(state->verdict, LP_LINEARIZABLE);
        const bool in_first = endless.operations <= operations / 10;
        if (!in_first && endless.operations <= operations / 10 * 9)
            continue;
        const uint64_t kept =
            state->retained > state->pending ? state->retained - state->pending : 0;
        uint64_t *most = in_first ? &level.first : &level.last;
        *most = kept > *most ? kept : *most;
        level.late = state->late;
        level.late_answers = state->late_answers;
    }
    endless_close(&endless);
    lp_monitor_destroy(monitor);
    lp_spec_destroy(spec);
    lp_context_destroy(context);
    return level;
}

static void test_level(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        const struct level level = run_long(&uses[i], 500, 20000);
        printf("cas, %u processes, %u in a million hang: %" PRIu64
               " kept in the first tenth, %" PRIu64 " in the last; %" PRIu64
               " were late, and %" PRIu64 " answered later\n",
               uses[i].processes, uses[i].hangs, level.first, level.last, level.late,
               level.late_answers);
        assert_true(level.late > 2);
        assert_in_range(level.last, 1, level.first + 400);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_level)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
