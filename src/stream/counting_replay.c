/* A monitor of what counts knows nothing but the count, when it changed last, which operations run
 * or are pending, and when somebody counted who is one of these (a flight). So it would answer the
 * same of every other history that leaves it so, and the search may begin with the shortest. In it
 * everything is invoked in the order in which it was.
 *
 * Of a counter a read that answers one more than the count makes a flight; in front of a read that
 * runs, and in the end, something is added where the count was higher. Of what counts up to 1 a
 * call that counts down from 0 makes a flight, and so does one that counts up from 1; calls that
 * count back and forth in the end change it when it did change last. */
#include "stream/counting_cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "spec/counter.h"
#include "spec/mutex.h"
#include "spec/set.h"
#include "stream/kept.h"

#define ADDED_MOST 1024 /* while a read ran; each makes a configuration in which it was later */

__extension__ typedef __int128 wide;

enum kind {
    INVOKES,
    FLIES,
    CHANGES,
};

struct happening {
    uint64_t now;
    enum kind kind;
    enum direction direction;
    uint64_t serial; /* INVOKES: of which operation, */
    uint64_t before; /* and the count then */
};

struct happenings {
    VECTOR(struct happening) items;
};

static bool add_happening(struct happenings *happenings, struct happening happening)
{
    return vector_push(&happenings->items, happening);
}

