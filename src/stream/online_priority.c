/* A priority queue of numbers, the least first.
 *
 * A removal happens at a moment at which no smaller value is certainly inside, and that each has
 * one is enough (monitor/priority_order.h). A moment here is a gap between two events of what is
 * kept. A value that is inside is so from the end of its add on, unless a removal that runs or is
 * pending has taken it: a removal that has a moment even if nobody has is *certain*, whatever
 * comes, but for values that are *due*, of which another one that is kept says that they have been
 * taken by then (find_due). So has one that found nothing. While some are not certain,
 * monitor/priority_queue.c decides what is kept.
 *
 * Let `since` be when the oldest removal was invoked that runs, or that is not certain. What covers
 * only moments before is in nobody's way any more (online_priority_drop.c). Pending removals do not
 * matter for that: what one takes, it may take just in front of the first removal for which the
 * value must be gone. */
#include <stdlib.h>
#include <string.h>

#include "spec/priority_queue.h"
#include "stream/online_priority.h"

#define NONE  RUNNING_NONE
#define NEVER CONTAINER_NEVER

static struct priority *priority_of(struct container_online *container)
{
    return (struct priority *)container;
}

/* ---- values that are inside ---- */

static bool is_smaller(const struct priority *priority, uint32_t a, uint32_t b)
{
    return value_compare(priority_stay(priority, a)->value, priority_stay(priority, b)->value) < 0;
}

static void put(struct priority *priority, size_t place, uint32_t number)
{
    priority->heap.items[place] = number;
    priority_stay(priority, number)->rank = (uint32_t)place;
}

static void sift(struct priority *priority, size_t place, uint32_t number)
{
    const uint32_t *heap = priority->heap.items;
    size_t length = priority->heap.length;
    for (; place && is_smaller(priority, number, heap[(place - 1) / 2]); place = (place - 1) / 2)
        put(priority, place, heap[(place - 1) / 2]);
    for (size_t child; (child = 2 * place + 1) < length; place = child) {
        child += child + 1 < length && is_smaller(priority, heap[child + 1], heap[child]);
        if (!is_smaller(priority, heap[child], number))
            break;
        put(priority, place, heap[child]);
    }
    put(priority, place, number);
}

static bool enters(struct container_online *container, uint32_t number)
{
    struct priority *priority = priority_of(container);
    if (!vector_push(&priority->heap, number))
        return false;
    sift(priority, priority->heap.length - 1, number);
    return true;
}

static void leaves(struct container_online *container, uint32_t number)
{
    struct priority *priority = priority_of(container);
    uint32_t place = priority_stay(priority, number)->rank;
    uint32_t last = priority->heap.items[--priority->heap.length];
    if (last != number)
        sift(priority, place, last);
}

/* ---- moments ---- */

