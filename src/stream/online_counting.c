/* Objects that count between two bounds, event by event: an element of a set and a mutex (none or
 * one), a semaphore (up to its permits), a counter to which the same number is added each time.
 *
 * As in monitor/bit.c and monitor/counter.c everything takes place as late as it can: an operation
 * when it answers, and in front of it what it needs. A release that no permit waits for needs that
 * somebody acquired; a read needs the count that it answered. What it needs are *flights*: somebody
 * who runs has counted, and who it was is open. An operation that answers takes the oldest flight
 * that it can have been, for fewer can have been that than a later one; where it can have been none
 * it counts itself. It is a violation when there are more flights up to some moment than operations
 * that were invoked before and still run or are pending, which may be seen late: when one of them
 * fails, or answers that it did nothing.
 *
 * Where only pending operations are left that can have been the oldest flight, one of them was, and
 * both are over with; which does not matter, for all were invoked before any other flight. */
#include "stream/online.h"

#include <string.h>

#include "base/bisect.h"
#include "spec/counter.h"
#include "stream/counting_cut.h"
#include "stream/pile.h"
#include "stream/running.h"

#define NONE      RUNNING_NONE
#define ROOM_MOST 16 /* operations, for which it is kept */

__extension__ typedef __int128 wide;

/* What is open. */
struct busy {
    struct running operations[3]; /* that run or are pending, by direction; detail: the count
                                     when it was invoked */
    struct pile old[2];           /* pending ones that were invoked before every flight */
    VECTOR(uint64_t) flights[2];  /* when, ascending */
};

struct counting {
    struct online online;
    struct counted counted;
    int64_t count, most; /* least: 0 */
    uint64_t changed;    /* when the count did last */
    struct busy *busy;   /* null: nothing is open; so an element of a set that is left alone is
                            small */
    struct busy *room;   /* what was open, empty now; null: none is kept */
};

static struct counting *counting_of(const struct online *online)
{
    return (struct counting *)online;
}

/* ---- what is open ---- */

static bool wake(struct counting *counting)
{
    struct budget *budget = counting->online.budget;
    if (counting->busy)
        return true;
    struct busy *busy = counting->busy = counting->room;
    counting->room = NULL;
    if (busy)
        return true;
    busy = counting->busy = memory_zeroed(budget, sizeof *busy);
    if (!busy)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(busy->operations); i++)
        running_init(&busy->operations[i], budget);
    pile_init(&busy->old[0], budget);
    pile_init(&busy->old[1], budget);
    vectors_init(budget, &busy->flights[0], &busy->flights[1]);
    return true;
}

static void release(struct counting *counting, struct busy *busy)
{
    if (!busy)
        return;
    for (size_t i = 0; i < ARRAY_LENGTH(busy->operations); i++)
        running_release(&busy->operations[i]);
    pile_release(&busy->old[0]);
    pile_release(&busy->old[1]);
    vectors_release(&busy->flights[0], &busy->flights[1]);
    memory_release(counting->online.budget, busy, sizeof *busy);
}

/* What is open is put aside where nothing is, unless it has much room. */
static void rest(struct counting *counting)
{
    struct busy *busy = counting->busy;
    bool open = busy->operations[READ].count;
    size_t room = busy->operations[READ].items.capacity;
    for (int i = DOWN; i <= UP; i++) {
        open |= busy->operations[i].count || busy->old[i].count || busy->flights[i].length;
        room += busy->operations[i].items.capacity +
                busy->old[i].packed.capacity / sizeof(uint64_t) + busy->flights[i].capacity;
    }
    if (open)
        return;
    counting->busy = NULL;
    if (room > ROOM_MOST) {
        release(counting, busy);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(busy->operations); i++)
        running_clear(&busy->operations[i]);
    counting->room = busy;
}

/* ---- flights ---- */

static uint64_t candidates(const struct counting *counting, enum direction direction)
{
    return !counting->busy
               ? 0
               : counting->busy->operations[direction].count + counting->busy->old[direction].count;
}

static void change(struct counting *counting, enum direction direction, uint64_t now)
{
    counting->count += direction == UP ? 1 : -1;
    counting->changed = now;
}

