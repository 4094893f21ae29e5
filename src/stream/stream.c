/* The builder makes operations of events, as for a file; here they are taken out of its history
 * again once they are over and no story needs them. So all that is checked of a history that is
 * read is checked of one that is followed.
 *
 * The story of a violation begins at a snapshot. Time is cut into epochs of `keep` completed
 * operations; an object that is touched for the first time in an epoch is copied before, and of two
 * epochs the operations are kept. So a story begins at least `keep` operations before its end, and
 * a snapshot is taken seldom.
 *
 * What is decided for good waits for operations that run: when a batch has come, an object's events
 * are decided up to the invocation of the first one that still runs, so that nearly always all
 * outcomes are known. Where an answer is wanted at once, the events behind are decided on a copy.
 */
#include "stream/stream.h"

#include <assert.h>
#include <string.h>

#include "base/faults.h"
#include "base/hash.h"
#include "base/team.h"
#include "history/builder.h"
#include "spec/builtin.h"
#include "spec/map.h"
#include "spec/set.h"
#include "stream/batch.h"
#include "stream/bring.h"
#include "stream/clear.h"
#include "stream/clear_least.h"
#include "stream/forget.h"
#include "stream/idle.h"
#include "stream/intake.h"
#include "stream/kept.h"
#include "stream/monitored.h"
#include "stream/objects.h"
#include "stream/retained.h"
#include "stream/story.h"
#include "stream/told.h"
#include "stream/verdict.h"
#include "value/forget.h"

#define NONE        UINT32_MAX
#define HELD_PARTS  4  /* of what is held an epoch has a part, at least, */
#define EPOCH_PARTS 48 /* and one of the shelf, which is packed */

static enum status refused(const struct stream *stream, struct error *error)
{
    return error_set(error, STATUS_LIMIT, stream->history->name, 0, "the memory limit is reached");
}

/* ---- creating ---- */

static enum status check_specs(const struct stream_options *options, struct error *error)
{
    if (options->monitors_only && options->checkpoints)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "no checkpoint can be kept of what is decided by monitors only");
    for (size_t i = 0; i < options->bind.binding_count; i++) {
        const struct spec_class *class = options->bind.bindings[i].spec->class;
        if (class->together_count || class->is_open)
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "%s cannot be followed: operations that take effect together are "
                             "decided only when the history is complete",
                             class->name);
    }
    bool map = false;
    for (size_t i = 0; i < options->bind.binding_count; i++)
        map |= options->bind.bindings[i].spec->class == &map_class;
    if (options->bind.results != RESULTS_INFERRED && !map)
        return error_set(error, STATUS_USAGE, NULL, 0,
                         "how results are read can be said of the specification map only");
    return STATUS_OK;
}

enum status stream_create(const char *name, const struct stream_options *options,
                          struct value_pool *pool, struct limits *limits, struct stream **created,
                          struct error *error)
{
    struct budget *budget = limits->budget;
    TRY(check_specs(options, error));
    struct stream *stream = memory_zeroed(budget, sizeof *stream);
    if (!stream)
        return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
    stream->options = *options;
    stream->limits = limits;
    configurations_init(&stream->configurations, limits);
    vectors_init(budget, &stream->tracked, &stream->objects, &stream->batch, &stream->touched,
                 &stream->unlooked, &stream->keys.items, &stream->helpers, &stream->decided,
                 &stream->holders, &stream->retained);
    vectors_init(budget, &stream->told, &stream->asked, &stream->looks, &stream->spares,
                 &stream->woken, &stream->specs, &stream->rooms);
    shelf_init(&stream->shelf, budget);
    table_init(&stream->numbers, budget);
    stream->history = history_create(name, pool, budget);
    stream->builder = stream->history ? history_builder_create(stream->history) : NULL;
    if (!stream->builder) {
        stream_destroy(stream);
        return error_set(error, STATUS_LIMIT, name, 0, "the memory limit is reached");
    }
    stream->forgets = stream_may_forget(options, pool);
    *created = stream;
    return STATUS_OK;
}