static int compare_times(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

static bool add_time(struct priority *priority, uint64_t time)
{
    return time == NEVER || vector_push(&priority->times, time);
}

static int compare_values(const void *first, const void *second, void *user)
{
    const struct priority *priority = user;
    const uint32_t *a = first, *b = second;
    return value_compare(priority_stay(priority, *a)->value, priority_stay(priority, *b)->value);
}

/* Lists values inside that are smaller than `most`; all, if that is null. */
static bool find_smaller(struct priority *priority, const struct stay_of *most)
{
    const uint32_t *heap = priority->heap.items;
    VECTOR(size_t) places;
    vector_init(&places, priority->container.online.budget);
    bool done = !priority->heap.length || vector_push(&places, 0);
    while (done && places.length) {
        size_t place = places.items[--places.length];
        if (most && value_compare(priority_stay(priority, heap[place])->value, most->value) >= 0)
            continue;
        done = vector_push(&priority->smaller, heap[place]);
        for (size_t child = 2 * place + 1; child < 2 * place + 3 && done; child++)
            done = child >= priority->heap.length || vector_push(&places, child);
    }
    vector_release(&places);
    return done;
}

static bool has_doubtful_empties(const struct container_online *container)
{
    for (size_t i = 0; i < container->empties.length; i++)
        if (!container->empties.items[i].certain)
            return true;
    return false;
}

/* Lists what is looked at, and when it happened. */
static bool prepare(struct priority *priority)
{
    struct container_online *container = &priority->container;
    priority->times.length = priority->order.length = priority->smaller.length = 0;
    uint32_t most = NONE;
    bool done = true;
    for (size_t i = 0; i < container->removed.length && done; i++) {
        uint32_t number = container->removed.items[i];
        const struct stay_of *stay = priority_stay(priority, number);
        if (!stay->certain && (most == NONE || is_smaller(priority, most, number)))
            most = number;
        done = vector_push(&priority->order, number) &&
               (!stay_covers(stay) || add_time(priority, stay->add_ended)) &&
               add_time(priority, stay->remove_begun) && add_time(priority, stay->remove_ended);
    }
    for (size_t i = 0; i < container->empties.length && done; i++)
        done = add_time(priority, container->empties.items[i].begun) &&
               add_time(priority, container->empties.items[i].ended);
    if (has_doubtful_empties(container))
        done = done && find_smaller(priority, NULL);
    else if (most != NONE)
        done = done && find_smaller(priority, priority_stay(priority, most));
    for (size_t i = 0; i < priority->smaller.length && done; i++)
        done = vector_push(&priority->order, priority->smaller.items[i]) &&
               add_time(priority, priority_stay(priority, priority->smaller.items[i])->add_ended);
    if (!done || !priority->times.length)
        return done;
    qsort(priority->times.items, priority->times.length, sizeof *priority->times.items,
          compare_times);
    if (priority->order.length)
        qsort_r(priority->order.items, priority->order.length, sizeof *priority->order.items,
                compare_values, priority);
    return true;
}

/* ---- what is due ---- */

/* Of removals that are not certain, and were invoked at a time or later, the first answer, as a
 * binary tree that is indexed by the times, from the last on (see online_priority_drop.c). */
static void note_doubt(struct priority *priority, uint64_t begun, uint64_t ended)
{
    const size_t count = priority->times.length;
    for (size_t at = count - priority_rank(priority, begun); at <= count; at += at & -at)
        if (ended < priority->answers.items[at])
            priority->answers.items[at] = ended;
}

static uint64_t first_answer(const struct priority *priority, uint64_t begun)
{
    uint64_t first = NEVER;
    for (size_t at = priority->times.length - priority_rank(priority, begun); at; at -= at & -at)
        if (priority->answers.items[at] < first)
            first = priority->answers.items[at];
    return first;
}

static bool clear_answers(struct priority *priority)
{
    const size_t count = priority->times.length + 1;
    if (!vector_reserve(&priority->answers, count))
        return false;
    priority->answers.length = count;
    memset(priority->answers.items, 0xff, count * sizeof(uint64_t)); /* NEVER */
    return true;
}

/* Finds out since when values inside are due: a removal of a larger value, or one that found
 * nothing, that was invoked behind their additions, is right only if they had been taken by then.
 * So they are in the way of nothing that was removed behind its answer, as long as that one is
 * kept; which it is while such a value is inside, for of itself it never becomes certain: none of
 * its moments is behind its answer. False when refused. */
static bool find_due(struct priority *priority)
{
    const struct container_online *container = &priority->container;
    if (!clear_answers(priority))
        return false;
    for (size_t i = 0; i < container->empties.length; i++)
        if (!container->empties.items[i].certain)
            note_doubt(priority, container->empties.items[i].begun,
                       container->empties.items[i].ended);
    for (size_t i = priority->order.length; i--;) {
        struct stay_of *stay = priority_stay(priority, priority->order.items[i]);
        if (stay->inside)
            stay->due = first_answer(priority, stay->add_ended);
        else if (!stay->certain)
            note_doubt(priority, stay->remove_begun, stay->remove_ended);
    }
    return true;
}

/* Counts a value at the moments at which it is certainly inside. */
static void cover(struct priority *priority, const struct stay_of *stay)
{
    const uint64_t end = stay->inside ? stay->due : stay->remove_begun;
    if (stay->inside || stay_covers(stay))
        segment_tree_add(&priority->cover, priority_rank(priority, stay->add_ended),
                         priority_rank(priority, end) - 1, 1);
}

/* Whether there is a moment between two events that nothing covers in the tree. */
static bool is_free(const struct priority *priority, uint64_t from, uint64_t to)
{
    uint32_t place = segment_tree_find(&priority->cover, priority_rank(priority, from), 0);
    return place != SEGMENT_TREE_NONE && place < priority_rank(priority, to);
}

static bool clear_cover(struct priority *priority)
{
    struct segment_tree *tree = &priority->cover;
    segment_tree_release(tree);
    if (!segment_tree_init(tree, (uint32_t)priority->times.length,
                           priority->container.online.budget))
        return false;
    memset(tree->nodes, 0, priority->times.length * sizeof *tree->nodes);
    segment_tree_build(tree);
    return true;
}

/* Finds out which removals are certain; *all: they all are. */
static bool place(struct priority *priority, bool *all)
{
    struct container_online *container = &priority->container;
    *all = true;
    if (!find_due(priority) || !clear_cover(priority))
        return false;
    for (size_t i = 0; i < priority->order.length; i++) {
        struct stay_of *stay = priority_stay(priority, priority->order.items[i]);
        if (!stay->inside && !stay->certain)
            stay->certain = is_free(priority, stay->remove_begun, stay->remove_ended);
        *all &= stay->inside || stay->certain;
        cover(priority, stay);
    }
    for (size_t i = 0; i < container->empties.length; i++) {
        struct found_empty *empty = &container->empties.items[i];
        if (!empty->certain)
            empty->certain = is_free(priority, empty->begun, empty->ended);
        *all &= empty->certain;
    }
    return true;
}

/* ---- pending removals ---- */

/* A removal that is not certain. */
struct doubt {
    const struct stay_of *stay; /* null: it found nothing */
    uint64_t begun, ended;
};

/* Whether the value is certainly gone, or not there yet, in the gap behind `time`. */
static bool is_away(const struct stay_of *stay, uint64_t time)
{
    return stay->inside
               ? stay->add_ended > time
               : !stay_covers(stay) || stay->add_ended > time || stay->remove_begun <= time;
}

/* How many values inside are in the way of it in the gap behind `time`; NONE: what was removed is.
 * They are listed in `smaller`. */
static bool find_blockers(struct priority *priority, const struct doubt *doubt, uint64_t time,
                          uint32_t *count)
{
    *count = NONE;
    priority->smaller.length = 0;
    for (size_t i = 0; i < priority->container.removed.length; i++) {
        uint32_t number = priority->container.removed.items[i];
        const struct stay_of *other = priority_stay(priority, number);
        if (other != doubt->stay && !is_away(other, time) &&
            (!doubt->stay || value_compare(other->value, doubt->stay->value) < 0))
            return true;
    }
    if (!find_smaller(priority, doubt->stay))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < priority->smaller.length; i++)
        if (!is_away(priority_stay(priority, priority->smaller.items[i]), time))
            priority->smaller.items[kept++] = priority->smaller.items[i];
    priority->smaller.length = kept;
    *count = (uint32_t)kept;
    return true;
}

