#include "stream/objects.h"

#include <string.h>

#include "base/hash.h"

#define NONE       UINT32_MAX
#define ROOMS_MOST 1024 /* about as many wake and rest at a time */

static struct followed *take_room(struct stream *stream)
{
    if (stream->rooms.length)
        return stream->rooms.items[--stream->rooms.length];
    return memory_allocate(stream->limits->budget, sizeof(struct followed));
}

static void put_room(struct stream *stream, struct followed *followed)
{
    if (stream->rooms.length >= ROOMS_MOST || !vector_push(&stream->rooms, followed))
        memory_release(stream->limits->budget, followed, sizeof *followed);
}

/* As if it were awake. */
static struct followed rested(const struct stream *stream, uint32_t object)
{
    const struct resting *resting = &stream->objects.items[object];
    assert(!resting->awake);
    return (struct followed){.spec = objects_spec(stream, object),
                             .key = resting->has_key ? resting->name : VALUE_NIL,
                             .independent = resting->has_independent ? resting->name : VALUE_NIL,
                             .state = resting->state,
                             .first = NONE,
                             .last = NONE,
                             .object = resting->object,
                             .following = resting->following,
                             .begun = resting->begun,
                             .has_key = resting->has_key,
                             .has_independent = resting->has_independent,
                             .touched = resting->touched,
                             .holds = resting->holds,
                             .wide = resting->wide};
}

static uint64_t hash_object(const struct followed *followed)
{
    return hash_pair(hash_pair(followed->key, followed->independent), followed->object);
}

const struct followed *objects_known(const struct stream *stream, uint32_t object,
                                     struct followed *room)
{
    if (objects_is_awake(stream, object))
        return objects_awake(stream, object);
    *room = rested(stream, object);
    return room;
}

static bool is_same(const struct stream *stream, uint32_t object, const struct followed *wanted)
{
    const struct resting *resting = &stream->objects.items[object];
    if (resting->object != wanted->object || resting->has_key != wanted->has_key ||
        resting->has_independent != wanted->has_independent)
        return false;
    if (resting->awake)
        return resting->followed->key == wanted->key &&
               resting->followed->independent == wanted->independent;
    return resting->name == (wanted->has_key ? wanted->key : wanted->independent);
}

uint32_t objects_find(const struct stream *stream, const struct followed *wanted)
{
    if (stream->objects.length == 1 && is_same(stream, 0, wanted))
        return 0;
    struct table_search search = table_search(&stream->numbers, hash_object(wanted));
    while (table_next(&search))
        if (is_same(stream, search.number, wanted))
            return search.number;
    return NONE;
}

/* ---- numbers ---- */

bool objects_spec_fits(const struct stream *stream, const struct followed *followed)
{
    const size_t place = objects_spec_place(followed->object);
    return place >= stream->specs.length || !stream->specs.items[place] ||
           stream->specs.items[place] == followed->spec;
}

static bool note_spec(struct stream *stream, const struct followed *followed)
{
    const size_t place = objects_spec_place(followed->object);
    assert(objects_spec_fits(stream, followed));
    if (!vector_reserve(&stream->specs, place + 1))
        return false;
    for (; stream->specs.length <= place; stream->specs.length++)
        stream->specs.items[stream->specs.length] = NULL;
    stream->specs.items[place] = followed->spec;
    return true;
}

bool objects_make(struct stream *stream, size_t count)
{
    const struct resting nothing = {.object = NO_OBJECT, .following = FOLLOWED_IDLE};
    assert(!stream->objects.length && !stream->specs.length);
    if (!vector_push(&stream->specs, NULL) || !vector_reserve(&stream->objects, count))
        return false;
    for (size_t i = 0; i < count; i++)
        stream->objects.items[i] = nothing;
    stream->objects.length = count;
    return true;
}

bool objects_enter(struct stream *stream, uint32_t object)
{
    struct resting *resting = &stream->objects.items[object];
    const struct followed *followed = resting->followed;
    resting->object = followed->object;
    resting->has_key = followed->has_key;
    resting->has_independent = followed->has_independent;
    return note_spec(stream, followed) &&
           table_add(&stream->numbers, hash_object(followed), object);
}

bool objects_add(struct stream *stream, const struct followed *made, uint32_t *object)
{
    *object = (uint32_t)stream->objects.length;
    struct followed *followed = take_room(stream);
    if (!followed)
        return false;
    *followed = *made;
    const struct resting resting = {.followed = followed, .awake = true};
    if (vector_push(&stream->objects, resting)) {
        if (objects_enter(stream, *object))
            return true;
        stream->objects.length--;
    }
    put_room(stream, followed);
    return false;
}

static void release_object(struct stream *stream, uint32_t object, objects_releaser *release)
{
    struct followed room = {0};
    if (!objects_is_awake(stream, object)) {
        room = rested(stream, object);
        release(stream, &room);
        return;
    }
    struct followed *followed = objects_awake(stream, object);
    release(stream, followed);
    put_room(stream, followed);
}

void objects_remove_last(struct stream *stream, objects_releaser *release)
{
    const uint32_t object = (uint32_t)stream->objects.length - 1;
    struct followed room;
    table_remove(&stream->numbers, hash_object(objects_known(stream, object, &room)), object);
    release_object(stream, object, release);
    stream->objects.length = object;
    for (size_t i = stream->woken.length; i-- > 0;)
        if (stream->woken.items[i] == object)
            stream->woken.items[i] = stream->woken.items[--stream->woken.length];
}

/* ---- resting ---- */

struct followed *objects_wake(struct stream *stream, uint32_t object)
{
    struct resting *resting = &stream->objects.items[object];
    if (resting->awake)
        return resting->followed;
    struct followed *followed = take_room(stream);
    if (!followed)
        return NULL;
    *followed = rested(stream, object);
    resting->followed = followed;
    resting->awake = true;
    return followed;
}

/* Whether the name and the state are all that it has. */
static bool can_rest(const struct followed *followed)
{
    const bool idle = followed->following == FOLLOWED_IDLE ||
                      followed->following == FOLLOWED_IDLE_STATE ||
                      followed->following == FOLLOWED_PACKED;
    return idle && followed->first == NONE && !followed->then[0] && !followed->then[1] &&
           !followed->given_up && !followed->unlooked &&
           !(followed->has_key && followed->has_independent);
}

void objects_rest(struct stream *stream, uint32_t object)
{
    struct resting *resting = &stream->objects.items[object];
    if (!resting->awake || !can_rest(resting->followed))
        return;
    struct followed *followed = resting->followed;
    assert(!followed->online);
    resting->name = followed->has_key ? followed->key : followed->independent;
    resting->state = followed->state;
    resting->following = followed->following;
    resting->begun = followed->begun;
    resting->touched = followed->touched;
    resting->holds = followed->holds;
    resting->wide = followed->wide;
    resting->awake = false;
    put_room(stream, followed);
}

void objects_release(struct stream *stream, objects_releaser *release)
{
    for (uint32_t i = 0; i < stream->objects.length; i++)
        release_object(stream, i, release);
    for (size_t i = 0; i < stream->rooms.length; i++)
        memory_release(stream->limits->budget, stream->rooms.items[i], sizeof(struct followed));
    vectors_release(&stream->objects, &stream->specs, &stream->rooms);
}
