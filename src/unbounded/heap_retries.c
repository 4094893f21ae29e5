#include "unbounded/heap_retries.h"

#include <string.h>

static bool relies_on(const struct heap_shape *shape, size_t retry)
{
    return shape->retries[retry / 64] >> retry % 64 & 1;
}

static const struct lin_retry *retry_of(const struct heap_shape *shape, size_t retry)
{
    return &shape->steps->retries.items[retry];
}

void heap_retries_use(struct heap_shape *shape, uint32_t variables)
{
    memset(shape->retries, 0, sizeof shape->retries);
    for (size_t i = 0; i < shape->steps->retries.length; i++)
        if (variables >> retry_of(shape, i)->slot & 1)
            shape->retries[i / 64] |= UINT64_C(1) << i % 64;
}

uint32_t heap_retries_variables(const struct heap_shape *shape)
{
    uint32_t variables = 0;
    for (size_t i = 0; i < shape->steps->retries.length; i++)
        if (relies_on(shape, i))
            variables |= UINT32_C(1) << retry_of(shape, i)->slot;
    return variables;
}

/* Whether a way passes an instruction, + 1; 0: none. */
static bool passes(const struct lin_steps *steps, const struct lin_retry *retry, uint32_t at)
{
    if (at == 0 || entry_at(steps, at - 1) != entry_at(steps, retry->at))
        return false;
    const uint32_t number = lin_step_number(steps, at - 1);
    return number < 64 && (retry->passes >> number & 1);
}

void heap_retries_place(struct heap_shape *shape, const struct heap_placement *placement)
{
    const struct lin_steps *steps = shape->steps;
    for (size_t i = 0; i < steps->retries.length; i++) {
        const struct lin_retry *retry = retry_of(shape, i);
        const struct heap_point *point =
            &placement->points[entry_at(steps, retry->at) - steps->entries];
        if ((!point->given && passes(steps, retry, point->reading)) ||
            (point->always && passes(steps, retry, point->changing)))
            shape->retries[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
    lin_step_keep_retries(steps, shape->retries);
}

uint32_t heap_retries_move_back(const struct heap_shape *shape, const struct heap_view *before,
                                const struct heap_view *after)
{
    uint32_t back = 0;
    uint64_t others = 0; /* nodes that were others' as well */
    for (uint32_t i = 0; i < before->count; i++)
        others |= (uint64_t)!before->nodes[i].own << i;
    for (uint32_t left = heap_retries_variables(shape); left; left &= left - 1) {
        const uint32_t slot = (uint32_t)__builtin_ctz(left);
        const uint64_t was = heap_view_nodes_from(shape, before, before->shared[slot]),
                       is = heap_view_nodes_from(shape, after, after->shared[slot]);
        back |= (uint32_t)((is & ~was & others) != 0) << slot;
    }
    return back;
}
