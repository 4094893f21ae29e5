/* The monitors, one file each: near-linear decision procedures for one data type. */
#ifndef MONITOR_MONITORS_H
#define MONITOR_MONITORS_H

#include "monitor/decision.h"

extern const struct monitor queue_monitor; /* queue.c */
extern const struct monitor stack_monitor; /* stack.c */
extern const struct monitor priority_queue_monitor;
extern const struct monitor register_monitor; /* register.c */
extern const struct monitor bit_monitor;      /* bit.c: set, mutex, semaphore(1) */
extern const struct monitor counter_monitor;  /* counter.c */
extern const struct monitor grow_set_monitor; /* grow_set.c */
extern const struct monitor unordered_queue_monitor;
extern const struct monitor rules_monitor; /* rules.c: violations of rule sets only */

#endif
