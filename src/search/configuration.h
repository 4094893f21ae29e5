/* The configuration of the general search and the steps between configurations: an operation takes
 * effect, the walk goes on along the events, the search goes back to a frame. search.c chooses
 * which step to take; docs/internals/search.md tells it at length. */
#ifndef SEARCH_CONFIGURATION_H
#define SEARCH_CONFIGURATION_H

#include "base/faults.h"
#include "search/dead_ends.h"
#include "search/queue_lookahead.h"
#include "search/register_lookahead.h"
#include "search/visited.h"

/* Steps, of about 10 to 100 ns; trials of a core are cut there. */
#define TICKS_A_LOOK SIZE_OR_SMALL(4096, 16)

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
    struct unobservable unobservable;
    struct transitions transitions;
    struct visited visited;
    struct queue_lookahead ahead;
    struct register_lookahead registers;
    struct dead_ends dead_ends;

    /* The configuration. */
    uint32_t event, state;
    uint64_t *load;

    /* What follows from its event. */
    struct bits running; /* slots in use */
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

/* At the beginning of the part. False when a budget refuses; to be released all the same. */
bool search_create(struct search *search, const struct part *part,
                   struct limits *limits) MUST_CHECK;
void search_release(struct search *search);

/* Where a class of calls leads from a state; stops the search when refused. */
static inline transition search_step(struct search *search, uint32_t state, uint32_t class)
{
    transition to = transitions_step(&search->transitions, state, class);
    if (UNLIKELY(to == TRANSITION_REFUSED)) {
        search->stopped = true;
        to = TRANSITION_ILLEGAL;
    }
    return to;
}

static inline bool search_is_legal(struct search *search, uint32_t state, uint32_t operation)
{
    return search_step(search, state, search->plan.operations[operation].class) !=
           TRANSITION_ILLEGAL;
}

/* The operation that a candidate stands for. Where operations may stay open each has a lane of its
 * own, and may take effect again. */
static inline uint32_t search_operation_of(const struct search *search, uint32_t candidate)
{
    if (candidate < CANDIDATE_LANE)
        return search->plan.events[candidate] / 2;
    const struct lane *lane = &search->plan.lanes.items[candidate - CANDIDATE_LANE];
    const uint32_t used = lane_used(lane, search->load);
    return search->plan.pending[lane->first + (used < lane->count ? used : used - 1)];
}

/* Whether an operation that has taken effect is open: it is to do so again. */
bool search_is_open(struct search *search, uint32_t operation);

/* Of the operations that run, in word `i` of the load, those that are to take effect still. */
uint64_t search_waiting(struct search *search, uint32_t i);

/* Lets a candidate take effect, which leads to `state`. */
void search_take_effect(struct search *search, uint32_t candidate, uint32_t state);

/* Walks to the next response of an operation that has not taken effect; true at the end. Stays
 * where it is while a set of operations that takes effect together is not complete. */
bool search_walk_on(struct search *search);

/* Makes the present configuration one to come back to. False when refused. */
bool search_push_frame(struct search *search) MUST_CHECK;

/* Makes the frame's configuration the current one again. */
void search_return_to(struct search *search, size_t depth);

/* Reports the trail as a linearization. False when a budget refuses. */
bool search_report(const struct search *search, struct decision *decision) MUST_CHECK;

#endif
