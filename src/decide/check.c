/* Decides a whole history. It is linearizable exactly when each of its parts is (Herlihy and Wing's
 * locality, and keys that never interact): the parts are decided on their own (run.c), their
 * linearizations merged (merge.c), and of those that have none the core is looked for (core.c). */
#include "decide/check.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parallel.h"
#include "base/ticker.h"
#include "decide/coverage.h"
#include "decide/explain.h"
#include "decide/merge.h"
#include "decide/run.h"
#include "monitor/monitors.h"

#define PROGRESS_MILLISECONDS 250

/* The work for cores, in steps, so that a history has the same answer on every machine. For those
 * of large parts: as much as the verdict took, and this together, some tenths of a second; of each
 * one this at least. For that of a small part: enough for nearly all, and not more than a second.
 */
#define CORE_WORK       UINT64_C(5000000)
#define CORE_WORK_LEAST UINT64_C(100000)
#define CORE_WORK_SMALL UINT64_C(20000000)

/* ---- what is told of violations ---- */

struct telling {
    struct run *run;
    uint64_t work; /* for the core of each large part, beside what the verdict took */
};

static void to_places(const struct part *part, uint32_t *items, size_t length)
{
    for (size_t i = 0; i < length; i++)
        items[i] = part->intervals[items[i]].index;
}

static void violation_to_places(const struct part *part, struct violation *violation)
{
    struct decision *decision = &violation->decision;
    to_places(part, violation->core.members.items, violation->core.members.length);
    to_places(part, decision->evidence.items, decision->evidence.length);
    for (size_t i = 0; i < decision->partials.length; i++) {
        struct partial_linearization *partial = &decision->partials.items[i];
        to_places(part, partial->order, partial->length);
        to_places(part, partial->stuck, partial->stuck_length);
    }
}

/* Finds the core of one violation, and words for it. */
static void tell_violation(void *context, size_t i, unsigned worker)
{
    (void)worker;
    const struct telling *telling = context;
    struct run *run = telling->run;
    struct violation *violation = &run->violations.items[i];
    const struct part *part = run_part(run, violation->part);
    struct limits limits;
    atomic_bool fault;
    limits_init_within(&limits, run->limits, run->budget);
    atomic_init(&fault, false);
    limits.fault = &fault;
    limits.most_work = (part->count > CORE_SMALL ? telling->work : CORE_WORK_SMALL) +
                       violation->decision.explored + part->count;
    struct error error;
    enum status status =
        core_find(part, &violation->decision, violation->method, &limits, &violation->core, &error);
    if (status != STATUS_OK) {
        run_fail(run, violation->part, status, &error);
        return;
    }
    LOG(limits.log, "core: part %" PRIu32 ", %zu of %s operations%s", violation->part + 1,
        violation->core.members.length, count_text(part->count).digits,
        violation->core.complete ? "" : ", perhaps not the fewest");
    explain_violation(run->history, part, &limits, violation);
    violation_to_places(part, violation);
}

static void tell_violations(struct run *run)
{
    uint64_t count = run->violations.length ? run->violations.length : 1;
    struct telling telling = {.run = run, .work = CORE_WORK / count};
    if (telling.work < CORE_WORK_LEAST)
        telling.work = CORE_WORK_LEAST;
    parallel_for(run->threads, run->violations.length, tell_violation, &telling);
}

static int compare_violations(const void *a, const void *b)
{
    const struct violation *first = a, *second = b;
    return (first->part > second->part) - (first->part < second->part);
}

/* ---- the verdict ---- */

/* The sums over the parts that count, and the verdict. */
static void sum_up(struct run *run, struct check *check)
{
    check->part_count = run_parts(run);
    check->verdict = VERDICT_LINEARIZABLE;
    for (size_t i = 0; i < run_parts(run) && i <= run->last; i++) {
        const struct part_record *record = &run->records[i];
        check->explored += record->explored;
        if (record->state != PART_OPEN)
            check->methods |= 1u << record->method;
        if (record->state == PART_LINEARIZABLE || record->state == PART_VIOLATION) {
            check->parts_decided++;
        } else {
            check->verdict = VERDICT_UNKNOWN;
            if (record->limit > check->limit)
                check->limit = record->limit;
        }
    }
    if (run->violations.length == 0)
        return;
    qsort(run->violations.items, run->violations.length, sizeof(struct violation),
          compare_violations);
    check->verdict = VERDICT_VIOLATION;
    check->limit = LIMIT_NONE;
    const struct text *reason = &run->violations.items[0].decision.reason;
    text_append_bytes(&check->reason, text_string(reason), reason->length);
}

#define ASKED_MOST 100000 /* operations: time is up */

/* " (line 4)", if it is an operation that has one. */
static void append_line_of(const struct run *run, const struct part *part, uint32_t interval,
                           struct text *text)
{
    if (interval >= part->count)
        return;
    const uint32_t index = part->intervals[interval].index;
    const uint32_t line = run->history->operations.items[index].invoke_line;
    if (line)
        text_format(text, " (line %" PRIu32 ")", line);
}

