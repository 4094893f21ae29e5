#include "stream/monitored.h"

#include <stdlib.h>

#define MOST_SEARCHED                                                                              \
    256 /* operations from which a search begins that are not the object's first */

struct list {
    struct budget *budget;
    uint64_t *items;
    size_t length, capacity;
};

static bool list_serial(void *context, uint64_t serial)
{
    struct list *list = context;
    return vector_push(list, serial);
}

static int compare_serials(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

bool monitored_list_into(const struct online *online, struct budget *budget, uint64_t **items,
                         size_t *length, size_t *capacity)
{
    struct list list = {budget, *items, *length, *capacity};
    struct online_visitor visitor = {list_serial, &list};
    bool done = online->class->each(online, &visitor);
    size_t kept = 0;
    if (list.length)
        qsort(list.items, list.length, sizeof *list.items, compare_serials);
    for (size_t i = 0; i < list.length; i++)
        if (i == 0 || list.items[i] != list.items[i - 1])
            list.items[kept++] = list.items[i];
    *items = list.items;
    *length = kept;
    *capacity = list.capacity;
    return done;
}

/* ---- what is held ---- */

static bool mark(void *context, uint64_t serial)
{
    struct stream *stream = context;
    uint32_t place = stream_place(stream, serial);
    if (place != UINT32_MAX) {
        stream->held += !stream->tracked.items[place].held;
        stream->tracked.items[place].held = true;
    }
    return true;
}

void monitored_mark(struct stream *stream)
{
    struct online_visitor visitor = {mark, stream};
    stream->held = 0;
    for (size_t i = 0; i < stream->tracked.length; i++)
        stream->tracked.items[i].held = false;
    for (size_t i = 0; i < stream->objects.length; i++) {
        const struct followed *followed = &stream->objects.items[i];
        if (followed->online)
            (void)!followed->online->class->each(followed->online, &visitor);
        for (size_t j = 0; j < ARRAY_LENGTH(followed->then); j++)
            for (size_t k = 0; k < followed->then[j].retained.length; k++)
                if (followed->then[j].ordinal != ORDINAL_NEVER)
                    (void)!mark(stream, followed->then[j].retained.items[k]);
    }
}

/* ---- what was told since a look ---- */

static int compare_ordinals(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

bool monitored_ends(const struct stream *stream, uint32_t object, uint64_t last,
                    struct ordinals *ordinals)
{
    const struct followed *followed = &stream->objects.items[object];
    for (size_t i = 0; i < stream->tracked.length; i++) {
        const struct tracked *tracked = &stream->tracked.items[i];
        if (tracked->object == object && tracked->ended >= followed->looked &&
            tracked->ended <= last && !vector_push(ordinals, tracked->ended))
            return false;
    }
    if (ordinals->length)
        qsort(ordinals->items, ordinals->length, sizeof *ordinals->items, compare_ordinals);
    return true;
}

/* ---- the search takes over ---- */

struct moment {
    uint64_t ordinal;
    uint32_t number; /* of the operation, in the object */
    bool begins;
};

struct leaver {
    struct stream *stream;
    struct followed *followed;
    uint64_t ordinal;
    VECTOR(struct moment) moments;
};

/* Adds an operation as known in front of the event. False when refused. */
static bool add_operation(struct leaver *leaver, uint32_t place)
{
    const struct tracked *tracked = &leaver->stream->tracked.items[place];
    bool over = tracked->ended < leaver->ordinal;
    struct stream_object *object = &leaver->followed->now;
    struct stream_operation operation = {.serial = tracked->serial,
                                         .call = over ? tracked->call : tracked->invoked,
                                         .stage = STAGE_RUNNING};
    if (over)
        operation.stage = (uint8_t)stream_stage(leaver->stream, place);
    struct moment begins = {tracked->began, (uint32_t)object->operations.length, true};
    struct moment ends = {tracked->ended, begins.number, false};
    return vector_push(&object->operations, operation) && vector_push(&leaver->moments, begins) &&
           (operation.stage != STAGE_COMPLETES || vector_push(&leaver->moments, ends));
}

static int compare_moments(const void *first, const void *second)
{
    const struct moment *a = first, *b = second;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

/* Adds the operations: all there were, or those that the monitor keeps. */
static bool add_operations(struct leaver *leaver, bool all, const struct list *retained)
{
    struct stream *stream = leaver->stream;
    size_t next = 0;
    for (uint32_t i = 0; i < stream->tracked.length; i++) {
        const struct tracked *tracked = &stream->tracked.items[i];
        while (next < retained->length && retained->items[next] < tracked->serial)
            next++;
        bool kept = next < retained->length && retained->items[next] == tracked->serial;
        if (&stream->objects.items[tracked->object] == leaver->followed && (all || kept) &&
            tracked->began < leaver->ordinal && !add_operation(leaver, i))
            return false;
    }
    return true;
}

static enum possible search(struct leaver *leaver)
{
    struct configurations *configurations = &leaver->stream->configurations;
    if (leaver->moments.length)
        qsort(leaver->moments.items, leaver->moments.length, sizeof *leaver->moments.items,
              compare_moments);
    enum possible possible = configurations_begin(configurations, &leaver->followed->now);
    for (size_t i = 0; i < leaver->moments.length && possible == POSSIBLE; i++) {
        const struct moment *moment = &leaver->moments.items[i];
        possible = moment->begins ? configurations_invoke(configurations, moment->number)
                                  : configurations_respond(configurations, moment->number);
    }
    return possible == POSSIBLE ? configurations_end(configurations) : possible;
}

enum possible monitored_leave(struct stream *stream, uint32_t object, uint64_t ordinal)
{
    struct followed *followed = &stream->objects.items[object];
    const struct snapshot *oldest =
        &followed->then[followed->then[0].ordinal != ORDINAL_NEVER ? 0 : 1];
    struct leaver leaver = {.stream = stream, .followed = followed, .ordinal = ordinal};
    struct online *online = followed->online;
    struct list retained = {.budget = stream->limits->budget};
    bool all = oldest->fresh; /* then all operations are kept */
    vector_init(&leaver.moments, stream->limits->budget);
    enum possible possible = POSSIBLE_REFUSED;
    bool tells = monitored_list(online, &retained) &&
                 (all || ((!online->class->is_exact || online->class->is_exact(online)) &&
                          retained.length <= MOST_SEARCHED));
    if (tells && add_operations(&leaver, all, &retained))
        possible = search(&leaver);
    vector_release(&leaver.moments);
    vector_release(&retained);
    online_destroy(online);
    followed->online = NULL;
    return possible;
}
