/* What a scenario answers when its operations run whole, one after the other, each on its thread:
 * the specification `auto`. */
#ifndef RUNTIME_SERIAL_H
#define RUNTIME_SERIAL_H

#include "runtime/scheduler.h"
#include "scenario/serial_histories.h"

/* Goes through all orders, behind setup, and keeps their answers in `histories`. Memory is
 * sequentially consistent; a wait for a signal does not end without one, and a weak
 * compare-exchange does not fail for no reason. Operations that may fail are left out, too, for
 * they do nothing then. What runs outside of operations, threads that they made and destructors at
 * the end of threads, may do so at any time.
 *
 * END_COMPLETE; END_FINDING: something is wrong already so, as scheduler_finding says, and a crash
 * is too (serial_crash); else why not all of it could be gone through. The scheduler must be given
 * its exploration anew. */
enum exchange_end serial_explore(struct serial_histories *histories, struct limits *limits);

/* In the handler of a crash: if it happened in such an order, that ends with a finding, and the
 * handler does not return. */
void serial_crash(void);

#endif
