/* What fails on purpose, in builds with LINCHPIN_FAULTS; elsewhere nothing does, and it costs
 * nothing. The environment says what:
 *
 *     LINCHPIN_REFUSE=N     the allocation number N, from 1, is refused; `N+`: all from there on
 *     LINCHPIN_COUNT=FILE   how many were asked for is written there at the end */
#ifndef BASE_FAULTS_H
#define BASE_FAULTS_H

#include <stdbool.h>

#ifdef LINCHPIN_FAULTS
/* Whether the allocation that is asked for now is to be refused. Thread-safe. */
bool faults_refuse(void);
#else
static inline bool faults_refuse(void)
{
    return false;
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
