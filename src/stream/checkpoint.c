/* What numbers and labels say of each other is made again; the binder's tables, too. Of the
 * configurations only those between two batches are kept, so nothing is written within one. */
#include "stream/checkpoint.h"

#include <string.h>

#include "history/builder.h"
#include "stream/idle.h"
#include "stream/kept.h"
#include "stream/objects.h"
#include "stream/retained.h"
#include "stream/serials.h"

#define NAMES      SECTION_TAG('n', 'a', 'm', 'e')
#define OPERATIONS SECTION_TAG('o', 'p', 'e', 'r')
#define OBJECTS    SECTION_TAG('o', 'b', 'j', 'e')
#define BATCH      SECTION_TAG('b', 'a', 't', 'c')
#define COUNTS     SECTION_TAG('c', 'o', 'u', 'n')

enum status stream_may_be_kept(const struct stream *stream, struct error *error)
{
    const struct bind_options *bind = &stream->options.bind;
    for (size_t i = 0; i < bind->binding_count; i++)
        if (!archive_knows_states(bind->bindings[i].spec))
            return error_set(error, STATUS_USAGE, NULL, 0,
                             "no checkpoint can be kept of %s: nobody knows what its states are "
                             "made of (those of specifications that are built in or written in "
                             ".lin are known)",
                             bind->bindings[i].spec->class->name);
    return STATUS_OK;
}

/* ---- names ---- */

static void archive_annotations(struct archive *archive, struct stream *stream)
{
    struct history *history = stream->history;
    ARCHIVE_LENGTH(archive, &history->annotations);
    for (uint32_t i = 0; i < history->annotations.length; i++) {
        struct annotation *annotation = &history->annotations.items[i];
        ARCHIVE(archive, annotation->position);
        ARCHIVE(archive, annotation->line);
        archive_value(archive, &annotation->process);
        archive_value(archive, &annotation->value);
        archive_value(archive, &annotation->function);
        ARCHIVE(archive, annotation->time);
        ARCHIVE(archive, annotation->type);
        archive_label(archive, &stream->builder->noted, annotation->process, i);
    }
}

static void archive_names(struct archive *archive, struct stream *stream)
{
    struct history *history = stream->history;
    struct history_builder *builder = stream->builder;
    ARCHIVE_VALUES(archive, &history->processes);
    ARCHIVE_VALUES(archive, &history->functions);
    ARCHIVE_VALUES(archive, &history->objects);
    for (uint32_t i = 0; i < history->processes.length; i++)
        archive_label(archive, &builder->processes, history->processes.items[i], i);
    for (uint32_t i = 0; i < history->functions.length; i++)
        archive_label(archive, &builder->functions, history->functions.items[i], i);
    for (uint32_t i = 0; i < history->objects.length; i++)
        archive_label(archive, &builder->objects, history->objects.items[i], i);
    archive_annotations(archive, stream);
    ARCHIVE(archive, history->positions);
    ARCHIVE(archive, history->passed_over);
    ARCHIVE(archive, history->reversal.found);
    ARCHIVE(archive, history->reversal.time);
    ARCHIVE(archive, history->reversal.latest_time);
    ARCHIVE(archive, history->reversal.line);
    ARCHIVE(archive, history->reversal.latest_line);
    ARCHIVE(archive, history->reversal.operation);
    ARCHIVE(archive, history->reversal.latest_operation);
    ARCHIVE(archive, history->unread.found);
    ARCHIVE(archive, history->unread.line);
    archive_value(archive, &history->unread.value);
    ARCHIVE(archive, builder->latest_time);
    ARCHIVE(archive, builder->latest_line);
    ARCHIVE(archive, builder->latest_operation);
}

