#include "stream/idle.h"

#include <string.h>

#include "base/faults.h"
#include "stream/clear_least.h"
#include "stream/objects.h"
#include "stream/serials.h"

/* Monitors of none: about as many go to rest at a time. */
#define SPARES_MOST SIZE_OR_SMALL(1024, 2)
/* Operations that it keeps, if a monitor is packed soon. */
#define PACKED_FEW SIZE_OR_SMALL(16, 1)

/* The only configuration of an object. */
static bool store_state(struct stream_object *object, const uint64_t *words, size_t length)
{
    if (!vector_reserve(&object->stored, STORED_HEAD + length))
        return false;
    const uint64_t head[STORED_HEAD] = {length, UINT64_MAX, 0, 0};
    memcpy(object->stored.items, head, sizeof head);
    if (length)
        memcpy(object->stored.items + STORED_HEAD, words, length * sizeof *words);
    object->stored.length = STORED_HEAD + length;
    object->count = 1;
    return true;
}

static struct stream_object *create_object(const struct stream *stream,
                                           const struct followed *followed)
{
    struct budget *budget = stream->limits->budget;
    struct stream_object *object = memory_zeroed(budget, sizeof *object);
    if (!object)
        return NULL;
    *object = (struct stream_object){.spec = followed->spec, .key = followed->key};
    vectors_init(budget, &object->operations, &object->stored);
    return object;
}

static void destroy_object(const struct stream *stream, struct stream_object *object)
{
    stream_object_release(object);
    memory_release(stream->limits->budget, object, sizeof *object);
}

bool idle_search(const struct stream *stream, struct followed *followed)
{
    struct stream_object *object = create_object(stream, followed);
    if (!object)
        return false;
    if (!stream_object_init(object, followed->spec, followed->key, stream->limits->budget)) {
        destroy_object(stream, object);
        return false;
    }
    followed->now = object;
    followed->begun = false;
    followed->following = FOLLOWED_BY_SEARCH;
    return true;
}

void idle_forget_search(const struct stream *stream, struct followed *followed)
{
    if (followed->following == FOLLOWED_BY_SEARCH && followed->now)
        destroy_object(stream, followed->now);
    followed->now = NULL;
}

static size_t words_size(const uint64_t *words)
{
    return (1 + (size_t)words[0]) * sizeof *words;
}

static bool wake_search(const struct stream *stream, struct followed *followed)
{
    uint64_t *words = followed->words;
    struct stream_object *object = create_object(stream, followed);
    if (!object)
        return false;
    if (!store_state(object, words + 1, (size_t)words[0])) {
        destroy_object(stream, object);
        return false;
    }
    memory_release(stream->limits->budget, words, words_size(words));
    followed->now = object;
    followed->following = FOLLOWED_BY_SEARCH;
    return true;
}

struct online *idle_monitor(struct stream *stream, const struct followed *followed)
{
    const size_t count = stream->spares.length;
    if (!count || stream->spares.items[count - 1]->spec != followed->spec)
        return stream_create_online(stream, followed);
    struct online *online = stream->spares.items[--stream->spares.length];
    if (online->class->renew(online, followed->key))
        return online;
    online_destroy(online);
    return stream_create_online(stream, followed);
}

static void put_monitor(struct stream *stream, struct online *online)
{
    if (!online->class->renew || stream->spares.length >= SPARES_MOST ||
        !vector_push(&stream->spares, online))
        online_destroy(online);
}

static bool wake_monitor(struct stream *stream, struct followed *followed)
{
    struct online *online = idle_monitor(stream, followed);
    if (!online)
        return false;
    if (!online->class->begin(online, followed->state)) {
        online_destroy(online);
        return false;
    }
    followed->online = online;
    followed->begun = true;
    followed->following = FOLLOWED_BY_MONITOR;
    return true;
}

/* ---- packed monitors ---- */

static uint64_t last_of(const struct packed *serials)
{
    struct packed_place place = {.stride = SERIALS_STRIDE};
    uint64_t serial, last = 0;
    while (packed_next(serials, &place, &serial))
        if (serial != UINT64_MAX && serial > last)
            last = serial;
    return last;
}

bool idle_pack(const struct stream *stream, struct followed *followed)
{
    struct packed bytes = {.budget = stream->limits->budget};
    struct packed_monitor *made = NULL;
    bool done = serials_pack(followed->online, &bytes);
    const uint64_t last = last_of(&bytes);
    const size_t serials = bytes.length;
    struct archive archive = archive_to_memory(&bytes);
    followed->begun = followed_begun(followed, &followed->state);
    online_archive(&followed->online, followed->key, followed->has_key, stream->limits, &archive);
    if (done && archive.status == STATUS_OK && bytes.length <= UINT32_MAX)
        made = memory_allocate(bytes.budget, sizeof *made + bytes.length);
    if (made) {
        *made = (struct packed_monitor){.state = followed->state,
                                        .last = last,
                                        .serials = (uint32_t)serials,
                                        .length = (uint32_t)bytes.length};
        memcpy(made->bytes, bytes.items, bytes.length);
        online_destroy(followed->online);
        followed->online = NULL;
        followed->packed = made;
        followed->following = FOLLOWED_PACKED;
    }
    vector_release(&bytes);
    return made;
}

