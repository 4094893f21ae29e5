#include "petri/cover.h"

#include <assert.h>

#include "base/faults.h"
#include "base/log.h"
#include "petri/backward.h"
#include "petri/forward.h"
#include "petri/invariants.h"
#include "petri/shorten.h"

/* Units of work: a few milliseconds. */
#define TURN        SIZE_OR_SMALL(UINT64_C(1) << 18, UINT64_C(1024))
#define LONGEST_RUN ((size_t)10 << 20)   /* transitions */
#define SAY_EVERY   SIZE_OR_SMALL(16, 1) /* turns */

struct solving {
    const struct net *net;
    struct budget *budget;
    const struct limits *limits;
    const struct cover_options *options;
    struct coverage *coverage;
    struct forward *forward; /* null: not asked for, or given up */
    struct backward *backward;
    bool refused, stuck, too_long; /* why engines were given up */
};

/* ---- answers ---- */

static enum status take_certificate(struct solving *solving, bool forward, struct error *error)
{
    struct coverage *coverage = solving->coverage;
    struct certificate *certificate = &coverage->certificate;
    if (forward)
        TRY(forward_certificate(solving->forward, certificate));
    else
        TRY(backward_certificate(solving->backward, certificate));
    TRY(certificate_check(certificate, solving->net, solving->budget, solving->limits, error));
    coverage->verdict = VERDICT_SAFE;
    return STATUS_OK;
}

static enum status check_run(struct solving *solving, struct error *error)
{
    size_t length;
    struct run *run = &solving->coverage->run;
    TRY(run_check(solving->net, run, solving->budget, &length, error));
    assert(length <= run->transitions.length);
    run->transitions.length = length;
    return STATUS_OK;
}

static enum status take_run(struct solving *solving, bool forward, struct error *error)
{
    struct coverage *coverage = solving->coverage;
    if (forward)
        TRY(forward_run(solving->forward, solving->budget, LONGEST_RUN, &coverage->run));
    else
        TRY(backward_run(solving->backward, solving->budget, &coverage->run));
    TRY(check_run(solving, error));
    coverage->verdict = VERDICT_UNSAFE;
    return STATUS_OK;
}

/* ---- turns ---- */

static void give_up(struct solving *solving, bool forward)
{
    LOG(solving->limits->log, "coverability: %s gave up, %s", forward ? "forward" : "backward",
        (forward ? (void *)solving->backward : (void *)solving->forward)
            ? forward ? "backward has the turn" : "forward has the turn"
            : "no engine is left");
    if (forward) {
        forward_destroy(solving->forward);
        solving->forward = NULL;
    } else {
        backward_destroy(solving->backward);
        solving->backward = NULL;
    }
}

/* A basis of nothing: the targets themselves cannot be reached. */
static const char *method(const struct coverage *coverage, bool forward)
{
    bool basis = coverage->certificate.kind == CERTIFICATE_BASIS;
    if (coverage->problem.targets.length == 0)
        return "pairs";
    if (basis && coverage->certificate.markings.length == 0)
        return "invariants";
    return forward ? "forward" : "backward";
}

/* What an engine's state means; STATUS_LIMIT where its answer cannot be taken for want of memory or
 * time. */
static enum status settle(struct solving *solving, bool forward, enum engine_state state,
                          struct error *error)
{
    struct coverage *coverage = solving->coverage;
    enum status status = STATUS_OK;
    assert(coverage->verdict == VERDICT_UNKNOWN && "the first answer ends it");
    if (state == ENGINE_SAFE)
        status = take_certificate(solving, forward, error);
    else if (state == ENGINE_UNSAFE)
        status = take_run(solving, forward, error);
    if (coverage->verdict != VERDICT_UNKNOWN) {
        coverage->method = method(coverage, forward);
        LOG(solving->limits->log, "coverability: %s by %s, and checked",
            coverage->verdict == VERDICT_SAFE ? "safe" : "unsafe", coverage->method);
    } else if (status == STATUS_LIMIT && coverage->found == VERDICT_UNKNOWN) {
        coverage->found = state == ENGINE_SAFE ? VERDICT_SAFE : VERDICT_UNSAFE;
        coverage->found_by = method(coverage, forward);
    }
    solving->stuck = solving->stuck || state == ENGINE_STUCK;
    solving->refused = solving->refused || state == ENGINE_REFUSED;
    if (status == STATUS_LIMIT && state == ENGINE_UNSAFE && !solving->budget->refused &&
        limits_reached(solving->limits) == LIMIT_NONE) {
        solving->too_long = true;
        status = STATUS_OK;
    }
    if (state != ENGINE_RUNNING && coverage->verdict == VERDICT_UNKNOWN)
        give_up(solving, forward);
    return status;
}

static uint64_t explored(const struct solving *solving)
{
    return (solving->forward ? forward_explored(solving->forward) : 0) +
           (solving->backward ? backward_explored(solving->backward) : 0);
}

