#include "stream/batch.h"

#include <assert.h>

#include "base/faults.h"
#include "base/parallel.h"
#include "stream/idle.h"
#include "stream/kept.h"
#include "stream/objects.h"
#include "stream/serials.h"
#include "value/forget.h"

#define NONE      UINT32_MAX
#define WAIT_MOST 4 /* batches, for which an operation that runs is waited for */
#define SPREAD_LEAST                                                                               \
    SIZE_OR_SMALL(256, 2) /* events, from which it is worth while to start threads */

/* An operation that is kept; `room` is the caller's. */
static struct kept find_kept(const struct stream *stream, uint64_t serial, struct shelved *room)
{
    struct kept kept = {0};
    const bool found = kept_find(stream, serial, room, &kept);
    assert(found);
    (void)found;
    return kept;
}

/* The place of one that is in the history. */
static uint32_t find_serial(const struct stream *stream, uint64_t serial)
{
    const uint32_t place = stream_place(stream, serial);
    assert(place != NONE);
    return place;
}

uint32_t batch_number(const struct stream_object *object, uint64_t serial)
{
    size_t low = 0, high = object->operations.length;
    BISECT(low, high, middle, object->operations.items[middle].serial < serial);
    bool found = low < object->operations.length && object->operations.items[low].serial == serial;
    return found ? (uint32_t)low : NONE;
}

/* Tells the object what has been learned since its last events, and of the operations that begin in
 * front of `end`. */
static bool renew_operations(const struct stream *stream, const struct stream_event *events,
                             uint32_t first, uint32_t end, struct stream_object *object)
{
    for (size_t i = 0; i < object->operations.length; i++) {
        struct stream_operation *operation = &object->operations.items[i];
        if (operation->stage != STAGE_RUNNING)
            continue;
        struct shelved room;
        struct kept kept = find_kept(stream, operation->serial, &room);
        if (!kept_unfold(stream, &kept))
            return false;
        operation->stage = (uint8_t)kept_stage(&kept);
        operation->call = kept.tracked->call;
    }
    for (uint32_t at = first; at != end; at = events[at].next) {
        const struct stream_event *event = &events[at];
        struct shelved room;
        struct kept kept = find_kept(stream, event->serial, &room);
        if (!kept_unfold(stream, &kept))
            return false;
        struct stream_operation operation = {.serial = event->serial,
                                             .call = kept.tracked->call,
                                             .stage = (uint8_t)kept_stage(&kept)};
        if (event->begins && !vector_push(&object->operations, operation))
            return false;
    }
    return true;
}

/* What a monitor says of the object as it is now. */
static bool fill_snapshot(const struct followed *followed, struct snapshot *snapshot)
{
    struct online *online = followed->online;
    snapshot->begun = followed_begun(followed, &snapshot->state);
    if (online->class->rests && online->class->rests(online, &snapshot->state)) {
        snapshot->begun = true;
        return true;
    }
    struct cut cut = {&snapshot->beside, {.stride = CUT_STRIDE}};
    const bool done = (!online->class->cut || online->class->cut(online, &cut)) &&
                      serials_pack(online, &snapshot->retained);
    packed_trim(&snapshot->retained);
    packed_trim(&snapshot->beside);
    return done;
}

bool batch_take_snapshot(const struct stream *stream, struct followed *followed, uint64_t ordinal)
{
    struct budget *budget = stream->limits->budget;
    if (batch_has_snapshot(stream, followed))
        return true;
    struct snapshot *now = memory_zeroed(budget, sizeof *now);
    if (!now)
        return false;
    snapshot_release(stream, &followed->then[0]);
    followed->then[0] = followed->then[1];
    followed->then[1] = now;
    if (followed->epoch + 1 != (uint32_t)stream->epoch)
        snapshot_release(stream, &followed->then[0]);
    now->fresh = !followed->touched;
    now->ordinal = ordinal;
    now->monitored = followed->online;
    followed->touched = true;
    followed->epoch = (uint32_t)stream->epoch;
    if (now->monitored) {
        vectors_init(budget, &now->retained, &now->beside);
        return fill_snapshot(followed, now);
    }
    now->known = followed->looked;
    vectors_init(budget, &now->object.operations, &now->object.stored);
    return stream_object_copy(&now->object, followed->now);
}

enum possible batch_decide_events(const struct stream *stream,
                                  struct configurations *configurations,
                                  const struct stream_event *events, uint32_t first, uint32_t end,
                                  bool wide, struct stream_object *object)
{
    if (!renew_operations(stream, events, first, end, object))
        return POSSIBLE_REFUSED;
    configurations_bound(configurations, wide ? BOUND_WIDE : BOUND_USUAL);
    enum possible possible = configurations_begin(configurations, object);
    for (uint32_t at = first; at != end && possible == POSSIBLE; at = events[at].next) {
        const struct stream_event *event = &events[at];
        struct shelved room;
        struct kept kept = find_kept(stream, event->serial, &room);
        enum stage stage = kept_stage(&kept);
        if (event->begins)
            possible = configurations_invoke(configurations, batch_number(object, event->serial));
        else if (stage == STAGE_COMPLETES)
            possible = configurations_respond(configurations, batch_number(object, event->serial));
    }
    return possible == POSSIBLE ? configurations_end(configurations) : possible;
}

