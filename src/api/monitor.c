/* Histories that are decided while they are recorded: stream/ in the installed types. */
#include <linchpin/monitor.h>

#include <string.h>

#include "api/monitor.h"
#include "base/require.h"
#include "stream/checkpoint.h"
#include "stream/forget.h"
#include "stream/intake.h"
#include "stream/kept.h"
#include "stream/objects.h"
#include "stream/story.h"
#include "stream/verdict.h"
#include "value/forget.h"

#define KEEP_USUAL     1000
#define BATCH_USUAL    1024
#define BATCH_MOST     4096
#define THREADS_MOST   1024
#define NAMES_COMPARED 8 /* functions, of which the name is compared before it is interned */

static enum status take_event(void *stream, const struct event *event, struct error *error)
{
    return stream_event(stream, event, error);
}

static enum status take_timely(void *late, const struct event *event, struct error *error)
{
    return late_take(late, event, error);
}

/* The logs' names, which live as long as the stream; null when refused. */
static const char *const *copy_names(struct stream *stream, const lp_monitor_options *options)
{
    struct arena *arena = &stream->history->arena;
    char **names = arena_allocate(arena, options->log_count * sizeof *names);
    for (size_t i = 0; names && i < options->log_count; i++) {
        names[i] = arena_copy_text(arena, options->logs[i], strlen(options->logs[i]));
        if (!names[i])
            return NULL;
    }
    return (const char *const *)names;
}

static enum status open_feeds(lp_monitor *monitor, const lp_monitor_options *options,
                              struct error *error)
{
    struct stream *stream = monitor->stream;
    struct event_sink sink = {take_event, stream};
    const char *name = stream->history->name;
    late_init(&monitor->late, name, options->late, sink, monitor->limits.budget);
    if (options->late) {
        sink = (struct event_sink){take_timely, &monitor->late};
        stream_share_values(stream, (struct value_user){late_add_values, &monitor->late});
    }
    if (!options->log_count)
        return feed_open(&monitor->feed, stream, name, options->format, sink,
                         monitor->context->pool, &monitor->limits, error);
    stream_share_values(stream, (struct value_user){merged_add_values, &monitor->merged});
    const char *const *names = copy_names(stream, options);
    if (!names)
        return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
    return merged_open(&monitor->merged, stream, names, options->log_count, options->format,
                       options->window, sink, &monitor->limits, error);
}

static enum status open_monitor(lp_monitor *monitor, const char *name,
                                const lp_monitor_options *options, struct error *error)
{
    struct stream_options inner = {
        .bind = {.bindings = monitor->inner,
                 .binding_count = monitor->binding_count,
                 .independent = options->independent,
                 .results = (enum results_reading)options->results,
                 .inferred = options->inferred,
                 .grows = true},
        .keep = options->keep ? options->keep : KEEP_USUAL,
        .keep_bytes = options->keep_bytes,
        .batch = options->batch ? (uint32_t)options->batch : BATCH_USUAL,
        .checkpoints = options->checkpoints,
        .threads = options->jobs < THREADS_MOST ? (unsigned)options->jobs : THREADS_MOST,
        .order_unsaid = options->order == LP_ORDER_UNSAID,
        .monitors_only = options->monitors_only,
    };
    if (options->order == LP_ORDER_TIME)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "what is followed cannot be taken in the order of its times");
    limits_for(&monitor->limits, monitor->context, &monitor->context->budget, 0);
    TRY(stream_create(name, &inner, monitor->context->pool, &monitor->limits, &monitor->stream,
                      error));
    monitor_make_key(monitor, options);
    if (options->checkpoints)
        TRY(stream_may_be_kept(monitor->stream, error));
    return open_feeds(monitor, options, error);
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
    REQUIRE(own.window >= 0 && own.late >= 0, "a time is negative");
    REQUIRE(own.logs || own.log_count == 0, "logs is null");
    REQUIRE(own.log_count < UINT32_MAX, "there are too many logs");
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
                            .created = clock_nanoseconds(),
                            .independent = own.independent};
    recorders_init(&monitor->recorders, budget);
    for (size_t i = 0; i < binding_count; i++) {
        REQUIRE_ALIVE(bindings[i].spec, SPEC_MAGIC);
        monitor->bindings[i] = bindings[i];
        monitor->inner[i] = (struct binding){bindings[i].object, bindings[i].spec->spec};
    }
    enum status status = open_monitor(monitor, name, &own, &fault);
    if (status == STATUS_OK) {
        *created = monitor;
        monitor->forgets = own.forget;
        if (own.forget)
            (void)stream_begin_values(monitor->stream);
    } else {
        lp_monitor_destroy(monitor);
    }
    return report_status(status, &fault, error);
}

