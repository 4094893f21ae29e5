/* Livelock: threads that go round for ever in loops that write.
 *
 * Every iteration of such a loop makes new events, so that the exploration comes to the bound on
 * these. Then the states of the scenario under sc are gone through, as far as they are few, each
 * step in a run of its own from the beginning: a state is where each thread stands (its stack and
 * registers, byte by byte, and what is kept for it), and all memory. If threads come back to one
 * and each of them has gone on meanwhile, they can do so for ever: the same reads read the newest
 * writes, the same writes come last in mo, which every model here allows.
 *
 * States that are equal have the same future. Some that have the same future are not equal, for
 * what is left over on a stack is compared, too: some livelocks are missed. */
#ifndef RUNTIME_LIVELOCK_H
#define RUNTIME_LIVELOCK_H

#include "base/limits.h"
#include "scenario/exchange.h"
#include "scenario/exploration.h"

/* After a run that was too large: looks for a livelock, and makes a run that goes round once, with
 * `*round` events in front of the circle. `*from` is 0 the first time; then the next livelock is
 * looked for. False: none was found. */
bool livelock_find(struct exploration *exploration, struct limits *limits, uint32_t *from,
                   unsigned *round);

/* Makes the run that `begin` begins, as far as it is led: whether it ends where a livelock comes
 * round, and then as above. */
bool livelock_is_led(struct exploration *exploration, void (*begin)(void), struct limits *limits,
                     unsigned *round);

#endif
