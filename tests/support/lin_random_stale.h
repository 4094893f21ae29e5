/* Random implementations whose threads hold nodes that shared variables led to: variables that move
 * on from node to node for ever, and some that nearly do. */
#ifndef TESTS_SUPPORT_LIN_RANDOM_STALE_H
#define TESTS_SUPPORT_LIN_RANDOM_STALE_H

#include <stdint.h>

#include "base/text.h"

void lin_random_print_stale(uint64_t seed, struct text *text);

/* One thread that tries again, another that brings about what it holds, or seems to: what is linked
 * is taken away, put back, linked by one who others know. The answer is 0 where the first one
 * succeeds although something has changed since it looked. */
void lin_random_print_away(uint64_t seed, struct text *text);

#endif
