/* The operations since the object's older snapshot are a history of a specification that goes on
 * from there (story.h). It is decided when there are twice as many as the last time, or MOST_LATE
 * more, so that an event is looked at a few times in all, and whenever an answer is wanted; where
 * that takes more steps than CONFIRMING_STEPS, not before there are twice as many.
 *
 * Once there are RETURN_LEAST events the search gets another chance, with wider bounds: from then
 * on it goes on, slowly. If it cannot, the object is given up when there are MOST_EVENTS.
 *
 * Invariant: the snapshot stays, and so do all operations of which the story tells. */
#include "stream/retained.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "stream/batch.h"
#include "stream/idle.h"
#include "stream/kept.h"
#include "stream/monitored.h"
#include "stream/objects.h"
#include "stream/serials.h"
#include "stream/story.h"

#define NONE         UINT32_MAX
#define MOST_LATE    2048
#define RETURN_LEAST 8192
#define RETURN_BATCH 1024
#define MOST_EVENTS  65536

static struct snapshot *beginning_of(const struct followed *followed)
{
    return followed->then[followed->then[0] ? 0 : 1];
}

static bool is_within(const struct snapshot *from, const struct tracked *tracked)
{
    return tracked->ended == ORDINAL_NEVER || tracked->ended >= from->ordinal;
}

/* Whether what comes behind a snapshot is a history that goes on from there, also of operations
 * that the monitor does not understand: a cut of what counts says what it would have done. */
static bool goes_on(const struct snapshot *from)
{
    return snapshot_is_idle(from) || !from->monitored || !from->beside.length;
}

bool retained_begin(struct stream *stream, uint32_t object, uint64_t decided, uint64_t until)
{
    struct followed *followed = objects_awake(stream, object);
    struct budget *budget = stream->limits->budget;
    if (followed->then[0] && followed->then[1] && !goes_on(followed->then[0]))
        snapshot_release(stream, &followed->then[0]);
    const struct snapshot *from = beginning_of(followed);
    if (!from || !goes_on(from) || !vector_reserve(&stream->retained, stream->retained.length + 1))
        return false;
    struct retained *retained = memory_zeroed(budget, sizeof *retained);
    if (!retained)
        return false;
    struct kept_walk walk = kept_walk(stream);
    while (kept_next(&walk)) {
        const struct tracked *tracked = walk.now.tracked;
        if (tracked->object == object && is_within(from, tracked))
            retained->events += (tracked->began >= from->ordinal && tracked->began < until) +
                                (tracked->ended < until);
    }
    online_destroy(followed->online);
    followed->online = NULL;
    idle_forget_search(stream, followed);
    followed->retained = retained;
    followed->following = FOLLOWED_RETAINED;
    followed->looked = decided;
    (void)!vector_push(&stream->retained, object);
    return true;
}

bool retained_keeps(const struct stream *stream, const struct tracked *tracked)
{
    return objects_following(stream, tracked->object) == FOLLOWED_RETAINED &&
           is_within(beginning_of(objects_awake(stream, tracked->object)), tracked);
}

/* ---- back to the search ---- */

