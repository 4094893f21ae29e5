/* Decides the parts of one history in parallel (run.c has how). check.c uses it between the
 * question and the answer. */
#ifndef DECIDE_RUN_H
#define DECIDE_RUN_H

#include <pthread.h>

#include "decide/check_options.h"
#include "decide/violation.h"

enum part_state {
    PART_OPEN, /* not decided yet, or of no use any more */
    PART_LINEARIZABLE,
    PART_VIOLATION,
    PART_UNKNOWN,
};

/* What became of a part. */
struct part_record {
    uint64_t explored; /* in all passes */
    uint32_t length;   /* of its linearization, or of the longest order found */
    uint8_t state;     /* enum part_state */
    uint8_t method;    /* enum method; of what was decided */
    uint8_t limit;     /* enum limit; PART_UNKNOWN */
};

/* What one thread needs, so that no two share a budget's `refused` or a `stop`. */
struct worker {
    struct budget budget;
    struct limits limits;
    atomic_bool stop;
    uint32_t part; /* being decided; UINT32_MAX: none; under the run's lock */
    struct decision decision;
};

struct run {
    const struct history *history;
    const struct check_options *options;
    const struct limits *limits;
    struct budget *budget;
    struct parts parts;
    unsigned pass;
    struct worker *workers;
    unsigned threads;
    uint32_t *by_size; /* parts, biggest first */
    struct part_record *records;
    uint32_t *orders; /* linearizations, places in the history; each begins where its part's
                         intervals do */
    atomic_size_t done;
    pthread_mutex_t lock; /* of the workers' `part`, and of all that follows */
    uint32_t last;        /* parts above it need not be decided */
    enum status status;   /* of the lowest part that failed */
    uint32_t failed;
    struct error error;
    VECTOR(struct violation) violations; /* intervals of their parts in all their numbers */
};

/* False when the budget refuses. Release it whatever the answer. */
bool run_create(struct run *run, const struct history *history, const struct check_options *options,
                const struct limits *limits, struct parts *parts) MUST_CHECK;
void run_release(struct run *run);

/* Decides the parts: fills in `records`, `orders` and `violations`, and `status` on a failure. */
void run_decide(struct run *run);

/* Notes that `part` failed: the failure of the lowest part is the run's. */
void run_fail(struct run *run, uint32_t part, enum status status, const struct error *error);

/* The steps that all parts have taken so far. */
uint64_t run_work(const struct run *run);

/* Calls options->progress. */
void run_report_progress(struct run *run);

static inline size_t run_parts(const struct run *run)
{
    return run->parts.items.length;
}

static inline const struct part *run_part(const struct run *run, size_t index)
{
    return &run->parts.items.items[index];
}

/* Where the linearization of a part stands. */
static inline uint32_t *run_order(const struct run *run, size_t index)
{
    return run->orders + (run_part(run, index)->intervals - run->parts.intervals);
}

#endif