/* A specification, by its number among the bindings; null is none. */
static const struct spec *archive_spec(struct archive *archive, const struct stream *stream,
                                       const struct spec *spec)
{
    const struct bind_options *bind = &stream->options.bind;
    size_t number = bind->binding_count;
    for (size_t i = 0; i < bind->binding_count; i++)
        if (bind->bindings[i].spec == spec)
            number = i;
    ARCHIVE_BELOW(archive, number, bind->binding_count + 1);
    return number < bind->binding_count ? bind->bindings[number].spec : NULL;
}

/* What was met of the objects that the binder knows. */
static void archive_binder(struct archive *archive, struct stream *stream)
{
    bool bound = stream->bound;
    ARCHIVE(archive, bound);
    if (archive_reads(archive) && bound && archive->status == STATUS_OK) {
        enum status status = stream_renew_binder(stream, archive->error);
        if (status != STATUS_OK)
            archive_fail(archive, status);
    }
    size_t count = stream->bound ? stream->binder.object_count : 0;
    if (archive_below(archive, count, UINT32_MAX) != count)
        archive_damaged(archive, "the objects are not as many as their names");
    for (size_t i = 0; i < count; i++) {
        struct object_binding *object = &stream->binder.objects[i];
        object->spec = archive_spec(archive, stream, object->spec);
        ARCHIVE(archive, object->met);
        ARCHIVE(archive, object->key_fields);
        ARCHIVE(archive, object->keyed_results);
    }
}

/* ---- operations ---- */

static void archive_operation(struct archive *archive, const struct history *history,
                              struct operation *operation, size_t processes)
{
    archive_value(archive, &operation->argument);
    archive_value(archive, &operation->result);
    archive_value(archive, &operation->key);
    ARCHIVE(archive, operation->invoke_time);
    ARCHIVE(archive, operation->response_time);
    ARCHIVE(archive, operation->invoke);
    ARCHIVE(archive, operation->response);
    ARCHIVE(archive, operation->record);
    ARCHIVE_BELOW(archive, operation->process, processes);
    ARCHIVE(archive, operation->invoke_line);
    ARCHIVE(archive, operation->response_line);
    ARCHIVE_BELOW(archive, operation->function, history->functions.length);
    ARCHIVE(archive, operation->object);
    ARCHIVE_BELOW(archive, operation->outcome, OUTCOME_UNKNOWN + 1);
    ARCHIVE(archive, operation->has_key);
    ARCHIVE(archive, operation->result_recorded);
    if (operation->object != NO_OBJECT && operation->object >= history->objects.length)
        archive_damaged(archive, "an operation is of no object");
}

static void archive_tracked(struct archive *archive, const struct stream *stream,
                            struct tracked *tracked)
{
    archive_call(archive, &tracked->call);
    archive_value(archive, &tracked->asked);
    tracked->asked_reads = archive_below(archive, tracked->asked_reads, 2);
    tracked->serial = archive_below(archive, tracked->serial, UINT64_C(1) << 62);
    ARCHIVE(archive, tracked->began);
    ARCHIVE(archive, tracked->ended);
    ARCHIVE_BELOW(archive, tracked->object, stream->objects.length);
    ARCHIVE(archive, tracked->handle);
    tracked->held = archive_below(archive, tracked->held, 2);
}

/* Of an argument that is folded the items of the list, and where else it stands. */
static void archive_shelved(struct archive *archive, struct stream *stream, struct shelved *shelved)
{
    value *arguments[] = {&shelved->operation.argument, &shelved->tracked.asked,
                          &shelved->tracked.call.argument};
    const value folded = shelved->operation.argument;
    value first = folded ^ SHELVED_FOLDED;
    unsigned folds = 0; /* a bit each */
    for (size_t i = 0; i < ARRAY_LENGTH(arguments) && folded & SHELVED_FOLDED; i++)
        folds |= (unsigned)(*arguments[i] == folded) << i;
    ARCHIVE_BELOW(archive, folds, 1u << ARRAY_LENGTH(arguments));
    if (folds && !(folds & 1))
        archive_damaged(archive, "an argument is folded that is not there");
    if (folds) {
        archive_value(archive, &first);
        archive_value(archive, &shelved->second);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(arguments); i++)
        *arguments[i] = folds >> i & 1 ? VALUE_NIL : *arguments[i];
    archive_operation(archive, stream->history, &shelved->operation,
                      stream->history->processes.length + 1); /* it may be of none */
    archive_tracked(archive, stream, &shelved->tracked);
    archive_value(archive, &shelved->process);
    for (size_t i = 0; i < ARRAY_LENGTH(arguments); i++)
        *arguments[i] = folds >> i & 1 ? first ^ SHELVED_FOLDED : *arguments[i];
}

