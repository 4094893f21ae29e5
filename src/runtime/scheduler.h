/* The executor of scenario/exploration.h: runs a test, execution by execution.
 *
 * Threads are fibers. One that comes to an event asks for it and goes back to the scheduler, which
 * lets the exploration say whose turn it is, makes the event of that thread and goes on with it.
 * What a thread does between its events, plain accesses included, it does right behind the earlier
 * one, so that memory is used in an order that extends po U rf. */
#ifndef RUNTIME_SCHEDULER_H
#define RUNTIME_SCHEDULER_H

#include "runtime/threads.h"

/* Prepares to run a test. False when the system refuses memory. */
bool scheduler_open(const lp_test *test);

/* Takes a scenario, which must live as long as it is explored: nothing is known of others. */
void scheduler_take(const struct scenario *scenario, struct exploration *exploration);

/* Makes the executions of another exploration from now on. */
void scheduler_explore(struct exploration *exploration);

/* Runs setup, once: what it leaves is how every execution begins. END_COMPLETE, or what went
 * wrong. */
enum exchange_end scheduler_setup(void);

/* One execution, which the exploration has begun. END_COMPLETE, or what went wrong. */
enum exchange_end scheduler_run(void);

/* Runs teardown after an execution in which every thread came to its end. */
enum exchange_end scheduler_teardown(void);

/* Of the last run: whether every thread came to its end; what was found; where it ended early; a
 * number that stands for all that its threads did. */
bool scheduler_is_complete(void);

/* Whether it was not taken to its end, for another one has the same to show (runtime/retry.h). */
bool scheduler_has_idle(void);

const struct finding *scheduler_finding(void);

/* Of a run that came to an end in which some thread did not: whether none of these ever can
 * (scenario/hanging.h). What each thread waits for is told. */
bool scheduler_hangs(struct exchange_wait waits[EXECUTION_THREADS]);
const void *scheduler_end_place(void);
uint64_t scheduler_trail(void);

/* The operations that were called. */
const struct exchange_operation_run *scheduler_operations(size_t *count);

#endif