/* Values are gone, and as many pending removals with them, the last ones that had been invoked. */
static void hand_out(struct priority *priority, uint64_t time)
{
    struct container_online *container = &priority->container;
    struct pending_walk walk;
    for (size_t i = 0; i < priority->smaller.length; i++) {
        pending_list_before(&container->pendings, time + 1, &walk);
        pending_list_remove(&container->pendings, &walk);
        container_online_drop(container, priority->smaller.items[i]);
    }
}

/* Where only pending removals are left that can have taken what is in the way, they have. False
 * when refused. */
static bool settle(struct priority *priority, const struct doubt *doubt, bool *settled)
{
    struct container_online *container = &priority->container;
    uint32_t least = NONE, most = NONE, fewest = NONE, count;
    uint64_t chosen = 0;
    *settled = false;
    if (running_since(&container->removals) < doubt->ended)
        return true;
    for (size_t i = 0; i < priority->times.length; i++) {
        uint64_t time = priority->times.items[i];
        if (time < doubt->begun || time >= doubt->ended)
            continue;
        if (!find_blockers(priority, doubt, time, &count))
            return false;
        if (count == NONE)
            continue;
        least = least == NONE ? count : least;
        most = count;
        if (count <= fewest && pending_list_by(&container->pendings, time, count) == count) {
            fewest = count;
            chosen = time; /* as late as it can be, where more have been invoked */
            *settled = true;
        }
    }
    if (!*settled)
        return true;
    if (!find_blockers(priority, doubt, chosen, &count))
        return false;
    if (least != most)
        container->guessed = NEVER;
    else if (container->guessed < doubt->ended)
        container->guessed = doubt->ended;
    hand_out(priority, chosen);
    return true;
}