void stream_destroy(struct stream *stream)
{
    if (!stream)
        return;
    struct budget *budget = stream->limits->budget;
    stream_keep_values(stream);
    objects_release(stream, idle_release);
    if (stream->bound)
        binder_release(&stream->binder);
    configurations_release(&stream->configurations);
    for (size_t i = 0; i < stream->helpers.length; i++)
        configurations_release(&stream->helpers.items[i]);
    vectors_release(&stream->tracked, &stream->batch, &stream->touched, &stream->unlooked,
                    &stream->keys.items, &stream->helpers, &stream->decided, &stream->holders,
                    &stream->retained);
    for (size_t i = 0; i < stream->spares.length; i++)
        online_destroy(stream->spares.items[i]);
    vectors_release(&stream->told, &stream->asked, &stream->looks, &stream->spares, &stream->woken);
    shelf_release(&stream->shelf);
    team_destroy(stream->team);
    table_release(&stream->numbers);
    history_builder_abandon(stream->builder);
    history_destroy(stream->history);
    memory_release(budget, stream, sizeof *stream);
}

/* ---- which object ---- */

/* Whether every operation is on one key: there are never two keys to be joined. */
static bool is_keyed(const struct stream *stream, const struct spec *spec)
{
    return !stream->options.bind.whole && (spec->class == &map_class || spec->class == &set_class);
}

struct online *stream_create_online(const struct stream *stream, const struct followed *followed)
{
    return online_create(followed->spec, followed->key, followed->has_key, stream->limits,
                         DROPS_SELDOM);
}

/* The number of the object of an operation; NONE when refused. */
static uint32_t object_of(struct stream *stream, const struct operation *operation,
                          const struct bound *bound)
{
    const struct spec *spec = bound->spec;
    struct followed wanted = {.spec = spec,
                              .object = operation->object,
                              .independent = bound->independent,
                              .has_independent = bound->has_independent,
                              .first = NONE};
    if (is_keyed(stream, spec)) {
        stream->keys.items.length = 0;
        if (!spec->class->keys(spec, &bound->call, &stream->keys))
            return NONE;
        assert(stream->keys.items.length == 1);
        wanted.key = stream->keys.items.items[0];
        wanted.has_key = true;
    }
    uint32_t number = objects_find(stream, &wanted);
    if (number != NONE)
        return number;
    wanted.online =
        spec->has_initial ? stream_create_online(stream, &wanted) : idle_monitor(stream, &wanted);
    if ((!wanted.online && !idle_search(stream, &wanted)) ||
        !objects_add(stream, &wanted, &number)) {
        idle_release(stream, &wanted);
        return NONE;
    }
    return vector_push(&stream->woken, number) ? number : NONE;
}

/* ---- events ---- */

/* Leaves an event to the search. */
static enum status add_event(struct stream *stream, const struct told_event *told,
                             struct error *error)
{
    struct followed *followed = objects_awake(stream, told->object);
    uint32_t number = (uint32_t)stream->batch.length;
    struct stream_event event = {.ordinal = told->ordinal,
                                 .serial = stream->tracked.items[told->place].serial,
                                 .object = told->object,
                                 .next = NONE,
                                 .begins = told->stage == STAGE_RUNNING};
    if (!vector_push(&stream->batch, event) || !monitored_note(stream, told->object) ||
        (followed->first == NONE && !vector_push(&stream->touched, told->object)))
        return refused(stream, error);
    if (followed->first == NONE)
        followed->first = number;
    else
        stream->batch.items[followed->last].next = number;
    followed->last = number;
    return STATUS_OK;
}

/* ---- deciding a batch ---- */

static enum status check_fault(const struct spec *spec, struct error *error)
{
    return spec->class->fault ? spec->class->fault(spec, error) : STATUS_OK;
}

