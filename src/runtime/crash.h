/* Signals that the code under test brings about: taken down as a finding, on a stack of their own.
 * After one nothing in the process can be relied on. */
#ifndef RUNTIME_CRASH_H
#define RUNTIME_CRASH_H

/* `report` is called when the finding stands; the process ends behind it. */
void crash_open(void (*report)(void));

#endif
