#include "verify/csp_copies.h"

#include "tell/follow.h"
#include "tell/trace_writer.h"
#include "verify/csp_decide.h"
#include "verify/csp_reachability.h"

/* Cut-offs are tried up to this one: a higher one tells more states apart, and is of use where
 * several copies can be in the same place. */
#define LAST_CUT_OFF 3

/* Where what the abstraction shows cannot be followed, these numbers of copies are explored. */
#define MOST_EXPLORED 4

/* An execution is looked for with as many copies as it has steps, and one that takes none of them;
 * but with no more than this. */
#define MOST_FOLLOWED 64

/* Whether the answer is one that an execution shows, and not the absence of one. */
static bool is_shown(const struct csp_decision *decision)
{
    return decision->result->answer ==
           (decision->assertion->kind == ASSERTION_REACHES ? HOLDS : VIOLATED);
}

/* What must be true where the steps end; false if that cannot be followed. */
static bool what_to_follow(const struct csp_decision *decision, enum status status,
                           struct follow *wanted)
{
    *wanted = (struct follow){.labels = decision->steps.items, .count = decision->steps.length};
    if (status == STATUS_INPUT) {
        wanted->goal = FOLLOW_FAULT;
        return decision->result->trace.start != NULL;
    }
    switch ((enum csp_assertion_kind)decision->assertion->kind) {
    case ASSERTION_DEADLOCK_FREE:
    case ASSERTION_NONTERMINATING:
        wanted->goal = FOLLOW_STUCK;
        return true;
    case ASSERTION_REACHES:
        wanted->goal = FOLLOW_CONDITION;
        wanted->has_extreme = decision->result->has_extreme;
        wanted->value = decision->result->extreme;
        return true;
    case ASSERTION_DETERMINISTIC:
    case ASSERTION_DIVERGENCE_FREE:
    case ASSERTION_SATISFIES:
        return false;
    default:
        wanted->goal = FOLLOW_STEPS;
        return decision->result->failing == FAILING_EVENT;
    }
}

/* Looks for the steps in the model with so many copies; if they are there, the trace is that of
 * these. */
static enum status follow_with(struct csp_decision *decision, uint32_t copies,
                               struct follow *wanted, bool *found)
{
    const struct assertion_options *options = decision->options;
    const struct assertion_options plain = {.reductions = REDUCE_NONE, .limits = options->limits};
    struct csp_side *side = &decision->implementation;
    struct reachability_options conditions = {0};
    struct execution execution;
    struct trace *trace = &decision->result->trace;
    reductions used = decision->result->reductions;
    execution_init(&execution, options->limits->budget);
    csp_side_close(side);
    *side = (struct csp_side){0};
    decision->counting = (struct csp_counting){.copies = copies};
    decision->options = &plain;
    enum status status = csp_side_open(decision, decision->assertion->process, side);
    if (status == STATUS_OK && wanted->goal == FOLLOW_CONDITION) {
        status = csp_reachability_goal(decision, &conditions);
        wanted->condition = conditions.condition;
        wanted->extreme = conditions.extreme;
    }
    if (status == STATUS_OK)
        status = csp_side_start(decision, side);
    if (status == STATUS_OK)
        status = follow(&side->graph, wanted, &execution, found, decision->error);
    if (*found || (status == STATUS_INPUT && execution.states.length)) {
        trace->steps.length = 0;
        status = trace_replay_beside(&side->graph, &execution, trace, status, decision->error);
    }
    decision->options = options;
    decision->result->reductions = used;
    execution_release(&execution);
    return status;
}

/* Looks for what the abstraction shows in the model itself, with 1, 2, ... copies. */
static enum status confirm(struct csp_decision *decision, enum status status, uint32_t *copies)
{
    struct follow wanted;
    *copies = 0;
    if (!what_to_follow(decision, status, &wanted))
        return STATUS_OK;
    uint32_t most = wanted.count < MOST_FOLLOWED ? (uint32_t)wanted.count + 1 : MOST_FOLLOWED;
    for (uint32_t n = 1; n <= most; n++) {
        bool found = false;
        TRY(follow_with(decision, n, &wanted, &found));
        if (found) {
            *copies = n;
            return STATUS_OK;
        }
    }
    return STATUS_OK;
}

