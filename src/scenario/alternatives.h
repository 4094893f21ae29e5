/* The executions that come of an event beside the one that the run goes on with: other sources of a
 * read, other places of a write in mo, and reads that were there and have a new write as their
 * source. They wait on a list, from which runs begin. (docs/internals/execution_graphs.md) */
#ifndef SCENARIO_ALTERNATIVES_H
#define SCENARIO_ALTERNATIVES_H

#include "base/vector.h"
#include "scenario/exploration_types.h"
#include "scenario/schedule.h"

struct exploration {
    struct exploration_settings settings;
    struct execution_graph graph;
    unsigned position; /* how many events of `graph.replay` this run has made */
    bool begun, along;
    unsigned preferred; /* along: of the threads that can step, these (a bit each) come first */
    bool is_to_wake;    /* all runs are to be begun anew, with wakes_freely */
    const struct schedule *schedule; /* that is followed; null: none */
    unsigned step;                   /* of it, that comes next */
    uint8_t goes_on;                 /* along a graph: the thread behind it, or SCHEDULE_NOBODY */
    bool is_evidence;                /* what is repeated ended with a finding */
    bool refused;                    /* memory for the work list */
    VECTOR(uint8_t) list;            /* graphs, each with its length behind it */
    VECTOR(struct execution_graph *) copies; /* to work on: too large for a stack */
    size_t copies_in_use;
    uint64_t seen[(EXECUTION_LOCATIONS + 63) / 64]; /* locations that this run has accessed */
    struct exploration_figures figures;
};

/* Puts a graph onto the list, unless runs only go along one that is given; `refused` when memory is
 * refused. */
void alternatives_push(struct exploration *exploration, const struct execution_graph *graph);

/* Takes the graph that was put there last. False: there is none. */
bool alternatives_pop(struct exploration *exploration, struct execution_graph *graph) MUST_CHECK;

/* Whether the memory model allows a graph; those that it does not allow are counted. */
bool alternatives_allow(struct exploration *exploration, const struct execution_graph *graph);

/* A read has its source: works out its value and clocks, and adds the write of a read-modify-write
 * right behind the source in mo. False when another one has that place: such a graph is none, but
 * the write may be what the other should have read. */
bool alternatives_settle(struct exploration *exploration, struct execution_graph *graph,
                         event_number read);

/* Gives a read, which has been added, the newest write in mo as its source, and puts a graph for
 * each other one that coherence leaves onto the list; but none in which the thread waits because of
 * an older one: nothing comes of the read there, and it would not wait for ever. */
void alternatives_of_read(struct exploration *exploration, const struct exploration_access *access,
                          event_number read);

/* Gives a write, which has been added, the last place in mo, and puts a graph for each other one
 * that coherence leaves onto the list, and for each read that may have it as its source. */
void alternatives_of_write(struct exploration *exploration, event_number write);

#endif