static void release_handles(lp_monitor *monitor);

void lp_monitor_destroy(lp_monitor *monitor)
{
    if (!monitor)
        return;
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct budget *budget = &monitor->context->budget;
    monitor->magic = 0;
    text_release(&monitor->key);
    release_handles(monitor);
    recorders_release(&monitor->recorders);
    if (monitor->forgets)
        (void)value_pool_short_lived(NULL);
    if (monitor->merged.count)
        merged_close(&monitor->merged);
    if (monitor->feed.stream)
        feed_close(&monitor->feed);
    if (monitor->stream)
        late_release(&monitor->late);
    stream_destroy(monitor->stream);
    memory_release(budget, monitor->bindings, monitor->room);
    memory_release(budget, monitor, sizeof *monitor);
}

/* ---- events ---- */

/* Hands the stream an event; values that it makes are its own. */
static enum status record_event(lp_monitor *monitor, const struct event *event, struct error *error)
{
    struct value_pool *before = stream_begin_values(monitor->stream);
    enum status status = stream_event(monitor->stream, event, error);
    value_pool_short_lived(before);
    if (status == STATUS_OK && stream_is_due(monitor->stream))
        stream_forget(monitor->stream);
    return status;
}

lp_status monitor_conclude(lp_monitor *monitor, enum status status, const struct error *fault,
                           lp_error *error)
{
    monitor->failed |= status != STATUS_OK;
    return report_status(status, fault, error);
}

/* What telling an event comes to: one that is refused has not been. */
static lp_status conclude_event(lp_monitor *monitor, enum status status, const struct error *fault,
                                lp_error *error)
{
    if (status != STATUS_INPUT || monitor->failed || !monitor->stream->intact)
        return monitor_conclude(monitor, status, fault, error);
    monitor->events--;
    return report_status(status, fault, error);
}

