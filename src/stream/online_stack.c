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
 * A value inside need not be nested in v of S, though a pop that runs or is pending may take it
 * before v is popped, if there is a linearization E of the history so far in which it stays. Take
 * any linearization L of how the history goes on, and in L the time while a value of S is inside
 * that is nested in no other. Whatever happens then in L is done to values above it. Do it in the
 * order of E instead, each operation at its moment of E, or at the beginning or the end of that
 * time if E has it earlier or later; both moments lie within the operation, so what is between
 * does. What stays in E is popped at the end, by those that have popped it in L: they were invoked
 * by then, and have not answered now. So L is as before at the end, and nothing that stays in E was
 * nested in S. So of the values inside those matter that E has popped (`taken`).
 *
 * So of S it is enough to keep what cuts out the same time, where it matters: between two events of
 * the others that lie in one stretch of critical intervals a chain of these is kept, a *wall*, and
 * the rest of S is dropped. A wall stays one, for what is invoked later is nested in nothing that
 * is over. */
#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/maximum_tree.h"
#include "spec/stack.h"
#include "stream/online_stack.h"

#define NONE  RUNNING_NONE
#define NEVER CONTAINER_NEVER

static struct stack *stack_of(struct container_online *container)
{
    return (struct stack *)container;
}

/* ---- what is decided ---- */

/* Drops what has no critical interval. */
static void drop_overlapping(struct stack *stack)
{
    struct container_online *container = &stack->container;
    size_t kept = 0;
    for (size_t i = 0; i < container->removed.length; i++) {
        uint32_t number = container->removed.items[i];
        if (stay_covers(stack_stay(stack, number)))
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
        const struct stay_of *stay = stack_removed(stack, i);
        if (stay->add_begun < first)
            first = stay->add_begun;
        if (stay->add_ended < *covered)
            *covered = stay->add_ended;
    }
    for (size_t i = 0; i < container->empties.length; i++)
        if (container->empties.items[i].begun < first)
            first = container->empties.items[i].begun;
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
    for (uint32_t i = container->last; i != NONE && stack_stay(stack, i)->add_ended > covered;
         i = stack_stay(stack, i)->before) {
        if (stack_stay(stack, i)->add_begun < first)
            first = stack_stay(stack, i)->add_begun;
        if (!vector_push(&stack->inside, i))
            return ONLINE_REFUSED;
    }
    for (size_t i = 0; i < stack->due.length; i++) {
        const struct stay_of *stay = stack_stay(stack, stack->due.items[i]);
        if (stay->add_begun < first)
            first = stay->add_begun;
        if (stay->add_ended <= covered && !vector_push(&stack->inside, stack->due.items[i]))
            return ONLINE_REFUSED;
    }
    size_t walls = 0;
    for (; walls < stack->walls; walls++)
        if (stack_stay(stack, container->removed.items[walls])->remove_begun > first)
            break; /* walls stand by the beginnings of their removals */
    return container_online_decide(container, walls, stack->inside.items, stack->inside.length);
}

/* ---- what others may be nested in ---- */

static int compare_ended(const void *first, const void *second, void *user)
{
    const struct stack *stack = user;
    uint64_t a = stack_stay(stack, *(const uint32_t *)first)->add_ended;
    uint64_t b = stack_stay(stack, *(const uint32_t *)second)->add_ended;
    return (a > b) - (a < b);
}

/* Whether removals that run or are pending take something in the linearization that was found. */
static bool takes_some(const struct container_online *container)
{
    const struct decision *decision = &container->decision;
    for (size_t i = 0; i < decision->linearization.length; i++) {
        const struct interval *interval =
            &container->intervals.items[decision->linearization.items[i]];
        if (interval->call.operation == container->rules->remove &&
            interval->response == POSITION_NEVER)
            return true;
    }
    return false;
}

/* Lists what they take. `events` is where the stack stands. */
static bool find_taken(struct stack *stack)
{
    const struct container_online *container = &stack->container;
    const struct decision *decision = &container->decision;
    stack->taken.length = stack->events.length = 0;
    if (!takes_some(container))
        return true;
    for (size_t i = 0; i < decision->linearization.length; i++) {
        const struct interval *interval =
            &container->intervals.items[decision->linearization.items[i]];
        if (interval->call.operation == container->rules->add) {
            if (!vector_push(&stack->events, interval->call.argument))
                return false;
        } else if (interval->call.result_known && interval->call.result == VALUE_NIL) {
            assert(stack->events.length == 0);
        } else {
            const value top = stack->events.items[--stack->events.length];
            if (interval->response == POSITION_NEVER &&
                !vector_push(&stack->taken, container_online_find(container, top)))
                return false;
        }
    }
    if (stack->taken.length)
        qsort_r(stack->taken.items, stack->taken.length, sizeof *stack->taken.items, compare_ended,
                stack);
    return true;
}

