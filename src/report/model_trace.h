/* An execution of a model kept in a file, to be stepped through later: the JSON object of the
 * result plus what was asked and what identifies the model. */
#ifndef REPORT_MODEL_TRACE_H
#define REPORT_MODEL_TRACE_H

#include <stdio.h>

#include "report/result.h"
#include "report/tree.h"

/* What was asked. */
struct model_trace_request {
    uint64_t hash;                                   /* lp_model_hash */
    const char *reduce, *search, *method, *fairness; /* as given, or null */
};

struct model_trace {
    bool is_net; /* of linchpin cover: there is no process, assertion or line */
    char *input, *process, *assertion, *verdict, *reason;
    uint32_t line;
    uint64_t hash;
    lp_execution execution;
    bool failing; /* the last step is one that the specification cannot follow */
};

/* Writes the result of the assertion; `found` has an execution. */
void model_trace_write(const struct model_trace_request *request, const struct result *result,
                       const lp_assertion *assertion, const lp_verification *found, FILE *out);

/* From the JSON of a trace of linchpin verify, or with `is_net` of linchpin cover; null if it is
 * none. Release with model_trace_destroy. */
struct model_trace *model_trace_take(yajl_val root, bool is_net);

/* Fills the result with what the trace says. */
void model_trace_fill(struct result *result, const struct model_trace *trace);

void model_trace_destroy(struct model_trace *trace);

#endif
