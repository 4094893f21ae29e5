/* The general search: decides any part, in time exponential only in how many operations run at
 * once. docs/internals/search.md tells it at length, with the arguments for each pruning.
 *
 * It walks along the events of the part and keeps one configuration: (number of the next event,
 * state of the object, load). The load says which of the running operations have already taken
 * effect. An operation takes effect only when it must, just in time (Lowe, Concurrency and
 * Computation 2017): the walk goes on until it meets the response of an operation that has not
 * taken effect. Only there does it branch: some running operation takes effect next, that one
 * first. Depth first, so that an order is found soon if there are many; every configuration is
 * remembered (search_visited.h), so none is explored twice.
 *
 * Invariant: the trail holds the operations that have taken effect, in order. It is legal, respects
 * precedence, and has every operation whose response the walk has passed.
 *
 * - The key is not (set of all operations linearized, state), as in Wing and Gong's search with
 *   Lowe's memo: what responded has taken effect and what was not invoked has not, so the event
 *   number and a bit for each running operation say the same (Lee and Mathur, arXiv 2509.05586).
 * - Operations that change nothing are put into the order as soon as they are legal. This loses
 *   nothing: an order that has one later stays legal when it is moved here, as it changes nothing
 *   for those between.
 * - Of operations that do the same (same call, same result), the one that responds first goes
 *   first; of pending ones that do the same, the one invoked first. Any other order is one of these
 *   with the alike exchanged.
 * - A pending operation that would leave the state as it is, is left out. */
#include "monitor/decision.h"

#include <assert.h>
#include <string.h>

#include "monitor/search_ahead.h"
#include "monitor/search_plan.h"
#include "monitor/search_queue.h"
#include "monitor/search_registers.h"
#include "monitor/search_stuck.h"
#include "monitor/search_transitions.h"
#include "monitor/search_visited.h"

#define WORD_BITS  64
#define TICKS_MOST 4096 /* steps, of about 10 to 100 ns, between two looks at the limits */

/* Configurations that are explored to explain a violation found by looking ahead, and two for each
 * operation, so that at least one order is followed to its end. */
#define ENDS_MOST 20000

/* What may take effect next: a completed operation, as the position of its response, or a pending
 * one, as its lane. In this order are they tried. */
#define CANDIDATE_NONE 0u /* position 0 is no response */
#define CANDIDATE_LANE ((uint32_t)1 << 31)

/* Candidates that let the due operation take effect right after them come first. */
enum pass {
    PASS_ENABLING,
    PASS_OTHERS,
    PASS_ALL, /* the due operation is legal: no need to look for others */
};

/* A configuration at which the search may try something else. */
struct frame {
    uint32_t event, state;
    uint32_t trail; /* its length */
    uint32_t candidate;
    uint32_t outcome; /* next outcome of the candidate */
    uint8_t pass;
    bool extended; /* some operation could take effect */
};

struct search {
    const struct part *part;
    struct limits *limits;
    struct plan plan;
    struct unseen unseen;
    struct transitions transitions;
    struct visited visited;
    struct ahead ahead;
    struct registers registers;
    struct stuck_list stuck;

    /* The configuration. */
    uint32_t event, state;
    uint64_t *load;

    /* What follows from its event. */
    uint64_t *running;   /* slots in use */
    uint32_t *occupants; /* operation of each slot in use */
    uint32_t *available; /* pending operations invoked, by lane */

    uint32_t *trail;
    uint32_t trail_length;
    VECTOR(struct frame) frames;
    VECTOR(uint64_t) loads; /* of the frames */
    uint32_t *scratch;      /* room for an operation of every slot */

    uint64_t explored, most_explored;
    uint32_t ticks;
    bool stopped; /* by a limit or a refused allocation */
    bool cut;     /* hopeless configurations were left alone */
};

/* ---- Bits ---- */

static bool bit_get(const uint64_t *words, uint32_t bit)
{
    return words[bit / WORD_BITS] >> bit % WORD_BITS & 1;
}

static void bit_set(uint64_t *words, uint32_t bit)
{
    words[bit / WORD_BITS] |= (uint64_t)1 << bit % WORD_BITS;
}

