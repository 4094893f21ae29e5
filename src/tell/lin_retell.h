/* An execution told again as it really runs: the search sees states in which nodes are numbered and
 * values named anew after each step; here both keep the names that they were given. */
#ifndef TELL_LIN_RETELL_H
#define TELL_LIN_RETELL_H

#include "lin/model.h"
#include "tell/trace.h"

struct lin_retelling {
    const struct lin_model *searched; /* not owned; threads in no order, each statement a step */
    struct lin_model named;
    struct lin_worker *searching, *naming; /* of these two */
    struct trace *trace;                   /* not owned */
    struct successors successors;
    uint32_t *room;   /* for the three below */
    uint32_t *state;  /* reached so far */
    uint32_t *trial;  /* scratch */
    uint32_t *marked; /* see lin_retelling_mark */
    struct error *error;
};

/* Appends to `trace`. Everything given must outlive it. Close whatever the status. */
enum status lin_retelling_open(struct lin_retelling *retelling, const struct lin_model *searched,
                               struct trace *trace, struct error *error) MUST_CHECK;
void lin_retelling_close(struct lin_retelling *retelling);

/* Begins at the initial state that `searched` has as this one; STATUS_INTERNAL if there is none. */
enum status lin_retelling_start(struct lin_retelling *retelling,
                                const uint32_t *initial) MUST_CHECK;

/* Takes a step of the process, visible or not, to what `searched` has as `target`. */
enum status lin_retelling_step(struct lin_retelling *retelling, uint32_t process, bool visible,
                               const uint32_t *target) MUST_CHECK;

/* A thread stands waiting at what is shown so. */
enum status lin_retelling_wait(struct lin_retelling *retelling, uint32_t process,
                               label shown) MUST_CHECK;

/* Remembers the state reached; and whether that reached later is the same but for the names of
 * nodes. */
enum status lin_retelling_mark(struct lin_retelling *retelling) MUST_CHECK;
enum status lin_retelling_is_back(struct lin_retelling *retelling, bool *is_back) MUST_CHECK;

/* Writes an execution of the searched model's graph to `trace`: one with each statement a step, in
 * which neither threads nor values are renamed. A loop comes back to a state that is the same but
 * for the names of nodes. */
enum status lin_retell(const struct lin_model *searched, const struct graph *graph,
                       const struct execution *execution, struct trace *trace,
                       struct error *error) MUST_CHECK;

#endif