static bool epoch_is_over(const struct stream *stream)
{
    uint64_t least = stream->options.keep_bytes ? 0 : stream->options.keep;
    if (stream->epoch_bytes < stream->options.keep_bytes / KEEP_PARTS)
        return false;
    /* So that snapshots cost little beside what happens between. */
    const uint64_t enough = stream->held / HELD_PARTS + clear_part_of_shelf(stream, EPOCH_PARTS);
    if (least < enough)
        least = enough;
    return stream->completed + stream->pending - stream->epoch_operations >= least;
}

static void begin_epoch(struct stream *stream)
{
    if (!epoch_is_over(stream))
        return;
    stream->epoch++;
    stream->epoch_operations = stream->completed + stream->pending;
    stream->epoch_bytes = 0;
    stream->epoch_start[0] = stream->epoch_start[1];
    stream->epoch_start[1] = stream->batch.length ? stream->batch.items[0].ordinal : stream->events;
}

/* Of many objects hardly one has another event before the next clearing: those that have woken go
 * to rest again, if they can. */
static void rest_woken(struct stream *stream)
{
    const bool many = stream->objects.length >= clear_least(stream);
    for (size_t i = 0; i < stream->woken.length && many; i++) {
        const uint32_t object = stream->woken.items[i];
        if (!objects_is_awake(stream, object))
            continue;
        idle_put(stream, objects_awake(stream, object));
        objects_rest(stream, object);
    }
    stream->woken.length = 0;
}

/* Keeps the events that are not decided for good: of each object those from `first` on. */
static void end_batch(struct stream *stream)
{
    size_t kept = 0, touched = 0;
    for (size_t i = 0; i < stream->touched.length; i++) {
        struct followed *followed = objects_awake(stream, stream->touched.items[i]);
        followed->last = followed->first; /* from this event on they are kept */
        followed->first = NONE;
        if (followed->last != NONE && !followed->given_up)
            stream->touched.items[touched++] = stream->touched.items[i];
    }
    stream->touched.length = touched;
    for (uint32_t i = 0; i < stream->batch.length; i++) {
        struct stream_event event = stream->batch.items[i];
        struct followed *followed = objects_awake(stream, event.object);
        bool later = followed->first != NONE;
        if (followed->given_up || (!later && followed->last != i))
            continue;
        event.next = NONE;
        if (later)
            stream->batch.items[followed->last].next = (uint32_t)kept;
        else
            followed->first = (uint32_t)kept;
        followed->last = (uint32_t)kept;
        stream->batch.items[kept++] = event;
    }
    stream->batch.length = kept;
    rest_woken(stream);
    begin_epoch(stream);
    clear_history(stream);
}

/* ---- what monitors decide ---- */

/* A monitor has found a violation, with the event of that ordinal or, where it looks now and then,
 * an earlier one: that counts if the history that is kept is one. */
static enum status confirm_violation(struct stream *stream, uint32_t object, uint64_t ordinal,
                                     struct error *error)
{
    struct followed *followed = objects_awake(stream, object);
    struct numbers ordinals = {.budget = stream->limits->budget};
    uint64_t steps = CONFIRMING_STEPS;
    enum verdict verdict = VERDICT_UNKNOWN;
    if (!stream->options.monitors_only)
        TRY(story_decide(stream, object, ordinal, &steps, &verdict, error));
    if (verdict != VERDICT_VIOLATION) {
        verdict_give_up(stream, followed, verdict == VERDICT_UNKNOWN ? LIMIT_TIME : LIMIT_NONE);
        return STATUS_OK;
    }
    bool found = followed->online->class->look ? monitored_ends(stream, object, ordinal, &ordinals)
                                               : vector_push(&ordinals, ordinal);
    if (!found)
        ordinals.length = 0;
    enum status status = verdict_violation(stream, object, &ordinals, ordinal, error);
    vector_release(&ordinals);
    return status;
}