static void bit_clear(uint64_t *words, uint32_t bit)
{
    words[bit / WORD_BITS] &= ~((uint64_t)1 << bit % WORD_BITS);
}

/* ---- Taking effect ---- */

static transition step(struct search *search, uint32_t state, uint32_t class)
{
    transition to = transitions_step(&search->transitions, state, class);
    if (UNLIKELY(to == TRANSITION_REFUSED)) {
        search->stopped = true;
        to = TRANSITION_ILLEGAL;
    }
    return to;
}

static bool is_legal(struct search *search, uint32_t state, uint32_t operation)
{
    return step(search, state, search->plan.operations[operation].class) != TRANSITION_ILLEGAL;
}

static void put_into_order(struct search *search, uint32_t operation)
{
    assert(search->trail_length < search->part->count);
    search->trail[search->trail_length++] = operation;
}

/* Puts a running operation that changes nothing into the order if it is legal. */
static void settle(struct search *search, uint32_t operation)
{
    if (!is_legal(search, search->state, operation))
        return;
    bit_set(search->load, search->plan.operations[operation].slot);
    put_into_order(search, operation);
}

static void settle_all(struct search *search)
{
    const struct load_shape *shape = &search->plan.shape;
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running[i] & shape->reads[i] & ~search->load[i];
        for (; waiting; waiting &= waiting - 1)
            settle(search, search->occupants[i * WORD_BITS + (uint32_t)__builtin_ctzll(waiting)]);
    }
}

/* The operation that a candidate stands for. */
static uint32_t operation_of(const struct search *search, uint32_t candidate)
{
    if (candidate < CANDIDATE_LANE)
        return search->plan.events[candidate] / 2;
    const struct lane *lane = &search->plan.lanes.items[candidate - CANDIDATE_LANE];
    return search->plan.pending[lane->first + lane_used(lane, search->load)];
}

static void take_effect(struct search *search, uint32_t candidate, uint32_t state)
{
    put_into_order(search, operation_of(search, candidate));
    if (candidate < CANDIDATE_LANE) {
        bit_set(search->load, search->plan.operations[search->plan.events[candidate] / 2].slot);
    } else {
        const struct lane *lane = &search->plan.lanes.items[candidate - CANDIDATE_LANE];
        search->load[lane->word] += (uint64_t)1 << lane->shift;
    }
    if (state != search->state) {
        search->state = state;
        settle_all(search);
    }
}

/* ---- Walking ---- */

