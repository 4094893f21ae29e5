#include "search/read_guided.h"

#include "base/hash.h"
#include "search/subset_sums.h"

/* The most that is explored: so many configurations, and for each operation. */
#define EXPLORED_MOST          10000
#define EXPLORED_PER_OPERATION 60

/* What is tried at a frame of the search: in `proposals` and `moves`. */
struct guided_frame {
    size_t proposals, moves; /* its first */
    size_t tried;            /* proposals */
};

/* So many moves, from guided->moves[first] on, in any order that is legal. */
struct proposal {
    size_t first, count;
};

struct guided_search {
    struct search search;
    struct subset_sums sums;
    VECTOR(struct guided_frame) frames;
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
static bool list_running(struct guided_search *guided)
{
    struct search *search = &guided->search;
    const struct load_shape *shape = &search->plan.shape;
    guided->candidates.length = 0;
    subset_sums_open(&guided->sums);
    for (uint32_t i = 0; i < shape->width; i++) {
        uint64_t waiting = search->running.words[i] & ~search->load[i];
        while (waiting) {
            uint32_t operation = search->occupants[i * WORD_BITS + bits_take(&waiting)];
            const struct interval *interval = &search->part->intervals[operation];
            bool fine = interval->call.read_only
                            ? subset_sums_add_read(&guided->sums, operation)
                            : vector_push(&guided->candidates, interval->response);
            if (!fine)
                return false;
        }
    }
    for (uint32_t i = 0; i < search->plan.lanes.length; i++)
        if (lane_used(&search->plan.lanes.items[i], search->load) < search->available[i] &&
            !vector_push(&guided->candidates, CANDIDATE_LANE + i))
            return false;
    return true;
}

static uint32_t class_of(const struct search *search, uint32_t candidate)
{
    return search->plan.operations[search_operation_of(search, candidate)].class;
}

static bool propose(struct guided_search *guided, uint32_t candidate)
{
    struct proposal proposal = {.first = guided->moves.length, .count = 1};
    return vector_push(&guided->moves, candidate) && vector_push(&guided->proposals, proposal);
}

/* The operation that is due, if it is legal; else what makes it legal at once; else, if nothing
 * leads to a read either, anything. */
static bool propose_due(struct guided_search *guided)
{
    struct search *search = &guided->search;
    uint32_t due = search->plan.events[search->event] / 2;
    if (search_is_legal(search, search->state, due))
        return propose(guided, search->event);
    for (size_t i = 0; i < guided->candidates.length; i++) {
        uint32_t candidate = guided->candidates.items[i];
        transition to = search_step(search, search->state, class_of(search, candidate));
        for (uint32_t j = 0; j < transition_count(&search->transitions, to); j++)
            if (search_is_legal(search, transition_state(&search->transitions, to, j), due) &&
                !propose(guided, candidate))
                return false;
    }
    bool any =
        guided->proposals.length == guided->frames.items[guided->frames.length - 1].proposals;
    for (size_t i = 0; i < guided->candidates.length && any; i++)
        if (!propose(guided, guided->candidates.items[i]))
            return false;
    return true;
}

static bool propose_sets(struct guided_search *guided)
{
    struct search *search = &guided->search;
    for (size_t i = 0; i < guided->candidates.length; i++) {
        uint32_t class = class_of(search, guided->candidates.items[i]);
        transition to = search_step(search, search->state, class);
        if (!subset_sums_add_mover(&guided->sums, class, search->state, to))
            return false;
    }
    if (!subset_sums_find(&guided->sums, search->state))
        return false;
    for (size_t i = 0; i < guided->sums.sets.length; i++) {
        uint64_t movers = guided->sums.sets.items[i];
        struct proposal proposal = {.first = guided->moves.length,
                                    .count = (size_t)__builtin_popcountll(movers)};
        for (; movers; movers &= movers - 1) {
            uint32_t mover = guided->sums.movers.items[__builtin_ctzll(movers)].place;
            if (!vector_push(&guided->moves, guided->candidates.items[mover]))
                return false;
        }
        if (!vector_push(&guided->proposals, proposal))
            return false;
    }
    return true;
}

/* Whether it seems that some running read can never be answered: not by what runs, nor by what
 * begins before it responds. */
static bool is_dead(struct guided_search *guided)
{
    struct search *search = &guided->search;
    struct subset_sums *sums = &guided->sums;
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
        if (subset_sums_are_short(sums, read))
            return true;
    }
    return false;
}

