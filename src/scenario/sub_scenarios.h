/* Smaller scenarios that are made of one: with some of its calls, or with fewer threads. */
#ifndef SCENARIO_SUB_SCENARIOS_H
#define SCENARIO_SUB_SCENARIOS_H

#include "scenario/scenarios.h"

/* The scenario of some of its calls (a bit each, at least one), in their threads; threads that have
 * none are left out. */
void scenario_of_calls(const struct scenario *scenario, uint32_t calls, struct scenario *part);

/* The scenario in which thread `first` makes the calls of `second` behind its own, and `second` is
 * no more. */
void scenario_of_fewer_threads(const struct scenario *scenario, unsigned first, unsigned second,
                               struct scenario *joined);

/* Whether each call is made by a thread that may. */
bool scenario_is_allowed(const struct scenario *scenario,
                         const struct scenario_interface *interface);

#endif
