/* Bounds on work that is left for another way of doing it, which are small on purpose where the
 * environment says so, in builds with LINCHPIN_FAULTS (faults.h):
 *
 *     LINCHPIN_BOUND=N      N in place of the usual number
 */
#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

#include <stdint.h>

#ifdef LINCHPIN_FAULTS
/* The usual bound, or N times `times` where that is less. Thread-safe. */
uint64_t faults_bound(uint64_t usual, uint64_t times);
#else
static inline uint64_t faults_bound(uint64_t usual, uint64_t times)
{
    (void)times;
    return usual;
}
#endif

#endif