/* Why a part was searched, though its object has a monitor. */
static void tell_why_searched(const struct run *run, const struct part *part, struct text *text)
{
    struct limits limits = {.budget = run->budget}; /* of memory alone */
    struct inapplicable why = {.interval = part->count, .reason = TEXT_EMPTY};
    bool asked = run->options->method == METHOD_AUTO && part->count <= ASKED_MOST &&
                 monitor_find(part->spec->class);
    if (asked && !monitor_applies(part, &limits, &why) && why.reason.length) {
        text_format(text, "; searched, since %s", text_string(&why.reason));
        append_line_of(run, part, why.interval, text);
    }
    text_release(&why.reason);
}

/* Says what an unknown verdict covered; of the parts left undecided the largest is spoken of. */
static void tell_coverage(const struct run *run, struct check *check)
{
    struct coverage coverage = {.limit = check->limit,
                                .timeout = run->options->timeout,
                                .budget = run->budget,
                                .parts_decided = check->parts_decided,
                                .parts = check->part_count,
                                .several_objects = run->options->bind.binding_count > 1,
                                .explored = check->explored,
                                .history = run->history};
    for (size_t i = 0; i < run_parts(run); i++) {
        const struct part *part = run_part(run, i);
        const struct part_record *record = &run->records[i];
        coverage.keyed |= (part->has_key || part->has_independent) && !coverage.several_objects;
        if (record->state == PART_UNKNOWN && record->length > 0 &&
            (!coverage.furthest || part->count > coverage.furthest->count)) {
            coverage.furthest = part;
            coverage.furthest_length = record->length;
        }
    }
    check->covered = coverage_print(&coverage, &check->reason);
    if (coverage.furthest && check->limit == LIMIT_TIME)
        tell_why_searched(run, coverage.furthest, &check->reason);
}

/* Takes the parts' linearizations as one; false when refused. */
static bool join_linearizations(struct run *run, struct check *check)
{
    size_t parts = run_parts(run), size = parts * sizeof(uint32_t);
    uint32_t *lengths = memory_allocate(run->budget, size);
    if (!lengths)
        return false;
    uint32_t total = 0;
    for (size_t i = 0; i < parts; i++) {
        lengths[i] = run->records[i].length;
        assert(run_order(run, i) >= run->orders + total);
        memmove(run->orders + total, run_order(run, i), lengths[i] * sizeof *run->orders);
        total += lengths[i];
    }
    bool merged = linearizations_merge(run->history, run->orders, lengths, parts, run->budget);
    memory_release(run->budget, lengths, size);
    check->linearization.items = run->orders;
    check->linearization.length = total;
    check->linearization.capacity = run->parts.interval_count;
    run->orders = NULL;
    return merged;
}

/* ---- the whole ---- */

static void tick(void *context)
{
    run_report_progress(context);
}

/* Memory ran out before the parts were known, or after they all were decided. */
static void check_refused(struct check *check)
{
    check->verdict = VERDICT_UNKNOWN;
    check->limit = LIMIT_MEMORY;
    struct coverage coverage = {.limit = LIMIT_MEMORY, .budget = check->budget};
    check->covered = coverage_print(&coverage, &check->reason);
}

/* Decides, and moves what the answer keeps out of `run`. */
static void check_run(struct run *run, struct check *check)
{
    struct ticker *ticker =
        run->options->progress ? ticker_start(PROGRESS_MILLISECONDS, tick, run) : NULL;
    run_decide(run);
    check->work = run_work(run);
    if (run->status == STATUS_OK && !run->options->untold)
        tell_violations(run);
    ticker_stop(ticker);
    if (run->status != STATUS_OK)
        return;
    sum_up(run, check);
    if (check->verdict == VERDICT_UNKNOWN)
        tell_coverage(run, check);
    else if (check->verdict == VERDICT_LINEARIZABLE && !join_linearizations(run, check))
        check_refused(check);
    check->violations.items = run->violations.items;
    check->violations.length = run->violations.length;
    check->violations.capacity = run->violations.capacity;
    vector_init(&run->violations, run->budget);
}

enum status check_history(const struct history *history, const struct check_options *options,
                          struct limits *limits, struct check *check, struct error *error)
{
    assert(options->threads >= 1);
    *check = (struct check){.budget = limits->budget, .reason = TEXT_EMPTY};
    vectors_init(limits->budget, &check->linearization, &check->violations);
    struct parts parts = {.budget = limits->budget};
    enum status status = parts_create(history, &options->bind, &parts, error);
    if (status == STATUS_LIMIT) {
        check_refused(check);
        return STATUS_OK;
    }
    TRY(status);
    check->keyed_results = parts.keyed_results;
    struct run run;
    if (run_create(&run, history, options, limits, &parts))
        check_run(&run, check);
    else
        check_refused(check);
    status = run.status;
    if (status != STATUS_OK)
        *error = run.error;
    run_release(&run);
    if (status != STATUS_OK)
        check_release(check);
    return status;
}

void check_release(struct check *check)
{
    for (size_t i = 0; i < check->violations.length; i++)
        violation_release(&check->violations.items[i]);
    vectors_release(&check->violations, &check->linearization);
    text_release(&check->reason);
}