/* Decides the object's events in front of `end`. */
static enum possible decide_object(const struct stream *stream,
                                   struct configurations *configurations,
                                   const struct followed *followed, uint32_t end,
                                   struct stream_object *object)
{
    return batch_decide_events(stream, configurations, stream->batch.items, followed->first, end,
                               followed->wide, object);
}

/* The first event of the object that is not decided for good yet: its operation runs, and has not
 * done so for long. NONE: all are. */
static uint32_t end_of(const struct stream *stream, const struct followed *followed)
{
    uint64_t most = (uint64_t)WAIT_MOST * stream->options.batch;
    for (uint32_t at = followed->first; at != NONE; at = stream->batch.items[at].next) {
        const struct stream_event *event = &stream->batch.items[at];
        if (event->begins && stream->events - event->ordinal <= most &&
            stream_stage(stream, find_serial(stream, event->serial)) == STAGE_RUNNING)
            return at;
    }
    return NONE;
}

/* The last event from `end` on that says what became of an operation; 0: there is none. */
static uint64_t known_from(const struct stream *stream, uint32_t end)
{
    uint64_t known = 0;
    for (uint32_t at = end; at != NONE; at = stream->batch.items[at].next)
        if (!stream->batch.items[at].begins)
            known = stream->batch.items[at].ordinal;
    return known;
}

/* Decides on a copy, which is forgotten. */
static enum possible decide_copy(const struct stream *stream, struct configurations *configurations,
                                 const struct followed *followed)
{
    struct stream_object copy;
    struct budget *budget = stream->limits->budget;
    vectors_init(budget, &copy.operations, &copy.stored);
    enum possible possible = POSSIBLE_REFUSED;
    if (stream_object_copy(&copy, followed->now))
        possible = decide_object(stream, configurations, followed, NONE, &copy);
    stream_object_release(&copy);
    return possible;
}

/* Decides as batch_decide has it, with these configurations. */
static struct decided decide_followed(const struct stream *stream,
                                      struct configurations *configurations,
                                      struct followed *followed, bool all)
{
    struct decided decided = {.first = stream->batch.items[followed->first].ordinal,
                              .possible = POSSIBLE_REFUSED};
    uint32_t end = end_of(stream, followed);
    if (end != followed->first) {
        if (!batch_take_snapshot(stream, followed, decided.first))
            return decided;
        followed->looked = known_from(stream, end);
        decided.possible = decide_object(stream, configurations, followed, end, followed->now);
        if (decided.possible != POSSIBLE)
            return decided;
    }
    decided.possible = POSSIBLE;
    followed->first = end; /* what came before was possible */
    if (!all || end == NONE)
        return decided;
    if (!batch_take_snapshot(stream, followed, stream->batch.items[end].ordinal)) {
        decided.possible = POSSIBLE_REFUSED;
        return decided;
    }
    decided.not_for_good = decide_copy(stream, configurations, followed);
    return decided;
}

struct decided batch_decide(struct stream *stream, uint32_t object, bool all)
{
    return decide_followed(stream, &stream->configurations, objects_awake(stream, object), all);
}

/* ---- on several threads ---- */

struct spread {
    struct stream *stream;
    struct value_pool *pool; /* in which the caller makes short-lived values; null: in none */
    bool all;
};

static void decide_touched(void *context, size_t i, unsigned worker)
{
    const struct spread *spread = context;
    struct stream *stream = spread->stream;
    struct followed *followed = objects_awake(stream, stream->touched.items[i]);
    if (followed->given_up || followed->first == NONE)
        return;
    struct value_pool *before = value_pool_short_lived(spread->pool);
    struct configurations *configurations =
        worker ? &stream->helpers.items[worker - 1] : &stream->configurations;
    stream->decided.items[i] = decide_followed(stream, configurations, followed, spread->all);
    value_pool_short_lived(before);
}

/* Makes what the other threads need. False when refused. */
static bool prepare(struct stream *stream)
{
    while (stream->helpers.length + 1 < stream->options.threads) {
        struct configurations helper;
        configurations_init(&helper, stream->limits);
        if (!vector_push(&stream->helpers, helper))
            return false;
    }
    return vector_reserve(&stream->decided, stream->touched.length);
}

bool batch_spread(struct stream *stream, bool all)
{
    if (stream->options.threads < 2 || stream->touched.length < 2 ||
        stream->batch.length < SPREAD_LEAST || !prepare(stream))
        return false;
    struct spread spread = {.stream = stream, .all = all};
    spread.pool = value_pool_short_lived(NULL);
    value_pool_short_lived(spread.pool);
    parallel_for(stream->options.threads, stream->touched.length, decide_touched, &spread);
    for (size_t i = 0; i < stream->helpers.length; i++) {
        stream->configurations.explored += stream->helpers.items[i].explored;
        stream->helpers.items[i].explored = 0;
    }
    return true;
}
