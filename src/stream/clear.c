#include "stream/clear.h"

#include "history/builder.h"
#include "stream/batch.h"
#include "stream/bring.h"
#include "stream/clear_least.h"
#include "stream/kept.h"
#include "stream/monitored.h"
#include "stream/objects.h"
#include "stream/processes.h"
#include "stream/retained.h"

#define NONE         UINT32_MAX
#define SHELF_PARTS  32 /* of the shelf there is a part beside it until something is cleared */
#define INSIDE_PARTS 16 /* both are such a part of what is in containers */

/* By the search. */
static bool is_held(const struct stream *stream, const struct tracked *tracked)
{
    struct followed room;
    const struct followed *followed = objects_known(stream, tracked->object, &room);
    bool held = followed->following == FOLLOWED_BY_SEARCH && followed->now &&
                batch_number(followed->now, tracked->serial) != NONE;
    for (size_t i = 0; i < ARRAY_LENGTH(followed->then) && !held; i++) {
        const struct snapshot *then = followed->then[i];
        held = then && !then->monitored && batch_number(&then->object, tracked->serial) != NONE;
    }
    return held;
}

/* Something is to be known of operations that ended then, or later. */
static uint64_t kept_since(const struct stream *stream)
{
    uint64_t since = stream->epoch_start[0];
    if (stream->batch.length && stream->batch.items[0].ordinal < since)
        since = stream->batch.items[0].ordinal;
    return since;
}

struct sweep {
    const struct stream *stream;
    uint64_t since;
};

static bool keeps_shelved(void *context, const struct tracked *tracked)
{
    const struct sweep *sweep = context;
    return tracked->ended >= sweep->since || is_held(sweep->stream, tracked) ||
           retained_keeps(sweep->stream, tracked);
}

static bool is_kept(const struct stream *stream, uint32_t index, uint64_t since)
{
    const struct tracked *tracked = &stream->tracked.items[index];
    return tracked->ended == ORDINAL_NEVER || tracked->ended >= since || tracked->held ||
           retained_keeps(stream, tracked) ||
           (stream_stage(stream, index) == STAGE_PENDING && is_held(stream, tracked));
}

/* Whether nothing is to be learned of an operation any more, or not for long. */
static bool is_old(const struct stream *stream, uint32_t index, uint64_t since)
{
    const struct tracked *tracked = &stream->tracked.items[index];
    if (retained_keeps(stream, tracked))
        return false;
    if (tracked->ended != ORDINAL_NEVER)
        return tracked->ended < since && stream_stage(stream, index) != STAGE_FAILED;
    const enum following following = objects_following(stream, tracked->object);
    return tracked->began < since &&
           (following == FOLLOWED_BY_MONITOR || following == FOLLOWED_PACKED);
}

/* Has the monitor of an operation that has run for long keep less of it. */
static void set_aside(struct stream *stream, uint32_t index)
{
    struct tracked *tracked = &stream->tracked.items[index];
    const struct call call = tracked_invoked(tracked);
    if (tracked->ended != ORDINAL_NEVER || !objects_is_awake(stream, tracked->object))
        return;
    struct online *online = objects_awake(stream, tracked->object)->online;
    if (online && online->class->set_aside)
        (void)!online->class->set_aside(online, &call, tracked->serial, &tracked->handle);
}

/* Puts an operation that is kept on the shelf, if it is old. */
static bool is_shelved(struct stream *stream, uint32_t index, uint64_t since)
{
    if (!is_old(stream, index, since))
        return false;
    set_aside(stream, index);
    const struct shelved shelved = bring_shelved(stream, index);
    if (!shelf_add(&stream->shelf, &shelved))
        return false;
    if (shelved.tracked.ended == ORDINAL_NEVER) {
        const uint32_t process = stream->history->operations.items[index].process;
        stream->builder->running.items[process] = NOT_RUNNING;
    }
    return true;
}

uint64_t clear_part_of_shelf(const struct stream *stream, size_t parts)
{
    const struct shelf *shelf = &stream->shelf;
    return (shelf->count - shelf->completed) / parts + shelf->completed / INSIDE_PARTS;
}

void clear_history(struct stream *stream)
{
    struct history *history = stream->history;
    uint64_t most = stream->options.keep_bytes;
    bool full = most && stream->cleared_bytes >= most / KEEP_PARTS;
    const uint64_t least = clear_least(stream);
    if (stream->brought || stream->tracked.length < stream->kept + stream->kept / 4 +
                                                        clear_part_of_shelf(stream, SHELF_PARTS) +
                                                        (full ? 0 : least))
        return;
    uint32_t kept = 0;
    const uint64_t since = kept_since(stream);
    const bool sweeps = shelf_is_due(&stream->shelf, least / SHELF_PARTS);
    stream->cleared_bytes = 0;
    monitored_mark(stream, sweeps);
    if (sweeps)
        shelf_drop(&stream->shelf, keeps_shelved, &(struct sweep){stream, since});
    for (uint32_t i = 0; i < stream->tracked.length; i++) {
        if (!is_kept(stream, i, since) || is_shelved(stream, i, since))
            continue;
        struct operation *operation = &history->operations.items[kept];
        *operation = history->operations.items[i];
        operation->record = kept;
        stream->tracked.items[kept] = stream->tracked.items[i];
        if (stream->tracked.items[kept].ended == ORDINAL_NEVER)
            stream->builder->running.items[operation->process] = kept;
        kept++;
    }
    history->operations.length = stream->tracked.length = stream->kept = kept;
    stream_forget_processes(stream);
    history->positions = 0; /* the order of events is that of their ordinals here */
}
