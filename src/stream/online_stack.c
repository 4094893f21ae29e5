/* A stack, the newest first.
 *
 * A value that was removed is inside from the end of its push until the invocation of its pop, its
 * critical interval (monitor/stack_elimination.h). One whose push and pop overlap has none, and is
 * in nobody's way. monitor/stack.c decides what is kept; this file says what need not be.
 *
 * Let S be values that were removed, such that no other value can be nested in one of them: there
 * is no u outside with a critical interval that is pushed behind v of S, or while v is, and popped
 * before v, or while v is:
 *
 *     ai(v) < ar(u) and ri(u) < rr(v)
 *
 * Then the history is linearizable if and only if S alone is, and so are the others when the time
 * in critical intervals of S is cut out of it. (If: at each moment that is left no value of S is
 * inside, so the linearization of S can be cut there and put between the others. Only if: while a
 * value v of S is inside, another u could only be pushed and popped above it, nested in it, or be
 * below it, and then nothing happens to u.)
 *
 * So of S it is enough to keep what cuts out the same time, where it matters: between two events of
 * the others that lie in one stretch of critical intervals a chain of these is kept, a *wall*, and
 * the rest of S is dropped. A wall stays one, for what is invoked later is nested in nothing that
 * is over. */
#include <stdlib.h>

#include "base/bisect.h"
#include "spec/stack.h"
#include "stream/online_container.h"

#define NONE  RUNNING_NONE
#define NEVER CONTAINER_NEVER

/* A value that others may be nested in: `reached` is the end of its removal. */
struct nesting {
    uint64_t added;   /* when its add was invoked */
    uint64_t removed; /* when its removal answered */
    uint32_t number;
};

/* Of critical intervals without a gap. */
struct stretch {
    uint64_t start, end;
};

struct stack {
    struct container_online container;
    size_t walls, next_walls; /* of `removed`; at that many all are looked at, whether each is
                                 needed */
    VECTOR(uint32_t) due; /* values inside whose pushes lie in a stretch: they have been taken */
    /* while it looks */
    VECTOR(uint32_t) inside;
    VECTOR(uint32_t) closed; /* the values S, and walls, by the ends of their adds */
    VECTOR(uint64_t) events; /* of the others, ascending */
    VECTOR(struct nesting) open;
    VECTOR(uint32_t)
    nested; /* values that stay, whose critical intervals are still to be looked at */
    VECTOR(struct stretch) stretches;
};

static struct stack *stack_of(struct container_online *container)
{
    return (struct stack *)container;
}

static struct stay_of *stay_at(const struct stack *stack, uint32_t number)
{
    return &stack->container.stays.items[number];
}

/* ---- what is decided ---- */

/* Drops what has no critical interval. */
static void drop_overlapping(struct stack *stack)
{
    struct container_online *container = &stack->container;
    size_t kept = 0;
    for (size_t i = 0; i < container->removed.length; i++) {
        uint32_t number = container->removed.items[i];
        if (stay_covers(stay_at(stack, number)))
            container->removed.items[kept++] = number;
        else
            container_online_drop(container, number);
    }
    container->removed.length = kept;
}

/* When the first event was that matters to what has been removed since walls were made. */
static uint64_t first_event(const struct stack *stack, uint64_t *covered)
{
    const struct container_online *container = &stack->container;
    uint64_t first = NEVER;
    *covered = NEVER;
    for (size_t i = stack->walls; i < container->removed.length; i++) {
        const struct stay_of *stay = stay_at(stack, container->removed.items[i]);
        if (stay->add_begun < first)
            first = stay->add_begun;
        if (stay->add_ended < *covered)
            *covered = stay->add_ended;
    }
    for (size_t i = 0; i < container->empties.length; i++)
        if (container->empties.items[i].begun < first)
            first = container->empties.items[i].begun;
    if (container->removals.first != NONE &&
        container->removals.items.items[container->removals.first].invoked < first)
        first = container->removals.items.items[container->removals.first].invoked;
    return first;
}