/* Has the monitors look that do so now and then only. */
static enum status look_all(struct stream *stream, struct error *error)
{
    enum status status = STATUS_OK;
    bool spread = told_look_all(stream);
    for (size_t i = 0; i < stream->unlooked.length && status == STATUS_OK; i++) {
        uint32_t object = stream->unlooked.items[i];
        if (!objects_is_awake(stream, object))
            continue;
        struct followed *followed = objects_awake(stream, object);
        bool told = followed->unlooked && followed->online;
        followed->unlooked = false;
        if (!told)
            continue;
        enum online_answer answer = spread ? (enum online_answer)stream->looks.items[i]
                                           : followed->online->class->look(followed->online);
        if (answer == ONLINE_IMPOSSIBLE)
            status = confirm_violation(stream, object, stream->events - 1, error);
        else if (answer != ONLINE_POSSIBLE)
            status = verdict_leave_looking(stream, object, stream->events - 1, error);
    }
    stream->unlooked.length = 0;
    return status;
}

/* Remembers that the monitor of an object was told something. */
static bool note_told(struct stream *stream, uint32_t object, uint64_t ordinal)
{
    struct followed *followed = objects_awake(stream, object);
    if (!followed->online->class->look || followed->unlooked)
        return true;
    followed->unlooked = true;
    followed->looked = ordinal;
    return vector_push(&stream->unlooked, object);
}

/* The events of objects that the search decides. */
static enum status decide_touched(struct stream *stream, bool all, struct error *error)
{
    bool spread = batch_spread(stream, all);
    for (size_t i = 0; i < stream->touched.length; i++) {
        uint32_t object = stream->touched.items[i];
        struct followed *followed = objects_awake(stream, object);
        if (followed->given_up || followed->first == NONE)
            continue;
        uint64_t first =
            spread ? stream->decided.items[i].first : stream->batch.items[followed->first].ordinal;
        if (stream->verdict == STREAM_VIOLATION && first > stream->violation)
            continue;
        const struct spec *spec = followed->spec;
        struct decided decided =
            spread ? stream->decided.items[i] : batch_decide(stream, object, all);
        TRY(check_fault(spec, error));
        TRY(verdict_decided(stream, object, &decided, error));
    }
    return STATUS_OK;
}

/* Of all that does not wait. */
static enum status decide_all(struct stream *stream, bool all, struct error *error)
{
    stream->doubtful = false;
    if (all || epoch_is_over(stream))
        TRY(look_all(stream, error));
    TRY(decide_touched(stream, all, error));
    TRY(verdict_retained(stream, all, error));
    if (!all && stream->verdict == STREAM_VIOLATION) /* what waits may have an earlier one */
        return decide_all(stream, true, error);
    stream->looked = stream->events;
    stream->complete = all;
    if (stream->verdict != STREAM_VIOLATION)
        end_batch(stream);
    return STATUS_OK;
}

/* ---- what monitors are told ---- */

static enum status take_answer(struct stream *stream, struct told_event *told, struct error *error);

/* Another monitor takes the object over, in front of the event. */
static enum status ask_other(struct stream *stream, struct told_event *told, struct error *error)
{
    if (!note_told(stream, told->object, told->ordinal))
        return refused(stream, error);
    told_ask(stream, told);
    return take_answer(stream, told, error);
}

/* The search takes an object over, in front of the event. */
static enum status leave_monitor(struct stream *stream, struct told_event *told,
                                 struct error *error)
{
    struct followed *followed = objects_awake(stream, told->object);
    enum possible possible = POSSIBLE_REFUSED;
    const uint16_t operation = stream->tracked.items[told->place].call.operation;
    if (online_register_yields(followed->online, operation) &&
        monitored_yield(stream, told->object, told->ordinal))
        return ask_other(stream, told, error);
    if (!stream->options.monitors_only)
        possible = monitored_leave(stream, told->object, told->ordinal);
    TRY(check_fault(followed->spec, error));
    if (possible == POSSIBLE)
        return add_event(stream, told, error);
    if (possible != POSSIBLE_REFUSED)
        return verdict_retain(stream, told->object, told->ordinal, told->ordinal, error);
    verdict_give_up(stream, followed, LIMIT_NONE);
    return STATUS_OK;
}