static bool settle_all(struct priority *priority)
{
    struct container_online *container = &priority->container;
    bool settled = true;
    for (size_t i = 0; i < container->removed.length; i++) {
        struct stay_of *stay = priority_stay(priority, container->removed.items[i]);
        struct doubt doubt = {stay, stay->remove_begun, stay->remove_ended};
        if (!stay->certain && !settle(priority, &doubt, &settled))
            return false;
        stay->certain |= settled;
    }
    for (size_t i = 0; i < container->empties.length; i++) {
        struct found_empty *empty = &container->empties.items[i];
        struct doubt doubt = {NULL, empty->begun, empty->ended};
        if (!empty->certain && !settle(priority, &doubt, &settled))
            return false;
        empty->certain |= settled;
    }
    return true;
}

/* ---- looking ---- */

static enum online_answer look(struct container_online *container)
{
    struct priority *priority = priority_of(container);
    bool all, drops = container->online.drops != DROPS_NOTHING;
    if (!prepare(priority))
        return ONLINE_REFUSED;
    if (!priority->times.length)
        return ONLINE_POSSIBLE;
    if (!place(priority, &all))
        return ONLINE_REFUSED;
    if (!all) {
        enum online_answer answer = container_online_decide(container, 0, priority->smaller.items,
                                                            priority->smaller.length);
        if (answer != ONLINE_POSSIBLE)
            return answer;
    }
    if (!drops)
        return ONLINE_POSSIBLE;
    return (all || settle_all(priority)) && priority_drop(priority) ? ONLINE_POSSIBLE
                                                                    : ONLINE_REFUSED;
}

static void tidy(struct container_online *container)
{
    struct priority *priority = priority_of(container);
    segment_tree_release(&priority->cover);
    vectors_release(&priority->times, &priority->order, &priority->smaller, &priority->answers);
}

static void release(struct container_online *container)
{
    struct priority *priority = priority_of(container);
    struct budget *budget = container->online.budget;
    tidy(container);
    vector_release(&priority->heap);
    container_online_release(container);
    memory_release(budget, priority, sizeof *priority);
}

static void archive_rest(struct container_online *container, struct archive *archive)
{
    CONTAINER_ARCHIVE_PLACES(container, archive, &priority_of(container)->heap);
}

static const struct container_rules priority_rules = {.add = PRIORITY_QUEUE_INSERT,
                                                      .remove = PRIORITY_QUEUE_DELETE_MIN,
                                                      .integers = true,
                                                      .enters = enters,
                                                      .leaves = leaves,
                                                      .look = look,
                                                      .tidy = tidy,
                                                      .release = release,
                                                      .archive = archive_rest};

struct online *online_priority_create(const struct spec *spec, struct limits *limits)
{
    struct priority *priority = memory_zeroed(limits->budget, sizeof *priority);
    if (!priority)
        return NULL;
    container_online_init(&priority->container, spec, &priority_rules, limits);
    vectors_init(limits->budget, &priority->heap, &priority->times, &priority->order,
                 &priority->smaller, &priority->answers);
    return &priority->container.online;
}
