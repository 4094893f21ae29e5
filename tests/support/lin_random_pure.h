/* Random implementations whose operations try again: iterations that leave nothing behind, and some
 * that nearly do. */
#ifndef TESTS_SUPPORT_LIN_RANDOM_PURE_H
#define TESTS_SUPPORT_LIN_RANDOM_PURE_H

#include <stdint.h>

#include "base/text.h"

void lin_random_print_pure(uint64_t seed, struct text *text);

#endif