/* Whether an operation runs whose process is in another one, too. */
static bool is_in_two(const struct stream *stream, const struct shelved *shelved)
{
    struct shelved other;
    const uint32_t number = labels_find(&stream->builder->processes, shelved->process);
    return shelved->tracked.ended == ORDINAL_NEVER &&
           (shelf_find_running(&stream->shelf, shelved->process, &other) ||
            (number < stream->builder->running.length &&
             stream->builder->running.items[number] != NOT_RUNNING));
}

static void archive_shelf(struct archive *archive, struct stream *stream)
{
    struct shelf_walk walk = shelf_walk(&stream->shelf);
    const size_t count = archive_length(archive, stream->shelf.count);
    for (size_t i = 0; i < count && archive->status == STATUS_OK; i++) {
        if (!archive_reads(archive) && !shelf_next(&walk))
            return;
        archive_shelved(archive, stream, &walk.now);
        if (!archive_reads(archive) || archive->status != STATUS_OK)
            continue;
        struct kept kept;
        struct shelved room;
        if (kept_find(stream, walk.now.tracked.serial, &room, &kept) ||
            is_in_two(stream, &walk.now))
            archive_damaged(archive, "an operation is there twice, or a process is in two");
        else if (!shelf_add(&stream->shelf, &walk.now))
            archive_fail(archive, STATUS_LIMIT);
    }
    ARCHIVE(archive, stream->shelf.swept);
}

static void archive_operations(struct archive *archive, struct stream *stream)
{
    struct history *history = stream->history;
    ARCHIVE_LENGTH(archive, &history->operations);
    const size_t length = history->operations.length;
    for (size_t i = 0; i < length; i++)
        archive_operation(archive, history, &history->operations.items[i],
                          history->processes.length);
    ARCHIVE_LENGTH(archive, &stream->builder->running);
    if (stream->builder->running.length != history->processes.length)
        archive_damaged(archive, "the processes are not as many as their names");
    for (size_t i = 0; i < stream->builder->running.length; i++)
        stream->builder->running.items[i] =
            archive_place(archive, stream->builder->running.items[i], length);
    ARCHIVE_LENGTH(archive, &stream->tracked);
    if (stream->tracked.length != length)
        archive_damaged(archive, "of some operations nothing is said");
    for (size_t i = 0; i < stream->tracked.length; i++)
        archive_tracked(archive, stream, &stream->tracked.items[i]);
    archive_shelf(archive, stream);
}

/* ---- objects ---- */

