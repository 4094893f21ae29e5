/* Decides the parts of one history in parallel, in passes. A hard part must not keep others from
 * being looked at, one of which may be an easy violation: so in each pass every part that is still
 * undecided gets the same share of work, many times that of the pass before, in the last one
 * without bound but the caller's. What earlier passes did is done again, which costs a small
 * fraction of the last.
 *
 * The answer must not depend on the number of threads. Work is counted, not timed, so what a pass
 * decides is always the same. Unless all violations are wanted, what is reported is, of the first
 * pass that finds any, the violating part with the lowest index: finding one in part i makes the
 * parts above i useless (those being decided are stopped), but those below i still get their
 * share. Limits of time and memory are the exception, as they must be; but a part for which there
 * was no memory while others were being decided gets a second chance alone. */
#include "decide/run.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/parallel.h"

/* Steps that a part gets in the first pass: these, and so many for each operation. */
#define FIRST_SHARE      100000
#define FIRST_SHARE_EACH 100
#define SHARE_GROWTH     32
#define PASSES           4

/* Parts above `part` are of no use any more; under the lock. */
static void stop_above(struct run *run, uint32_t part)
{
    if (part >= run->last)
        return;
    run->last = part;
    for (unsigned i = 0; i < run->threads; i++)
        if (run->workers[i].part != UINT32_MAX && run->workers[i].part > part)
            atomic_store(&run->workers[i].stop, true);
}

void run_fail(struct run *run, uint32_t part, enum status status, const struct error *error)
{
    pthread_mutex_lock(&run->lock);
    if (run->status == STATUS_OK || part < run->failed) {
        run->status = status;
        run->failed = part;
        run->error = *error;
    }
    stop_above(run, part);
    pthread_mutex_unlock(&run->lock);
}

/* Takes over the decision of the worker, which gets a new one; under the lock. False when the
 * budget refuses. */
static bool keep_violation(struct run *run, struct worker *worker, uint32_t index,
                           enum method method)
{
    const struct part *part = run_part(run, index);
    struct violation violation = {.part = index,
                                  .spec = part->spec,
                                  .object = part->object,
                                  .has_key = part->has_key || part->has_independent,
                                  .key = part->has_independent ? part->independent : part->key,
                                  .keyed_results = part->keyed_results,
                                  .method = method,
                                  .decision = worker->decision};
    core_init(&violation.core, run->budget);
    vector_init(&violation.context, run->budget);
    if (!run->options->all && run->violations.length > 0) {
        struct violation *kept = &run->violations.items[0];
        if (kept->part < index)
            return true;
        violation_release(kept);
        *kept = violation;
    } else if (!vector_push(&run->violations, violation)) {
        return false;
    }
    decision_init(&worker->decision, run->budget);
    return true;
}

static void record_linearization(struct run *run, uint32_t index, const struct decision *decision)
{
    const struct part *part = run_part(run, index);
    uint32_t *order = run_order(run, index);
    size_t length = decision->linearization.length;
    for (size_t i = 0; i < length; i++)
        order[i] = part->intervals[decision->linearization.items[i]].index;
    run->records[index].length = (uint32_t)length;
    run->records[index].state = PART_LINEARIZABLE;
}

static void record_violation(struct run *run, uint32_t index, struct worker *worker,
                             enum method method)
{
    struct part_record *record = &run->records[index];
    pthread_mutex_lock(&run->lock);
    record->state = keep_violation(run, worker, index, method) ? PART_VIOLATION : PART_UNKNOWN;
    record->limit = record->state == PART_UNKNOWN ? LIMIT_MEMORY : LIMIT_NONE;
    if (!run->options->all)
        stop_above(run, index);
    pthread_mutex_unlock(&run->lock);
}

/* Undecided, because its share is used up, because it is of no use any more, or for good. */
static void record_unknown(struct run *run, uint32_t index, struct worker *worker)
{
    struct part_record *record = &run->records[index];
    worker->limits.most_work = 0;
    enum limit reached = limits_reached(&worker->limits);
    bool again =
        worker->decision.limit == LIMIT_TIME && reached == LIMIT_NONE && run->pass + 1 < PASSES;
    record->state = again || atomic_load(&worker->stop) ? PART_OPEN : PART_UNKNOWN;
    record->limit = (uint8_t)worker->decision.limit;
    if (worker->decision.furthest > record->length)
        record->length = worker->decision.furthest;
}