static enum status refuse(struct error *error)
{
    return error_set(error, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
}

static value text_of(const struct lp_monitor *monitor, const char *name)
{
    return value_text(monitor->context->pool, KIND_STRING, name, strlen(name));
}

/* The name of a function. Those that the history has need not be interned again, if they are few.
 */
static value name_of(const struct lp_monitor *monitor, const char *name)
{
    const struct history *history = monitor->stream->history;
    for (size_t i = 0; i < history->functions.length && i < NAMES_COMPARED; i++)
        if (strcmp(history_function_name(history, (uint16_t)i), name) == 0)
            return history->functions.items[i];
    return text_of(monitor, name);
}

/* The beginning of an operation; false when refused. */
static bool make_invocation(value process, value function, value argument, struct event *event)
{
    *event = (struct event){.process = process,
                            .function = function,
                            .value = argument,
                            .has_value = true,
                            .time = TIME_NONE,
                            .type = EVENT_INVOKE};
    return event->function != VALUE_REFUSED && process != VALUE_REFUSED &&
           argument != VALUE_REFUSED;
}

static bool make_completion(value process, lp_outcome outcome, value result, struct event *event)
{
    static const uint8_t types[] = {[LP_OUTCOME_OK] = EVENT_OK,
                                    [LP_OUTCOME_FAIL] = EVENT_FAIL,
                                    [LP_OUTCOME_UNKNOWN] = EVENT_INFO};
    REQUIRE(outcome >= LP_OUTCOME_OK && outcome <= LP_OUTCOME_UNKNOWN, "no such outcome");
    *event = (struct event){.process = process,
                            .value = result,
                            .has_value = true,
                            .time = TIME_NONE,
                            .type = types[outcome]};
    return process != VALUE_REFUSED && result != VALUE_REFUSED;
}

lp_status lp_monitor_invoke(lp_monitor *monitor, lp_value process, const char *function,
                            lp_value argument, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE_NOT_NULL(function);
    struct error fault;
    struct event event;
    bool made = make_invocation(process, name_of(monitor, function), argument, &event);
    event.line = ++monitor->events;
    enum status status = made ? record_event(monitor, &event, &fault) : refuse(&fault);
    return conclude_event(monitor, status, &fault, error);
}

lp_status lp_monitor_complete(lp_monitor *monitor, lp_value process, lp_outcome outcome,
                              lp_value result, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    struct event event;
    bool made = make_completion(process, outcome, result, &event);
    event.line = ++monitor->events;
    enum status status = made ? record_event(monitor, &event, &fault) : refuse(&fault);
    return conclude_event(monitor, status, &fault, error);
}

/* ---- events of several threads ---- */

struct lp_client {
    lp_monitor *monitor;
    struct recorder *inner;
    lp_client *next; /* of the monitor's; under the lock of the recorders */
};

lp_status lp_client_create(lp_monitor *monitor, lp_value process, lp_client **created,
                           lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE_NOT_NULL(created);
    struct error fault;
    struct budget *budget = &monitor->context->budget;
    if (monitor->forgets) /* what waits in a queue is no operation yet */
        return report_status(error_set(&fault, STATUS_USAGE, NULL, 0,
                                       "expected a monitor without `forget` to make clients of"),
                             &fault, error);
    lp_client *client = memory_zeroed(budget, sizeof *client);
    struct recorder *inner = NULL;
    if (client && process != VALUE_REFUSED)
        inner = recorder_add(&monitor->recorders, process);
    if (!inner) {
        memory_release(budget, client, sizeof *client);
        return report_status(refuse(&fault), &fault, error);
    }
    *client = (lp_client){.monitor = monitor, .inner = inner};
    pthread_mutex_lock(&monitor->recorders.lock);
    client->next = monitor->handles;
    monitor->handles = client;
    pthread_mutex_unlock(&monitor->recorders.lock);
    *created = client;
    return LP_OK;
}

lp_status lp_client_invoke(lp_client *client, const char *function, lp_value argument,
                           lp_error *error)
{
    REQUIRE_NOT_NULL(client);
    REQUIRE_NOT_NULL(function);
    struct error fault;
    struct event event;
    bool done = make_invocation(client->inner->process, text_of(client->monitor, function),
                                argument, &event) &&
                recorder_put(client->inner, &event);
    return report_status(done ? STATUS_OK : refuse(&fault), &fault, error);
}

lp_status lp_client_complete(lp_client *client, lp_outcome outcome, lp_value result,
                             lp_error *error)
{
    REQUIRE_NOT_NULL(client);
    struct error fault;
    struct event event;
    bool done = make_completion(client->inner->process, outcome, result, &event) &&
                recorder_put(client->inner, &event);
    return report_status(done ? STATUS_OK : refuse(&fault), &fault, error);
}

lp_status lp_monitor_collect(lp_monitor *monitor, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    const struct event_sink sink = {take_event, monitor->stream};
    return monitor_conclude(monitor, recorders_collect(&monitor->recorders, &sink, &fault), &fault,
                            error);
}

static void release_handles(lp_monitor *monitor)
{
    while (monitor->handles) {
        lp_client *client = monitor->handles;
        monitor->handles = client->next;
        memory_release(&monitor->context->budget, client, sizeof *client);
    }
}

/* What feeding lines comes to: one that is refused has not been. */
static lp_status conclude_lines(lp_monitor *monitor, enum status status, const struct error *fault,
                                lp_error *error)
{
    if (status == STATUS_INPUT && !monitor->failed && monitor->feed.intact)
        return report_status(status, fault, error);
    return monitor_conclude(monitor, status, fault, error);
}

lp_status lp_monitor_feed(lp_monitor *monitor, const void *bytes, size_t length, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(bytes || length == 0, "bytes is null");
    struct error fault;
    return conclude_lines(monitor, feed_bytes(&monitor->feed, bytes, length, &fault), &fault,
                          error);
}

lp_status lp_monitor_end(lp_monitor *monitor, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    return conclude_lines(monitor, feed_end(&monitor->feed, &fault), &fault, error);
}

lp_status lp_monitor_feed_log(lp_monitor *monitor, size_t log, const void *bytes, size_t length,
                              lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(bytes || length == 0, "bytes is null");
    REQUIRE(log < monitor->merged.count, "there is no such log");
    struct error fault;
    return monitor_conclude(monitor,
                            merged_bytes(&monitor->merged, (uint32_t)log, bytes, length, &fault),
                            &fault, error);
}

lp_status lp_monitor_end_log(lp_monitor *monitor, size_t log, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(log < monitor->merged.count, "there is no such log");
    struct error fault;
    return monitor_conclude(monitor, merged_end(&monitor->merged, (uint32_t)log, &fault), &fault,
                            error);
}

lp_status lp_monitor_set_dry(lp_monitor *monitor, size_t log, bool dry, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(log < monitor->merged.count, "there is no such log");
    struct error fault;
    return monitor_conclude(monitor, merged_set_dry(&monitor->merged, (uint32_t)log, dry, &fault),
                            &fault, error);
}

size_t lp_monitor_next_log(lp_monitor *monitor)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    return merged_next(&monitor->merged);
}