/* Walks to the next response of an operation that has not taken effect; true at the end. */
static bool walk_on(struct search *search)
{
    const struct plan *plan = &search->plan;
    for (; search->event < plan->event_count; search->event++) {
        uint32_t operation = plan->events[search->event] / 2;
        uint32_t slot = plan->operations[operation].slot;
        if (plan->events[search->event] & 1) {
            if (!bit_get(search->load, slot))
                return false;
            bit_clear(search->load, slot);
            bit_clear(search->running, slot);
        } else if (search->part->intervals[operation].response != POSITION_NEVER) {
            bit_set(search->running, slot);
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
    while (search->event > event) {
        uint32_t operation = plan->events[--search->event] / 2;
        uint32_t slot = plan->operations[operation].slot;
        if (plan->events[search->event] & 1) {
            bit_set(search->running, slot);
            search->occupants[slot] = operation;
        } else if (search->part->intervals[operation].response != POSITION_NEVER) {
            bit_clear(search->running, slot);
        } else if (slot != PLANNED_SKIP) {
            search->available[slot]--;
        }
        search->ticks++;
    }
}

static bool push_frame(struct search *search)
{
    size_t width = search->plan.shape.width, used = search->frames.length * width;
    uint32_t due = search->plan.events[search->event] / 2;
    bool enabled = is_legal(search, search->state, due);
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

/* Makes the frame's configuration the current one again. */
static void return_to(struct search *search, size_t depth)
{
    const struct frame *frame = &search->frames.items[depth];
    size_t width = search->plan.shape.width;
    if (!stuck_put_aside(&search->stuck, search->trail, frame->trail))
        search->stopped = true;
    if (search->registers.applies)
        registers_cut(&search->registers, frame->trail);
    walk_back(search, frame->event);
    search->state = frame->state;
    search->trail_length = frame->trail;
    memcpy(search->load, search->loads.items + depth * width, width * sizeof(uint64_t));
}

/* ---- Candidates ---- */

/* Another running operation of the same class that responds before `response`: it goes first. */
static bool has_elder(const struct search *search, uint32_t class, uint32_t response)
{
    const struct load_shape *shape = &search->plan.shape;
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running[i] & shape->effects[i] & ~search->load[i];
        for (; waiting; waiting &= waiting - 1) {
            uint32_t other = search->occupants[i * WORD_BITS + (uint32_t)__builtin_ctzll(waiting)];
            if (search->plan.operations[other].class == class &&
                search->part->intervals[other].response < response)
                return true;
        }
    }
    return false;
}

/* The first response after `after` of a running operation that may change the state and has not
 * taken effect; POSITION_NEVER if there is none. */
static uint32_t next_response(struct search *search, uint32_t after)
{
    const struct load_shape *shape = &search->plan.shape;
    uint32_t first = POSITION_NEVER;
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running[i] & shape->effects[i] & ~search->load[i];
        for (; waiting; waiting &= waiting - 1) {
            uint32_t operation =
                search->occupants[i * WORD_BITS + (uint32_t)__builtin_ctzll(waiting)];
            uint32_t response = search->part->intervals[operation].response;
            if (response > after && response < first)
                first = response;
            search->ticks++;
        }
    }
    return first;
}

/* Moves the frame to its next candidate; false if there is none. */
static bool next_candidate(struct search *search, struct frame *frame)
{
    frame->outcome = 0;
    while (frame->candidate < CANDIDATE_LANE) {
        uint32_t response = next_response(search, frame->candidate);
        if (response == POSITION_NEVER) {
            frame->candidate = CANDIDATE_LANE - 1; /* the lanes follow */
            break;
        }
        frame->candidate = response;
        uint32_t operation = search->plan.events[response] / 2;
        if (!has_elder(search, search->plan.operations[operation].class, response))
            return true;
    }
    uint32_t lane_count = (uint32_t)search->plan.lanes.length;
    for (uint32_t i = frame->candidate + 1 - CANDIDATE_LANE; i < lane_count; i++) {
        search->ticks++;
        const struct lane *lane = &search->plan.lanes.items[i];
        if (lane_used(lane, search->load) < search->available[i]) {
            frame->candidate = CANDIDATE_LANE + i;
            return true;
        }
    }
    return false;
}

/* Whether this pass of the frame tries a candidate's outcome. */
static bool is_wanted(struct search *search, const struct frame *frame, uint32_t state)
{
    if (frame->candidate >= CANDIDATE_LANE && state == frame->state)
        return false;
    if (frame->pass == PASS_ALL)
        return true;
    bool enabling = is_legal(search, state, search->plan.events[frame->event] / 2);
    return enabling == (frame->pass == PASS_ENABLING);
}

/* Moves the frame to its next candidate and outcome: the state after it. False if there is none. */
static bool next_outcome(struct search *search, struct frame *frame, uint32_t *state)
{
    for (; !search->stopped; search->ticks++) {
        if (frame->candidate != CANDIDATE_NONE) {
            uint32_t operation = operation_of(search, frame->candidate);
            transition to = step(search, frame->state, search->plan.operations[operation].class);
            while (frame->outcome < transition_count(&search->transitions, to)) {
                *state = transition_state(&search->transitions, to, frame->outcome++);
                if (is_wanted(search, frame, *state))
                    return true;
            }
        }
        if (next_candidate(search, frame))
            continue;
        if (frame->pass != PASS_ENABLING)
            return false;
        frame->pass = PASS_OTHERS;
        frame->candidate = CANDIDATE_NONE;
    }
    return false;
}

/* ---- The search ---- */

static bool within_limits(struct search *search)
{
    if (search->ticks < TICKS_MOST)
        return true;
    atomic_fetch_add_explicit(&search->limits->work, search->ticks, memory_order_relaxed);
    search->ticks = 0;
    return limits_reached(search->limits) == LIMIT_NONE;
}

/* No operation can follow at the current configuration. */
static bool note_stuck(struct search *search)
{
    if (!stuck_is_wanted(&search->stuck, search->event, search->trail_length))
        return true;
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->plan.shape.width; i++) {
        uint64_t waiting = search->running[i] & ~search->load[i];
        for (; waiting; waiting &= waiting - 1)
            search->scratch[count++] =
                search->occupants[i * WORD_BITS + (uint32_t)__builtin_ctzll(waiting)];
    }
    return stuck_keep(&search->stuck, search->event, search->state, search->trail_length,
                      search->scratch, count);
}

