#include "stream/intake.h"

#include "history/builder.h"
#include "history/skipped.h"
#include "spec/counter.h"
#include "spec/map.h"

/* Whether the binder knows all names there are. */
static bool names_are_bound(const struct stream *stream)
{
    return stream->bound && stream->binder.function_count == stream->history->functions.length &&
           stream->binder.object_count == stream->history->objects.length + 1;
}

enum status stream_renew_binder(struct stream *stream, struct error *error)
{
    const struct history *history = stream->history;
    struct binder made, old = stream->binder;
    size_t objects = history->objects.length + 1;
    if (names_are_bound(stream))
        return STATUS_OK;
    TRY(binder_create(history, &stream->options.bind, &made, error));
    for (size_t i = 0; i < objects; i++) {
        struct object_binding *object = &made.objects[i];
        bool map = object->spec && object->spec->class == &map_class;
        object->keyed_results = map && stream->options.bind.results == RESULTS_KEYED;
        size_t before = i + 1 == objects ? old.object_count - 1 : i;
        if (!stream->bound || (i + 1 < objects && i + 1 >= old.object_count))
            continue;
        object->met = old.objects[before].met;
        object->key_fields = old.objects[before].key_fields;
    }
    if (stream->bound)
        binder_release(&old);
    stream->binder = made;
    stream->bound = true;
    return STATUS_OK;
}

/* Whether a get of a map answers its key and a value: nobody said what that is. */
static bool is_doubtful(const struct stream *stream, const struct operation *operation,
                        const struct bound *bound)
{
    size_t length;
    if (stream->options.bind.results != RESULTS_INFERRED || operation->outcome != OUTCOME_OK ||
        !operation->result_recorded || bound->spec->class != &map_class ||
        bound->call.operation != MAP_GET)
        return false;
    const value *items = value_get_items(operation->result, &length);
    return value_kind_of(operation->result) == KIND_LIST && length == 2 &&
           items[0] == bound->call.argument;
}

/* Whether another specification may be inferred from the history with that operation: one for each
 * object, or a set that is read as a whole where a counter was (history/infer.h). All else that
 * another is inferred from is no operation of the specification. */
static bool may_be_another(const struct operation *operation, const struct bound *bound)
{
    enum value_kind kind = value_kind_of(operation->result);
    return operation->object != NO_OBJECT ||
           (bound->spec->class == &counter_class && (kind == KIND_LIST || kind == KIND_SET));
}

enum status intake_bind(struct stream *stream, uint32_t index, struct bound *bound,
                        struct error *error)
{
    const struct operation *operation = &stream->history->operations.items[index];
    if (UNLIKELY(!names_are_bound(stream)))
        TRY(stream_renew_binder(stream, error));
    TRY(binder_bind(&stream->binder, index, bound, error));
    if (UNLIKELY(stream->options.bind.inferred) && may_be_another(operation, bound))
        return error_set(error, STATUS_INPUT, stream->history->name, operation->invoke_line,
                         "expected an operation from which %s is inferred, found another",
                         bound->spec->class->name);
    if (is_doubtful(stream, operation, bound))
        return error_set(error, STATUS_INPUT, stream->history->name, operation->response_line,
                         "expected the value of the key, found a list of the key and a value; give "
                         "--results=keyed if it is that, or --results=plain");
    return STATUS_OK;
}

enum status intake_check_bindings(const struct stream *stream, struct error *error)
{
    struct bind_options options = stream->options.bind;
    struct binder all;
    if (!stream->bound)
        return STATUS_OK;
    options.grows = false;
    TRY(binder_create(stream->history, &options, &all, error));
    const size_t without = all.object_count - 1;
    all.objects[without].met = stream->binder.objects[stream->binder.object_count - 1].met;
    enum status status = binder_check_all_used(&all, error);
    binder_release(&all);
    return status;
}

enum status intake_check_times(const struct stream *stream, struct error *error)
{
    const struct time_reversal *reversal = &stream->history->reversal;
    const struct unread_time *unread = &stream->history->unread;
    if (stream->options.order_unsaid && stream->options.monitors_only && unread->found)
        return error_set(error, STATUS_INPUT, stream->history->name, unread->line,
                         "expected an integer as `time`, found something else");
    if (!stream->options.order_unsaid || !reversal->found)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT, stream->history->name, reversal->line,
                     "the times run backwards: %lld, after %lld in line %u; what is followed is "
                     "taken in the order in which it is written: give --order=file if that is the "
                     "one meant, or --window=TIME if events may be late by TIME",
                     (long long)reversal->time, (long long)reversal->latest_time,
                     reversal->latest_line);
}

enum status intake_forget_annotation(struct stream *stream, const struct event *event,
                                     struct error *error)
{
    struct history *history = stream->history;
    uint32_t last = (uint32_t)history->annotations.length - 1;
    stream->skipped++;
    if (event->type == EVENT_NOTE && event->noted == EVENT_INVOKE)
        TRY(skipped_check(history, &stream->options.bind, stream->options.bind.inferred, error));
    if (labels_find(&stream->builder->noted, event->process) != last)
        history->annotations.length--;
    return STATUS_OK;
}

/* What a value takes; of a part that others have, too, as if it were its own. */
static uint64_t bytes_of(value v)
{
    size_t length = 0;
    const value *items = value_get_items(v, &length);
    uint64_t bytes = length * sizeof *items;
    for (size_t i = 0; i < length; i++)
        bytes += bytes_of(items[i]);
    if (items)
        return sizeof(struct value_object) + bytes;
    return value_get_text(v, &length) ? sizeof(struct value_object) + length : 0;
}

void intake_count_bytes(struct stream *stream, const struct operation *operation)
{
    uint64_t bytes = sizeof *operation + sizeof(struct tracked) + bytes_of(operation->argument) +
                     bytes_of(operation->result);
    stream->epoch_bytes += bytes;
    stream->cleared_bytes += bytes;
}