bool idle_unpack(const struct stream *stream, struct followed *followed)
{
    const struct packed_monitor *monitor = followed->packed;
    struct archive archive = archive_from_memory(monitor->bytes + monitor->serials);
    struct online *online = stream_create_online(stream, followed);
    if (!online)
        return false;
    online_archive(&online, followed->key, followed->has_key, stream->limits, &archive);
    if (archive.status != STATUS_OK) {
        online_destroy(online);
        return false;
    }
    followed->online = online;
    return true;
}

static void release_packed(const struct stream *stream, struct packed_monitor *monitor)
{
    memory_release(stream->limits->budget, monitor, sizeof *monitor + monitor->length);
}

static bool wake_packed(const struct stream *stream, struct followed *followed)
{
    struct packed_monitor *monitor = followed->packed;
    if (!idle_unpack(stream, followed))
        return false;
    followed->state = monitor->state;
    followed->following = FOLLOWED_BY_MONITOR;
    release_packed(stream, monitor);
    return true;
}

/* Whether it is worth packing the monitor. It is unpacked with the next event: so either none has
 * come for an epoch, in which there were as many as it may keep (if there are snapshots, it is
 * known by them), or it keeps little, and of so many objects hardly one has another soon. */
static bool is_packed_now(const struct stream *stream, const struct followed *followed)
{
    const bool many = stream->objects.length >= clear_least(stream);
    const bool told = stream->options.monitors_only || followed->then[0] || followed->then[1];
    return !told || (many && followed->online->class->retained(followed->online) <= PACKED_FEW);
}

static void pack(const struct stream *stream, struct followed *followed)
{
    const struct online_class *class = followed->online->class;
    uint64_t state;
    if (!is_packed_now(stream, followed))
        return;
    if (class->settles && class->settles(followed->online, &state)) {
        followed->begun = true;
        followed->state = state;
    }
    (void)!idle_pack(stream, followed);
}

bool idle_wake(struct stream *stream, uint32_t object)
{
    struct followed *followed = objects_wake(stream, object);
    if (!followed)
        return false;
    if (followed->following == FOLLOWED_PACKED)
        return wake_packed(stream, followed) && vector_push(&stream->woken, object);
    if (followed->following == FOLLOWED_IDLE)
        return wake_monitor(stream, followed) && vector_push(&stream->woken, object);
    return followed->following != FOLLOWED_IDLE_STATE || wake_search(stream, followed);
}

bool idle_store(const struct stream *stream, struct followed *followed, const uint64_t *state,
                size_t length)
{
    uint64_t *words = memory_allocate(stream->limits->budget, (1 + length) * sizeof *words);
    if (!words)
        return false;
    words[0] = length;
    if (length)
        memcpy(words + 1, state, length * sizeof *words);
    followed->words = words;
    followed->following = FOLLOWED_IDLE_STATE;
    return true;
}

static void put_search(const struct stream *stream, struct followed *followed)
{
    struct stream_object *object = followed->now;
    const uint64_t *stored = object->stored.items;
    if (object->operations.length || object->count != 1 || stored[1] != UINT64_MAX)
        return;
    if (idle_store(stream, followed, stored + STORED_HEAD, (size_t)stored[0]))
        destroy_object(stream, object);
}

void idle_put(struct stream *stream, struct followed *followed)
{
    uint64_t state;
    if (followed->given_up || followed->unlooked || followed->first != UINT32_MAX)
        return;
    if (followed->following == FOLLOWED_BY_SEARCH)
        put_search(stream, followed);
    if (!followed->online)
        return;
    if (!followed->online->class->rests ||
        !followed->online->class->rests(followed->online, &state)) {
        pack(stream, followed);
        return;
    }
    put_monitor(stream, followed->online);
    followed->online = NULL;
    followed->state = state;
    followed->following = FOLLOWED_IDLE;
}

void snapshot_release(const struct stream *stream, struct snapshot **snapshot)
{
    struct snapshot *released = *snapshot;
    *snapshot = NULL;
    if (!released)
        return;
    if (released->monitored)
        vectors_release(&released->retained, &released->beside);
    else
        stream_object_release(&released->object);
    memory_release(stream->limits->budget, released, sizeof *released);
}

void idle_release(const struct stream *stream, struct followed *followed)
{
    for (size_t i = 0; i < ARRAY_LENGTH(followed->then); i++)
        snapshot_release(stream, &followed->then[i]);
    online_destroy(followed->online);
    if (followed->following == FOLLOWED_IDLE_STATE)
        memory_release(stream->limits->budget, followed->words, words_size(followed->words));
    if (followed->following == FOLLOWED_PACKED)
        release_packed(stream, followed->packed);
    if (followed->following == FOLLOWED_RETAINED)
        memory_release(stream->limits->budget, followed->retained, sizeof *followed->retained);
    idle_forget_search(stream, followed);
    followed->online = NULL;
    followed->following = FOLLOWED_BY_SEARCH;
}
