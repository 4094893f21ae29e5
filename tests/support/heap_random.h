/* Random implementations whose operations make nodes, and do with them what comes: of no object,
 * but that a push brings a value, and a pop answers one that it has read, or that it found none.
 * Each takes effect at one `linearize`. */
#ifndef TESTS_SUPPORT_HEAP_RANDOM_H
#define TESTS_SUPPORT_HEAP_RANDOM_H

#include "base/random.h"
#include "base/text.h"

/* Appends one. */
void heap_random_program(struct random *random, struct text *text);

#endif