static void record_decision(struct run *run, uint32_t index, struct worker *worker,
                            enum method method)
{
    struct part_record *record = &run->records[index];
    record->explored += worker->decision.explored;
    record->method = (uint8_t)method;
    switch (worker->decision.verdict) {
    case VERDICT_LINEARIZABLE:
        record_linearization(run, index, &worker->decision);
        return;
    case VERDICT_VIOLATION:
        record_violation(run, index, worker, method);
        return;
    case VERDICT_UNKNOWN:
        record_unknown(run, index, worker);
        return;
    }
}

/* "search: part 3, violation after 120 states"; of parts that are linearizable only where each step
 * is told. */
static void tell_log(const struct run *run, uint32_t index, const struct worker *worker,
                     enum method method)
{
    const struct decision *decision = &worker->decision;
    static const char *const outcomes[] = {[VERDICT_LINEARIZABLE] = "linearizable",
                                           [VERDICT_VIOLATION] = "a violation",
                                           [VERDICT_UNKNOWN] = "not decided"};
    LOG_AT(run->limits->log, decision->verdict == VERDICT_LINEARIZABLE ? LOG_STEPS : LOG_MOMENTS,
           "%s: part %" PRIu32 ", %s after %s states", method_name(method), index + 1,
           outcomes[decision->verdict], count_text(decision->explored).digits);
}

/* How many steps a part gets in this pass; 0: as many as it takes. */
static uint64_t share_of(const struct run *run, uint32_t index)
{
    uint64_t most = run->options->most_work;
    if (run->pass + 1 == PASSES)
        return most;
    uint64_t share = FIRST_SHARE + FIRST_SHARE_EACH * (uint64_t)run_part(run, index)->count;
    for (unsigned i = 0; i < run->pass; i++)
        share *= SHARE_GROWTH;
    return most && most < share ? most : share;
}

/* Says which part the worker turns to; false if that part is of no use. */
static bool begin_part(struct run *run, struct worker *worker, uint32_t index)
{
    pthread_mutex_lock(&run->lock);
    bool wanted = index <= run->last;
    worker->part = wanted ? index : UINT32_MAX;
    atomic_store(&worker->stop, false);
    atomic_store(&worker->budget.refused, false);
    pthread_mutex_unlock(&run->lock);
    uint64_t share = share_of(run, index);
    worker->limits.most_work = share ? atomic_load(&worker->limits.work) + share : 0;
    return wanted;
}

static void end_part(struct run *run, struct worker *worker)
{
    pthread_mutex_lock(&run->lock);
    atomic_fetch_add(&run->done, run->records[worker->part].state != PART_OPEN);
    worker->part = UINT32_MAX;
    pthread_mutex_unlock(&run->lock);
}

static void decide_part(struct run *run, uint32_t index, struct worker *worker)
{
    if (!begin_part(run, worker, index))
        return;
    enum method method;
    struct error error;
    enum status status = part_decide(run_part(run, index), run->options->method, &worker->limits,
                                     &worker->decision, &method, &error);
    if (status == STATUS_OK) {
        tell_log(run, index, worker, method);
        record_decision(run, index, worker, method);
    } else
        run_fail(run, index, status, &error);
    end_part(run, worker);
}

static void decide_in_turn(void *context, size_t i, unsigned worker)
{
    struct run *run = context;
    if (run->records[run->by_size[i]].state == PART_OPEN)
        decide_part(run, run->by_size[i], &run->workers[worker]);
}

static void require_monitor(void *context, size_t i, unsigned worker)
{
    struct run *run = context;
    struct error error;
    enum status status =
        part_require_monitor(run_part(run, i), run->history, &run->workers[worker].limits, &error);
    if (status != STATUS_OK)
        run_fail(run, (uint32_t)i, status, &error);
}

/* Nothing failed, and there is no violation that would do. */
static bool goes_on(const struct run *run)
{
    return run->status == STATUS_OK && (run->options->all || run->violations.length == 0);
}

