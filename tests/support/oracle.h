/* Linearizability of small parts by dynamic programming over sets of operations: which states can
 * be reached by putting exactly these operations in order? Shares nothing with the engines but the
 * specification's step function, and is quick enough to be asked many thousand times. */
#ifndef TESTS_SUPPORT_ORACLE_H
#define TESTS_SUPPORT_ORACLE_H

#include "history/part.h"

#define ORACLE_MOST 12 /* operations */

bool oracle_linearizable(const struct part *part);

/* The same of the part in which every operation without `member` is turned into a pending one. */
bool oracle_relaxed_linearizable(const struct part *part, const bool *member);

#endif