/* The configurations, back to back (object.h). */
static void archive_stored(struct archive *archive, const struct spec *spec,
                           struct stream_object *object)
{
    ARCHIVE_LENGTH(archive, &object->stored);
    uint64_t *words = object->stored.items;
    size_t left = object->stored.length;
    for (uint32_t i = 0; i < object->count && archive->status == STATUS_OK; i++) {
        for (size_t j = 0; j < STORED_HEAD && left >= STORED_HEAD; j++)
            ARCHIVE(archive, words[j]);
        uint64_t state = left < STORED_HEAD ? 0 : words[0],
                 base = left < STORED_HEAD ? 0 : words[1];
        uint64_t rest = 0, room = left < STORED_HEAD ? 0 : left - STORED_HEAD;
        base = base == UINT64_MAX ? 0 : base;
        if (room)
            rest = words[2] + words[3];
        if (left < STORED_HEAD || state > room || base > room || words[2] > room ||
            words[3] > room || state + base + rest > room) {
            archive_damaged(archive, "a configuration is longer than all are");
            return;
        }
        words += STORED_HEAD;
        archive_state(archive, spec, words, (size_t)state);
        archive_state(archive, spec, words + state, (size_t)base);
        words += state + base;
        for (uint64_t j = 0; j < rest; j++)
            ARCHIVE_BELOW(archive, words[j], object->operations.length);
        words += rest;
        left -= STORED_HEAD + (size_t)(state + base + rest);
    }
    if (left)
        archive_damaged(archive, "there are fewer configurations than said");
}

static void archive_object(struct archive *archive, const struct spec *spec,
                           struct stream_object *object)
{
    ARCHIVE_LENGTH(archive, &object->operations);
    for (size_t i = 0; i < object->operations.length; i++) {
        struct stream_operation *operation = &object->operations.items[i];
        archive_call(archive, &operation->call);
        ARCHIVE(archive, operation->serial);
        ARCHIVE_BELOW(archive, operation->stage, STAGE_OVER + 1);
        ARCHIVE(archive, operation->invoked);
    }
    ARCHIVE(archive, object->count);
    archive_stored(archive, spec, object);
}

/* What a monitor began with: a value, or a number. */
static void archive_begun(struct archive *archive, const struct followed *followed, uint64_t *state)
{
    if (online_states_are_values(followed->spec))
        archive_value(archive, state);
    else
        ARCHIVE(archive, *state);
}

/* Numbers, as they are packed. */
static void archive_packed(struct archive *archive, struct packed *packed, uint32_t stride)
{
    struct numbers list = {.budget = packed->budget};
    struct packed_place place = {.stride = stride};
    bool done = archive_reads(archive) || numbers_unpack(&list, packed, stride);
    ARCHIVE_NUMBERS(archive, &list);
    for (size_t i = 0; archive_reads(archive) && i < list.length && done; i++)
        done = packed_append(packed, &place, list.items[i]);
    if (!done)
        archive_fail(archive, STATUS_LIMIT);
    vector_release(&list);
}

static void archive_snapshot(struct archive *archive, struct stream *stream,
                             const struct followed *followed, struct snapshot **place)
{
    bool taken = *place;
    struct budget *budget = stream->limits->budget;
    ARCHIVE(archive, taken);
    if (!taken)
        return;
    if (archive_reads(archive))
        *place = memory_zeroed(budget, sizeof **place);
    struct snapshot *snapshot = *place;
    if (!snapshot) {
        archive_fail(archive, STATUS_LIMIT);
        return;
    }
    ARCHIVE(archive, snapshot->ordinal);
    ARCHIVE(archive, snapshot->known);
    ARCHIVE(archive, snapshot->fresh);
    ARCHIVE(archive, snapshot->monitored);
    ARCHIVE(archive, snapshot->begun);
    archive_begun(archive, followed, &snapshot->state);
    if (snapshot->monitored) {
        if (archive_reads(archive))
            vectors_init(budget, &snapshot->retained, &snapshot->beside);
        archive_packed(archive, &snapshot->retained, SERIALS_STRIDE);
        archive_packed(archive, &snapshot->beside, CUT_STRIDE);
        return;
    }
    if (archive_reads(archive)) {
        snapshot->object = (struct stream_object){.spec = followed->spec, .key = followed->key};
        vectors_init(budget, &snapshot->object.operations, &snapshot->object.stored);
    }
    archive_object(archive, followed->spec, &snapshot->object);
}

