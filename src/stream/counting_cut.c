/* An operation that ran at the cut and answered later that it counted takes the oldest flight that
 * it can have been (online_counting.c), in the order of the answers, and so do, in the end, those
 * that never answered: these are all alike, for they were invoked before the cut. Whoever took a
 * flight has no part in what comes behind the cut, nor has who saw a count before it. */
#include "stream/counting_cut.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "spec/counter.h"
#include "stream/kept.h"

struct met {
    struct cut_operation at;
    uint64_t ended; /* ordinal */
};

struct finder {
    const struct stream *stream;
    struct numbers cut;
    uint64_t ordinal;
    struct counting_past *past;
    struct numbers flights[2];
    VECTOR(struct met) counted; /* answered that they did */
    VECTOR(struct met) never;   /* have not answered */
};

bool counting_cut_push(struct cut *cut, uint64_t number)
{
    return packed_append(cut->numbers, &cut->place, number);
}

bool counting_cut_add(struct cut *cut, struct cut_operation operation)
{
    return counting_cut_push(cut, operation.serial) && counting_cut_push(cut, operation.invoked) &&
           counting_cut_push(cut, operation.before) && counting_cut_push(cut, operation.direction);
}

struct cut_walk counting_cut_walk(const struct numbers *cut)
{
    const uint64_t *items = cut->items;
    return (struct cut_walk){.at = items + CUT_HEAD + items[CUT_DOWN] + items[CUT_UP],
                             .end = items + cut->length,
                             .old = {items[CUT_OLD_DOWN], items[CUT_OLD_UP]}};
}

bool counting_cut_next(struct cut_walk *walk, struct cut_operation *operation)
{
    for (int direction = DOWN; direction <= UP; direction++)
        if (walk->old[direction]) {
            walk->old[direction]--;
            *operation =
                (struct cut_operation){.serial = *walk->at++, .direction = (uint64_t)direction};
            return true;
        }
    if (walk->at >= walk->end)
        return false;
    memcpy(operation, walk->at, sizeof *operation);
    walk->at += CUT_OPERATION_WORDS;
    return true;
}

/* Whether what a call saw may have been so in front of the cut. */
static bool saw_the_past(const struct finder *finder, const struct cut_operation *at, int64_t seen)
{
    const uint64_t *head = finder->cut.items;
    if (finder->past->counted.spec->class == &counter_class)
        return seen >= (int64_t)at->before && seen <= (int64_t)head[CUT_COUNT];
    return head[CUT_CHANGED] > at->invoked;
}

/* Sorts out what has become of an operation. False when refused. */
static bool meet(struct finder *finder, const struct cut_operation *at)
{
    struct counting_past *past = finder->past;
    const struct stream *stream = finder->stream;
    struct shelved room;
    struct kept kept;
    if (!kept_find(stream, at->serial, &room, &kept)) {
        assert(!"what stands in a cut is kept");
        return false;
    }
    if (!kept_unfold(stream, &kept))
        return false;
    const struct tracked *tracked = kept.tracked;
    bool over = tracked->ended != ORDINAL_NEVER && tracked->ended <= finder->ordinal;
    enum stage stage = over ? kept_stage(&kept) : STAGE_RUNNING;
    struct met met = {*at, tracked->ended};
    if (stage == STAGE_FAILED)
        return true;
    if (stage != STAGE_COMPLETES)
        return at->direction == READ ? vector_push(&past->told, at->serial)
                                     : vector_push(&finder->never, met);
    bool known, declined = counted_declines(&past->counted, &tracked->call, &known);
    if (at->direction != READ && !declined)
        return vector_push(&finder->counted, met);
    int64_t seen = counted_seen(&past->counted, &tracked->call);
    return (tracked->call.result_known && saw_the_past(finder, at, seen)) ||
           vector_push(&past->told, at->serial);
}

static int compare_ends(const void *first, const void *second)
{
    const struct met *a = first, *b = second;
    return (a->ended > b->ended) - (a->ended < b->ended);
}

