/* What a small program can do under a memory model, by the definitions and nothing else: every
 * reads-from and every modification order is tried, and the axioms are evaluated on relations as
 * matrices (rc11, tso, sc); or the program is run, one step at a time, in every order (sc, and tso
 * with store buffers). Shares no code with scenario/. */
#ifndef TESTS_SUPPORT_MEMORY_ORACLE_H
#define TESTS_SUPPORT_MEMORY_ORACLE_H

#include "support/memory_program.h"

/* A set of texts; each stands for an execution graph, or for what the threads read. */
struct text_set {
    char **items;
    size_t count, capacity;
};

/* False if it is there already. */
bool text_set_add(struct text_set *set, const char *text);
bool text_set_has(const struct text_set *set, const char *text);
void text_set_release(struct text_set *set);

/* The graphs of the model in which no thread is stuck, as memory_graph_describe writes them. False:
 * too many to be gone through. */
bool memory_oracle_graphs(const struct memory_program *program, enum memory_model model,
                          enum psc_form psc, struct text_set *graphs);

/* Whether some graph of the model has threads that are stuck, each at a read of the newest write in
 * mo: nobody ever goes on. False: too many to be gone through. */
bool memory_oracle_hangs(const struct memory_program *program, enum memory_model model,
                         enum psc_form psc, bool *hangs);

/* The values that the threads read, in program order, in runs of a machine in which no thread is
 * stuck: one step at a time for sc, with a store buffer for each thread for tso. */
void memory_oracle_outcomes(const struct memory_program *program, enum memory_model model,
                            struct text_set *outcomes);

/* An operation of a graph: how many events its thread had at its call and at its return. */
struct operation_place {
    unsigned thread, before, after;
    bool returned;
};

enum {
    MEMORY_OPERATIONS = 6
};

/* Calls `visit` for every client of a graph without creations and joins of threads: for every set
 * of edges from returns to calls of other threads with which the graph is one of the model, each
 * edge being a release write and an acquire read of a location of its own. `before` says of each
 * operation which ones return before its call then: by happens-before, under sc by what orders all
 * events. False: it has more than 16 events, or there are too many edges. */
bool memory_oracle_clients(const struct execution_graph *graph, enum memory_model model,
                           enum psc_form psc, const struct operation_place *operations,
                           unsigned count, void (*visit)(void *context, const unsigned *before),
                           void *context);

/* The same as memory_oracle_outcomes of a graph. */
void memory_graph_outcome(const struct execution_graph *graph, char *words);

#endif