static bool is_hopeless(struct search *search)
{
    if (search->registers.applies) {
        uint64_t work = search->registers.work;
        enum outlook outlook = registers_look(&search->registers, search->event, search->load,
                                              search->trail, search->trail_length);
        search->ticks += (uint32_t)(search->registers.work - work);
        search->stopped |= outlook == OUTLOOK_REFUSED;
        return outlook == OUTLOOK_HOPELESS;
    }
    if (!search->ahead.applies)
        return false;
    size_t length;
    const uint64_t *words = transitions_words(&search->transitions, search->state, &length);
    search->stopped |= !words;
    search->ticks += (uint32_t)length;
    return words && ahead_is_hopeless(&search->ahead, search->event, search->load, words, length);
}

/* The walk has met a response that is due. Remembers the configuration, and makes it one to branch
 * at unless nothing new can come of it. */
static bool arrive(struct search *search)
{
    enum visit visit = visited_meet(&search->visited, search->event, search->state, search->load);
    if (visit == VISIT_COVERED)
        return true;
    if (search->frames.length > 0)
        search->frames.items[search->frames.length - 1].extended = true;
    search->explored++;
    if (visit == VISIT_NEW && is_hopeless(search)) {
        search->cut = true;
        return true;
    }
    return visit == VISIT_NEW && push_frame(search);
}

/* Goes back to the last frame that has something left to try, and tries it. False if none has. */
static bool try_next(struct search *search)
{
    while (search->frames.length > 0 && !search->stopped) {
        size_t depth = search->frames.length - 1;
        struct frame *frame = &search->frames.items[depth];
        uint32_t state;
        return_to(search, depth);
        if (next_outcome(search, frame, &state)) {
            frame->extended |= frame->candidate < CANDIDATE_LANE;
            take_effect(search, frame->candidate, state);
            return true;
        }
        if (!frame->extended && !search->stopped && !note_stuck(search))
            search->stopped = true;
        search->frames.length--;
    }
    return false;
}

/* True when the trail is a linearization; false when there is none, if stopped, or when the most
 * was explored. */
static bool explore(struct search *search)
{
    while (!search->stopped && search->explored < search->most_explored) {
        if (walk_on(search))
            return !search->stopped;
        if (!arrive(search) || !within_limits(search))
            search->stopped = true;
        else if (!try_next(search))
            break;
    }
    return false;
}

static bool search_create(struct search *search, const struct part *part, struct limits *limits)
{
    struct budget *budget = limits->budget;
    *search = (struct search){.part = part, .limits = limits, .most_explored = UINT64_MAX};
    vector_init(&search->frames, budget);
    vector_init(&search->loads, budget);
    stuck_init(&search->stuck, budget);
    bool fine = unseen_init(&search->unseen, part, budget);
    fine = transitions_init(&search->transitions, part->spec, &search->unseen, budget) && fine;
    fine = plan_create(&search->plan, part, &search->transitions, budget) && fine;
    if (!fine || !visited_init(&search->visited, &search->plan.shape, budget) ||
        !ahead_init(&search->ahead, &search->plan, budget) ||
        !registers_init(&search->registers, &search->plan, limits))
        return false;
    const struct plan *plan = &search->plan;
    size_t slots = (size_t)plan->slots + plan->read_slots;
    search->load = memory_zeroed(budget, plan->shape.width * sizeof(uint64_t));
    search->running = memory_zeroed(budget, plan->shape.width * sizeof(uint64_t));
    search->occupants = memory_allocate(budget, slots * sizeof(uint32_t));
    search->scratch = memory_allocate(budget, slots * sizeof(uint32_t));
    search->available = memory_zeroed(budget, plan->lanes.length * sizeof(uint32_t));
    search->trail = memory_allocate(budget, part->count * sizeof(uint32_t));
    if (!search->load || !search->running || !search->occupants || !search->scratch ||
        !search->available || !search->trail)
        return false;
    search->state = transitions_initial(&search->transitions, part->key);
    return search->state != WORDS_REFUSED;
}

