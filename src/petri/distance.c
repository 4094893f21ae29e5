#include "petri/distance.h"

#include <string.h>

#define FARTHEST (UINT32_C(1) << 24) /* also of what cannot be reached at all */

static uint64_t combine(enum distance_kind kind, uint64_t left, uint64_t right)
{
    return kind == DISTANCE_SUM ? left + right : left > right ? left : right;
}

uint64_t distance_of(const struct distances *distances, enum distance_kind kind, uint32_t control,
                     const struct counter_count *items, uint32_t count)
{
    uint64_t sum = control == NET_NONE ? 0 : distances->controls[control];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t each = distances->counters[items[i].counter];
        uint64_t times = kind == DISTANCE_SUM ? items[i].count : 1;
        sum = combine(kind, sum, each * times);
    }
    return sum < FARTHEST ? sum : FARTHEST;
}

static bool shorten(uint32_t *distance, uint64_t to)
{
    bool shorter = to < *distance;
    if (shorter)
        *distance = (uint32_t)to;
    return shorter;
}

/* Lets a transition bring nearer what it gives. */
static bool follow(const struct problem_step *step, enum distance_kind kind,
                   struct distances *distances)
{
    uint64_t to = 1 + distance_of(distances, kind, step->from, step->takes, step->take_count);
    bool shorter = step->to != NET_NONE && shorten(&distances->controls[step->to], to);
    for (uint32_t i = 0; i < step->change_count; i++)
        if (step->changes[i].delta > 0)
            shorter = shorten(&distances->counters[step->changes[i].counter], to) || shorter;
    return shorter;
}

bool distances_find(const struct problem *problem, enum distance_kind kind, struct arena *arena,
                    struct distances *distances)
{
    distances->controls = arena_allocate(arena, problem->control_count * sizeof(uint32_t));
    distances->counters = arena_allocate(arena, problem->counter_count * sizeof(uint32_t));
    if (!distances->controls || !distances->counters)
        return false;
    for (size_t i = 0; i < problem->control_count; i++)
        distances->controls[i] = i == problem->initial_control ? 0 : FARTHEST;
    for (size_t i = 0; i < problem->counter_count; i++)
        distances->counters[i] = problem->initial[i] ? 0 : FARTHEST;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < problem->steps.length; i++)
            more = follow(&problem->steps.items[i], kind, distances) || more;
    }
    return true;
}
