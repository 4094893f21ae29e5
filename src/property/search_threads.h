/* What several threads need that take up the nodes of a search over one graph in rounds
 * (explore/rounds.h). Each has an expander, and keeps to itself which nodes it has found in the
 * round. The graph, and with it the set of nodes, is in parts. When a round is over the threads
 * share the parts, and add to each what was found for it, in the order of the nodes that found it:
 * which nodes are new, and from which they were found, does not depend on the threads. */
#ifndef PROPERTY_SEARCH_THREADS_H
#define PROPERTY_SEARCH_THREADS_H

#include <stdatomic.h>

#include "explore/nodes.h"
#include "space/graph.h"

/* What a batch of a round has found: in one thread. */
struct search_batch {
    uint32_t thread;
    size_t first, end;
};

struct search_thread {
    struct expander expander;
    unsigned number;
    VECTOR(struct search_node) found; /* `with` is UINT32_MAX once it is known not to be new */
    uint64_t transitions;             /* of the round; */
    uint64_t asked;                   /* and steps of a specification */
    struct error error;
};

struct search_threads {
    struct graph *graph;
    struct nodes *nodes;
    struct search_thread *items;
    unsigned count; /* 0: the search has one thread so far */
    VECTOR(struct search_batch) batches;
    atomic_bool refused; /* memory, to one of them */
};

void search_threads_init(struct search_threads *threads, struct graph *graph, struct nodes *nodes,
                         struct budget *budget);
void search_threads_release(struct search_threads *threads);

/* Whether threads may share this graph. Which states are skipped, and which ample sets are taken
 * where the walker chooses, depends on what is stored. */
bool search_threads_may_share(const struct graph *graph) MUST_CHECK;

/* Divides the graph, and the set, for so many threads: divide(self, bits, numbers) makes
 * nodes->class and nodes->set a set of 1 << bits parts with nothing in it, where the graph has
 * given its states the new numbers, numbers[old]. STATUS_LIMIT: nodes may then have old numbers. */
enum status search_threads_begin(struct search_threads *threads, unsigned count,
                                 enum status (*divide)(void *self, uint32_t bits,
                                                       const state_id *numbers),
                                 void *self) MUST_CHECK;

/* The thread has found a node. STATUS_LIMIT. */
static inline MUST_CHECK enum status
search_thread_find(struct search_thread *thread, uint32_t state, uint32_t with, uint32_t parent)
{
    return granted(vector_push(&thread->found, ((struct search_node){state, with, parent})));
}

/* What a batch has found is in `found` of the thread from `first` on. */
void search_threads_end_batch(struct search_threads *threads, uint32_t batch,
                              const struct search_thread *thread, size_t first);

/* When a round of so many batches is over: adds what was found, and the numbers of transitions and
 * of steps asked. STATUS_LIMIT. */
enum status search_threads_add(struct search_threads *threads, uint64_t *transitions,
                               uint64_t *asked) MUST_CHECK;

/* And then forgets what was found in the round, whether it was added or not. */
void search_threads_forget(struct search_threads *threads);

#endif
