#include "search/plan.h"

#include <assert.h>

static bool is_pending(const struct interval *interval)
{
    return interval->response == POSITION_NEVER;
}

/* Allocates what has a place for every operation. */
static bool allocate(struct plan *plan)
{
    const struct part *part = plan->part;
    plan->operations = memory_allocate(plan->budget, part->count * sizeof *plan->operations);
    plan->events = memory_allocate(plan->budget, part->positions * sizeof *plan->events);
    plan->pending = memory_allocate(plan->budget, part->pending * sizeof *plan->pending);
    return plan->operations && plan->events && plan->pending;
}

/* Nothing behind the last response has to happen, so nothing behind it matters. */
static void order_events(struct plan *plan)
{
    const struct part *part = plan->part;
    uint32_t last = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct interval *interval = &part->intervals[i];
        plan->events[interval->invoke] = 2 * i;
        if (is_pending(interval))
            continue;
        plan->events[interval->response] = 2 * i + 1;
        if (interval->response >= last)
            last = interval->response + 1;
    }
    plan->event_count = last;
}

/* A pending operation that changes no state need not happen: whatever follows it is as legal
 * without it. */
static bool is_needless(const struct plan *plan, const struct interval *interval)
{
    return is_pending(interval) &&
           (interval->call.read_only || interval->invoke >= plan->event_count);
}

static bool classify(struct plan *plan, struct transitions *transitions)
{
    const struct part *part = plan->part;
    for (uint32_t i = 0; i < part->count; i++) {
        struct planned *planned = &plan->operations[i];
        *planned = (struct planned){.slot = PLANNED_SKIP};
        if (is_needless(plan, &part->intervals[i]))
            continue;
        planned->class = transitions_class(transitions, &part->intervals[i].call);
        if (planned->class == CLASS_REFUSED)
            return false;
        planned->slot = 0;
        plan->pending_count += is_pending(&part->intervals[i]);
    }
    return true;
}

/* Gives every completed operation the slot of its kind that became free last. */
static bool assign_slots(struct plan *plan)
{
    const struct part *part = plan->part;
    VECTOR(uint32_t) unused[2];
    uint32_t slots[2] = {0, 0};
    vectors_init(plan->budget, &unused[0], &unused[1]);
    bool fine = true;
    for (uint32_t e = 0; e < plan->event_count && fine; e++) {
        uint32_t operation = plan->events[e] / 2;
        struct planned *planned = &plan->operations[operation];
        bool read = part->intervals[operation].call.read_only;
        if (is_pending(&part->intervals[operation]))
            continue;
        if (plan->events[e] & 1)
            fine = vector_push(&unused[read], planned->slot);
        else
            planned->slot =
                unused[read].length ? unused[read].items[--unused[read].length] : slots[read]++;
    }
    vectors_release(&unused[0], &unused[1]);
    plan->slots = slots[0];
    plan->read_slots = slots[1];
    for (uint32_t i = 0; i < part->count; i++)
        if (part->intervals[i].call.read_only && !is_pending(&part->intervals[i]))
            plan->operations[i].slot += plan->slots;
    return fine;
}

static uint8_t bits_for(uint32_t count)
{
    uint8_t bits = 1;
    while (count >> bits)
        bits++;
    return bits;
}

/* Places the lanes behind the slots, and says how wide a load is. */
static void place_lanes(struct plan *plan)
{
    uint32_t slots = plan->slots + plan->read_slots, first = 0;
    uint32_t word = slots / WORD_BITS, bit = slots % WORD_BITS;
    for (size_t i = 0; i < plan->lanes.length; i++) {
        struct lane *lane = &plan->lanes.items[i];
        lane->bits = bits_for(lane->count);
        if (bit + lane->bits + 1 > WORD_BITS) {
            word++;
            bit = 0;
        }
        assert(bit + lane->bits + 1u <= WORD_BITS && "no lane straddles two words");
        lane->word = word;
        lane->shift = (uint8_t)bit;
        bit += lane->bits + 1u;
        lane->first = first;
        first += lane->count;
    }
    plan->shape.width = word + (bit > 0);
    if (plan->shape.width == 0)
        plan->shape.width = 1;
}