static int compare_events(const void *first, const void *second)
{
    const struct stream_event *a = first, *b = second;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

struct events {
    struct stream_event *items;
    size_t length, capacity;
    struct budget *budget;
};

/* Appends the events of an operation. False when refused. */
static bool add_events(struct events *events, const struct tracked *tracked, bool begins)
{
    struct stream_event event = {.ordinal = tracked->began,
                                 .serial = tracked->serial,
                                 .object = tracked->object,
                                 .begins = true};
    if (begins && !vector_push(events, event))
        return false;
    event.ordinal = tracked->ended;
    event.begins = false;
    return tracked->ended == ORDINAL_NEVER || vector_push(events, event);
}

/* The events that lead from the snapshot to now, in order: of operations that the monitor had kept
 * (serials, ascending), and of all behind it. False when refused. */
static bool list_events(const struct stream *stream, uint32_t object, const struct numbers *before,
                        struct events *events)
{
    const struct snapshot *from = beginning_of(objects_awake(stream, object));
    struct kept_walk walk = kept_walk(stream);
    size_t next = 0;
    while (kept_next(&walk)) {
        const struct tracked *tracked = walk.now.tracked;
        while (next < before->length && before->items[next] < tracked->serial)
            next++;
        bool told = next < before->length && before->items[next] == tracked->serial;
        if (tracked->object == object && (told || is_within(from, tracked)) &&
            !add_events(events, tracked, told || tracked->began >= from->ordinal))
            return false;
    }
    if (events->length)
        qsort(events->items, events->length, sizeof *events->items, compare_events);
    for (size_t i = 0; i < events->length; i++)
        events->items[i].next = i + 1 < events->length ? (uint32_t)i + 1 : NONE;
    return true;
}

/* The object as it was: followed->now. False when refused. */
static bool restart(struct stream *stream, struct followed *followed)
{
    const struct snapshot *from = beginning_of(followed);
    if (from->monitored)
        return monitored_restart(stream, followed, from->begun, from->state);
    return idle_search(stream, followed) && stream_object_copy(followed->now, &from->object);
}

/* Searches all that is kept once more, within wider bounds. */
static enum possible search(struct stream *stream, uint32_t object)
{
    struct followed *followed = objects_awake(stream, object);
    const struct snapshot *from = beginning_of(followed);
    struct events events = {.budget = stream->limits->budget};
    struct numbers before = {.budget = stream->limits->budget};
    enum possible possible = POSSIBLE_REFUSED;
    if ((!from->monitored || serials_unpack(&from->retained, &before)) &&
        list_events(stream, object, &before, &events) && restart(stream, followed))
        possible = POSSIBLE;
    for (size_t at = 0; at < events.length && possible == POSSIBLE; at += RETURN_BATCH) {
        size_t end = at + RETURN_BATCH;
        possible =
            batch_decide_events(stream, &stream->configurations, events.items, (uint32_t)at,
                                end < events.length ? (uint32_t)end : NONE, true, followed->now);
    }
    vectors_release(&events, &before);
    return possible;
}

void retained_return(struct stream *stream, uint32_t object)
{
    struct followed *followed = objects_awake(stream, object);
    struct retained *retained = followed->retained;
    if (retained->returned || retained->events < faults_bound(RETURN_LEAST, 8))
        return;
    retained->returned = true;
    followed->now = NULL;
    followed->following = FOLLOWED_BY_SEARCH;
    bool done = search(stream, object) == POSSIBLE;
    if (!done) {
        idle_forget_search(stream, followed);
        followed->retained = retained;
        followed->following = FOLLOWED_RETAINED;
        atomic_store(&stream->limits->budget->refused, false);
        return;
    }
    memory_release(stream->limits->budget, retained, sizeof *retained);
    followed->wide = true;
    for (size_t i = 0; i < ARRAY_LENGTH(followed->then); i++)
        snapshot_release(stream, &followed->then[i]);
}

/* ---- deciding ---- */

bool retained_is_whole(const struct stream *stream, struct followed *followed)
{
    if (followed->then[0] && !snapshot_is_idle(followed->then[0]) && followed->then[1] &&
        snapshot_is_idle(followed->then[1]))
        snapshot_release(stream, &followed->then[0]);
    const struct snapshot *from = beginning_of(followed);
    return from && snapshot_is_idle(from);
}

enum status retained_decide(struct stream *stream, uint32_t object, uint64_t last, bool all,
                            enum possible *possible, struct error *error)
{
    struct followed *followed = objects_awake(stream, object);
    struct retained *retained = followed->retained;
    const uint64_t late = retained->tried < MOST_LATE ? retained->tried : MOST_LATE;
    bool due = retained->events >= retained->next;
    uint64_t steps = CONFIRMING_STEPS;
    enum verdict verdict;
    assert(followed->following == FOLLOWED_RETAINED);
    *possible = POSSIBLE;
    if (retained->events == retained->tried || (!due && (!all || retained->doubtful)))
        return STATUS_OK;
    enum status status = story_decide(stream, object, last, &steps, &verdict, error);
    if (status == STATUS_LIMIT) {
        *possible = POSSIBLE_REFUSED;
        return STATUS_OK;
    }
    TRY(status);
    retained->doubtful = verdict == VERDICT_UNKNOWN;
    retained->tried = retained->events;
    retained->next = retained->events + (retained->doubtful ? retained->events : late);
    if (verdict == VERDICT_VIOLATION)
        *possible = IMPOSSIBLE;
    if (verdict == VERDICT_LINEARIZABLE)
        followed->looked = last + 1;
    if (verdict != VERDICT_VIOLATION && retained->events >= faults_bound(MOST_EVENTS, 1024))
        *possible = POSSIBLE_REFUSED;
    return STATUS_OK;
}
