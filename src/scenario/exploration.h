/* Goes through every execution graph of a program under a memory model, each once, by TruSt:
 * Kokologiannakis, Marmanis, Gladstein, Vafeiadis (POPL 2022). Memory is polynomial.
 *
 * The program is run again and again by an executor: native code (runtime/), or an interpreter of
 * small programs (tests). An exploration tells it, event by event, which thread steps and what a
 * read returns:
 *
 *     exploration_create(&settings, &exploration);
 *     while (exploration_begin(exploration)) {               one run of the program
 *         while ((thread = exploration_turn(exploration, runnable)) >= 0)
 *             ... thread goes on to its next event, and calls one of the functions below
 *     }
 *
 * The first part of a run repeats the graph taken from the work list, the rest goes on greedily:
 * reads take the newest write, writes come last in mo. What else they could do is put on the list.
 * A thread must be a function of the values that it reads; who is not is told (STEP_DIFFERS). */
#ifndef SCENARIO_EXPLORATION_H
#define SCENARIO_EXPLORATION_H

#include "base/memory.h"
#include "base/status.h"
#include "scenario/exploration_types.h"
#include "scenario/schedule.h"

struct exploration;

/* STATUS_LIMIT when refused. */
enum status exploration_create(const struct exploration_settings *settings,
                               struct exploration **exploration) MUST_CHECK;
void exploration_destroy(struct exploration *exploration);

/* Starts the next run; false when there is none left. The first run is always there. */
bool exploration_begin(struct exploration *exploration);

/* The program waits for signals: once there is no run left, all are begun anew with wakes_freely in
 * their graphs. In these, every wait for a signal may end at any time, and none is for ever; in the
 * others none ends without a signal. What it comes to is for the executor. */
void exploration_wake_freely(struct exploration *exploration);

/* Instead: a run along a given graph, and then greedily. Its choices are not put on the list. */
void exploration_begin_along(struct exploration *exploration, const struct execution_graph *graph);

/* Behind exploration_begin_along, of a graph that ends with a finding: the thread that steps first
 * behind it, or SCHEDULE_NOBODY. */
void exploration_goes_on(struct exploration *exploration, unsigned thread);

/* Instead: a run as a schedule has it, which must outlive the run. What does not fit is told as
 * STEP_DIFFERS. */
void exploration_begin_as(struct exploration *exploration, const struct schedule *schedule);

/* Of such a run: the number of the thread that the last event, which created one, should have given
 * it. Of others: EXECUTION_THREADS. */
unsigned exploration_created(const struct exploration *exploration);

/* Of such a run: how many steps it has made; whether all, and they are an execution of the model.
 */
unsigned exploration_steps_made(const struct exploration *exploration);
bool exploration_is_as_scheduled(struct exploration *exploration);

/* Instead: a run along what of a graph leads to a compare-exchange, which fails there though the
 * graph has it succeed; then greedily, the thread of it first. */
void exploration_begin_failing(struct exploration *exploration, const struct execution_graph *graph,
                               event_number read);

/* Whether the run is one of these, or by a schedule: it has no choices. */
bool exploration_is_along(const struct exploration *exploration);

/* Begins anew: the next run is the first one. */
void exploration_restart(struct exploration *exploration);

/* The thread that steps next: that of the graph while it is repeated, then the lowest one of
 * `runnable` (a bit each). -1: none. */
int exploration_turn(const struct exploration *exploration, unsigned runnable);

/* Whether the run still repeats the graph that it was begun with. */
bool exploration_repeats(const struct exploration *exploration);

/* Whether it is laid down which thread steps next: by that graph, or by a schedule. */
bool exploration_is_led(const struct exploration *exploration);

/* The events. `event` is the one made or repeated; a read-modify-write's write is the one after it
 * in its thread (exploration_update). A plain write's value may be set later. */
enum exploration_step exploration_read(struct exploration *exploration,
                                       const struct exploration_access *access,
                                       event_number *event) MUST_CHECK;
enum exploration_step exploration_write(struct exploration *exploration,
                                        const struct exploration_access *access,
                                        event_number *event) MUST_CHECK;
enum exploration_step exploration_fence(struct exploration *exploration, unsigned thread,
                                        enum memory_order_c11 order, const void *at,
                                        event_number *event) MUST_CHECK;

/* Begin, end, create and join; `source` is the creating event, or the end that is joined. */
enum exploration_step exploration_mark(struct exploration *exploration, unsigned thread,
                                       enum event_kind kind, event_number source, const void *at,
                                       event_number *event) MUST_CHECK;

/* A choice among 0 to `count` - 1 that depends on nothing: the value of the event. */
enum exploration_step exploration_choose(struct exploration *exploration, unsigned thread,
                                         unsigned count, const void *at,
                                         event_number *event) MUST_CHECK;

/* Right behind exploration_read: the write that a successful read-modify-write made, or
 * EXECUTION_NONE. */
event_number exploration_update(const struct exploration *exploration, event_number read);

/* The value of a plain write, known only after it was made. */
void exploration_set_value(struct exploration *exploration, event_number write, memory_value value);

/* The graph of the run: as far as it has come (events of the prefix that are still to be repeated
 * are in it too). Valid until the next begin. */
const struct execution_graph *exploration_graph(const struct exploration *exploration);

/* The same, without the events that are still to be repeated. */
void exploration_made(const struct exploration *exploration, struct execution_graph *made);

struct exploration_figures exploration_figures(const struct exploration *exploration);

#endif
