/* The general search: decides any part, in time exponential only in how many operations run at
 * once. docs/internals/search.md tells it at length, with the arguments for each pruning.
 *
 * It walks along the events of the part and keeps one configuration: (number of the next event,
 * state of the object, load). The load says which of the running operations have already taken
 * effect. An operation takes effect only when it must, just in time (Lowe, Concurrency and
 * Computation 2017): the walk goes on until it meets the response of an operation that has not
 * taken effect. Only there does it branch: some running operation takes effect next, that one
 * first. Depth first, so that an order is found soon if there are many; every configuration is
 * remembered (search/visited.h), so none is explored twice.
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
 * - A pending operation that would leave the state as it is, is left out; and so is one if what
 *   follows at once leads to the same state without it.
 * - Operations that take effect together follow one another in the trail. The walk stays at its
 *   event from the first to the last of them, so that all of them run there. What else is said here
 *   of orders holds of such sets too: of operations that do the same, each may have the other's
 *   place in its set, for both run there; and what only reads is a member of none.
 * - An operation that stays open is in the trail several times, once for each set that it takes
 * part in. Until it is open no more it is a candidate again, and the walk does not pass its
 * response. Steps are put off as long as any: at a response that is due those are taken that have
 * to come before it, and what begins in them has been invoked by then, for the order respects
 * precedence (the operation that is due ends behind their beginning). */
#include "search/search.h"

#include <assert.h>

#include "base/faults.h"
#include "base/log.h"
#include "search/configuration.h"
#include "search/queue_search.h"
#include "search/read_guided.h"

/* Configurations that are explored to explain a violation found by looking ahead, and two for each
 * operation, so that at least one order is followed to its end. */
#define ENDS_MOST 20000

/* Configurations, and for each operation, after which a search led by the reads is tried. */
#define UNLED_MOST          SIZE_OR_SMALL(20000, 2)
#define UNLED_PER_OPERATION 4

/* ---- Candidates ---- */