/* What follows from the answer of a monitor. */
static enum status take_answer(struct stream *stream, struct told_event *told, struct error *error)
{
    struct followed *followed = objects_awake(stream, told->object);
    if (told->refused)
        return refused(stream, error);
    if (told->answer == ONLINE_LEAVES)
        return leave_monitor(stream, told, error);
    if (told->answer == ONLINE_REFUSED && followed->online->class->look)
        return verdict_leave_looking(stream, told->object, told->ordinal, error);
    if (told->answer == ONLINE_REFUSED)
        verdict_give_up(stream, followed, LIMIT_MEMORY);
    if (told->answer != ONLINE_IMPOSSIBLE)
        return STATUS_OK;
    followed->unlooked = false;
    return confirm_violation(stream, told->object, told->ordinal, error);
}

/* Has the object take an event. */
static enum status take_told(struct stream *stream, struct told_event *told, struct error *error)
{
    struct followed *followed = objects_awake(stream, told->object);
    if (followed->following == FOLLOWED_RETAINED) {
        retained_note(followed);
        return STATUS_OK;
    }
    if (!followed->online) {
        if (stream->options.monitors_only && !followed->given_up)
            verdict_give_up(stream, followed, LIMIT_NONE);
        return add_event(stream, told, error);
    }
    if (!note_told(stream, told->object, told->ordinal) ||
        (!followed->holds && !monitored_note(stream, told->object)))
        return refused(stream, error);
    if (!told->asked)
        told_ask(stream, told);
    return take_answer(stream, told, error);
}

/* A monitor's violation: of others the search, or a look, may find an earlier one. */
static enum status look_for_earlier(struct stream *stream, struct error *error)
{
    bool others = stream->batch.length || stream->unlooked.length || stream->retained.length;
    return stream->verdict == STREAM_VIOLATION && others ? decide_all(stream, true, error)
                                                         : STATUS_OK;
}

/* Has the objects take the events that wait, as if each had just come. */
static enum status settle(struct stream *stream, struct error *error)
{
    const uint32_t line = stream->line;
    const value process = stream->process;
    enum status status = told_ask_all(stream) ? STATUS_OK : refused(stream, error);
    for (size_t i = 0; i < stream->told.length && status == STATUS_OK; i++) {
        struct told_event *told = &stream->told.items[i];
        stream->line = told->line;
        stream->process = told->process;
        status = take_told(stream, told, error);
        if (stream->verdict != STREAM_VIOLATION)
            continue;
        told_undo(stream, i);
        stream->told.length = 0;
        return status == STATUS_OK ? look_for_earlier(stream, error) : status;
    }
    stream->told.length = 0;
    stream->line = line;
    stream->process = process;
    return status;
}

void stream_settle(struct stream *stream)
{
    if (stream->told.length == 0 || stream->stopped != STATUS_OK)
        return;
    struct value_pool *before = stream_begin_values(stream);
    stream->stopped = settle(stream, &stream->fault);
    value_pool_short_lived(before);
}

/* Decides what waits. */
static enum status settle_waiting(struct stream *stream, struct error *error)
{
    stream_settle(stream);
    if (stream->stopped != STATUS_OK && error)
        *error = stream->fault;
    return stream->stopped;
}

/* Decides, once nothing waits any more. */
static enum status decide_with_waiting(struct stream *stream, bool all, struct error *error)
{
    TRY(settle_waiting(stream, error));
    return stream->verdict == STREAM_VIOLATION ? STATUS_OK : decide_all(stream, all, error);
}

enum status stream_decide(struct stream *stream, struct error *error)
{
    if (stream->verdict == STREAM_VIOLATION || stream->complete)
        return STATUS_OK;
    return decide_with_waiting(stream, true, error);
}

