#include "stream/monitored.h"

#include <stdlib.h>
#include <string.h>

#include "base/faults.h"
#include "stream/counting_cut.h"
#include "stream/idle.h"
#include "stream/kept.h"
#include "stream/objects.h"
#include "stream/serials.h"

#define NONE UINT32_MAX
#define MOST_SEARCHED                                                                              \
    256 /* operations from which a search begins that are not the object's first */
#define BITS_LEAST                                                                                 \
    SIZE_OR_SMALL(8, 1) /* operations, from which a bit is made for each serial number, */
#define BITS_MOST   256 /* if there are no more of these for each operation, */
#define BITS_BEHIND 16  /* beginning behind the first part of them, which may be very old */
#define LOOKED_NEAR 16  /* operations, behind the last that was marked */
#define SORTED_LEAST                                                                               \
    SIZE_OR_SMALL(512, 2) /* serials, that are marked on the shelf in their order, */
#define SORTED_PART 8     /* or a part of all that stand there */
#define SWEPT_PARTS 8     /* of the shelf, one after the other, so that few serials are listed */

/* ---- what is held ---- */

struct marker {
    struct stream *stream;
    uint64_t least; /* serial in the history */
    size_t next;    /* place in the history, where it was marked last */
    uint64_t *bits; /* of the serials from `base` on, that of the operation at `first`: */
    uint64_t base;  /* whether it is held; null: that is said of each at once */
    size_t words, first;
};

static void hold(struct stream *stream, struct tracked *tracked)
{
    stream->held += !tracked->held;
    tracked->held = true;
}

/* The place in the history of an operation; NONE. Serials come in runs that are ascending, so it is
 * looked for behind the last one first. */
static uint32_t place_of(struct marker *marker, uint64_t serial)
{
    const struct stream *stream = marker->stream;
    const struct tracked *items = stream->tracked.items;
    size_t low = 0, high = stream->tracked.length;
    if (serial < marker->least)
        return NONE;
    if (marker->next < high && items[marker->next].serial <= serial) {
        low = marker->next;
        if (low + LOOKED_NEAR < high && serial <= items[low + LOOKED_NEAR].serial)
            high = low + LOOKED_NEAR + 1;
    }
    BISECT(low, high, middle, items[middle].serial < serial);
    marker->next = low;
    return low < stream->tracked.length && items[low].serial == serial ? (uint32_t)low : NONE;
}

/* Makes a bit for each serial number of most of the history, if it has that many of them. */
static void begin_bits(struct marker *marker)
{
    struct stream *stream = marker->stream;
    const size_t length = stream->tracked.length;
    marker->first = length / BITS_BEHIND;
    if (length < BITS_LEAST)
        return;
    const uint64_t base = stream->tracked.items[marker->first].serial;
    const uint64_t range = stream->tracked.items[length - 1].serial - base + 1;
    if (range > BITS_MOST * (uint64_t)length)
        return;
    marker->base = base;
    marker->words = (size_t)(range / 64 + 1);
    marker->bits = memory_zeroed(stream->limits->budget, marker->words * sizeof *marker->bits);
}

static void end_bits(struct marker *marker)
{
    struct stream *stream = marker->stream;
    if (!marker->bits)
        return;
    for (size_t i = marker->first; i < stream->tracked.length; i++) {
        const uint64_t at = stream->tracked.items[i].serial - marker->base;
        if (marker->bits[at / 64] >> (at % 64) & 1)
            hold(stream, &stream->tracked.items[i]);
    }
    memory_release(stream->limits->budget, marker->bits, marker->words * sizeof *marker->bits);
}

static bool mark(void *context, uint64_t serial)
{
    struct marker *marker = context;
    struct stream *stream = marker->stream;
    const uint64_t at = serial - marker->base;
    if (marker->bits && serial >= marker->base) {
        if (at / 64 < marker->words)
            marker->bits[at / 64] |= UINT64_C(1) << (at % 64);
        return true;
    }
    const uint32_t place = place_of(marker, serial);
    if (place != NONE)
        hold(stream, &stream->tracked.items[place]);
    return true;
}

static void visit_packed(const struct packed *packed, const struct online_visitor *visitor)
{
    struct packed_place place = {.stride = SERIALS_STRIDE};
    uint64_t serial;
    while (packed_next(packed, &place, &serial))
        (void)!visitor->visit(visitor->context, serial);
}