static int compare_invocations(const void *first, const void *second)
{
    const struct met *a = first, *b = second;
    return (a->at.invoked > b->at.invoked) - (a->at.invoked < b->at.invoked);
}

static int compare_serials(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

/* Those that answered take flights. False when refused. */
static bool land_answered(struct finder *finder)
{
    for (size_t i = 0; i < finder->counted.length; i++) {
        const struct cut_operation *at = &finder->counted.items[i].at;
        struct numbers *flights = &finder->flights[at->direction];
        size_t low = 0, high = flights->length;
        BISECT(low, high, middle, flights->items[middle] < at->invoked);
        if (low == flights->length) {
            if (!vector_push(&finder->past->told, at->serial))
                return false;
            continue;
        }
        flights->length--;
        memmove(flights->items + low, flights->items + low + 1,
                (flights->length - low) * sizeof *flights->items);
    }
    return true;
}

/* The others of a direction take the flights that are left. False when refused. */
static bool land_others(struct finder *finder, enum direction direction)
{
    const struct numbers *flights = &finder->flights[direction];
    struct counting_past *past = finder->past;
    size_t landed = 0;
    for (size_t i = 0; i < finder->never.length; i++) {
        const struct met *met = &finder->never.items[i];
        if (met->at.direction != direction)
            continue;
        if (landed < flights->length && met->at.invoked < flights->items[landed])
            landed++;
        else if (!vector_push(&past->told, met->at.serial))
            return false;
    }
    past->impossible |= landed < flights->length;
    return true;
}

/* What the cut says: flights, and operations. False when refused. */
static bool read_cut(struct finder *finder)
{
    const struct numbers *cut = &finder->cut;
    const uint64_t *at = cut->items + CUT_HEAD;
    struct cut_walk walk = counting_cut_walk(cut);
    struct cut_operation operation;
    for (size_t i = 0; i < ARRAY_LENGTH(finder->flights); i++)
        for (uint64_t j = cut->items[i ? CUT_UP : CUT_DOWN]; j > 0; j--, at++)
            if (!vector_push(&finder->flights[i], *at))
                return false;
    bool done = true;
    while (done && counting_cut_next(&walk, &operation))
        done = meet(finder, &operation);
    return done;
}

static void sort(void *items, size_t length, size_t size,
                 int (*compare)(const void *, const void *))
{
    if (length)
        qsort(items, length, size, compare);
}

bool counting_past_find(const struct stream *stream, const struct followed *followed,
                        const struct snapshot *from, uint64_t ordinal, struct counting_past *past)
{
    struct budget *budget = stream->limits->budget;
    struct finder finder = {.stream = stream, .ordinal = ordinal, .past = past};
    vectors_init(budget, &finder.flights[0], &finder.flights[1], &finder.counted, &finder.never,
                 &finder.cut);
    *past = (struct counting_past){.counted = counted_object(followed->spec, followed->key)};
    vector_init(&past->told, budget);
    bool done = numbers_unpack(&finder.cut, &from->beside, CUT_STRIDE);
    if (done) {
        past->count = (int64_t)finder.cut.items[CUT_COUNT];
        past->counted.number = (int64_t)finder.cut.items[CUT_NUMBER];
        done = read_cut(&finder);
    }
    sort(finder.counted.items, finder.counted.length, sizeof(struct met), compare_ends);
    sort(finder.never.items, finder.never.length, sizeof(struct met), compare_invocations);
    done = done && land_answered(&finder) && land_others(&finder, DOWN) && land_others(&finder, UP);
    sort(past->told.items, past->told.length, sizeof(uint64_t), compare_serials);
    vectors_release(&finder.flights[0], &finder.flights[1], &finder.counted, &finder.never,
                    &finder.cut);
    return done;
}

void counting_past_release(struct counting_past *past)
{
    vector_release(&past->told);
}