/* Decides what was removed since, and what of the rest matters to that. */
static enum online_answer decide_kept(struct stack *stack)
{
    struct container_online *container = &stack->container;
    uint64_t covered, first = first_event(stack, &covered);
    stack->inside.length = 0;
    if (container->empties.length)
        covered = 0;
    for (uint32_t i = container->last; i != NONE && stay_at(stack, i)->add_ended > covered;
         i = stay_at(stack, i)->before) {
        if (stay_at(stack, i)->add_begun < first)
            first = stay_at(stack, i)->add_begun;
        if (!vector_push(&stack->inside, i))
            return ONLINE_REFUSED;
    }
    for (size_t i = 0; i < stack->due.length; i++) {
        const struct stay_of *stay = stay_at(stack, stack->due.items[i]);
        if (stay->add_begun < first)
            first = stay->add_begun;
        if (stay->add_ended <= covered && !vector_push(&stack->inside, stack->due.items[i]))
            return ONLINE_REFUSED;
    }
    size_t walls = 0;
    for (; walls < stack->walls; walls++)
        if (stay_at(stack, container->removed.items[walls])->remove_begun > first)
            break; /* walls stand by the beginnings of their removals */
    return container_online_decide(container, walls, stack->inside.items, stack->inside.length);
}

/* ---- what others may be nested in ---- */

static int compare_added(const void *first, const void *second)
{
    const struct nesting *a = first, *b = second;
    return (a->added > b->added) - (a->added < b->added);
}

/* Moves those that u may be nested in to `nested`. */
static bool keep_around(struct stack *stack, uint64_t add_ended, uint64_t remove_begun)
{
    size_t kept = 0;
    for (size_t i = 0; i < stack->open.length; i++) {
        struct nesting nesting = stack->open.items[i];
        if (nesting.added >= add_ended || nesting.removed <= remove_begun)
            stack->open.items[kept++] = nesting;
        else if (!vector_push(&stack->nested, nesting.number))
            return false;
    }
    stack->open.length = kept;
    return true;
}

/* Finds S: what is left of `open`. The others are `nested`. */
static bool find_closed(struct stack *stack)
{
    struct container_online *container = &stack->container;
    const struct running *removals = &container->removals;
    stack->open.length = stack->nested.length = 0;
    for (size_t i = stack->walls; i < container->removed.length; i++) {
        const struct stay_of *stay = stay_at(stack, container->removed.items[i]);
        struct nesting nesting = {stay->add_begun, stay->remove_ended, container->removed.items[i]};
        if (!vector_push(&stack->open, nesting))
            return false;
    }
    if (stack->open.length)
        qsort(stack->open.items, stack->open.length, sizeof *stack->open.items, compare_added);
    /* Of the values inside that a removal may have taken the one that was added last says all. */
    uint32_t number = container->last;
    for (uint32_t i = removals->last; i != NONE; i = removals->items.items[i].before) {
        uint64_t invoked = container->removals.items.items[i].invoked;
        while (number != NONE && stay_at(stack, number)->add_ended > invoked)
            number = stay_at(stack, number)->before;
        if (number != NONE && !keep_around(stack, stay_at(stack, number)->add_ended, invoked))
            return false;
    }
    for (size_t i = 0; i < stack->nested.length; i++) {
        const struct stay_of *stay = stay_at(stack, stack->nested.items[i]);
        if (!keep_around(stack, stay->add_ended, stay->remove_begun))
            return false;
    }
    return true;
}

/* ---- walls ---- */

