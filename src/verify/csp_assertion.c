#include "verify/csp_assertion.h"

#include "csp/mentions.h"
#include "verify/csp_copies.h"
#include "verify/csp_decide.h"
#include "verify/csp_specification.h"

static bool is_refinement(const struct csp_decision *decision)
{
    uint8_t kind = decision->assertion->kind;
    return kind >= ASSERTION_REFINES && kind <= ASSERTION_REFINES_FAILURES_DIVERGENCES;
}

static enum status decide(struct csp_decision *decision, struct value_pool *pool)
{
    const struct csp_process *any = NULL;
    if (is_refinement(decision))
        TRY(csp_find_any_copies(decision->program, decision->assertion->specification, &any));
    if (any)
        return DECISION_FAIL(
            decision, any->at,
            "expected a number of copies in a specification of a refinement, found `..`");
    TRY(csp_find_any_copies(decision->program, decision->assertion->process, &any));
    if (any && assertion_is_unasked(decision->options, "any number of copies", decision->result))
        return STATUS_OK;
    return any ? csp_decide_any_number(decision, pool) : csp_decide(decision, pool);
}

/* What is alike, unless the specification tells callers apart. */
static enum status find_indices(struct csp_decision *decision, struct value_pool *pool)
{
    const struct csp_assertion *assertion = decision->assertion;
    struct spec *spec = NULL;
    TRY(csp_indices_find(decision->program, assertion, decision->labels, &decision->indices));
    if (assertion->kind != ASSERTION_LINEARIZES || decision->indices.nodes.count == 0)
        return STATUS_OK;
    struct error ignored; /* it comes again when the assertion is decided */
    if (csp_assertion_spec(decision->program->module, assertion, pool,
                           decision->options->limits->budget, &spec, &ignored) == STATUS_OK)
        decision->asymmetric = spec_tells_callers(spec);
    spec_destroy(spec);
    return STATUS_OK;
}

enum status csp_assertion_decide(struct csp_program *program, const struct csp_assertion *assertion,
                                 struct value_pool *pool, const struct assertion_options *options,
                                 struct assertion_result *result, struct error *error)
{
    struct csp_decision decision = {.program = program,
                                    .assertion = assertion,
                                    .options = options,
                                    .result = result,
                                    .error = error};
    vector_init(&decision.steps, options->limits->budget);
    decision.labels = labels_create(options->limits->budget);
    enum status status = decision.labels ? STATUS_OK : STATUS_LIMIT;
    if (status == STATUS_OK && (options->reductions & REDUCE_SYMMETRY))
        status = find_indices(&decision, pool);
    if (status == STATUS_OK)
        status = decide(&decision, pool);
    if (status == STATUS_LIMIT) { /* refused before the walk began */
        assertion_refused(result, options->limits);
        status = STATUS_OK;
    }
    csp_side_close(&decision.implementation);
    csp_indices_release(&decision.indices);
    vector_release(&decision.steps);
    labels_destroy(decision.labels);
    return status;
}
