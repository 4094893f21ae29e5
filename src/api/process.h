/* A process of a model, ready to be walked: a private copy of the model with everything that its
 * states need. */
#ifndef API_PROCESS_H
#define API_PROCESS_H

#include "api/model.h"
#include "csp/model.h"
#include "verify/lin_instance.h"

struct process {
    struct budget budget; /* below the context's */
    struct limits limits; /* of all work on it */
    struct model_copy instance;
    struct labels *labels;
    const struct model *model; /* of one of the next two */
    struct worker *worker;     /* of the model */
    struct csp_model *csp;
    struct lin_instance lin;
    const char *name;         /* "Q(2)"; in the instance's arena */
    uint32_t copies;          /* of each `|||{..}`; 0: without end */
    bool apart;               /* processes keep their places */
    struct lin_bounds bounds; /* about any number of threads; threads 0: not given */
    bool opened, has_lin;
};

/* The process that `reference` names; null: that of the first assertion, or of the last definition
 * without parameters. `Main() with copies = 3` says
 * how many copies `|||{..}` has, `with processes = apart` that processes keep their places, as
 * where there is fairness. In `.lin` a reference is an assertion without its first word, or an
 * implementation alone, which stands for the first assertion about it, or for its threads with
 * their options, `IMPL with threads = 3`, where there is none; with
 * `[3 threads, 2 values]` behind one about any number of threads, and in what is `walked` nodes
 * keep their numbers, as in the executions that are shown of it. STATUS_USAGE: there is none.
 * `timeout`: seconds from now on for all work on it, 0: any number. Release whatever the status. */
enum status process_open(struct process *process, lp_context *context, const lp_model *model,
                         const char *reference, bool walked, double timeout,
                         struct error *error) MUST_CHECK;
/* Says which limit has stopped the work, for STATUS_LIMIT; null: memory, before there was one. */
void process_explain_limit(const struct process *process, struct error *error);
void process_release(struct process *process);

/* Whether two states differ by the names of nodes at most. */
enum status process_is_same(struct process *process, const uint32_t *one, const uint32_t *other,
                            bool *same) MUST_CHECK;

#endif
