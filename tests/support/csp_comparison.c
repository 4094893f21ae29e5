#include "support/csp_comparison.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/csp_model_test.h"
#include "support/csp_oracle.h"

#define MAX_BYTES ((size_t)64 << 20) /* for what the oracle finds small */

struct one {
    struct csp_comparison *comparison;
    struct csp_model_test *test;
    struct oracle *oracle;
    const struct csp_assertion *assertion;
    enum status status;
    struct assertion_result found;
    struct oracle_result expected;
    char *message;
    size_t size;
};

#define DIFFER(one, ...) (snprintf((one)->message, (one)->size, __VA_ARGS__), false)

/* Whether the oracle can do what the counterexample says, and the specification cannot. */
static bool replays(const struct one *one)
{
    const struct trace *trace = &one->found.trace;
    const char **labels = calloc(trace->steps.length + 1, sizeof *labels);
    for (size_t i = 0; i < trace->steps.length; i++)
        labels[i] = trace->steps.items[i].visible ? trace->steps.items[i].event : NULL;
    bool can =
        oracle_performs(one->oracle, one->assertion->process, labels, trace->steps.length, false);
    bool allowed = one->assertion->kind == ASSERTION_REFINES &&
                   oracle_performs(one->oracle, one->assertion->specification, labels,
                                   trace->steps.length, true);
    free(labels);
    if (allowed)
        return DIFFER(one, "the specification can do the counterexample");
    return can || DIFFER(one, "the oracle cannot do the counterexample");
}

/* Whether the counterexample shows that the model can go on for ever without a visible event: a
 * loop of invisible steps, which the oracle can go round more often than it has states. */
static bool diverges(const struct one *one)
{
    const struct trace *trace = &one->found.trace;
    size_t length = trace->steps.length, states = one->comparison->most_states;
    if (!trace->is_lasso || trace->loop_start >= length)
        return DIFFER(one, "a divergence without a loop");
    for (size_t i = trace->loop_start; i < length; i++)
        if (trace->steps.items[i].visible)
            return DIFFER(one, "a visible event in the loop of a divergence");
    const char **labels = calloc(length + states, sizeof *labels);
    for (size_t i = 0; i < trace->loop_start; i++)
        labels[i] = trace->steps.items[i].visible ? trace->steps.items[i].event : NULL;
    bool can = oracle_performs(one->oracle, one->assertion->process, labels,
                               trace->loop_start + states, false);
    free(labels);
    return can || DIFFER(one, "the oracle cannot go on for ever there");
}

static bool same_evidence(const struct one *one)
{
    bool reaches = one->assertion->kind == ASSERTION_REACHES;
    bool shown = (one->found.answer == VIOLATED) != reaches;
    bool all = !shown || one->assertion->extreme;
    /* A linearizability's product has another form of normalised states than the oracle's. */
    if (all && one->assertion->kind != ASSERTION_LINEARIZES) {
        one->comparison->counted++;
        if (one->found.states != one->expected.states)
            return DIFFER(one, "%zu states instead of %zu", (size_t)one->found.states,
                          one->expected.states);
    }
    if (!shown)
        return true;
    one->comparison->violated++;
    size_t length = one->found.trace.steps.length;
    bool shortest = one->assertion->kind != ASSERTION_DIVERGENCE_FREE &&
                    one->assertion->kind != ASSERTION_REFINES_FAILURES &&
                    one->assertion->kind != ASSERTION_REFINES_FAILURES_DIVERGENCES;
    if (shortest && length != one->expected.length)
        return DIFFER(one, "%zu steps instead of %zu", length, one->expected.length);
    if (one->assertion->extreme && one->found.extreme != one->expected.extreme)
        return DIFFER(one, "the extreme %ld instead of %d", (long)one->found.extreme,
                      one->expected.extreme);
    bool divergence = one->assertion->kind == ASSERTION_DIVERGENCE_FREE ||
                      one->found.failing == FAILING_DIVERGENCE;
    return replays(one) && (!divergence || diverges(one));
}

static bool same(const struct one *one)
{
    bool faulty = one->status != STATUS_OK;
    one->comparison->compared++;
    if (one->expected.answer == ORACLE_UNDEFINED)
        return faulty || DIFFER(one, "an answer, where the oracle says: %s", one->expected.message);
    one->comparison->faulty += one->expected.faults;
    if (faulty && one->expected.faults)
        return true;
    if (faulty)
        return DIFFER(one, "a fault where the oracle has none: %s", one->test->error.message);
    if (one->found.answer == UNDECIDED)
        return DIFFER(one, "undecided, where the oracle has %zu states", one->expected.states);
    if ((one->found.answer == HOLDS) != (one->expected.answer == ORACLE_HOLDS))
        return DIFFER(one, "%s%s%s", one->found.answer == HOLDS ? "holds" : "is violated",
                      one->expected.faults ? " in spite of " : "",
                      one->expected.faults ? one->expected.message : "");
    return one->expected.faults || same_evidence(one);
}

static bool compare(struct one *one, size_t assertion)
{
    one->assertion = &one->test->module.assertions.items[assertion];
    oracle_decide(one->oracle, one->assertion, &one->expected);
    bool agree = true;
    if (one->expected.answer == ORACLE_TOO_LARGE) {
        one->comparison->too_large++;
    } else {
        one->test->budget.limit = one->test->budget.used + MAX_BYTES;
        one->status = csp_model_test_decide(one->test, assertion, REDUCE_NONE, false, &one->found);
        agree = same(one);
        assertion_result_release(&one->found);
    }
    return agree;
}

bool csp_comparison_add(struct csp_comparison *comparison, const char *text, char *message,
                        size_t size)
{
    struct csp_model_test test;
    struct one one = {.comparison = comparison, .test = &test, .message = message, .size = size};
    bool agree = true;
    bool read = csp_model_test_try(&test, text) == STATUS_OK;
    one.oracle = oracle_create(&test.module, comparison->most_states);
    if (read)
        for (size_t i = 0; agree && i < test.module.assertions.length; i++) {
            agree = compare(&one, i);
            if (!agree) {
                size_t used = 0;
                while (message[used])
                    used++;
                snprintf(message + used, size - used, " (%.*s)",
                         (int)(one.assertion->end - one.assertion->at),
                         test.script.text + one.assertion->at);
            }
        }
    oracle_destroy(one.oracle);
    csp_model_test_close(&test);
    return agree;
}
