/* What fails on purpose, in builds with LINCHPIN_FAULTS; elsewhere nothing does, and it costs
 * nothing. The environment says what:
 *
 *     LINCHPIN_REFUSE=N     the allocation number N, from 1, is refused; `N+`: all from there on
 *     LINCHPIN_COUNT=FILE   how many were asked for is written there at the end
 *     LINCHPIN_READS=N      reads come N bytes at a time at most, and every second one is
 *                           interrupted; so do and are writes to pipes, sockets and own files
 *     LINCHPIN_STOP=N       the process stops itself (SIGSTOP) in front of the N-th of these reads
 *                           and writes, until somebody continues or kills it
 *     LINCHPIN_CLOCK=N      every N-th look at the clock it has jumped ahead, by an hour
 *
 * In the hostile build reads and writes are short without being asked to: the first thousands move
 * one byte each, the rest a few. LINCHPIN_READS=0 leaves them alone.
 */
#ifndef BASE_FAULTS_H
#define BASE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* All are thread-safe. */

/* read() and write(), of the system. */
ssize_t faults_read(int file, void *bytes, size_t size);
ssize_t faults_write(int file, const void *bytes, size_t size);

#ifdef LINCHPIN_FAULTS
/* Whether the allocation that is asked for now is to be refused. */
bool faults_refuse(void);

/* What the clock says in place of `now`, nanoseconds. */
uint64_t faults_clock(uint64_t now);
#else
static inline bool faults_refuse(void)
{
    return false;
}

static inline uint64_t faults_clock(uint64_t now)
{
    return now;
}
#endif

/* A size that things begin with: a small one in the hostile build, so that small tests meet what
 * happens when they grow. */
#ifdef LINCHPIN_HOSTILE
#define SIZE_OR_SMALL(usual, small) (small)
#else
#define SIZE_OR_SMALL(usual, small) (usual)
#endif

#endif
