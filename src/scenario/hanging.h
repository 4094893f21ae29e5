/* Whether threads that wait in an execution do so for ever.
 *
 * A thread that waits would do its last events again and again: an iteration of a loop that leaves
 * its local state as it was and writes nothing new, or an attempt to take a lock. It goes on as
 * soon as one of these reads gives something else. So if no thread of an execution can do anything
 * else, and none of these reads would give something else, read from the newest write in mo, then
 * there is an execution in which each of them goes on so without end, and every write is seen in
 * the end. Where a read gave an old value, nothing is known: another execution has it read the
 * newest. (Oberhauser et al.: VSync, ASPLOS 2021, call such graphs stagnant.) */
#ifndef SCENARIO_HANGING_H
#define SCENARIO_HANGING_H

#include "scenario/execution_graph.h"

enum {
    HANGING_NOTHING = UINT8_MAX /* of `since`: the thread does not repeat anything */
};

/* Whether the events of a thread behind that with index `since` would read the same again: the
 * newest write of each location has the value that was read, or an attempt to lock fails on it. */
bool hanging_would_repeat(const struct execution_graph *graph, unsigned thread, unsigned since);

/* Puts what threads repeat (for each thread the events behind since[thread]) last in the order of
 * replay, as far as nothing else comes of it. */
void hanging_put_last(struct execution_graph *graph, const uint8_t since[EXECUTION_THREADS]);

#endif