static int compare(const void *first, const void *second)
{
    const struct happening *a = first, *b = second;
    if (a->now != b->now)
        return (a->now > b->now) - (a->now < b->now);
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* What the cut says, in its order. False when refused. */
static bool read_cut(const struct stream *stream, const struct numbers *cut,
                     struct happenings *happenings)
{
    const uint64_t *at = cut->items + CUT_HEAD;
    struct cut_walk walk = counting_cut_walk(cut);
    struct cut_operation operation;
    const struct happening changes = {.now = cut->items[CUT_CHANGED], .kind = CHANGES};
    bool done = !changes.now || add_happening(happenings, changes);
    for (int direction = DOWN; direction <= UP; direction++)
        for (uint64_t i = cut->items[direction ? CUT_UP : CUT_DOWN]; i > 0 && done; i--)
            done = add_happening(happenings,
                                 (struct happening){.now = *at++,
                                                    .kind = FLIES,
                                                    .direction = (enum direction)direction});
    while (done && counting_cut_next(&walk, &operation)) {
        struct shelved room;
        struct kept kept;
        if (!kept_find(stream, operation.serial, &room, &kept)) {
            assert(!"what stands in a cut is kept");
            return false;
        }
        done = add_happening(happenings,
                             (struct happening){.now = kept.tracked->began + 1,
                                                .kind = INVOKES,
                                                .direction = (enum direction)operation.direction,
                                                .serial = operation.serial,
                                                .before = operation.before});
    }
    if (happenings->items.length)
        qsort(happenings->items.items, happenings->items.length, sizeof(struct happening), compare);
    return done;
}

static bool add_step(struct counting_replay *replay, uint64_t serial, struct call call)
{
    struct counting_step step = {serial, call};
    return vector_push(&replay->steps, step);
}

/* ---- a counter ---- */

/* A call with a number. False when refused, or if that does not fit 64 bits. */
static bool call_counter(struct counting_replay *replay, uint16_t operation, wide number)
{
    if (number < INT64_MIN || number > INT64_MAX)
        return false;
    value v = value_integer(replay->counted.spec->pool, (int64_t)number);
    bool reads = operation == COUNTER_READ;
    struct call call = {.operation = operation,
                        .argument = reads ? VALUE_NIL : v,
                        .result = reads ? v : VALUE_NIL,
                        .result_known = reads,
                        .read_only = reads};
    return v != VALUE_REFUSED && add_step(replay, NOBODY, call);
}

/* One at a time, for reads that run may have seen each count. */
static bool add_up_to(struct counting_replay *replay, int64_t count)
{
    bool done = count - replay->count <= ADDED_MOST;
    for (; replay->count < count && done; replay->count++)
        done = call_counter(replay, COUNTER_ADD, replay->counted.number);
    return done;
}

static bool fly_counter(struct counting_replay *replay)
{
    const struct counted *counted = &replay->counted;
    wide answer = counted->initial + (wide)counted->number * ++replay->count;
    return call_counter(replay, COUNTER_READ, answer);
}

/* The count at first: so many less than in front of the first read, or in the end, as have flown
 * until then. */
static int64_t first_of(const struct happenings *happenings, int64_t count)
{
    int64_t flown = 0;
    for (size_t i = 0; i < happenings->items.length; i++) {
        const struct happening *happening = &happenings->items.items[i];
        flown += happening->kind == FLIES;
        if (happening->kind == INVOKES && happening->direction == READ)
            return (int64_t)happening->before - flown;
    }
    return count - flown;
}

static bool replay_counter(struct counting_replay *replay, const struct happenings *happenings,
                           int64_t count)
{
    bool done = true;
    replay->first = replay->count = first_of(happenings, count);
    for (size_t i = 0; i < happenings->items.length && done; i++) {
        const struct happening *happening = &happenings->items.items[i];
        if (happening->kind == FLIES)
            done = fly_counter(replay);
        if (happening->kind == INVOKES && happening->direction == READ)
            done = add_up_to(replay, (int64_t)happening->before);
        if (happening->kind == INVOKES)
            done = done && add_step(replay, happening->serial, (struct call){0});
    }
    return done && add_up_to(replay, count);
}

/* ---- what counts up to 1 ---- */

/* A call that counts. False when refused. */
static bool flip(struct counting_replay *replay, enum direction direction)
{
    const struct counted *counted = &replay->counted;
    bool set = counted->spec->class == &set_class, up = direction == UP;
    struct call call = {.operation = up ? MUTEX_ACQUIRE : MUTEX_RELEASE};
    if (set)
        call = (struct call){.operation = up ? SET_ADD : SET_REMOVE,
                             .argument = counted->key,
                             .result = VALUE_TRUE,
                             .result_known = true};
    replay->count = up;
    return add_step(replay, NOBODY, call);
}

/* One that needs that somebody else counts in front of it. */
static bool fly_bit(struct counting_replay *replay, enum direction direction)
{
    enum direction back = direction == UP ? DOWN : UP;
    return (replay->count != (direction == UP) || flip(replay, back)) && flip(replay, back);
}

static bool change_bit(struct counting_replay *replay, int64_t count)
{
    return (replay->count != count || flip(replay, count ? DOWN : UP)) &&
           flip(replay, count ? UP : DOWN);
}

static bool replay_bit(struct counting_replay *replay, const struct happenings *happenings,
                       int64_t count)
{
    bool done = true;
    replay->first = replay->count = count;
    for (size_t i = 0; i < happenings->items.length && done; i++) {
        const struct happening *happening = &happenings->items.items[i];
        if (happening->kind == FLIES)
            done = fly_bit(replay, happening->direction);
        else if (happening->kind == CHANGES)
            done = change_bit(replay, count);
        else
            done = add_step(replay, happening->serial, (struct call){0});
    }
    return done;
}

bool counting_replay_find(const struct stream *stream, const struct followed *followed,
                          const struct numbers *cut, struct counting_replay *replay)
{
    struct budget *budget = stream->limits->budget;
    struct happenings happenings;
    vector_init(&happenings.items, budget);
    *replay = (struct counting_replay){.counted = counted_object(followed->spec, followed->key)};
    vector_init(&replay->steps, budget);
    replay->counted.number = (int64_t)cut->items[CUT_NUMBER];
    int64_t count = (int64_t)cut->items[CUT_COUNT];
    bool counter = followed->spec->class == &counter_class;
    bool done = read_cut(stream, cut, &happenings) &&
                (counter ? replay_counter : replay_bit)(replay, &happenings, count);
    vector_release(&happenings.items);
    return done;
}

void counting_replay_release(struct counting_replay *replay)
{
    vector_release(&replay->steps);
}
