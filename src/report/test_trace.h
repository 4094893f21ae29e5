/* A violation of real code kept in a file: the JSON object of the result plus what was asked, the
 * calls, and what identifies the sources. Nothing of it is ever run. */
#ifndef REPORT_TEST_TRACE_H
#define REPORT_TEST_TRACE_H

#include <stdio.h>

#include <linchpin/program.h>

#include "report/result.h"
#include "report/tree.h"

/* What was asked. */
struct test_trace_request {
    const char *const *sources, *const *flags;
    size_t source_count, flag_count;
};

struct test_trace {
    char *input, *test, *spec, *memory_model, *compilers; /* spec may be null */
    uint64_t hash;
    char **sources, **flags;
    size_t source_count, flag_count;
    lp_tested found; /* all in it is the trace's */
};

/* A number that the contents of the files have in common with no others; false, with a message, if
 * one cannot be read. */
bool test_trace_hash(const char *const *sources, size_t count, uint64_t *hash,
                     struct text *complaint);

/* Writes the result, a violation. */
void test_trace_write(const struct test_trace_request *request, uint64_t hash,
                      const struct result *result, const lp_tested *found, FILE *out);

/* From the JSON of a trace of linchpin test; null if it is none. */
struct test_trace *test_trace_take(yajl_val root);
void test_trace_destroy(struct test_trace *trace);

#endif