/* Somebody who runs has counted. */
static enum online_answer fly(struct counting *counting, enum direction direction, uint64_t now)
{
    if (counting->busy->flights[direction].length >= candidates(counting, direction))
        return ONLINE_IMPOSSIBLE;
    change(counting, direction, now);
    return vector_push(&counting->busy->flights[direction], now) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

static void land(struct counting *counting, enum direction direction, size_t which)
{
    uint64_t *flights = counting->busy->flights[direction].items;
    size_t behind = --counting->busy->flights[direction].length - which;
    memmove(flights + which, flights + which + 1, behind * sizeof *flights);
}

/* Whether each flight can have been somebody, where that was so before one was over that was
 * invoked then: it could have been none in front of that. So of flights and operations that have
 * been there for long none is looked at. */
static bool may_fly(const struct counting *counting, enum direction direction, uint64_t since)
{
    const struct busy *busy = counting->busy;
    const uint64_t *flights = busy->flights[direction].items;
    uint64_t have = candidates(counting, direction);
    struct running_walk walk;
    const struct pending_operation *at;
    running_walk_last(&busy->operations[direction], &walk);
    for (size_t i = busy->flights[direction].length; i-- && flights[i] > since;) {
        for (; (at = running_walk_at(&walk)) && at->invoked > flights[i]; running_walk_back(&walk))
            have--;
        if (have < i + 1)
            return false;
    }
    return true;
}

/* Those that are pending, and were invoked before the first flight, are taken out of their order.
 * False when refused. */
static bool age(struct counting *counting, enum direction direction, uint64_t flight)
{
    struct running *operations = &counting->busy->operations[direction];
    struct running_walk walk;
    const struct pending_operation *first;
    while (running_oldest(operations) < flight &&
           running_oldest(operations) != running_since(operations)) {
        running_walk_first(operations, &walk);
        first = running_walk_at(&walk);
        if (!pile_add(&counting->busy->old[direction], first->serial))
            return false;
        running_walk_remove(operations, &walk);
    }
    return true;
}

/* Decides flights that only pending operations can have been, and takes these out of order. */
static bool settle(struct counting *counting, enum direction direction)
{
    struct running *operations = &counting->busy->operations[direction];
    while (counting->online.drops != DROPS_NOTHING) {
        bool flies = counting->busy->flights[direction].length;
        uint64_t flight = flies ? counting->busy->flights[direction].items[0] : UINT64_MAX;
        if (!age(counting, direction, flight))
            return false;
        if (!flies || !counting->busy->old[direction].count || running_since(operations) <= flight)
            break;
        land(counting, direction, 0);
        pile_take(&counting->busy->old[direction]);
    }
    return true;
}

/* ---- events ---- */

/* Whether the counter fits 64 bits whatever is added with one more addition. */
static bool fits(const struct counting *counting, int64_t number)
{
    wide count = (wide)counting->count + (wide)candidates(counting, UP) + 1;
    wide reached = counting->counted.initial + number * count;
    return reached >= INT64_MIN && reached <= INT64_MAX;
}

static enum online_answer invoke(struct counting *counting, enum direction direction,
                                 const struct online_event *event)
{
    struct counted *counted = &counting->counted;
    bool counts = counted->spec->class == &counter_class && direction == UP;
    int64_t number = counts ? counted_added(&event->call) : 0;
    if (counts && ((counted->number && counted->number != number) || !fits(counting, number)))
        return ONLINE_LEAVES;
    if (counts)
        counted->number = number;
    if (!wake(counting))
        return ONLINE_REFUSED;
    *event->handle = running_add(&counting->busy->operations[direction], event->now, event->serial);
    if (*event->handle == NONE)
        return ONLINE_REFUSED;
    counting->busy->operations[direction].items.items[*event->handle].detail =
        (uint64_t)counting->count;
    return ONLINE_POSSIBLE;
}

/* One that was invoked at a count of `before` has seen another count, or not. */
static enum online_answer look(struct counting *counting, int64_t wanted, uint64_t invoked,
                               int64_t before, uint64_t now)
{
    bool bit = counting->most == 1;
    if (wanted < 0 || (!bit && wanted < before))
        return ONLINE_IMPOSSIBLE;
    if (bit ? counting->changed > invoked : wanted <= counting->count)
        return ONLINE_POSSIBLE;
    if (wanted > counting->count && (uint64_t)(wanted - counting->count) > candidates(counting, UP))
        return ONLINE_IMPOSSIBLE;
    while (counting->count != wanted) {
        enum online_answer answer = fly(counting, wanted > counting->count ? UP : DOWN, now);
        if (answer != ONLINE_POSSIBLE)
            return answer;
    }
    return ONLINE_POSSIBLE;
}

/* An operation has answered that it counted. */
static enum online_answer has_counted(struct counting *counting, enum direction direction,
                                      uint64_t invoked, uint64_t now)
{
    const uint64_t *flights = counting->busy->flights[direction].items;
    size_t low = 0, high = counting->busy->flights[direction].length;
    BISECT(low, high, middle, flights[middle] < invoked);
    if (low < counting->busy->flights[direction].length) {
        land(counting, direction, low);
        return ONLINE_POSSIBLE;
    }
    if (counting->count == (direction == UP ? counting->most : 0)) {
        enum online_answer answer = fly(counting, direction == UP ? DOWN : UP, now);
        if (answer != ONLINE_POSSIBLE)
            return answer;
    }
    change(counting, direction, now);
    return ONLINE_POSSIBLE;
}

static enum online_answer end(struct counting *counting, enum direction direction,
                              const struct online_event *event)
{
    struct running *operations = &counting->busy->operations[direction];
    enum online_answer answer = ONLINE_POSSIBLE;
    int64_t seen = counted_seen(&counting->counted, &event->call);
    bool completes = event->stage == STAGE_COMPLETES, known;
    bool declined = counted_declines(&counting->counted, &event->call, &known);
    if (direction != READ && completes && !known)
        return ONLINE_LEAVES;
    if (direction != READ && event->stage == STAGE_PENDING) {
        running_stays(operations, *event->handle, event->serial);
    } else {
        const struct pending_operation ended =
            running_end(operations, *event->handle, event->serial);
        const int64_t before = (int64_t)ended.detail;
        if (direction == READ)
            return completes && event->call.result_known
                       ? look(counting, seen, ended.invoked, before, event->now)
                       : ONLINE_POSSIBLE;
        if (completes && !declined)
            answer = has_counted(counting, direction, ended.invoked, event->now);
        else if (!may_fly(counting, direction, ended.invoked))
            return ONLINE_IMPOSSIBLE;
        if (completes && declined)
            answer = look(counting, seen, ended.invoked, before, event->now);
    }
    if (answer != ONLINE_POSSIBLE)
        return answer;
    return settle(counting, UP) && settle(counting, DOWN) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

static bool counting_set_aside(struct online *online, const struct call *call, uint64_t serial,
                               uint32_t *handle)
{
    struct counting *counting = counting_of(online);
    const enum direction direction = counted_direction(&counting->counted, call);
    return running_set_aside(&counting->busy->operations[direction], *handle, serial,
                             online->drops);
}

static enum online_answer counting_event(struct online *online, const struct online_event *event)
{
    struct counting *counting = counting_of(online);
    enum direction direction = counted_direction(&counting->counted, &event->call);
    if (event->stage == STAGE_RUNNING)
        return invoke(counting, direction, event);
    enum online_answer answer = end(counting, direction, event);
    if (answer == ONLINE_POSSIBLE)
        rest(counting);
    return answer;
}

/* ---- what is kept ---- */

static void counting_destroy(struct online *online)
{
    struct counting *counting = counting_of(online);
    release(counting, counting->busy);
    release(counting, counting->room);
    memory_release(online->budget, counting, sizeof *counting);
}

static size_t counting_retained(const struct online *online)
{
    const struct counting *counting = counting_of(online);
    if (!counting->busy)
        return 0;
    return candidates(counting, UP) + candidates(counting, DOWN) +
           counting->busy->operations[READ].count + counting->busy->flights[UP].length +
           counting->busy->flights[DOWN].length;
}

static bool counting_each(const struct online *online, const struct online_visitor *visitor)
{
    const struct counting *counting = counting_of(online);
    if (!counting->busy)
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(counting->busy->operations); i++)
        if (!running_each(&counting->busy->operations[i], visitor))
            return false;
    for (size_t i = 0; i < ARRAY_LENGTH(counting->busy->old); i++)
        if (!pile_each(&counting->busy->old[i], visitor))
            return false;
    return true;
}

static void counting_archive(struct online *online, struct archive *archive)
{
    struct counting *counting = counting_of(online);
    ARCHIVE(archive, counting->counted.number);
    ARCHIVE(archive, counting->count);
    ARCHIVE(archive, counting->changed);
    bool busy = counting->busy;
    ARCHIVE(archive, busy);
    if (!busy)
        return;
    if (!wake(counting)) {
        archive_fail(archive, STATUS_LIMIT);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(counting->busy->operations); i++)
        running_archive(archive, &counting->busy->operations[i], false);
    for (size_t i = 0; i < ARRAY_LENGTH(counting->busy->flights); i++) {
        pile_archive(archive, &counting->busy->old[i]);
        ARCHIVE_NUMBERS(archive, &counting->busy->flights[i]);
    }
}

/* ---- cuts ---- */

static bool put_operations(const struct counting *counting, enum direction direction,
                           struct cut *cut)
{
    const struct pending_operation *at;
    struct running_walk walk;
    bool done = true;
    running_walk_first(&counting->busy->operations[direction], &walk);
    for (; done && (at = running_walk_at(&walk)); running_walk_next(&walk))
        done = counting_cut_add(
            cut, (struct cut_operation){at->serial, at->invoked, at->detail, direction});
    return done;
}

static bool put_serial(void *context, uint64_t serial)
{
    return counting_cut_push(context, serial);
}

static bool counting_cut(const struct online *online, struct cut *cut)
{
    const struct online_visitor visitor = {.visit = put_serial, .context = cut};
    const struct counting *counting = counting_of(online);
    const struct busy *busy = counting->busy;
    const uint64_t head[CUT_HEAD] = {[CUT_NUMBER] = (uint64_t)counting->counted.number,
                                     [CUT_COUNT] = (uint64_t)counting->count,
                                     [CUT_CHANGED] = counting->changed,
                                     [CUT_DOWN] = busy ? busy->flights[DOWN].length : 0,
                                     [CUT_UP] = busy ? busy->flights[UP].length : 0,
                                     [CUT_OLD_DOWN] = busy ? busy->old[DOWN].count : 0,
                                     [CUT_OLD_UP] = busy ? busy->old[UP].count : 0};
    bool done = true;
    for (size_t i = 0; i < CUT_HEAD && done; i++)
        done = counting_cut_push(cut, head[i]);
    if (!busy)
        return done;
    for (size_t i = 0; i < ARRAY_LENGTH(busy->flights); i++)
        for (size_t j = 0; j < busy->flights[i].length && done; j++)
            done = counting_cut_push(cut, busy->flights[i].items[j]);
    for (size_t i = 0; i < ARRAY_LENGTH(busy->old); i++)
        done = done && pile_each(&busy->old[i], &visitor);
    return done && put_operations(counting, DOWN, cut) && put_operations(counting, UP, cut) &&
           put_operations(counting, READ, cut);
}

/* ---- idle ---- */

/* A counter does not: the count says nothing without what is added. */
static bool counting_rests(struct online *online, uint64_t *state)
{
    const struct counting *counting = counting_of(online);
    *state = (uint64_t)counting->count;
    return !counting->busy && counting->counted.spec->class != &counter_class &&
           online->drops != DROPS_NOTHING;
}

static bool counting_begin(struct online *online, uint64_t state)
{
    counting_of(online)->count = (int64_t)state;
    return true;
}

static void begin_anew(struct counting *counting, value key)
{
    counting->counted = counted_object(counting->online.spec, key);
    counting->count = counted_first(&counting->counted);
    counting->most = counted_most(&counting->counted);
    counting->changed = 0;
}

static bool counting_renew(struct online *online, value key)
{
    begin_anew(counting_of(online), key);
    return true;
}

static const struct online_class counting_online = {
    .event = counting_event,
    .destroy = counting_destroy,
    .retained = counting_retained,
    .each = counting_each,
    .cut = counting_cut,
    .rests = counting_rests,
    .begin = counting_begin,
    .renew = counting_renew,
    .set_aside = counting_set_aside,
    .archive = counting_archive,
};

struct online *online_counting_create(const struct spec *spec, value key, struct limits *limits)
{
    struct counting *counting = memory_zeroed(limits->budget, sizeof *counting);
    if (!counting)
        return NULL;
    counting->online =
        (struct online){.class = &counting_online, .spec = spec, .budget = limits->budget};
    begin_anew(counting, key);
    return &counting->online;
}
