/* What pending pops of a stack have taken, and which pops that found nothing matter no more. */
#include "base/bisect.h"
#include "stream/online_stack.h"

#define NONE  RUNNING_NONE
#define NEVER CONTAINER_NEVER

/* ---- removals that found nothing ---- */

/* Whether the stack is certainly empty in the gap behind `time`. */
static bool is_empty_behind(const struct stack *stack, uint64_t time)
{
    const struct container_online *container = &stack->container;
    if (container->first != NONE && stack_stay(stack, container->first)->add_ended <= time)
        return false;
    for (size_t i = 0; i < container->removed.length; i++) {
        const struct stay_of *stay = stack_removed(stack, i);
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
        uint64_t begun = stack_removed(stack, i)->remove_begun;
        certain = begun > empty->begun && begun < empty->ended && is_empty_behind(stack, begun);
    }
    return certain;
}

void stack_drop_empties(struct stack *stack)
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
 * push was not over, for then they overlap; else the first one. *several: it may be another. What
 * stands there is null: there is none. */
static void find_taker(const struct stack *stack, const struct stay_of *stay, uint64_t until,
                       struct pending_walk *taker, bool *several)
{
    const struct pending_list *pendings = &stack->container.pendings;
    const size_t count = pending_list_by(pendings, until - 1, 2);
    pending_list_before(pendings, stay->add_ended < until ? stay->add_ended : until, taker);
    *several = count > 1;
    if (count > 0 && !pending_walk_at(taker))
        pending_list_first(pendings, taker);
}

/* A value inside is gone by `until`, and only pending removals can have taken it. False when
 * refused. */
static bool hand_out(struct stack *stack, uint32_t number, uint64_t until)
{
    struct container_online *container = &stack->container;
    struct stay_of *stay = stack_stay(stack, number);
    struct pending_walk taker;
    bool several;
    find_taker(stack, stay, until, &taker, &several);
    if (!pending_walk_at(&taker))
        return true;
    if (several && container->guessed < until)
        container->guessed = until;
    const struct pending_operation removal = *pending_walk_at(&taker);
    pending_list_remove(&container->pendings, &taker);
    if (removal.invoked < stay->add_ended) {
        container_online_drop(container, number);
        return true;
    }
    return container_online_remove(container, number, removal.invoked, until, removal.serial);
}

/* By when a value inside is gone because values that were removed were in the stack throughout its
 * push, one after the other; NEVER: they were not. */
static uint64_t gone_by(const struct stack *stack, const struct stay_of *stay)
{
    const struct container_online *container = &stack->container;
    uint64_t reached = stay->add_begun, until = 0;
    size_t low = 0, high = stack->walls;
    BISECT(low, high, wall, stack_removed(stack, wall)->remove_begun <= stay->add_begun);
    while (reached < stay->add_ended) {
        const struct stay_of *farthest = NULL;
        for (size_t i = low; i < container->removed.length; i++) {
            const struct stay_of *around = stack_removed(stack, i);
            if (around->add_ended < reached && around->remove_begun > reached &&
                (!farthest || around->remove_begun > farthest->remove_begun))
                farthest = around;
        }
        if (!farthest)
            return NEVER;
        reached = farthest->remove_begun;
        if (farthest->remove_ended > until)
            until = farthest->remove_ended;
    }
    return until;
}

/* What is taken in the linearization that was found, and has to be. */
static bool settle_taken(struct stack *stack)
{
    const uint64_t since = running_since(&stack->container.removals);
    for (size_t i = 0; i < stack->taken.length; i++) {
        const uint32_t number = stack->taken.items[i];
        const uint64_t until = gone_by(stack, stack_stay(stack, number));
        if (until != NEVER && until <= since && !hand_out(stack, number, until))
            return false;
    }
    return true;
}

/* What is due was taken while its push was not over. */
static bool settle_due(struct stack *stack)
{
    const uint64_t since = running_since(&stack->container.removals);
    for (size_t i = 0; i < stack->due.length; i++) {
        const struct stay_of *stay = stack_stay(stack, stack->due.items[i]);
        if (stay->inside && stay->add_ended <= since &&
            !hand_out(stack, stack->due.items[i], stay->add_ended))
            return false;
    }
    return true;
}

/* How many values inside had been pushed by then. */
static size_t inside_by(const struct stack *stack, uint64_t time)
{
    size_t count = 0;
    for (uint32_t i = stack->container.first; i != NONE && stack_stay(stack, i)->add_ended <= time;
         i = stack_stay(stack, i)->after)
        count++;
    return count;
}

/* Whether nothing that was removed is inside in the gap behind `time`. */
static bool is_uncovered(const struct stack *stack, uint64_t time)
{
    const struct container_online *container = &stack->container;
    for (size_t i = 0; i < container->removed.length; i++) {
        const struct stay_of *stay = stack_removed(stack, i);
        if (stay->add_ended <= time && time < stay->remove_begun)
            return false;
    }
    return true;
}

/* A moment at which the stack may have been empty, if what was inside is gone by then. */
struct emptying {
    size_t fewest; /* inside then; SIZE_MAX: there is none yet */
    uint64_t chosen;
    bool several;
};

static void try_emptying(const struct stack *stack, struct emptying *emptying, uint64_t time)
{
    if (!is_uncovered(stack, time))
        return;
    const size_t count = inside_by(stack, time);
    emptying->several |= emptying->fewest != SIZE_MAX && count != emptying->fewest;
    if (count < emptying->fewest &&
        pending_list_by(&stack->container.pendings, time, count) == count) {
        emptying->fewest = count;
        emptying->chosen = time;
    }
}

/* What was inside when a removal found nothing is gone by then. */
static bool settle_empty(struct stack *stack, struct found_empty *empty)
{
    struct container_online *container = &stack->container;
    const struct pending_operation *pending;
    struct pending_walk walk;
    struct emptying emptying = {.fewest = SIZE_MAX};
    try_emptying(stack, &emptying, empty->begun);
    for (size_t i = 0; i < container->removed.length; i++) {
        const uint64_t time = stack_removed(stack, i)->remove_begun;
        if (time >= empty->begun && time < empty->ended)
            try_emptying(stack, &emptying, time);
    }
    pending_list_behind(&container->pendings, empty->begun, &walk);
    for (; (pending = pending_walk_at(&walk)) && pending->invoked < empty->ended;
         pending_walk_next(&walk))
        try_emptying(stack, &emptying, pending->invoked);
    if (emptying.fewest == SIZE_MAX)
        return true;
    if (emptying.several)
        container->guessed = NEVER;
    while (container->first != NONE &&
           stack_stay(stack, container->first)->add_ended <= emptying.chosen) {
        uint64_t inside = container->inside;
        if (!hand_out(stack, container->first, empty->ended))
            return false;
        if (container->inside == inside)
            return true;
    }
    empty->certain = true;
    return true;
}

bool stack_settle(struct stack *stack)
{
    struct container_online *container = &stack->container;
    size_t kept = 0;
    if (!container->pendings.count)
        return true;
    if (!settle_taken(stack) || !settle_due(stack))
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