static void archive_online(struct archive *archive, const struct stream *stream,
                           struct followed *followed)
{
    if (archive_reads(archive))
        followed->following = FOLLOWED_BY_MONITOR;
    archive_begun(archive, followed, &followed->state);
    if (archive_reads(archive) && archive->status == STATUS_OK) {
        followed->online = stream_create_online(stream, followed);
        if (!followed->online)
            archive_fail(archive, STATUS_LIMIT);
    }
    if (followed->online)
        online_archive(&followed->online, followed->key, followed->has_key, stream->limits,
                       archive);
}

/* It is written as if it were not packed. */
static void archive_packed_monitor(struct archive *archive, const struct stream *stream,
                                   struct followed *followed)
{
    struct followed unpacked = *followed;
    if (archive_reads(archive)) {
        archive_online(archive, stream, followed);
        if (archive->status == STATUS_OK && !idle_pack(stream, followed))
            archive_fail(archive, STATUS_LIMIT);
        return;
    }
    if (!idle_unpack(stream, &unpacked)) {
        archive_fail(archive, STATUS_LIMIT);
        return;
    }
    unpacked.state = followed->packed->state;
    archive_online(archive, stream, &unpacked);
    online_destroy(unpacked.online);
}

/* What the search knows; of an object that was given up nothing. */
static void archive_searched(struct archive *archive, const struct stream *stream,
                             struct followed *followed)
{
    bool known = followed->now;
    ARCHIVE(archive, known);
    if (!known)
        return;
    if (archive_reads(archive) && archive->status == STATUS_OK && !idle_search(stream, followed))
        archive_fail(archive, STATUS_LIMIT);
    if (followed->now)
        archive_object(archive, followed->spec, followed->now);
}

/* The only state of an object of which nothing is open. */
static void archive_words(struct archive *archive, const struct stream *stream,
                          struct followed *followed)
{
    struct numbers words = {.budget = stream->limits->budget};
    if (!archive_reads(archive)) {
        words.items = followed->words + 1;
        words.length = words.capacity = (size_t)followed->words[0];
    }
    ARCHIVE_LENGTH(archive, &words);
    archive_state(archive, followed->spec, words.items, words.length);
    if (!archive_reads(archive))
        return;
    if (archive->status == STATUS_OK && !idle_store(stream, followed, words.items, words.length))
        archive_fail(archive, STATUS_LIMIT);
    vector_release(&words);
}

/* What is known of an object of which all operations are kept. */
static void archive_retained(struct archive *archive, struct stream *stream, uint32_t object,
                             struct followed *followed)
{
    if (archive_reads(archive) && !retained_begin(stream, object, followed->looked, 0)) {
        if (atomic_load(&stream->limits->budget->refused))
            archive_fail(archive, STATUS_LIMIT);
        archive_damaged(archive, "an object is retained since no time");
        return;
    }
    struct retained *retained = followed->retained;
    ARCHIVE(archive, retained->events);
    ARCHIVE(archive, retained->tried);
    ARCHIVE(archive, retained->next);
    ARCHIVE(archive, retained->doubtful);
    ARCHIVE(archive, retained->returned);
}

/* An object is read as one that the search follows, and of which nothing is known, until more is
 * there: whatever is missing then, what there is can be released. */
static void archive_decider(struct archive *archive, struct stream *stream, uint32_t object,
                            struct followed *followed)
{
    uint8_t following = followed->following;
    ARCHIVE_BELOW(archive, following, FOLLOWED_PACKED + 1);
    switch ((enum following)following) {
    case FOLLOWED_BY_MONITOR:
        archive_online(archive, stream, followed);
        break;
    case FOLLOWED_IDLE:
        followed->following = FOLLOWED_IDLE;
        archive_begun(archive, followed, &followed->state);
        break;
    case FOLLOWED_BY_SEARCH:
        archive_searched(archive, stream, followed);
        break;
    case FOLLOWED_IDLE_STATE:
        archive_words(archive, stream, followed);
        break;
    case FOLLOWED_RETAINED:
        archive_retained(archive, stream, object, followed);
        break;
    case FOLLOWED_PACKED:
        archive_packed_monitor(archive, stream, followed);
        break;
    }
    if (archive->status == STATUS_OK)
        followed->following = following;
}