/* Parts without memory while others took theirs are tried again, one at a time. */
static void retry_refused(struct run *run)
{
    run->pass = PASSES - 1;
    for (size_t i = 0; i < run_parts(run) && goes_on(run); i++) {
        struct part_record *record = &run->records[i];
        if (record->state != PART_UNKNOWN || record->limit != LIMIT_MEMORY)
            continue;
        record->state = PART_OPEN;
        atomic_fetch_sub(&run->done, 1);
        decide_part(run, (uint32_t)i, &run->workers[0]);
    }
}

void run_decide(struct run *run)
{
    if (run->options->method == METHOD_MONITOR)
        parallel_for(run->threads, run_parts(run), require_monitor, run);
    for (run->pass = 0; run->pass < PASSES && goes_on(run); run->pass++) {
        size_t open = run_parts(run) - atomic_load(&run->done);
        if (open == 0)
            break;
        if (open == 1) /* there is no other to wait for it */
            run->pass = PASSES - 1;
        LOG(run->limits->log, "deciding: pass %u, %s of %s parts are open", run->pass + 1,
            count_text(open).digits, count_text(run_parts(run)).digits);
        parallel_for(run->threads, run_parts(run), decide_in_turn, run);
    }
    if (run->threads > 1)
        retry_refused(run);
}

uint64_t run_work(const struct run *run)
{
    uint64_t work = 0;
    for (unsigned i = 0; i < run->threads; i++)
        work += atomic_load(&run->workers[i].limits.work);
    return work;
}

void run_report_progress(struct run *run)
{
    struct check_progress progress = {
        .parts = run_parts(run), .parts_done = atomic_load(&run->done), .explored = run_work(run)};
    run->options->progress(run->options->progress_user, &progress);
}

static int compare_sizes(const void *a, const void *b, void *context)
{
    const struct run *run = context;
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    uint32_t first_count = run_part(run, first)->count, second_count = run_part(run, second)->count;
    if (first_count != second_count)
        return first_count > second_count ? -1 : 1;
    return (first > second) - (first < second);
}

static void worker_init(const struct run *run, struct worker *worker)
{
    worker->part = UINT32_MAX;
    atomic_init(&worker->stop, false);
    budget_init(&worker->budget, run->budget, 0);
    limits_init_within(&worker->limits, run->limits, &worker->budget);
    worker->limits.stop = &worker->stop;
    decision_init(&worker->decision, run->budget);
}

bool run_create(struct run *run, const struct history *history, const struct check_options *options,
                const struct limits *limits, struct parts *parts)
{
    struct budget *budget = limits->budget;
    size_t count = parts->items.length;
    *run = (struct run){.history = history,
                        .options = options,
                        .limits = limits,
                        .budget = budget,
                        .parts = *parts,
                        .threads = options->threads < count ? options->threads : (unsigned)count,
                        .last = UINT32_MAX};
    vector_init(&run->violations, budget);
    pthread_mutex_init(&run->lock, NULL);
    run->workers = memory_allocate(budget, run->threads * sizeof *run->workers);
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        worker_init(run, &run->workers[i]);
    run->by_size = memory_allocate(budget, count * sizeof *run->by_size);
    run->records = memory_zeroed(budget, count * sizeof *run->records);
    run->orders = memory_allocate(budget, parts->interval_count * sizeof *run->orders);
    if (!run->workers || !run->by_size || !run->records || !run->orders)
        return false;
    for (size_t i = 0; i < count; i++)
        run->by_size[i] = (uint32_t)i;
    qsort_r(run->by_size, count, sizeof *run->by_size, compare_sizes, run);
    return true;
}

void run_release(struct run *run)
{
    struct budget *budget = run->budget;
    for (size_t i = 0; i < run->violations.length; i++)
        violation_release(&run->violations.items[i]);
    vector_release(&run->violations);
    for (unsigned i = 0; run->workers && i < run->threads; i++)
        decision_release(&run->workers[i].decision);
    memory_release(budget, run->workers, run->threads * sizeof *run->workers);
    memory_release(budget, run->by_size, run_parts(run) * sizeof *run->by_size);
    memory_release(budget, run->records, run_parts(run) * sizeof *run->records);
    memory_release(budget, run->orders, run->parts.interval_count * sizeof *run->orders);
    pthread_mutex_destroy(&run->lock);
    parts_release(&run->parts);
}