lp_status lp_monitor_settle(lp_monitor *monitor, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    return monitor_conclude(monitor, merged_settle(&monitor->merged, &fault), &fault, error);
}

lp_status lp_monitor_decide(lp_monitor *monitor, lp_error *error)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    struct error fault;
    return monitor_conclude(monitor, stream_decide(monitor->stream, &fault), &fault, error);
}

uint64_t lp_monitor_taken(lp_monitor *monitor, size_t log, const char **tail, size_t *length)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    REQUIRE(log == 0 || log < monitor->merged.count, "there is no such log");
    const struct feed *feed =
        monitor->merged.count ? &monitor->merged.logs[log].feed : &monitor->feed;
    *tail = feed->tail;
    *length = feed->tail_length;
    return feed->taken;
}

/* ---- answers ---- */

static lp_verdict verdict_of(const struct stream *stream)
{
    static const lp_verdict verdicts[] = {[STREAM_POSSIBLE] = LP_LINEARIZABLE,
                                          [STREAM_VIOLATION] = LP_VIOLATION,
                                          [STREAM_UNKNOWN] = LP_UNKNOWN};
    return verdicts[stream_verdict(stream)];
}

/* How far the logs were read. */
static void look_at_feeds(const lp_monitor *monitor, lp_monitor_state *state)
{
    const struct merged *merged = &monitor->merged;
    state->lines = monitor->feed.lines;
    state->waiting = monitor->feed.bytes.length - monitor->feed.passed;
    for (uint32_t i = 0; i < merged->count; i++) {
        state->lines += merged->logs[i].feed.lines;
        state->waiting += merged->logs[i].feed.bytes.length; /* nothing is refused in these */
    }
    state->held = merged->waiting.length;
    state->late = monitor->late.taken;
    state->late_answers = monitor->late.ignored;
}

/* Whether nothing that comes makes a difference. An object without key and name is the only one. */
static bool is_over(const struct stream *stream)
{
    if (stream->verdict == STREAM_VIOLATION)
        return true;
    if (stream->objects.length != 1 || !objects_is_awake(stream, 0))
        return false;
    const struct followed *first = objects_awake(stream, 0);
    return first->given_up && first->object == NO_OBJECT && !first->has_key &&
           !first->has_independent;
}

const lp_monitor_state *lp_monitor_look(lp_monitor *monitor)
{
    REQUIRE_ALIVE(monitor, MONITOR_MAGIC);
    stream_settle(monitor->stream);
    const struct stream *stream = monitor->stream;
    struct event_place place = {.process = VALUE_NIL};
    if (stream->verdict == STREAM_VIOLATION)
        place = stream_event_place(stream, stream->violation);
    monitor->state = (lp_monitor_state){
        .verdict = verdict_of(stream),
        .limit = stream_verdict(stream) == STREAM_UNKNOWN ? (lp_limit)stream->limit : LP_LIMIT_NONE,
        .operations = stream->operations,
        .running = stream->running,
        .pending = stream->pending,
        .skipped = stream->skipped,
        .objects = stream->objects.length,
        .retained = kept_count(stream),
        .line = place.line,
        .exact = stream->verdict == STREAM_VIOLATION && verdict_is_exact(stream),
        .memory = lp_context_memory(monitor->context),
        .given_up = stream->given_up,
        .given_up_line = stream->given_up_line,
        .given_up_log = merged_log_of(&monitor->merged, stream->given_up_process),
        .over = is_over(stream),
        .failed = monitor->failed};
    monitor->state.log = merged_log_of(&monitor->merged, place.process);
    look_at_feeds(monitor, &monitor->state);
    return &monitor->state;
}

/* What is kept of the object that is violated, decided like any other history. *partly: some of it
 * was dropped. */
