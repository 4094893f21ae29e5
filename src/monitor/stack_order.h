/* A linearization of a stack's history from the order in which its values were eliminated. */
#ifndef MONITOR_STACK_ORDER_H
#define MONITOR_STACK_ORDER_H

#include "monitor/stack_elimination.h"

/* Appends the operations to decision->linearization: `elimination` has eliminated everything, the
 * pop values->empties[i] found the stack empty at moment empty_at[i]. O(n). False when refused. */
bool nesting_linearize(struct elimination *elimination, const uint32_t *empty_at,
                       struct decision *decision) MUST_CHECK;

#endif