static int compare_added(const void *first, const void *second)
{
    const struct nesting *a = first, *b = second;
    return (a->added > b->added) - (a->added < b->added);
}

static int compare_times(const void *first, const void *second)
{
    const uint64_t *a = first, *b = second;
    return (*a > *b) - (*a < *b);
}

/* How many of what is open was removed by then. */
static uint32_t removed_by(const struct stack *stack, uint64_t time)
{
    size_t low = 0, high = stack->events.length;
    BISECT(low, high, middle, stack->events.items[middle] <= time);
    return (uint32_t)low;
}

/* Numbers what is open by when its removal answered, from 1 on; stack->events has these times,
 * ascending. */
static bool number_open(struct stack *stack, struct maximum_tree *removed)
{
    const uint32_t count = (uint32_t)stack->open.length;
    stack->events.length = 0;
    for (size_t i = 0; i < count; i++)
        if (!vector_push(&stack->events, stack->open.items[i].removed))
            return false;
    qsort(stack->events.items, count, sizeof *stack->events.items, compare_times);
    if (!maximum_tree_init(removed, count, stack->container.online.budget))
        return false;
    for (size_t i = 0; i < count; i++)
        removed->nodes[i] = removed_by(stack, stack->open.items[i].removed);
    maximum_tree_build(removed);
    return true;
}

/* Lists in `nested` what u may be nested in, which has the number 0 then. */
static bool keep_around(struct stack *stack, struct maximum_tree *removed, uint64_t add_ended,
                        uint64_t remove_begun)
{
    const uint32_t behind = removed_by(stack, remove_begun) + 1;
    size_t low = 0, high = stack->open.length;
    BISECT(low, high, middle, stack->open.items[middle].added < add_ended);
    uint32_t found;
    while (low > 0 &&
           (found = maximum_tree_find(removed, (uint32_t)low - 1, behind)) != MAXIMUM_TREE_NONE) {
        maximum_tree_set(removed, found, 0);
        if (!vector_push(&stack->nested, stack->open.items[found].number))
            return false;
    }
    return true;
}

/* When the first pending removal was invoked behind that time; NEVER: none was. */
static uint64_t pending_behind(const struct stack *stack, uint64_t time)
{
    struct pending_walk pending;
    pending_list_behind(&stack->container.pendings, time, &pending);
    return pending_walk_at(&pending) ? pending_walk_at(&pending)->invoked : NEVER;
}

/* Likewise one that runs or is pending. */
static uint64_t removal_behind(const struct stack *stack, uint64_t time)
{
    struct running_walk running;
    const uint64_t first = pending_behind(stack, time);
    running_walk_behind(&stack->container.removals, time, &running);
    const struct pending_operation *removal = running_walk_at(&running);
    return removal && removal->invoked < first ? removal->invoked : first;
}

/* Moves to `nested` what values that are taken may be nested in, and what those may be nested in,
 * and so on. */
static bool find_nested(struct stack *stack, struct maximum_tree *removed)
{
    for (size_t i = 0; i < stack->taken.length; i++) {
        const uint64_t ended = stack_stay(stack, stack->taken.items[i])->add_ended;
        const uint64_t invoked = removal_behind(stack, ended);
        if (invoked != NEVER && !keep_around(stack, removed, ended, invoked))
            return false;
    }
    for (size_t i = 0; i < stack->nested.length; i++) {
        const struct stay_of *stay = stack_stay(stack, stack->nested.items[i]);
        if (!keep_around(stack, removed, stay->add_ended, stay->remove_begun))
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < stack->open.length; i++)
        if (removed->nodes[i])
            stack->open.items[kept++] = stack->open.items[i];
    stack->open.length = kept;
    return true;
}