static void search_release(struct search *search)
{
    struct budget *budget = search->limits->budget;
    const struct plan *plan = &search->plan;
    size_t slots = (size_t)plan->slots + plan->read_slots;
    memory_release(budget, search->load, plan->shape.width * sizeof(uint64_t));
    memory_release(budget, search->running, plan->shape.width * sizeof(uint64_t));
    memory_release(budget, search->occupants, slots * sizeof(uint32_t));
    memory_release(budget, search->scratch, slots * sizeof(uint32_t));
    memory_release(budget, search->available, plan->lanes.length * sizeof(uint32_t));
    memory_release(budget, search->trail, search->part->count * sizeof(uint32_t));
    vector_release(&search->frames);
    vector_release(&search->loads);
    stuck_release(&search->stuck);
    visited_release(&search->visited);
    ahead_release(&search->ahead);
    registers_release(&search->registers);
    plan_release(&search->plan);
    transitions_release(&search->transitions);
    unseen_release(&search->unseen);
}

static bool report_linearization(const struct search *search, struct decision *decision)
{
    decision->verdict = VERDICT_LINEARIZABLE;
    if (!vector_reserve(&decision->linearization, search->trail_length))
        return false;
    if (search->trail_length)
        memcpy(decision->linearization.items, search->trail,
               search->trail_length * sizeof(uint32_t));
    decision->linearization.length = search->trail_length;
    return true;
}

static bool report_violation(struct search *search, struct decision *decision)
{
    decision->verdict = VERDICT_VIOLATION;
    return stuck_put_aside(&search->stuck, search->trail, 0) &&
           stuck_report(&search->stuck, &search->plan, &search->transitions,
                        search->explored < search->most_explored, decision);
}

/* The violation is known before orders were followed to their ends. Goes there in a fresh search,
 * to see what to say of it: as far as the most that is explored for it. False when refused. */
static bool explore_ends(struct search *search, uint64_t explored)
{
    search->ahead.applies = search->registers.applies = false;
    search->most_explored = 2 * (uint64_t)search->part->count + ENDS_MOST;
    bool found = explore(search);
    assert(!found);
    (void)found;
    search->most_explored += explored;
    search->explored += explored;
    return !search->stopped;
}

/* Starts again with explore_ends. */
static bool restart_for_ends(struct search *search)
{
    uint64_t explored = search->explored;
    const struct part *part = search->part;
    struct limits *limits = search->limits;
    search_release(search);
    return search_create(search, part, limits) && explore_ends(search, explored);
}

/* The general search; with `violation` only what there is to say of one. True if decided. */
static bool decide_along_time(const struct part *part, struct limits *limits, bool violation,
                              struct decision *decision)
{
    struct search search;
    bool decided = false, found = false;
    if (search_create(&search, part, limits)) {
        if (violation)
            search.stopped = !explore_ends(&search, decision->explored);
        else
            found = explore(&search);
        if (!found && !search.stopped && search.cut && !restart_for_ends(&search))
            search.stopped = true;
        decision->explored = search.explored;
        decision->furthest = stuck_length(&search.stuck, search.trail_length);
        if (!search.stopped)
            decided = found ? report_linearization(&search, decision)
                            : report_violation(&search, decision);
    }
    search_release(&search);
    return decided;
}

enum status search_decide(const struct part *part, struct limits *limits, struct decision *decision,
                          struct error *error)
{
    (void)error;
    decision_clear(decision);
    enum queue_found queue = queue_search(part, limits, decision);
    bool decided = queue == QUEUE_FOUND_ORDER;
    if (queue == QUEUE_FOUND_NONE || queue == QUEUE_NOT_SEARCHED)
        decided = decide_along_time(part, limits, queue == QUEUE_FOUND_NONE, decision);
    return decided ? STATUS_OK : decision_limit(decision, limits);
}
