/* Random models of processes that differ by an index: see csp_random.h. */
#ifndef TESTS_SUPPORT_CSP_RANDOM_SYMMETRIC_H
#define TESTS_SUPPORT_CSP_RANDOM_SYMMETRIC_H

#include "base/random.h"
#include "support/csp_random_tree.h"

struct random_node *csp_random_symmetric(struct arena *arena, struct random *random);

#endif