/* Finds S: what is left of `open`. The others are `nested`. */
static bool find_closed(struct stack *stack)
{
    struct container_online *container = &stack->container;
    stack->open.length = stack->nested.length = 0;
    for (size_t i = stack->walls; i < container->removed.length; i++) {
        const struct stay_of *stay = stack_removed(stack, i);
        struct nesting nesting = {stay->add_begun, stay->remove_ended, container->removed.items[i]};
        if (!vector_push(&stack->open, nesting))
            return false;
    }
    if (stack->open.length)
        qsort(stack->open.items, stack->open.length, sizeof *stack->open.items, compare_added);
    if (!stack->open.length || !stack->taken.length)
        return true;
    struct maximum_tree removed = {0};
    const bool done = number_open(stack, &removed) && find_nested(stack, &removed);
    maximum_tree_release(&removed);
    return done;
}

/* ---- walls ---- */

static bool add_event(struct stack *stack, uint64_t time)
{
    return time == NEVER || vector_push(&stack->events, time);
}

static bool add_invocations(struct stack *stack, const struct running *running, uint64_t since)
{
    const struct pending_operation *at;
    struct running_walk walk;
    bool done = true;
    running_walk_last(running, &walk);
    for (; done && (at = running_walk_at(&walk)) && at->invoked > since; running_walk_back(&walk))
        done = add_event(stack, at->invoked);
    return done;
}

/* Lists the events of all but S and the walls that are behind `since`, but for those of operations
 * that are pending. A value whose push is may be popped as it is pushed. */
static bool find_events(struct stack *stack, uint64_t since)
{
    struct container_online *container = &stack->container;
    bool done = true;
    stack->events.length = 0;
    for (size_t i = 0; i < stack->nested.length && done; i++) {
        const struct stay_of *stay = stack_stay(stack, stack->nested.items[i]);
        done = add_event(stack, stay->add_begun) && add_event(stack, stay->add_ended) &&
               add_event(stack, stay->remove_begun) && add_event(stack, stay->remove_ended);
    }
    for (uint32_t i = container->last; i != NONE && stack_stay(stack, i)->add_ended > since && done;
         i = stack_stay(stack, i)->before)
        done = add_event(stack, stack_stay(stack, i)->add_begun) &&
               add_event(stack, stack_stay(stack, i)->add_ended);
    for (size_t i = 0; i < container->empties.length && done; i++)
        done = add_event(stack, container->empties.items[i].begun) &&
               add_event(stack, container->empties.items[i].ended);
    done = done && add_invocations(stack, &container->removals, since) &&
           add_invocations(stack, &container->adds, since);
    if (stack->events.length)
        qsort(stack->events.items, stack->events.length, sizeof *stack->events.items,
              compare_times);
    return done;
}

/* The first event of the others behind that time, which may be the invocation of a pending removal;
 * NEVER: there is none. */
static uint64_t first_behind(const struct stack *stack, uint64_t time)
{
    const uint64_t pending = pending_behind(stack, time);
    size_t low = 0, high = stack->events.length;
    BISECT(low, high, middle, stack->events.items[middle] <= time);
    const uint64_t first = low < stack->events.length ? stack->events.items[low] : NEVER;
    return pending < first ? pending : first;
}

/* The last event in front of that time that is none; 0: there is none. Behind it nothing happens
 * but that removals may begin, so what could happen between these can when they all have. */
static uint64_t last_before(const struct stack *stack, uint64_t time)
{
    size_t low = 0, high = stack->events.length;
    BISECT(low, high, middle, stack->events.items[middle] < time);
    return low > 0 ? stack->events.items[low - 1] : 0;
}

/* Keeps of a stretch of critical intervals, closed.items[from .. to), a chain that covers it
 * between the first and the last of the events in it. */
static void keep_chain(struct stack *stack, size_t from, size_t to, uint64_t end)
{
    uint64_t start = stack_stay(stack, stack->closed.items[from])->add_ended;
    uint64_t reached = first_behind(stack, start), wanted = last_before(stack, end);
    for (size_t i = from; reached < wanted;) {
        uint32_t best = NONE;
        for (; i < to && stack_stay(stack, stack->closed.items[i])->add_ended <= reached; i++)
            if (best == NONE || stack_stay(stack, stack->closed.items[i])->remove_begun >
                                    stack_stay(stack, best)->remove_begun)
                best = stack->closed.items[i];
        stack_stay(stack, best)->certain = true;
        reached = stack_stay(stack, best)->remove_begun;
    }
}

static int compare_removed(const void *first, const void *second, void *user)
{
    const struct stack *stack = user;
    uint64_t a = stack_stay(stack, *(const uint32_t *)first)->remove_begun;
    uint64_t b = stack_stay(stack, *(const uint32_t *)second)->remove_begun;
    return (a > b) - (a < b);
}