static int compare_times(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

static bool add_event(struct stack *stack, uint64_t time)
{
    return time == NEVER || vector_push(&stack->events, time);
}

static bool add_invocations(struct stack *stack, const struct running *running, uint64_t since)
{
    const struct running_operation *items = running->items.items;
    bool done = true;
    for (uint32_t i = running->last; i != NONE && items[i].invoked > since && done;
         i = items[i].before)
        done = add_event(stack, items[i].invoked);
    return done;
}

/* Lists the events of all but S and the walls that are behind `since`. */
static bool find_events(struct stack *stack, uint64_t since)
{
    struct container_online *container = &stack->container;
    bool done = true;
    stack->events.length = 0;
    for (size_t i = 0; i < stack->nested.length && done; i++) {
        const struct stay_of *stay = stay_at(stack, stack->nested.items[i]);
        done = add_event(stack, stay->add_begun) && add_event(stack, stay->add_ended) &&
               add_event(stack, stay->remove_begun) && add_event(stack, stay->remove_ended);
    }
    for (uint32_t i = container->last; i != NONE && stay_at(stack, i)->add_ended > since && done;
         i = stay_at(stack, i)->before)
        done = add_event(stack, stay_at(stack, i)->add_begun) &&
               add_event(stack, stay_at(stack, i)->add_ended);
    for (size_t i = 0; i < container->empties.length && done; i++)
        done = add_event(stack, container->empties.items[i].begun) &&
               add_event(stack, container->empties.items[i].ended);
    done = done && add_invocations(stack, &container->removals, since) &&
           add_invocations(stack, &container->adds, since) &&
           add_invocations(stack, &container->unseen.additions, since);
    if (stack->events.length)
        qsort(stack->events.items, stack->events.length, sizeof *stack->events.items,
              compare_times);
    return done;
}

static int compare_ended(const void *first, const void *second, void *user)
{
    const struct stack *stack = user;
    uint64_t a = stay_at(stack, *(const uint32_t *)first)->add_ended;
    uint64_t b = stay_at(stack, *(const uint32_t *)second)->add_ended;
    return (a > b) - (a < b);
}

/* Keeps of a stretch of critical intervals, closed.items[from .. to), a chain that covers it
 * between the first and the last of the events in it. */
static void keep_chain(struct stack *stack, size_t from, size_t to, uint64_t end)
{
    size_t low = 0, high = stack->events.length;
    uint64_t start = stay_at(stack, stack->closed.items[from])->add_ended;
    BISECT(low, high, first, stack->events.items[first] <= start);
    size_t last = low, most = stack->events.length;
    BISECT(last, most, behind, stack->events.items[behind] < end);
    if (last < low + 2)
        return;
    uint64_t reached = stack->events.items[low], wanted = stack->events.items[last - 1];
    for (size_t i = from; reached < wanted;) {
        uint32_t best = NONE;
        for (; i < to && stay_at(stack, stack->closed.items[i])->add_ended <= reached; i++)
            if (best == NONE || stay_at(stack, stack->closed.items[i])->remove_begun >
                                    stay_at(stack, best)->remove_begun)
                best = stack->closed.items[i];
        stay_at(stack, best)->certain = true;
        reached = stay_at(stack, best)->remove_begun;
    }
}

static int compare_removed(const void *first, const void *second, void *user)
{
    const struct stack *stack = user;
    uint64_t a = stay_at(stack, *(const uint32_t *)first)->remove_begun;
    uint64_t b = stay_at(stack, *(const uint32_t *)second)->remove_begun;
    return (a > b) - (a < b);
}

/* Lists values inside whose pushes lie in a stretch. */
static bool find_due(struct stack *stack)
{
    uint64_t first = stack->stretches.items[0].start;
    for (uint32_t i = stack->container.last; i != NONE && stay_at(stack, i)->add_ended > first;
         i = stay_at(stack, i)->before) {
        struct stay_of *stay = stay_at(stack, i);
        size_t low = 0, high = stack->stretches.length;
        BISECT(low, high, middle, stack->stretches.items[middle].start < stay->add_begun);
        if (low == 0 || stack->stretches.items[low - 1].end < stay->add_ended || stay->certain)
            continue;
        stay->certain = true;
        if (!vector_push(&stack->due, i))
            return false;
    }
    return true;
}

/* Forgets values that are inside no more; their places may be others' now. */
static void thin_due(struct stack *stack)
{
    size_t kept = 0;
    for (size_t i = 0; i < stack->due.length; i++) {
        const struct stay_of *stay = stay_at(stack, stack->due.items[i]);
        if (stay->inside && stay->certain)
            stack->due.items[kept++] = stack->due.items[i];
    }
    stack->due.length = kept;
}

/* Nothing in front of `since` matters any more. What is due does: which pending pops are left for
 * it depends on those that were handed out. */
static void note_since(struct stack *stack)
{
    struct container_online *container = &stack->container;
    uint64_t since = running_since(&container->removals);
    since = since < container->now ? since : container->now;
    for (size_t i = 0; i < stack->nested.length; i++)
        if (stay_at(stack, stack->nested.items[i])->add_begun < since)
            since = stay_at(stack, stack->nested.items[i])->add_begun;
    for (size_t i = 0; i < container->empties.length; i++)
        if (container->empties.items[i].begun < since)
            since = container->empties.items[i].begun;
    for (size_t i = 0; i < stack->due.length; i++)
        if (stay_at(stack, stack->due.items[i])->add_begun < since)
            since = stay_at(stack, stack->due.items[i])->add_begun;
    container->since = since;
}

/* How many walls there may be until all are looked at again, if so many are left: walls and values
 * inside are then gone through once. */
static size_t next_walls(const struct container_online *container, size_t left)
{
    if (container->online.drops == DROPS_AT_ONCE)
        return 0;
    return left + left / 32 + container->inside / 256 + 64;
}

/* Drops what is closed but for walls; of walls only if all are looked at. */
static bool drop(struct stack *stack)
{
    struct container_online *container = &stack->container;
    uint64_t since = NEVER;
    bool all = stack->walls >= stack->next_walls;
    if (!find_closed(stack))
        return false;
    stack->closed.length = 0;
    for (size_t i = 0; i < stack->open.length; i++) {
        uint64_t ended = stay_at(stack, stack->open.items[i].number)->add_ended;
        since = ended < since ? ended : since;
        if (!vector_push(&stack->closed, stack->open.items[i].number))
            return false;
    }
    for (size_t i = 0; i < stack->walls; i++) {
        struct stay_of *wall = stay_at(stack, container->removed.items[i]);
        wall->certain = !all;
        if ((all || wall->remove_begun > since) &&
            !vector_push(&stack->closed, container->removed.items[i]))
            return false;
    }
    if (!stack->closed.length) {
        note_since(stack);
        return true;
    }
    qsort_r(stack->closed.items, stack->closed.length, sizeof *stack->closed.items, compare_ended,
            stack);
    stack->stretches.length = 0;
    if (!find_events(stack, stay_at(stack, stack->closed.items[0])->add_ended))
        return false;
    for (size_t from = 0, to; from < stack->closed.length; from = to) {
        uint64_t end = stay_at(stack, stack->closed.items[from])->remove_begun;
        for (to = from + 1;
             to < stack->closed.length && stay_at(stack, stack->closed.items[to])->add_ended < end;
             to++)
            if (stay_at(stack, stack->closed.items[to])->remove_begun > end)
                end = stay_at(stack, stack->closed.items[to])->remove_begun;
        struct stretch stretch = {stay_at(stack, stack->closed.items[from])->add_ended, end};
        keep_chain(stack, from, to, end);
        if (!vector_push(&stack->stretches, stretch))
            return false;
    }
    if (!find_due(stack))
        return false;
    note_since(stack);
    /* Walls first, by the beginnings of their removals; then what may have others in it. */
    size_t walls = 0;
    for (size_t i = 0; i < stack->walls; i++)
        if (stay_at(stack, container->removed.items[i])->certain)
            container->removed.items[walls++] = container->removed.items[i];
        else
            container_online_drop(container, container->removed.items[i]);
    for (size_t i = 0; i < stack->open.length; i++)
        if (stay_at(stack, stack->open.items[i].number)->certain)
            container->removed.items[walls++] = stack->open.items[i].number;
        else
            container_online_drop(container, stack->open.items[i].number);
    if (walls)
        qsort_r(container->removed.items, walls, sizeof *container->removed.items, compare_removed,
                stack);
    stack->walls = walls;
    if (all)
        stack->next_walls = next_walls(container, walls);
    for (size_t i = 0; i < stack->nested.length; i++)
        container->removed.items[walls++] = stack->nested.items[i];
    container->removed.length = walls;
    return true;
}

/* ---- removals that found nothing ---- */

/* Whether the stack is certainly empty in the gap behind `time`. */
static bool is_empty_behind(const struct stack *stack, uint64_t time)
{
    const struct container_online *container = &stack->container;
    if (container->first != NONE && stay_at(stack, container->first)->add_ended <= time)
        return false;
    for (size_t i = 0; i < container->removed.length; i++) {
        const struct stay_of *stay = stay_at(stack, container->removed.items[i]);
        if (stay->add_ended <= time && time < stay->remove_begun)
            return false;
    }
    return true;
}

static bool is_certain(const struct stack *stack, const struct found_empty *empty)
{
    const struct container_online *container = &stack->container;
    bool certain = is_empty_behind(stack, empty->begun);
    for (size_t i = 0; i < container->removed.length && !certain; i++) {
        uint64_t begun = stay_at(stack, container->removed.items[i])->remove_begun;
        certain = begun > empty->begun && begun < empty->ended && is_empty_behind(stack, begun);
    }
    return certain;
}

static void drop_empties(struct stack *stack)
{
    struct container_online *container = &stack->container;
    size_t kept = 0;
    for (size_t i = 0; i < container->empties.length; i++)
        if (!is_certain(stack, &container->empties.items[i]))
            container->empties.items[kept++] = container->empties.items[i];
    container->empties.length = kept;
}

/* ---- pending removals ---- */

/* The pending removal that has taken the value, by `until`: the last one that was invoked when its
 * push was not over, for then they overlap; else the first one. *several: it may be another. NONE:
 * there is none. */
static uint32_t taker_of(const struct stack *stack, const struct stay_of *stay, uint64_t until,
                         bool *several)
{
    const struct running *removals = &stack->container.removals;
    uint32_t taker = NONE, count = 0;
    for (uint32_t i = removals->first; i != NONE; i = removals->items.items[i].after) {
        uint64_t invoked = removals->items.items[i].invoked;
        if (invoked >= until)
            break;
        count++;
        if (taker == NONE || invoked < stay->add_ended)
            taker = i;
    }
    *several = count > 1;
    return taker;
}

/* A value inside is gone by `until`, and only pending removals can have taken it. False when
 * refused. */
static bool hand_out(struct stack *stack, uint32_t number, uint64_t until)
{
    struct container_online *container = &stack->container;
    struct stay_of *stay = stay_at(stack, number);
    bool several;
    uint32_t taker = taker_of(stack, stay, until, &several);
    if (taker == NONE)
        return true;
    if (several && container->guessed < until)
        container->guessed = until;
    struct running_operation removal = container->removals.items.items[taker];
    running_remove(&container->removals, taker);
    if (removal.invoked < stay->add_ended) {
        container_online_drop(container, number);
        return true;
    }
    return container_online_remove(container, number, removal.invoked, until, removal.serial);
}

/* Values that were pushed while one was inside that has been removed are gone by then. */
static bool settle_nested(struct stack *stack)
{
    struct container_online *container = &stack->container;
    uint64_t since = running_since(&container->removals);
    for (size_t i = stack->due.length ? 0 : stack->walls; i < container->removed.length; i++) {
        struct stay_of around = *stay_at(stack, container->removed.items[i]);
        if (around.remove_ended > since)
            continue;
        for (uint32_t j = container->last, before;
             j != NONE && stay_at(stack, j)->add_ended > around.add_ended; j = before) {
            before = stay_at(stack, j)->before;
            if (stay_at(stack, j)->add_begun > around.add_ended &&
                stay_at(stack, j)->add_ended < around.remove_begun &&
                !hand_out(stack, j, around.remove_ended))
                return false;
        }
    }
    return true;
}

/* How many values inside had been pushed by then. */
static size_t inside_by(const struct stack *stack, uint64_t time)
{
    size_t count = 0;
    for (uint32_t i = stack->container.first; i != NONE && stay_at(stack, i)->add_ended <= time;
         i = stay_at(stack, i)->after)
        count++;
    return count;
}

static size_t takers_by(const struct stack *stack, uint64_t time)
{
    const struct running *removals = &stack->container.removals;
    size_t count = 0;
    for (uint32_t i = removals->first; i != NONE && removals->items.items[i].invoked <= time;
         i = removals->items.items[i].after)
        count++;
    return count;
}

/* Whether nothing that was removed is inside in the gap behind `time`. */
static bool is_uncovered(const struct stack *stack, uint64_t time)
{
    const struct container_online *container = &stack->container;
    for (size_t i = 0; i < container->removed.length; i++) {
        const struct stay_of *stay = stay_at(stack, container->removed.items[i]);
        if (stay->add_ended <= time && time < stay->remove_begun)
            return false;
    }
    return true;
}

/* What was inside when a removal found nothing is gone by then. */
static bool settle_empty(struct stack *stack, struct found_empty *empty)
{
    struct container_online *container = &stack->container;
    size_t fewest = SIZE_MAX, count;
    uint64_t chosen = 0;
    bool several = false;
    for (size_t i = 0; i <= container->removed.length + container->removals.items.length; i++) {
        uint64_t time = empty->begun;
        if (i > container->removed.length)
            time = container->removals.items.items[i - container->removed.length - 1].invoked;
        else if (i > 0)
            time = stay_at(stack, container->removed.items[i - 1])->remove_begun;
        if (time < empty->begun || time >= empty->ended || !is_uncovered(stack, time))
            continue;
        count = inside_by(stack, time);
        several |= fewest != SIZE_MAX && count != fewest;
        if (takers_by(stack, time) >= count && count < fewest) {
            fewest = count;
            chosen = time;
        }
    }
    if (fewest == SIZE_MAX)
        return true;
    if (several)
        container->guessed = NEVER;
    while (container->first != NONE && stay_at(stack, container->first)->add_ended <= chosen) {
        uint64_t inside = container->inside;
        if (!hand_out(stack, container->first, empty->ended))
            return false;
        if (container->inside == inside)
            return true;
    }
    empty->certain = true;
    return true;
}

/* Where only pending removals are left that can have taken what is in the way, they have. */
static bool settle(struct stack *stack)
{
    struct container_online *container = &stack->container;
    size_t kept = 0;
    if (!container->removals.count)
        return true;
    if (!settle_nested(stack))
        return false;
    for (size_t i = 0; i < container->empties.length; i++) {
        struct found_empty *empty = &container->empties.items[i];
        if (running_since(&container->removals) >= empty->ended && !settle_empty(stack, empty))
            return false;
        if (!empty->certain)
            container->empties.items[kept++] = *empty;
    }
    container->empties.length = kept;
    return true;
}

/* ---- looking ---- */

static enum online_answer look(struct container_online *container)
{
    struct stack *stack = stack_of(container);
    bool drops = container->online.drops != DROPS_NOTHING;
    if (drops)
        drop_overlapping(stack);
    thin_due(stack);
    if (container->removed.length == stack->walls && !container->empties.length &&
        !stack->due.length)
        return ONLINE_POSSIBLE;
    enum online_answer answer = decide_kept(stack);
    if (answer != ONLINE_POSSIBLE || !drops)
        return answer;
    drop_empties(stack);
    return settle(stack) && drop(stack) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

static void release(struct container_online *container)
{
    struct stack *stack = stack_of(container);
    struct budget *budget = container->online.budget;
    vectors_release(&stack->inside, &stack->closed, &stack->events, &stack->open, &stack->nested,
                    &stack->stretches, &stack->due);
    container_online_release(container);
    memory_release(budget, stack, sizeof *stack);
}

static void archive_rest(struct container_online *container, struct archive *archive)
{
    struct stack *stack = stack_of(container);
    ARCHIVE_BELOW(archive, stack->walls, container->removed.length + 1);
    ARCHIVE(archive, stack->next_walls);
}

static const struct container_rules stack_rules = {.add = STACK_PUSH,
                                                   .remove = STACK_POP,
                                                   .look = look,
                                                   .release = release,
                                                   .archive = archive_rest};

struct online *online_stack_create(const struct spec *spec, struct limits *limits)
{
    struct stack *stack = memory_zeroed(limits->budget, sizeof *stack);
    if (!stack)
        return NULL;
    container_online_init(&stack->container, spec, &stack_rules, limits);
    vectors_init(limits->budget, &stack->inside, &stack->closed, &stack->events, &stack->open,
                 &stack->nested, &stack->stretches, &stack->due);
    return &stack->container.online;
}
