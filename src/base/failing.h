/* System calls that fail on purpose, in builds with LINCHPIN_FAULTS (faults.h); elsewhere none
 * does. The environment says which:
 *
 *     LINCHPIN_FAIL=N       the N-th by which something is read, or written into a file of its own,
 *                           or named; `N+`: all from there on; `N*`: each N-th
 *
 * LINCHPIN_REFUSE=N* refuses each N-th allocation, and LINCHPIN_COUNT tells how many of these
 * system calls there were, too, behind the allocations. */
#ifndef BASE_FAILING_H
#define BASE_FAILING_H

#include <stdbool.h>
#include <stdio.h>

#ifdef LINCHPIN_FAULTS
/* Whether the system call that is about to be made is to fail; errno then is `reason`.
 * Thread-safe. */
bool faults_fail(int reason);

/* fdopen() for writing: bytes go through it that may find no room, which a part of them still
 * finds. The stream need not have a file number. */
FILE *faults_stream(int file);
#else
static inline bool faults_fail(int reason)
{
    (void)reason;
    return false;
}

static inline FILE *faults_stream(int file)
{
    return fdopen(file, "w");
}
#endif

#endif
