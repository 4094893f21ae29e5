/* What the monitor of counters and its bounds share. */
#ifndef MONITOR_COUNTER_H
#define MONITOR_COUNTER_H

#include "monitor/step.h"

/* What an operation adds; 0 if it is a read. */
int64_t counter_amount(const struct part *part, uint32_t operation);

/* Whether the operation is a read that returned a result that counts, and which. */
bool counter_read(const struct part *part, uint32_t operation, int64_t *result);

/* What the counter holds at first. */
int64_t counter_initial(const struct part *part);

/* Of what is added, without its sign; and the greatest common divisor, where 0 is divided by all.
 */
static inline uint64_t counter_size(int64_t amount)
{
    return amount < 0 ? -(uint64_t)amount : (uint64_t)amount;
}

uint64_t counter_divisor(uint64_t a, uint64_t b);

/* Looks for a read that no additions explain, whatever they add: STEP_VIOLATION, with reason and
 * evidence, or STEP_UNDECIDED. */
enum step counter_refute(const struct part *part, struct limits *limits, struct arena *arena,
                         struct decision *decision);

/* Looks for an order, whatever is added: STEP_READY, with the linearization, or STEP_UNDECIDED. */
enum step counter_find_order(const struct part *part, struct limits *limits, struct arena *arena,
                             struct decision *decision);

#endif
