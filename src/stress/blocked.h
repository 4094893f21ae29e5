/* Whether anything can still happen in this process. */
#ifndef STRESS_BLOCKED_H
#define STRESS_BLOCKED_H

#include <stdbool.h>

/* How many threads there are. 0: not known. */
unsigned blocked_threads(void);

/* Whether every thread but the caller sleeps until another one wakes it, and so for ever: in a lock
 * or a wait for a signal without a time limit. False also where that cannot be known. */
bool blocked_for_ever(void);

#endif
