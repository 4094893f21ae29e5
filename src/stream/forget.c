#include "stream/forget.h"

#include <assert.h>

#include "history/builder.h"
#include "spec/builtin.h"
#include "stream/kept.h"
#include "stream/objects.h"
#include "value/forget.h"

#define SHELF_PARTS 8 /* events, for an operation on the shelf: what is on it is gone through */

/* Built-in specifications have values in the words of their states, and those that they were made
 * with; of others nobody knows where they have theirs. */
bool stream_may_forget(const struct stream_options *options, struct value_pool *pool)
{
    for (size_t i = 0; i < options->bind.binding_count; i++)
        if (!spec_class_is_builtin(options->bind.bindings[i].spec->class))
            return false;
    return value_pool_take(pool);
}

void stream_keep_values(struct stream *stream)
{
    if (stream->forgets)
        value_pool_give_back(stream->history->pool);
    stream->forgets = false;
}

void stream_share_values(struct stream *stream, struct value_user user)
{
    assert(stream->user_count < ARRAY_LENGTH(stream->users));
    stream->users[stream->user_count++] = user;
}

struct value_pool *stream_begin_values(const struct stream *stream)
{
    if (stream->forgets)
        return value_pool_short_lived(stream->history->pool);
    struct value_pool *before = value_pool_short_lived(NULL);
    value_pool_short_lived(before);
    return before;
}

bool stream_is_due(const struct stream *stream)
{
    const uint64_t since = stream->events - stream->forgotten;
    return stream->forgets && since >= stream->shelf.count / SHELF_PARTS &&
           value_pool_is_due(stream->history->pool);
}

bool stream_add_labels(struct value_roots *roots, const struct labels *labels)
{
    bool done = true;
    for (size_t i = 0; labels->bits && i < (size_t)1 << labels->bits && done; i++)
        if (labels->places[i].number != LABEL_NONE)
            done = value_roots_add(roots, labels->places[i].value);
    return done;
}

static bool add_values(struct value_roots *roots, const value *values, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count && done; i++)
        done = value_roots_add(roots, values[i]);
    return done;
}

/* The names that the history and its builder have. */
static bool add_names(struct value_roots *roots, const struct stream *stream)
{
    const struct history *history = stream->history;
    const struct history_builder *builder = stream->builder;
    bool done =
        add_values(roots, history->processes.items, history->processes.length) &&
        add_values(roots, history->functions.items, history->functions.length) &&
        add_values(roots, history->objects.items, history->objects.length) &&
        value_roots_add(roots, history->unread.value) && value_roots_add(roots, history->initial) &&
        value_roots_add(roots, builder->last_function) &&
        stream_add_labels(roots, &builder->processes) &&
        stream_add_labels(roots, &builder->noted) &&
        stream_add_labels(roots, &builder->functions) &&
        stream_add_labels(roots, &builder->objects) && value_roots_add(roots, stream->process) &&
        value_roots_add(roots, stream->given_up_process);
    for (size_t i = 0; i < history->annotations.length && done; i++) {
        const struct annotation *annotation = &history->annotations.items[i];
        done = value_roots_add(roots, annotation->process) &&
               value_roots_add(roots, annotation->function) &&
               value_roots_add(roots, annotation->value);
    }
    return done;
}

static bool add_call(struct value_roots *roots, const struct call *call)
{
    return value_roots_add(roots, call->argument) && value_roots_add(roots, call->result);
}

static bool add_operations(struct value_roots *roots, const struct stream *stream)
{
    struct kept_walk walk = kept_walk(stream);
    bool done = true;
    while (done && kept_next(&walk)) {
        const struct operation *operation = walk.now.operation;
        const struct tracked *tracked = walk.now.tracked;
        value values[SHELVED_VALUES];
        if (walk.now.shelved) {
            shelved_values(walk.now.shelved, values);
            done = add_values(roots, values, SHELVED_VALUES);
            continue;
        }
        done = value_roots_add(roots, operation->argument) &&
               value_roots_add(roots, operation->result) &&
               value_roots_add(roots, operation->key) && value_roots_add(roots, walk.now.process) &&
               value_roots_add(roots, tracked->asked) && add_call(roots, &tracked->call);
    }
    return done;
}

static bool add_object(struct value_roots *roots, const struct stream_object *object)
{
    bool done = value_roots_add(roots, object->key) &&
                add_values(roots, object->stored.items, object->stored.length);
    for (size_t i = 0; i < object->operations.length && done; i++)
        done = add_call(roots, &object->operations.items[i].call);
    return done;
}

static bool add_snapshot(struct value_roots *roots, const struct snapshot *snapshot)
{
    if (!snapshot)
        return true;
    return snapshot->monitored ? value_roots_add(roots, snapshot->state)
                               : add_object(roots, &snapshot->object);
}

/* The state in which a monitor begins may be a number, as a word of a state may. */
static bool add_followed(struct value_roots *roots, const struct followed *followed)
{
    uint64_t state;
    switch ((enum following)followed->following) {
    case FOLLOWED_BY_SEARCH:
        return !followed->now || add_object(roots, followed->now);
    case FOLLOWED_IDLE_STATE:
        return add_values(roots, followed->words + 1, (size_t)followed->words[0]);
    case FOLLOWED_RETAINED:
        return true;
    case FOLLOWED_PACKED:
        return value_roots_add(roots, followed->packed->state);
    default:
        return value_roots_add(roots, followed->state) &&
               (!followed_begun(followed, &state) || value_roots_add(roots, state));
    }
}

/* What a monitor keeps are operations that the stream keeps, too, and the state that it began with.
 */
static bool add_objects(struct value_roots *roots, const struct stream *stream)
{
    bool done = true;
    for (uint32_t i = 0; i < stream->objects.length && done; i++) {
        struct followed room;
        const struct followed *followed = objects_known(stream, i, &room);
        done = value_roots_add(roots, followed->key) &&
               value_roots_add(roots, followed->independent) && add_followed(roots, followed) &&
               add_snapshot(roots, followed->then[0]) && add_snapshot(roots, followed->then[1]);
    }
    return done;
}

static bool add_users(struct value_roots *roots, const struct stream *stream)
{
    bool done = true;
    for (uint32_t i = 0; i < stream->user_count && done; i++)
        done = stream->users[i].add(stream->users[i].user, roots);
    return done;
}

void stream_forget(struct stream *stream)
{
    struct value_roots roots;
    stream->forgotten = stream->events;
    value_roots_init(&roots, stream->limits->budget);
    if (add_names(&roots, stream) && add_operations(&roots, stream) &&
        add_objects(&roots, stream) && add_users(&roots, stream))
        value_pool_forget(stream->history->pool, &roots);
    value_roots_release(&roots);
}
