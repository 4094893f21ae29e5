/* What the parts of the stack's monitor share: online_stack.c, which says what need not be kept,
 * and online_stack_settle.c, which finds out what pending removals have taken. */
#ifndef STREAM_ONLINE_STACK_H
#define STREAM_ONLINE_STACK_H

#include "stream/online_container.h"

/* A value that others may be nested in. */
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
    VECTOR(uint32_t) taken;  /* of these: in the linearization that was found */
    VECTOR(uint32_t) closed; /* the values S, and walls, by the ends of their adds */
    VECTOR(uint64_t) events; /* of the others, ascending */
    VECTOR(struct nesting) open;
    VECTOR(uint32_t)
    nested; /* values that stay, whose critical intervals are still to be looked at */
    VECTOR(struct stretch) stretches;
};

static inline struct stay_of *stack_stay(const struct stack *stack, uint32_t number)
{
    return &stack->container.stays.items[number];
}

static inline struct stay_of *stack_removed(const struct stack *stack, size_t place)
{
    return stack_stay(stack, stack->container.removed.items[place]);
}

/* Drops removals that found nothing where the stack was empty even if nobody takes what is inside.
 */
void stack_drop_empties(struct stack *stack);

/* Where only pending removals are left that can have taken what is in the way, they have. False
 * when refused. */
bool stack_settle(struct stack *stack) MUST_CHECK;

#endif
