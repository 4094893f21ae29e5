/* The loop over the states of a model, or over the pairs of a product: takes up every node that is
 * found, each once. Nodes are numbers, handed out in the order in which they are found: 0, 1, 2 and
 * so on. What a node stands for, and whether it was found before, its store knows: explore/nodes.h,
 * or whatever else numbers what it meets (a state table, normalised states). So the numbers
 * themselves are the queue of the breadth-first order.
 *
 * Where a search may use several threads, nodes that are due are taken up by them in rounds. What a
 * round finds is added when it ends, in the order of the nodes: which number a node has, and which
 * nodes there are, does not depend on the threads. */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "base/faults.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/vector.h"
#include "explore/node_list.h"

#define EXPLORE_LOOK_EVERY                                                                         \
    SIZE_OR_SMALL(4096, 8) /* nodes taken up between two looks at the limits */

enum explore_order {
    EXPLORE_OLDEST_FIRST, /* breadth first: the ways by which nodes were found are shortest */
    EXPLORE_NEWEST_FIRST, /* the node found last is taken up next */
    EXPLORE_IN_TURNS,     /* oldest first until that stalls: then newest first and oldest first in
                             turns, over the same nodes */
    EXPLORE_ALONG_EDGES,  /* depth first, with a path: explore/depth_first.h has the loop */
    EXPLORE_BITSTATE,     /* depth first, without a store: explore/bitstate.h has the loop */
    EXPLORE_SWARM,        /* likewise many times, small and each in an order of its own */
};

/* Whether a search in this order may miss some of what there is. */
static inline bool explore_is_incomplete(enum explore_order order)
{
    return order == EXPLORE_BITSTATE || order == EXPLORE_SWARM;
}

/* Oldest first stalls when it has taken up so many nodes; a turn is as long. It is a matter of work
 * and not of time, so that what is found does not depend on who else uses the machine. */
#define EXPLORE_STALL (UINT32_C(1) << 22)

/* What is over sooner is not worth a thread. */
#define EXPLORE_THREADS_FROM SIZE_OR_SMALL(UINT32_C(1) << 11, 4)

struct checkpoint;
struct resumption;
struct search_stats;

/* What is asked of each node. */
struct visitor {
    /* Takes up a node: looks at it, and finds its successors. `*stop`: that is enough. Any status
     * but STATUS_OK ends the search. */
    enum status (*visit)(void *self, uint32_t node, bool *stop);

    /* How many nodes have been found. Asked before the first is taken up, when all known ones are,
     * and at the end; newest first after each node, and where a turn begins. */
    enum status (*found)(void *self, uint32_t *count);

    /* How it is saved in explorer->checkpoint, and taken up again. */
    const struct resumption *resumption;

    /* Takes up some of these nodes, the first ones and at least one, as `visit` would one after the
     * other: *taken, up to one that stops the search. Null: they are visited one by one. */
    enum status (*visit_some)(void *self, uint32_t first, uint32_t count, uint32_t *taken,
                              bool *stop);

    /* Oldest first, before any node of a level is taken up, those from `first` to the last: they
     * may get each other's numbers. Null: they keep them. */
    enum status (*gather)(void *self, uint32_t first);
};

struct team;

/* What is asked of nodes that are taken up together: explore/rounds.c. */
struct together {
    /* Nodes that will be: some of a level, or newest first of a round. Which of them need not be
     * taken up any more is settled here, by what was found before. Also where there is one thread.
     * Null: all are taken up. */
    void (*settle)(void *self, const uint32_t *nodes, uint32_t count);

    /* Once, before the first round. The team is there until explorer_release, and may be given
     * other work between rounds. */
    enum status (*begin)(void *self, struct team *team, unsigned threads);

    /* Takes up some of a round's nodes, on one of the threads; `batch` of the round. What is found
     * is not added yet. *alone: one of them must be visited by one thread, since it ends the
     * search. */
    enum status (*take)(void *self, unsigned thread, uint32_t batch, const uint32_t *nodes,
                        uint32_t count, bool *alone);

