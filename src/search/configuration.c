#include "search/configuration.h"

#include <assert.h>
#include <string.h>

/* ---- Taking effect ---- */

/* Each set begins an operation or ends one. */
static size_t trail_room(const struct part *part)
{
    const size_t most = part->spec->class->is_open ? 2 * SPEC_MOST_TOGETHER : 1;
    return part->count * most;
}

bool search_is_open(struct search *search, uint32_t operation)
{
    const struct spec *spec = search->part->spec;
    size_t length;
    if (!spec->class->is_open)
        return false;
    const uint64_t *words = transitions_words(&search->transitions, search->state, &length);
    search->stopped |= !words;
    return words &&
           spec_is_open(spec, words, length, search->part->intervals[operation].call.number);
}

uint64_t search_waiting(struct search *search, uint32_t i)
{
    uint64_t waiting = search->running.words[i] & ~search->load[i];
    uint64_t begun = search->part->spec->class->is_open ? search->running.words[i] & ~waiting : 0;
    while (begun) {
        const unsigned bit = bits_take(&begun);
        if (search_is_open(search, search->occupants[i * WORD_BITS + bit]))
            waiting |= (uint64_t)1 << bit;
    }
    return waiting;
}

static void put_into_order(struct search *search, uint32_t operation)
{
    assert(search->trail_length < trail_room(search->part));
    search->trail[search->trail_length++] = operation;
}

static void put_into_load(struct search *search, uint32_t operation)
{
    uint32_t slot = search->plan.operations[operation].slot;
    search->load[slot / WORD_BITS] |= bit_of(slot);
}

/* Puts a running operation that changes nothing into the order if it is legal. */
static void settle(struct search *search, uint32_t operation)
{
    if (!search_is_legal(search, search->state, operation))
        return;
    put_into_load(search, operation);
    put_into_order(search, operation);
}

static void settle_all(struct search *search)
{
    const struct load_shape *shape = &search->plan.shape;
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running.words[i] & shape->reads[i] & ~search->load[i];
        while (waiting)
            settle(search, search->occupants[i * WORD_BITS + bits_take(&waiting)]);
    }
}

void search_take_effect(struct search *search, uint32_t candidate, uint32_t state)
{
    put_into_order(search, search_operation_of(search, candidate));
    if (candidate < CANDIDATE_LANE) {
        put_into_load(search, search->plan.events[candidate] / 2);
    } else {
        const struct lane *lane = &search->plan.lanes.items[candidate - CANDIDATE_LANE];
        if (lane_used(lane, search->load) < lane->count)
            search->load[lane->word] += (uint64_t)1 << lane->shift;
    }
    if (state != search->state) {
        search->state = state;
        settle_all(search);
    }
}

/* ---- Walking ---- */

/* Whether a set of operations that takes effect together has begun and is not complete. */
static bool is_gathering(struct search *search)
{
    const struct spec *spec = search->part->spec;
    size_t length;
    if (!spec->class->together_count)
        return false;
    const uint64_t *words = transitions_words(&search->transitions, search->state, &length);
    search->stopped |= !words;
    return words && spec_gathered(spec, words, length) > 0;
}

bool search_walk_on(struct search *search)
{
    const struct plan *plan = &search->plan;
    if (is_gathering(search)) /* all its members run now */
        return false;
    for (; search->event < plan->event_count; search->event++) {
        uint32_t operation = plan->events[search->event] / 2;
        uint32_t slot = plan->operations[operation].slot;
        if (plan->events[search->event] & 1) {
            if (!load_has(search->load, slot) || search_is_open(search, operation))
                return false;
            search->load[slot / WORD_BITS] &= ~bit_of(slot);
            bits_clear(search->running, slot);
        } else if (search->part->intervals[operation].response != POSITION_NEVER) {
            bits_set(search->running, slot);
            search->occupants[slot] = operation;
            if (search->part->intervals[operation].call.read_only)
                settle(search, operation);
        } else if (slot != PLANNED_SKIP) {
            search->available[slot]++;
        }
        search->ticks++;
    }
    return true;
}

/* Walks back to `event`; the load is the caller's to restore. */
static void walk_back(struct search *search, uint32_t event)
{
    const struct plan *plan = &search->plan;
    assert(event <= search->event);
    while (search->event > event) {
        uint32_t operation = plan->events[--search->event] / 2;
        uint32_t slot = plan->operations[operation].slot;
        if (plan->events[search->event] & 1) {
            bits_set(search->running, slot);
            search->occupants[slot] = operation;
        } else if (search->part->intervals[operation].response != POSITION_NEVER) {
            bits_clear(search->running, slot);
        } else if (slot != PLANNED_SKIP) {
            search->available[slot]--;
        }
        search->ticks++;
    }
}

