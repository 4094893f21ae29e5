/* A process of a model, ready to be walked: a private copy of the model with everything that its
 * states need. */
#ifndef API_PROCESS_H
#define API_PROCESS_H

#include "api/model.h"
#include "model/csp_model.h"

struct process {
    struct budget budget; /* below the context's */
    struct model_copy instance;
    struct labels *labels;
    struct csp_model *model;
    const char *name; /* "Q(2)"; in the instance's arena */
    bool opened;
};

/* The process that `reference` names; null: that of the first assertion, or of the last definition
 * without parameters. STATUS_USAGE: there is none. Release whatever the status. */
enum status process_open(struct process *process, lp_context *context, const lp_model *model,
                         const char *reference, struct error *error) MUST_CHECK;
void process_release(struct process *process);

#endif