/* Visits what the monitor of an object and its snapshots hold; of a monitor that is packed only if
 * it may hold something from `least` on. */
static void visit_held(const struct followed *followed, uint64_t least,
                       const struct online_visitor *visitor)
{
    for (size_t i = 0; i < ARRAY_LENGTH(followed->then); i++)
        if (followed->then[i] && followed->then[i]->monitored)
            visit_packed(&followed->then[i]->retained, visitor);
    if (followed->following == FOLLOWED_PACKED && followed->packed->last >= least) {
        const struct packed serials = idle_serials(followed->packed);
        visit_packed(&serials, visitor);
    }
    if (followed->online)
        (void)!followed->online->class->each(followed->online, visitor);
}

bool monitored_note(struct stream *stream, uint32_t object)
{
    struct followed *followed = objects_awake(stream, object);
    bool held = followed->holds;
    followed->holds = true;
    return held || vector_push(&stream->holders, object);
}

/* Forgets snapshots from which no story begins any more. */
static void forget_snapshots(const struct stream *stream, struct followed *followed)
{
    if (followed->following == FOLLOWED_RETAINED || (uint32_t)stream->epoch - followed->epoch <= 1)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(followed->then); i++)
        snapshot_release(stream, &followed->then[i]);
}

/* Marks what an object holds. Whether it may hold something later without an event of its own. */
static bool mark_object(struct marker *marker, uint32_t object)
{
    struct stream *stream = marker->stream;
    struct followed room;
    if (objects_is_awake(stream, object)) {
        forget_snapshots(stream, objects_awake(stream, object));
        idle_put(stream, objects_awake(stream, object));
    }
    const struct followed *followed = objects_known(stream, object, &room);
    const struct online_visitor visitor = {mark, marker, marker->least};
    bool holds = followed->first != UINT32_MAX || followed->then[0] || followed->then[1];
    visit_held(followed, marker->least, &visitor);
    if (followed->following == FOLLOWED_PACKED)
        holds |= followed->packed->serials > 0;
    if (followed->online)
        holds |= followed->online->class->retained(followed->online) > 0;
    return holds;
}

/* ---- likewise, on the shelf ---- */

struct sweeper {
    struct shelf *shelf;
    uint64_t from, to;      /* serials, of which those from the one on up to the other are marked */
    struct shelf_walk walk; /* where it was marked last */
    struct numbers waiting; /* serials that are still to be marked */
};

/* Marks what waits, in its order: objects have theirs all over the shelf, of which a block is read
 * from its beginning. */
static void mark_waiting(struct sweeper *sweeper)
{
    serials_sort(&sweeper->waiting);
    for (size_t i = 0; i < sweeper->waiting.length; i++)
        shelf_mark(sweeper->shelf, &sweeper->walk, sweeper->waiting.items[i]);
    sweeper->waiting.length = 0;
}

static bool sweep(void *context, uint64_t serial)
{
    struct sweeper *sweeper = context;
    if (serial < sweeper->from || serial >= sweeper->to)
        return true;
    if (!vector_push(&sweeper->waiting, serial))
        shelf_mark(sweeper->shelf, &sweeper->walk, serial);
    else if (sweeper->waiting.length >= SORTED_LEAST + sweeper->shelf->count / SORTED_PART)
        mark_waiting(sweeper);
    return true;
}

/* Of those that hold something. */
static void sweep_all(struct stream *stream)
{
    struct shelf *shelf = &stream->shelf;
    struct sweeper sweeper = {
        .shelf = shelf, .walk = shelf_walk(shelf), .waiting.budget = stream->limits->budget};
    const size_t parts = shelf->blocks.length < SWEPT_PARTS ? 1 : SWEPT_PARTS;
    shelf_begin_marks(shelf);
    for (size_t part = 0; part < parts; part++) {
        const size_t next = shelf->blocks.length * (part + 1) / parts;
        sweeper.from = sweeper.to;
        sweeper.to = part + 1 < parts ? shelf->blocks.items[next].first : UINT64_MAX;
        const struct online_visitor visitor = {sweep, &sweeper, sweeper.from};
        for (size_t i = 0; i < stream->holders.length; i++) {
            struct followed room;
            visit_held(objects_known(stream, stream->holders.items[i], &room), sweeper.from,
                       &visitor);
        }
        mark_waiting(&sweeper);
    }
    vector_release(&sweeper.waiting);
}

