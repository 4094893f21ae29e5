/* Learns from a walk over the blocks of a register: register_learn.c. */
#ifndef MONITOR_REGISTER_LEARN_H
#define MONITOR_REGISTER_LEARN_H

#include "monitor/register_schedule.h"

/* Where the walk came to an end too early: whether there is another way, which the hints say from
 * now on; the walk up to schedule->back is the same. */
bool schedule_learn(struct schedule *schedule);

#endif
