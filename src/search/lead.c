#include "search/lead.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/sums.h"

/* The most that is explored: so many configurations, and for each operation. */
#define EXPLORED_MOST          10000
#define EXPLORED_PER_OPERATION 60

/* What is tried at a frame of the search: in `proposals` and `moves`. */
struct lead_frame {
    size_t proposals, moves; /* its first */
    size_t tried;            /* proposals */
};

/* So many moves, from lead->moves[first] on, in any order that is legal. */
struct proposal {
    size_t first, count;
};

struct lead {
    struct search search;
    struct sums sums;
    VECTOR(struct lead_frame) frames;
    VECTOR(struct proposal) proposals;
    VECTOR(uint32_t) moves;      /* candidates */
    VECTOR(uint32_t) candidates; /* of the present configuration */
};

/* ---- What changes nothing ---- */

/* Lets those running operations take effect that leave this very state as it is, as a transfer that
 * was refused. Whether any did. */
static bool settle_idle(struct search *search)
{
    const struct load_shape *shape = &search->plan.shape;
    uint32_t before = search->trail_length;
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running.words[i] & shape->effects[i] & ~search->load[i];
        while (waiting) {
            uint32_t operation = search->occupants[i * WORD_BITS + bits_take(&waiting)];
            uint32_t class = search->plan.operations[operation].class;
            if (search_step(search, search->state, class) == search->state)
                search_take_effect(search, search->part->intervals[operation].response,
                                   search->state);
        }
    }
    return search->trail_length > before;
}

/* ---- Proposals ---- */

/* Lists what may take effect, and tells the sums of it and of the reads that run. */
static bool list_running(struct lead *lead)
{
    struct search *search = &lead->search;
    const struct load_shape *shape = &search->plan.shape;
    lead->candidates.length = 0;
    sums_open(&lead->sums);
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running.words[i] & ~search->load[i];
        while (waiting) {
            uint32_t operation = search->occupants[i * WORD_BITS + bits_take(&waiting)];
            const struct interval *interval = &search->part->intervals[operation];
            bool fine = interval->call.read_only
                            ? sums_add_read(&lead->sums, operation)
                            : vector_push(&lead->candidates, interval->response);
            if (!fine)
                return false;
        }
    }
    for (uint32_t i = 0; i < search->plan.lanes.length; i++)
        if (lane_used(&search->plan.lanes.items[i], search->load) < search->available[i] &&
            !vector_push(&lead->candidates, CANDIDATE_LANE + i))
            return false;
    return true;
}

static uint32_t class_of(const struct search *search, uint32_t candidate)
{
    return search->plan.operations[search_operation_of(search, candidate)].class;
}

static bool propose(struct lead *lead, uint32_t candidate)
{
    struct proposal proposal = {.first = lead->moves.length, .count = 1};
    return vector_push(&lead->moves, candidate) && vector_push(&lead->proposals, proposal);
}

/* The operation that is due, if it is legal; else what makes it legal at once; else, if nothing
 * leads to a read either, anything. */
static bool propose_due(struct lead *lead)
{
    struct search *search = &lead->search;
    uint32_t due = search->plan.events[search->event] / 2;
    if (search_is_legal(search, search->state, due))
        return propose(lead, search->event);
    for (size_t i = 0; i < lead->candidates.length; i++) {
        uint32_t candidate = lead->candidates.items[i];
        transition to = search_step(search, search->state, class_of(search, candidate));
        for (uint32_t j = 0; j < transition_count(&search->transitions, to); j++)
            if (search_is_legal(search, transition_state(&search->transitions, to, j), due) &&
                !propose(lead, candidate))
                return false;
    }
    bool any = lead->proposals.length == lead->frames.items[lead->frames.length - 1].proposals;
    for (size_t i = 0; i < lead->candidates.length && any; i++)
        if (!propose(lead, lead->candidates.items[i]))
            return false;
    return true;
}

static bool propose_sets(struct lead *lead)
{
    struct search *search = &lead->search;
    for (size_t i = 0; i < lead->candidates.length; i++) {
        uint32_t class = class_of(search, lead->candidates.items[i]);
        transition to = search_step(search, search->state, class);
        if (!sums_add_mover(&lead->sums, class, search->state, to))
            return false;
    }
    if (!sums_find(&lead->sums, search->state))
        return false;
    for (size_t i = 0; i < lead->sums.sets.length; i++) {
        uint64_t movers = lead->sums.sets.items[i];
        struct proposal proposal = {.first = lead->moves.length,
                                    .count = (size_t)__builtin_popcountll(movers)};
        for (; movers; movers &= movers - 1) {
            uint32_t mover = lead->sums.movers.items[__builtin_ctzll(movers)].place;
            if (!vector_push(&lead->moves, lead->candidates.items[mover]))
                return false;
        }
        if (!vector_push(&lead->proposals, proposal))
            return false;
    }
    return true;
}

/* Whether it seems that some running read can never be answered: not by what runs, nor by what
 * begins before it responds. */
