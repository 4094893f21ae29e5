/* Walking a model step by step. */
#ifndef LINCHPIN_WALK_H
#define LINCHPIN_WALK_H

#include <linchpin/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lp_walk lp_walk;

/* A walk that stands at the (first) initial state of a process of the model: "P", "Q(2)", or in
 * .lin an implementation, "treiber", "treiber with threads = 3"; null:
 * that of the first assertion, or of the last definition without parameters. LP_USAGE: there is no
 * such process; LP_INPUT: a fault of the model; LP_LIMIT. The model may belong to another context;
 * a walk belongs to one thread at a time. */
LP_API lp_status lp_walk_create(lp_context *context, const lp_model *model, const char *process,
                                lp_walk **walk, lp_error *error);
LP_API void lp_walk_destroy(lp_walk *walk);

/* The process as it is written: "Q(2)". */
LP_API const char *lp_walk_process(const lp_walk *walk);

/* The variables where the walk stands. They live until it moves. */
LP_API lp_status lp_walk_state(lp_walk *walk, const lp_variable **variables, size_t *count,
                               lp_error *error);

/* The steps that are possible where the walk stands. They live until it moves. LP_INPUT: a fault of
 * the model. */
LP_API lp_status lp_walk_steps(lp_walk *walk, const lp_step **steps, size_t *count,
                               lp_error *error);

/* Takes a step, one of lp_walk_steps. */
LP_API lp_status lp_walk_take(lp_walk *walk, size_t index, lp_error *error);

/* Takes the last step back; false at the initial state. */
LP_API bool lp_walk_back(lp_walk *walk);

/* What it means that no step is possible where a walk stands. */
typedef enum lp_walk_end {
    LP_END_DEADLOCK,
    LP_END_TERMINATED, /* its last step was that */
    LP_END_RETURNED,   /* in .lin: every operation that was called has returned */
} lp_walk_end;

/* Only where lp_walk_steps has none. */
LP_API lp_walk_end lp_walk_ending(const lp_walk *walk);

/* Goes back to the initial state and from there along an execution: events, processes and changes
 * of the steps decide, and its initial state where the model has several. `*followed`: how many of
 * its steps there were; the walk then stands behind them. Of a lasso the last step counts only if
 * the loop leads back to the state that it begins in. */
LP_API lp_status lp_walk_along(lp_walk *walk, const lp_execution *execution, size_t *followed,
                               lp_error *error);

#ifdef __cplusplus
}
#endif

#endif
