/* An execution taken again, step by step, on the model that is shown: what it really runs through,
 * written down as a trace. Where stored states are renumbered, merged or skipped, those here keep
 * the numbers and values that the steps give them. */
#ifndef TELL_TRACE_WRITER_H
#define TELL_TRACE_WRITER_H

#include "explore/execution.h"
#include "space/graph.h"
#include "tell/trace.h"

struct trace_writer {
    struct worker *shown;  /* takes the steps; not owned */
    struct worker *stored; /* its model has the states of the execution: `shown`, or another model
                             of the same that renumbers what is alike; not owned */
    bool skips;            /* states that the model skips are not among the stored ones */
    struct trace *trace;   /* not owned */
    struct successors out;
    struct followed followed; /* who takes these steps */
    VECTOR(uint32_t) who;     /* who is where in the state reached */
    uint32_t *room;           /* for the four below */
    uint32_t *state;          /* reached so far */
    uint32_t *before;         /* the one before it */
    uint32_t *trial;          /* scratch */
    uint32_t *marked;         /* see trace_writer_mark */
    struct error *error;
};

/* What a step is looked for by. */
struct trace_wanted {
    uint32_t process; /* UINT32_MAX: any */
    bool visible;
    const label *by;          /* null: any; the stored model may have another one */
    const struct step *taken; /* null: any; else which one it is */
};

/* Appends to `trace`. Everything given must outlive it. Close whatever the status. */
enum status trace_writer_open(struct trace_writer *writer, struct worker *shown,
                              struct worker *stored, struct trace *trace,
                              struct error *error) MUST_CHECK;
void trace_writer_close(struct trace_writer *writer);

/* Begins at the first initial state that the stored one stands for. STATUS_INTERNAL: there is none,
 * here and below. */
enum status trace_writer_start(struct trace_writer *writer, const uint32_t *stored) MUST_CHECK;

/* Takes the first such step to a state that the stored one stands for, and those that were skipped
 * behind it. */
enum status trace_writer_take(struct trace_writer *writer, const struct trace_wanted *wanted,
                              const uint32_t *stored) MUST_CHECK;

/* A thread stands waiting at what is shown so. */
enum status trace_writer_wait(struct trace_writer *writer, uint32_t process,
                              label shown) MUST_CHECK;

/* Remembers the state reached; and whether that reached later is the same, but for the numbers of
 * what is alike. */
enum status trace_writer_mark(struct trace_writer *writer) MUST_CHECK;
enum status trace_writer_is_back(struct trace_writer *writer, bool *is_back) MUST_CHECK;

/* Writes an execution of a graph of `stored` to a trace of `shown`. */
enum status trace_replay_on(struct worker *shown, struct worker *stored, const struct graph *graph,
                            const struct execution *execution, struct trace *trace,
                            struct error *error) MUST_CHECK;

/* The same of an execution of the graph's own model. */
enum status trace_replay(struct graph *graph, const struct execution *execution,
                         struct trace *trace, struct error *error) MUST_CHECK;

/* The same where *error may tell already of the fault that the execution leads to, and `status` is
 * that of it: both stay, unless the execution cannot be written. */
enum status trace_replay_beside(struct graph *graph, const struct execution *execution,
                                struct trace *trace, enum status status,
                                struct error *error) MUST_CHECK;

#endif
