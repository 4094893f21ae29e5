#include "stream/told.h"

#include <assert.h>

#include "base/faults.h"
#include "base/team.h"
#include "history/builder.h"
#include "stream/batch.h"
#include "stream/idle.h"
#include "stream/objects.h"
#include "value/forget.h"

#define NONE UINT32_MAX
/* Events, from which it is worth while to wake others. */
#define SPREAD_LEAST SIZE_OR_SMALL(256, 2)

void told_ask(const struct stream *stream, struct told_event *told)
{
    struct tracked *tracked = &stream->tracked.items[told->place];
    struct followed *followed = objects_awake(stream, told->object);
    struct online *online = followed->online;
    const bool begins = told->stage == STAGE_RUNNING;
    struct online_event event = {.now = told->ordinal + 1,
                                 .serial = tracked->serial,
                                 .call = begins ? tracked_invoked(tracked) : tracked->call,
                                 .stage = (enum stage)told->stage,
                                 .handle = &tracked->handle};
    told->asked = true;
    told->refused = !stream->options.monitors_only && /* then there are no stories */
                    !batch_has_snapshot(stream, followed) &&
                    !batch_take_snapshot(stream, followed, told->ordinal);
    if (told->refused)
        return;
    enum online_answer answer = online->class->event(online, &event);
    if (answer == ONLINE_LEAVES && online->class->look) {
        enum online_answer looked = online->class->look(online);
        answer = looked == ONLINE_POSSIBLE ? answer : looked;
    }
    told->answer = (uint8_t)answer;
}

/* ---- on several threads ---- */

struct asking {
    struct stream *stream;
    struct value_pool *pool; /* in which the caller makes short-lived values; null: in none */
};

/* False: it is not worth it. */
static bool begin_asking(struct asking *asking, struct stream *stream, size_t objects)
{
    if (objects < 2)
        return false;
    if (!stream->team)
        stream->team = team_create(stream->options.threads);
    *asking = (struct asking){.stream = stream, .pool = value_pool_short_lived(NULL)};
    value_pool_short_lived(asking->pool);
    return true;
}

static void ask_object(void *context, size_t i, unsigned worker)
{
    const struct asking *asking = context;
    struct stream *stream = asking->stream;
    struct value_pool *before = value_pool_short_lived(asking->pool);
    uint32_t at = objects_awake(stream, stream->asked.items[i])->first;
    (void)worker;
    for (bool goes_on = true; goes_on && at != NONE;) {
        struct told_event *told = &stream->told.items[at];
        told_ask(stream, told);
        goes_on = !told->refused && told->answer == ONLINE_POSSIBLE;
        at = told->next;
    }
    value_pool_short_lived(before);
}

/* Lists the events of each object whose monitor may be told all of them. False when refused. */
static bool list_events(struct stream *stream)
{
    bool done = true;
    for (uint32_t i = 0; i < stream->told.length && done; i++) {
        struct told_event *told = &stream->told.items[i];
        struct followed *followed = objects_awake(stream, told->object);
        if (!followed->online || followed->online->class->look)
            continue;
        if (followed->first != NONE) {
            stream->told.items[followed->last].next = i;
        } else {
            followed->first = i;
            done = vector_push(&stream->asked, told->object);
        }
        followed->last = i;
    }
    return done;
}

bool told_ask_all(struct stream *stream)
{
    struct asking asking;
    if (stream->told.length < SPREAD_LEAST)
        return true;
    stream->asked.length = 0;
    bool done = list_events(stream);
    if (done && begin_asking(&asking, stream, stream->asked.length))
        team_for(stream->team, stream->asked.length, ask_object, &asking);
    for (uint32_t i = 0; i < stream->told.length; i++) {
        struct followed *followed = objects_awake(stream, stream->told.items[i].object);
        if (followed->online)
            followed->first = followed->last = NONE;
    }
    return done;
}

static void look_at_one(void *context, size_t i, unsigned worker)
{
    const struct asking *asking = context;
    struct stream *stream = asking->stream;
    struct value_pool *before = value_pool_short_lived(asking->pool);
    const uint32_t object = stream->unlooked.items[i];
    const struct followed *followed =
        objects_is_awake(stream, object) ? objects_awake(stream, object) : NULL;
    (void)worker;
    if (followed && followed->unlooked && followed->online)
        stream->looks.items[i] = (uint8_t)followed->online->class->look(followed->online);
    value_pool_short_lived(before);
}

bool told_look_all(struct stream *stream)
{
    struct asking asking;
    if (stream->options.threads < 2 || !vector_reserve(&stream->looks, stream->unlooked.length) ||
        !begin_asking(&asking, stream, stream->unlooked.length))
        return false;
    team_for(stream->team, stream->unlooked.length, look_at_one, &asking);
    return true;
}

/* ---- what comes behind a violation ---- */

static void undo_event(struct stream *stream, const struct told_event *told)
{
    struct tracked *tracked = &stream->tracked.items[told->place];
    const struct operation *operation = &stream->history->operations.items[told->place];
    if (told->stage == STAGE_RUNNING) {
        stream->operations--;
        stream->running--;
        stream->history->operations.length = stream->tracked.length = told->place;
        return;
    }
    const bool unknown = operation->outcome == OUTCOME_UNKNOWN;
    stream->running++;
    stream->pending -= unknown;
    stream->completed -= !unknown;
    stream->failed -= operation->outcome == OUTCOME_FAIL;
    tracked->call = tracked_invoked(tracked);
    tracked->ended = ORDINAL_NEVER;
}

void told_renew_running(struct stream *stream)
{
    uint32_t *running = stream->builder->running.items;
    for (size_t i = 0; i < stream->builder->running.length; i++)
        running[i] = NOT_RUNNING;
    for (uint32_t i = 0; i < stream->tracked.length; i++)
        if (stream->tracked.items[i].ended == ORDINAL_NEVER)
            running[stream->history->operations.items[i].process] = i;
}

void told_undo(struct stream *stream, size_t at)
{
    const struct told_event *last = &stream->told.items[at];
    for (size_t i = stream->told.length; i-- > at + 1;)
        undo_event(stream, &stream->told.items[i]);
    stream->history->operations.length = stream->tracked.length; /* one may have been refused */
    told_renew_running(stream);
    stream->events = last->ordinal + 1;
    stream->skipped = last->skipped;
    while (stream->objects.length > last->objects)
        objects_remove_last(stream, idle_release);
}