/* Tells an object the event of an operation, whose stage is that: now, or when it is worth it. */
static enum status tell(struct stream *stream, uint32_t place, enum stage stage,
                        struct error *error)
{
    struct told_event told = {.ordinal = stream->events++,
                              .skipped = stream->skipped,
                              .process = stream->process,
                              .line = stream->line,
                              .place = place,
                              .object = stream->tracked.items[place].object,
                              .objects = (uint32_t)stream->objects.length,
                              .next = NONE,
                              .stage = (uint8_t)stage};
    if (stream->options.threads > (stream->fed ? 2 : 1))
        return vector_push(&stream->told, told) ? STATUS_OK : refused(stream, error);
    TRY(take_told(stream, &told, error));
    return look_for_earlier(stream, error);
}

/* ---- events ---- */

static enum status add_invocation(struct stream *stream, struct error *error)
{
    uint32_t index = (uint32_t)stream->history->operations.length - 1;
    struct bound bound;
    TRY(intake_bind(stream, index, &bound, error));
    stream->intact = false;
    assert(!bound.call.result_known && stream->tracked.length == index);
    const uint32_t object = object_of(stream, &stream->history->operations.items[index], &bound);
    if (object == NONE || !vector_reserve(&stream->tracked, index + (size_t)1))
        return refused(stream, error);
    stream->tracked.items[stream->tracked.length++] =
        (struct tracked){.call = bound.call,
                         .asked = bound.call.argument,
                         .asked_reads = bound.call.read_only,
                         .serial = stream->operations,
                         .began = stream->events,
                         .ended = ORDINAL_NEVER,
                         .object = object};
    stream->operations++;
    stream->running++;
    if (!idle_wake(stream, object))
        return refused(stream, error);
    return tell(stream, index, STAGE_RUNNING, error);
}

static enum status add_completion(struct stream *stream, uint32_t index, struct error *error)
{
    struct tracked *tracked = &stream->tracked.items[index];
    struct bound bound;
    TRY(intake_bind(stream, index, &bound, error));
    stream->intact = false;
    tracked->call = bound.call;
    tracked->ended = stream->events;
    bool unknown = stream->history->operations.items[index].outcome == OUTCOME_UNKNOWN;
    stream->running--;
    stream->pending += unknown;
    stream->completed += !unknown;
    if (!idle_wake(stream, tracked->object))
        return refused(stream, error);
    bool failed = stream->history->operations.items[index].outcome == OUTCOME_FAIL;
    stream->failed += failed;
    stream->objects.items[tracked->object].happened |= !failed;
    if (stream->options.keep_bytes)
        intake_count_bytes(stream, &stream->history->operations.items[index]);
    return tell(stream, index, stream_stage(stream, index), error);
}

/* The operation that a process is in; NONE. */
static uint32_t running_of(const struct stream *stream, value process)
{
    uint32_t number = labels_find(&stream->builder->processes, process);
    return number == LABEL_NONE ? NONE : stream->builder->running.items[number];
}

static void take_back_completion(struct operation *operation)
{
    operation->result = VALUE_NIL;
    operation->response_time = TIME_NONE;
    operation->response_line = 0;
    operation->response = POSITION_NEVER;
    operation->outcome = OUTCOME_UNKNOWN;
    operation->result_recorded = false;
}

/* `running`: the operation that the event completes; NONE. */
static enum status take_event(struct stream *stream, const struct event *event, uint32_t running,
                              struct error *error)
{
    struct history *history = stream->history;
    size_t annotations = history->annotations.length;
    stream->line = event->line;
    stream->process = event->process;
    TRY(history_builder_event(stream->builder, event, error));
    TRY(intake_check_times(stream, error));
    stream->intact &= history->annotations.length == annotations;
    if (history->annotations.length > annotations)
        return intake_forget_annotation(stream, event, error);
    if (event->type == EVENT_INVOKE)
        TRY(add_invocation(stream, error));
    else
        TRY(add_completion(stream, running, error));
    stream->complete = false;
    return STATUS_OK;
}