static lp_status tell_violation(lp_monitor *monitor, lp_history **history, lp_result **result,
                                bool *partly, lp_error *error)
{
    const struct stream *stream = monitor->stream;
    struct story story;
    struct error fault;
    lp_spec *spec = NULL;
    enum status status =
        story_create(stream, stream->violated, stream->violation, STORY_ALL_ROOTS, &story, &fault);
    if (status != STATUS_OK)
        return report_status(status, &fault, error);
    *partly = !story.whole;
    lp_check_options options = {.size = sizeof options,
                                .independent = monitor->independent,
                                .jobs = 1,
                                .results =
                                    (lp_results)story_results(stream, &story, stream->violated)};
    lp_binding binding = {0};
    for (size_t i = 0; i < monitor->binding_count; i++)
        if (monitor->inner[i].spec == objects_spec(stream, stream->violated))
            binding.spec = monitor->bindings[i].spec;
    if (story.spec) {
        status = spec_wrap(monitor->context, story.spec, binding.spec->name, NULL, &spec, &fault);
        binding.spec = spec;
    }
    *history = history_wrap(monitor->context, story.history, 0);
    if (!*history)
        history_destroy(story.history);
    if (status == STATUS_OK && !*history)
        status = error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
    lp_status told = report_status(status, &fault, error);
    if (told == LP_OK)
        told = check_within(monitor->context, *history, &binding, 1, &options, STORY_STEPS, result,
                            error);
    lp_spec_destroy(spec);
    return told;
}

/* The logs that were not read as far as the violation. */
static void find_silent(const lp_monitor *monitor, struct followed_words *words)
{
    const struct stream *stream = monitor->stream;
    uint32_t first;
    if (stream->verdict != STREAM_VIOLATION)
        return;
    const int64_t time = stream_event_place(stream, stream->violation).time;
    words->silent = merged_silent(&monitor->merged, time, &first);
    if (words->silent)
        words->silent_log = monitor->merged.logs[first].feed.name;
}

static struct followed_words words_of(lp_monitor *monitor)
{
    struct stream *stream = monitor->stream;
    const lp_monitor_state *state = lp_monitor_look(monitor);
    struct followed_words words = {.bindings = monitor->bindings,
                                   .binding_count = monitor->binding_count,
                                   .parts = state->objects,
                                   .explored = stream->configurations.explored,
                                   .seconds = seconds_since(monitor->created),
                                   .keyed_results = binder_has_keyed_results(&stream->binder)};
    struct event_place doubtful = {.process = VALUE_NIL};
    if (stream_verdict(stream) == STREAM_UNKNOWN && stream->doubtful)
        doubtful = stream_event_place(stream, stream->doubtful_since);
    words.doubtful_line = doubtful.line;
    if (stream->options.monitors_only) {
        words.parts = stream_parts(stream);
        words.explored = stream_positions(stream);
    }
    for (uint32_t i = 0; i < stream->objects.length; i++) {
        const enum following following = objects_following(stream, i);
        bool monitored = following == FOLLOWED_BY_MONITOR || following == FOLLOWED_IDLE ||
                         following == FOLLOWED_PACKED;
        words.monitored |= monitored;
        words.searched |= !monitored;
    }
    if (monitor->merged.count) {
        words.log = monitor->merged.logs[state->log].feed.name;
        words.given_up_log = monitor->merged.logs[state->given_up_log].feed.name;
        words.doubtful_log =
            monitor->merged.logs[merged_log_of(&monitor->merged, doubtful.process)].feed.name;
        find_silent(monitor, &words);
    }
    return words;
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
    bool partly = false;
    stream_settle(monitor->stream);
    if (stream->stopped != STATUS_OK)
        return report_status(stream->stopped, &stream->fault, error);
    if (stream->options.monitors_only) {
        enum status bound = intake_check_bindings(stream, &fault);
        if (bound != STATUS_OK)
            return report_status(bound, &fault, error);
    }
    if (stream->verdict == STREAM_VIOLATION) {
        status = tell_violation(monitor, history, result, &partly, error);
    } else {
        struct history *none = history_create(stream->history->name, monitor->context->pool,
                                              &monitor->context->budget);
        if (none)
            none->format = stream->history->format;
        *history = none ? history_wrap(monitor->context, none, 0) : NULL;
        if (!*history)
            history_destroy(none);
        error_set(&fault, STATUS_LIMIT, NULL, 0, "the memory limit is reached");
        status = *history ? lp_check(monitor->context, *history, monitor->bindings,
                                     monitor->binding_count, NULL, result, error)
                          : report_status(STATUS_LIMIT, &fault, error);
    }
    if (status == LP_OK) {
        struct followed_words words = words_of(monitor);
        words.partly = partly;
        result_follow(*result, &monitor->state, &words);
    }
    if (status != LP_OK) {
        lp_history_destroy(*history);
        *history = NULL;
    }
    return status;
}