/* Another running operation of the same class that responds before `response`: it goes first. */
static bool has_elder(struct search *search, uint32_t class, uint32_t response)
{
    const struct load_shape *shape = &search->plan.shape;
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search_waiting(search, i) & shape->effects[i];
        while (waiting) {
            uint32_t other = search->occupants[i * WORD_BITS + bits_take(&waiting)];
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
        uint64_t waiting = search_waiting(search, i) & shape->effects[i];
        while (waiting) {
            uint32_t operation = search->occupants[i * WORD_BITS + bits_take(&waiting)];
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
        const uint32_t used = lane_used(lane, search->load);
        if (used < search->available[i] ||
            (used > 0 && search_is_open(search, search->plan.pending[lane->first + used - 1]))) {
            frame->candidate = CANDIDATE_LANE + i;
            return true;
        }
    }
    return false;
}

/* Whether a pending operation took effect just before for nothing: without it the candidate leads
 * from the frame before to the same state, too. */
static bool makes_vain(struct search *search, const struct frame *frame, uint32_t state)
{
    const struct spec_class *class = search->part->spec->class;
    if (search->frames.length < 2 || class->together_count || class->is_open)
        return false;
    const struct frame *before = frame - 1;
    assert(frame == &search->frames.items[search->frames.length - 1]);
    if (before->candidate < CANDIDATE_LANE || before->event != frame->event ||
        before->trail + 1 != frame->trail)
        return false;
    const uint32_t operation = search_operation_of(search, frame->candidate);
    const transition to =
        search_step(search, before->state, search->plan.operations[operation].class);
    for (uint32_t i = 0; i < transition_count(&search->transitions, to); i++)
        if (transition_state(&search->transitions, to, i) == state)
            return true;
    return false;
}

/* Whether this pass of the frame tries a candidate's outcome. */
static bool is_wanted(struct search *search, struct frame *frame, uint32_t state)
{
    if (frame->candidate >= CANDIDATE_LANE && state == frame->state)
        return false;
    if (makes_vain(search, frame, state)) {
        frame->extended |= frame->candidate < CANDIDATE_LANE; /* then it is no dead end */
        return false;
    }
    if (frame->pass == PASS_ALL)
        return true;
    bool enabling = search_is_legal(search, state, search->plan.events[frame->event] / 2);
    return enabling == (frame->pass == PASS_ENABLING);
}

/* Moves the frame to its next candidate and outcome: the state after it. False if there is none. */
static bool next_outcome(struct search *search, struct frame *frame, uint32_t *state)
{
    for (; !search->stopped; search->ticks++) {
        if (frame->candidate != CANDIDATE_NONE) {
            uint32_t operation = search_operation_of(search, frame->candidate);
            transition to =
                search_step(search, frame->state, search->plan.operations[operation].class);
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

/* No operation can follow at the current configuration. */
static bool note_dead_end(struct search *search)
{
    if (!dead_ends_is_wanted(&search->dead_ends, search->event, search->trail_length))
        return true;
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->plan.shape.width; i++) {
        uint64_t waiting = search_waiting(search, i);
        while (waiting)
            search->scratch[count++] = search->occupants[i * WORD_BITS + bits_take(&waiting)];
    }
    return dead_ends_keep(&search->dead_ends, search->event, search->state, search->trail_length,
                          search->scratch, count);
}

static bool is_hopeless(struct search *search)
{
    if (search->registers.applies) {
        uint64_t work = search->registers.work;
        enum outlook outlook = register_lookahead_look(
            &search->registers, search->event, search->load, search->trail, search->trail_length);
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
    return words &&
           queue_lookahead_is_hopeless(&search->ahead, search->event, search->load, words, length);
}

/* The walk has met a response that is due. Remembers the configuration, and makes it one to branch
 * at unless nothing new can come of it. */
static bool arrive(struct search *search)
{
    enum visit visit = visited_meet(&search->visited, search->event, search->state, search->load);
    if (visit == VISIT_DOMINATED)
        return true;
    if (search->frames.length > 0)
        search->frames.items[search->frames.length - 1].extended = true;
    search->explored++;
    if (visit == VISIT_NEW && is_hopeless(search)) {
        search->cut = true;
        return true;
    }
    return visit == VISIT_NEW && search_push_frame(search);
}

/* Goes back to the last frame that has something left to try, and tries it. False if none has. */
static bool try_next(struct search *search)
{
    while (search->frames.length > 0 && !search->stopped) {
        size_t depth = search->frames.length - 1;
        struct frame *frame = &search->frames.items[depth];
        uint32_t state;
        search_return_to(search, depth);
        if (next_outcome(search, frame, &state)) {
            frame->extended |= frame->candidate < CANDIDATE_LANE;
            search_take_effect(search, frame->candidate, state);
            return true;
        }
        if (!frame->extended && !search->stopped && !note_dead_end(search))
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
        if (search_walk_on(search))
            return !search->stopped;
        if (!arrive(search) || limits_work(search->limits, &search->ticks, TICKS_A_LOOK))
            search->stopped = true;
        else if (!try_next(search))
            break;
    }
    return false;
}

static bool report_violation(struct search *search, struct decision *decision)
{
    decision->verdict = VERDICT_VIOLATION;
    return dead_ends_put_aside(&search->dead_ends, search->trail, 0) &&
           dead_ends_report(&search->dead_ends, &search->plan, &search->transitions,
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

/* Explores for a while, then led by the reads, then on. True when an order was found and reported.
 */
static bool explore_with_guidance(struct search *search, struct decision *decision)
{
    search->most_explored = UNLED_MOST + UNLED_PER_OPERATION * (uint64_t)search->part->count;
    bool found = explore(search);
    bool paused = !found && !search->stopped && search->explored >= search->most_explored;
    search->most_explored = UINT64_MAX;
    if (paused && search->part->spec->class->together_count) {
        found = explore(search);
    } else if (paused) {
        enum guided_found guided = read_guided_search(search, decision);
        LOG(search->limits->log, "search: no order after %s states; guided by reads it finds %s",
            count_text(search->explored).digits, guided == GUIDED_FOUND_ORDER ? "one" : "none");
        if (guided == GUIDED_FOUND_ORDER)
            return true;
        search->stopped = guided == GUIDED_REFUSED;
        found = explore(search);
    }
    search->stopped |= found && !search_report(search, decision);
    return found && !search->stopped;
}

/* The general search; with `violation` only what there is to say of one. True if decided. */
static bool decide_along_time(const struct part *part, struct limits *limits, bool violation,
                              struct decision *decision)
{
    struct search search;
    bool decided = false;
    if (search_create(&search, part, limits)) {
        if (violation)
            search.stopped = !explore_ends(&search, 0);
        else
            decided = explore_with_guidance(&search, decision);
        if (!decided && !search.stopped && search.cut && !restart_for_ends(&search))
            search.stopped = true;
        decision->explored += search.explored;
        decision->furthest = stuck_length(&search.dead_ends, search.trail_length);
        decided = decided || (!search.stopped && report_violation(&search, decision));
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