    /* Ends a round: adds what was found, in the order of batches, or drops it all. */
    enum status (*end)(void *self, uint32_t batches, bool drop);
};

struct explorer {
    enum explore_order order;
    const struct limits *limits; /* looked at now and then; null: none */
    atomic_uint_least64_t *work; /* where `taken` is told then; null: nowhere */
    uint64_t taken;              /* nodes taken up */
    uint64_t depth;              /* oldest first: of the last level that was begun; along edges:
                                    the longest path */
    VECTOR(uint32_t) newest;     /* newest first: nodes found and not taken up; in turns they may
                                    have been since */
    uint64_t stall;              /* in turns: EXPLORE_STALL, if it is not set to another number */
    VECTOR(uint32_t) ahead;      /* and which nodes were taken up newest first, a bit each */
    bool has_turned;             /* newest first was taken for a turn */
    bool is_newest;              /* it is now */
    unsigned threads;            /* 0, 1: of the caller alone */
    uint32_t threads_from;       /* nodes taken up before there are rounds, which have no
                                    fewer if that is little: EXPLORE_THREADS_FROM */
    const struct together *together; /* null: nodes are visited one by one, by one thread */
    bool alone_in_rounds;            /* one thread takes rounds, too: short ones */
    bool has_begun;                  /* there was a round */
    struct team *team;               /* of several threads, once it has begun; owned */
    VECTOR(uint32_t) round;          /* nodes that are due */
    const struct log *log;           /* that of the limits; null: none */
    const char *task, *nodes;   /* for the log, "refinement" of "pairs"; null: it is told nothing */
    uint64_t said;              /* nodes found when it was told last */
    struct search_stats *stats; /* told of each level; null: nobody is */
    struct checkpoint *checkpoint; /* written now and then; not along edges. Null: none */
};

/* How far searches without a store went. */
struct bitstate_extent {
    uint32_t searches; /* in random orders; 0: it was one, in the order in which states are found */
    double missed;     /* of that one: states that were taken for others, expected */
    bool complete;     /* one of them left out nothing that it could tell */
    const char *unasked; /* what is no matter of states and steps, so that nothing was searched:
                            "failures"; null: it was */
};

/* How far a search went, and in which order. */
struct search_extent {
    enum explore_order order;
    struct bitstate_extent bits; /* of an incomplete order */
    uint64_t depth;   /* oldest first, up to the first turn: of the last level that was begun */
    uint64_t longest; /* newest first, or turned to it: steps on the longest way to a node */
    bool has_turned;
    bool is_newest; /* it ended newest first */
};

void explorer_init(struct explorer *explorer, enum explore_order order, const struct limits *limits,
                   struct budget *budget);
void explorer_release(struct explorer *explorer);

/* Counts a node that is taken up now, and looks at the limits now and then. STATUS_LIMIT. For the
 * loops of each order, as are the next two. */
enum status explorer_take(struct explorer *explorer) MUST_CHECK;

/* Tells the log, when a line is due, that there are `found` nodes, of which some wait to be taken
 * up (along edges: are on the path); and how the search ended. */
void explorer_tell(struct explorer *explorer, uint32_t found, uint32_t waiting);
void explorer_tell_end(const struct explorer *explorer, enum status status);

/* Takes up all that is found, unless a visit stops it. STATUS_LIMIT: a limit was reached, or memory
 * refused; see limits_which (base/limits.h). */
enum status explore(struct explorer *explorer, const struct visitor *visitor,
                    void *self) MUST_CHECK;

/* A whole search breadth first, of which nothing else is asked: within `limits` (null: none), whose
 * log is told of `nodes` of the `task` (null: of nothing). */
enum status explore_oldest_first(const struct limits *limits, const char *task, const char *nodes,
                                 const struct visitor *visitor, void *self) MUST_CHECK;

#endif
