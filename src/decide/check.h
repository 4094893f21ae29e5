/* Decides a whole history: cuts it into parts, has them decided in parallel, and makes one verdict
 * of theirs, with a linearization or with violations that are explained. */
#ifndef DECIDE_CHECK_H
#define DECIDE_CHECK_H

#include "decide/check_options.h"
#include "decide/violation.h"

/* The answer. */
struct check {
    struct budget *budget;
    size_t part_count;
    enum verdict verdict; /* violation before unknown before linearizable */
    enum limit limit;     /* why unknown */
    bool keyed_results;   /* of some map the answers were read as [key value] */
    unsigned methods;     /* the engines used: 1u << enum method, joined */
    struct text reason;   /* of the first violation, or what an unknown covered; else empty */
    size_t covered;       /* VERDICT_UNKNOWN: where in the reason that begins, behind the limit */

    /* Of a violation only the parts up to the first violating one count (unless `all`): the others
     * may not have been looked at, and the answer does not depend on the number of threads. */
    size_t parts_decided;
    uint64_t explored;
    uint64_t work; /* steps, of all parts that were begun */

    /* VERDICT_LINEARIZABLE: places in history->operations, a legal order of the whole history. */
    VECTOR(uint32_t) linearization;
    VECTOR(struct violation) violations; /* by part */
};

/* Decides `history` within `limits`, whose budget the answer is charged to. STATUS_OK whenever
 * there is an answer, VERDICT_UNKNOWN included; else nothing is to be released: STATUS_INPUT and
 * STATUS_USAGE as parts_create has them, STATUS_USAGE for a forced monitor that does not apply,
 * STATUS_INTERNAL when a result did not stand its test. */
enum status check_history(const struct history *history, const struct check_options *options,
                          struct limits *limits, struct check *check,
                          struct error *error) MUST_CHECK;
void check_release(struct check *check);

#endif
