/* What several threads need that take up the nodes of a search over one graph in rounds
 * (explore/rounds.h). Each has an expander, and keeps to itself which nodes it has found in the
 * round. The graph, and with it the set of nodes, is in parts. When a round is over the threads
 * share the parts, and add to each what was found for it, in the order of the nodes that found it:
 * which nodes are new, and from which they were found, does not depend on the threads.
 *
 * Where the graph keeps no edges nothing is stored before that, states no more than nodes: threads
 * only read while they take up nodes, and then each adds what was found for its parts. Else states
 * are stored as they are found, behind the locks of their parts. */
#ifndef PROPERTY_SEARCH_THREADS_H
#define PROPERTY_SEARCH_THREADS_H

#include <stdatomic.h>

#include "explore/nodes.h"
#include "space/graph.h"

#define SEARCH_PART_BITS_MOST 8

/* What a batch of a round has found: in one thread. */
struct search_batch {
    uint32_t thread;
    size_t first, end;
};

/* A node that is new, with its place among all that the round has found. */
struct search_new_node {
    uint64_t order;
    struct search_node node;
};

struct search_threads;

struct search_thread {
    const struct search_threads *threads;
    struct expander expander;
    state_id state; /* of the batch the last one whose edges it has asked for, or STATE_REFUSED */
    const struct edge *edges; /* these */
    uint32_t degree;
    unsigned number;
    VECTOR(struct search_node) found;     /* `with` is UINT32_MAX once it is known not to be new */
    struct found_states *sent;            /* in its place where states wait: by who adds them */
    struct found_rows rows;               /* before them, of one thread: states alone, as long as
                                             all are packed in one layout */
    VECTOR(state_id) states;              /* scratch */
    uint64_t order;                       /* of the next one to be sent */
    VECTOR(struct search_new_node) fresh; /* that it has added, in their order; */
    size_t numbered;                      /* and so many of these have a number */
    uint32_t greatest;                    /* `with` of a node, of the round; */
    uint64_t transitions;                 /* and */
    uint64_t asked;                       /* steps of a specification */
    struct error error;
};

/* What a search does of what threads share. */
struct search_threads_class {
    /* Makes nodes->class and nodes->set a set of 1 << bits parts with nothing in it. STATUS_LIMIT.
     */
    enum status (*divide)(void *self, uint32_t bits);

    /* Takes up a node on one of the threads: counts its transitions, and finds what it leads to.
     * *alone: it must be visited by one thread, since it ends the search. */
    enum status (*take)(void *self, struct search_thread *thread, uint32_t node, bool *alone);
};

struct search_threads {
    const struct search_threads_class *class;
    void *self; /* given to the functions of that */
    struct graph *graph;
    struct nodes *nodes;
    struct search_thread *items;
    struct team *team; /* not owned; null: the search has one thread so far */
    unsigned count;
    VECTOR(struct search_batch) batches;
    uint8_t adds[1 << SEARCH_PART_BITS_MOST]; /* by part: the thread that adds to it */
    atomic_bool refused;                      /* memory, to one of them */
};

void search_threads_init(struct search_threads *threads, const struct search_threads_class *class,
                         void *self, struct graph *graph, struct nodes *nodes,
                         struct budget *budget);
void search_threads_release(struct search_threads *threads);

/* Whether threads may share this graph. Which states are skipped, and which ample sets are taken
 * where the walker chooses, depends on what is stored. */
bool search_threads_may_share(const struct graph *graph) MUST_CHECK;

/* Divides the graph, and the set, for so many threads, those of the team: states have other numbers
 * then. STATUS_LIMIT: nodes may then have old ones. */
enum status search_threads_begin(struct search_threads *threads, struct team *team,
                                 unsigned count) MUST_CHECK;

/* The edges of a state, which becomes thread->state: those of the one asked for before are at hand.
 * As graph_edges_by. */
enum status search_thread_edges(struct search_thread *thread, state_id state) MUST_CHECK;

/* The thread has found a node, or with UINT32_MAX no more than a state, by the edge that leads to
 * it. STATUS_LIMIT. */
enum status search_thread_find(struct search_thread *thread, uint32_t target, uint32_t with,
                               uint32_t parent) MUST_CHECK;

/* The thread has found the states that these edges lead to, of nodes that are states. STATUS_LIMIT.
 */
enum status search_thread_find_states(struct search_thread *thread, const struct edge *edges,
                                      uint32_t count, uint32_t parent) MUST_CHECK;

/* Takes up nodes of a batch that are states, of which no more is asked than a condition, as long as
 * their steps are found with them packed: so many of the first. *alone: in the last of these the
 * condition holds. STATUS_LIMIT. */
enum status search_thread_ask(struct search_thread *thread, const uint32_t *nodes, uint32_t count,
                              uint32_t condition, uint32_t *taken, bool *alone) MUST_CHECK;

/* The greatest number that a node of the round is found with; false: none is found. */
bool search_threads_greatest(const struct search_threads *threads, uint32_t *with);

/* Takes up the nodes of a batch on one of the threads, until one must be visited by one thread. */
enum status search_threads_take(struct search_threads *threads, unsigned thread, uint32_t batch,
                                const uint32_t *nodes, uint32_t count, bool *alone) MUST_CHECK;

/* When a round of so many batches is over: adds what was found, and the numbers of transitions and
 * of steps asked. STATUS_LIMIT. */
enum status search_threads_add(struct search_threads *threads, uint32_t batches,
                               uint64_t *transitions, uint64_t *asked) MUST_CHECK;

/* And then forgets what was found in the round, whether it was added or not. */
void search_threads_forget(struct search_threads *threads);

#endif