static bool shape_loads(struct plan *plan)
{
    struct load_shape *shape = &plan->shape;
    size_t width = shape->width;
    shape->effects = memory_zeroed(plan->budget, 4 * width * sizeof(uint64_t));
    if (!shape->effects)
        return false;
    shape->reads = shape->effects + width;
    shape->lanes = shape->reads + width;
    shape->guards = shape->lanes + width;
    for (uint32_t i = 0; i < plan->slots + plan->read_slots; i++) {
        uint64_t *kind = i < plan->slots ? shape->effects : shape->reads;
        kind[i / WORD_BITS] |= bit_of(i);
    }
    for (size_t i = 0; i < plan->lanes.length; i++) {
        const struct lane *lane = &plan->lanes.items[i];
        shape->lanes[lane->word] |= (((uint64_t)1 << lane->bits) - 1) << lane->shift;
        shape->guards[lane->word] |= (uint64_t)1 << (lane->shift + lane->bits);
    }
    return true;
}

/* Lists the operations of every lane; `first` serves as the place of the next one meanwhile. */
static void fill_lanes(struct plan *plan)
{
    for (uint32_t i = 0; i < plan->part->count; i++) {
        const struct planned *planned = &plan->operations[i];
        if (planned->slot != PLANNED_SKIP && is_pending(&plan->part->intervals[i]))
            plan->pending[plan->lanes.items[planned->slot].first++] = i;
    }
    for (size_t i = 0; i < plan->lanes.length; i++)
        plan->lanes.items[i].first -= plan->lanes.items[i].count;
}

/* One lane for each class of pending operations. */
static bool assign_lanes(struct plan *plan, size_t class_count)
{
    const struct part *part = plan->part;
    if (plan->pending_count == 0)
        return true;
    uint32_t *lane_of = memory_zeroed(plan->budget, class_count * sizeof *lane_of);
    bool fine = lane_of != NULL;
    for (uint32_t i = 0; i < part->count && fine; i++) {
        struct planned *planned = &plan->operations[i];
        if (planned->slot == PLANNED_SKIP || !is_pending(&part->intervals[i]))
            continue;
        if (!lane_of[planned->class]) {
            fine = vector_push(&plan->lanes, (struct lane){.class = planned->class});
            lane_of[planned->class] = (uint32_t)plan->lanes.length;
        }
        planned->slot = lane_of[planned->class] - 1;
        if (fine)
            plan->lanes.items[planned->slot].count++;
    }
    memory_release(plan->budget, lane_of, class_count * sizeof *lane_of);
    return fine;
}

bool plan_create(struct plan *plan, const struct part *part, struct transitions *transitions,
                 struct budget *budget)
{
    assert(part->positions == 2 * part->count - part->pending);
    *plan = (struct plan){.part = part, .budget = budget};
    vector_init(&plan->lanes, budget);
    if (!allocate(plan))
        return false;
    order_events(plan);
    if (!classify(plan, transitions) || !assign_slots(plan) ||
        !assign_lanes(plan, transitions->classes.length))
        return false;
    place_lanes(plan);
    fill_lanes(plan);
    return shape_loads(plan);
}

void plan_release(struct plan *plan)
{
    const struct part *part = plan->part;
    memory_release(plan->budget, plan->operations, part->count * sizeof *plan->operations);
    memory_release(plan->budget, plan->events, part->positions * sizeof *plan->events);
    memory_release(plan->budget, plan->pending, part->pending * sizeof *plan->pending);
    memory_release(plan->budget, plan->shape.effects, 4 * plan->shape.width * sizeof(uint64_t));
    vector_release(&plan->lanes);
}