/* ---- The search ---- */

static bool arrive(struct guided_search *guided)
{
    struct search *search = &guided->search;
    enum visit visit = visited_meet(&search->visited, search->event, search->state, search->load);
    if (visit != VISIT_NEW)
        return visit == VISIT_DOMINATED;
    search->explored++;
    struct guided_frame frame = {.proposals = guided->proposals.length,
                                 .moves = guided->moves.length};
    uint64_t work = guided->sums.work;
    bool fine = search_push_frame(search) && vector_push(&guided->frames, frame) &&
                list_running(guided) && propose_sets(guided);
    if (fine && is_dead(guided))
        guided->proposals.length = frame.proposals;
    else
        fine = fine && propose_due(guided);
    search->ticks += (uint32_t)(guided->sums.work - work);
    return fine;
}

/* Makes the moves of a proposal, each as soon as it is legal. False if some never is. */
static bool make_moves(struct guided_search *guided, const struct proposal *proposal)
{
    struct search *search = &guided->search;
    uint32_t *moves = guided->moves.items + proposal->first;
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
static bool try_next(struct guided_search *guided)
{
    struct search *search = &guided->search;
    while (search->frames.length > 0 && !search->stopped) {
        size_t depth = search->frames.length - 1;
        struct guided_frame *frame = &guided->frames.items[depth];
        search_return_to(search, depth);
        if (frame->proposals + frame->tried < guided->proposals.length) {
            if (make_moves(guided, &guided->proposals.items[frame->proposals + frame->tried++]))
                return true;
            continue;
        }
        guided->proposals.length = frame->proposals;
        guided->moves.length = frame->moves;
        guided->frames.length--;
        search->frames.length--;
    }
    return false;
}

static bool explore(struct guided_search *guided)
{
    struct search *search = &guided->search;
    while (!search->stopped && search->explored < search->most_explored) {
        if (search_walk_on(search))
            return !search->stopped;
        if (settle_idle(search))
            continue;
        if (!arrive(guided) || limits_work(search->limits, &search->ticks, TICKS_A_LOOK))
            search->stopped = true;
        else if (!try_next(guided))
            break;
    }
    return false;
}

enum guided_found read_guided_search(struct search *general, struct decision *decision)
{
    struct guided_search guided = {.sums.applies = false};
    struct budget *budget = general->limits->budget;
    vectors_init(budget, &guided.frames, &guided.proposals, &guided.moves, &guided.candidates);
    bool fine = search_create(&guided.search, general->part, general->limits) &&
                subset_sums_init(&guided.sums, &general->transitions, &guided.search.transitions,
                                 general->part, budget);
    enum guided_found found = fine ? GUIDED_FOUND_NOTHING : GUIDED_REFUSED;
    if (fine && guided.sums.applies) {
        guided.search.ahead.applies = guided.search.registers.applies = false;
        guided.search.most_explored =
            EXPLORED_MOST + EXPLORED_PER_OPERATION * (uint64_t)general->part->count;
        if (explore(&guided))
            found = search_report(&guided.search, decision) ? GUIDED_FOUND_ORDER : GUIDED_REFUSED;
        else if (guided.search.stopped)
            found = GUIDED_REFUSED;
        decision->explored += guided.search.explored;
    }
    subset_sums_release(&guided.sums);
    search_release(&guided.search);
    vectors_release(&guided.frames, &guided.proposals, &guided.moves, &guided.candidates);
    return found;
}
