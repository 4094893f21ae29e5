/* Random models of processes that synchronise in `||`: see csp_random.h. */
#ifndef TESTS_SUPPORT_CSP_RANDOM_NETWORK_H
#define TESTS_SUPPORT_CSP_RANDOM_NETWORK_H

#include "base/random.h"
#include "support/csp_random_tree.h"

struct random_node *csp_random_network(struct arena *arena, struct random *random);

#endif