void monitored_mark(struct stream *stream, bool sweeps)
{
    size_t kept = 0;
    struct marker marker = {.stream = stream,
                            .least = stream->tracked.length ? stream->tracked.items[0].serial
                                                            : UINT64_MAX};
    stream->held = 0;
    for (size_t i = 0; i < stream->tracked.length; i++)
        stream->tracked.items[i].held = false;
    begin_bits(&marker);
    for (size_t i = 0; i < stream->holders.length; i++) {
        const uint32_t object = stream->holders.items[i];
        const bool holds = mark_object(&marker, object);
        objects_hold(stream, object, holds);
        objects_rest(stream, object);
        if (holds)
            stream->holders.items[kept++] = object;
    }
    stream->holders.length = kept;
    end_bits(&marker);
    if (sweeps)
        sweep_all(stream);
}

/* ---- what was told since a look ---- */

static int compare_ordinals(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

bool monitored_ends(const struct stream *stream, uint32_t object, uint64_t last,
                    struct numbers *ordinals)
{
    const struct followed *followed = objects_awake(stream, object);
    struct kept_walk walk = kept_walk(stream);
    while (kept_next(&walk)) {
        const struct tracked *tracked = walk.now.tracked;
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
    uint32_t object; /* its number */
    uint64_t ordinal;
    uint64_t since; /* all operations behind that have a part; ORDINAL_NEVER: some */
    VECTOR(struct moment) moments;
};

/* An operation as known in front of the event. False when refused. */
static bool know_operation(const struct leaver *leaver, const struct kept *kept,
                           struct stream_operation *known)
{
    const struct tracked *tracked = kept->tracked;
    bool over = tracked->ended < leaver->ordinal;
    if (!kept_unfold(leaver->stream, kept))
        return false;
    *known = (struct stream_operation){.serial = tracked->serial,
                                       .call = over ? tracked->call : tracked_invoked(tracked),
                                       .stage = (uint8_t)(over ? kept_stage(kept) : STAGE_RUNNING)};
    return true;
}

/* Adds an operation that begins then and, if it completes, ends then. False when refused. */
static bool add_operation(struct leaver *leaver, struct stream_operation operation, uint64_t begins,
                          uint64_t ends)
{
    struct stream_object *object = leaver->followed->now;
    struct moment first = {begins, (uint32_t)object->operations.length, true};
    struct moment last = {ends, first.number, false};
    return vector_push(&object->operations, operation) && vector_push(&leaver->moments, first) &&
           (operation.stage != STAGE_COMPLETES || vector_push(&leaver->moments, last));
}

static int compare_moments(const void *first, const void *second)
{
    const struct moment *a = first, *b = second;
    return (a->ordinal > b->ordinal) - (a->ordinal < b->ordinal);
}

static void sort_moments(struct leaver *leaver)
{
    if (leaver->moments.length)
        qsort(leaver->moments.items, leaver->moments.length, sizeof *leaver->moments.items,
              compare_moments);
}

/* Adds the operations: all behind a snapshot, or those that the monitor keeps. */
static bool add_operations(struct leaver *leaver, const struct numbers *retained)
{
    struct stream *stream = leaver->stream;
    size_t next = 0;
    struct kept_walk walk = kept_walk(stream);
    while (kept_next(&walk)) {
        const struct tracked *tracked = walk.now.tracked;
        while (next < retained->length && retained->items[next] < tracked->serial)
            next++;
        bool kept = next < retained->length && retained->items[next] == tracked->serial;
        struct stream_operation operation;
        if (tracked->object == leaver->object && (kept || tracked->began >= leaver->since) &&
            tracked->began < leaver->ordinal &&
            !(know_operation(leaver, &walk.now, &operation) &&
              add_operation(leaver, operation, tracked->began, tracked->ended)))
            return false;
    }
    return true;
}

static enum possible search(struct leaver *leaver)
{
    struct configurations *configurations = &leaver->stream->configurations;
    sort_moments(leaver);
    configurations_bound(configurations, BOUND_USUAL);
    enum possible possible = configurations_begin(configurations, leaver->followed->now);
    for (size_t i = 0; i < leaver->moments.length && possible == POSSIBLE; i++) {
        const struct moment *moment = &leaver->moments.items[i];
        possible = moment->begins ? configurations_invoke(configurations, moment->number)
                                  : configurations_respond(configurations, moment->number);
    }
    return possible == POSSIBLE ? configurations_end(configurations) : possible;
}

/* Of what counts no cut in front of the event says how the history goes on: what comes now its
 * monitor did not understand. False when refused. */
static bool renew_snapshots(struct leaver *leaver)
{
    const struct stream *stream = leaver->stream;
    struct followed *followed = leaver->followed;
    struct budget *budget = stream->limits->budget;
    struct snapshot *now = followed->then[1];
    if (followed->then[0] && !snapshot_is_idle(followed->then[0]))
        snapshot_release(stream, &followed->then[0]);
    if (snapshot_is_idle(now))
        return true;
    vectors_release(&now->retained, &now->beside);
    *now = (struct snapshot){.ordinal = leaver->ordinal};
    vectors_init(budget, &now->object.operations, &now->object.stored);
    return stream_object_copy(&now->object, followed->now);
}

/* Adds the operations of a replay; one that nobody called has the number of that before it. False
 * when refused. */
static bool add_replay(struct leaver *leaver, const struct counting_replay *replay)
{
    struct stream_operation operation = {0};
    for (size_t i = 0; i < replay->steps.length; i++) {
        const struct counting_step *step = &replay->steps.items[i];
        operation.call = step->call;
        operation.stage = STAGE_COMPLETES;
        struct shelved room;
        struct kept kept;
        if (step->serial != NOBODY && kept_find(leaver->stream, step->serial, &room, &kept) &&
            !know_operation(leaver, &kept, &operation))
            return false;
        if (!add_operation(leaver, operation, 2 * i, 2 * i + 1))
            return false;
    }
    return true;
}

/* The object in the initial state of `from`; null is refused. */
static bool begin_search(const struct stream *stream, struct followed *followed,
                         const struct spec *from)
{
    const struct spec *spec = followed->spec;
    if (!from)
        return false;
    followed->spec = from;
    bool done = idle_search(stream, followed);
    followed->spec = spec;
    if (done)
        followed->now->spec = spec;
    return done;
}

bool monitored_restart(const struct stream *stream, struct followed *followed, bool begun,
                       uint64_t state)
{
    struct budget *budget = stream->limits->budget;
    struct spec *from = begun ? online_spec(followed->spec, followed->key, state, budget) : NULL;
    bool done = begin_search(stream, followed, begun ? from : followed->spec);
    spec_destroy(from);
    return done;
}

/* The search begins with a history that leaves what counts as it is. */
static enum possible search_count(struct leaver *leaver, struct online *online)
{
    struct budget *budget = leaver->stream->limits->budget;
    struct packed packed = {.budget = budget};
    struct cut written = {&packed, {.stride = CUT_STRIDE}};
    struct numbers cut = {.budget = budget};
    struct counting_replay replay;
    enum possible possible = POSSIBLE_REFUSED;
    vector_init(&replay.steps, budget);
    bool done = online->class->cut(online, &written) && numbers_unpack(&cut, &packed, CUT_STRIDE) &&
                counting_replay_find(leaver->stream, leaver->followed, &cut, &replay);
    struct spec *from = done ? counted_spec(&replay.counted, replay.first, budget) : NULL;
    if (begin_search(leaver->stream, leaver->followed, from) && add_replay(leaver, &replay))
        possible = search(leaver);
    if (possible == POSSIBLE && !renew_snapshots(leaver))
        possible = POSSIBLE_REFUSED;
    spec_destroy(from);
    counting_replay_release(&replay);
    vectors_release(&cut, &packed);
    return possible;
}

/* The search begins with all since a snapshot, or with those that the monitor keeps. */
static enum possible search_retained(struct leaver *leaver, struct online *online,
                                     const struct snapshot *oldest)
{
    struct followed *followed = leaver->followed;
    struct budget *budget = leaver->stream->limits->budget;
    struct numbers retained = {.budget = budget};
    bool all = snapshot_is_idle(oldest); /* then all operations behind it are kept */
    uint64_t state;
    bool begun = followed_begun(followed, &state);
    if (all) {
        begun = !oldest->fresh;
        state = oldest->state;
    }
    bool exact = all || !online->class->is_exact || online->class->is_exact(online);
    bool tells = all || (exact && serials_list(online, &retained));
    enum possible possible = POSSIBLE_REFUSED;
    leaver->since = all ? oldest->ordinal : ORDINAL_NEVER;
    if (tells && retained.length > MOST_SEARCHED)
        possible = POSSIBLE_CROWDED;
    else if (tells && monitored_restart(leaver->stream, followed, begun, state) &&
             add_operations(leaver, &retained))
        possible = search(leaver);
    vector_release(&retained);
    return possible;
}

/* ---- another monitor takes over ---- */

/* Lists what happened to the operations that a monitor keeps, in front of an event, in order. False
 * when refused. */
static bool list_moments(struct leaver *leaver, const struct numbers *serials)
{
    for (uint32_t i = 0; i < serials->length; i++) {
        struct shelved room;
        struct kept kept;
        if (!kept_find(leaver->stream, serials->items[i], &room, &kept))
            return false;
        const struct moment begins = {kept.tracked->began, i, true};
        const struct moment ends = {kept.tracked->ended, i, false};
        if (!vector_push(&leaver->moments, begins) ||
            (ends.ordinal < leaver->ordinal && !vector_push(&leaver->moments, ends)))
            return false;
    }
    sort_moments(leaver);
    return true;
}

/* Tells it to a monitor, which sets the handles. */
static bool tell_moments(const struct leaver *leaver, const struct numbers *serials,
                         struct online *online, uint32_t *handles)
{
    for (size_t i = 0; i < leaver->moments.length; i++) {
        const struct moment *moment = &leaver->moments.items[i];
        struct shelved room;
        struct kept kept;
        if (!kept_find(leaver->stream, serials->items[moment->number], &room, &kept) ||
            !kept_unfold(leaver->stream, &kept))
            return false;
        const struct online_event event = {
            .now = moment->ordinal + 1,
            .serial = kept.tracked->serial,
            .call = moment->begins ? tracked_invoked(kept.tracked) : kept.tracked->call,
            .stage = moment->begins ? STAGE_RUNNING : kept_stage(&kept),
            .handle = &handles[moment->number]};
        if (online->class->event(online, &event) != ONLINE_POSSIBLE)
            return false;
    }
    return true;
}

/* Keeps the handle of an operation, if it runs. False when refused. */
static bool keep_handle(struct stream *stream, uint64_t serial, uint32_t handle)
{
    const uint32_t place = stream_place(stream, serial);
    struct shelved shelved;
    if (place != NONE)
        stream->tracked.items[place].handle = handle;
    if (place != NONE || !shelf_find(&stream->shelf, serial, &shelved) ||
        shelved.tracked.ended != ORDINAL_NEVER)
        return true;
    shelved.tracked.handle = handle;
    return shelf_renew(&stream->shelf, &shelved);
}

bool monitored_yield(struct stream *stream, uint32_t object, uint64_t ordinal)
{
    struct followed *followed = objects_awake(stream, object);
    struct leaver leaver = {
        .stream = stream, .followed = followed, .object = object, .ordinal = ordinal};
    struct numbers serials = {.budget = stream->limits->budget};
    uint64_t state;
    const bool begun = followed_begun(followed, &state);
    struct online *online = online_cas_create(followed->spec, followed->key, followed->has_key,
                                              begun ? &state : NULL, stream->limits);
    VECTOR(uint32_t) handles;
    vectors_init(stream->limits->budget, &leaver.moments, &handles);
    bool done = online && serials_list(followed->online, &serials) &&
                vector_reserve(&handles, serials.length) && list_moments(&leaver, &serials) &&
                tell_moments(&leaver, &serials, online, handles.items);
    for (size_t i = 0; i < serials.length && done; i++)
        done = keep_handle(stream, serials.items[i], handles.items[i]);
    vectors_release(&leaver.moments, &serials, &handles);
    online_destroy(done ? followed->online : online);
    if (done) {
        followed->online = online;
        followed->begun = begun;
        followed->state = state;
    }
    return done;
}

enum possible monitored_leave(struct stream *stream, uint32_t object, uint64_t ordinal)
{
    struct followed *followed = objects_awake(stream, object);
    const struct snapshot *oldest = followed->then[followed->then[0] ? 0 : 1];
    struct leaver leaver = {
        .stream = stream, .followed = followed, .object = object, .ordinal = ordinal};
    struct online *online = followed->online;
    vector_init(&leaver.moments, stream->limits->budget);
    enum possible possible = online->class->cut ? search_count(&leaver, online)
                                                : search_retained(&leaver, online, oldest);
    vector_release(&leaver.moments);
    online_destroy(online);
    followed->online = NULL;
    return possible;
}
