/* Random models of a shared object in use: see csp_random.h. */
#ifndef TESTS_SUPPORT_CSP_RANDOM_OBJECT_H
#define TESTS_SUPPORT_CSP_RANDOM_OBJECT_H

#include "base/random.h"
#include "support/csp_random_tree.h"

struct random_node *csp_random_object(struct arena *arena, struct random *random);

#endif