/* Takes an event of a process whose operation is on the shelf. */
static enum status take_long(struct stream *stream, const struct event *event, struct error *error)
{
    struct shelved shelved;
    uint32_t running;
    TRY(settle_waiting(stream, error)); /* another monitor may have given it another handle then */
    if (stream->verdict == STREAM_VIOLATION)
        return STATUS_OK;
    if (!shelf_find_running(&stream->shelf, event->process, &shelved) ||
        !bring(stream, &shelved, &running))
        return refused(stream, error);
    enum status status = take_event(stream, event, running, error);
    if (status == STATUS_OK)
        status = settle_waiting(stream, error);
    if (status == STATUS_OK)
        return bring_back(stream) ? STATUS_OK : refused(stream, error);
    bring_drop(stream);
    return status;
}

enum status stream_event(struct stream *stream, const struct event *event, struct error *error)
{
    if (stream->verdict == STREAM_VIOLATION)
        return STATUS_OK;
    struct shelved shelved;
    uint32_t running = event->type == EVENT_INVOKE ? NONE : running_of(stream, event->process);
    const struct builder_times times = builder_times_now(stream->builder);
    stream->intact = true;
    enum status status =
        running == NONE && shelf_find_running(&stream->shelf, event->process, &shelved)
            ? take_long(stream, event, error)
            : take_event(stream, event, running, error);
    if (status == STATUS_OK && stream->events - stream->looked >= stream->options.batch)
        return decide_with_waiting(stream, false, error);
    if (status == STATUS_OK)
        return STATUS_OK;
    stream->history->operations.length = stream->tracked.length; /* one may have been refused */
    told_renew_running(stream);
    stream->intact &= status == STATUS_INPUT;
    if (stream->intact && running != NONE)
        take_back_completion(&stream->history->operations.items[running]);
    if (stream->intact)
        builder_times_put(stream->builder, &times);
    return stream_refuse(stream, status, error);
}

enum status stream_refuse(struct stream *stream, enum status status, struct error *error)
{
    struct error fault;
    enum status before = STATUS_OK;
    stream_settle(stream); /* what is wrong comes behind what waited */
    if (stream->stopped != STATUS_OK) {
        fault = stream->fault;
        before = stream->stopped;
    } else if (status == STATUS_INPUT && !stream->options.monitors_only) {
        before = stream_decide(stream, &fault);
    }
    if (stream->verdict == STREAM_VIOLATION)
        return STATUS_OK;
    stream->intact &= before == STATUS_OK;
    if (before != STATUS_OK && error)
        *error = fault;
    return before != STATUS_OK ? before : status;
}

enum stream_verdict stream_verdict(const struct stream *stream)
{
    bool unknown = stream->verdict == STREAM_POSSIBLE && stream->complete && stream->doubtful;
    return unknown ? STREAM_UNKNOWN : stream->verdict;
}

size_t stream_parts(struct stream *stream)
{
    size_t parts = 0;
    struct kept_walk walk = kept_walk(stream); /* those that run are among them */
    while (kept_next(&walk))
        if (walk.now.tracked->ended == ORDINAL_NEVER)
            stream->objects.items[walk.now.tracked->object].happened = true;
    for (size_t i = 0; i < stream->objects.length; i++)
        parts += stream->objects.items[i].happened;
    return parts;
}

uint64_t stream_positions(const struct stream *stream)
{
    return 2 * (stream->operations - stream->failed) - stream->pending - stream->running;
}

struct event_place stream_event_place(const struct stream *stream, uint64_t ordinal)
{
    struct kept_walk walk = kept_walk(stream);
    while (kept_next(&walk)) {
        const struct operation *operation = walk.now.operation;
        if (walk.now.tracked->began == ordinal)
            return (struct event_place){operation->invoke_line, walk.now.process,
                                        operation->invoke_time};
        if (walk.now.tracked->ended == ordinal)
            return (struct event_place){operation->response_line, walk.now.process,
                                        operation->response_time};
    }
    return (struct event_place){0, VALUE_NIL, TIME_NONE};
}
