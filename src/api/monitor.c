/* Histories that are decided while they are recorded: stream/ in the installed types. */
#include <linchpin/monitor.h>

#include <string.h>

#include "api/objects.h"
#include "base/require.h"
#include "stream/feed.h"
#include "stream/story.h"

#define MONITOR_MAGIC UINT32_C(0x6c706d6f)
#define KEEP_USUAL    1000
#define BATCH_USUAL   1024
#define BATCH_MOST    4096

struct lp_monitor {
    uint32_t magic;
    lp_context *context;
    struct limits limits;
    struct stream *stream;
    struct feed feed;
    lp_binding *bindings;
    struct binding *inner;
    size_t binding_count;
    size_t room; /* bytes of both */
    bool independent;
    lp_monitor_state state; /* shown last */
    uint32_t events;        /* recorded: the "line" of the next one, from 1 */
};

static enum status open_monitor(lp_monitor *monitor, const char *name,
                                const lp_monitor_options *options, struct error *error)
{
    struct stream_options inner = {
        .bind = {.bindings = monitor->inner,
                 .binding_count = monitor->binding_count,
                 .independent = options->independent,
                 .results = (enum results_reading)options->results},
        .keep = options->keep ? options->keep : KEEP_USUAL,
        .batch = options->batch ? (uint32_t)options->batch : BATCH_USUAL,
        .order_unsaid = options->order == LP_ORDER_UNSAID,
    };
    if (options->order == LP_ORDER_TIME)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "what is followed cannot be taken in the order of its times");
    limits_for(&monitor->limits, monitor->context, &monitor->context->budget, 0);
    TRY(stream_create(name, &inner, monitor->context->pool, &monitor->limits, &monitor->stream,
                      error));
    return feed_open(&monitor->feed, monitor->stream, monitor->stream->history->name,
                     options->format, monitor->context->pool, &monitor->limits, error);
}

lp_status lp_monitor_create(lp_context *context, const char *name, const lp_binding *bindings,
                            size_t binding_count, const lp_monitor_options *options,
                            lp_monitor **created, lp_error *error)
{
    lp_monitor_options own;
    REQUIRE_ALIVE(context, CONTEXT_MAGIC);
    REQUIRE_NOT_NULL(name);
    REQUIRE_NOT_NULL(created);
    REQUIRE(bindings && binding_count > 0, "there are no bindings");
    REQUIRE_SIZED(&own, options, batch);
    REQUIRE(own.batch <= BATCH_MOST, "a batch has at most 4096 events");
    struct error fault;
    struct budget *budget = &context->budget;
    size_t room = binding_count * (sizeof(lp_binding) + sizeof(struct binding));
    lp_monitor *monitor = memory_zeroed(budget, sizeof *monitor);
    lp_binding *copies = monitor ? memory_zeroed(budget, room) : NULL;
    if (!copies) {
        memory_release(budget, monitor, sizeof *monitor);
        error_set(&fault, STATUS_LIMIT, name, 0, "the memory limit is reached");
        return report_status(STATUS_LIMIT, &fault, error);
    }
    *monitor = (lp_monitor){.magic = MONITOR_MAGIC,
                            .context = context,
                            .bindings = copies,
                            .inner = (struct binding *)(copies + binding_count),
                            .binding_count = binding_count,
                            .room = room,
                            .independent = own.independent};
    for (size_t i = 0; i < binding_count; i++) {
        REQUIRE_ALIVE(bindings[i].spec, SPEC_MAGIC);
        monitor->bindings[i] = bindings[i];
        monitor->inner[i] = (struct binding){bindings[i].object, bindings[i].spec->spec};
    }
    enum status status = open_monitor(monitor, name, &own, &fault);
    if (status == STATUS_OK)
        *created = monitor;
    else
        lp_monitor_destroy(monitor);
    return report_status(status, &fault, error);
}

void lp_monitor_destroy(lp_monitor *monitor)
{
    if (!monitor)
        return;
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct budget *budget = &monitor->context->budget;
    monitor->magic = 0;
    if (monitor->stream)
        feed_close(&monitor->feed);
    stream_destroy(monitor->stream);
    memory_release(budget, monitor->bindings, monitor->room);
    memory_release(budget, monitor, sizeof *monitor);
}

/* ---- events ---- */

static enum status refuse(struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}

lp_status lp_monitor_invoke(lp_monitor *monitor, lp_value process, const char *function,
                            lp_value argument, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE_NOT_NULL(function);
    struct error fault;
    struct event event = {
        .process = process,
        .function = value_text(monitor->context->pool, KIND_STRING, function, strlen(function)),
        .value = argument,
        .has_value = true,
        .time = TIME_NONE,
        .line = ++monitor->events,
        .type = EVENT_INVOKE};
    bool refused =
        event.function == VALUE_REFUSED || process == VALUE_REFUSED || argument == VALUE_REFUSED;
    enum status status = refused ? refuse(&fault) : stream_event(monitor->stream, &event, &fault);
    return report_status(status, &fault, error);
}

