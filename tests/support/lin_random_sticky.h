/* Random implementations whose threads write words that the others may have written: fields of
 * nodes that are set once, or nearly so, and items of arrays that only their threads write, or
 * nearly only they. */
#ifndef TESTS_SUPPORT_LIN_RANDOM_STICKY_H
#define TESTS_SUPPORT_LIN_RANDOM_STICKY_H

#include <stdint.h>

#include "base/text.h"

void lin_random_print_sticky(uint64_t seed, struct text *text);

/* Writes one whose variables are written new nodes alone, or nearly so, and whose nodes are linked
 * behind one another by those who did not make them. */
void lin_random_print_fresh(uint64_t seed, struct text *text);

#endif