/* Lists values inside whose pushes lie in a stretch. */
static bool find_due(struct stack *stack)
{
    uint64_t first = stack->stretches.items[0].start;
    for (uint32_t i = stack->container.last; i != NONE && stack_stay(stack, i)->add_ended > first;
         i = stack_stay(stack, i)->before) {
        struct stay_of *stay = stack_stay(stack, i);
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
        const struct stay_of *stay = stack_stay(stack, stack->due.items[i]);
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
        if (stack_stay(stack, stack->nested.items[i])->add_begun < since)
            since = stack_stay(stack, stack->nested.items[i])->add_begun;
    for (size_t i = 0; i < container->empties.length; i++)
        if (container->empties.items[i].begun < since)
            since = container->empties.items[i].begun;
    for (size_t i = 0; i < stack->due.length; i++)
        if (stack_stay(stack, stack->due.items[i])->add_begun < since)
            since = stack_stay(stack, stack->due.items[i])->add_begun;
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
        uint64_t ended = stack_stay(stack, stack->open.items[i].number)->add_ended;
        since = ended < since ? ended : since;
        if (!vector_push(&stack->closed, stack->open.items[i].number))
            return false;
    }
    for (size_t i = 0; i < stack->walls; i++) {
        struct stay_of *wall = stack_removed(stack, i);
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
    if (!find_events(stack, stack_stay(stack, stack->closed.items[0])->add_ended))
        return false;
    for (size_t from = 0, to; from < stack->closed.length; from = to) {
        uint64_t end = stack_stay(stack, stack->closed.items[from])->remove_begun;
        for (to = from + 1; to < stack->closed.length &&
                            stack_stay(stack, stack->closed.items[to])->add_ended < end;
             to++)
            if (stack_stay(stack, stack->closed.items[to])->remove_begun > end)
                end = stack_stay(stack, stack->closed.items[to])->remove_begun;
        struct stretch stretch = {stack_stay(stack, stack->closed.items[from])->add_ended, end};
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
        if (stack_removed(stack, i)->certain)
            container->removed.items[walls++] = container->removed.items[i];
        else
            container_online_drop(container, container->removed.items[i]);
    for (size_t i = 0; i < stack->open.length; i++)
        if (stack_stay(stack, stack->open.items[i].number)->certain)
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
    stack_drop_empties(stack);
    const size_t pendings = container->pendings.count;
    if (!find_taken(stack) || !stack_settle(stack))
        return ONLINE_REFUSED;
    if (container->pendings.count != pendings) {
        thin_due(stack);
        answer = decide_kept(stack);
        if (answer != ONLINE_POSSIBLE || !find_taken(stack))
            return answer == ONLINE_POSSIBLE ? ONLINE_REFUSED : answer;
    }
    return drop(stack) ? ONLINE_POSSIBLE : ONLINE_REFUSED;
}

static void tidy(struct container_online *container)
{
    struct stack *stack = stack_of(container);
    vectors_release(&stack->inside, &stack->taken, &stack->closed, &stack->events, &stack->open,
                    &stack->nested, &stack->stretches);
}

static void release(struct container_online *container)
{
    struct stack *stack = stack_of(container);
    struct budget *budget = container->online.budget;
    tidy(container);
    vector_release(&stack->due);
    container_online_release(container);
    memory_release(budget, stack, sizeof *stack);
}

static void archive_rest(struct container_online *container, struct archive *archive)
{
    struct stack *stack = stack_of(container);
    CONTAINER_ARCHIVE_PLACES(container, archive, &stack->due);
    ARCHIVE_BELOW(archive, stack->walls, container->removed.length + 1);
    ARCHIVE(archive, stack->next_walls);
}

static const struct container_rules stack_rules = {.add = STACK_PUSH,
                                                   .remove = STACK_POP,
                                                   .look = look,
                                                   .tidy = tidy,
                                                   .release = release,
                                                   .archive = archive_rest};

struct online *online_stack_create(const struct spec *spec, struct limits *limits)
{
    struct stack *stack = memory_zeroed(limits->budget, sizeof *stack);
    if (!stack)
        return NULL;
    container_online_init(&stack->container, spec, &stack_rules, limits);
    vectors_init(limits->budget, &stack->inside, &stack->taken, &stack->closed, &stack->events,
                 &stack->open, &stack->nested, &stack->stretches, &stack->due);
    return &stack->container.online;
}