lp_status lp_monitor_complete(lp_monitor *monitor, lp_value process, lp_outcome outcome,
                              lp_value result, lp_error *error)
{
    static const uint8_t types[] = {[LP_OUTCOME_OK] = EVENT_OK,
                                    [LP_OUTCOME_FAIL] = EVENT_FAIL,
                                    [LP_OUTCOME_UNKNOWN] = EVENT_INFO};
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(outcome >= LP_OUTCOME_OK && outcome <= LP_OUTCOME_UNKNOWN, "no such outcome");
    struct error fault;
    struct event event = {.process = process,
                          .value = result,
                          .has_value = true,
                          .time = TIME_NONE,
                          .line = ++monitor->events,
                          .type = types[outcome]};
    bool refused = process == VALUE_REFUSED || result == VALUE_REFUSED;
    enum status status = refused ? refuse(&fault) : stream_event(monitor->stream, &event, &fault);
    return report_status(status, &fault, error);
}

lp_status lp_monitor_feed(lp_monitor *monitor, const void *bytes, size_t length, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(bytes || length == 0, "bytes is null");
    struct error fault;
    return report_status(feed_bytes(&monitor->feed, bytes, length, &fault), &fault, error);
}

lp_status lp_monitor_end(lp_monitor *monitor, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    return report_status(feed_end(&monitor->feed, &fault), &fault, error);
}

lp_status lp_monitor_decide(lp_monitor *monitor, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    return report_status(stream_decide(monitor->stream, &fault), &fault, error);
}

/* ---- answers ---- */

static lp_verdict verdict_of(const struct stream *stream)
{
    static const lp_verdict verdicts[] = {[STREAM_POSSIBLE] = LP_LINEARIZABLE,
                                          [STREAM_VIOLATION] = LP_VIOLATION,
                                          [STREAM_UNKNOWN] = LP_UNKNOWN};
    return verdicts[stream_verdict(stream)];
}

const lp_monitor_state *lp_monitor_look(lp_monitor *monitor)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    const struct stream *stream = monitor->stream;
    bool violated = stream->verdict == STREAM_VIOLATION;
    monitor->state = (lp_monitor_state){
        .verdict = verdict_of(stream),
        .limit = stream_verdict(stream) == STREAM_UNKNOWN ? (lp_limit)stream->limit : LP_LIMIT_NONE,
        .operations = stream->operations,
        .running = stream->running,
        .pending = stream->pending,
        .skipped = stream->skipped,
        .objects = stream->objects.length,
        .retained = stream->tracked.length,
        .lines = monitor->feed.lines,
        .waiting = monitor->feed.bytes.length,
        .line = violated ? stream_line(stream, stream->violation) : 0,
        .exact = violated && stream->exactly,
        .memory = lp_context_memory(monitor->context)};
    return &monitor->state;
}

/* What is kept of the object that is violated, decided like any other history. */
static lp_status tell_violation(lp_monitor *monitor, lp_history **history, lp_result **result,
                                lp_error *error)
{
    const struct stream *stream = monitor->stream;
    struct story story;
    struct error fault;
    lp_spec *spec = NULL;
    enum status status = story_create(stream, stream->violated, stream->violation, &story, &fault);
    if (status != STATUS_OK)
        return report_status(status, &fault, error);
    lp_check_options options = {.size = sizeof options,
                                .independent = monitor->independent,
                                .jobs = 1,
                                .results =
                                    (lp_results)story_results(stream, &story, stream->violated)};
    lp_binding binding = {0};
    for (size_t i = 0; i < monitor->binding_count; i++)
        if (monitor->inner[i].spec == stream->objects.items[stream->violated].now.spec)
            binding.spec = monitor->bindings[i].spec;
    if (story.spec) {
        status = spec_wrap(monitor->context, story.spec, binding.spec->name, NULL, &spec, &fault);
        binding.spec = spec;
    }
    *history = history_wrap(monitor->context, story.history, 0);
    if (status == STATUS_OK && !*history)
        status = error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    lp_status told = report_status(status, &fault, error);
    if (told == LP_OK)
        told = lp_check(monitor->context, *history, &binding, 1, &options, result, error);
    lp_spec_destroy(spec);
    return told;
}

lp_status lp_monitor_result(lp_monitor *monitor, lp_history **history, lp_result **result,
                            lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE_NOT_NULL(history);
    REQUIRE_NOT_NULL(result);
    const struct stream *stream = monitor->stream;
    struct error fault = {0};
    *history = NULL;
    *result = NULL;
    lp_status status;
    if (stream->verdict == STREAM_VIOLATION) {
        status = tell_violation(monitor, history, result, error);
    } else {
        struct history *none = history_create(stream->history->name, monitor->context->pool,
                                              &monitor->context->budget);
        *history = none ? history_wrap(monitor->context, none, 0) : NULL;
        error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
        status = *history ? lp_check(monitor->context, *history, monitor->bindings,
                                     monitor->binding_count, NULL, result, error)
                          : report_status(STATUS_LIMIT, &fault, error);
    }
    if (status == LP_OK)
        result_follow(*result, lp_monitor_look(monitor), stream->configurations.explored);
    if (status != LP_OK) {
        lp_history_destroy(*history);
        *history = NULL;
    }
    return status;
}