bool search_push_frame(struct search *search)
{
    size_t width = search->plan.shape.width, used = search->frames.length * width;
    uint32_t due = search->plan.events[search->event] / 2;
    bool enabled = search_is_legal(search, search->state, due);
    struct frame frame = {.event = search->event,
                          .state = search->state,
                          .trail = search->trail_length,
                          .candidate = CANDIDATE_NONE,
                          .pass = enabled ? PASS_ALL : PASS_ENABLING};
    if (!vector_reserve(&search->loads, used + width) || !vector_push(&search->frames, frame))
        return false;
    memcpy(search->loads.items + used, search->load, width * sizeof(uint64_t));
    return true;
}

void search_return_to(struct search *search, size_t depth)
{
    const struct frame *frame = &search->frames.items[depth];
    size_t width = search->plan.shape.width;
    assert(frame->trail <= search->trail_length && frame->event <= search->event);
    if (!dead_ends_put_aside(&search->dead_ends, search->trail, frame->trail))
        search->stopped = true;
    if (search->registers.applies)
        register_lookahead_cut(&search->registers, frame->trail);
    walk_back(search, frame->event);
    search->state = frame->state;
    search->trail_length = frame->trail;
    memcpy(search->load, search->loads.items + depth * width, width * sizeof(uint64_t));
}

/* ---- Beginning and end ---- */

bool search_create(struct search *search, const struct part *part, struct limits *limits)
{
    struct budget *budget = limits->budget;
    *search = (struct search){.part = part, .limits = limits, .most_explored = UINT64_MAX};
    vectors_init(budget, &search->frames, &search->loads);
    dead_ends_init(&search->dead_ends, budget);
    bool fine = unobservable_init(&search->unobservable, part, budget);
    fine =
        transitions_init(&search->transitions, part->spec, &search->unobservable, budget) && fine;
    search->transitions.outcomes.limits = limits;
    fine = plan_create(&search->plan, part, &search->transitions, budget) && fine;
    if (!fine || !visited_init(&search->visited, &search->plan.shape, budget) ||
        !queue_lookahead_init(&search->ahead, &search->plan, budget) ||
        !register_lookahead_init(&search->registers, &search->plan, limits))
        return false;
    const struct plan *plan = &search->plan;
    size_t slots = (size_t)plan->slots + plan->read_slots;
    search->load = memory_zeroed(budget, plan->shape.width * sizeof(uint64_t));
    search->running = bits_allocate(budget, plan->shape.width * WORD_BITS);
    search->occupants = memory_allocate(budget, slots * sizeof(uint32_t));
    search->scratch = memory_allocate(budget, slots * sizeof(uint32_t));
    search->available = memory_zeroed(budget, plan->lanes.length * sizeof(uint32_t));
    search->trail = memory_allocate(budget, trail_room(part) * sizeof(uint32_t));
    if (!search->load || !search->running.words || !search->occupants || !search->scratch ||
        !search->available || !search->trail)
        return false;
    search->state = transitions_initial(&search->transitions, part->key);
    return search->state != ARRAY_REFUSED;
}

void search_release(struct search *search)
{
    struct budget *budget = search->limits->budget;
    const struct plan *plan = &search->plan;
    size_t slots = (size_t)plan->slots + plan->read_slots;
    memory_release(budget, search->load, plan->shape.width * sizeof(uint64_t));
    bits_release(budget, search->running);
    memory_release(budget, search->occupants, slots * sizeof(uint32_t));
    memory_release(budget, search->scratch, slots * sizeof(uint32_t));
    memory_release(budget, search->available, plan->lanes.length * sizeof(uint32_t));
    memory_release(budget, search->trail, trail_room(search->part) * sizeof(uint32_t));
    vectors_release(&search->frames, &search->loads);
    dead_ends_release(&search->dead_ends);
    visited_release(&search->visited);
    queue_lookahead_release(&search->ahead);
    register_lookahead_release(&search->registers);
    plan_release(&search->plan);
    transitions_release(&search->transitions);
    unobservable_release(&search->unobservable);
}

bool search_report(const struct search *search, struct decision *decision)
{
    return decision_linearize(decision, search->trail, search->trail_length);
}