#define ARCHIVE_FLAG(archive, field)                                                               \
    do {                                                                                           \
        bool flag = (field);                                                                       \
        (field) = ARCHIVE(archive, flag);                                                          \
    } while (0)

static void archive_followed(struct archive *archive, struct stream *stream, uint32_t object,
                             struct followed *followed)
{
    followed->spec = archive_spec(archive, stream, followed->spec);
    if (!followed->spec) {
        archive_damaged(archive, "an object has no specification");
        return;
    }
    archive_value(archive, &followed->key);
    archive_value(archive, &followed->independent);
    ARCHIVE(archive, followed->epoch);
    ARCHIVE(archive, followed->looked);
    followed->first = archive_place(archive, followed->first, UINT32_MAX);
    followed->last = archive_place(archive, followed->last, UINT32_MAX);
    ARCHIVE(archive, followed->object);
    ARCHIVE_FLAG(archive, followed->begun);
    ARCHIVE_FLAG(archive, followed->has_key);
    ARCHIVE_FLAG(archive, followed->has_independent);
    ARCHIVE_FLAG(archive, followed->given_up);
    ARCHIVE_FLAG(archive, followed->touched);
    ARCHIVE_FLAG(archive, followed->holds);
    ARCHIVE_FLAG(archive, followed->unlooked);
    ARCHIVE_FLAG(archive, followed->wide);
    for (size_t i = 0; i < ARRAY_LENGTH(followed->then); i++)
        archive_snapshot(archive, stream, followed, &followed->then[i]);
    archive_decider(archive, stream, object, followed);
}

/* The room for all of them. */
static void begin_objects(struct archive *archive, struct stream *stream)
{
    const size_t length = archive_length(archive, stream->objects.length);
    if (archive_reads(archive) && archive->status == STATUS_OK && !objects_make(stream, length))
        archive_fail(archive, STATUS_LIMIT);
}

/* One that rests is read as one that is awake, and rests then. */
static void read_object(struct archive *archive, struct stream *stream, uint32_t object)
{
    struct followed *followed = objects_wake(stream, object);
    if (!followed) {
        archive_fail(archive, STATUS_LIMIT);
        return;
    }
    followed->following = FOLLOWED_BY_SEARCH;
    archive_followed(archive, stream, object, followed);
    if (archive->status != STATUS_OK)
        return;
    if (!objects_spec_fits(stream, followed))
        archive_damaged(archive, "objects of one name have two specifications");
    else if (!objects_enter(stream, object))
        archive_fail(archive, STATUS_LIMIT);
    else
        objects_rest(stream, object);
}

static void archive_objects(struct archive *archive, struct stream *stream)
{
    for (uint32_t i = 0; i < stream->objects.length && archive->status == STATUS_OK; i++) {
        struct followed followed;
        if (archive_reads(archive)) {
            read_object(archive, stream, i);
        } else {
            followed = *objects_known(stream, i, &followed);
            archive_followed(archive, stream, i, &followed);
        }
    }
}

/* ---- events that are not decided for good ---- */

/* Whether all that it says it has in a batch of that length is there. */
static bool has_events(const struct followed *followed, size_t length)
{
    return followed->first == UINT32_MAX || (followed->first < length && followed->last < length);
}

