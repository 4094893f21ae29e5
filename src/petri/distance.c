#include "petri/distance.h"

#include <assert.h>

#include "petri/queue.h"

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

/* ---- nearest first ---- */

/* A transition is as far as the farthest of what it takes, or farther: so that what is nearest of
 * all that is left will not come nearer (Knuth, A generalization of Dijkstra's algorithm, 1977). */
struct finding {
    const struct problem *problem;
    enum distance_kind kind;
    struct distances *distances;
    struct queue queue; /* controls, and behind them counters */
    uint32_t *missing;  /* by step: what it takes and is not settled */
};

static bool come_nearer(struct finding *finding, uint32_t *distance, uint32_t number, uint64_t to)
{
    assert(to <= FARTHEST + 1);
    if (to >= *distance)
        return true;
    *distance = (uint32_t)to;
    return queue_push(&finding->queue, to, number);
}

/* Lets a transition bring nearer what it gives. */
static bool follow(struct finding *finding, const struct problem_step *step)
{
    struct distances *distances = finding->distances;
    uint32_t controls = (uint32_t)finding->problem->control_count;
    uint64_t to =
        1 + distance_of(distances, finding->kind, step->from, step->takes, step->take_count);
    if (step->to != NET_NONE && !come_nearer(finding, &distances->controls[step->to], step->to, to))
        return false;
    for (uint32_t i = 0; i < step->change_count; i++) {
        uint32_t counter = step->changes[i].counter;
        if (step->changes[i].delta > 0 &&
            !come_nearer(finding, &distances->counters[counter], controls + counter, to))
            return false;
    }
    return true;
}

static bool settle(struct finding *finding, const struct groups *groups, uint32_t group)
{
    for (uint32_t i = groups->first[group]; i < groups->first[group + 1]; i++) {
        uint32_t s = groups->items[i];
        assert(finding->missing[s] > 0 && "each counter of a step is settled once");
        if (--finding->missing[s] == 0 && !follow(finding, &finding->problem->steps.items[s]))
            return false;
    }
    return true;
}

static bool begin(struct finding *finding)
{
    const struct problem *problem = finding->problem;
    struct distances *distances = finding->distances;
    for (uint32_t i = 0; i < problem->control_count; i++) {
        distances->controls[i] = FARTHEST;
        if (i == problem->initial_control && !come_nearer(finding, &distances->controls[i], i, 0))
            return false;
    }
    for (uint32_t i = 0; i < problem->counter_count; i++) {
        uint32_t number = (uint32_t)problem->control_count + i;
        distances->counters[i] = FARTHEST;
        if (problem->initial[i] && !come_nearer(finding, &distances->counters[i], number, 0))
            return false;
    }
    for (size_t s = 0; s < problem->steps.length; s++) {
        const struct problem_step *step = &problem->steps.items[s];
        finding->missing[s] = step->take_count + (step->from != NET_NONE);
        if (!finding->missing[s] && !follow(finding, step))
            return false;
    }
    return true;
}

static bool find(struct finding *finding)
{
    const struct problem *problem = finding->problem;
    if (!begin(finding))
        return false;
    while (finding->queue.heap.length) {
        uint64_t to = finding->queue.heap.items[0].key;
        uint32_t number = queue_pop(&finding->queue);
        bool is_control = number < problem->control_count;
        uint32_t at = is_control ? number : number - (uint32_t)problem->control_count;
        const uint32_t *distance =
            is_control ? finding->distances->controls : finding->distances->counters;
        if (distance[at] == to && /* else it came nearer since, and has been settled */
            !settle(finding, is_control ? &problem->from : &problem->takes, at))
            return false;
    }
    return true;
}

bool distances_find(const struct problem *problem, enum distance_kind kind, struct arena *arena,
                    struct distances *distances)
{
    struct finding finding = {.problem = problem, .kind = kind, .distances = distances};
    size_t bytes = problem->steps.length * sizeof *finding.missing;
    distances->controls = arena_allocate(arena, problem->control_count * sizeof(uint32_t));
    distances->counters = arena_allocate(arena, problem->counter_count * sizeof(uint32_t));
    finding.missing = memory_allocate(arena->budget, bytes);
    queue_init(&finding.queue, arena->budget);
    bool good = distances->controls && distances->counters && finding.missing && find(&finding);
    queue_release(&finding.queue);
    memory_release(arena->budget, finding.missing, bytes);
    return good;
}