static enum status take_turns(struct solving *solving, struct error *error)
{
    struct coverage *coverage = solving->coverage;
    uint64_t said = 0;
    for (size_t turn = 0; coverage->verdict == VERDICT_UNKNOWN; turn++) {
        if (!solving->forward && !solving->backward)
            return STATUS_OK;
        if (solving->forward)
            TRY(settle(solving, true, forward_work(solving->forward, TURN), error));
        if (solving->backward && coverage->verdict == VERDICT_UNKNOWN)
            TRY(settle(solving, false, backward_work(solving->backward, TURN), error));
        coverage->explored = explored(solving);
        if (coverage->verdict == VERDICT_UNKNOWN && log_due(solving->limits->log, turn + 1, &said))
            LOG(solving->limits->log, "coverability: turn %zu, %s markings", turn + 1,
                count_text(coverage->explored).digits);
        if (turn % SAY_EVERY == 0 && solving->options->progress)
            solving->options->progress(solving->options->user, coverage->explored);
        if (coverage->verdict == VERDICT_UNKNOWN && limits_reached(solving->limits) != LIMIT_NONE)
            return STATUS_LIMIT;
    }
    return STATUS_OK;
}

static void begin_engines(struct solving *solving)
{
    const struct problem *problem = &solving->coverage->problem;
    unsigned engines = solving->options->engines ? solving->options->engines : COVER_ALL;
    if (engines & COVER_FORWARD) {
        solving->forward = forward_create(problem, solving->budget);
        solving->refused = !solving->forward;
    }
    if (engines & COVER_BACKWARD) {
        solving->backward = backward_create(problem, BACKWARD_GUIDED, solving->budget);
        solving->refused = solving->refused || !solving->backward;
    }
}

/* ---- the whole ---- */

static enum status shorten(struct solving *solving, struct error *error)
{
    struct coverage *coverage = solving->coverage;
    if (coverage->verdict != VERDICT_UNSAFE || solving->options->any_run)
        return STATUS_OK;
    /* For lack of memory it stays as long as it is. */
    if (run_shorten(&coverage->problem, solving->budget, solving->limits, &coverage->run,
                    &coverage->shortest) == STATUS_INTERNAL)
        return STATUS_INTERNAL;
    return check_run(solving, error);
}

static enum status solve(struct solving *solving, struct error *error)
{
    struct coverage *coverage = solving->coverage;
    const struct net *net = solving->net;
    if (net->refused)
        return STATUS_LIMIT;
    coverage->run.initial =
        memory_zeroed(solving->budget, net->places.length * sizeof *coverage->run.initial);
    TRY_MEMORY(coverage->run.initial);
    unsigned engines = solving->options->engines ? solving->options->engines : COVER_ALL;
    TRY(problem_make(net, solving->budget, solving->limits, &coverage->problem));
    LOG(solving->limits->log, "coverability: %zu places and %zu transitions, %zu targets",
        net->places.length, net->transitions.length, coverage->problem.targets.length);
    TRY(invariants_bound(&coverage->problem, engines & COVER_INVARIANTS, solving->budget,
                         solving->limits));
    begin_engines(solving);
    enum status status = take_turns(solving, error);
    forward_destroy(solving->forward);
    backward_destroy(solving->backward);
    TRY(status);
    return shorten(solving, error);
}

enum status cover_solve(const struct net *net, struct budget *budget, const struct limits *limits,
                        const struct cover_options *options, struct coverage *coverage,
                        struct error *error)
{
    static const struct cover_options defaults;
    struct solving solving = {.net = net,
                              .budget = budget,
                              .limits = limits,
                              .options = options ? options : &defaults,
                              .coverage = coverage};
    *coverage = (struct coverage){.verdict = VERDICT_UNKNOWN,
                                  .found = VERDICT_UNKNOWN,
                                  .method = "",
                                  .found_by = "",
                                  .budget = budget};
    certificate_init(&coverage->certificate, budget);
    vector_init(&coverage->run.transitions, budget);
    coverage->problem.net = net;
    enum status status = solve(&solving, error);
    if (status == STATUS_LIMIT || (status == STATUS_OK && coverage->verdict == VERDICT_UNKNOWN)) {
        coverage->verdict = VERDICT_UNKNOWN;
        coverage->method = "";
        coverage->limit = limits_reached(limits);
        if (coverage->limit == LIMIT_NONE && (status == STATUS_LIMIT || solving.refused))
            coverage->limit = LIMIT_MEMORY;
        if (coverage->limit == LIMIT_NONE)
            coverage->reason = solving.too_long
                                   ? "the shortest run found has more than 10 million transitions"
                                   : "counts of tokens exceed 1,073,741,824";
        status = STATUS_OK;
    }
    return status;
}

void coverage_release(struct coverage *coverage)
{
    size_t places = coverage->problem.net->places.length;
    certificate_release(&coverage->certificate);
    vector_release(&coverage->run.transitions);
    memory_release(coverage->budget, coverage->run.initial, places * sizeof *coverage->run.initial);
    problem_release(&coverage->problem);
}
