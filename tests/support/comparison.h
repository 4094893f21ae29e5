/* Comparing a monitor with the definition, part by part. */
#ifndef TESTS_SUPPORT_COMPARISON_H
#define TESTS_SUPPORT_COMPARISON_H

#include "monitor/monitors.h"
#include "support/generate.h"

struct comparison {
    const char *label; /* what is printed with the figures */
    /* Result: how many parts were seen, of which the monitor applies to; their verdicts; and of how
     * many violations the evidence was looked at, and how many of those are still there when every
     * operation outside it turns pending. */
    uint64_t parts, applicable, linearizable, violations, looked_at, evident;
    uint64_t evidence; /* operations in the evidence of all violations together */
    /* Where a monitor may give up: how many in a hundred of the parts that it applies to, at most;
     * how often it did, and how many of these were linearizable. */
    uint32_t may_give_up;
    uint64_t given_up, given_up_linearizable;
};

/* Decides the part with both. Fails the test, printing the part (shrunk) and what is wrong, unless
 * the verdicts are the same, a linearization is valid, and a violation comes with a reason and with
 * evidence; also unless a monitor that does not apply says why, and unless what one leaves is
 * decided as by the definition where nobody says who is to decide. A violation's evidence alone is
 * decided again, by the definition, and counted. */
void comparison_part(struct comparison *comparison, const struct part *part);

/* The same, to be handed to sample_enumerate; `context` is the comparison. */
void comparison_visit(void *context, const struct part *part);

/* Random parts in all shapes until `least` of them have been applicable. Prints the seed and the
 * figures. Fails unless a fifth at least of the applicable ones are violations, and a fifth
 * linearizable. */
struct random_comparison {
    uint64_t seed, least;
    uint32_t values;  /* size of the domain; 0: every argument is a new value */
    uint32_t invoked; /* operations per part at most, before those that failed are left out; parts
                         of more than 9 operations are skipped; 0: 9 */
};
void comparison_random(struct comparison *comparison, const struct subject *subject,
                       const struct random_comparison *how);

/* Every part of up to `most` operations over two values, the last size sampled one in
 * `keep_one_in`. */
void comparison_exhaustive(struct comparison *comparison, const struct subject *subject,
                           uint32_t most, uint32_t keep_one_in);

/* A part written by hand, and what the monitor says of it: the reason for the violation (all of
 * it), null if it is linearizable; and, if not null, the evidence: numbers of operations in the
 * order of their invocations, "0 2 3". Compared with the definition as well. */
struct story {
    const char *part, *reason, *evidence;
};
void comparison_stories(struct comparison *comparison, const struct subject *subject,
                        const struct story *stories, size_t count);

/* `count` parts that differ from the one of `text` by a few random changes. Prints the seed and the
 * figures; fails unless a tenth of them at least are violations, and a tenth linearizable. */
void comparison_around(struct comparison *comparison, const struct subject *subject,
                       const char *text, uint64_t seed, uint64_t count);

/* `count` parts of up to 9 operations as scatter.h makes them, over a container. Prints the seed
 * and the figures; fails unless a fifth of them at least are violations, and a fifth linearizable.
 */
void comparison_scatter(struct comparison *comparison, const struct subject *subject, uint64_t seed,
                        uint64_t count);

void comparison_print(const struct comparison *comparison);

/* The monitor of a workload's class, in one line each. */

/* comparison_exhaustive and comparison_random; every violation's evidence must suffice. */
void monitor_compare(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                     const struct random_comparison *random);
/* Of a monitor that may give up, of a hundred parts `percent` at most. */
void monitor_compare_giving_up(const struct workload *workload, uint32_t most, uint32_t keep_one_in,
                               const struct random_comparison *random, uint32_t percent);
void monitor_tell(const struct workload *workload, const struct story *stories, size_t count);

/* Parts to which the monitor does not apply, and why. */
struct refusal {
    const char *workload, *part, *reason;
    uint32_t interval; /* the operation that it names; the part's count if none */
};
void monitor_refuse(const struct refusal *refusals, size_t count);

#endif
