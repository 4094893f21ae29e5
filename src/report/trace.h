/* A violation kept in a file, to be stepped through later: the JSON object of the result plus what
 * was asked and what identifies the input. */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include <stdio.h>

#include "base/status.h"
#include "report/model_trace.h"
#include "report/result.h"
#include "report/test_trace.h"

struct trace_partial {
    uint32_t *order, *stuck;
    size_t order_length, stuck_length;
    char *state;
};

struct trace {
    char *input;   /* names one history */
    uint64_t hash; /* of the input, lp_history_hash */

    /* The options that the verdict depends on, as given. */
    char **specs;
    size_t spec_count;
    char *initial, *format, *method; /* or null */
    char *results, *order;           /* likewise */
    bool independent, owned, knossos_nil;

    /* What was found. */
    char *spec, *reason, *object;
    char *key; /* in EDN, or null */
    uint32_t *core, *context, *evidence;
    size_t core_length, context_length, evidence_length;
    bool core_complete, keyed_results;
    struct trace_partial *partials;
    size_t partial_count;
};

/* Writes the result, whose first violation is `found`, with the request part of `request`: hash,
 * options. */
void trace_write(const struct trace *request, const struct result *result,
                 const lp_violation *found, FILE *out);

/* A trace of one kind; the others are null. */
struct traces {
    struct trace *history;
    struct model_trace *model; /* or net */
    struct test_trace *test;
};

/* Reads a trace. STATUS_INPUT when it is none. To be released with traces_release. */
enum status trace_read(const char *path, struct traces *traces, struct error *error) MUST_CHECK;
void traces_release(struct traces *traces);
void trace_destroy(struct trace *trace);

#endif