static void archive_batch(struct archive *archive, struct stream *stream)
{
    ARCHIVE_LENGTH(archive, &stream->batch);
    const size_t length = stream->batch.length, objects = stream->objects.length;
    for (size_t i = 0; i < length; i++) {
        struct stream_event *event = &stream->batch.items[i];
        ARCHIVE(archive, event->ordinal);
        ARCHIVE(archive, event->serial);
        ARCHIVE_BELOW(archive, event->object, objects);
        event->next = archive_place(archive, event->next, length);
        ARCHIVE(archive, event->begins);
    }
    ARCHIVE_LENGTH(archive, &stream->touched);
    for (size_t i = 0; i < stream->touched.length; i++)
        ARCHIVE_BELOW(archive, stream->touched.items[i], objects);
    ARCHIVE_LENGTH(archive, &stream->unlooked);
    for (size_t i = 0; i < stream->unlooked.length; i++)
        ARCHIVE_BELOW(archive, stream->unlooked.items[i], objects);
    ARCHIVE_LENGTH(archive, &stream->holders);
    for (size_t i = 0; i < stream->holders.length; i++)
        ARCHIVE_BELOW(archive, stream->holders.items[i], objects);
    ARCHIVE_LENGTH(archive, &stream->woken);
    for (size_t i = 0; i < stream->woken.length; i++)
        ARCHIVE_BELOW(archive, stream->woken.items[i], objects);
    for (uint32_t i = 0; i < objects; i++)
        if (objects_is_awake(stream, i) && !has_events(objects_awake(stream, i), length))
            archive_damaged(archive, "an object has events that are not there");
    for (size_t i = 0; i < length && archive->status == STATUS_OK; i++)
        if (!objects_is_awake(stream, stream->batch.items[i].object))
            archive_damaged(archive, "an object has no events that are there");
    for (size_t i = 0; i < stream->touched.length && archive->status == STATUS_OK; i++)
        if (!objects_is_awake(stream, stream->touched.items[i]))
            archive_damaged(archive, "an object has no events that are there");
}

static void archive_counts(struct archive *archive, struct stream *stream)
{
    ARCHIVE(archive, stream->looked);
    ARCHIVE(archive, stream->complete);
    ARCHIVE(archive, stream->events);
    ARCHIVE(archive, stream->operations);
    ARCHIVE(archive, stream->completed);
    ARCHIVE(archive, stream->skipped);
    ARCHIVE(archive, stream->running);
    ARCHIVE(archive, stream->pending);
    ARCHIVE(archive, stream->epoch);
    ARCHIVE(archive, stream->epoch_start[0]);
    ARCHIVE(archive, stream->epoch_start[1]);
    ARCHIVE(archive, stream->epoch_operations);
    ARCHIVE(archive, stream->epoch_bytes);
    ARCHIVE(archive, stream->cleared_bytes);
    ARCHIVE(archive, stream->kept);
    ARCHIVE(archive, stream->held);
    ARCHIVE_BELOW(archive, stream->verdict, STREAM_UNKNOWN + 1);
    ARCHIVE(archive, stream->doubtful);
    ARCHIVE(archive, stream->doubtful_since);
    ARCHIVE_BELOW(archive, stream->limit, LIMIT_DEPTH + 1);
    ARCHIVE(archive, stream->given_up);
    ARCHIVE(archive, stream->given_up_line);
    archive_value(archive, &stream->given_up_process);
    ARCHIVE(archive, stream->line);
    if (labels_find(&stream->builder->processes, stream->process) == LABEL_NONE)
        stream->process = VALUE_NIL; /* of no client: it may have been forgotten */
    archive_value(archive, &stream->process);
    ARCHIVE(archive, stream->violated);
    ARCHIVE(archive, stream->violation);
    ARCHIVE(archive, stream->exactly);
    ARCHIVE(archive, stream->configurations.explored);
}

void stream_archive(struct stream *stream, struct archive *archive)
{
    archive_section(archive, NAMES);
    archive_names(archive, stream);
    archive_binder(archive, stream);
    begin_objects(archive, stream);
    archive_section(archive, OPERATIONS);
    archive_operations(archive, stream);
    archive_section(archive, OBJECTS);
    archive_objects(archive, stream);
    archive_section(archive, BATCH);
    archive_batch(archive, stream);
    archive_section(archive, COUNTS);
    archive_counts(archive, stream);
}