static void tell_copies(struct csp_decision *decision, uint32_t copies)
{
    struct text *reason = &decision->result->reason;
    decision->result->copies = copies;
    text_format(reason, "%swith %u %s for `..`", reason->length ? ", " : "", copies,
                copies == 1 ? "copy" : "copies");
}

/* Decides for every number of copies at once, by counting up to a cut-off. */
static enum status decide_counted(struct csp_decision *decision, struct value_pool *pool,
                                  uint32_t cut_off, bool *settled)
{
    struct assertion_result *result = decision->result;
    csp_decision_restart(decision);
    decision->counting = (struct csp_counting){.cut_off = cut_off};
    enum status status = csp_decide(decision, pool);
    *settled = true;
    if (status != STATUS_OK && status != STATUS_INPUT)
        return status;
    if (status == STATUS_INPUT && !result->trace.start)
        return status; /* wrong whatever the number */
    if (status == STATUS_OK && result->answer == UNDECIDED && result->limit != LIMIT_NONE)
        return status;
    if (status == STATUS_OK && !is_shown(decision)) {
        *settled = !atomic_load(&decision->implementation.model->shared.inexact) &&
                   result->answer != UNDECIDED;
        if (*settled && result->answer == HOLDS)
            text_format(&result->reason, "for any number of copies, counted up to %u", cut_off);
        return status;
    }
    uint32_t copies;
    struct error fault = *decision->error;
    TRY(confirm(decision, status, &copies));
    *settled = copies > 0;
    *decision->error = fault;
    if (*settled)
        tell_copies(decision, copies);
    return STATUS_OK;
}

/* The answer for 1, 2, ... copies each, as far as it is one that an execution shows. */
static enum status decide_few(struct csp_decision *decision, struct value_pool *pool, bool *settled)
{
    struct assertion_result *result = decision->result;
    for (uint32_t n = 1; n <= MOST_EXPLORED; n++) {
        csp_decision_restart(decision);
        decision->counting = (struct csp_counting){.copies = n};
        *settled = true;
        TRY(csp_decide(decision, pool));
        if (result->answer == UNDECIDED)
            return STATUS_OK;
        if (is_shown(decision)) {
            tell_copies(decision, n);
            return STATUS_OK;
        }
    }
    *settled = false;
    return STATUS_OK;
}

/* An answer for every number of copies from one on; see docs/internals/reductions.md. */
enum status csp_decide_any_number(struct csp_decision *decision, struct value_pool *pool)
{
    struct assertion_result *result = decision->result;
    bool settled = false;
    bool counts = decision->assertion->kind != ASSERTION_DETERMINISTIC &&
                  !csp_decision_is_fair(decision) && decision->program->counts.length == 0;
    bool extreme = decision->assertion->extreme != NULL;
    for (uint32_t cut_off = 1; counts && cut_off <= LAST_CUT_OFF; cut_off++) {
        TRY(decide_counted(decision, pool, cut_off, &settled));
        if (settled)
            return STATUS_OK;
    }
    /* a greatest value with few copies need not be the greatest */
    if (!extreme)
        TRY(decide_few(decision, pool, &settled));
    if (settled)
        return STATUS_OK;
    result->answer = UNDECIDED;
    result->limit = LIMIT_NONE;
    text_clear(&result->reason);
    if (!extreme)
        text_format(&result->reason, "with 1 to %d copies for `..` the answer is %s, but ",
                    MOST_EXPLORED,
                    decision->assertion->kind == ASSERTION_REACHES ? "violated" : "holds");
    if (!counts)
        text_format(&result->reason, "%s is not decided for any number",
                    csp_decision_is_fair(decision) ? "fairness"
                    : decision->assertion->kind == ASSERTION_DETERMINISTIC
                        ? "determinism"
                        : "what processes are at work");
    else
        text_format(&result->reason,
                    "counting copies up to %d leaves more possible than any number that was tried "
                    "shows",
                    LAST_CUT_OFF);
    trace_release(&result->trace);
    trace_init(&result->trace, decision->options->limits->budget);
    return STATUS_OK;
}
