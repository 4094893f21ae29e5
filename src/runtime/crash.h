/* Signals that the code under test brings about: taken down as a finding, on a stack of their own.
 * After one nothing in the process can be relied on. And that of a clock: of code that runs on and
 * on, and comes to no event. */
#ifndef RUNTIME_CRASH_H
#define RUNTIME_CRASH_H

#include "scenario/exchange.h"

/* `report` is called when the finding stands (END_FINDING), or where the code under test has run
 * for `patience` milliseconds of processor time without an event (END_ENDLESS); the process ends
 * behind it. How much else the machine does makes no difference. */
void crash_open(void (*report)(enum exchange_end end), unsigned patience);

#endif