static bool is_dead(struct lead *lead)
{
    struct search *search = &lead->search;
    struct sums *sums = &lead->sums;
    for (size_t i = 0; i < sums->reads.length; i++) {
        uint32_t read = sums->reads.items[i];
        uint32_t response = search->part->intervals[read].response;
        sums->later.length = 0;
        for (uint32_t e = search->event; e < response; e++) {
            uint32_t operation = search->plan.events[e] / 2;
            const struct planned *planned = &search->plan.operations[operation];
            if (search->plan.events[e] & 1 || planned->slot == PLANNED_SKIP ||
                search->part->intervals[operation].call.read_only)
                continue;
            if (!vector_push(&sums->later, planned->class))
                return false;
        }
        if (sums_are_short(sums, read))
            return true;
    }
    return false;
}

/* ---- The search ---- */

static bool arrive(struct lead *lead)
{
    struct search *search = &lead->search;
    enum visit visit = visited_meet(&search->visited, search->event, search->state, search->load);
    if (visit != VISIT_NEW)
        return visit == VISIT_COVERED;
    search->explored++;
    struct lead_frame frame = {.proposals = lead->proposals.length, .moves = lead->moves.length};
    uint64_t work = lead->sums.work;
    bool fine = search_push_frame(search) && vector_push(&lead->frames, frame) &&
                list_running(lead) && propose_sets(lead);
    if (fine && is_dead(lead))
        lead->proposals.length = frame.proposals;
    else
        fine = fine && propose_due(lead);
    search->ticks += (uint32_t)(lead->sums.work - work);
    return fine;
}

/* Makes the moves of a proposal, each as soon as it is legal. False if some never is. */
static bool make_moves(struct lead *lead, const struct proposal *proposal)
{
    struct search *search = &lead->search;
    uint32_t *moves = lead->moves.items + proposal->first;
    for (size_t made = 0; made < proposal->count; made++) {
        size_t next = made;
        transition to = TRANSITION_ILLEGAL;
        for (; next < proposal->count; next++) {
            to = search_step(search, search->state, class_of(search, moves[next]));
            if (transition_count(&search->transitions, to) > 0)
                break;
        }
        if (next == proposal->count)
            return false;
        uint32_t move = moves[next];
        moves[next] = moves[made];
        moves[made] = move;
        search_take_effect(search, move, transition_state(&search->transitions, to, 0));
        settle_idle(search);
    }
    return true;
}

/* Goes back to the last frame that has something left to try, and tries it. False if none has. */
static bool try_next(struct lead *lead)
{
    struct search *search = &lead->search;
    while (search->frames.length > 0 && !search->stopped) {
        size_t depth = search->frames.length - 1;
        struct lead_frame *frame = &lead->frames.items[depth];
        search_return_to(search, depth);
        if (frame->proposals + frame->tried < lead->proposals.length) {
            if (make_moves(lead, &lead->proposals.items[frame->proposals + frame->tried++]))
                return true;
            continue;
        }
        lead->proposals.length = frame->proposals;
        lead->moves.length = frame->moves;
        lead->frames.length--;
        search->frames.length--;
    }
    return false;
}

static bool explore(struct lead *lead)
{
    struct search *search = &lead->search;
    while (!search->stopped && search->explored < search->most_explored) {
        if (search_walk_on(search))
            return !search->stopped;
        if (settle_idle(search))
            continue;
        if (!arrive(lead) || limits_work(search->limits, &search->ticks, TICKS_A_LOOK))
            search->stopped = true;
        else if (!try_next(lead))
            break;
    }
    return false;
}

enum lead_found lead_search(struct search *general, struct decision *decision)
{
    struct lead lead;
    struct budget *budget = general->limits->budget;
    vector_init(&lead.frames, budget);
    vector_init(&lead.proposals, budget);
    vector_init(&lead.moves, budget);
    vector_init(&lead.candidates, budget);
    bool fine = search_create(&lead.search, general->part, general->limits);
    fine = sums_init(&lead.sums, &general->transitions, &lead.search.transitions, general->part,
                     budget) &&
           fine;
    enum lead_found found = fine ? LEAD_FOUND_NOTHING : LEAD_REFUSED;
    if (fine && lead.sums.applies) {
        lead.search.ahead.applies = lead.search.registers.applies = false;
        lead.search.most_explored =
            EXPLORED_MOST + EXPLORED_PER_OPERATION * (uint64_t)general->part->count;
        if (explore(&lead))
            found = search_report(&lead.search, decision) ? LEAD_FOUND_ORDER : LEAD_REFUSED;
        else if (lead.search.stopped)
            found = LEAD_REFUSED;
        decision->explored += lead.search.explored;
    }
    sums_release(&lead.sums);
    search_release(&lead.search);
    vector_release(&lead.frames);
    vector_release(&lead.proposals);
    vector_release(&lead.moves);
    vector_release(&lead.candidates);
    return found;
}
